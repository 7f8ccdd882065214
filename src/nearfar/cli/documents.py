"""Output for programs: one JSON document in one line. docs/cli.md describes the keys.

Vertices have the names that the file gives them. Unreached distances are null; NaN and Infinity never occur.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import nearfar

from ..store.written import Written
from .places import places_document

if TYPE_CHECKING:
    from ..graph import Graph
    from .summary import Row
    from .work import Loaded


def show(command: str, **fields: Any) -> None:
    """Print the document of a command."""
    print(json.dumps({"nearfar": nearfar.__version__, "command": command, **fields}, allow_nan=False))


def graph_of(graph: Graph) -> dict[str, Any]:
    """Return the size of a graph, whether it is undirected, and its type of weights."""
    return {
        "vertices": graph.n,
        "arcs": graph.m,
        "undirected": graph.undirected,
        "weight_type": None if graph.weight_dtype is None else str(graph.weight_dtype),
        **({} if graph.units.weights is None else {"unit": graph.units.weights}),
    }


def run_of(
    loaded: Loaded, answer: nearfar.Distances | nearfar.Nearest | nearfar.KNearest | nearfar.Table | Written
) -> dict[str, Any]:
    """Return what every query reports: the file, the graph, what ran and how long it took."""
    distances = answer.distances if isinstance(answer, nearfar.Nearest) else answer
    plan, stats = distances.plan, distances.stats or {}
    return {
        "file": loaded.file,
        "graph": graph_of(loaded.graph),
        "method": plan.method,
        "device": plan.device,
        "threads": None if plan.gpu else plan.threads,
        "why": plan.why,
        "dtype": str(answer.dtype if isinstance(answer, Written) else answer.dist.dtype),
        "cutoff": distances.cutoff,
        "direction": distances.direction,
        "seconds": {"read": loaded.seconds, "solve": stats["seconds"], "compile": stats.get("compile_seconds", 0.0)},
        **places_document(loaded.graph),
    }


def reading_of(loaded: Loaded, began: float) -> dict[str, Any]:
    """Return the file, the graph, and how long reading it took and solving, which ``began`` then, has taken."""
    seconds = {"read": loaded.seconds, "solve": time.perf_counter() - began}
    return {"file": loaded.file, "graph": graph_of(loaded.graph), "seconds": seconds}


def finite(number: Any) -> Any:
    """Return a number for JSON: None where it is not finite."""
    return number if number is not None and -float("inf") < number < float("inf") else None


def name_of(graph: Graph, v: int) -> Any:
    """Return the name of a vertex for JSON."""
    return as_json(graph.name(v))


def as_json(name: Any) -> Any:
    """Return a name for JSON: tuples become lists, and types that JSON lacks become text."""
    if name is None or isinstance(name, str | int | float):
        return name
    return [as_json(part) for part in name] if isinstance(name, tuple) else str(name)


def starts_of(source: Any) -> Any:
    """Return a source for JSON, or a list of starts with their distances."""
    if not isinstance(source, dict):
        return as_json(source)
    return [{"vertex": as_json(vertex), "distance": distance} for vertex, distance in source.items()]


def vertex_of(graph: Graph, found: tuple[int, Any] | None) -> dict[str, Any] | None:
    """Return a vertex and its distance."""
    return None if found is None else {"vertex": name_of(graph, found[0]), "distance": found[1]}


def vertices_of(graph: Graph, found: Sequence[tuple[int, Any]]) -> list[dict[str, Any] | None]:
    """Return several vertices and their distances."""
    return [vertex_of(graph, one) for one in found]


def row_of(graph: Graph, row: Row) -> dict[str, Any]:
    """Return the summary of one row."""
    return {
        "source": name_of(graph, row.source),
        "reached": row.reached,
        "unreached": graph.n - row.reached,
        "farthest": vertex_of(graph, row.farthest),
    }
