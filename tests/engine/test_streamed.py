"""Rows on arcs that come in batches: the oracle's distances, whatever the blocks, from memory and from disk."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.asking import QUERIES, ask, assert_negative_cycle, assert_same, build, expected, limited, numbers_of
from helpers.data import load
from helpers.tiny_blocks import tiny_blocks, tiny_blocks_on_disk
from nearfar import Graph
from nearfar.errors import MemoryLimitError, NegativeCycleError

ANY = strategies.queries() | strategies.queries(strategies.negative_cases())


@contextmanager
def on_disk(graph, **options):
    """Write a graph in tiny blocks, and open it; nobody may ask for all of its arcs."""
    with tempfile.TemporaryDirectory() as folder, tiny_blocks_on_disk():
        path = Path(folder) / "g.nearfar"
        nearfar.write(graph, path, **options)
        yield Graph.open(path)


@given(asked=ANY, query=st.sampled_from(QUERIES), shift=st.integers(0, 3), threads=st.integers(1, 2))
def test_blocks_in_memory(asked, query, shift, threads):
    case, sources = asked
    graph = build(case)
    with tiny_blocks(shift):
        result = ask(query, graph, sources, method="streamed", threads=threads)
    assert_same(result, expected(query, case, sources))


@settings(max_examples=60)
@given(asked=ANY, query=st.sampled_from(QUERIES), threads=st.integers(1, 2))
def test_blocks_on_disk(asked, query, threads):
    case, sources = asked
    with on_disk(build(case)) as graph:
        result = ask(query, graph, sources, method="streamed", threads=threads, device="cpu")
        assert_same(result, expected(query, case, sources))


@settings(max_examples=40)
@given(asked=strategies.queries(strategies.cycle_cases()))
def test_negative_cycles_on_disk(asked):
    case, sources = asked
    rows = expected("one", case, sources)
    with on_disk(build(case)) as graph:
        if rows is not None:
            assert_same(nearfar.sssp(graph, sources[0], method="streamed"), rows)
            return
        with pytest.raises(NegativeCycleError) as caught:
            nearfar.sssp(graph, sources[0], method="streamed")
    assert_negative_cycle(case, caught.value.cycle)


@settings(max_examples=60)
@given(asked=strategies.queries(), cutoff=st.none() | st.integers(0, 40), data=st.data())
def test_cutoff_and_targets(asked, cutoff, data):
    case, sources = asked
    targets = data.draw(st.none() | st.lists(st.integers(0, case.n - 1), min_size=1, max_size=3))
    with tiny_blocks():
        result = ask("one", build(case), sources, method="streamed", cutoff=cutoff, targets=targets)
    wanted = limited(case.distances([sources[0]]), cutoff, targets)
    assert numbers_of(result.rows) == [wanted]


def test_auto_streams_what_does_not_fit_and_says_so(tmp_path):
    grid = nearfar.generate.road_grid(60, 60, seed=3)
    nearfar.write(grid, tmp_path / "g.nearfar")
    graph = Graph.open(tmp_path / "g.nearfar")
    least = nearfar.plan(graph, 0, method="streamed", memory=1).bytes
    work = nearfar.plan(grid, 0, method="dijkstra").bytes
    small = max(least * 1.04, work)  # not enough for all arcs beside the work space
    plan = nearfar.plan(graph, 0, memory=small)
    assert plan.method == "streamed" and plan.why.startswith("the arcs take")
    assert plan.streaming.blocks == -(-grid.arcs.nbytes // 2**16)
    result = nearfar.sssp(graph, 0, memory=small)
    assert "arcs" not in vars(graph)
    assert result.dist.tobytes() == nearfar.sssp(grid, 0).dist.tobytes()
    assert result.stats["blocks_read"] >= plan.streaming.blocks
    plenty = nearfar.plan(graph, 0, memory="1 GB")
    assert plenty.method == nearfar.plan(grid, 0).method and plenty.arc_memory == grid.arcs.nbytes
    with pytest.raises(MemoryLimitError, match="method='streamed'"):
        nearfar.sssp(graph, 0, method="dijkstra", memory=small)
    with pytest.raises(MemoryLimitError, match="Allow more memory"):
        nearfar.sssp(graph, 0, memory=least // 2)


@pytest.mark.parametrize("name", ["rome99.gr", "sc-world_highways.npz", "andorra-energy.npz"])
def test_real_graphs(name, tmp_path):
    _, graph = load(name)
    nearfar.write(graph, tmp_path / "g.nearfar")
    stored = Graph.open(tmp_path / "g.nearfar")
    for source in (0, graph.n // 2):
        wanted = nearfar.sssp(graph, source)
        found = nearfar.sssp(stored, source, method="streamed", memory=graph.n * 24 + graph.arcs.nbytes // 4 + 2**20)
        assert found.dist.tobytes() == wanted.dist.tobytes()
    assert "arcs" not in vars(stored)


def test_rows_beyond_a_group_start_in_blocks_that_are_in_memory():
    graph = nearfar.generate.road_grid(30, 30, seed=1)
    with tiny_blocks(4, rows=2):
        result = nearfar.mssp(graph, range(0, 900, 90), method="streamed")
    assert result.rows.tobytes() == nearfar.mssp(graph, range(0, 900, 90), method="dijkstra").rows.tobytes()
    assert result.stats["passes"] < 10  # rows of a group share what is read


def test_vertices_with_more_arcs_than_a_block_holds():
    hub = np.arange(1, 200)
    graph = Graph.from_arcs(np.r_[0 * hub, hub], np.r_[hub, np.roll(hub, 1)], np.r_[hub * 7, hub % 5 + 1])
    with tiny_blocks(2):
        found = nearfar.apsp(graph, method="streamed")
    assert found.rows.tobytes() == nearfar.apsp(graph, method="dijkstra").rows.tobytes()
