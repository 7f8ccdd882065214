"""How the larger graph of a `TurnGraph` is made of turns and forbidden ways.

The state of an arc that is remembered is at its head. A forbidden way of three or more arcs is remembered while it is
followed: each of its beginnings is a state. From a state, an arc leads to the state of the longest beginning that has
then been followed (Aho and Corasick, "Efficient string matching", 1975), else to that of the arc, else to the departure
of its head, where nothing is remembered.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import GraphError
from ..kernels.cpu.constants import NO_VERTEX
from .arrays import Array
from .graph import Graph
from .rows import freeze
from .turn_list import Turns, Way, list_turns, take_paths
from .turns import Costs, TurnGraph, take_cost


class _Arcs(NamedTuple):
    """Arcs between states: tail, head, what the turn before costs, and which arc of the graph it is."""

    tails: Any
    heads: Any
    costs: Any
    arcs: Any


def with_turns(graph: Graph, forbidden: Any, costs: Costs | None, uturn: float) -> TurnGraph:
    """Implement `Graph.with_turns`."""
    if graph.min_weight < 0:
        raise GraphError(f"the least weight is {graph.min_weight}, but turns need weights of at least 0.")
    paths = take_paths(forbidden)
    turns, long = list_turns(graph, paths, costs, take_cost(uturn, "the cost of a U-turn, uturn"))
    begun = sorted({way[:i] for way in long for i in range(2, len(way))})
    number = {way: graph.n + len(turns.arcs) + i for i, way in enumerate(begun)}
    onto = graph.heads.astype(np.int64)  # the state in which who drives along an arc arrives
    onto[turns.arcs] = graph.n + np.arange(len(turns.arcs))
    found = [
        _Arcs(graph.tails, onto, np.zeros(graph.m), np.arange(graph.m)),
        _from_arcs(graph, turns, onto, number),
        _from_begun(graph, turns, onto, number, long),
    ]
    vertices = np.concatenate((np.arange(graph.n), graph.heads[turns.arcs], graph.heads[[way[-1] for way in begun]]))
    split = np.flatnonzero(np.bincount(vertices[graph.n :], minlength=graph.n))
    ends = np.arange(graph.n)
    ends[split] = len(vertices) + np.arange(len(split))
    ending = np.flatnonzero(ends[vertices] >= len(vertices))
    found.append(_Arcs(ending, ends[vertices[ending]], np.zeros(len(ending)), np.full(len(ending), NO_VERTEX)))
    return _in_order(graph, paths, found, np.concatenate((vertices, split)), ends)


def _from_arcs(graph: Graph, turns: Turns, onto: Array, number: dict[Way, int]) -> _Arcs:
    """Return the arcs that leave the states of arcs."""
    heads = onto[turns.into]
    for way, state in number.items():
        if len(way) == 2:
            heads[turns.at(way[0]) + way[1] - graph.offsets[graph.heads[way[0]]]] = state
    open_ = np.isfinite(turns.costs)
    return _Arcs(graph.n + turns.of[open_], heads[open_], turns.costs[open_], turns.into[open_])


def _from_begun(graph: Graph, turns: Turns, onto: Array, number: dict[Way, int], long: set[Way]) -> _Arcs:
    """Return the arcs that leave the states of forbidden ways that have been begun; these are few."""
    remembered, found = set(turns.arcs.tolist()), []
    for way, state in number.items():
        v = int(graph.heads[way[-1]])
        for arc in range(int(graph.offsets[v]), int(graph.offsets[v + 1])):
            followed = [(*way, arc)[i:] for i in range(len(way))]  # the longest first
            if any(some in long for some in followed):
                continue
            at = turns.at(way[-1]) + arc - int(graph.offsets[v]) if way[-1] in remembered else None
            cost = 0.0 if at is None else float(turns.costs[at])
            if cost < np.inf:
                head = next((number[some] for some in followed if some in number), int(onto[arc]))
                found.append((state, head, cost, arc))
    columns = np.array(found, np.float64).reshape(-1, 4).T
    tails, heads, arcs = columns[[0, 1, 3]].astype(np.int64)
    return _Arcs(tails, heads, columns[2], arcs)


def _in_order(graph: Graph, paths: Any, found: list[_Arcs], vertices: Array, ends: Array) -> TurnGraph:
    """Return the turns with states in the order of their vertices."""
    tails, heads, costs, arcs = (np.concatenate(columns) for columns in zip(*found, strict=True))
    order = np.argsort(vertices, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    by_tail = np.argsort(place[tails], kind="stable")  # then the rows are in order, and take no memory
    tails, heads, costs, arcs = (column[by_tail] for column in (place[tails], place[heads], costs, arcs))
    states = Graph.from_arcs(tails, heads, _weights(graph, costs, arcs), len(vertices))
    departures, last, of = (freeze(fact.astype(np.int32)) for fact in (place[: graph.n], place[ends], vertices[order]))
    return TurnGraph(graph, states, paths, departures, last, of, freeze(arcs))


def _weights(graph: Graph, costs: Array, arcs: Array) -> Array:
    """Return the weights of arcs between states: whole numbers if all weights and costs are."""
    weights = np.ones(graph.m, np.int64) if graph.weights is None else graph.weights
    whole = weights.dtype.kind == "i" and (costs == np.rint(costs)).all() and costs.max(initial=0) < 2**53
    kind = np.int64 if whole else weights.dtype if weights.dtype.kind == "f" else np.float64
    found = np.zeros(len(arcs), kind)
    real = arcs != NO_VERTEX
    found[real] = weights[arcs[real]].astype(kind) + costs[real].astype(kind)
    return found
