"""Names of vertices and pandas tables, from vertex indices and arrays."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MissingDependencyError
from .cells import CellNames
from .names import NumberNames

if TYPE_CHECKING:
    from .graph import Graph


def called(graph: Graph, vertices: np.ndarray) -> Any:
    """Return what the user calls these vertices, as an array."""
    if graph.names is None:
        return vertices.astype(np.int32, copy=False)
    if isinstance(graph.names, NumberNames):
        return graph.names.take(vertices)
    if isinstance(graph.names, CellNames):
        return np.fromiter(map(tuple, graph.names.take(vertices).tolist()), dtype=object, count=len(vertices))
    return np.fromiter(graph.names, dtype=object, count=graph.n)[vertices]


def frame_of(columns: dict[str, Any], index: Any = None) -> Any:
    """Return a pandas DataFrame, whose columns of names take the narrowest type that holds them.

    ``index`` labels the lines; by default they are counted from 0.
    """
    try:
        pandas = importlib.import_module("pandas")
    except ImportError as missing:
        raise MissingDependencyError(
            "to_frame() needs pandas, which is not installed: pip install pandas."
        ) from missing
    return pandas.DataFrame(columns, index=index).infer_objects()
