"""Which method "auto" takes for several rows, and that it looks at a graph only once."""

from __future__ import annotations

import numpy as np
import pytest

import nearfar
from helpers.marks import needs_jit
from nearfar import Graph, generate
from nearfar.engine import candidates, tuning
from nearfar.engine.candidates import choose_many, outlook_of

pytestmark = needs_jit


def unweighted(graph):
    return graph.with_weights(None)


GRAPHS = {
    "roads": (lambda: generate.road_grid(60, 60, seed=1), 3600, "prepared"),
    "few rows of roads": (lambda: generate.road_grid(60, 60, seed=1), 8, None),
    "dense": (lambda: generate.complete(300, seed=1), 300, "floyd"),
    "social": (lambda: unweighted(generate.rmat(12, seed=1)), 4096, "bfs"),
    "hubs": (lambda: generate.rmat(12, seed=1), 4096, "prepared"),
    "a mesh, some rows": (lambda: Graph.from_raster(np.ones((150, 150))).without_names(), 64, None),
    "a long path": (lambda: Graph.from_arcs(range(3999), range(1, 4000), undirected=True), 4000, "prepared"),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_choice(name):
    build, rows, wanted = GRAPHS[name]
    chosen = choose_many(build(), rows, threads=2)
    assert (chosen and chosen[0]) == wanted, chosen


def test_reasons_have_the_times_of_all_candidates():
    method, why = choose_many(generate.road_grid(60, 60, seed=1), 3600, 2)
    assert method == "prepared" and "expected" in why and "rows" in why and "floyd" in why


def test_a_graph_is_looked_at_once(monkeypatch):
    graph, looks = generate.road_grid(60, 60, seed=1), []
    look = candidates.look
    monkeypatch.setattr(candidates, "look", lambda *arguments: looks.append(arguments) or look(*arguments))
    for _ in range(3):
        assert nearfar.plan(graph, threads=1).method == "prepared"
    assert len(looks) == 1 and outlook_of(graph) is not None and outlook_of(generate.road_grid(9, 9)) is None


def test_a_look_costs_little(monkeypatch):
    """At most as many list entries as LOOK_SHARE of the time of single rows allows."""
    seen = []
    monkeypatch.setattr(candidates, "look", lambda graph, size, budget: seen.append((size, budget)))
    for rows in (100, 400, 1600):
        choose_many(generate.road_grid(40, 40, seed=1), rows, 1)
    assert seen == sorted(seen) and len(seen) == 3
    assert all(size * tuning.LOOK_VERTEX <= budget * tuning.PREPARE_ENTRY for size, budget in seen[1:])


def test_small_queries_are_not_compared(monkeypatch):
    monkeypatch.setattr(candidates, "seconds_on_cpu", None)
    assert choose_many(generate.road_grid(5, 5), 25, 2) is None


def test_negative_weights():
    graph = Graph.from_arcs([0, 1, 2] * 50, [1, 2, 3] * 50, [4, -2, 5] * 50, n=400)
    plan = nearfar.plan(graph)
    assert plan.method in ("johnson", "prepared", "floyd")
    assert nearfar.verify(graph, nearfar.apsp(graph))
