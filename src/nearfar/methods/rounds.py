"""What `frontier` and `edge` share: rounds until nothing changes, and the search for a negative cycle meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import NegativeCycleError
from ..graph import Graph
from ..graph.passes import arcs_of
from .cycles import find_negative_cycle
from .problem import Controls, Problem
from .tuning import FIRST_ROUNDS


def repeat(problem: Problem, controls: Controls, rounds: Callable[[int], bool], dist: np.ndarray) -> None:
    """Call ``rounds(budget)`` until it returns True for done; look for a negative cycle between calls.

    One look costs about as much as a round. The budget doubles from call to call, so there are only a few looks, and
    one comes soon after a cycle has formed. Without negative weights n rounds are enough, and there is no look.
    """
    budget = FIRST_ROUNDS if problem.graph.min_weight < 0 else problem.graph.n + 1
    total = 0
    while not rounds(budget):
        if controls.stop[0]:
            return
        total += budget
        cycle = find_negative_cycle(problem.graph, dist, problem.ceiling, total)
        if cycle:
            raise negative_cycle(problem, cycle)
        budget *= 2


def negative_cycle(problem: Problem, cycle: list[int]) -> NegativeCycleError:
    """Return the error that names the vertices of a cycle."""
    graph = problem.graph
    names = [graph.name(v) for v in cycle]
    walk = _walk(names)
    if not is_negative(graph, cycle):
        return NegativeCycleError(
            f"distances do not exist in {problem.dtype.name}: the cycle {walk} has length 0 "
            "or more, but rounding makes every walk around it shorter. Use integer weights, in a smaller unit.",
            names,
        )
    return NegativeCycleError(
        f"distances do not exist: the cycle {walk} has negative length and can be reached; "
        "every walk around it is shorter than the one before. Change the weights of its arcs, or drop one of them.",
        names,
    )


def in_travel(error: NegativeCycleError) -> NegativeCycleError:
    """Return the error of a cycle in a reversed graph as one of the graph itself: the cycle in direction of travel."""
    cycle = error.cycle[::-1]
    message = error.marked.replace(_walk(error.cycle), _walk(cycle))
    return NegativeCycleError(message.replace("and can be reached", "and leads to a source"), cycle)


def _walk(names: Sequence[Any]) -> str:
    """Return a cycle in words, shortened."""
    shown = [str(name) for name in names] if len(names) <= 12 else [*map(str, names[:10]), "...", str(names[-1])]
    return " -> ".join([*shown, shown[0]])


def is_negative(graph: Graph, cycle: list[int]) -> bool:
    """Tell whether a cycle really has negative length; with floats, rounding alone may shorten each walk around it."""
    return graph.weight_dtype is None or graph.weight_dtype.kind != "f" or math.fsum(_lightest(graph, cycle)) < 0


def _lightest(graph: Graph, cycle: list[int]) -> list[float]:
    """Return the weights of the arcs around a cycle; of parallel arcs the lightest."""
    weights = []
    for u, v in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        row = arcs_of(graph, u)
        weights.append(float(row["weight"][row["head"] == v].min()))
    return weights
