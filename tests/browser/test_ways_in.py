"""The page by keys, by fingers, in the dark, without coordinates or WebGL2, in many tabs, and when things go wrong."""

from __future__ import annotations

import re
import threading
from itertools import pairwise

import numpy as np
import pytest

import nearfar
from helpers.browsing import NO_WEBGL, Tab, browsing, until
from helpers.data import real
from nearfar import Graph, generate
from nearfar.explorer.session import Gone

CITY = generate.city(12, 15, seed=3)
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
LOST = ("CONTEXT_LOST_WEBGL",)


@pytest.fixture
def tab(browser, city):
    with Tab(browser, city.url) as tab:
        yield tab


def random_graph(n, m):
    rng = np.random.default_rng(1)
    return Graph.from_arcs(rng.integers(0, n, m), rng.integers(0, n, m), rng.integers(1, 9, m), n=n)


def test_the_map_by_keys(tab):
    press, part = tab.page.keyboard.press, tab.part
    first = tab.pixels()
    part("canvas").focus()
    press("ArrowLeft")  # the focus is now one of the keyboard, whose frame and cross are seen
    press("0")
    home = tab.pixels()
    assert (home != first).any()
    for there, back in (("ArrowLeft", "ArrowRight"), ("ArrowUp", "ArrowDown"), ("+", "-"), ("=", "-")):
        press(there)
        away = tab.pixels()
        assert (away != home).any(axis=2).mean() > 0.01, there
        press(back)
        tab.redraws(away)
    press("0")
    tab.draws(home)
    name = tab.text("from")
    for _ in range(2):
        press("ArrowLeft")
    with tab.more():
        press("Enter")
    assert tab.text("from") != name
    press("ArrowDown")
    press("ArrowDown")
    with tab.more("paths"):
        press("b")
    assert tab.text("to") != tab.text("from") and part("target").is_visible()
    press("Escape")
    until(part("target").is_hidden)


@pytest.mark.parametrize("which", ["source", "target"])
def test_pins_by_keys(tab, which):
    tab.part("sets-target").check()
    tab.click(0.6, 0.6, "paths")
    shown, counter = {"source": ("from", "rows"), "target": ("to", "paths")}[which]
    tab.part(which).focus()
    for key, axis, sign in (("ArrowRight", 0, 1), ("ArrowLeft", 0, -1), ("ArrowUp", 1, -1), ("ArrowDown", 1, 1)):
        name, before = tab.text(shown), tab.pin(which)
        with tab.more(counter):
            tab.page.keyboard.press(key)
        assert tab.text(shown) != name and (tab.pin(which)[axis] - before[axis]) * sign > 5
        assert tab.part(which).evaluate("(pin) => pin === document.activeElement")


def test_a_pin_at_the_edge_stays(browser):
    line = Graph.from_arcs([0, 1, 2], [1, 2, 3], undirected=True, coordinates=[[0, 0], [1, 0], [2, 0], [3, 0]])
    with nearfar.explore(line, source=1, browser=False) as page, Tab(browser, page.url) as tab:
        tab.part("source").focus()
        for name in "23":
            with tab.more():
                tab.page.keyboard.press("ArrowRight")
            assert tab.text("from") == name
        asked = len(tab.requests)
        for key in ("ArrowRight", "ArrowUp", "ArrowDown"):
            tab.page.keyboard.press(key)
        tab.settle()
        assert tab.text("from") == "3" and len(tab.requests) == asked


OUTLINE = """(() => {
  const one = document.activeElement;
  return getComputedStyle(one.type === "radio" ? one.nextSibling : one).outlineStyle;
})()"""


def test_the_order_of_the_focus(tab):
    tab.part("sets-target").check()
    tab.click(0.6, 0.6, "paths")
    tab.part("search").focus()
    order = ["search"]
    for _ in range(40):
        tab.page.keyboard.press("Tab")
        order.append(
            tab.page.evaluate("document.activeElement.dataset.id || document.activeElement.textContent.trim()")
        )
        if order[-1] == "Keys":
            break
        assert tab.page.evaluate(OUTLINE) != "none", order[-1]
    assert order == [
        "search", "theme", "canvas", "source", "target", "in", "out", "whole", "clear", "The path", "sets-target",
        "measure", "direction", "steps", "limit", "method", "device", "Table", "Keys",
    ]  # fmt: skip


def test_zoom_by_wheel_buttons_and_drag(tab):
    first, wide = tab.pixels(), tab.text("ruler")
    tab.page.mouse.move(*tab.at(0.02, 0.5))
    tab.page.mouse.wheel(0, -600)
    until(lambda: tab.text("ruler") != wide)
    tab.part("whole").click()
    tab.page.mouse.move(2, 2)
    assert tab.text("ruler") == wide
    tab.draws(first)
    tab.part("in").click()
    tab.part("in").click()
    tab.redraws(first, 0.01)
    tab.part("out").click()
    name, pin = tab.text("from"), tab.pin("source")
    tab.page.mouse.move(*tab.at(0.5, 0.2))
    tab.page.mouse.down()
    tab.page.mouse.move(*tab.at(0.6, 0.3), steps=3)
    tab.page.mouse.up()
    tab.settle()
    moved = np.subtract(tab.pin("source"), pin)
    wanted = np.subtract(tab.at(0.6, 0.3), tab.at(0.5, 0.2))
    assert np.abs(moved - wanted).max() < 3 and tab.text("from") == name


@pytest.fixture
def phone(browser, city):
    with Tab(browser, city.url, **PHONE) as tab:
        yield tab


def touch(tab, *steps):
    """Touch the map with fingers, move them, and let go, as the screen of a phone would report it."""
    client = tab.context.new_cdp_session(tab.page)
    for kind, points in (("touchStart", steps[0]), *(("touchMove", points) for points in steps[1:]), ("touchEnd", [])):
        places = [{"x": float(x), "y": float(y), "id": i} for i, (x, y) in enumerate(points)]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})
    tab.settle()


def test_a_phone(phone):
    page = phone.page
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    name = phone.text("from")
    with phone.more():
        page.touchscreen.tap(*phone.at(0.3, 0.3))
    assert phone.text("from") != name and phone.part("tip").is_hidden()
    pin, ruler = phone.pin("source"), phone.text("ruler")
    middle = np.array(phone.at(0.5, 0.5))
    touch(phone, *([middle + np.array((10, 5)) * step] for step in range(5)))
    assert np.abs(np.subtract(phone.pin("source"), pin) - [40, 20]).max() < 3
    name, apart = phone.text("from"), np.array((20, 0))
    touch(phone, *([middle - apart * (1 + step), middle + apart * (1 + step)] for step in range(5)))
    assert phone.text("ruler") != ruler and phone.text("from") == name
    phone.part("table-box").locator("summary").tap()
    until(lambda: phone.part("lines").locator("tr").count() == 50)
    phone.part("sets-target").check(force=True)
    high = "(all) => all.filter((one) => one.offsetParent).map((one) => one.getBoundingClientRect().height)"
    assert min(page.locator("button, select, input, summary").evaluate_all(high)) >= 24


def test_the_dark(browser, city):
    with Tab(browser, city.url, color_scheme="dark") as tab:
        assert tab.root.get_attribute("data-theme") == "dark"
        dark = tab.pixels()
        assert tab.sees("#12161b", within=0) > dark.shape[0] * dark.shape[1] / 2
        tab.part("theme").click()
        assert tab.root.get_attribute("data-theme") == "light"
        assert tab.sees("#ffffff", within=0) > dark.shape[0] * dark.shape[1] / 2
        tab.page.reload()
        tab.__enter__()
        assert tab.root.get_attribute("data-theme") == "light"
        assert tab.part("theme").get_attribute("aria-pressed") == "false"


CONTRAST = """() => {
  const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const ground = (one) => {
    for (; one; one = one.parentElement) {
      const colour = numbers(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const found = [];
  for (const one of document.querySelectorAll(".nearfar-explorer *")) {
    const text = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!text || !one.checkVisibility() || one.closest(".unseen, svg, .pin, option")) continue;
    found.push([ratio(numbers(getComputedStyle(one).color), ground(one)), one.outerHTML]);
  }
  for (const one of document.querySelectorAll("input[type=search], select, .segments span, .theme"))
    found.push([1.5 * ratio(numbers(getComputedStyle(one).borderTopColor), ground(one.parentElement)), one.outerHTML]);
  return found.sort((a, b) => a[0] - b[0]);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(browser, city, scheme):
    """Texts have 4.5 to 1 with their ground, the borders of fields 3 to 1 (WCAG 2.2, AA)."""
    with Tab(browser, city.url, color_scheme=scheme) as tab:
        tab.part("sets-target").check()
        tab.click(0.6, 0.6, "paths")
        tab.part("table-box").locator("summary").click()
        until(lambda: tab.part("lines").locator("tr").count() == 50)
        tab.part("search").fill("1")
        until(tab.part("found").is_visible)
        found = tab.page.evaluate(CONTRAST)
        assert len(found) > 100 and found[0][0] >= 4.5, found[0]


def test_everything_has_a_name(tab):
    tab.part("sets-target").check()
    tab.click(0.6, 0.6, "paths")
    client = tab.context.new_cdp_session(tab.page)
    nodes = client.send("Accessibility.getFullAXTree")["nodes"]
    roles = {
        "button",
        "combobox",
        "searchbox",
        "radio",
        "slider",
        "application",
        "image",
        "DisclosureTriangle",
        "listbox",
    }
    found = [
        (node["role"]["value"], node["name"]["value"])
        for node in nodes
        if not node["ignored"] and node["role"]["value"] in roles
    ]
    assert len(found) > 15 and all(name for _, name in found), found
    identifiers = tab.page.evaluate("[...document.querySelectorAll('[data-id]')].map((one) => one.dataset.id)")
    assert len(set(identifiers)) == len(identifiers)
    assert tab.page.evaluate("document.documentElement.lang") == "en"


def test_without_coordinates_a_small_graph_is_laid_out(browser):
    with nearfar.explore(random_graph(300, 600), source=5, browser=False) as page, Tab(browser, page.url) as tab:
        assert tab.text("note") == ", laid out by distances" and tab.part("ruler").is_hidden()
        before = tab.pixels()
        tab.click(0.5, 0.5)
        tab.redraws(before)


LABELS = """(one) => [...one.querySelectorAll(".axis span")].map((label) => {
  const { left, right } = label.getBoundingClientRect();
  return [left, right, label.textContent];
})"""


@pytest.mark.parametrize(("high", "unit", "left_out"), [(20_000, "credits", 1), (22_600, "credits", 1), (800, "ft", 0)])
def test_labels_of_an_axis_do_not_touch(browser, high, unit, left_out):
    """The last label stands to the left of its mark, and has the unit: it may reach the one before."""
    graph = Graph.from_arcs([0, 1], [1, 2], [500, high - 500], coordinates=np.eye(3, 2)).with_units(unit)
    with nearfar.explore(graph, source=0, browser=False) as page, Tab(browser, page.url) as tab:
        labels = tab.part("chart").evaluate(LABELS)
        assert labels[0][2] == "0" and labels[-1][2].endswith(unit)
        assert len(labels) == 5 - left_out, labels
        assert all(right < left for (_, right, _), (left, _, _) in pairwise(labels)), labels


def assert_table_only(tab, graph):
    assert tab.part("canvas").is_hidden() and tab.part("message").is_visible()
    lines = tab.part("lines").locator("tr")
    until(lambda: lines.count() == 50)
    with tab.more():
        lines.nth(4).locator("button").last.click()
    until(lambda: lines.first.inner_text().split("\t")[0] == tab.text("from"))
    with tab.more("paths"):
        lines.nth(7).locator("button").first.click()
    path = nearfar.path(graph, *(type(graph.name(0))(tab.text(end)) for end in ("from", "to")))
    assert tab.text("distance").endswith(f"{len(path) - 1} arc" + "s" * (len(path) != 2))


def test_without_coordinates_a_large_graph_has_its_table(browser):
    graph = random_graph(21_000, 45_000)
    with nearfar.explore(graph, name="large", browser=False) as page, Tab(browser, page.url) as tab:
        assert tab.text("message") == "The graph has no coordinates, and 21,000 vertices are too many to lay out."
        assert_table_only(tab, graph)


def test_without_webgl2(city):
    """The browser has a process of its own, which is told to have none."""
    done = []

    def other():
        with browsing(NO_WEBGL) as browser, Tab(browser, city.url) as tab:
            assert "no WebGL2" in tab.text("message")
            assert_table_only(tab, CITY)
            done.append(True)

    thread = threading.Thread(target=other)  # Playwright has one loop per thread
    thread.start()
    thread.join()
    assert done


def test_a_lost_context_is_restored(browser, city):
    with Tab(browser, city.url, allowed=LOST) as tab:
        before = tab.pixels()
        tab.page.evaluate(
            """new Promise((done) => {
              const canvas = document.querySelector("canvas");
              const loss = canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
              canvas.addEventListener("webglcontextrestored", done, { once: true });
              loss.loseContext();
              setTimeout(() => loss.restoreContext(), 50);
            })"""
        )
        tab.draws(before)
        tab.click(0.3, 0.3)
        tab.redraws(before)


def test_ten_tabs(browser, city):
    tabs = [Tab(browser, city.url).__enter__() for _ in range(10)]
    shares = [0.3 + 0.04 * i for i in range(10)]
    for tab, share in zip(tabs, shares, strict=True):
        tab.page.mouse.click(*tab.at(share, share))
    for tab in tabs:
        until(lambda tab=tab: tab.facts("rows") >= 2)
        tab.settle()
    names = [tab.text("from") for tab in tabs]
    assert len(set(names)) > 5
    for tab in tabs:
        tab.__exit__(None)


def test_a_tab_that_is_closed_while_it_waits(browser, monkeypatch):
    with nearfar.explore(CITY, browser=False) as page:
        session, answer = page._session, page._session.answer
        begun, gone = threading.Event(), threading.Event()

        def slow(what, query, alive=None):
            if what != "measure":
                return answer(what, query, alive)
            begun.set()
            until(lambda: not alive(), "the end of the tab")
            gone.set()
            raise Gone

        monkeypatch.setattr(session, "answer", slow)
        with Tab(browser, page.url) as tab:
            tab.part("measure").select_option("betweenness")
            until(begun.is_set)
        assert gone.wait(30)
        with Tab(browser, page.url) as tab:
            tab.click(0.3, 0.3)


def test_a_server_that_has_ended(browser):
    page = nearfar.explore(CITY, browser=False)
    with Tab(browser, page.url, allowed=("ERR_CONNECTION_REFUSED",)) as tab:
        page.close()
        tab.page.mouse.click(*tab.at(0.3, 0.3))
        until(tab.part("message").is_visible)
        assert tab.text("message").startswith("The server does not answer. It has ended")


def test_a_wrong_token(browser, city):
    tab = Tab(browser, re.sub(r"/[^/]{20,}/", "/wrong/", city.url), allowed=("status of 403",))
    assert "The token is missing" in tab.page.locator("body").inner_text()
    tab.__exit__(None)


def test_a_page_of_another_site_cannot_ask(browser, city):
    """Neither scripts nor frames of another origin get anything."""
    with nearfar.explore(CITY, browser=False) as other:
        tab = Tab(browser, other.url)
        tab.__enter__()
        tab.page.evaluate("location.href")
        ask = f"fetch('{city.url}row?source=1').then(() => 'answered', () => 'refused')"
        assert tab.page.evaluate(ask) == "refused"
        tab.context.close()


def test_a_raster_lies_as_it_is_read(browser):
    ground = np.ones((12, 30))
    ground[:6, :15] = np.inf  # a wall, above on the left
    with nearfar.explore(Graph.from_raster(ground), browser=False) as page, Tab(browser, page.url) as tab:
        assert tab.text("note") == ", the raster"
        seen = (tab.pixels() != 255).any(axis=2)
        high, wide = seen.shape
        assert not seen[int(0.25 * high) : int(0.4 * high), int(0.1 * wide) : int(0.4 * wide)].any()
        assert seen[int(0.25 * high) : int(0.4 * high), int(0.6 * wide) : int(0.85 * wide)].any()


def test_andorra(browser):
    graph = nearfar.read(real("andorra.osm.pbf"))
    with nearfar.explore(graph, name="Andorra", browser=False) as page, Tab(browser, page.url) as tab:
        before = tab.pixels()
        tab.click(0.3, 0.4)
        tab.redraws(before, 0.005)
        assert tab.text("size") == "16,504 vertices, 31,633 arcs"
