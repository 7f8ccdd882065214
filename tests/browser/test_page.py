"""Every control of the page, in a real browser: what it shows is what the functions of the package say."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest

import nearfar
from helpers.browsing import Tab, until
from nearfar import Graph, generate
from nearfar.explorer.session import Answer, Gone

CITY = generate.city(12, 15, seed=3)
GREY, FIRST = "#d3d6da", "#0d0887"  # what is out of reach, and what is nearest, in the light


@pytest.fixture
def tab(browser, city):
    with Tab(browser, city.url) as tab:
        yield tab


def minutes(text):
    """Return the seconds of a text like 3.2 min or 45 s."""
    value, unit = re.match(r"([\d.,]+) (\w+)", text).groups()
    return float(value.replace(",", "")) * {"s": 1, "min": 60}[unit]


def close(text, seconds):
    """Tell whether a text, of three digits, says so many seconds."""
    return abs(minutes(text) - seconds) <= 0.006 * seconds + 0.01


def test_it_opens(tab, city):
    assert tab.text("title") == "city" and tab.page.title() == "city - nearfar explorer"
    assert tab.text("size") == f"{CITY.n:,} vertices, {CITY.m:,} arcs"
    assert tab.part("chart").locator("rect").count() == 48
    row = nearfar.sssp(CITY, tab.text("from"))
    assert tab.text("status").startswith(f"{CITY.n} vertices reached, up to ")
    assert close(tab.text("status").split("up to ")[1], row.dist.max())
    assert tab.part("message").is_hidden() and tab.part("target").is_hidden()
    assert tab.part("ruler").is_visible() and re.fullmatch(r"\d+ k?m", tab.text("ruler"))
    assert tab.text("legend-title") == "Distance from A" and tab.part("grey").is_hidden()
    assert {url.split("?")[0].removeprefix(city.url) for url in tab.requests} >= {"", "app.js", "row", "points"}


def test_a_click_moves_the_source_and_the_colours(tab):
    before, name, pin = tab.pixels(), tab.text("from"), tab.pin("source")
    tab.click(0.3, 0.3)
    assert tab.text("from") != name and CITY.index(tab.text("from")) >= 0
    tab.redraws(before, 0.005)
    after = tab.pixels()
    x, y = tab.pin("source")
    assert np.hypot(*np.subtract(tab.at(0.3, 0.3), (x, y))) < 40 < np.hypot(pin[0] - x, pin[1] - y)
    box = tab.part("canvas").bounding_box()
    left, top = round(x - box["x"]), round(y - box["y"])
    around = after[top + 1 : top + 6, left - 5 : left + 6].reshape(-1, 3)  # below the tip of the pin
    assert (np.abs(around - [0x0D, 0x08, 0x87]).max(axis=1) < 40).any()


def test_the_same_click_again_draws_the_same(tab):
    tab.click(0.4, 0.6)
    first = tab.pixels()
    tab.click(0.7, 0.3)
    tab.redraws(first)
    tab.click(0.4, 0.6)
    tab.draws(first)


def test_hovering_shows_the_path(tab):
    tab.page.mouse.move(*tab.at(0.01, 0.5))
    black = tab.sees("#101418")
    with tab.more("hovers"):
        tab.page.mouse.move(*tab.at(0.35, 0.35))
    name, far = tab.text("tip").rsplit(": ", 1)
    assert close(far, nearfar.distance(CITY, tab.text("from"), name))
    assert tab.sees("#101418") > black + 100
    with tab.more("hovers"):
        tab.page.mouse.move(*tab.at(0.01, 0.02))  # far from all streets
    assert tab.part("tip").is_hidden()
    tab.page.mouse.move(2, 2)
    until(lambda: tab.sees("#101418") == black, "the path to vanish")


@pytest.mark.parametrize("which", ["source", "target"])
def test_pins_can_be_dragged(tab, which):
    tab.part("sets-target").check()
    tab.click(0.6, 0.6, "paths")
    shown = {"source": "from", "target": "to"}[which]
    before, pixels = tab.text(shown), tab.pixels()
    tab.drag(which, 0.35, 0.3)
    assert tab.text(shown) != before
    tab.redraws(pixels)
    assert np.hypot(*np.subtract(tab.at(0.35, 0.3), tab.pin(which))) < 40
    assert close(tab.text("distance"), nearfar.distance(CITY, tab.text("from"), tab.text("to")))


def test_the_target_and_its_path(tab):
    tab.part("sets-target").check()
    tab.click(0.65, 0.35, "paths")
    path = nearfar.path(CITY, tab.text("from"), tab.text("to"))
    assert tab.text("distance").endswith(f"{len(path) - 1} arcs")
    tab.part("way").locator("summary").click()
    assert tab.part("names").locator("li").all_inner_texts() == [str(name) for name in path]
    black = tab.sees("#101418")
    tab.part("clear").click()
    assert tab.part("target").is_hidden() and tab.part("distance").is_hidden()
    assert tab.sees("#101418") < black - 100


def test_the_direction(tab):
    tab.part("sets-target").check()
    tab.click(0.65, 0.35, "paths")
    with tab.more():
        tab.part("direction").select_option("to")
    until(lambda: tab.text("legend-title") == "Distance to A")
    assert close(tab.text("distance"), nearfar.distance(CITY, tab.text("to"), tab.text("from")))


def test_isochrones(tab):
    none = tab.sees(GREY)
    tab.part("limit").fill("80")
    assert tab.sees(GREY) > none + 500 and tab.part("grey").is_visible()
    row = nearfar.sssp(CITY, tab.text("from")).dist
    assert close(tab.text("limit-label"), 0.4 * row.max())
    gradient = len(np.unique(tab.pixels("ramp")[3], axis=0))
    tab.part("steps").select_option("3")
    assert len(np.unique(tab.pixels("ramp")[3, 5:-5], axis=0)) < 8 < gradient
    grey = tab.part("chart").locator("rect[fill='rgb(211 214 218)']")
    assert grey.count() == sum((i + 0.5) / 48 > 0.4 for i in range(48))
    tab.part("limit").focus()
    tab.page.keyboard.press("End")
    assert tab.text("limit-label") == "none" and abs(tab.sees(GREY) - none) < 20


@pytest.mark.parametrize("name", ["closeness", "betweenness", "flows"])
def test_metrics(tab, name):
    before = tab.pixels()
    tab.part("measure").select_option(name)
    until(lambda: tab.text("status").startswith(name.capitalize()), "the metric")
    tab.redraws(before, 0.005)
    assert tab.text("chart-title") == tab.text("legend-title") == name.capitalize()
    assert re.fullmatch(r"\w+ on cpu: [\d.,]+ m?s", tab.text("ran"))
    low, high = map(float, re.search(r"from ([\d.e+-]+) to ([\d.e+-]+)", tab.text("status").replace(",", "")).groups())
    if name == "closeness":
        values = nearfar.metrics.closeness(CITY).values
        assert abs(high - values.max()) <= 0.01 * high and abs(low - values.min()) <= 0.01 * high
    tab.part("measure").select_option("distance")
    tab.page.mouse.move(2, 2)
    tab.draws(before)


def test_methods_and_devices_say_their_time(tab):
    before = tab.pixels()
    methods = tab.part("method").locator("option").all_inner_texts()
    assert methods[0] == "auto" and {"dijkstra", "delta", "prepared"} <= set(methods)
    for method in methods[1:]:
        with tab.more():
            tab.part("method").select_option(method)
        assert re.fullmatch(rf"{method} on cpu: [\d.,]+ m?s", tab.text("ran"))
        tab.draws(before)
    tab.part("method").select_option("auto")
    devices = tab.part("device").locator("option").evaluate_all("all => all.map((one) => one.value)")
    assert devices[:2] == ["auto", "cpu"]
    with tab.more():
        tab.part("device").select_option("cpu")
    assert " on cpu: " in tab.text("ran")


def test_a_metric_that_takes_long_can_be_stopped(browser, monkeypatch):
    with nearfar.explore(CITY, browser=False) as page:
        session, answer, gone = page._session, page._session.answer, threading.Event()

        def slow(what, query, alive=None):
            if what == "progress":
                return Answer({"share": 0.25})
            if what != "measure":
                return answer(what, query, alive)
            until(lambda: not alive(), "the end of the question")
            gone.set()
            raise Gone

        monkeypatch.setattr(session, "answer", slow)
        with Tab(browser, page.url) as tab:
            tab.part("measure").select_option("betweenness")
            until(lambda: tab.part("progress").get_attribute("value") == "0.25", "the progress")
            tab.click(0.3, 0.3)  # which is answered meanwhile
            assert not gone.is_set() and tab.part("stop").is_visible()
            tab.part("stop").click()
            until(lambda: tab.text("status") == "Stopped", "the end")
            assert tab.part("measure").input_value() == "distance" and tab.part("stop").is_hidden()
            assert gone.wait(30)


def test_search_by_keys(tab):
    name = str(CITY.name(17))
    field, found = tab.part("search"), tab.part("found").locator("[role=option]")
    part = name[:4].strip().casefold()
    field.press_sequentially(part)
    until(lambda: found.count() > 1 and all(part in text.casefold() for text in found.all_inner_texts()), "the names")
    field.fill(name)
    until(lambda: found.all_inner_texts()[:1] == [name], "the name")
    with tab.more():
        field.press("ArrowDown")
        field.press("ArrowUp")
        field.press("Enter")
    assert tab.text("from") == name and tab.part("found").is_hidden()
    assert field.get_attribute("aria-expanded") == "false"


def test_search_by_the_mouse_and_in_vain(tab):
    field, found = tab.part("search"), tab.part("found")
    field.fill(str(CITY.name(40)))
    tab.part("sets-target").check()
    field.focus()
    field.press_sequentially(" ")
    with tab.more("paths"):
        found.locator("[role=option]").first.click()
    assert tab.text("to") == str(CITY.name(40))
    field.fill("no street is called so")
    until(lambda: found.inner_text() == "nothing found")
    field.press("Escape")
    assert found.is_hidden()


def test_the_table(tab):
    tab.part("table-box").locator("summary").click()
    lines = tab.part("lines").locator("tr")
    until(lambda: lines.count() == 50, "the lines")
    row = nearfar.sssp(CITY, tab.text("from")).dist
    nearest = [str(CITY.name(int(v))) for v in np.argsort(row, kind="stable")[:50]]
    first = [line.split("\t") for line in lines.all_inner_texts()]
    assert [cells[0] for cells in first] == nearest
    assert all(close(cells[1], row[CITY.index(cells[0])]) for cells in first[1:])
    tab.part("more").click()
    until(lambda: lines.count() == 100, "more lines")
    tab.part("by-distance").locator("button").click()
    until(lambda: tab.part("by-distance").get_attribute("aria-sort") == "descending")
    assert close(lines.first.inner_text().split("\t")[1], row.max())
    tab.part("by-name").locator("button").click()
    until(lambda: tab.part("by-name").get_attribute("aria-sort") == "ascending")
    names = [text.split("\t")[0].casefold() for text in lines.all_inner_texts()]
    assert names == sorted(names)
    name = lines.nth(3).locator("td").first.inner_text()
    with tab.more("paths"):
        lines.nth(3).locator("button").first.click()
    assert tab.text("to") == name
    with tab.more():
        lines.nth(5).locator("button").last.click()
    until(lambda: tab.text("from") != tab.text("to"))


def test_a_path_that_does_not_exist(browser):
    places = [[0, 0], [1, 0], [2, 1], [0, 2], [1, 2]]
    island = Graph.from_arcs([0, 1, 3], [1, 2, 4], [4, 5, 6], coordinates=places)
    with nearfar.explore(island, source=0, browser=False) as page, Tab(browser, page.url) as tab:
        assert tab.text("status").startswith("3 vertices reached") and tab.part("grey").is_visible()
        assert tab.sees(GREY) > 20
        tab.part("search").fill("4")
        tab.part("sets-target").check()
        tab.part("search").press_sequentially(" ")
        with tab.more("paths"):
            tab.part("found").locator("[role=option]").first.click()
        assert tab.text("distance").strip() == "no path" and tab.part("way").is_hidden()
