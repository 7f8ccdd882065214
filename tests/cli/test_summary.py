"""What an answer amounts to, against the plain way to find it; the bar that waits before it shows itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.commands import use_terminal
from nearfar.cli import work
from nearfar.cli.screen import short_path
from nearfar.cli.summary import Row, describe_row, farthest_of, nearest_of
from nearfar.results.limits import unreached

TYPES = ["int32", "int64", "float32", "float64"]


@given(st.lists(st.one_of(st.none(), st.integers(-5, 20)), min_size=1, max_size=40), st.sampled_from(TYPES), st.data())
def test_rows(values, dtype, data):
    mark = unreached(np.dtype(dtype))
    row = np.array([mark if value is None else value for value in values], dtype)
    start = data.draw(st.integers(0, len(row) - 1))
    reached = [(value, v) for v, value in enumerate(values) if value is not None]
    found = describe_row(row, start)
    assert (found.source, found.reached) == (start, len(reached))
    far = max(reached, key=lambda pair: (pair[0], -pair[1]), default=None)
    assert found.farthest == (None if far is None else (far[1], far[0]))
    count = data.draw(st.integers(1, 12))
    near = sorted(pair for pair in reached if pair[1] != start)[:count]
    assert nearest_of(row, np.array([start]), count) == [(v, value) for value, v in near]


def test_farthest():
    assert farthest_of([]) is None
    assert farthest_of([Row(0, 0, None), Row(1, 1, (4, 2)), Row(2, 1, (0, 2)), Row(3, 0, None)]) == Row(1, 1, (4, 2))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9, 30, 500])
@pytest.mark.parametrize("width", [20, 40, 80])
def test_short_ways(n, width):
    text = short_path([100 + v for v in range(n)], width)
    assert text.startswith("100") and f"{99 + n}, {n - 1} arc" in text
    assert len(text) <= max(width, len("100 -> ... -> 599, 499 arcs"))


def test_bar(monkeypatch):
    terminal = use_terminal(monkeypatch)

    def query(progress):
        for done in range(5):
            progress(done, 5)
        return progress

    work.solve(query, quiet=False)
    assert terminal.getvalue() == ""  # it was over too soon
    monkeypatch.setattr(work, "PATIENCE", 0)
    work.solve(query, quiet=False)
    assert "4/5" in terminal.getvalue() or "0/5" in terminal.getvalue()
    assert work.solve(query_without_bar, quiet=True) is False


def test_text_beside_a_bar(monkeypatch, capsys):
    """It goes to standard output, not to the terminal of the bar, and the bar comes back."""
    terminal = use_terminal(monkeypatch)
    with work.Bar("rows", transient=True) as bar:
        bar(1, 5)
        with bar.aside():
            print("the first table")
        bar(2, 5)
    assert capsys.readouterr().out == "the first table\n" and "the first table" not in terminal.getvalue()
    assert "2/5" in terminal.getvalue()


def query_without_bar(progress):
    return progress
