"""Graphs with turns: every query agrees with a search over the last arcs driven, and paths obey."""

from __future__ import annotations

import heapq
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.oracle import as_floats
from nearfar.errors import NoPathError

LONGEST = 4  # vertices of a forbidden way


@st.composite
def problems(draw):
    """Return a graph as n and arcs, forbidden ways, costs of turns, and the cost of a U-turn."""
    n = draw(st.integers(1, 7))
    vertex = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(vertex, vertex, st.integers(0, 5)), max_size=18))
    if draw(st.booleans()):
        arcs += [(v, u, w) for u, v, w in arcs]  # two-way roads, where turns back are possible
    walks = [(u, v) for u, v, _ in arcs]
    for _ in range(LONGEST - 2):
        walks += [(*walk, v) for walk in walks for u, v, _ in arcs if walk[-1] == u][:200]
    walks = sorted({walk for walk in walks if len(walk) > 2})
    some = st.sampled_from(walks) if walks else st.nothing()
    forbidden = draw(st.lists(some, max_size=8)) if walks else []
    turns = [walk for walk in walks if len(walk) == 3]
    cost = st.sampled_from([0, 1, 4, math.inf])
    costs = draw(st.dictionaries(st.sampled_from(turns), cost, max_size=8)) if turns else {}
    return n, arcs, forbidden, costs, draw(st.sampled_from([0, 3, math.inf]))


def rows_of(problem):
    """Return all distances, by a search whose states are the last arcs driven."""
    n, arcs, forbidden, costs, uturn = problem
    out = [[e for e, (u, _, _) in enumerate(arcs) if u == v] for v in range(n)]
    closed = set(forbidden)

    def turn(driven, e):
        """Return what it costs to go on to an arc, None if that is forbidden."""
        tail, head, _ = arcs[e]
        vertices = [*(arcs[d][0] for d in driven), tail, head]
        if any(tuple(vertices[i:]) in closed for i in range(len(vertices) - 2)):
            return None
        if not driven:
            return 0
        back = arcs[driven[-1]][0]
        onward = any(arcs[other][1] != back for other in out[tail])
        cost = costs.get((back, tail, head), 0) + (uturn if head == back and onward else 0)
        return cost if cost < math.inf else None

    rows = np.full((n, n), np.inf)
    for s in range(n):
        seen, heap = set(), [(0, s, ())]
        while heap:
            length, v, driven = heapq.heappop(heap)
            if (v, driven) in seen:
                continue
            seen.add((v, driven))
            rows[s, v] = min(rows[s, v], length)
            for e in out[v]:
                if (cost := turn(driven, e)) is not None:
                    last = (*driven, e)[-(LONGEST - 2) :]
                    heapq.heappush(heap, (length + cost + arcs[e][2], arcs[e][1], last))
    return rows


def length_of(problem, path, rows):
    """Return the length of a path by its vertices and arcs; it must be one that obeys."""
    _, arcs, forbidden, costs, uturn = problem
    assert [(arcs[r][0], arcs[r][1]) for r in rows] == list(pairwise(path))
    for size in range(3, LONGEST + 1):
        assert not {tuple(path[i : i + size]) for i in range(len(path) - size + 1)} & set(forbidden)
    length = sum(arcs[r][2] for r in rows)
    for back, v, onto in zip(path, path[1:], path[2:], strict=False):
        onward = any(tail == v and head != back for tail, head, _ in arcs)
        length += costs.get((back, v, onto), 0) + (uturn if back == onto and onward else 0)
    return length


def graph_of(problem):
    n, arcs, forbidden, costs, uturn = problem
    tails, heads, weights = zip(*arcs, strict=True) if arcs else ((), (), ())
    graph = nearfar.Graph.from_arcs(tails, heads, np.array(weights, np.int64), n)
    return graph.with_turns(forbidden, costs, uturn=uturn)


@settings(max_examples=300)
@given(problems())
def test_every_query(problem):
    n, wanted, turns = problem[0], rows_of(problem), graph_of(problem)
    assert (as_floats(nearfar.apsp(turns).dist) == wanted).all()
    backwards = nearfar.mssp(turns, range(n), direction="to")
    assert (as_floats(backwards.dist) == wanted.T).all()
    one = nearfar.sssp(turns, n - 1)
    assert (as_floats(one.dist) == wanted[-1]).all() and nearfar.verify(turns, one)
    assert (as_floats(nearfar.sssp(turns, 0, direction="to").dist) == wanted[:, 0]).all()
    table = nearfar.table(turns, [0, n - 1], range(n)[::-1])
    assert (as_floats(table.dist) == wanted[[0, -1], ::-1]).all()
    for v in range(n):
        assert nearfar.distance(turns, 0, v) == wanted[0, v]
    paths(problem, wanted, turns)


def paths(problem, wanted, turns):
    """Check paths of every kind of result, from the last vertex and to vertex 0."""
    n = problem[0]
    s = n - 1
    many = nearfar.mssp(turns, [0, s]), nearfar.mssp(turns, [s, 0], direction="to"), nearfar.table(turns, [s], range(n))
    alone = nearfar.sssp(turns, s), nearfar.sssp(turns, 0, direction="to")
    for v in range(n):
        if wanted[s, v] < np.inf:
            found = [
                (nearfar.path(turns, s, v), alone[0].path_rows(v)),
                (alone[0].path(v), alone[0].path_rows(v)),
                (many[0].path(s, v), many[0].path_rows(s, v)),
                (many[2].path(s, v), many[2].path_rows(s, v)),
                (alone[0].path(v, fewest_arcs=True), None),
            ]
            for path, rows in found:
                assert path[0] == s and path[-1] == v
                assert rows is None or length_of(problem, path, rows) == wanted[s, v]
            assert alone[0].path_edges(v) == list(zip(found[1][0][:-1], found[1][0][1:], strict=True))
        else:
            with pytest.raises(NoPathError):
                many[2].path(s, v)
        if wanted[v, 0] < np.inf:
            for path, rows in (
                (alone[1].path(v), alone[1].path_rows(v)),
                (many[1].path(0, v), many[1].path_rows(0, v)),
            ):
                assert path[0] == v and path[-1] == 0 and length_of(problem, path, rows) == wanted[v, 0]


@settings(max_examples=200)
@given(problems(), st.data())
def test_nearest(problem, data):
    n, wanted, turns = problem[0], rows_of(problem), graph_of(problem)
    sources = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=3, unique=True))
    for direction, rows in (("from", wanted), ("to", wanted.T)):
        near = nearfar.nearest(turns, sources, direction=direction)
        assert (as_floats(near.dist) == rows[sources].min(axis=0)).all()
        for v in np.flatnonzero(near.reached).tolist():
            assert near.source[v] in sources and rows[near.source[v], v] == near.dist[v]
            ends = [int(near.source[v]), v][:: 1 if direction == "from" else -1]
            path = near.path(v)
            assert [path[0], path[-1]] == ends and length_of(problem, path, near.path_rows(v)) == near.dist[v]
        assert (near.source[~near.reached] == -1).all()
        several = nearfar.nearest(turns, sources, k=2, direction=direction)
        ordered = sorted(sources)
        best = np.argsort(rows[ordered], axis=0, kind="stable")[:2]
        for v in range(n):
            kept = [(ordered[i], rows[ordered[i], v]) for i in best[:, v] if rows[ordered[i], v] < np.inf]
            assert several[v] == kept
            for rank, (_, length) in enumerate(kept, 1):
                path, arcs = several.path(v, rank=rank), several.path_rows(v, rank=rank)
                assert length_of(problem, path, arcs) == length
        assert nearfar.verify(turns, near) and nearfar.verify(turns, several)


@settings(max_examples=60)
@given(problems())
def test_prepared(problem):
    n, wanted = problem[0], rows_of(problem)
    turns = nearfar.prepare(graph_of(problem))
    assert (as_floats(nearfar.apsp(turns).dist) == wanted).all()
    assert (as_floats(nearfar.sssp(turns, 0, direction="to").dist) == wanted[:, 0]).all()
    assert (as_floats(nearfar.table(turns, [0], range(n)).dist) == wanted[:1]).all()
    for v in range(n):
        assert nearfar.distance(turns, 0, v) == wanted[0, v]
        if wanted[0, v] < np.inf:
            assert [nearfar.path(turns, 0, v)[i] for i in (0, -1)] == [0, v]
    paths(problem, wanted, turns)


@settings(max_examples=100)
@given(problems(), st.data())
def test_starting_distances_and_cutoff(problem, data):
    n, wanted, turns = problem[0], rows_of(problem), graph_of(problem)
    starts = data.draw(st.dictionaries(st.integers(0, n - 1), st.integers(0, 5), min_size=1, max_size=3))
    for direction, rows in (("from", wanted), ("to", wanted.T)):
        least = np.min([rows[s] + start for s, start in starts.items()], axis=0)
        found = nearfar.sssp(turns, starts, direction=direction)
        assert (as_floats(found.dist) == least).all() and nearfar.verify(turns, found)
        near = nearfar.sssp(turns, starts, direction=direction, cutoff=6)
        assert (as_floats(near.dist) == np.where(least <= 6, least, np.inf)).all()
