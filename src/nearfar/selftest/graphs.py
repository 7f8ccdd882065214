"""The graphs of the self-test. They are generated, and each has a feature that kernels treat specially."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..graph import Graph, generate

Arrays = tuple[int, np.ndarray, np.ndarray, np.ndarray]  # n, tails, heads, weights

SIZES = {"quick": 9, "usual": 24, "full": 24}  # crossings along a side; the other graphs have about as many vertices
TYPES = {
    "quick": ("int32", "float64"),
    "usual": ("int32", "int64", "float32", "float64"),
    "full": ("int32", "int64", "float32", "float64"),
}
BIG_TYPES = ("int32", "float64")
BIG_SIDE, BIG_SCALE = 512, 16
WIDE = 1 << 33  # factor for whole weights, so that their sums need 64 bits
PARALLEL = 6  # arcs from each vertex of a chain
NO_WEIGHTS = "none"


@dataclass(frozen=True)
class Sample:
    """A graph of the self-test, with weights of one type."""

    name: str
    dtype: str  # of the weights, or NO_WEIGHTS
    graph: Graph
    cyclic: bool = False  # whether a negative cycle can be reached from every vertex
    big: bool = False  # too large for all pairs


def samples(level: str) -> Iterator[Sample]:
    """Yield the graphs of a level, with every suitable type of weights."""
    small = _families(SIZES[level])
    for name, arrays in small.items():
        for dtype in TYPES[level]:
            yield Sample(name, dtype, _typed(arrays, dtype), cyclic=name == "negative cycle")
    n, tails, heads, _ = small["R-MAT"]
    yield Sample("unweighted", NO_WEIGHTS, Graph.from_arcs(tails, heads, n=n))
    if level == "full":
        yield from _big()


def _big() -> Iterator[Sample]:
    """Yield the large graphs."""
    found = {
        f"grid {BIG_SIDE} x {BIG_SIDE}": generate.road_grid(BIG_SIDE, BIG_SIDE, seed=1),
        f"R-MAT {BIG_SCALE}": generate.rmat(BIG_SCALE, seed=1),
    }
    for name, graph in found.items():
        for dtype in BIG_TYPES:
            yield Sample(name, dtype, _typed(_arrays(graph), dtype), big=True)


def _families(side: int) -> dict[str, Arrays]:
    """Return the small graphs, with whole weights."""
    rng = np.random.default_rng(side)
    grid, rmat = _arrays(generate.road_grid(side, side, seed=2)), _arrays(generate.rmat(side // 8 + 5, 24, seed=3))
    n, tails, heads, weights = rmat
    height = rng.integers(0, 100, n)
    leaning = weights // 8 + height[heads] - height[tails]  # around a cycle, the heights add up to 0
    none = np.zeros(0, int)
    return {
        "road grid": grid,
        "R-MAT": rmat,
        "chain": _chain(10 * side),
        "star": _star(20 * side),
        "zero weights": (n, tails, heads, np.where(rng.random(len(weights)) < 0.5, 0, weights)),
        "negative weights": (n, tails, heads, leaning),
        "negative cycle": _add_cycle(grid),
        "one vertex": (1, np.zeros(1, int), np.zeros(1, int), np.ones(1, int)),
        "no arcs": (3, none, none, none),
    }


def _arrays(graph: Graph) -> Arrays:
    """Return n, tails, heads and weights of a graph."""
    assert graph.weights is not None
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    return graph.n, tails, np.array(graph.heads, np.int64), np.array(graph.weights, np.int64)


def _chain(n: int) -> Arrays:
    """Return a path of n vertices with parallel arcs: it needs the most rounds, and has enough arcs for batches."""
    steps = np.repeat(np.arange(n - 1), PARALLEL)
    return n, steps, steps + 1, 1 + np.arange(len(steps)) % 7


def _star(n: int) -> Arrays:
    """Return a hub with arcs to all vertices of a rim, where the path along the rim is often shorter."""
    rim = np.arange(1, n)
    tails, heads = np.concatenate((0 * rim, rim, rim)), np.concatenate((rim, np.roll(rim, -1), 0 * rim))
    return n, tails, heads, np.concatenate((5 * rim, 1 + rim % 3, 1 + rim % 11))


def _add_cycle(arrays: Arrays) -> Arrays:
    """Add a negative cycle of three arcs in the last corner of a connected graph."""
    n, tails, heads, weights = arrays
    cycle = np.array([n - 1, n - 2, n - 3])
    more = np.array([2, 3, -6])
    return n, np.append(tails, cycle), np.append(heads, np.roll(cycle, -1)), np.append(weights, more)


def _typed(arrays: Arrays, dtype: str) -> Graph:
    """Return the graph with weights of a type: large integers, and fractions whose sums are rounded.

    If some weights are negative the fractions are exact: rounding could create negative cycles.
    """
    n, tails, heads, weights = arrays
    if dtype == "int64":
        weights = weights * WIDE
    elif dtype in ("float32", "float64"):
        weights = weights / (8 if weights.min(initial=0) < 0 else 7)
    return Graph.from_arcs(tails, heads, weights.astype(dtype), n=n)
