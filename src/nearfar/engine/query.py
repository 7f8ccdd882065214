"""A query: its arguments, checked once on entry, so that everything behind it can trust them.

`check` turns a graph, sources and options into a frozen `Query`. Nothing is planned or computed here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from ..devices import cpu
from ..devices.arrays import DeviceArray
from ..errors import InputTypeError, VertexError, in_python
from ..graph import Graph
from ..graph.arrays import on_host
from ..graph.cells import CellNames
from ..graph.stored import StoredGraph
from ..graph.turns import TurnGraph
from ..results import limits
from . import options
from .options import Options, take_direction
from .out import take_devices, take_out

if TYPE_CHECKING:
    from ..elimination.build import Hierarchy


class PreparedGraph:
    """A graph with its hierarchy: what queries see of `nearfar.Prepared`, which is above this module."""

    graph: Graph
    threads: int  # used by default

    def hierarchy_of(self, direction: str) -> Hierarchy:
        """Return the hierarchy of the graph, or, to search in the direction "to", that of the reversed graph."""
        raise NotImplementedError

    def distance(self, source: Any, target: Any) -> int | float:
        """Return the distance of one pair."""
        raise NotImplementedError

    def path(self, source: Any, target: Any) -> list[Any]:
        """Return the vertices of a shortest path."""
        raise NotImplementedError


class Located:
    """Points that were found on a graph: what queries see of `nearfar.geo.Snapped`, which is above this module."""

    def __len__(self) -> int:
        """Return the number of points."""
        raise NotImplementedError

    def vertices_on(self, graph: Graph) -> np.ndarray:
        """Return the index of each point's vertex; points between vertices raise an error."""
        raise NotImplementedError

    def starts_on(self, graph: Graph, direction: str) -> dict[Any, float]:
        """Return the vertices where a search from the points begins, by name, and their starting distances."""
        raise NotImplementedError

    def places_on(self, graph: Graph) -> Iterable[tuple[int, int, float]]:
        """Return the arc of each point, as tail and head, and where on it the point is, from 0 to 1."""
        raise NotImplementedError


@dataclass(frozen=True)
class Query:
    """A checked query: everything that a plan and a run depend on, except the machine itself."""

    asked: Graph  # the user's graph
    direction: str  # "from", or "to": then the reversed graph is searched
    graph: Graph  # the graph that is searched
    sources: np.ndarray  # the source of each row
    seeds: np.ndarray | None  # if there is only one row, it may start from several vertices: these, each once, sorted
    starts: np.ndarray | None  # the starting distance of each seed, int64 or float64; None if all of them are 0
    single: bool  # whether the answer is one row without its axis
    method: str  # its full name, or "auto"
    devices: tuple[str, ...]  # "auto", "cpu", or GPUs with their device numbers
    types: tuple[np.dtype, ...]  # distance types, to be tried in this order
    threads: int
    memory: int | None  # bytes that may be used, if the user set a limit
    cutoff: float | None
    targets: np.ndarray | None  # a search may stop when these are settled; set by queries that need no whole rows
    delta: float | None
    progress: Any
    out: np.ndarray | DeviceArray | None
    hierarchy: Hierarchy | None  # given if the graph is prepared already

    def but(self, **changes: Any) -> Query:
        """Return a query that differs in some fields; `dataclasses.replace` takes 7 us."""
        return _new_query(self.__dict__, changes)


def _new_query(*fields: Mapping[str, Any]) -> Query:
    """Return a query with these fields; to set the attributes of a frozen dataclass one by one takes 3 us."""
    query = object.__new__(Query)
    for some in fields:
        query.__dict__.update(some)
    return query


def check(
    graph: Graph | PreparedGraph,
    sources: np.ndarray,
    *,
    seeds: np.ndarray | None = None,
    starts: np.ndarray | None = None,
    single: bool = False,
    direction: str = "from",
    **given: Unpack[Options],
) -> Query:
    """Check everything that was given, and return the query.

    A prepared graph brings its hierarchy, unless another method is named.
    """
    asked, direction = take_graph(graph), take_direction(direction)
    if given or starts is not None or asked is not graph:
        checked = check_options(graph, (len(sources), asked.n), single, direction, starts, **given)
    else:
        checked = _defaults(asked, direction)
    if direction == "to" and isinstance(asked, StoredGraph):
        memory = checked["memory"]
        asked.require_reverse(cpu.facts().memory if memory is None else memory)
    own = {
        "asked": asked,
        "graph": asked if direction == "from" else asked.reversed,
        "sources": sources,
        "seeds": seeds,
        "starts": starts,
        "single": single,
        "targets": None,
    }
    return _new_query(checked, own)


def _defaults(graph: Graph, direction: str) -> dict[str, Any]:
    """Return what `check_options` returns without options, which a graph keeps; the number of cores may change."""
    key, cores = ("defaults", direction), cpu.facts().cores
    kept: dict[str, Any] | None = graph.memo.get(key)
    if kept is None or kept["threads"] != cores:
        kept = graph.memo[key] = check_options(graph, (1, graph.n), False, direction)
    return kept


def check_options(
    graph: Graph | PreparedGraph,
    shape: tuple[int, int],
    single: bool,
    direction: str,
    starts: np.ndarray | None = None,
    *,
    method: str = "auto",
    device: str | list[str] | tuple[str, ...] = "auto",
    cutoff: float | None = None,
    threads: int | None = None,
    progress: bool | Callable[[int, int], object] = False,
    dtype: npt.DTypeLike | None = None,
    memory: float | str | None = None,
    out: Any = None,
    delta: float | None = None,
) -> dict[str, Any]:
    """Check every option; return the fields of the query that they decide.

    They are checked against the user's graph, so that messages name its arcs, whatever the direction.
    """
    asked = take_graph(graph)
    negative = asked.min_weight < 0
    devices = take_devices(options.take_device(device), out)
    method = options.take_method(method, negative, asked, starts, devices)
    prepared = graph if isinstance(graph, PreparedGraph) else None
    if prepared is not None and threads is None:
        threads = prepared.threads
    if prepared is not None and method == "auto":
        method = "prepared"
    wanted = options.take_dtype(dtype, asked, starts)
    fitting = [wanted] if wanted is not None else limits.fitting_types(asked, starts)
    taken = take_out(out, shape, single, fitting)
    return {
        "direction": direction,
        "method": method,
        "devices": devices,
        "types": tuple(limits.choose_types(asked, wanted if taken is None else taken.dtype, negative, starts)),
        "threads": options.take_threads(threads, cpu.facts().cores),
        "memory": options.take_memory(memory),
        "cutoff": options.take_cutoff(cutoff, negative),
        "delta": options.take_delta(delta),
        "progress": options.take_progress(progress),
        "out": taken,
        "hierarchy": prepared.hierarchy_of(direction) if prepared is not None and method == "prepared" else None,
    }


def take_graph(graph: Any) -> Graph:
    """Return the graph, also of a prepared one; refuse anything else, and say how to make a graph of it."""
    if isinstance(graph, Graph):
        return graph
    if isinstance(graph, PreparedGraph):
        return graph.graph
    if isinstance(graph, TurnGraph):
        raise InputTypeError(
            "graph is a TurnGraph, but this function does not know turns; sssp, mssp, apsp, table, nearest, distance, "
            "path, plan, prepare, verify, geo.distances and geo.isochrone do. Give turns.graph to ignore them."
        )
    if isinstance(graph, str | os.PathLike):
        kind = type(graph).__name__
        raise InputTypeError(
            f"graph is {str(graph)!r:.80}, a {kind}, not a nearfar.Graph; read a file with nearfar.read(...), or "
            f"make a graph with Graph.from_arcs(...)."
        )
    makers = {"scipy": "from_scipy", "networkx": "from_networkx", "numpy": "from_matrix"}
    makers |= {library: f"from_{library}" for library in ("igraph", "rustworkx", "graph_tool")}
    makers |= dict.fromkeys(("pandas", "polars", "pyarrow", "duckdb", "_duckdb"), "from_frame")
    maker = makers.get(type(graph).__module__.partition(".")[0], "from_arcs")
    costs = " Graph.from_raster takes a raster of costs." if maker == "from_matrix" else ""
    raise InputTypeError(
        f"graph is a {type(graph).__name__}, not a nearfar.Graph; make one with Graph.{maker}(...).{costs}"
    )


def take_vertices(graph: Graph, vertices: Any, role: str) -> np.ndarray:
    """Return the indices of one or several vertices; an empty list is an error, and so is a dict."""
    if isinstance(vertices, Located):
        return vertices.vertices_on(graph)
    vertices = on_host(vertices)
    if isinstance(vertices, Mapping):
        raise InputTypeError(
            f"the {role}s are a {type(vertices).__name__}; this query takes a list of vertices. A dict gives sources "
            f"their starting distances, for one row{in_python(': use sssp(graph, {vertex: start, ...}) or nearest')}."
        )
    indices = (
        graph.indices(vertices, role)
        if _is_several(graph, vertices)
        else np.array([graph.index(vertices, role)], np.int32)
    )
    if not len(indices):
        several = "vertices" if role == "vertex" else f"{role}s"
        raise VertexError(f"the list of {several} is empty; give at least one vertex.")
    return indices


def take_source(graph: Graph, source: Any) -> np.ndarray:
    """Return the index of the only source; a list of sources is an error."""
    if _is_several(graph, source):
        kind = type(source).__name__
        cell = " One cell is a tuple: (row, column)." if isinstance(graph.names, CellNames) else ""
        raise InputTypeError(
            f"source is a {kind}, but this query takes one source. Use mssp for several, one row per source.{cell}"
        )
    return np.array([graph.index(source, "source")], np.int32)


def as_starts(graph: Graph, sources: Any, direction: str, several: bool = False) -> Any:
    """Return a point on the graph, or ``several``, as a dict of vertices and starting distances; others as given."""
    if not isinstance(sources, Located):
        return sources
    if not several:
        require_one(sources)
    return sources.starts_on(graph, take_direction(direction))


def require_one(points: Located) -> None:
    """Refuse several points where a query takes one."""
    if len(points) != 1:
        raise InputTypeError(
            f"source holds {len(points)} points, but this query takes one. Use mssp for several, one row per point, "
            f"or nearest."
        )


def as_vertex(graph: Graph, vertex: Any, role: str) -> Any:
    """Return a point on the graph as its vertex; others as given."""
    if not isinstance(vertex, Located):
        return vertex
    if len(vertex) != 1:
        raise InputTypeError(f"{role} holds {len(vertex)} points, but one {role} is needed. Use table for several.")
    return graph.name(int(vertex.vertices_on(graph)[0]))


def from_source(graph: Graph, source: Any) -> dict[str, Any]:
    """Return the arguments of `check` for one row: from one source, or from a dict of vertices and distances."""
    return _from_starts(graph, source) if isinstance(source, Mapping) else {"sources": take_source(graph, source)}


def from_nearest(graph: Graph, sources: Any) -> dict[str, Any]:
    """Return the arguments of `check` for one row from the nearest of some sources, or from a dict as above."""
    if isinstance(sources, Mapping):
        return _from_starts(graph, sources)
    seeds = np.unique(take_vertices(graph, sources, "source"))
    return {"sources": seeds[:1], "seeds": seeds}


def each_once(graph: Graph, sources: Any) -> np.ndarray:
    """Return the indices of some sources, each once, in the order given."""
    vertices = take_vertices(graph, list(sources) if isinstance(sources, Mapping) else sources, "source")
    _, first = np.unique(vertices, return_index=True)
    return vertices[np.sort(first)]


def _from_starts(graph: Graph, given: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the arguments of `check` for one row that starts at these vertices, at these distances."""
    if not given:
        raise VertexError("the dict of sources is empty; give at least one vertex and its starting distance.")
    starts = options.take_starts(given, graph)
    vertices = take_vertices(graph, list(given), "source")
    order = np.lexsort((starts, vertices))  # two names of one vertex: the smaller distance counts
    seeds, first = np.unique(vertices[order], return_index=True)
    least = starts[order][first]
    return {"sources": seeds[:1], "seeds": seeds, "starts": least if least.any() else None}


def _is_several(graph: Graph, vertices: Any) -> bool:
    """Tell whether this is a list of vertices rather than one vertex; a tuple may be the name of one vertex."""
    if isinstance(vertices, str | bytes) or not hasattr(vertices, "__iter__"):
        return False
    if isinstance(vertices, np.ndarray) and vertices.ndim == 0:
        return False
    if isinstance(graph.names, CellNames) and graph.names.is_one(vertices):
        return False  # a wall, or a cell outside, still is one cell
    return not (graph.names is not None and isinstance(vertices, tuple | frozenset) and graph.is_vertex(vertices))
