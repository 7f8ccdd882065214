"""The files of the page: a fixed table, so that no request can name any other file."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple


class File(NamedTuple):
    """The name of a file in the folder page/, and its media type."""

    name: str
    kind: str


_SCRIPT = "text/javascript; charset=utf-8"
MODULES = (
    "numbers",
    "colours",
    "server",
    "drawing",
    "view",
    "map",
    "chart",
    "search",
    "table",
    "metrics",
    "app",
    "widget",
)  # each imports those before
FILES = {
    "": File("index.html", "text/html; charset=utf-8"),
    "style.css": File("style.css", "text/css; charset=utf-8"),
    "start.js": File("start.js", _SCRIPT),
    "icon.svg": File("icon.svg", "image/svg+xml"),
    **{f"{name}.js": File(f"{name}.js", _SCRIPT) for name in MODULES},
}


@cache
def read_file(path: str) -> bytes:
    """Return the content of a file of the page."""
    return files(__package__).joinpath("page", FILES[path].name).read_bytes()
