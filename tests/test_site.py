"""The site: its guides run, its reference has every public name, and its link check sees what is broken."""

from __future__ import annotations

import importlib
import re
import runpy
import sys
import tempfile
from pathlib import Path

import pytest

import nearfar
from helpers.marks import needs_jit
from nearfar.cli.group import COMMANDS

DOCS = Path(__file__).parent.parent / "docs"
GUIDES = sorted((DOCS / "gallery").glob("*.py"))
MODULES = ["nearfar", *(f"nearfar.{name}" for name in ("metrics", "geo", "draw", "csgraph", "adapters.sparry"))]
# Modules have pages of their own, and tables and constants are told of on others.
ELSEWHERE = {"errors", "generate", "formats", "metrics", "draw", "geo", "csgraph", "NearfarError", "PICTURES", "INF"}


@pytest.fixture
def making(monkeypatch):
    """How the site is made: modules beside the pages."""
    monkeypatch.syspath_prepend(str(DOCS))
    yield lambda name: importlib.import_module(f"making.{name}")
    for name in [name for name in sys.modules if name.partition(".")[0] == "making"]:
        del sys.modules[name]


@needs_jit
@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_guide_runs(guide, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = runpy.run_path(str(guide))
    assert isinstance(made["nearfar"], type(nearfar))
    assert not list(tmp_path.iterdir()), "a guide removes the files that it wrote"


def test_every_guide_has_its_place(making):
    assert sorted(making("pictures").ORDER) == [guide.stem for guide in GUIDES]


@pytest.mark.parametrize("module", MODULES)
def test_reference_has_every_name(module):
    page = "adapters" if module.startswith("nearfar.adapters") else module.rpartition(".")[2]
    prefix = "sparry." if page == "adapters" else ""
    listed = (DOCS / "reference" / f"{page}.rst").read_text(encoding="utf8").split()
    room = importlib.import_module(module)
    names = {name for name in room.__all__ if not name.startswith("_")} - ELSEWHERE
    if module == "nearfar.csgraph":  # the rest is SciPy's
        names = {name for name in names if getattr(room, name).__module__.startswith("nearfar")}
    assert {prefix + name for name in names} <= set(listed)


def test_reference_has_every_error():
    listed = (DOCS / "reference" / "errors.rst").read_text(encoding="utf8").split()
    found = {name for name, value in vars(nearfar.errors).items() if _is_error(value)}
    assert len(found) > 10
    assert found <= set(listed)


def test_every_command_is_in_the_table_of_commands():
    page = (DOCS / "cli.md").read_text(encoding="utf8")
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    assert set(COMMANDS) <= set(re.findall(r"`(\w+)", "".join(line.split("|")[1] for line in lines)))


def _is_error(value):
    return isinstance(value, type) and issubclass(value, nearfar.NearfarError)


def test_pages_are_plain_markdown_with_links_into_the_site(making):
    source = ["See [this](gallery/commute.py) and [that](../CHANGELOG.md).\n\n```python\n>>> 1\n1\n\n```\n"]
    making("pages").prepare(None, "any", source)
    assert source == ["See [this](guides/commute.rst) and [that](changes.md).\n\n```python\n>>> 1\n1\n```\n"]


def test_contents_are_added(making):
    source = ["# Start\n"]
    making("pages").prepare(None, "start", source)
    assert "toctree" in source[0] and "recipes" in source[0]


def test_links(making, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "other.html").write_text('<h1 id="head">Other</h1><a href="../index.html#top">up</a>')
    (tmp_path / "index.html").write_text(
        '<a href="sub/other.html#head">fine</a><a href="https://example.org/">elsewhere</a><img src="data:,">'
    )
    assert making("links").check(tmp_path) == ([], ["https://example.org/"])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('<a href="gone.html">x</a>', "index.html: gone.html leads to no file"),
        ('<img src="gone.png">', "index.html: gone.png leads to no file"),
        ('<a href="#nowhere">x</a>', "index.html: #nowhere leads to no anchor"),
        ('<a href="index.html#no">x</a>', "index.html: index.html#no leads to no anchor"),
        ('<script src="https://example.org/a.js"></script>', "index.html loads https://example.org/a.js"),
        ('<link rel="stylesheet" href="//example.org/a.css">', "index.html loads //example.org/a.css"),
    ],
)
def test_broken_links(making, tmp_path, text, fault):
    (tmp_path / "index.html").write_text(text)
    assert making("links").check(tmp_path) == ([fault], [])
