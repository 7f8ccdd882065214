"""All that is printed for machines: one JSON document in one line. The keys are described in docs/cli.md.

Vertices are called what the file calls them, and what is unreached is null; NaN and Infinity never occur.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import nearfar

if TYPE_CHECKING:
    from ..graph import Graph
    from .summary import Row
    from .work import Loaded


def show(command: str, **fields: Any) -> None:
    """Print the document of a command."""
    print(json.dumps({"nearfar": nearfar.__version__, "command": command, **fields}, allow_nan=False))


def graph_of(graph: Graph) -> dict[str, Any]:
    """Return the size and the kind of a graph."""
    return {
        "vertices": graph.n,
        "arcs": graph.m,
        "undirected": graph.undirected,
        "weight_type": None if graph.weight_dtype is None else str(graph.weight_dtype),
    }


def run_of(loaded: Loaded, answer: nearfar.Distances | nearfar.Nearest) -> dict[str, Any]:
    """Return what every query tells: the file, the graph, what ran and how long it took."""
    distances = answer.distances if isinstance(answer, nearfar.Nearest) else answer
    plan, stats = distances.plan, distances.stats or {}
    return {
        "file": loaded.file,
        "graph": graph_of(loaded.graph),
        "method": plan.method,
        "device": plan.device,
        "threads": None if plan.gpu else plan.threads,
        "why": plan.why,
        "dtype": str(distances.rows.dtype),
        "cutoff": distances.cutoff,
        "seconds": {"read": loaded.seconds, "solve": stats["seconds"], "compile": stats["compile_seconds"]},
    }


def name_of(graph: Graph, v: int) -> Any:
    """Return what a vertex is called, as JSON has it."""
    return as_json(graph.name(v))


def as_json(name: Any) -> Any:
    """Return a name as JSON has it: pairs become lists, what JSON does not know its text."""
    if name is None or isinstance(name, str | int | float):
        return name
    return [as_json(part) for part in name] if isinstance(name, tuple) else str(name)


def vertex_of(graph: Graph, found: tuple[int, Any] | None) -> dict[str, Any] | None:
    """Return a vertex and its distance."""
    return None if found is None else {"vertex": name_of(graph, found[0]), "distance": found[1]}


def vertices_of(graph: Graph, found: Sequence[tuple[int, Any]]) -> list[dict[str, Any] | None]:
    """Return some vertices and their distances."""
    return [vertex_of(graph, one) for one in found]


def row_of(graph: Graph, row: Row) -> dict[str, Any]:
    """Return one row in short."""
    return {
        "source": name_of(graph, row.source),
        "reached": row.reached,
        "unreached": graph.n - row.reached,
        "farthest": vertex_of(graph, row.farthest),
    }
