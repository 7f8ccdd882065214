"""The command explore: wrong input is explained before anything is served. Its server: tests/explorer."""

from __future__ import annotations

import pytest

import nearfar
from nearfar import generate
from nearfar.explorer import Explorer


@pytest.fixture
def grid(tmp_path):
    """Return the name of a file with a graph that has coordinates."""
    nearfar.write(generate.road_grid(8, 8, seed=1), tmp_path / "grid.npz")
    return "grid.npz"


@pytest.fixture
def impatient(monkeypatch):
    """Let Ctrl-C come in at once."""

    def interrupt(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Explorer, "wait", interrupt)


def test_it_prints_the_address_and_ends_with_ctrl_c(run, grid, impatient, monkeypatch):
    monkeypatch.setattr("nearfar.explorer.page_of.can_open", lambda: False)
    answer = run("explore", grid, "--source", "3")
    assert answer.code == 0 and answer.out.startswith("http://127.0.0.1:")
    assert "serving grid.npz, 64 vertices" in answer.err and "no window can be opened" in answer.err
    assert answer.err.endswith("nearfar: ended\n")
    assert run("explore", grid, "--no-browser", "-q").err == ""


def test_without_a_file_it_is_a_city(run, impatient):
    answer = run("explore", "--no-browser", "--source", "Main Street / 3rd Avenue")
    assert answer.code == 0 and "serving a generated city, 2,400 vertices" in answer.err
    run("explore", "--format", "dimacs").error("--format dimacs", "no FILE is named")


def test_the_page_is_opened_in_a_browser(run, grid, impatient, monkeypatch):
    opened = []
    monkeypatch.setattr("nearfar.explorer.page_of.can_open", lambda: True)
    monkeypatch.setattr("nearfar.explorer.page_of.open_page", opened.append)
    answer = run("explore", grid)
    assert opened == [answer.out.strip()]


def test_wrong_words(run, grid, tmp_path):
    run("explore", "none.npz").error("none.npz")
    run("explore", grid, "--source", "99").error("source 99 is not a vertex")
    run("explore", "none.npz", "--port", "70000").error("--port 70000", "1 to 65535")
    (tmp_path / "trips.csv").write_text("a,b\n1,2\n")
    run("explore", grid, "--demand", "trips.csv").error("origin, destination and demand are needed")
