"""Check the links of the finished site, without a network: ``python docs/making/links.py build/docs``.

Files and anchors of the site must exist, and no page may load anything from elsewhere: the site works offline. Links to
other sites are listed, not followed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

LOADED = {("img", "src"), ("script", "src"), ("iframe", "src"), ("source", "srcset"), ("link", "href")}


class Link(NamedTuple):
    """A link of a page: where it leads, and whether a browser loads it by itself."""

    target: str
    loaded: bool


class Page(HTMLParser):
    """What matters of a page: its links, and the anchors that links lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[Link] = []
        self.anchors: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the links and the anchor of an element."""
        for name, value in attrs:
            if name == "id" or (tag, name) == ("a", "name"):
                self.anchors.add(value or "")
            elif name in ("href", "src", "srcset") and value:
                self.links.append(Link(value, (tag, name) in LOADED))


def check(folder: Path) -> tuple[list[str], list[str]]:
    """Return what is wrong with the links of a site, and the addresses of other sites that it names."""
    folder = folder.resolve()
    paths = (path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts)
    pages = {path: Page(path.read_text(encoding="utf8")) for path in paths}
    wrong, others = [], set()
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link.target)
            if parts.scheme == "data":
                continue
            if not (parts.scheme or parts.netloc):
                wrong += [f"{path.relative_to(folder)}: {fault}" for fault in _faults(path, link.target, pages)]
            elif link.loaded:
                wrong.append(f"{path.relative_to(folder)} loads {link.target}")
            else:
                others.add(link.target)
    return wrong, sorted(others)


def _faults(path: Path, target: str, pages: dict[Path, Page]) -> Iterator[str]:
    """Say what is wrong with a link that stays inside of the site."""
    parts = urlsplit(target)
    led = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
    if not led.is_file():
        yield f"{target} leads to no file"
    elif led in pages and unquote(parts.fragment) not in pages[led].anchors:
        yield f"{target} leads to no anchor"


def main(folder: str) -> None:
    """Print other sites; end with an error if a link is broken."""
    wrong, others = check(Path(folder))
    print(f"links: {len(others)} lead to other sites, and were not followed:", *others, sep="\n  ")
    if wrong:
        sys.exit("\n".join(["broken links:", *wrong]))
    print("links: all others lead to a file of the site, and to an anchor that it has")


if __name__ == "__main__":
    main(*sys.argv[1:])
