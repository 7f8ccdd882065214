"""The page in JupyterLab, with a kernel of its own: it asks the kernel, and opens no port."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from helpers.browsing import DRAWN, PATIENCE, Tab, until

pytest.importorskip("jupyterlab", reason="JupyterLab is not installed: `make browser-test` installs it")
TOKEN = "only-for-this-test"
CELLS = (
    "import nearfar\npage = nearfar.explore(nearfar.generate.city(12, 15, seed=3), name='city')\npage",
    "'url' in vars(page), repr(page)",
    "page.close()",
)
SILENT = ("--ServerApp.open_browser=False", "--LabApp.news_url=None", "--LabApp.collaborative=False",
          "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--ServerApp.allow_root=True")  # fmt: skip


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Start JupyterLab in an empty home, with a notebook; return its address."""
    home = tmp_path_factory.mktemp("lab")
    cells = [
        {"cell_type": "code", "id": f"c{i}", "metadata": {}, "execution_count": None, "outputs": [], "source": text}
        for i, text in enumerate(CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (home / "work").mkdir()
    (home / "work" / "city.ipynb").write_text(json.dumps(notebook))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    environment = dict(os.environ) | {name: str(home / name) for name in places}
    own = (f"--ServerApp.port={port}", f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={home / 'work'}")
    command = [sys.executable, "-m", "jupyterlab", *SILENT, *own]
    with open(home / "log", "wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=home)
    try:
        until(lambda: answers(port) or server.poll() is not None, "JupyterLab")
        assert server.poll() is None, (home / "log").read_text()
        yield f"http://127.0.0.1:{port}/lab/tree/city.ipynb?token={TOKEN}&reset"
    finally:
        server.terminate()
        server.wait(60)


def answers(port):
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{port}/api?token={TOKEN}", timeout=5).status == 200
    except OSError:
        time.sleep(0.2)
        return False


class Notebook(Tab):
    """A notebook with the page in a cell."""

    def __enter__(self):
        self.page.locator(".jp-Notebook .jp-CodeCell").nth(len(CELLS) - 1).wait_for(timeout=1000 * PATIENCE)
        idle = self.page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]')
        idle.wait_for(timeout=1000 * PATIENCE)
        self.run(0)
        self.page.locator(".nearfar-explorer[data-rows]").wait_for(timeout=1000 * PATIENCE)
        until(lambda: self.part("device").locator("option").count() > 1, "the devices")
        return self

    def run(self, cell):
        """Run a cell; JupyterLab drops the key as long as it has not met the kernel."""
        prompt = self.page.locator(".jp-Notebook .jp-CodeCell .jp-InputArea-prompt").nth(cell)
        while prompt.inner_text().strip() == "[ ]:":
            self.page.locator(".jp-Notebook .jp-CodeCell .cm-content").nth(cell).click()
            self.page.keyboard.press("Control+Enter")
            end = time.monotonic() + 5
            while prompt.inner_text().strip() == "[ ]:" and time.monotonic() < end:
                self.page.wait_for_timeout(50)

    def output(self, cell):
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(cell).locator(".jp-OutputArea-output").inner_text()

    def settle(self):
        """Wait until what was drawn is on the screen; questions travel over a web socket, which is never at rest."""
        self.page.evaluate(DRAWN)

    def assert_clean(self):
        """JupyterLab's own console is not ours; what it asks for must come from itself, and nothing may be thrown."""
        hosts = {re.sub(r"^\w+://([^/]+).*", r"\1", url) for url in self.requests if url.startswith(("http", "ws"))}
        assert hosts == {self.host}
        assert [text for text in self.said if "nearfar" in text or text.startswith("error: ")] == []


def test_a_notebook(browser, lab):
    with Notebook(browser, lab) as notebook:
        notebook.root.scroll_into_view_if_needed()
        cells = notebook.page.locator(".jp-Notebook .jp-CodeCell")
        count, name, before = cells.count(), notebook.text("from"), notebook.pixels()

        def ruler():
            return notebook.text("ruler"), notebook.part("ruler").bounding_box()["width"]

        wide, place = ruler(), notebook.at(0.3, 0.3)
        notebook.page.mouse.move(*place)
        notebook.page.mouse.wheel(0, -600)  # which is for the notebook, until the map has been clicked
        notebook.settle()
        assert ruler() == wide
        notebook.root.scroll_into_view_if_needed()
        notebook.click(0.3, 0.3)
        assert notebook.text("from") != name
        notebook.redraws(before, 0.005)
        notebook.page.mouse.wheel(0, -600)
        until(lambda: ruler() != wide, "the map to be zoomed")
        with notebook.more("paths"):
            notebook.page.keyboard.press("b")  # which JupyterLab would take for a new cell
        assert notebook.text("to") and cells.count() == count
        notebook.page.keyboard.press("Escape")
        until(notebook.part("target").is_hidden)
        notebook.part("measure").select_option("closeness")
        until(lambda: notebook.text("status").startswith("Closeness"), "the metric")
        notebook.part("search").fill("no street is called so")
        until(lambda: notebook.text("found") == "nothing found")
        notebook.part("search").press("Escape")
        notebook.run(1)
        until(lambda: notebook.output(1), "the second cell")
        assert notebook.output(1).strip() == "(False, 'Explorer(shown in the notebook)')"  # no server has begun
        notebook.run(2)
        until(lambda: notebook.root.count() == 0, "the page to go")
