"""Closeness, harmonic centrality, eccentricity and mean distance: what follows from the row of each vertex.

Definitions and normalisations are those of NetworkX. No row is kept: rows are folded into a few numbers while they are
found (engine/folds.py).
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from ..engine.folds import Folded, Wanted
from ..engine.query import PreparedGraph
from ..errors import MethodError
from ..graph import Graph
from .ask import Asked, MetricOptions, ask, take_flag
from .measure import Measure


def closeness(
    graph: Graph | PreparedGraph,
    vertices: Any = None,
    *,
    hops: bool = False,
    direction: str = "to",
    wf_improved: bool = True,
    **options: Unpack[MetricOptions],
) -> Measure:
    """Return the closeness of vertices: how near all others are, 1 over the mean distance.

    Parameters
    ----------
    graph : Graph or Prepared
    vertices : vertices, optional
        By default all vertices.
    hops : bool
        Whether every arc counts 1, whatever it weighs.
    direction : {"to", "from"}
        "to": distances from the others to the vertex, as NetworkX has it; "from": the other direction. That makes a
        difference only if the graph is directed.
    wf_improved : bool
        Whether to multiply by the share of the vertices that are reached (Wasserman and Faust), so that vertices of
        small components do not come out as the closest.
    **options
        ``method``, ``device``, ``threads``, ``progress``, ``memory``, ``cutoff`` and ``client`` as in `nearfar.mssp`.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True)
    >>> nearfar.metrics.closeness(g).values.round(3)
    array([0.118, 0.167, 0.105])
    """
    wf_improved = take_flag("wf_improved", wf_improved)
    asked = ask(graph, vertices, hops, direction, options)
    folded, facts = asked.fold(Wanted(sums=True, counts=True))
    assert folded.sums is not None and folded.counts is not None
    others = folded.counts - 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(folded.sums > 0, others / folded.sums, 0.0)
    if wf_improved and asked.graph.n > 1:
        values *= others / (asked.graph.n - 1)
    return asked.measure("closeness", values, facts)


def harmonic(
    graph: Graph | PreparedGraph,
    vertices: Any = None,
    *,
    hops: bool = False,
    direction: str = "to",
    **options: Unpack[MetricOptions],
) -> Measure:
    """Return the harmonic centrality of vertices: the sum of 1 / distance over all others.

    Parameters
    ----------
    graph : Graph or Prepared
    vertices, hops, direction, **options
        As for `closeness`. Vertices at distance 0 do not count.

    Examples
    --------
    >>> import nearfar
    >>> nearfar.metrics.harmonic(nearfar.Graph.from_arcs([0, 1], [1, 2], undirected=True)).values
    array([1.5, 2. , 1.5])
    """
    asked = ask(graph, vertices, hops, direction, options)
    if asked.query.graph.min_weight < 0:
        raise MethodError(
            "harmonic centrality needs weights >= 0: 1 / distance means nothing if distances are negative."
        )
    folded, facts = asked.fold(Wanted(inverses=True))
    assert folded.inverses is not None
    return asked.measure("harmonic", folded.inverses, facts)


def eccentricity(
    graph: Graph | PreparedGraph,
    vertices: Any = None,
    *,
    hops: bool = False,
    direction: str = "from",
    reached_only: bool = False,
    **options: Unpack[MetricOptions],
) -> Measure:
    """Return the eccentricity of vertices: the distance to the farthest vertex.

    Parameters
    ----------
    graph : Graph or Prepared
    vertices, hops, **options
        As for `closeness`.
    direction : {"from", "to"}
    reached_only : bool
        Whether vertices that are not reached do not count. Otherwise they are at distance inf, and so is the
        eccentricity.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
    >>> nearfar.metrics.eccentricity(g).values
    array([12., inf, inf])
    >>> nearfar.metrics.eccentricity(g, reached_only=True).values
    array([12,  7,  0], dtype=int32)
    """
    reached_only = take_flag("reached_only", reached_only)
    asked = ask(graph, vertices, hops, direction, options)
    folded, facts = asked.fold(Wanted(greatest=True, counts=not reached_only))
    return asked.measure("eccentricity", eccentricities(asked, folded), facts)


def eccentricities(asked: Asked, folded: Folded) -> np.ndarray:
    """Return the greatest distances; inf where some vertex is not reached, if that counts."""
    assert folded.greatest is not None
    if folded.counts is None or (folded.counts == asked.graph.n).all():
        return folded.greatest
    return np.where(folded.counts == asked.graph.n, folded.greatest, np.inf)


def mean_distance(
    graph: Graph | PreparedGraph,
    vertices: Any = None,
    *,
    hops: bool = False,
    direction: str = "from",
    **options: Unpack[MetricOptions],
) -> Measure:
    """Return the mean distance to the other vertices that are reached; nan where there are none.

    Parameters
    ----------
    graph : Graph or Prepared
    vertices, hops, direction, **options
        As for `closeness`, but distances lead from the vertices by default.

    Examples
    --------
    >>> import nearfar
    >>> nearfar.metrics.mean_distance(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])).values
    array([8.5, 7. , nan])
    """
    asked = ask(graph, vertices, hops, direction, options)
    folded, facts = asked.fold(Wanted(sums=True, counts=True))
    assert folded.sums is not None and folded.counts is not None
    with np.errstate(divide="ignore", invalid="ignore"):
        values = folded.sums / (folded.counts - 1.0)
    return asked.measure("mean_distance", values, facts)


def wiener_index(graph: Graph | PreparedGraph, *, hops: bool = False, **options: Unpack[MetricOptions]) -> float:
    """Return the sum of the distances of all pairs; inf if some vertex does not reach another.

    In an undirected graph each pair counts once, in a directed graph both directions count.

    Examples
    --------
    >>> import nearfar
    >>> nearfar.metrics.wiener_index(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True))
    24.0
    """
    asked = ask(graph, None, hops, "from", options)
    folded, _ = asked.fold(Wanted(sums=True, counts=True))
    assert folded.sums is not None and folded.counts is not None
    if (folded.counts < asked.graph.n).any():
        return float("inf")
    total = folded.sums.sum(dtype=object if folded.sums.dtype.kind == "i" else None)
    return float(total) / (2 if asked.graph.undirected else 1)
