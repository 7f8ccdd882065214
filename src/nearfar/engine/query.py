"""A query: what was asked, checked at the door. Nothing is planned or computed here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..devices import cpu
from ..errors import InputTypeError, VertexError
from ..results import limits
from . import options

if TYPE_CHECKING:
    from ..elimination.build import Hierarchy
    from ..graph import Graph


@dataclass(frozen=True)
class Query:
    """What was asked, checked: everything that plans and runs depend on but the machine itself."""

    graph: Graph
    sources: np.ndarray  # of each row
    seeds: np.ndarray | None  # the vertices that the one row starts from, where it is not its source
    single: bool
    method: str  # its full name, or "auto"
    devices: tuple[str, ...]  # "auto", "cpu", or GPUs with their numbers
    types: tuple[np.dtype, ...]  # of distances, to be tried in this order
    threads: int
    memory: int | None  # bytes that may be used, where the user said so
    cutoff: float | None
    targets: np.ndarray | None
    delta: float | None
    progress: Any
    out: np.ndarray | None
    hierarchy: Hierarchy | None  # of a graph that is prepared already


def check(
    graph: Graph,
    sources: np.ndarray,
    *,
    seeds: np.ndarray | None = None,
    single: bool = False,
    hierarchy: Hierarchy | None = None,
    method: Any = "auto",
    device: Any = "auto",
    cutoff: Any = None,
    targets: Any = None,
    threads: Any = None,
    progress: Any = False,
    dtype: Any = None,
    memory: Any = None,
    out: Any = None,
    delta: Any = None,
) -> Query:
    """Check every option; ``hierarchy``: of a graph that is prepared already."""
    negative = graph.min_weight < 0
    method = options.take_method(method, negative, graph)
    wanted = options.take_dtype(dtype, graph)
    fitting = [wanted] if wanted is not None else limits.fitting_types(graph)
    taken = options.take_out(out, (len(sources), graph.n), single, fitting)
    return Query(
        graph=graph,
        sources=sources,
        seeds=seeds,
        single=single,
        method=method,
        devices=options.take_device(device),
        types=tuple(limits.choose_types(graph, wanted if taken is None else taken.dtype, negative)),
        threads=options.take_threads(threads, cpu.facts().cores),
        memory=options.take_memory(memory),
        cutoff=options.take_cutoff(cutoff, negative),
        targets=None if targets is None else take_vertices(graph, targets, "target"),
        delta=options.take_delta(delta),
        progress=options.take_progress(progress),
        out=taken,
        hierarchy=hierarchy,
    )


def take_vertices(graph: Graph, vertices: Any, role: str) -> np.ndarray:
    """Return the indices of one or several vertices; none at all is an error."""
    indices = (
        graph.indices(vertices, role)
        if _is_several(graph, vertices)
        else np.array([graph.index(vertices, role)], np.int32)
    )
    if not len(indices):
        raise VertexError(f"the list of {role}s is empty; give at least one vertex.")
    return indices


def take_source(graph: Graph, source: Any) -> np.ndarray:
    """Return the index of the one source; several are another query."""
    if _is_several(graph, source):
        kind = type(source).__name__
        raise InputTypeError(
            f"source is a {kind}, but one source is asked for here. Use mssp for several, one row each."
        )
    return np.array([graph.index(source, "source")], np.int32)


def _is_several(graph: Graph, vertices: Any) -> bool:
    """Tell a list of vertices from one vertex; a tuple that is the name of a vertex is one."""
    if isinstance(vertices, str | bytes) or not hasattr(vertices, "__iter__"):
        return False
    if isinstance(vertices, np.ndarray) and vertices.ndim == 0:
        return False
    return not (graph.names is not None and isinstance(vertices, tuple | frozenset) and graph.is_vertex(vertices))
