"""A browser, and tabs that tell what they see: pixels, texts, requests, and what the console says."""

from __future__ import annotations

import io
import re
import shutil
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

import numpy as np

NAMES = ("chromium", "chromium-browser", "google-chrome")
SOFTWARE = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")  # WebGL2 without a GPU
NO_WEBGL = ("--disable-3d-apis",)
PATIENCE = 60.0  # seconds that anything may take on a busy machine
DESK = {"width": 1280, "height": 800}


# After two frames: a pixel is read in between, which waits until all before it is drawn.
DRAWN = """new Promise((done) => requestAnimationFrame(() => {
  const gl = document.querySelector(".nearfar-explorer canvas")?.getContext("webgl2");
  gl?.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  requestAnimationFrame(() => done(true));
}))"""


def chromium():
    """Return the path of the browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def browsing(options=SOFTWARE):
    """Start a browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", *options])
        try:
            yield browser
        finally:
            browser.close()


def until(true, what="it to happen"):
    """Wait until something is true, and return it."""
    end = time.monotonic() + PATIENCE
    while not (found := true()):
        assert time.monotonic() < end, f"waited for {what} in vain"
        time.sleep(0.02)
    return found


class Tab:
    """A tab with a page of the explorer; at its end, it has asked nobody else and complained about nothing."""

    def __init__(self, browser, url, allowed=(), script="", **context):
        self.context = browser.new_context(**({"viewport": DESK} | context))
        self.context.add_init_script(script)
        self.page = self.context.new_page()
        self.said, self.requests, self.allowed, self.waiting = [], [], allowed, set()
        self.context.on("request", self.hear)
        for end in ("requestfinished", "requestfailed"):
            self.context.on(end, lambda request: self.waiting.discard(request))
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.host = urlsplit(url).netloc
        self.page.goto(url)

    def __enter__(self):
        self.root.and_(self.page.locator("[data-rows]")).wait_for(timeout=1000 * PATIENCE)
        until(lambda: self.part("device").locator("option").count() > 1, "the devices")
        return self

    def __exit__(self, kind, *failure):
        self.context.close()
        if kind is None:
            self.assert_clean()

    def hear(self, request):
        self.requests.append(request.url)
        if not re.search(r"/(measure|progress)\?", request.url):  # which may take long, and hold up nothing
            self.waiting.add(request)

    def assert_clean(self):
        """Assert that nothing was asked from elsewhere, and the console is empty."""
        assert {urlsplit(url).netloc for url in self.requests if not url.startswith("data:")} == {self.host}
        assert [text for text in self.said if not any(word in text for word in self.allowed)] == []

    @property
    def root(self):
        return self.page.locator(".nearfar-explorer")

    def part(self, name):
        """Return an element by its data-id."""
        return self.page.locator(f'[data-id="{name}"]')

    def text(self, name):
        return self.part(name).inner_text()

    def facts(self, name):
        """Return one of the counters that the page keeps."""
        return int(self.root.get_attribute(f"data-{name}") or 0)

    @contextmanager
    def more(self, name="rows"):
        """Wait, after what is done inside, until one more row, path or hover has been shown."""
        before = self.facts(name)
        yield
        until(lambda: self.facts(name) > before, f"one more of {name}")
        self.settle()

    def settle(self):
        """Wait until what was drawn is on the screen, and the page asks no more."""
        self.page.evaluate(DRAWN)
        until(lambda: self.page.evaluate(DRAWN) and not self.waiting, "all answers")

    def at(self, x, y):
        """Return a place of the map, given in shares of its width and height, on the screen."""
        box = self.part("canvas").bounding_box()
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    def click(self, x, y, name="rows"):
        """Click on the map."""
        with self.more(name):
            self.page.mouse.click(*self.at(x, y))

    def pin(self, which):
        """Return where a pin points to, on the screen."""
        self.settle()
        box = self.part(which).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"]

    def drag(self, which, x, y):
        """Drag a pin to a place of the map."""
        begin, end = self.pin(which), self.at(x, y)
        self.page.mouse.move(begin[0], begin[1] - 18)
        self.page.mouse.down()
        with self.more("rows" if which == "source" else "paths"):
            self.page.mouse.move(*end, steps=4)
        self.page.mouse.up()
        self.settle()

    def pixels(self, name="canvas"):
        """Return rows x columns x (red, green, blue) of an element, as they are on the screen."""
        from matplotlib.image import imread

        self.settle()
        seen = [b"", self.part(name).screenshot()]
        until(lambda: seen.append(self.part(name).screenshot()) or seen[-1] == seen[-2], "a picture that stays")
        image = imread(io.BytesIO(seen[-1]))
        return (image[..., :3] * 255).round().astype(int)

    def draws(self, picture):
        """Wait until the map looks like a picture; the screen may be a frame behind.

        One pixel in 10,000 may differ: the browser smooths the edge of a pin anew when it was moved and came back.
        """
        until(lambda: (self.pixels() != picture).any(axis=2).mean() < 1e-4, "the same picture")

    def redraws(self, picture, share=0.0):
        """Wait until the map looks unlike a picture, in some share of its pixels."""
        until(lambda: (self.pixels() != picture).any(axis=2).mean() > share, "another picture")

    def sees(self, colour, name="canvas", within=10):
        """Count the pixels of a colour, given like #0d0887."""
        wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        return int((np.abs(self.pixels(name) - wanted) <= within).all(axis=2).sum())
