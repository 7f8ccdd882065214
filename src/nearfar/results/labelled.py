"""Distances as xarray.DataArray: arrays whose dimensions are labelled with the names of vertices.

xarray is loaded when it is needed. Names that are tuples become a MultiIndex, because xarray takes a tuple that is
given to ``sel`` for one label only there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph.cells import CellNames
from ..graph.names import NumberNames
from ..graph.tables import load
from ..kernels.cpu.constants import NO_VERTEX
from . import lookup

if TYPE_CHECKING:
    from ..graph import Graph
    from .distances import Distances
    from .knearest import KNearest
    from .nearest import Nearest
    from .table import Table


def distances_to_xarray(result: Distances | Table, columns: np.ndarray) -> Any:
    """Return the distances of a result, whose columns are these vertices; inf where unreached."""
    whole = result.rows[0] if result.single else result.rows
    dist = whole if whole.dtype.kind == "f" else result.as_float()
    first, second = ("source", "target") if result.direction == "from" else ("target", "source")
    ends: dict[str, Any] = {second: _names(result.graph, columns)}
    if not result.single:
        ends = {first: _names(result.graph, result.source_indices)} | ends
    made = label(dist, ends, "distance", result.graph.names)
    if result.single and result.seeds is None and not isinstance(start := result.sources[0], tuple):
        made = made.assign_coords({first: start})
    return made if result.cutoff is None else made.assign_attrs(cutoff=result.cutoff)


def nearest_to_xarray(result: Nearest | KNearest, cutoff: float | None) -> Any:
    """Return the distances of all vertices, and beside them the sources that have these, if there are any."""
    graph, dist = result.graph, result.dist
    ranks = {} if dist.ndim == 1 else {"rank": np.arange(1, dist.shape[1] + 1)}
    vertices = {"vertex": _names(graph, np.arange(graph.n, dtype=np.int32))}
    made = label(dist if dist.dtype.kind == "f" else result.as_float(), vertices | ranks, "distance", graph.names)
    called = _column(_names(graph, result.source_indices))
    found = np.searchsorted(result.source_indices, result.source)
    missing = result.source == NO_VERTEX
    if missing.any():
        called, found = np.append(called.astype(object), [None]), np.where(missing, len(called), found)
    made = made.assign_coords({"source" if result.direction == "from" else "target": (made.dims, called[found])})
    return made if cutoff is None else made.assign_attrs(cutoff=cutoff)


def label(values: np.ndarray, dims: Mapping[str, Sequence[Any]], name: str, names: Any = None) -> Any:
    """Return an array with these dimensions and their labels; ``names`` says how parts of cells are called."""
    xarray = load("xarray", "to_xarray()")
    parts = ("x", "y") if isinstance(names, CellNames) and names.xy else ("row", "column")
    coords = xarray.Coordinates()
    for dim, labels in dims.items():
        called = parts if isinstance(names, CellNames) and dim not in ("column", "rank") else range(_parts_of(labels))
        if len(called):
            index = load("pandas", "to_xarray()").MultiIndex.from_tuples(
                labels, names=[f"{dim}_{part}" for part in called]
            )
            coords.update(xarray.Coordinates.from_pandas_multiindex(index, dim))
        else:
            coords[dim] = (dim, _column(labels))
    return xarray.DataArray(values, dims=tuple(dims), coords=coords, name=name)


def _names(graph: Graph, vertices: np.ndarray) -> Any:
    """Return the names of vertices: numbers as an array, others as a list."""
    if graph.names is None or isinstance(graph.names, NumberNames):
        return lookup.names_of(graph, vertices)
    return lookup.list_names(graph, vertices)


def _parts_of(labels: Sequence[Any]) -> int:
    """Return how many parts the labels have if all are tuples of the same length, 0 otherwise."""
    if isinstance(labels, np.ndarray) or not all(isinstance(name, tuple) for name in labels):
        return 0
    lengths = set(map(len, labels))
    return lengths.pop() if len(lengths) == 1 else 0


def _column(labels: Sequence[Any]) -> np.ndarray:
    """Return labels as an array of one dimension: numbers as they are, words and other names as objects."""
    if isinstance(labels, np.ndarray):
        return labels
    if set(map(type, labels)) in ({int}, {float}):
        array = np.array(labels)
        if array.dtype != object and array.tolist() == list(labels):  # large ints of both signs would become floats
            return array
    return np.fromiter(labels, object, len(labels))
