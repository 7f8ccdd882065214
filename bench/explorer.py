"""Measure the explorer: ``python bench/explorer.py [--write] [--clicks N] [--pictures]``.

The server: whole HTTP round trips of clicks on random points of Sao Paulo, from another process, once the graph was
prepared in the background as it is for every user. The browser: Chromium with WebGL2 in software, on Andorra. Its
first colours are timed from the beginning of the navigation, a click from the event to the frame in which the colours
are drawn; one pixel is read back from that frame, which waits until it is complete. Memory is looked at after a
hundred clicks and after all: the heap of JavaScript after a collection, and the resident size of the server's process.
--write puts the table into docs/explorer.md.
"""

from __future__ import annotations

import argparse
import http.client
import io
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from PIL import Image

import nearfar

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import report
from helpers.browsing import Tab, browsing, chromium, until

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs" / "explorer.md"
PICTURES = ROOT / "docs" / "pictures"
TIMED = 50  # clicks whose times are told
WARM = 5  # clicks before them
PREPARING = 300.0  # seconds that preparing may take

# Note when the frame of each answer is complete: a pixel is read in the same task in which it was drawn.
WATCH = """
  const frame = window.requestAnimationFrame.bind(window);
  const pixel = new Uint8Array(4);
  window.requestAnimationFrame = (draw) => frame((now) => {
    draw(now);
    const gl = document.querySelector("canvas")?.getContext("webgl2");
    if (gl) gl.readPixels(9, 9, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  });
  window.shown = [];
  window.clicked = [];
  addEventListener("pointerup", () => window.clicked.push(performance.now()), { capture: true });
  document.addEventListener("DOMContentLoaded", () => {
    const root = document.querySelector(".nearfar-page");
    new MutationObserver(() => window.shown.push(performance.now())).observe(root, { attributeFilter: ["data-rows"] });
  });
"""


@contextmanager
def serving(path: Path) -> Iterator[tuple[str, int]]:
    """Serve a graph in a process of its own; give its address and the number of the process."""
    command = [sys.executable, __file__, "--serve", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        yield child.stdout.readline().strip(), child.pid
        child.stdin.close()


def serve(path: str) -> None:
    """Serve a graph until the other end is closed; tell the address once it is prepared, if it will be."""
    from nearfar.explorer.session import LARGE

    graph = nearfar.read(path)
    with nearfar.explore(graph, browser=False) as page:
        end = time.monotonic() + PREPARING
        while graph.n >= LARGE and page._session.prepared is None and time.monotonic() < end:
            time.sleep(0.1)
        print(page.url, flush=True)
        sys.stdin.read()


def ask(url: str, question: str) -> tuple[float, dict[str, Any], bytes]:
    """Return the seconds of a round trip, connection included, the facts and the data."""
    address = urlsplit(url)
    began = time.perf_counter()
    line = http.client.HTTPConnection(str(address.hostname), address.port, timeout=60)
    line.request("GET", address.path + question)
    content = line.getresponse().read()
    seconds = time.perf_counter() - began
    line.close()
    length = int.from_bytes(content[:4], "little")
    return seconds, json.loads(content[4 : 4 + length]), content[4 + length :]


def clicks_on_the_server(path: Path) -> list[list[str]]:
    """Return the lines of clicks on random points of a map, straight to the server."""
    with serving(path) as (url, _):
        facts = ask(url, "facts")[1]
        points = np.frombuffer(ask(url, "points")[2], np.float32).reshape(-1, 2)
        rng = np.random.default_rng(1)
        chosen = points[rng.choice(len(points), WARM + TIMED, replace=False)]
        found = [ask(url, f"row?x={x}&y={y}") for x, y in chosen.tolist()][WARM:]
    times, inside = [seconds for seconds, _, _ in found], [facts["seconds"] for _, facts, _ in found]
    label = f"Sao Paulo, {facts['vertices']:,} vertices: a click at the server"
    return [
        [f"{label}, median of {TIMED}", milliseconds(median(times)), "50 ms"],
        ["the slowest of them", milliseconds(max(times)), ""],
        [f"of that, the search ({found[-1][1]['method']}), median", milliseconds(median(inside)), ""],
    ]


def clicks_in_the_browser(path: Path, count: int) -> list[list[str]]:
    """Return the lines of Andorra in a browser: the first colours, clicks, and memory."""
    with serving(path) as (url, process), browsing() as browser:
        first = min(opened(browser, url) for _ in range(5))
        with Tab(browser, url, script=WATCH) as tab:
            tab.settle()
            rng = np.random.default_rng(1)
            times, after = [], {}
            for number in range(1, count + 1):
                times.append(clicked(tab, *free_place(tab, rng)))
                if number in (100, count):
                    after[number] = heap(tab), resident(process)
            timed = times[WARM : WARM + TIMED]
    paint, colours = first
    memory = [
        [
            f"Andorra: memory after {number:,} clicks, JavaScript and server",
            f"{own / 1e6:.1f} MB, {theirs / 1e6:.0f} MB",
            "flat",
        ]
        for number, (own, theirs) in after.items()
    ]
    return [
        ["Andorra, 16,504 vertices: first paint, best of 5", milliseconds(paint), "2 s"],
        ["all colours on the screen, counted from the same moment", milliseconds(colours), ""],
        [f"Andorra: click to colours, median of {TIMED}", milliseconds(median(timed)), "100 ms"],
        ["the slowest of them", milliseconds(max(timed)), ""],
        *memory,
    ]


def opened(browser: Any, url: str) -> tuple[float, float]:
    """Return the seconds from the beginning of a navigation to the first paint, and to the first colours."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(url)
    page.locator(".nearfar-page[data-rows]").wait_for()
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    shown = page.evaluate("window.shown[0]")
    context.close()
    return paint / 1e3, shown / 1e3


def free_place(tab: Tab, rng: np.random.Generator) -> tuple[float, float]:
    """Return a random place of the map on the screen that no pin covers."""
    while True:
        place = tab.at(*rng.uniform(0.2, 0.8, 2))
        if tab.page.evaluate("([x, y]) => document.elementFromPoint(x, y).dataset.id === 'canvas'", place):
            return place


def clicked(tab: Tab, x: float, y: float) -> float:
    """Click on the map; return the seconds until the colours were drawn."""
    before = tab.page.evaluate("window.shown.length")
    tab.page.mouse.click(x, y)
    until(lambda: tab.page.evaluate("window.shown.length") > before)
    clicked, shown = tab.page.evaluate("[window.clicked.at(-1), window.shown.at(-1)]")
    return float(shown - clicked) / 1e3


def heap(tab: Tab) -> float:
    """Return the bytes that JavaScript uses after a collection."""
    client = tab.context.new_cdp_session(tab.page)
    client.send("HeapProfiler.collectGarbage")
    return float(client.send("Runtime.getHeapUsage")["usedSize"])


def resident(process: int) -> int:
    """Return the resident bytes of a process."""
    with open(f"/proc/{process}/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))


def draw_pictures() -> None:
    """Write the pictures of docs/explorer.md: a generated city on a desk and, in the dark, on a phone."""
    city = nearfar.generate.city(34, 46, seed=5)
    with nearfar.explore(city, name="A generated city", browser=False) as page, browsing() as browser:
        with Tab(browser, page.url, viewport={"width": 1200, "height": 720}) as tab:
            tab.part("sets-target").check()
            tab.click(0.72, 0.22, "paths")
            tab.part("limit").fill("150")
            tab.part("steps").select_option("5")
            save(tab, "explorer.png")
        phone = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
        with Tab(browser, page.url, **phone, color_scheme="dark") as tab:
            save(tab, "explorer-phone.png")


def save(tab: Tab, name: str) -> None:
    """Write what is on the screen, in 256 colours."""
    tab.page.mouse.move(1, 1)
    tab.settle()
    image = Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB")
    image.quantize(256, dither=Image.Dither.NONE).save(PICTURES / name, optimize=True)


def milliseconds(seconds: float) -> str:
    """Write a time."""
    return f"{report.milliseconds(seconds)} ms"


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--clicks", type=int, default=1000, help="in the browser")
    parser.add_argument("--pictures", action="store_true", help="only draw the pictures of docs/explorer.md")
    parser.add_argument("--serve")
    asked = parser.parse_args()
    if asked.pictures:
        draw_pictures()
        return
    if asked.serve:
        serve(asked.serve)
        return
    about = report.facts("numpy", "numba", "playwright")
    about["Load average at the start"] = f"load average {about['Load average at the start']}"
    body = []
    if (DATA / "osm-saopaulo.npz").exists():
        body += clicks_on_the_server(DATA / "osm-saopaulo.npz")
    if not chromium() or find_spec("playwright") is None:
        print("the browser: SKIPPED, there is no Chromium, or no playwright")
    elif (DATA / "andorra.osm.pbf").exists():
        body += clicks_in_the_browser(DATA / "andorra.osm.pbf", asked.clicks)
    about["end"] = f"load average at the end {', '.join(f'{load:.2f}' for load in os.getloadavg())}"
    table = f"{report.table(['what', 'measured', 'bar'], body)}\n\n{'; '.join(about.values())}."
    print(table)
    if asked.write and asked.clicks >= 1000:
        text = PAGE.read_text(encoding="utf8")
        marks = r"(?s)(<!-- bench:begin -->\n).*(<!-- bench:end -->)"
        PAGE.write_text(re.sub(marks, lambda found: f"{found[1]}{table}\n{found[2]}", text), encoding="utf8")


if __name__ == "__main__":
    main()
