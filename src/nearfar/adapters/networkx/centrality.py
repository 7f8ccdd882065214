"""Closeness, harmonic closeness and betweenness, of nodes and of edges."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np

from ... import metrics
from ...engine.loads import find_loads
from ...engine.query import check
from ...graph import Graph
from ...results.ties import require_no_zero_cycle
from .converted import BackendGraph
from .native import all_there, backward, native, not_negative


def _by_node(graph: BackendGraph, values: np.ndarray) -> dict[Any, Any]:
    """Return one number per node."""
    return dict(zip(graph.nodes, values.tolist(), strict=True))


@native
def closeness_centrality(
    G: BackendGraph, u: Any = None, distance: Any = None, wf_improved: bool = True
) -> Any:  # fmt: skip
    """Return 1 over the mean distance from all other nodes, for all nodes or one."""
    plain = not_negative(G.graph(backward(distance)))
    if u is None:
        return _by_node(G, metrics.closeness(plain, wf_improved=bool(wf_improved)).values)
    if u not in G:
        raise nx.NodeNotFound(f"Source {u} is not in G" if distance is None else f"Node {u} not found in graph")
    return metrics.closeness(plain, [G.index[u]], wf_improved=bool(wf_improved)).values[0].item()


@native
def harmonic_centrality(
    G: BackendGraph, nbunch: Any = None, distance: Any = None, sources: Any = None
) -> dict[Any, Any]:  # fmt: skip
    """Return the sum of 1 over the distances from all other nodes, or from some."""
    plain = not_negative(G.graph(distance))
    wanted = _bunch(G, nbunch)
    if sources is None:
        found = metrics.harmonic(plain, wanted).values
    else:
        starts = np.zeros(len(G), np.float64)
        starts[_bunch(G, sources)] = 1.0
        decay = metrics.accessibility(plain, starts, vertices=wanted, decay=_inverse, direction="to")
        found = decay.values
    return dict(zip(map(G.nodes.__getitem__, wanted), found.tolist(), strict=True))


def _inverse(dist: np.ndarray) -> np.ndarray:
    """Return 1 over distances that are not 0."""
    return np.divide(1.0, dist, out=np.zeros(len(dist)), where=dist != 0)


def _bunch(graph: BackendGraph, bunch: Any) -> list[int]:
    """Return the indices of all nodes, of one, or of those of a list that are nodes, as nbunch_iter does."""
    return [graph.index[node] for node in dict.fromkeys(graph.origin.nbunch_iter(bunch))]


def _countable(graph: BackendGraph, weight: Any) -> Graph:
    """Return the graph of a weight, or refuse it before sources are drawn, so that NetworkX draws the same ones."""
    plain = not_negative(all_there(graph, weight))
    require_no_zero_cycle(plain)
    return plain


def _loads(plain: Graph, sources: Any, targets: Any, *, ends: bool = False, arcs: bool = False) -> Any:
    """Return what passes through nodes, starts or ends at them, and passes over arcs.

    Float lengths tie if they are equal to the bit, as in NetworkX.
    """
    query = check(plain, np.asarray(sources, np.int32))
    wanted = np.ones(plain.n)
    if targets is not None:
        wanted[:] = 0.0
        wanted[targets] = 1.0
    exact = plain.weight_dtype is not None and plain.weight_dtype.kind == "f"
    return find_loads(query, wanted, ends=ends, arcs=arcs, exact=exact)[0]


def _sources(graph: BackendGraph, k: Any, seed: Any) -> tuple[list[int], list[int] | None]:
    """Return the sources, and those that were drawn if only some are; NetworkX makes ``seed`` a generator before."""
    if k is None:
        return list(range(len(graph))), None
    drawn = [graph.index[node] for node in seed.sample(list(graph.nodes), k)]
    return drawn, drawn


def _scale(n: int, directed: bool, normalized: bool, k: int | None) -> float:
    """Return what pairs of n nodes are multiplied by, if k of them were sources, all if it is None."""
    sources = n if k is None else k
    if normalized:
        return 1 / (sources * (n - 1))
    return n / (sources * (1 if directed else 2))


@native
def betweenness_centrality(
    G: BackendGraph, k: Any = None, normalized: bool = True, weight: Any = None, endpoints: bool = False,
    seed: Any = None,
) -> dict[Any, float]:  # fmt: skip
    """Return the share of shortest paths through every node."""
    plain = _countable(G, weight)
    sources, drawn = _sources(G, None if k == len(G) else k, seed)
    through, ends, _ = _loads(plain, sources, None, ends=bool(endpoints))
    values = through if ends is None else through + ends
    n = len(G) if endpoints else len(G) - 1
    if n < 2:
        return _by_node(G, values)
    scales: Any = _scale(n, G.directed, normalized, None if drawn is None else len(drawn))
    if drawn is not None and not endpoints:  # a source is no end of its own pairs
        scales = np.full(len(G), scales)
        scales[drawn] = _scale(n, G.directed, normalized, len(drawn) - 1) if len(drawn) > 1 else math.nan
    return _by_node(G, values * scales)


@native
def betweenness_centrality_subset(
    G: BackendGraph, sources: Any, targets: Any, normalized: bool = False, weight: Any = None
) -> dict[Any, float]:  # fmt: skip
    """Return the share of shortest paths from some nodes to some through every node."""
    through, _, _ = _loads(_countable(G, weight), _known(G, sources), _known(G, targets, False))
    n = len(G) - 1
    return _by_node(G, through if n < 2 else through * _scale(n, G.directed, normalized, None))


def _known(graph: BackendGraph, nodes: Any, required: bool = True) -> list[int]:
    """Return the indices of some nodes; those that are foreign raise KeyError, or are left out."""
    return [graph.index[node] for node in nodes if required or node in graph]


@native
def edge_betweenness_centrality(
    G: BackendGraph, k: Any = None, normalized: bool = True, weight: Any = None, seed: Any = None
) -> dict[Any, float]:  # fmt: skip
    """Return the share of shortest paths over every edge."""
    plain = _countable(G, weight)
    sources, drawn = _sources(G, k, seed)
    _, _, over = _loads(plain, sources, None, arcs=True)
    scale = 1.0 if len(G) < 2 else _scale(len(G), G.directed, normalized, None if drawn is None else len(drawn))
    return _by_edge(G, plain, over * scale, weight)


@native
def edge_betweenness_centrality_subset(
    G: BackendGraph, sources: Any, targets: Any, normalized: bool = False, weight: Any = None
) -> dict[Any, float]:  # fmt: skip
    """Return the share of shortest paths from some nodes to some over every edge."""
    plain = _countable(G, weight)
    _, _, over = _loads(plain, _known(G, sources), _known(G, targets, False), arcs=True)
    scale = 1.0 if len(G) < 2 else _scale(len(G), G.directed, normalized, None)
    return _by_edge(G, plain, over * scale, weight)


def _by_edge(graph: BackendGraph, plain: Graph, over: np.ndarray, weight: Any) -> dict[Any, float]:
    """Return one number per edge, in NetworkX's order; of an undirected edge, both directions together."""
    n, nodes = len(graph), graph.nodes
    tails = np.repeat(np.arange(n), np.diff(graph.offsets))
    heads, loads = graph.heads.astype(np.int64), np.zeros(len(graph.heads))
    codes, known = tails * n + heads, plain.tails.astype(np.int64) * n + plain.heads
    order = np.argsort(codes)
    loads[order[np.searchsorted(codes[order], known)]] = over
    if not graph.directed:
        back = order[np.searchsorted(codes[order], heads * n + tails)]
        loads = np.where(tails == heads, loads, loads + loads[back])
        kept = tails <= heads
        tails, heads, loads = tails[kept], heads[kept], loads[kept]
    ends = zip(tails.tolist(), heads.tolist(), strict=True)
    found = dict(zip(((nodes[u], nodes[v]) for u, v in ends), loads.tolist(), strict=True))
    return _by_key(graph, found, weight) if graph.many else found


def _by_key(graph: BackendGraph, found: dict[Any, float], weight: Any) -> dict[Any, float]:
    """Return one number per edge with its key: the lightest of parallel edges share alike, the others have 0."""
    adjacency = graph.origin._adj
    made = dict.fromkeys(graph.origin.edges(keys=True), 0.0)
    for (u, v), load in found.items():
        keyed = adjacency[u][v]
        weights = {key: _weight(u, v, {key: data}, weight) for key, data in keyed.items()}
        least = _weight(u, v, keyed, weight)
        lightest = [key for key, value in weights.items() if value == least]
        for key in lightest:
            made[u, v, key] = load / len(lightest)
    return made


def _weight(u: Any, v: Any, keyed: Any, weight: Any) -> Any:
    """Return the weight of parallel edges, as NetworkX's functions see it."""
    return weight(u, v, keyed) if callable(weight) else min(data.get(weight, 1) for data in keyed.values())
