"""What all metrics take: a graph, vertices, hops or weights, a direction, options; checked once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from ..engine.folds import Folded, Wanted, fold
from ..engine.query import PreparedGraph, Query, check, take_graph, take_vertices
from ..errors import InputTypeError
from ..graph import Graph
from ..graph.reweigh import unweighted
from .measure import Measure


class MetricOptions(TypedDict, total=False):
    """The keyword options that metrics share; nearfar.api says what each means."""

    method: str
    device: str | list[str] | tuple[str, ...]
    cutoff: float | None
    threads: int | None
    progress: bool | Callable[[int, int], object]
    memory: float | str | None


@dataclass(frozen=True)
class Asked:
    """A checked question: the user's graph, the vertices that are measured, and the query of their rows."""

    graph: Graph
    vertices: np.ndarray
    query: Query

    def fold(self, wanted: Wanted) -> tuple[Folded, dict[str, Any]]:
        """Return the folds of the rows of all vertices, and the plan and stats of the run."""
        return fold(self.query, wanted)

    def measure(
        self, name: str, values: np.ndarray, facts: dict[str, Any], columns: Sequence[Any] | None = None
    ) -> Measure:
        """Return the result."""
        return Measure(self.graph, name, self.vertices, values, columns=columns, **facts)


def ask(graph: Graph | PreparedGraph, vertices: Any, hops: bool, direction: str, options: MetricOptions) -> Asked:
    """Check everything that was given; all vertices if these are None."""
    known_metric_options(options)
    plain = take_graph(graph)
    if not isinstance(hops, bool | np.bool_):
        raise InputTypeError(f"hops is {hops!r:.60}, a {type(hops).__name__}; give True or False.")
    indices = np.arange(plain.n, dtype=np.int32) if vertices is None else take_vertices(plain, vertices, "vertex")
    searched = unweighted(plain) if hops and plain.weight_dtype is not None else graph
    return Asked(plain, indices, check(searched, indices, direction=direction, **options))


def known_metric_options(options: MetricOptions) -> None:
    """Refuse an option that does not exist."""
    for name in options:
        if name not in MetricOptions.__annotations__:
            known = ", ".join(MetricOptions.__annotations__)
            raise InputTypeError(f"there is no option {name!r}; there are {known}.")
