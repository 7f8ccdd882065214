"""Rows on arcs that come in batches: the oracle's distances, whatever the blocks, from memory and from disk."""

from __future__ import annotations

import shutil
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
from nearfar.errors import FormatError, GraphError, MemoryLimitError, NegativeCycleError
from nearfar.kernels.cpu.streamed import count_pending
from nearfar.methods import blocks, streamed

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


@settings(max_examples=60)
@given(asked=ANY, query=st.sampled_from(QUERIES))
def test_blocks_by_the_number_of_pending_vertices(asked, query):
    """Which is the order for graphs whose neighbours lie side by side, while few blocks have pending vertices."""
    case, sources = asked
    with on_disk(build(case)) as graph, pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "ORDERED", -1)
        patch.setattr(streamed, "CROWD", 1)
        assert_same(ask(query, graph, sources, method="streamed", device="cpu"), expected(query, case, sources))


@settings(max_examples=60)
@given(asked=strategies.queries(), k=st.integers(1, 3), seed=st.integers(0, 2**32 - 1))
def test_pending_vertices_are_counted(asked, k, seed):
    graph = build(asked[0])
    with tiny_blocks(1):
        held = blocks.Blocks(graph, 0)
    rng, shift, offsets = np.random.default_rng(seed), held.shift, graph.offsets.tolist()
    pairs = [
        (v, b)
        for v in range(graph.n)
        if offsets[v] < offsets[v + 1]
        for b in range(offsets[v] >> shift, (offsets[v + 1] - 1 >> shift) + 1)
    ]
    pending, wanted = np.zeros((k, graph.n + held.count), np.uint8), np.zeros(held.count)
    for v, b in pairs:
        marks = rng.integers(0, 2, k)
        pending[:, v + b] = marks
        wanted[b] += marks.sum()
    found = np.empty(held.count)
    count_pending(held.first, np.arange(held.count), pending, found)
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("order", ["as on the map", "any"])
def test_what_several_sources_read(tmp_path, order):
    """Where neighbours lie side by side, blocks wait until many vertices are pending; else the nearest come first."""
    graph = nearfar.generate.road_grid(400, 400, seed=1)
    if order == "any":
        tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
        names = np.random.default_rng(1).permutation(graph.n)
        graph = Graph.from_arcs(names[tails], names[graph.arcs["head"]], graph.arcs["weight"], graph.n)
    nearfar.write(graph, tmp_path / "g.nearfar")
    stored = Graph.open(tmp_path / "g.nearfar")
    sources = np.linspace(0, graph.n - 1, 16).astype(int)
    seen, looked = [], blocks.Blocks.is_ordered.fget
    room = streamed.work_bytes(stored, 1, 1) + 4 * graph.n + stored.arc_file.nbytes // 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks.Blocks, "is_ordered", property(lambda held: seen.append(looked(held)) or seen[-1]))
        found = nearfar.nearest(stored, sources, method="streamed", memory=room, threads=1)
    assert not seen[0] and seen[2:] == [order == "as on the map"] * len(seen[2:]), "known when a block was read"
    assert (found.dist == nearfar.nearest(graph, sources).dist).all()
    if order == "as on the map":
        assert found.distances.stats["bytes_read"] <= 1.5 * stored.arc_file.nbytes, (
            "3.7 times, if the nearest come first"
        )


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


@settings(max_examples=60)
@given(asked=ANY, direction=st.sampled_from(["from", "to"]))
def test_trees_sources_and_proofs_by_passes(asked, direction):
    """What follows from the distances is the same as in memory, and nobody asks for all arcs."""
    case, sources = asked
    graph = build(case)
    with on_disk(graph, reversed=direction == "to") as stored:
        for query in ("mssp", "nearest"):
            wanted = getattr(nearfar, query)(graph, sources, direction=direction)
            found = getattr(nearfar, query)(stored, sources, direction=direction, method="streamed")
            assert np.array_equal(found.towards_sources, wanted.towards_sources)
            assert nearfar.verify(stored, found)
            if query == "nearest":
                assert np.array_equal(found.source, wanted.source)
            else:
                assert np.array_equal(found.fewest_arcs(), wanted.fewest_arcs())
        one = nearfar.sssp(stored, sources[0], direction=direction, method="streamed")
        other = nearfar.sssp(graph, sources[0], direction=direction)
        for v in np.flatnonzero(other.reached):
            assert one.path(v) == other.path(v)


@settings(max_examples=40)
@given(asked=strategies.queries(strategies.cases(min_n=2)), data=st.data())
def test_a_wrong_row_is_found_by_passes(asked, data):
    case, sources = asked
    with on_disk(build(case)) as stored:
        result = nearfar.sssp(stored, sources[0], method="streamed")
        v = data.draw(st.integers(0, case.n - 1))
        wrong = result.rows[0, v] + 1 if result.reached[v] else 1
        result.rows[0, v] = wrong
        assert not nearfar.verify(stored, result)


@settings(max_examples=40)
@given(asked=strategies.queries(), data=st.data())
def test_tables(asked, data):
    case, sources = asked
    targets = data.draw(st.lists(st.integers(0, case.n - 1), min_size=1, max_size=3))
    graph = build(case)
    with on_disk(graph, reversed=True) as stored:
        found = nearfar.table(stored, sources, targets, method="streamed")
        wanted = nearfar.table(graph, sources, targets, method="dijkstra")
        assert found.dist.tobytes() == wanted.dist.tobytes()
        for s, t in zip(sources, targets, strict=False):
            if wanted[s, t] < np.inf:
                assert found.path(s, t) == wanted.path(s, t)


def test_the_other_direction_needs_a_reversed_graph(tmp_path):
    rng = np.random.default_rng(5)
    directed = Graph.from_arcs(rng.integers(0, 500, 40_000), rng.integers(0, 500, 40_000), rng.integers(1, 9, 40_000))
    nearfar.write(directed, tmp_path / "g.nearfar")
    graph = Graph.open(tmp_path / "g.nearfar")
    with pytest.raises(MemoryLimitError, match="reversed=True"):
        nearfar.sssp(graph, 0, direction="to", memory=300_000)
    # A table of one target is searched from the sources then, which is the other way round if the graph is at hand.
    found = nearfar.table(graph, range(5), [7], memory=300_000)
    assert found.dist.tobytes() == nearfar.table(directed, range(5), [7]).dist.tobytes()
    nearfar.write(directed, tmp_path / "g.nearfar", reversed=True)
    graph = Graph.open(tmp_path / "g.nearfar")
    found = nearfar.sssp(graph, 0, direction="to", memory=300_000)
    assert found.stats["method"] == "streamed"
    assert found.dist.tobytes() == nearfar.sssp(directed, 0, direction="to").dist.tobytes()
    assert "arcs" not in vars(graph) and "arcs" not in vars(graph.reversed)


@pytest.fixture
def roads(tmp_path):
    """Return a grid on disk, and what it is."""
    grid = nearfar.generate.road_grid(200, 200, seed=3)
    nearfar.write(grid, tmp_path / "g.nearfar")
    return tmp_path / "g.nearfar", grid


SMALL = {"method": "streamed", "memory": 900_000}


@pytest.mark.parametrize("at", [0.2, 0.5, 0.999])
def test_a_damaged_block_is_found(roads, at):
    path, grid = roads
    graph = Graph.open(path)
    wanted = nearfar.sssp(graph, 0, **SMALL).dist
    file = path / "arcs.npy"
    data = bytearray(file.read_bytes())
    data[128 + int(at * grid.arcs.nbytes)] ^= 4
    file.write_bytes(data)
    for opened in (graph, Graph.open(path)):  # opened before the damage was done, and after it
        with pytest.raises(FormatError, match="damaged"):
            nearfar.sssp(opened, 0, **SMALL)
    assert wanted.tobytes() == nearfar.sssp(grid, 0).dist.tobytes()


def test_a_file_that_is_cut_short_meanwhile(roads):
    path, _ = roads
    graph = Graph.open(path)
    with open(path / "arcs.npy", "r+b") as file:
        file.truncate(200_000)
    with pytest.raises(FormatError, match="damaged"):
        nearfar.sssp(graph, 0, **SMALL)


def test_a_folder_that_is_removed_meanwhile_is_read_on(roads):
    """The file is open: whoever removes or replaces the folder does not change the graph."""
    path, grid = roads
    graph = Graph.open(path)
    shutil.rmtree(path)
    assert nearfar.sssp(graph, 0, **SMALL).dist.tobytes() == nearfar.sssp(grid, 0).dist.tobytes()


def test_second_calls_and_notes(roads):
    path, grid = roads
    graph = Graph.open(path)
    first, second = (nearfar.sssp(graph, 5, **SMALL) for _ in range(2))
    assert first.dist.tobytes() == second.dist.tobytes() == nearfar.sssp(grid, 5).dist.tobytes()
    assert first.stats["bytes_read"] == second.stats["bytes_read"] >= grid.arcs.nbytes
    assert first.stats["blocks_held"] < first.stats["blocks"] == -(-grid.arcs.nbytes // 2**16)
    assert first.stats["batches"] <= first.stats["blocks_read"]
    assert first.stats["passes"] == pytest.approx(first.stats["blocks_read"] / first.stats["blocks"], abs=0.001)
    isolated = nearfar.sssp(graph, 5, cutoff=0, **SMALL)  # only what can matter is read
    assert isolated.stats["blocks_read"] <= 2


@settings(max_examples=60)
@given(asked=strategies.queries())
def test_rows_of_the_input_without_all_arcs(asked):
    """Rows along paths, and between two vertices, are those of the graph in memory; nobody asks for all arcs."""
    case, sources = asked
    graph = build(case)
    found = nearfar.sssp(graph, sources[0])
    with on_disk(graph) as stored:
        for v in np.flatnonzero(found.reached):
            path = found.path(v)
            assert (stored.rows_along(path) == graph.rows_along(path)).all()
            if len(path) > 1:
                assert (stored.find_rows(*path[-2:]) == graph.find_rows(*path[-2:])).all()
        assert "arcs" not in vars(stored)
    with on_disk(Graph.from_arcs([0], [1], [5])) as stored, pytest.raises(GraphError, match="no arc leads from 1"):
        stored.rows_along([0, 1, 0])


def test_weights_near_the_greatest_float32():
    """The limit rises by several weights at a time, which float32 does not hold; warnings are errors here."""
    graph = Graph.from_arcs([0, 1], [1, 2], np.array([3e38, 1e37], np.float32))
    assert nearfar.sssp(graph, 0, method="streamed").dist.tolist() == nearfar.sssp(graph, 0).dist.tolist()
