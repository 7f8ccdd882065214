"""What the functions of the backend share: how they are counted, how errors are translated, how a row is found."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import networkx as nx
import numpy as np

from ...engine.query import check, from_source
from ...engine.solve import solve
from ...errors import NearfarError, NegativeCycleError
from ...graph import Graph
from ...results import Distances
from ...results.limits import unreached
from .converted import BackendGraph

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

calls: Counter[str] = Counter()
"""How often each function of the backend ran."""


def native(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Count the calls of a function; what it cannot do, NetworkX is asked to do, by NotImplementedError.

    A newer NetworkX may pass arguments that the function does not have: None of them says nothing.
    """
    known = set(signature(function).parameters)

    @wraps(function)
    def run(*given: Given.args, **options: Given.kwargs) -> Answer:
        for name in options.keys() - known:
            if options.pop(name) is not None:
                raise NotImplementedError(f"{name} is an argument that nearfar does not know yet.")
        calls[function.__name__] += 1
        try:
            return function(*given, **options)
        except NegativeCycleError as error:
            raise nx.NetworkXUnbounded("Negative cycle detected.") from error
        except NearfarError as error:
            raise NotImplementedError(str(error)) from error

    return run


def not_negative(graph: Graph) -> Graph:
    """Refuse negative weights, of which the Dijkstra functions of NetworkX make what the order of nodes gives."""
    if graph.min_weight < 0:
        raise NotImplementedError(
            f"a weight is {graph.min_weight}, but Dijkstra's method needs weights >= 0. Use the Bellman-Ford functions."
        )
    return graph


def backward(weight: Any) -> Any:
    """Return a weight as NetworkX walks against the direction: a function gets the ends of an edge exchanged."""
    return (lambda u, v, data: weight(v, u, data)) if callable(weight) else weight


def all_there(made: BackendGraph, weight: Any) -> Graph:
    """Return the graph of a weight for functions in which NetworkX fails on an edge of weight None."""
    graph = made.graph(weight)
    if graph.m < len(made.heads):
        raise NotImplementedError("a weight is None, which means no edge for Dijkstra functions only.")
    return graph


def row_of(
    graph: Graph, sources: Iterable[int], *, cutoff: Any = None, target: int | None = None, direction: str = "from"
) -> Distances:
    """Return the row from the nearest of some sources; the search may end at a target."""
    starts = list(sources)
    limit = limit_of(cutoff, graph)
    source: Any = starts[0] if len(starts) == 1 else dict.fromkeys(starts, 0)
    query = check(graph, **from_source(graph, source), single=True, cutoff=limit, direction=direction)
    if target is not None and graph.min_weight >= 0:  # else the path may lead over nodes that are farther
        query = query.but(targets=np.array([target], np.int32))
    return solve(query)


def limit_of(cutoff: Any, graph: Graph) -> float | int | None:
    """Return a cutoff of NetworkX as one of nearfar's; a source is reached in any case."""
    limit = _number(cutoff)
    if limit is not None and limit < 0 and graph.min_weight <= 0 and graph.m:
        raise NotImplementedError(f"cutoff is {cutoff}, but some weight is 0. Only the sources are within it.")
    return limit if limit is None else max(limit, 0)


def fitting(graph: Graph) -> Graph:
    """Refuse weights whose sums may exceed int64, before NetworkX gets an iterator and can no longer take over."""
    heaviest = 0 if graph.weights is None or not graph.m else int(np.abs(graph.weights.astype(np.float64)).max())
    if graph.weight_dtype is not None and graph.weight_dtype.kind == "i" and heaviest * graph.n >= 1 << 62:
        raise NotImplementedError(f"a weight is {heaviest}: the length of a path may exceed 64 bits.")
    return graph


def _number(cutoff: Any) -> float | int | None:
    """Return a cutoff as a number that can be compared, None if there is none."""
    if cutoff is None:
        return None
    if not isinstance(cutoff, int | float | np.number | np.bool_) or isinstance(cutoff, np.complexfloating):
        raise NotImplementedError(f"cutoff is {cutoff!r:.60}, a {type(cutoff).__name__}; give an int or a float.")
    if cutoff != cutoff:
        raise NotImplementedError("cutoff is nan, which no distance can be compared with.")
    value = cutoff.item() if isinstance(cutoff, np.generic) else cutoff
    return None if value == math.inf else -1 if value == -math.inf else value * 1  # True is 1


def steps(cutoff: Any) -> Any:
    """Return the greatest number of arcs that the functions without weights count within a cutoff."""
    number = _number(cutoff)
    return number if number is None else math.ceil(number)


def reached(result: Distances, i: int) -> bool:
    """Tell whether the only row reaches a node."""
    return bool(result.rows[0, i] != unreached(result.rows.dtype))
