"""Hypothesis strategies for graphs, as plain arc lists: zeros, ties, loops, parallel arcs, pieces, negative weights.

A `Case` knows nothing of nearfar; ``Graph.from_arcs(*case.arrays(), n=case.n)`` makes a graph of it. Weights are Python
numbers that their type holds exactly. Floats come as multiples of 1/8, whose sums are exact, so that ties happen, and
as any other floats, whose sums round.

Strategies are made once for their arguments: Hypothesis checks a new one when it is first drawn from, and a graph draws
from a dozen. With a new one for every graph, checking took a third of the time of a test.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from hypothesis import strategies as st

from helpers import oracle

DTYPES = ("int32", "int64", "float32", "float64", None)
FAMILIES = ("non-negative", "negative", "negative cycle")

integers, lists, sampled_from = cache(st.integers), cache(st.lists), cache(st.sampled_from)
booleans = st.booleans()


def composite(function):
    """Make a strategy of a function, once for its arguments."""
    return cache(st.composite(function))


@dataclass(frozen=True)
class Case:
    """n vertices, arcs (tail, head, weight), and the type of the weights (None: unweighted, every weight is 1)."""

    n: int
    arcs: tuple[tuple[int, int, float], ...]
    dtype: str | None

    @property
    def add(self):
        """How lengths are added in the type distances have by default."""
        return oracle.add_float32 if self.dtype == "float32" else operator.add

    def arrays(self):
        """Return tails, heads and weights for `Graph.from_arcs`."""
        tails, heads, weights = zip(*self.arcs, strict=True) if self.arcs else ((), (), ())
        ends = np.array(tails, dtype=np.int32), np.array(heads, dtype=np.int32)
        return *ends, None if self.dtype is None else np.array(weights, dtype=self.dtype)

    def distances(self, sources):
        """Return the oracle's distances: a list of numbers and None, or None when a negative cycle is reached."""
        solve = oracle.bellman_ford if any(weight < 0 for _, _, weight in self.arcs) else oracle.dijkstra
        return solve(self.n, self.arcs, sources, self.add)

    def rows(self, seeds):
        """Return the oracle's rows, one for each list of sources, as float64; None when a negative cycle is reached."""
        rows = [self.distances(several) for several in seeds]
        if any(row is None for row in rows):
            return None
        return np.array([[np.inf if length is None else length for length in row] for row in rows])

    def row(self, sources):
        """Return the oracle's distances as an array of the default type, None when a negative cycle is reached."""
        dtype = np.dtype(self.dtype or "int32")
        mark = np.inf if dtype.kind == "f" else np.iinfo(dtype).max
        dist = self.distances(sources)
        if dist is None:
            return None
        return np.array([mark if length is None else length for length in dist], dtype=dtype)


@cache
def weights(dtype):
    """Return a strategy for weights >= 0 of a type: small ones for ties and zeros, some large or uneven ones."""
    if dtype is None:
        return st.just(1)
    small = st.integers(0, 6)
    if dtype.startswith("int"):
        return small | st.integers(0, 2**20 if dtype == "int32" else 2**40)
    eighths = st.integers(0, 48).map(lambda eighth: eighth / 8)
    uneven = st.floats(0, 1e6, allow_subnormal=False, width=int(dtype[5:]))
    return st.sampled_from([eighths, eighths, uneven]).flatmap(lambda kind: kind)


@cache
def arcs_of(n, dtype):
    """Return a strategy for the arcs of a graph of n vertices."""
    return st.tuples(integers(0, n - 1), integers(0, n - 1), weights(dtype))


@composite
def cases(draw, dtypes=DTYPES, max_n=12, max_m=40, min_n=1):
    """Return a strategy for graphs without negative weights."""
    dtype, n = draw(sampled_from(dtypes)), draw(integers(min_n, max_n))
    arcs = draw(lists(arcs_of(n, dtype), max_size=max_m)) if n else []
    if arcs and draw(booleans):  # parallel arcs, some of them equal
        doubled = draw(lists(integers(0, len(arcs) - 1), max_size=4))
        arcs += [(*arcs[e][:2], draw(weights(dtype))) for e in doubled]
    return Case(n, tuple(arcs), dtype)


def equal(case):
    """Return the same graph with equal weights, those of the first arc."""
    return replace(case, arcs=tuple((tail, head, case.arcs[0][2]) for tail, head, _ in case.arcs))


@composite
def negative_cases(draw, dtypes=DTYPES[:-1], max_n=12, max_m=40):
    """Return a strategy for graphs with negative weights and no negative cycle.

    Weights >= 0 are shifted by a potential, w + p[tail] - p[head], which leaves the length of every cycle as it was.
    All are multiples of 1/8: rounding must not make a cycle negative.
    """
    dtype = draw(sampled_from(dtypes))
    case = draw(cases(dtypes=("int32",), max_n=max_n, max_m=max_m))
    potential = draw(lists(integers(-20, 20), min_size=case.n, max_size=case.n))
    scale = 1 if dtype.startswith("int") else 1 / 8
    arcs = tuple((u, v, (w + potential[u] - potential[v]) * scale) for u, v, w in case.arcs)
    return Case(case.n, arcs, dtype)


@composite
def cycle_cases(draw, dtypes=DTYPES[:-1], max_n=12, max_m=40):
    """Return a strategy for graphs with a negative cycle, which a source may or may not reach."""
    case = draw(negative_cases(dtypes=dtypes, max_n=max_n, max_m=max_m))
    ring = draw(lists(integers(0, case.n - 1), min_size=1, max_size=4, unique=True))
    steps = draw(lists(integers(-3, 3), min_size=len(ring), max_size=len(ring)))
    steps[0] -= sum(steps) + draw(integers(1, 5))
    arcs = tuple(zip(ring, [*ring[1:], ring[0]], steps, strict=True))
    return replace(case, arcs=case.arcs + arcs)


@cache
def start_distances(dtype):
    """Return a strategy for starting distances: small ones, zeros, whole and other fractions, some large ones."""
    eighths = st.integers(0, 48).map(lambda eighth: eighth / 8)
    if dtype is None or dtype.startswith("int"):
        return st.integers(0, 9) | st.integers(0, 2**20)
    uneven = st.floats(0, 1e6, allow_subnormal=False, width=int(dtype[5:]))
    return st.sampled_from([eighths, uneven]).flatmap(lambda kind: kind)


@composite
def starting(draw, graphs=None, max_starts=4):
    """Return a strategy for (case, starts): a graph and a dict of vertices and the distances at which they start.

    On a graph of whole numbers, some have starts that are not whole. With negative weights, starts are whole or
    eighths: other sums are rounded, and around a cycle of length 0 they may come back below the start.
    """
    case = draw(cases() if graphs is None else graphs)
    kind = draw(sampled_from((case.dtype, case.dtype, "float64"))) if is_whole(case) else case.dtype
    negative = any((arc[2] or 0) < 0 for arc in case.arcs)
    return case, draw(starts_of(case.n, kind, negative, max_starts))


@cache
def starts_of(n, kind, negative, most):
    """Return a strategy for the starts of a row on n vertices."""
    number = start_distances(kind)
    if negative:
        whole = kind is None or kind.startswith("int")
        number = integers(0, 80).map(lambda eighths: eighths if whole else eighths / 8)
    return st.dictionaries(integers(0, n - 1), number, min_size=1, max_size=most)


def is_whole(case):
    """Tell whether the weights of a graph are whole numbers."""
    return case.dtype is None or case.dtype.startswith("int")


@composite
def queries(draw, graphs=None, max_sources=3):
    """Return a strategy for (case, sources): a graph and a list of source vertices, which may repeat."""
    case = draw(cases() if graphs is None else graphs)
    return case, draw(lists(integers(0, case.n - 1), min_size=1, max_size=max_sources))
