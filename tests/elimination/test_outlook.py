"""What a look at a part of a graph foresees of eliminating all of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.marks import needs_jit
from nearfar import Graph, generate
from nearfar.elimination.eliminate import count_eliminated, neighbours
from nearfar.elimination.outlook import has_hubs, look, share_of_superfluous
from nearfar.elimination.tuning import MOST_STEPS
from nearfar.methods.prepared import SOLVERS

pytestmark = needs_jit


def ring(n, hub=False):
    """Return a ring, with a vertex in its middle that is joined to all others if ``hub``."""
    tails, heads = np.arange(n), (np.arange(n) + 1) % n
    if hub:
        tails, heads = np.append(tails, np.full(n, n)), np.append(heads, np.arange(n))
    return Graph.from_arcs(tails, heads, np.arange(len(tails)) % 7 + 1, undirected=True)


def star(n):
    return Graph.from_arcs(np.zeros(n - 1, int), np.arange(1, n), np.arange(1, n), undirected=True)


def directed(graph):
    return Graph(graph.offsets, graph.arcs, graph._vertices)


@pytest.mark.parametrize(
    "graph",
    [
        generate.road_grid(120, 120, seed=1),
        directed(generate.road_grid(120, 120, seed=2)),
        generate.geometric(12_000, seed=1),
        ring(20_000),
    ],
    ids=("roads", "directed", "points", "ring"),
)
def test_parts_foretell_the_whole(graph):
    steps, shortcuts, core, _ = count_eliminated(*neighbours(graph), MOST_STEPS)
    for size in (1024, 4096):
        seen = look(graph, size)
        assert steps / 4 < seen.steps < 4 * steps and shortcuts / 2.5 < seen.shortcuts < 2.5 * shortcuts
        assert seen.core == core == 0


def test_a_small_graph_is_taken_whole():
    graph = generate.road_grid(20, 20, seed=1)
    seen, prepared = look(graph, 1024), nearfar.prepare(graph)
    assert seen.shortcuts == pytest.approx(len(prepared.hierarchy.structure.heads)) and seen.core == 0


def test_what_is_left_of_a_random_graph():
    rng = np.random.default_rng(1)
    graph = Graph.from_arcs(np.tile(np.arange(9000), 2), rng.integers(0, 9000, 18_000), undirected=True)
    _, _, core, arcs = count_eliminated(*neighbours(graph), MOST_STEPS)
    seen = look(graph, 4096)
    assert core / 4 < seen.core < 4 * core and arcs / 4 < seen.core_arcs < 4 * arcs


def test_a_budget_ends_the_look():
    graph = Graph.from_raster(np.ones((60, 60))).without_names()
    whole, cut = look(graph, 4096), look(graph, 4096, 10_000)
    assert cut.steps > whole.steps and cut.core == 0


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_tiny_graphs(n):
    seen = look(Graph.from_arcs([], [], n=n), 256)
    assert (seen.steps, seen.shortcuts) == (0, 0)


def test_isolated_vertices_around_a_part():
    """The middle of the vertices may be outside of all that is joined."""
    roads = generate.road_grid(20, 20, seed=1)
    tails = np.repeat(np.arange(roads.n), np.diff(roads.offsets))
    graph = Graph.from_arcs(tails, roads.heads, roads.weights, n=5000)
    assert look(graph, 256).shortcuts > 0
    assert look(Graph.from_arcs([4999], [0], n=5000), 256).shortcuts >= 0


def test_hubs():
    assert has_hubs(star(100)) and has_hubs(generate.rmat(12, seed=1))
    assert not has_hubs(generate.road_grid(30, 30)) and not has_hubs(generate.geometric(1000, seed=1))


def test_superfluous_arcs():
    rmat = generate.rmat(12, seed=1)
    assert share_of_superfluous(rmat, SOLVERS) > 0.5
    assert share_of_superfluous(rmat.with_weights(None), SOLVERS) == 0
    assert share_of_superfluous(generate.road_grid(30, 30), SOLVERS) == 0


@pytest.mark.parametrize("graph", [star(5000), ring(5000, hub=True)], ids=("star", "wheel"))
def test_hubs_are_not_rewritten_for_every_neighbour(graph):
    """Entries merged stay in proportion to the vertices, not to their square."""
    steps, *_ = count_eliminated(*neighbours(graph), MOST_STEPS)
    assert steps < 200 * graph.n
    sources = [0, 1, graph.n // 2, graph.n - 1]
    expected = nearfar.mssp(graph, sources, method="dijkstra")
    assert np.array_equal(nearfar.prepare(graph).mssp(sources).rows, expected.rows)


@given(data=st.data(), n=st.integers(12, 60))
def test_graphs_with_hubs(data, n):
    """Lists of hubs lose entries in place; the answers stay the same."""
    pairs = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=60))
    hubs = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=3, unique=True))
    pairs += [(hub, v) for hub in hubs for v in range(n) if v != hub]
    tails, heads = zip(*pairs, strict=True)
    weights = data.draw(st.lists(st.integers(0, 20), min_size=len(pairs), max_size=len(pairs)))
    graph = Graph.from_arcs(tails, heads, weights, n=n, undirected=data.draw(st.booleans()))
    assert np.array_equal(nearfar.prepare(graph).apsp().rows, nearfar.apsp(graph, method="dijkstra").rows)
