"""Queries with device="cuda" from end to end, over a stand-in for CuPy, and how their answers are compared."""

from __future__ import annotations

import numpy as np

import nearfar
from nearfar.gpu import GPU_METHODS
from nearfar.methods import METHODS

METHODS_THERE = list(GPU_METHODS)
STREAMING = [name for name in METHODS_THERE if GPU_METHODS[name].streams]
TYPES = ("int32", "int64", "float32", "float64")
SOME = [0, 3, 17, 3]


def make_graph(dtype, negative=False, n=60, m=3000):
    """Return a random graph with a hub, whose weights need the whole width of their type."""
    rng = np.random.default_rng(m)
    tails, heads = rng.integers(0, n, m), rng.integers(0, n, m)
    tails[: m // 8] = 7
    weights, height = rng.integers(0, 1000, m), rng.integers(0, 300, n)
    if negative:
        weights += height[heads] - height[tails]
    if dtype == "int64":
        weights = weights * (1 << 33)
    elif dtype[0] == "f":
        weights = weights / (8 if negative else 7)  # eighths are exact: rounding must not close a negative cycle
    return nearfar.Graph.from_arcs(tails, heads, weights.astype(dtype), n=n)


def asked(graph, **options):
    """Return the answers to one source, some and all pairs."""
    return [nearfar.sssp(graph, 5, **options), nearfar.mssp(graph, SOME, **options), nearfar.apsp(graph, **options)]


def on_cpu(method):
    """Return the options of a query on the CPU that gives the same floats."""
    return {"device": "cpu", "method": method if METHODS[method].rounds else "auto"}


def same(mine, theirs):
    """Compare to the bit; floats of `floyd` up to rounding, since its tiles differ from device to device."""
    if mine.stats["method"] == "floyd" and mine.rows.dtype.kind == "f":
        close = 64 * np.finfo(mine.rows.dtype).eps
        return mine.rows.dtype == theirs.rows.dtype and np.allclose(mine.rows, theirs.rows, rtol=close, atol=0)
    return mine.rows.dtype == theirs.rows.dtype and mine.rows.tobytes() == theirs.rows.tobytes()


def check_same(graph, found, batches=1):
    """Compare with the CPU, and look at what the results say of themselves."""
    for mine, theirs in zip(found, asked(graph, **on_cpu(found[0].stats["method"])), strict=True):
        assert mine.stats["device"] == "cuda:0" and mine.stats["launches"] > 0
        assert same(mine, theirs)
        assert (mine.stats["batches"] > 1) == (batches > 1)
    assert nearfar.verify(graph, found[1])


def memory_for_batches(graph, method, batches=3):
    """Return bytes with which the arcs come in so many batches, for one source and for several."""
    memory = nearfar.plan(graph, 5, device="cuda", method=method).bytes
    while nearfar.plan(graph, SOME, device="cuda", method=method, memory=memory).arc_batches < batches:
        memory = int(0.95 * memory)
    return memory
