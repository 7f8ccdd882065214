"""Threads of a query on GPUs: they settle no rows, but trees and second solves run on as many as were asked for."""

from __future__ import annotations

import numpy as np
import pytest

import nearfar
from helpers.reach import ALL, DEVICE
from nearfar.devices import opencl
from nearfar.engine import solve as engine_solve
from nearfar.results import trees

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)


@pytest.fixture
def graph():
    return nearfar.generate.road_grid(12, 12, seed=3)


@pytest.fixture
def floats():
    """A graph with weights whose sums round."""
    whole = nearfar.generate.road_grid(12, 12, seed=3)
    tails = np.repeat(np.arange(whole.n), np.diff(whole.offsets))
    return nearfar.Graph.from_arcs(tails, whole.heads, whole.weights / 7)


@pytest.mark.parametrize("method", ALL)
def test_trees(method, graph, monkeypatch):
    """Of 48 rows, which are three blocks, three are worked on at a time."""
    asked, run = [], trees.cpu.run

    def counted(work, threads, *rest, **options):
        asked.append(threads)
        return run(work, threads, *rest, **options)

    result = nearfar.mssp(graph, range(48), method=method, device=DEVICE, threads=3)
    assert result.plan.threads == 3
    monkeypatch.setattr(trees, "SMALL_WORK", 0)  # else so few rows are settled on the thread of the caller
    monkeypatch.setattr(trees.cpu, "run", counted)
    wanted = nearfar.mssp(graph, range(48), device="cpu").predecessors
    asked.clear()
    assert result.predecessors.tobytes() == wanted.tobytes()
    assert asked == [3]


def test_second_solves(floats, monkeypatch):
    """A result with sums in another order is solved again for its trees."""
    asked, check = [], engine_solve.check

    def seen(*arguments, **options):
        asked.append((options["device"], options["threads"]))
        return check(*arguments, **options)

    result = nearfar.mssp(floats, range(10), method="floyd", device=DEVICE, threads=3)
    assert result.rounded and result.plan.threads == 3
    monkeypatch.setattr(engine_solve, "check", seen)
    assert result.predecessors.shape == (10, floats.n)
    assert asked and set(asked) == {("cpu", 3)}


@pytest.mark.parametrize("sources", ([0], range(10)), ids=("one", "some"))
def test_figures(sources, graph):
    """No row was settled by a thread: neither the figures nor the description name any."""
    result = nearfar.mssp(graph, sources, method="delta", device=DEVICE, threads=3)
    assert result.plan.threads == 3
    assert "threads" not in result.stats and "threads" not in result.describe()
    on_cpu = nearfar.mssp(graph, sources, device="cpu", threads=1)
    assert on_cpu.stats["threads"] == 1 and on_cpu.describe()["threads"] == 1
