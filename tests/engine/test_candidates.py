"""Which method "auto" takes for several rows, and that it looks at a graph only once."""

from __future__ import annotations

import numpy as np
import pytest

import nearfar
from helpers.marks import needs_jit
from nearfar import Graph, generate
from nearfar.elimination.outlook import LOOKS, Outlook, guess, look
from nearfar.engine import candidates, tuning
from nearfar.engine.candidates import choose_many, outlook_of
from nearfar.engine.estimate import seconds_on_cpu
from nearfar.methods import costs
from nearfar.methods.bfs_cost import are_few, are_single, pass_seconds, single_seconds

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
    graph, looks = generate.road_grid(150, 150, seed=1), []
    look = candidates.look
    monkeypatch.setattr(candidates, "look", lambda *arguments: looks.append(arguments) or look(*arguments))
    for _ in range(3):
        assert nearfar.plan(graph, threads=1).method == "prepared"
    assert len(looks) == 1 and outlook_of(graph) is not None and outlook_of(generate.road_grid(9, 9)) is None


@pytest.fixture
def looks(monkeypatch):
    """Return the looks that are taken, as (size, budget); every look shows ``looks.shows``."""

    class Looks(list):
        shows = Outlook(0.0, 1600)

    taken = Looks()

    def look(graph, size, budget):
        taken.append((size, budget))
        return taken.shows

    monkeypatch.setattr(candidates, "look", look)
    return taken


def test_a_look_costs_little(looks):
    """At most LOOK_SHARE of the time of single rows, whatever was seen before."""
    graph = generate.road_grid(150, 150, seed=1)
    for rows in (10, 100, 1000):
        looks.clear()
        graph.memo.clear()
        looks.shows = Outlook(1000.0 * graph.n, 10.0 * graph.n)
        choose_many(graph, rows, 1)
        allowed = tuning.LOOK_SHARE * seconds_on_cpu(graph, rows, "dijkstra", 1, 4)
        assert all(budget * tuning.LOOK_ENTRY <= tuning.LOOK_OVER * allowed for _, budget in looks)
        assert looks or allowed < tuning.LOOK + 256 * tuning.LOOK_VERTEX
    assert looks


def test_looks_end_when_the_choice_is_clear(looks):
    graph = generate.road_grid(150, 150, seed=1)
    assert choose_many(graph, 3600, 1)[0] == "prepared"  # a tree: there is no doubt after the first look
    assert [size for size, _ in looks] == list(LOOKS[:1])
    looks.clear()
    graph = generate.road_grid(200, 200, seed=1)
    rows = seconds_on_cpu(graph, 3600, "dijkstra", 1, 4)
    looks.shows = Outlook(rows / costs.PREPARE_ENTRY, 10.0 * graph.n)  # about as long as single rows
    choose_many(graph, 3600, 1)
    assert [size for size, _ in looks][:2] == list(LOOKS[:2])


def test_small_queries_are_decided_by_counts(looks):
    """A look would take longer than what it may save."""
    graph = generate.road_grid(17, 17, seed=1)
    assert choose_many(graph, graph.n, 1) is not None and not looks
    assert outlook_of(graph) is None


def test_small_queries_are_not_compared(monkeypatch):
    monkeypatch.setattr(candidates, "seconds_on_cpu", None)
    assert choose_many(generate.road_grid(5, 5), 25, 2) is None


def test_negative_weights():
    graph = Graph.from_arcs([0, 1, 2] * 50, [1, 2, 3] * 50, [4, -2, 5] * 50, n=400)
    plan = nearfar.plan(graph)
    assert plan.method in ("johnson", "prepared", "floyd")
    assert nearfar.verify(graph, nearfar.apsp(graph))


def test_guesses_are_near():
    """Within a factor of six in list entries, on small graphs of several kinds, which is enough to begin with."""
    for graph in (generate.road_grid(17, 17, seed=1), Graph.from_raster(np.ones((17, 17))), generate.rmat(8, seed=1)):
        true = look(graph, 4096)
        assert true.steps / 6 < guess(graph).steps < true.steps * 6


def test_many_rows_of_deep_graphs_are_searched_singly():
    """A pass visits all vertices at every level. What is faster by the cost model is what runs."""
    deep = unweighted(generate.road_grid(100, 100, seed=1))
    flat = unweighted(generate.rmat(12, seed=1))
    assert are_single(deep, 100, 2) and not are_single(flat, 100, 2) and are_few(16, 2) and not are_few(17, 2)
    for graph in (deep, flat):
        assert are_single(graph, 100, 2) == (single_seconds(graph, 100, 2) < pass_seconds(graph, 100, 2))
        one = nearfar.mssp(graph, range(100), method="bfs", threads=2)
        assert (one.dist == nearfar.mssp(graph, range(100), method="dijkstra", threads=2).dist).all()


def test_counts_tell_random_graphs_from_grids():
    """Both have vertices of the same degree. A random graph has no small separators, so a core is left."""
    rng = np.random.default_rng(1)
    tails, heads = np.tile(np.arange(1000), 2), np.concatenate([rng.permutation(1000) for _ in range(2)])
    random = Graph.from_arcs(tails, heads, rng.integers(1, 99, 2000), n=1000, undirected=True)
    grid = Graph.from_raster(np.ones((32, 32)))
    assert random.closedness < 0.6 < 0.8 < grid.closedness and guess(random).core > 0 == guess(grid).core
    large = Graph.from_raster(np.ones((90, 90)))
    assert guess(large) is None and guess(generate.road_grid(90, 90, seed=1)) is not None


def test_a_graph_without_vertices_or_arcs_is_guessed():
    for n in (0, 1, 5):
        graph = Graph.from_arcs([], [], [], n=n)
        assert graph.closedness == 1.0 and graph.irregularity == 0.0 and guess(graph).core == 0


@needs_jit
def test_the_order_depends_on_the_rows():
    """A grid in three dimensions: few rows have a core searched, many are worth dissecting it; rows are right."""
    side = 22
    cells = np.arange(side**3).reshape(side, side, side)
    ends = [(cells[:-1], cells[1:]), (cells[:, :-1], cells[:, 1:]), (cells[:, :, :-1], cells[:, :, 1:])]
    tails, heads = (np.concatenate([pair[i].ravel() for pair in ends]) for i in (0, 1))
    weights = np.random.default_rng(0).integers(1, 100, len(tails))
    graph = Graph.from_arcs(tails, heads, weights, undirected=True)
    chosen = {}
    for rows in (1000, 100_000):
        method, why = choose_many(graph, rows, 1)
        asked, chosen[rows] = graph.memo["order"]
        assert method == "prepared" and asked == rows
        assert ("by nested dissection" in why) == (chosen[rows] == "dissection")
    assert chosen[1000] in ("degree", "auto") and chosen[100_000] == "dissection"
    some = np.arange(0, graph.n, 977)
    wanted = nearfar.mssp(graph, some, method="dijkstra").dist
    for order in ("degree", "dissection", "auto"):
        graph.memo["order"] = len(some), order
        assert np.array_equal(nearfar.mssp(graph, some, method="prepared").dist, wanted)


def test_what_was_expected_of_elimination_is_allowed() -> None:
    """With negative weights elimination must be complete: a budget that ends it early is lost."""
    from nearfar.methods.prepared import _budget

    plain = generate.road_grid(100, 100, seed=1)
    height = np.random.default_rng(1).integers(0, 5000, plain.n)
    weights = plain.weights + height[plain.tails] - height[plain.heads]
    graph = Graph.from_arcs(plain.tails, plain.heads, weights)
    assert graph.min_weight < 0
    assert nearfar.plan(graph, range(512)).method == "prepared"
    graph.memo["outlook"] = 256, Outlook(1e9, 1e5)
    assert _budget(graph, 2, 2) >= 2e9 > _budget(plain, 2, 2)
    result = nearfar.mssp(graph, range(512))
    assert result.stats is not None and "instead" not in result.stats
    assert nearfar.verify(graph, result)


def test_rows_without_a_hierarchy_use_all_threads() -> None:
    """Where elimination cannot be complete, `prepared` settles rows on every thread, to the same bits."""
    rng = np.random.default_rng(2)
    n, m = 3000, 30_000
    height = rng.integers(0, 50, n)
    tails, heads = rng.integers(0, n, m), rng.integers(0, n, m)
    graph = Graph.from_arcs(tails, heads, rng.integers(1, 100, m) + height[tails] - height[heads])
    found = nearfar.mssp(graph, range(8), method="prepared", threads=2)
    assert found.stats is not None and found.stats["instead"].startswith("johnson")
    assert np.array_equal(found.dist, nearfar.mssp(graph, range(8), method="johnson", threads=1).dist)
