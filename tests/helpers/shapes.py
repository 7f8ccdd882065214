"""Prepared graphs of all shapes: small ones in which several units, rows set aside and cores are forced."""

from __future__ import annotations

import math
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import strategies as st

import nearfar
from helpers.marks import JIT
from nearfar import Graph
from nearfar.elimination import build, core, layout, paths, sweep, tables
from nearfar.elimination import eliminate as elimination
from nearfar.methods import prepared as method

# Vertices per unit, degree up to which vertices are always eliminated, steps before a core is left (None: as usual),
# cost of searching a core, vertices up to which it is closed; bytes of a result from which on it is written past the
# caches; arcs per vertex from which on two vertices are settled at a time.
SHAPES = {
    "usual": {},
    "one vertex per unit": {"unit": 1},
    "small units": {"unit": 3},
    "large core": {"unit": 2, "always": 0, "steps": 0},
    "small core": {"unit": 3, "always": 1, "steps": 12},
    "closed core": {"unit": 2, "always": 0, "steps": 0, "closed": 4096},
    "core by rows": {"always": 0, "steps": 0, "search": 1e9},
    "two at a time": {"coupled": 1e-9},
    "two at a time, small units, small core": {"unit": 3, "always": 1, "steps": 12, "coupled": 1e-9},
}
any_shape = st.sampled_from(list(SHAPES)).map(SHAPES.get)


@contextmanager
def shaped(unit=4096, always=16, steps=None, search=0.0, closed=0, past=2**60, coupled=1e9):
    """Prepare graphs in another shape than usual for their size."""

    def eliminate(graph, budget, whole, *rest, **more):
        return elimination.eliminate(graph, budget if whole or steps is None else steps, whole, *rest, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "UNIT", unit)
        patch.setattr(layout, "COUPLED", coupled)
        patch.setattr(elimination, "ELIMINATE_ALWAYS", always)
        patch.setattr(build, "SEARCH_STEP", search)
        patch.setattr(build, "eliminate", eliminate)
        patch.setattr(core, "CLOSED_CORE", closed)
        patch.setattr(core, "CLOSED_SHARE", 0)
        patch.setattr(tables, "PAIRS_AT_ONCE", 7)
        patch.setattr(paths, "SEARCHED_CORE", 0)
        patch.setattr(sweep, "ALONE", 0)
        patch.setattr(method, "LONG_ROW", 0)
        for module in (sweep, method):
            patch.setattr(module, "PAST_CACHES", past)
        yield


def wild(seed, kind, undirected=False):
    """Return a random graph of up to 150 vertices, in which units and cores arise by themselves."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 150 if JIT else 40))
    m = int(n * rng.uniform(0.5, 6))
    tails, heads = rng.integers(0, n, (2, m))
    if seed % 2:
        heads = np.minimum(n - 1, tails + rng.integers(0, 6, m))
    height = rng.integers(0, 50, n)
    weights = {
        "small": lambda: rng.integers(1, 256, m),
        "zeros": lambda: rng.integers(0, 3, m),
        "int32": lambda: rng.integers(1, 2**31 - 1, m),
        "int64": lambda: rng.integers(1, 2**44, m),
        "float32": lambda: rng.random(m, np.float32),
        "float64": lambda: rng.random(m),
        "negative": lambda: rng.integers(0, 20, m) + height[tails] - height[heads],
        "none": lambda: None,
    }[kind]()
    return Graph.from_arcs(tails, heads, weights, n=n, undirected=undirected and kind != "negative")


KINDS = ["small", "zeros", "int32", "int64", "float32", "float64", "negative", "none"]


def rows_of(graph):
    """Return the distances between all pairs from another method, inf for unreached."""
    dist = nearfar.apsp(graph, method="johnson" if graph.min_weight < 0 else "dijkstra").dist
    if dist.dtype.kind == "f":
        return dist.astype(float)
    return np.where(dist == np.iinfo(dist.dtype).max, math.inf, dist)


def same(found, wanted):
    """Return whether distances agree: exactly, or for floats up to rounding; unreached is inf in ``wanted``."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    if found.dtype.kind != "f":
        return np.array_equal(np.where(found == np.iinfo(found.dtype).max, math.inf, found), wanted)
    return np.allclose(found, wanted, rtol=1e-5 if found.dtype == np.float32 else 1e-12, atol=0)


def weights_by_arc(graph):
    """Return the weights of all arcs of a graph without rows, inf where one is closed."""
    if graph.kept is None:
        return graph.weights.copy()
    weights = np.full(graph.opened.m, math.inf, graph.weights.dtype)
    weights[graph.kept] = graph.weights
    return weights
