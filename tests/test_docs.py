"""Every example in README.md and docs/ runs and prints what it says; every link between the pages leads somewhere."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OUTSIDE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
PAGES = [*(ROOT / name for name in OUTSIDE), *sorted((ROOT / "docs").glob("*.md"))]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write files
    found = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS, encoding="utf8")
    assert found.failed == 0, f"{page_name(page)}: {found.failed} of {found.attempted} examples fail; see above"


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "docs/graphs.md",
        "docs/names.md",
        "docs/queries.md",
        "docs/recipes.md",
        "docs/methods.md",
        "docs/errors.md",
        "docs/prepared.md",
        "docs/places.md",
        "docs/start.md",
        "docs/exact.md",
    ],
)
def test_page_has_examples(name):
    text = (ROOT / name).read_text(encoding="utf8")
    assert doctest.DocTestParser().get_examples(text), f"{name} should show runnable examples"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links(page):
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf8")):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), f"{page_name(page)} links to {target}, which does not exist"
