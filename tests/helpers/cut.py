"""Graphs that are cut into parts at random, and what their parts hold."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from helpers.strategies import cases


@st.composite
def cut_cases(draw, **options):
    """Return a strategy for (case, labels, parts): a graph and any cut of it; parts may be empty or in pieces."""
    case, parts = draw(cases(**options)), draw(st.integers(1, 5))
    labels = draw(st.lists(st.integers(0, parts - 1), min_size=case.n, max_size=case.n))
    return case, np.array(labels, np.uint8), parts


def arcs_of(graph):
    """Return the arcs of a graph as a sorted list of tuples."""
    weights = np.ones(graph.m, int) if graph.weights is None else graph.weights
    return sorted(zip(graph.tails.tolist(), graph.heads.tolist(), weights.tolist(), strict=True))


def arcs_of_parts(parts):
    """Return the arcs of all parts by the indices of their ends, as a sorted list of tuples."""
    found = []
    for p in range(parts.count):
        part = parts.load(p)
        found += [(int(part.vertices[u]), int(part.vertices[v]), w) for u, v, w in arcs_of(part.graph)]
        weights = np.ones(len(part.cuts), int) if part.graph.weights is None else part.cuts["weight"]
        tails = np.repeat(part.vertices[part.boundary], np.diff(part.cut_offsets))
        found += zip(tails.tolist(), parts.boundary[part.cuts["head"]].tolist(), weights.tolist(), strict=True)
    return sorted(found)
