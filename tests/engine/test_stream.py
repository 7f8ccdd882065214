"""Streams: blocks of rows in order, found ahead of the caller, ended whenever the caller ends."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import nearfar
from nearfar import Graph, generate


def names():
    """Return the threads of streams that are at work."""
    return [thread for thread in threading.enumerate() if thread.name == "nearfar stream"]


@pytest.mark.parametrize("method", ["auto", "dijkstra", "prepared", "floyd"])
@pytest.mark.parametrize("block", [1, 7, 400, None])
def test_blocks_are_the_rows(method, block):
    graph = generate.road_grid(12, 12, seed=1)
    wanted = nearfar.apsp(graph).dist
    blocks = list(nearfar.stream(graph, block=block, method=method))
    assert np.array_equal(np.concatenate([some.dist for some in blocks]), wanted)
    assert np.array_equal(np.concatenate([some.source_indices for some in blocks]), np.arange(graph.n))
    assert not names()


def test_a_graph_is_prepared_once_for_all_blocks(monkeypatch):
    from nearfar.engine import blocks

    made = []
    build = blocks.hierarchy_for
    monkeypatch.setattr(blocks, "hierarchy_for", lambda *given: made.append(given) or build(*given))
    graph = generate.road_grid(40, 40, seed=1)
    assert len(list(nearfar.stream(graph, block=100, method="prepared"))) == 16
    nearfar.metrics.accessibility(graph, np.ones(graph.n), decay="linear", scale=10, method="prepared")
    nearfar.metrics.flows(graph, [(s, 0, 1) for s in range(graph.n)], method="prepared")
    assert len(made) == 3


def test_blocks_may_be_kept_or_dropped():
    """Memory is used again only if nobody refers to it."""
    graph = generate.road_grid(20, 20, seed=2)
    wanted = nearfar.apsp(graph).dist
    kept = [some.dist for some in nearfar.stream(graph, block=16)]
    assert all(np.array_equal(rows, wanted[16 * i : 16 * i + 16]) for i, rows in enumerate(kept))
    places = {some.rows.__array_interface__["data"][0] for some in nearfar.stream(graph, block=16)}
    assert len(places) <= 4 < len(kept)


def test_prepared_direction_and_sources():
    graph = Graph.from_arcs(["Ulm", "Bonn"], ["Bonn", "Kiel"], [4, 9], names=True)
    blocks = list(nearfar.stream(nearfar.prepare(graph), ["Kiel", "Ulm"], block=1, direction="to"))
    assert [some.dist.tolist()[0] for some in blocks] == [[13, 9, 0], [0, 2**31 - 1, 2**31 - 1]]
    assert [some.sources for some in blocks] == [["Kiel"], ["Ulm"]]


def test_leaving_early_ends_the_thread():
    graph = generate.road_grid(60, 60, seed=3)
    for i, _ in enumerate(nearfar.stream(graph, block=32)):
        if i == 2:
            break
    assert not names()
    stream = nearfar.stream(graph, block=32)
    next(stream)
    with pytest.raises(ZeroDivisionError):
        for _ in stream:
            raise ZeroDivisionError
    del stream
    assert not names()


def test_an_error_reaches_the_caller():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 0], [-1, -1, -1])
    with pytest.raises(nearfar.errors.NegativeCycleError):
        list(nearfar.stream(graph, block=1, method="johnson"))
    assert not names()


def test_wider_type_from_some_block_on():
    """The last source is so far away that int32 does not hold its distances."""
    big = 2**30
    graph = Graph.from_arcs([0, 1, 2, 3], [1, 2, 3, 4], [1, 1, 1, 1], n=9)
    graph = Graph.from_arcs([0, 1, 4, 5, 6], [1, 2, 5, 6, 7], [1, 1, big, big, big])
    blocks = list(nearfar.stream(graph, block=1, method="dijkstra"))
    assert [some.rows.dtype.itemsize for some in blocks][:4] == [4, 4, 4, 4]
    assert blocks[4].rows.dtype == np.int64 and blocks[4][4, 7] == 3 * big
    assert np.array_equal([some.as_float()[0] for some in blocks], nearfar.apsp(graph).as_float())


def test_progress_counts_rows():
    seen = []
    graph = generate.road_grid(20, 20, seed=2)
    list(nearfar.stream(graph, block=100, progress=lambda done, total: seen.append((done, total))))
    assert seen[-1] == (400, 400) and [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_bad_arguments():
    graph = generate.road_grid(3, 3)
    for arguments, message in (
        ({"block": 0}, "block is 0"),
        ({"block": 1.5}, "whole number"),
        ({"out": np.empty((9, 9), np.int32)}, "no out="),
        ({"memory": 100}, "block"),
    ):
        with pytest.raises(nearfar.NearfarError, match=message):
            nearfar.stream(graph, **arguments)


def test_own_reduction():
    graph = generate.road_grid(12, 12, seed=1)
    found = nearfar.metrics.reduce(graph, lambda block: np.median(block.as_float(), axis=1), block=10, name="median")
    assert np.array_equal(found.values, np.median(nearfar.apsp(graph).dist, axis=1)) and found.name == "median"
    with pytest.raises(nearfar.errors.InputTypeError, match="one number per row"):
        nearfar.metrics.reduce(graph, lambda block: block.as_float().sum())
