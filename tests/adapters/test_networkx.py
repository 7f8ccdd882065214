"""The NetworkX backend: every function gives what NetworkX gives, for any graph, weight and node; errors included."""

from __future__ import annotations

import inspect
import math
from contextlib import contextmanager
from itertools import islice, pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.utils.backends import _registered_algorithms as dispatched

import nearfar
from helpers.networkx_graphs import NODES, graphs
from nearfar.adapters.networkx import backend, lazy, native
from nearfar.adapters.networkx.info import FUNCTIONS, NEWER, get_info
from nearfar.adapters.networkx.lazy import LazyDict, Lengths, Paths, Reached

NAMES = [name for names in FUNCTIONS.values() for name in names]


@pytest.fixture(autouse=True)
def cache_is_quiet():
    """Let NetworkX use its cache without the warning that it gives each time."""
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore.discard("cache")


# The table.


@pytest.mark.parametrize("name", NAMES)
def test_signatures(name):
    """The arguments have NetworkX's names, order and defaults; a newer one may have more, which are None."""
    ours = list(inspect.signature(getattr(backend, name)).parameters.values())
    called = name if name in dispatched else NEWER[name]
    assert getattr(backend, called) is getattr(backend, name)
    theirs = list(inspect.signature(dispatched[called].orig_func).parameters.values())
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in theirs[: len(ours)]]
    assert all(p.default is None for p in theirs[len(ours) :])


def test_the_table_is_what_there_is():
    import importlib

    for module, names in FUNCTIONS.items():
        home = importlib.import_module(f"nearfar.adapters.networkx.{module}")
        natives = {
            name
            for name, value in vars(home).items()
            if hasattr(value, "__wrapped__") and value.__module__ == home.__name__
        }
        assert natives == set(names)
    assert set(get_info()["functions"]) == set(NAMES)
    shortest = [name for name, f in dispatched.items() if ".shortest_paths." in f.orig_func.__module__]
    assert len(shortest) >= 46
    assert set(shortest) - {*NAMES, *NEWER.values()} == {"reconstruct_path"}  # which takes no graph


# What every function gives, beside what NetworkX gives.


def weight_of(graph, weight, u, v):
    """Return the weight of an edge as NetworkX sees it."""
    data = graph[u][v]
    if weight is None:
        return 1
    if callable(weight):
        return weight(u, v, data)
    return min(d.get(weight, 1) for d in data.values()) if graph.is_multigraph() else data.get(weight, 1)


def doubled(u, v, data):
    """Return a weight that has nothing to do with attributes."""
    return 1 + (hash((str(u), str(v))) % 7 if len(data) != 99 else 0)


def length_along(graph, weight, path):
    """Return the ends of a path and its length, added along the path; no edge may be missing."""
    return path[0], path[-1], sum(weight_of(graph, weight, u, v) for u, v in pairwise(path))


def plain(graph, weight, found, kind):
    """Return a result in a form that is the same for all right answers."""
    along = lambda path: length_along(graph, weight, path)  # noqa: E731
    if kind == "path":
        return along(found)
    if kind == "length and path":
        return found[0], along(found[1])
    if kind == "paths":
        return {v: along(path) for v, path in found.items()}
    if kind == "lengths and paths":
        return dict(found[0]), {v: along(path) for v, path in found[1].items()}
    if kind == "each paths":
        return {u: {v: along(path) for v, path in some.items()} for u, some in dict(found).items()}
    if kind == "each lengths":
        return {u: dict(some) for u, some in dict(found).items()}
    if kind == "each both":
        return {u: (dict(d), {v: along(path) for v, path in p.items()}) for u, (d, p) in found}
    if kind == "before":
        return {v: sorted(map(repr, some)) for v, some in found.items()}
    if kind == "before and lengths":
        return {v: sorted(map(repr, some)) for v, some in found[0].items()}, dict(found[1])
    if kind == "all paths":
        return sorted(set(map(repr, found)))  # NetworkX repeats a path beside a loop of weight 0
    if kind == "all paths by node":
        return {v: sorted(map(repr, some)) for v, some in found}
    if kind == "some by length":
        return [along(path)[2] for path in islice(found, 8)]
    if kind == "set":
        return set(found)
    return found


def outcome(name, graph, along, kind, engine, /, *args, **options):
    """Return what a function gives, or the type and text of its error."""
    try:
        return plain(graph, along, getattr(nx, name)(graph, *args, backend=engine, **options), kind)
    except (nx.NetworkXException, ValueError, KeyError) as error:
        return type(error), str(error)


def same(one, other):
    """Tell whether two results are the same up to the rounding of floats."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(one) and math.isnan(other))
    return bool(one == other)


def check(name, graph, along, kind, /, *args, **options):
    """Compare a function with NetworkX's own."""
    wanted = outcome(name, graph, along, kind, "networkx", *args, **options)
    before = native.calls[name]
    found = outcome(name, graph, along, kind, "nearfar", *args, **options)
    assert native.calls[name] == before + 1
    assert same(wanted, found) or same(found, wanted), (wanted, found)


FROM_ONE = {
    "single_source_shortest_path_length": ("lengths", ""), "single_target_shortest_path_length": ("lengths", ""),
    "single_source_shortest_path": ("paths", ""), "single_target_shortest_path": ("paths", ""),
    "single_source_dijkstra_path_length": ("lengths", "w"), "single_source_dijkstra_path": ("paths", "w"),
    "single_source_dijkstra": ("lengths and paths", "w"), "predecessor": ("before", ""),
    "dijkstra_predecessor_and_distance": ("before and lengths", "w"),
}  # fmt: skip
weights = st.sampled_from(["w", "w", "none of them", doubled])
ends = st.sampled_from([*NODES, "foreign"])
cutoffs = st.sampled_from([None, 0, 1, 2.5, 4, 100, math.inf])


@settings(max_examples=150)
@given(graph=graphs(), source=ends, weight=weights, cutoff=cutoffs, filled_later=st.booleans())
def test_from_one_node(graph, source, weight, cutoff, filled_later):
    with pytest.MonkeyPatch.context() as patch:
        if filled_later:
            patch.setattr(Reached, "few", -1)
            patch.setattr(Paths, "few", -1)
        for name, (kind, takes) in FROM_ONE.items():
            options = {"weight": weight} if takes else {}
            check(name, graph, weight if takes else None, kind, source, cutoff=cutoff, **options)


@settings(max_examples=100)
@given(graph=graphs(), sources=st.sets(ends, max_size=3), target=ends, weight=weights, cutoff=cutoffs)
def test_from_several_nodes(graph, sources, target, weight, cutoff):
    options = {"weight": weight, "cutoff": cutoff}
    check("multi_source_dijkstra_path_length", graph, weight, "lengths", sources, **options)
    wanted = outcome("multi_source_dijkstra", graph, weight, "raw", "networkx", sources, **options)
    found = outcome("multi_source_dijkstra", graph, weight, "raw", "nearfar", sources, **options)
    if isinstance(wanted[0], type):
        assert found == wanted
        return
    assert same(dict(wanted[0]), dict(found[0])) and found[1].keys() == wanted[1].keys()
    for paths in (found[1], nx.multi_source_dijkstra_path(graph, sources, backend="nearfar", **options)):
        for v, path in paths.items():  # two sources may be equally near
            start, end, length = length_along(graph, weight, path)
            assert start in sources and end == v and same(float(length), found[0][v])
    wanted = outcome("multi_source_dijkstra", graph, weight, "raw", "networkx", sources, target, cutoff, weight)
    found = outcome("multi_source_dijkstra", graph, weight, "raw", "nearfar", sources, target, cutoff, weight)
    assert same(wanted[0], found[0])
    cells = outcome("voronoi_cells", graph, weight, "raw", "nearfar", sources, weight)
    if isinstance(cells, dict):
        lengths = {s: nx.single_source_dijkstra_path_length(graph, s, weight=weight) for s in sources}
        reached = set().union(*lengths.values())
        assert set(graph) - reached == cells.pop("unreachable", set())
        assert sorted(map(repr, reached)) == sorted(repr(v) for cell in cells.values() for v in cell)
        for s, cell in cells.items():
            assert all(lengths[s][v] == min(d.get(v, math.inf) for d in lengths.values()) for v in cell)


PAIRS = {
    "has_path": ("raw", ""), "bidirectional_shortest_path": ("path", ""),
    "bidirectional_dijkstra": ("length and path", "w"),
    "dijkstra_path": ("path", "w"), "dijkstra_path_length": ("raw", "w"), "astar_path": ("path", "w"),
    "astar_path_length": ("raw", "w"), "bellman_ford_path": ("path", "w"), "bellman_ford_path_length": ("raw", "w"),
    "single_source_dijkstra": ("length and path", "w"), "single_source_bellman_ford": ("length and path", "w"),
    "all_shortest_paths": ("all paths", "w"),
}  # fmt: skip


@settings(max_examples=150)
@given(graph=graphs(), source=ends, target=ends, weight=weights)
def test_between_two_nodes(graph, source, target, weight):
    for name, (kind, takes) in PAIRS.items():
        if name == "all_shortest_paths" and graph.size() > 9:
            continue  # there may be millions of them over weights of 0
        options = {"weight": weight} if takes else {}
        check(name, graph, weight if takes else None, kind, source, target, **options)
    if not graph.is_multigraph() and source in graph and target in graph and graph.size() < 12:
        for chosen in (None, weight):
            check("shortest_simple_paths", graph, chosen, "some by length", source, target, chosen)


@settings(max_examples=100)
@given(graph=graphs(), source=ends, target=ends, weight=st.sampled_from([None, "w"]), both=st.booleans())
def test_the_functions_that_choose(graph, source, target, weight, both):
    for method in ("dijkstra", "bellman-ford", "other"):
        for ends_, kind in (({"source": source}, "paths"), ({"target": target}, "paths"), ({}, "each paths")):
            check("shortest_path", graph, weight, kind, weight=weight, method=method, **ends_)
            kind = kind.replace("paths", "lengths")
            check("shortest_path_length", graph, weight, kind, weight=weight, method=method, **ends_)
        both_ends = {"source": source, "target": target, "weight": weight, "method": method}
        check("shortest_path", graph, weight, "path", **both_ends)
        check("shortest_path_length", graph, weight, "raw", **both_ends)


EACH = {
    "all_pairs_shortest_path_length": ("each lengths", "c"), "all_pairs_shortest_path": ("each paths", "c"),
    "all_pairs_dijkstra_path_length": ("each lengths", "cw"), "all_pairs_dijkstra_path": ("each paths", "cw"),
    "all_pairs_dijkstra": ("each both", "cw"), "all_pairs_bellman_ford_path_length": ("each lengths", "w"),
    "all_pairs_bellman_ford_path": ("each paths", "w"), "johnson": ("each paths", "w"),
    "floyd_warshall": ("each lengths", "w"),
}  # fmt: skip


@settings(max_examples=80)
@given(graph=graphs(), cutoff=cutoffs, weight=st.sampled_from(["w", "none of them"]), filled_later=st.booleans())
def test_between_all_nodes(graph, cutoff, weight, filled_later):
    with pytest.MonkeyPatch.context() as patch:
        if filled_later:
            patch.setattr(Reached, "few", -1)
            patch.setattr(Paths, "few", -1)
        for name, (kind, takes) in EACH.items():
            options = ({"weight": weight} if "w" in takes else {}) | ({"cutoff": cutoff} if "c" in takes else {})
            check(name, graph, weight if "w" in takes else None, kind, **options)
    order = list(graph)[::-1]
    ours = nx.floyd_warshall_numpy(graph, order, weight, backend="nearfar")
    assert ours.tolist() == nx.floyd_warshall_numpy(graph, order, weight, backend="networkx").tolist()
    before, lengths = nx.floyd_warshall_predecessor_and_distance(graph, weight, backend="nearfar")
    for u, v in ((u, v) for u in graph for v in graph if u != v and lengths[u][v] < math.inf):
        last = before[u][v]
        assert lengths[u][last] + weight_of(graph, weight, last, v) == lengths[u][v]
        path = nx.reconstruct_path(u, v, before)
        assert same(float(length_along(graph, weight, path)[2]), lengths[u][v])


@settings(max_examples=120)
@given(graph=graphs(negative=True), source=ends, target=ends)
def test_negative_weights(graph, source, target):
    """Lengths, paths and what is before each, or the cycle that is negative."""
    for name, kind in {
        "single_source_bellman_ford_path_length": "lengths",
        "single_source_bellman_ford_path": "paths",
        "bellman_ford_predecessor_and_distance": "before and lengths",
    }.items():
        check(name, graph, "w", kind, source, weight="w")
    for name in ("bellman_ford_path_length", "bellman_ford_path"):
        check(name, graph, "w", "path" if name.endswith("path") else "raw", source, target, weight="w")
    check("negative_edge_cycle", graph.copy(), "w", "raw", weight="w")
    wanted = outcome("goldberg_radzik", graph, "w", "raw", "networkx", source, weight="w")
    found = outcome("goldberg_radzik", graph, "w", "raw", "nearfar", source, weight="w")
    if isinstance(wanted[0], type):
        assert found == wanted
    else:
        assert dict(found[1]) == wanted[1] and found[0].keys() == wanted[0].keys() and found[0][source] is None
    check("johnson", graph, "w", "each paths", weight="w")


@settings(max_examples=60)
@given(graph=graphs(negative=True), source=ends)
def test_a_negative_cycle_is_found(graph, source):
    """NetworkX's own function fails on some cycles, so its lengths tell whether there is one."""
    lengths = outcome("single_source_bellman_ford_path_length", graph, "w", "raw", "networkx", source, weight="w")
    found = outcome("find_negative_cycle", graph, "w", "raw", "nearfar", source, weight="w")
    if lengths == (nx.NetworkXUnbounded, "Negative cycle detected."):
        assert found[0] == found[-1] and length_along(graph, "w", found)[2] < 0
    else:
        missing = (nx.NetworkXError, "No negative cycles detected.")
        assert found == (missing if isinstance(lengths, dict) else lengths)


MEASURES = (
    "eccentricity", "diameter", "radius", "center", "periphery", "barycenter", "average_shortest_path_length",
    "wiener_index", "harmonic_diameter",
)  # fmt: skip


@settings(max_examples=120)
@given(graph=graphs(), weight=st.sampled_from([None, "w"]), node=st.sampled_from(NODES))
def test_measures(graph, weight, node):
    for name in MEASURES:
        if name == "harmonic_diameter" and graph.size() == 0:
            continue
        kind = "set" if name in ("center", "periphery", "barycenter") else "raw"
        check(name, graph, weight, kind, weight=weight)
    check("eccentricity", graph, weight, "raw", v=node if node in graph else [], weight=weight)
    for improved in (True, False):
        check("closeness_centrality", graph, weight, "raw", distance=weight, wf_improved=improved)
    check("closeness_centrality", graph, weight, "raw", u=node if node in graph else "foreign", distance=weight)
    check("harmonic_centrality", graph, weight, "raw", distance=weight)
    some = list(graph)[::2]
    check("harmonic_centrality", graph, weight, "raw", nbunch=some, distance=weight, sources=some[::-1])
    check("harmonic_centrality", graph, weight, "raw", nbunch=[*graph], distance=weight, sources=some)


def positive(graph):
    """Return a graph with weights above 0: over others NetworkX's betweenness depends on the order of nodes."""
    for *_, data in graph.edges(data=True):
        if "w" in data:
            data["w"] += 1
    return graph


@settings(max_examples=100)
@given(
    graph=graphs().map(positive), weight=st.sampled_from([None, "w"]), seed=st.integers(0, 9), normalized=st.booleans()
)
def test_betweenness(graph, weight, seed, normalized):
    k = max(1, len(graph) // 2)
    options = {"normalized": normalized, "weight": weight}
    for endpoints in (False, True):
        check("betweenness_centrality", graph, weight, "raw", endpoints=endpoints, **options)
        check("betweenness_centrality", graph, weight, "raw", k=k, seed=seed, endpoints=endpoints, **options)
    check("edge_betweenness_centrality", graph, weight, "raw", **options)
    check("edge_betweenness_centrality", graph, weight, "raw", k=k, seed=seed, **options)
    some, others = list(graph)[::2], list(graph)[1:]
    check("betweenness_centrality_subset", graph, weight, "raw", some, others, **options)


@settings(max_examples=60)
@given(graph=graphs().map(positive))
def test_betweenness_of_edges_of_a_subset(graph):
    """NetworkX shares ties wrongly here, so all paths are listed."""
    if graph.is_multigraph():
        return
    some, others = list(graph)[::2], list(graph)[1:]
    wanted = dict.fromkeys(graph.edges, 0.0)
    for s in some:
        for t in others:
            if s != t and nx.has_path(graph, s, t):
                paths = list(nx.all_shortest_paths(graph, s, t, "w"))
                for path in paths:
                    for u, v in pairwise(path):
                        wanted[(u, v) if (u, v) in wanted else (v, u)] += 1 / len(paths)
    scale = 1 if graph.is_directed() or len(graph) < 2 else 2
    found = nx.edge_betweenness_centrality_subset(graph, some, others, weight="w", backend="nearfar")
    assert same({edge: load / scale for edge, load in wanted.items()}, found)


@settings(max_examples=60)
@given(graph=graphs().map(positive), source=st.sampled_from(NODES), weight=st.sampled_from([None, "w"]))
def test_all_shortest_paths(graph, source, weight):
    for name, args in (("single_source_all_shortest_paths", (source,)), ("all_pairs_all_shortest_paths", ())):
        kind = "all paths by node" if args else "raw"
        if not args:
            wanted = {
                u: {v: sorted(map(repr, p)) for v, p in d.items()}
                for u, d in nx.all_pairs_all_shortest_paths(graph, weight, backend="networkx")
            }
            found = {
                u: {v: sorted(map(repr, p)) for v, p in d.items()}
                for u, d in nx.all_pairs_all_shortest_paths(graph, weight, backend="nearfar")
            }
            assert wanted == found
        else:
            check(name, graph, weight, kind, *args, weight=weight)


@given(
    graph=graphs(),
    source=ends,
    target=ends,
    cutoff=st.sampled_from([None, 3, 8]),
    factor=st.sampled_from([0, 0.5, 1, 3]),
)
def test_heuristics(graph, source, target, cutoff, factor):
    """With an estimate that is never too long, the path is the shortest; with others NetworkX is asked."""
    lengths = dict(nx.all_pairs_dijkstra_path_length(graph, weight="w"))

    def estimate(u, v):
        return factor * lengths[u].get(v, 0)

    options = {"heuristic": estimate, "weight": "w", "cutoff": cutoff}
    try:
        check("astar_path_length", graph, "w", "raw", source, target, **options)
    except NotImplementedError as error:
        assert factor > 1 and "the heuristic estimates" in str(error.__cause__)


# Types, orders, numbers.


@contextmanager
def refused(reason):
    """Expect that the backend asks NetworkX to run, for a reason."""
    with pytest.raises(NotImplementedError) as found:
        yield
    assert reason in f"{found.value} {found.value.__cause__}"


def test_answers_are_plain_python():
    graph = nx.path_graph(5)
    nx.set_edge_attributes(graph, 0.5, "w")
    for weight, kind in ((None, int), ("w", float)):
        found = nx.shortest_path_length(graph, 0, weight=weight, backend="nearfar")
        assert type(found) is dict and [type(d) for d in list(found.values())[1:]] == [kind] * 4
        assert list(found) == [0, 1, 2, 3, 4]
    assert type(nx.closeness_centrality(graph, backend="nearfar")[0]) is float
    assert type(nx.diameter(graph, backend="nearfar")) is int
    big = nx.path_graph(2000)
    order = list(nx.single_source_shortest_path_length(big, 1999, backend="nearfar"))
    assert order == list(range(1999, -1, -1))


@pytest.mark.parametrize(
    "weight, reason",
    [
        ("far", "a weight is 'far', a str"),
        (1 + 2j, "a weight is (1+2j), a complex"),
        (math.inf, "a weight is inf"),
        (math.nan, "a weight is nan"),
        (2**63, "whole numbers end at 2**63 - 1"),
        (2**70, "whole numbers end at 2**63 - 1"),
    ],
)
def test_weights_that_are_refused(weight, reason):
    graph = nx.path_graph(30)
    graph.add_edge(0, 1, weight=weight)
    with refused(reason):
        nx.dijkstra_path_length(graph, 3, 9, backend="nearfar")
    if weight == 2**63:
        with nx.config(backend_priority=["nearfar"]):
            assert nx.dijkstra_path_length(graph, 0, 2) == 2**63 + 1  # NetworkX takes over


def test_weights_that_are_mixed():
    graph = nx.path_graph(4)
    graph.add_edge(0, 1, weight=True)
    graph.add_edge(1, 2, weight=np.float32(0.5))
    graph.add_edge(2, 3, weight=None)
    found = nx.single_source_dijkstra_path_length(graph, 0, backend="nearfar")
    assert found == nx.single_source_dijkstra_path_length(graph, 0, backend="networkx") == {0: 0, 1: 1, 2: 1.5}
    graph.add_edge(1, 2, weight=2**60)
    graph.add_edge(2, 3, weight=0.5)
    with refused("a float would round them"):
        nx.single_source_dijkstra_path_length(graph, 0, backend="nearfar")
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, 2**62, "weight")
    with refused("may exceed int64"):
        nx.single_source_dijkstra_path_length(graph, 0, backend="nearfar")


def test_weights_of_numpy_and_lists():
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, np.uint8(50), "weight")
    found = nx.single_source_dijkstra_path_length(graph, 0, backend="nearfar")
    assert found == {0: 0, 1: 50, 2: 100} and type(found[2]) is int
    graph.add_edge(5, 6, weight=[1, 2])  # as OSMnx has it for the tags of joined streets
    for _ in range(2):  # the second time it is known
        with refused("a weight is [1, 2], a list"):
            nx.single_source_dijkstra_path_length(graph, 0, backend="nearfar")
    assert nx.shortest_path_length(graph, 0, 2, backend="nearfar") == 2
    many = nx.MultiGraph([(0, 1, {"weight": 1}), (2, 3, {"weight": None}), (2, 3, {"weight": 1})])
    with refused("weights of parallel edges cannot be compared"):
        nx.dijkstra_path_length(many, 0, 1, backend="nearfar")
    with nx.config(backend_priority=["nearfar"]):
        assert nx.dijkstra_path_length(many, 0, 1) == nx.astar_path_length(many, 0, 1) == 1
        assert nx.single_source_dijkstra_path_length(graph, 0) == {0: 0, 1: 50, 2: 100}


@pytest.mark.parametrize("cutoff, reason", [(math.nan, "cutoff is nan"), ("2", "cutoff is '2', a str")])
def test_cutoffs_that_are_refused(cutoff, reason):
    graph = nx.path_graph(5)
    for name in ("single_source_shortest_path_length", "single_source_dijkstra_path_length", "predecessor"):
        with refused(reason):
            getattr(nx, name)(graph, 0, cutoff=cutoff, backend="nearfar")
    with refused(reason):
        nx.all_pairs_dijkstra_path_length(graph, cutoff=cutoff, backend="nearfar")


def test_cutoffs_that_are_odd():
    graph = nx.path_graph(5)
    for cutoff in (-1, -math.inf, True, np.float64(1.5), np.int64(2)):
        check("single_source_dijkstra_path_length", graph, "weight", "lengths", 0, cutoff=cutoff)
        check("all_pairs_shortest_path_length", graph, None, "each lengths", cutoff=cutoff)
    for cutoff in (-1, 0, 0.5, 1, 2):
        check("predecessor", graph, None, "before", 0, cutoff=cutoff)
    graph.add_edge(0, 1, weight=0)
    with refused("Only the sources are within it"):
        nx.single_source_dijkstra_path_length(graph, 0, cutoff=-1, backend="nearfar")


@pytest.mark.parametrize(
    "name, args",
    [
        ("all_pairs_dijkstra_path_length", ()),
        ("all_pairs_bellman_ford_path", ()),
        ("single_source_all_shortest_paths", (0,)),
        ("all_pairs_all_shortest_paths", ()),
        ("shortest_simple_paths", (0, 2)),
    ],
)
def test_what_iterators_cannot_do_is_said_before_the_first(name, args):
    """Later NetworkX could no longer take over."""
    graph = nx.path_graph(3)
    for heavy, reason in ((2**62, "may exceed 64 bits"), (1e308, "may exceed a float")):
        nx.set_edge_attributes(graph, heavy, "weight")
        with refused(reason):
            getattr(nx, name)(graph, *args, weight="weight", backend="nearfar")


def test_the_same_nodes_are_drawn_if_networkx_takes_over(monkeypatch):
    graph = nx.gnm_random_graph(12, 30, seed=3)
    nx.set_edge_attributes(graph, {edge: i % 4 for i, edge in enumerate(graph.edges)}, "weight")
    monkeypatch.setattr(backend, "should_run", lambda *given: True)
    for name in ("betweenness_centrality", "edge_betweenness_centrality"):
        wanted = getattr(nx, name)(graph, 4, weight="weight", seed=1, backend="networkx")
        with nx.config(backend_priority=["nearfar"]):
            assert getattr(nx, name)(graph, 4, weight="weight", seed=1) == wanted


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph])
def test_functions_that_tell_directions_apart(kind):
    """NetworkX walks backward from a target, and calls the function with the ends exchanged."""
    graph = nx.gnm_random_graph(9, 20, seed=2, directed=kind is nx.DiGraph)
    graph = kind(graph.edges)
    check("closeness_centrality", graph, uphill, "raw", distance=uphill)
    check("closeness_centrality", graph, uphill, "raw", u=3, distance=uphill)
    check("harmonic_centrality", graph, uphill, "raw", distance=uphill)
    check("eccentricity", graph, uphill, "raw", weight=uphill)
    for method in ("dijkstra", "bellman-ford"):
        check("shortest_path_length", graph, uphill, "lengths", target=4, weight=uphill, method=method)
        check("shortest_path_length", graph, uphill, "lengths", source=4, weight=uphill, method=method)


def uphill(u, v, data):
    """Return a weight that depends on the direction."""
    return 1 + 2 * max(v - u, 0)


def test_hidden_edges():
    """Some functions of NetworkX count an edge of weight None as one that connects, or cannot add it."""
    graph = nx.Graph([(0, 1, {"weight": None}), (1, 2, {"weight": 2})])
    for name in ("average_shortest_path_length", "wiener_index", "barycenter"):
        with refused("weights of None hide edges"):
            getattr(nx, name)(graph, weight="weight", backend="nearfar")
    for method in ("shortest_path", "shortest_path_length"):
        with refused("a weight is None"):  # which Bellman and Ford's method cannot add, from a target either
            getattr(nx, method)(graph, target=0, weight="weight", method="bellman-ford", backend="nearfar")
    with refused("a weight is None"):
        nx.betweenness_centrality(graph, weight="weight", backend="nearfar")


def test_negative_weights_of_dijkstra_are_left_to_networkx():
    graph = nx.DiGraph([(0, 1), (1, 2)])
    nx.set_edge_attributes(graph, -1, "weight")
    with refused("Use the Bellman-Ford functions"):
        nx.dijkstra_path_length(graph, 0, 2, backend="nearfar")
    with nx.config(backend_priority=["nearfar"]):
        assert nx.dijkstra_path_length(graph, 0, 2) == -2


def test_arguments_of_a_newer_networkx():
    made = backend.convert_from_nx(nx.path_graph(5))
    assert backend.closeness_centrality(made, 0, newer=None) == nx.closeness_centrality(nx.path_graph(5), 0)
    with pytest.raises(NotImplementedError, match="newer is an argument that nearfar does not know yet"):
        backend.closeness_centrality(made, 0, newer=1)
    assert "distances are given" in backend.can_run("closeness_centrality", (nx.path_graph(5),), {"sp": {}})


# The cache.


def test_conversions_are_cached_until_the_graph_changes(monkeypatch):
    from nearfar.adapters.networkx import converted

    made = []
    build = converted.BackendGraph.__init__
    monkeypatch.setattr(
        converted.BackendGraph, "__init__", lambda self, origin: [made.append(1), build(self, origin)][1]
    )
    graph = nx.path_graph(50)
    for _ in range(3):
        assert nx.shortest_path_length(graph, 0, 49, weight="weight", backend="nearfar") == 49
    assert len(made) == 1
    graph.add_edge(0, 48)
    assert nx.shortest_path_length(graph, 0, 49, weight="weight", backend="nearfar") == 2 and len(made) == 2
    nx.shortest_path_length(graph, 0, 49, backend="nearfar")  # hops: what is cached has them
    assert nx.betweenness_centrality(graph, backend="nearfar")[48] > 0
    assert nx.dijkstra_path_length(graph, 0, 49, lambda u, v, d: 2, backend="nearfar") == 4
    assert len(made) <= 4


def test_views_are_taken():
    graph = nx.path_graph(40, nx.DiGraph)
    part = graph.subgraph(range(10, 30))
    assert nx.shortest_path_length(part, 10, 29, backend="nearfar") == 19
    with pytest.raises(nx.NodeNotFound):
        nx.shortest_path_length(part, 0, 29, backend="nearfar")
    assert nx.shortest_path_length(graph.reverse(copy=False), 39, 0, backend="nearfar") == 39
    assert nx.diameter(graph.to_undirected(as_view=True), backend="nearfar") == 39


def test_views_change_with_their_graph():
    """NetworkX drops what it has cached of a graph that changes, but not what it has cached of its views."""
    graph = nx.path_graph(30, nx.DiGraph)
    part, back = graph.subgraph(range(20)), graph.reverse(copy=False)
    inner = part.subgraph(range(2, 20))
    closed = set()
    open_ = nx.subgraph_view(graph, filter_edge=lambda u, v: (u, v) not in closed)

    def lengths():
        views = ((part, 0, 19), (inner, 2, 19), (back, 19, 0), (open_, 0, 19))
        return [nx.shortest_path_length(view, u, v, backend="nearfar") for view, u, v in views]

    assert lengths() == lengths() == [19, 17, 19, 19]
    graph.add_edge(2, 18)
    assert lengths() == lengths() == [4, 2, 4, 4]
    closed.add((2, 18))
    assert lengths() == [4, 2, 4, 19]


def test_views_that_weigh_directions_differently():
    """NetworkX's functions disagree about such edges: some take both weights, others one."""
    graph = nx.DiGraph([(0, 1, {"w": 3}), (1, 0, {"w": 5}), (1, 2, {"w": 1})])
    view = graph.to_undirected(as_view=True)
    with refused("weighs differently in its two directions"):
        nx.all_pairs_dijkstra_path(view, weight="w", backend="nearfar")
    with refused("may see either direction"):
        nx.all_pairs_dijkstra_path(view, weight=doubled, backend="nearfar")
    check("all_pairs_shortest_path", view, None, "each paths")
    graph[1][0]["w"] = 3
    view = graph.to_undirected(as_view=True)
    check("all_pairs_dijkstra_path", view, "w", "each paths", weight="w")
    part = nx.subgraph_view(nx.path_graph(3), filter_edge=nx.filters.hide_diedges([(1, 0)]))
    check("all_pairs_shortest_path", part, None, "each paths")


def test_filters_of_edges():
    """The length of a view's neighbours counts hidden ones, and a filter may hide one direction of an edge."""
    graph = nx.MultiGraph([(0, 1), (1, 2), (0, 2), (0, 2)])
    view = nx.subgraph_view(graph, filter_edge=lambda u, v, key: (u, v) != (0, 2))
    for name in ("all_pairs_shortest_path", "all_pairs_dijkstra_path", "all_pairs_bellman_ford_path"):
        check(name, view, None, "each paths")
    assert nx.shortest_path(view, 0, 2, backend="nearfar") == [0, 1, 2]
    assert nx.shortest_path(view, 2, 0, backend="nearfar") == [2, 0]


def test_a_converted_graph_is_a_graph():
    origin = nx.relabel_nodes(nx.path_graph(30), str)
    made = backend.convert_from_nx(origin, edge_attrs={"weight": 1})
    assert nx.shortest_path_length(made, "0", "29") == 29
    assert nx.utils.graphs_equal(backend.convert_to_nx(made), origin)
    assert made.is_directed() is False and "5" in made and [] not in made and list(made) == list(origin)


# Who runs.


def test_small_graphs_are_left_to_networkx():
    with nx.config(backend_priority=["nearfar"]):
        before = sum(native.calls.values())
        small = nx.path_graph(10)
        nx.closeness_centrality(small)
        nx.single_source_dijkstra_path_length(small, 0)
        nx.has_path(small, 0, 9)
        assert sum(native.calls.values()) == before
        large = nx.gnm_random_graph(3000, 30000, seed=1)
        nx.single_source_dijkstra_path_length(large, 0)
        nx.closeness_centrality(large.subgraph(range(300)))
        assert native.calls["closeness_centrality"] and sum(native.calls.values()) == before + 2


@pytest.mark.parametrize(
    "name, given, runs",
    [
        ("single_source_dijkstra_path_length", {"source": 0, "cutoff": 3, "weight": "weight"}, False),
        ("single_source_dijkstra_path_length", {"source": 0, "cutoff": 10**4, "weight": "weight"}, True),
        ("all_pairs_shortest_path_length", {"cutoff": 1}, False),
        ("all_pairs_shortest_path_length", {"cutoff": None}, True),
        ("all_pairs_shortest_path", {"cutoff": 4}, False),
        ("all_pairs_shortest_path", {"cutoff": None}, True),
        ("all_pairs_dijkstra_path_length", {"cutoff": 4, "weight": "weight"}, True),
        ("floyd_warshall", {"weight": "weight"}, True),
        ("bidirectional_dijkstra", {"source": 0, "target": 9, "weight": doubled}, False),
        ("single_source_dijkstra_path_length", {"source": 0, "weight": doubled}, False),
        ("closeness_centrality", {"u": None, "distance": None}, True),
        ("closeness_centrality", {"u": 0, "distance": None}, False),
        ("eccentricity", {"v": 0, "weight": None}, False),
        ("eccentricity", {"v": [0, 1] * 50, "weight": None}, True),
        ("all_pairs_shortest_path_length", {"cutoff": 30}, True),
        ("closeness_centrality", {"u": None, "distance": doubled}, True),
    ],
)
def test_what_pays(name, given, runs):
    """Searches that see little of a graph, and functions that would be called for all edges, stay with NetworkX."""
    graph = nx.grid_2d_graph(60, 60) if name != "single_source_dijkstra_path_length" else nx.grid_2d_graph(200, 200)
    graph = nx.convert_node_labels_to_integers(graph)
    assert (backend.should_run(name, (graph,), given) is True) == runs


def test_single_pairs_are_converted_when_there_are_several():
    graph = nx.gnm_random_graph(20_000, 60_000, seed=1)
    with nx.config(backend_priority=["nearfar"]):
        counts = []
        for _ in range(12):
            before = native.calls["bidirectional_dijkstra"]
            nx.bidirectional_dijkstra(graph, 0, 199)
            counts.append(native.calls["bidirectional_dijkstra"] - before)
        assert counts == sorted(counts) and counts[0] == 0 and counts[-1] == 1
        graph.add_edge(0, 199)
        assert nx.bidirectional_dijkstra(graph, 0, 199) == (1, [0, 199])


@pytest.mark.parametrize(
    "name, given, reason",
    [
        ("diameter", {"e": {0: 1}}, "distances are given"),
        ("eccentricity", {"sp": {}}, "distances are given"),
        ("barycenter", {"attr": "x"}, "attr writes"),
        ("floyd_warshall", {"weight": doubled}, "takes the name of an attribute"),
        ("average_shortest_path_length", {"weight": doubled, "method": "floyd-warshall"}, "takes the name"),
    ],
)
def test_reasons(name, given, reason):
    assert reason in backend.can_run(name, (nx.path_graph(5, nx.DiGraph),), given)
    assert backend.can_run(name, (nx.Graph(),), given) == "the graph has no nodes"


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
@pytest.mark.parametrize("name", ["diameter", "radius", "center", "periphery"])
def test_bounds_have_their_own_error(name, kind):
    """NetworkX says otherwise that a graph is not connected if it was to use bounds, which directed graphs do not."""
    apart = kind([(0, 1), (2, 3)])
    for usebounds in (True, False):
        said = []
        for backend_name in ("nearfar", "networkx"):
            with pytest.raises(nx.NetworkXError) as raised:
                getattr(nx, name)(apart, usebounds=usebounds, backend=backend_name)
            said.append(str(raised.value))
        assert said[0] == said[1]


# Dicts that are filled when they are read.


@pytest.mark.parametrize("walked", (True, False), ids=("one by one", "by trees"))
@given(graph=graphs(), cutoff=cutoffs, to=st.booleans())
@settings(max_examples=40)
def test_paths_that_are_few(walked, graph, cutoff, to):
    """Few nodes of a large row are walked to one by one; of all others, paths are those of their trees and one more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lazy, "FEW_REACHED", 0 if walked else 10**9)
        check("all_pairs_dijkstra_path", graph, "w", "each paths", cutoff=cutoff, weight="w")
        name = "single_target_shortest_path" if to else "single_source_shortest_path"
        check(name, graph, None, "paths", next(iter(graph)), cutoff=cutoff)


def test_reading_few_entries_fills_the_dict():
    made = backend.convert_from_nx(nx.path_graph(3000))
    found = LazyDict(made, Paths(made.nodes, nearfar.sssp(made.graph(None), 0, cutoff=4)))
    assert found[2] == [0, 1, 2] and found._made is None  # one of 3,000 may be all that is read
    assert [found[v] for v in list(found)] == [list(range(v + 1)) for v in range(5)] and found._made is not None


def lazy_dict(values=(5, 0, 7, 2**31 - 1)):
    graph = backend.convert_from_nx(nx.path_graph("abcd"[: len(values)]))
    return LazyDict(graph, Lengths(np.array(values, np.int32))), {"b": 0, "a": 5, "c": 7}


def test_a_lazy_dict_is_a_dict(monkeypatch):
    import copy
    import json
    import pickle

    for read in (
        dict,
        lambda d: {**d},
        lambda d: d.copy(),
        copy.copy,
        copy.deepcopy,
        lambda d: pickle.loads(pickle.dumps(d)),
    ):
        found, wanted = lazy_dict()
        again = read(found)
        assert again == wanted and list(again) == list(wanted)
    monkeypatch.setattr(lazy, "SHARE", 0)  # or four nodes would be filled at the first look
    found, wanted = lazy_dict()
    assert len(found) == 3 and "d" not in found and "x" not in found and found.get("d", -1) == -1
    with pytest.raises(KeyError, match="'d'"):
        found["d"]
    with pytest.raises(KeyError, match="'x'"):
        found["x"]
    with pytest.raises(TypeError):
        [] in found  # noqa: B015
    assert list(found) == ["b", "a", "c"] and found["c"] == 7
    assert found._made is None  # nothing was filled so far
    assert repr(found) == repr(wanted) and found == wanted and wanted == found and found != {"b": 0} and found != 3
    assert found == lazy_dict()[0] and list(reversed(found)) == ["c", "a", "b"]
    assert json.dumps(dict(found)) == json.dumps(wanted)
    assert (
        list(found.items()) == list(wanted.items())
        and list(found.values()) == [0, 5, 7]
        and found.keys() == wanted.keys()
    )
    assert found | {"z": 1} == wanted | {"z": 1} and {"a": 1, "z": 1} | found == {"a": 5, "z": 1, "b": 0, "c": 7}
    with pytest.raises(TypeError, match="unhashable"):
        hash(found)


def test_a_lazy_dict_can_be_written():
    found, wanted = lazy_dict()
    found["a"] = wanted["a"] = 1
    del found["b"], wanted["b"]
    assert found.pop("c") == wanted.pop("c") and found.setdefault("n", 4) == wanted.setdefault("n", 4)
    found |= {"m": 2}
    wanted |= {"m": 2}
    assert found == wanted and list(found) == list(wanted) and len(found) == 3 and "b" not in found
    paths = nx.single_source_shortest_path(nx.path_graph(400), 0, backend="nearfar")
    assert isinstance(paths, LazyDict)
    paths[3].append("end")  # a list that was read is the caller's
    assert (
        paths[3] == [0, 1, 2, 3, "end"] and dict(paths)[3] == [0, 1, 2, 3, "end"] and dict(paths)[4] == [0, 1, 2, 3, 4]
    )


@pytest.mark.parametrize("backward", (False, True))
def test_lazy_paths(backward):
    graph = nx.gnm_random_graph(300, 500, seed=5, directed=True)
    ask = nx.single_target_shortest_path if backward else nx.single_source_shortest_path
    some, whole = ask(graph, 0, backend="nearfar"), ask(graph, 0, backend="nearfar")
    wanted = ask(graph, 0, backend="networkx")
    assert {v: some[v] for v in wanted} == dict(whole) and {v: len(p) for v, p in whole.items()} == {
        v: len(p) for v, p in wanted.items()
    }
