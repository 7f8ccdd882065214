"""The turns of a graph and what they cost: what a user gave, checked, as arrays.

A turn leads from an arc onto one of the arcs that leave its head. A way is a sequence of arcs; a forbidden way of two
arcs is a turn of infinite cost, longer ones are listed apart. Only arcs from which some turn costs something, or with
which a long way begins, have to be remembered by who drives on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np

from ..errors import GraphError, InputTypeError, OptionError, option
from .arrays import Array, shorten
from .graph import Graph
from .turns import Costs, take_cost
from .units import DEGREES

Paths = tuple[tuple[Any, ...], ...]  # of vertices, by name
Way = tuple[int, ...]  # arcs, one after the other


class Turns(NamedTuple):
    """The turns from some arcs: the turn j leads from the arc ``arcs[of[j]]`` to ``into[j]`` and costs ``costs[j]``.

    The turns from one arc lie side by side, from ``starts`` on, in the order of the arcs that leave its head.
    """

    arcs: Array
    starts: Array
    of: Array
    into: Array
    costs: Array

    def at(self, arc: int) -> int:
        """Return the position of the first turn from one of the arcs."""
        return int(self.starts[np.searchsorted(self.arcs, arc)])


def list_turns(graph: Graph, paths: Paths, costs: Costs | None, uturn: float) -> tuple[Turns, set[Way]]:
    """Return the turns from all arcs that have to be remembered, and the forbidden ways of three or more arcs."""
    ways = [way for path in paths for way in _ways_of(graph, path)]
    long = {way for way in ways if len(way) > 2}
    named = _take_costs(graph, costs) if isinstance(costs, Mapping) else {}
    named |= {(way[0], way[1]): math.inf for way in ways if len(way) == 2}
    first = {way[0] for way in long}
    by_angle = _take_function(costs)
    everywhere = uturn > 0 or by_angle is not None
    some = np.arange(graph.m) if everywhere else np.array(sorted(first | {arc for arc, _ in named}), np.int64)
    turns = _turns_from(graph, some)
    _add_uturns(graph, turns, uturn)
    if by_angle is not None:
        _add_angles(graph, turns, by_angle)
    for (arc, onto), cost in named.items():
        turns.costs[turns.at(arc) + onto - graph.offsets[graph.heads[arc]]] += cost
    return _that_matter(turns, first), long


def _take_function(costs: Costs | None) -> Callable[[Array], Any] | None:
    """Return the function of angles, if costs are one."""
    if costs is None or isinstance(costs, Mapping):
        return None
    if not callable(costs) or isinstance(costs, type):
        raise InputTypeError(
            f"costs is {shorten(costs)}; give a dict of turns (u, v, w) and numbers, a TurnCosts, or a function from "
            f"an array of angles to an array of costs."
        )
    return costs


def take_paths(forbidden: Any) -> Paths:
    """Return the forbidden ways as tuples of three or more vertices."""
    listed = forbidden.tolist() if isinstance(forbidden, np.ndarray) else forbidden
    if not _is_one(listed):
        listed = list(listed)  # which is gone through twice; an iterator would be empty then
    for some in [listed] if _is_one(listed) else listed:
        if _is_one(some):
            raise InputTypeError(
                f"forbidden is, or has in it, {shorten(some)}; give a list of ways, each of them (u, v, w) or longer."
            )
    paths = tuple(map(tuple, listed))
    for path in paths:
        if len(path) < 3:
            raise OptionError(
                f"forbidden has {shorten(path)} in it, but a turn has three vertices: it leads from the first over the "
                f"second to the third. To close an arc, use graph.close."
            )
    return paths


def _is_one(value: Any) -> bool:
    """Tell whether this is a single value instead of several."""
    return isinstance(value, str | bytes) or not isinstance(value, Iterable)


def _ways_of(graph: Graph, path: tuple[Any, ...]) -> list[Way]:
    """Return the arcs along a path of vertices, for every choice between parallel ones; none if it is not open."""
    vertices = graph.indices(list(path)).tolist()
    return list(product(*(_arcs_between(graph, u, v) for u, v in pairwise(vertices))))


def _arcs_between(graph: Graph, u: int, v: int) -> list[int]:
    """Return the arcs from one vertex to another, by index."""
    low, high = int(graph.offsets[u]), int(graph.offsets[u + 1])
    found: list[int] = (low + np.flatnonzero(graph.heads[low:high] == v)).tolist()
    return found


def _take_costs(graph: Graph, costs: Mapping[Any, Any]) -> dict[tuple[int, int], float]:
    """Return the cost of each turn, from arc to arc, that a dict names by vertices."""
    found: dict[tuple[int, int], float] = {}
    for turn, cost in costs.items():
        if not isinstance(turn, tuple) or len(turn) != 3:
            raise InputTypeError(f"costs has the key {shorten(turn)}; give turns as (u, v, w), from u over v to w.")
        number = take_cost(cost, f"the cost of the turn {shorten(turn)}")
        found |= {(way[0], way[1]): number for way in _ways_of(graph, turn)}
    return found


def _turns_from(graph: Graph, arcs: Array) -> Turns:
    """Return all turns from some arcs, which cost nothing so far."""
    first = graph.offsets[graph.heads[arcs]].astype(np.int64)
    counts = graph.offsets[graph.heads[arcs] + 1] - first
    starts = np.concatenate(([0], np.cumsum(counts)))
    of = np.repeat(np.arange(len(arcs)), counts)
    into = np.arange(starts[-1]) + np.repeat(first - starts[:-1], counts)
    return Turns(arcs, starts, of, into, np.zeros(len(of)))


def _back(graph: Graph, turns: Turns) -> Array:
    """Return which turns lead back to where their arc came from."""
    found: Array = graph.heads[turns.into] == graph.tails[turns.arcs][turns.of]
    return found


def _add_uturns(graph: Graph, turns: Turns, uturn: float) -> None:
    """Let turning back cost something where there is another way on."""
    if not uturn:
        return
    back = _back(graph, turns)
    onward = np.bincount(turns.of[~back], minlength=len(turns.arcs)) > 0
    turns.costs[back & onward[turns.of]] = uturn


def _add_angles(graph: Graph, turns: Turns, costs: Callable[[Array], Any]) -> None:
    """Let turns cost by their angle, where three or more roads meet; what leads back is no turn of this kind."""
    where = np.flatnonzero(_is_junction(graph)[graph.tails[turns.into]] & ~_back(graph, turns))
    headings = _headings(graph)
    angles = headings[turns.arcs[turns.of[where]]] - headings[turns.into[where]]
    angles = (angles + 180) % 360 - 180
    try:
        found = np.asarray(costs(angles), np.float64)
    except (TypeError, ValueError):
        found = np.full(1, np.nan)
    if found.shape != angles.shape or not (found >= 0).all():
        raise OptionError(
            f"the costs of {len(angles)} angles are an array of shape {found.shape}, the least is "
            f"{found.min(initial=np.inf)}. The function should return one number per angle, at least 0."
        )
    turns.costs[where] += found


def _is_junction(graph: Graph) -> Array:
    """Return which vertices have three or more neighbours."""
    ends = np.concatenate((graph.tails, graph.heads)), np.concatenate((graph.heads, graph.tails))
    pairs = np.sort((ends[0] * np.int64(graph.n) + ends[1])[ends[0] != ends[1]])  # a loop leads to no neighbour
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # np.unique takes four times as long
    found: Array = np.bincount(pairs // max(1, graph.n), minlength=graph.n) > 2
    return found


def _headings(graph: Graph) -> Array:
    """Return the direction of each arc in degrees, counter-clockwise."""
    if graph.coordinates is None:
        raise GraphError("costs by angle need coordinates, but the graph has none. Give a dict of turns and costs.")
    if graph.units.coordinates is None:
        raise OptionError(
            f"the graph does not say what its coordinates are. Use graph.with_units("
            f"{option('coordinates', DEGREES)}) for longitude and latitude, or name a unit for x and y in a plane."
        )
    points = graph.coordinates
    step = points[graph.heads] - points[graph.tails]
    if graph.units.coordinates == DEGREES:
        step[:, 0] = (step[:, 0] + 180) % 360 - 180
        step[:, 0] *= np.cos(np.radians(points[graph.tails, 1]))
    return np.degrees(np.arctan2(step[:, 1], step[:, 0]))


def _that_matter(turns: Turns, kept: set[int]) -> Turns:
    """Return the turns from arcs that have to be remembered: some turn costs something, or they are to be kept."""
    costly = np.bincount(turns.of, turns.costs != 0, len(turns.arcs)) > 0
    costly |= np.isin(turns.arcs, list(kept))
    some = costly[turns.of]
    counts = np.diff(turns.starts)[costly]
    of = np.repeat(np.arange(len(counts)), counts)
    starts = np.concatenate(([0], np.cumsum(counts)))
    return Turns(turns.arcs[costly], starts, of, turns.into[some], turns.costs[some])
