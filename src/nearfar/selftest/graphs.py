"""The graphs of the self-test. They are generated, and each has a feature that kernels treat specially.

A graph is built when it is first used: the parent process only needs the names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np

from ..graph import Graph, generate

Arrays = tuple[int, np.ndarray, np.ndarray, np.ndarray]  # n, tails, heads, weights

SIZES = {"quick": 9, "usual": 24, "full": 24}  # crossings along a side; the other graphs have about as many vertices
TYPES = {
    "quick": ("int32", "float64"),
    "usual": ("int32", "int64", "float32", "float64"),
    "full": ("int32", "int64", "float32", "float64"),
}
BIG_TYPES: dict[str, tuple[str, ...]] = {"quick": (), "usual": ("int32",), "full": TYPES["full"]}
BIG_SIDE, BIG_SCALE = 512, 16
DENSE = 32  # edges per vertex of R-MAT, so that batches are large enough to be copied in part (FEW_WORTH)
HUB_ARCS = 1 << 20
WIDE = 1 << 33  # factor for whole weights, so that their sums need 64 bits
PARALLEL = 6  # arcs from each vertex of a chain
NO_WEIGHTS = "none"
ZERO, SUBNORMAL = "all zero", "subnormal"  # weights of float32 that a device may flush to zero, or has to
LEAST = np.finfo(np.float32).smallest_subnormal


@dataclass(frozen=True)
class Sample:
    """A graph of the self-test, with weights of one type."""

    name: str
    dtype: str  # of the weights, or NO_WEIGHTS
    build: Callable[[], Graph]
    negative: bool = False  # whether there are negative weights
    equal: bool = False  # whether all weights are equal, as `bfs` needs them
    cyclic: bool = False  # whether a negative cycle can be reached from every vertex
    big: bool = False  # large enough for the wide kernels, too large for all pairs
    prepares: bool = True  # whether preparing it takes seconds rather than minutes

    @cached_property
    def graph(self) -> Graph:
        """The graph, built at the first use."""
        return self.build()


def samples(level: str) -> Iterator[Sample]:
    """Yield the graphs of a level, with every suitable type of weights."""
    side = SIZES[level]
    for name in _families(side):
        for dtype in TYPES[level]:
            build = partial(_small, side, name, dtype)
            negative, equal = name.startswith("negative"), name in ("one vertex", "no arcs")
            yield Sample(name, dtype, build, negative, equal, cyclic=name == "negative cycle")
    yield Sample("unweighted", NO_WEIGHTS, partial(_small, side, "R-MAT", NO_WEIGHTS), equal=True)
    for name in (ZERO, SUBNORMAL):
        build = partial(_tiny, partial(_small, side, "R-MAT", "int32"), name)
        yield Sample(name, "float32", build, equal=name == ZERO)
    yield from _big(level)


def _small(side: int, name: str, dtype: str) -> Graph:
    """Return a small graph with weights of a type."""
    n, tails, heads, _ = arrays = _families(side)[name]
    return Graph.from_arcs(tails, heads, n=n) if dtype == NO_WEIGHTS else _typed(arrays, dtype)


def _big(level: str) -> Iterator[Sample]:
    """Yield the large graphs of a level."""
    grid, rmat = partial(generate.road_grid, BIG_SIDE, BIG_SIDE, seed=1), partial(generate.rmat, BIG_SCALE, seed=1)
    dense = partial(generate.rmat, BIG_SCALE, DENSE, seed=1)
    found: dict[str, Callable[[], Graph]] = {f"grid {BIG_SIDE} x {BIG_SIDE}": grid, f"R-MAT {BIG_SCALE}": dense}
    for name, build in found.items():
        for dtype in BIG_TYPES[level]:
            yield Sample(name, dtype, partial(_retyped, build, dtype), big=True)
    if BIG_TYPES[level]:
        yield Sample(f"hub {HUB_ARCS:,}", "int32", _hub, big=True, prepares=False)
        for name in (ZERO, SUBNORMAL):
            tiny = partial(_tiny, rmat, name)
            yield Sample(f"R-MAT {BIG_SCALE} {name}", "float32", tiny, equal=name == ZERO, big=True)


def _retyped(build: Callable[[], Graph], dtype: str) -> Graph:
    """Return a graph of whole weights with weights of another type."""
    return _typed(_arrays(build()), dtype)


def _tiny(build: Callable[[], Graph], name: str) -> Graph:
    """Return a graph whose float32 weights are all 0, or all below the least normal number."""
    n, tails, heads, weights = _arrays(build())
    small = np.zeros(len(weights), np.float32) if name == ZERO else (weights % 1000 + 1).astype(np.float32) * LEAST
    return Graph.from_arcs(tails, heads, small, n=n)


def _hub() -> Graph:
    """Return a hub with a million arcs out and as many in; along the rim, short arcs in runs of eight vertices."""
    rim = np.arange(1, HUB_ARCS + 1)
    inner = rim[rim % 8 != 0]
    tails = np.concatenate((0 * rim, inner, rim))
    heads = np.concatenate((rim, inner % HUB_ARCS + 1, 0 * rim))
    weights = np.concatenate((1 + rim * 7919 % 997, 1 + inner % 13, 1 + rim % 11))
    return Graph.from_arcs(tails, heads, weights.astype(np.int32), n=HUB_ARCS + 1)


@lru_cache(maxsize=2)
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
