"""Queries asked by name, and the oracle's answers to them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

import nearfar
from helpers import strategies
from helpers.able import assert_rows
from helpers.stopping import stopping
from nearfar import Graph

QUERIES = ("one", "some", "all", "nearest")
TOP = np.iinfo(np.int32).max


def build(case):
    return Graph.from_arcs(*case.arrays(), n=case.n)


def ask(query, graph, sources, **options):
    """Ask a query; ``targets`` are where its searches may stop."""
    given = {"one": ("sssp", sources[0]), "some": ("mssp", sources), "all": ("apsp",), "nearest": ("nearest", sources)}
    name, *sources = given[query]
    return stopping(name, graph, *sources, **options)


def seeds_of(query, case, sources):
    """Return the vertices each row of the answer starts from."""
    several = {"one": [sources[0]], "some": sources, "all": range(case.n)}
    return [[s] for s in several[query]] if query in several else [sources]


def expected_type(case, rows):
    """Return the type that answers have, from the rule in docs/architecture.md."""
    if case.dtype is None or case.dtype.startswith("float"):
        return np.dtype(case.dtype or "int32")
    heaviest = max((abs(weight) for _, _, weight in case.arcs), default=0)
    greatest = max((abs(length) for row in rows for length in row if length is not None), default=0)
    if any(weight < 0 for _, _, weight in case.arcs):
        return np.dtype("int32" if heaviest * case.n < TOP else "int64")
    return np.dtype("int32" if greatest + heaviest < TOP else "int64")


def expected(query, case, sources):
    """Return the oracle's rows in the type that answers have; None when a negative cycle is reached."""
    rows = [case.distances(seeds) for seeds in seeds_of(query, case, sources)]
    if any(row is None for row in rows):
        return None
    dtype = expected_type(case, rows)
    mark = np.inf if dtype.kind == "f" else np.iinfo(dtype).max
    return np.array([[mark if length is None else length for length in row] for row in rows], dtype)


def expected_starts(case, starts):
    """Return the oracle's row from some starts in the type that answers have; None when a negative cycle is reached."""
    row = case.distances(starts)
    if row is None:
        return None
    dtype = starts_type(case, starts, row)
    mark = np.inf if dtype.kind == "f" else np.iinfo(dtype).max
    return np.array([[mark if length is None else length for length in row]], dtype)


def starts_type(case, starts, row):
    """Return the type that answers from some starts have: no sum may pass its end, and no fraction may be lost."""
    if not strategies.is_whole(case):
        return np.dtype(case.dtype)
    if any(start != int(start) for start in starts.values()):
        return np.dtype("float64")
    heaviest = max((abs(weight) for _, _, weight in case.arcs), default=0)
    most = max(starts.values())
    if any(weight < 0 for _, _, weight in case.arcs):
        return np.dtype("int32" if heaviest * (case.n + 2) + most < TOP else "int64")
    greatest = max([most, *(length for length in row if length is not None)])
    return np.dtype("int32" if greatest + heaviest < TOP else "int64")


def rows_of(result):
    return result.distances.rows if isinstance(result, nearfar.Nearest) else result.rows


def assert_same(result, rows):
    """The oracle's rows, as near as the method must come."""
    assert_rows(result.distances if isinstance(result, nearfar.Nearest) else result, rows)


def assert_negative_cycle(case, cycle):
    """Every step is an arc, no vertex comes twice, and the weights sum to less than 0."""
    lightest = {}
    for tail, head, weight in case.arcs:
        lightest[tail, head] = min(weight, lightest.get((tail, head), math.inf))
    assert cycle and len(set(cycle)) == len(cycle)
    steps = list(pairwise([*cycle, cycle[0]]))
    assert all(step in lightest for step in steps), (cycle, case)
    assert sum(lightest[step] for step in steps) < 0, (cycle, case)


def limited(dist, cutoff, targets):
    """Return what the limits leave of the oracle's distances."""
    far = [length if length is not None and (cutoff is None or length <= cutoff) else None for length in dist]
    if targets is None or any(far[t] is None for t in targets):
        return far
    farthest = max(far[t] for t in targets)
    return [length if length is not None and length <= farthest else None for length in far]


def numbers_of(rows):
    """Return rows as lists of Python numbers, None for unreached."""
    mark = np.inf if rows.dtype.kind == "f" else np.iinfo(rows.dtype).max
    return [[None if length == mark else length for length in row] for row in rows.tolist()]
