"""The names of vertices as arrays, as nearfar's own files keep them: archives and folders.

Consecutive numbers are kept as the first of them, other numbers as an array, cells of a raster as their shape, words as
one text and the end of each word in it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from ..errors import FormatError
from ..graph import Graph
from ..graph.arrays import Array
from ..graph.cells import CellNames
from ..graph.names import NumberNames
from .labels import INT64, Writable, name_column


class Named(Protocol):
    """What a file is called in messages."""

    def error(self, problem: str, /) -> FormatError:
        """Return the error for this file."""


def read_names(source: Named, arrays: dict[str, Array], n: int) -> Any:
    """Return the names as `name_parts` stored them."""
    if "cells" in arrays:
        return _read_cells(source, arrays, n)
    if "names" in arrays:
        names = arrays["names"]
        if names.ndim != 1 or names.dtype.kind not in "iu" or (names.size and int(names.max()) not in INT64):
            raise source.error(
                f"names are {names.dtype} of shape {names.shape}, but must be a list of int64. Write the file again."
            )
        return names.astype(np.int64)
    if "names_from" in arrays:
        first = int(one_number(source, arrays, "names_from"))
        if first + n - 1 not in INT64:
            raise source.error(f"names count from {first} beyond 2**63 - 1. Write the file again.")
        return range(first, first + n)
    if "names_text" not in arrays:
        return None
    text, ends = arrays["names_text"], arrays.get("names_ends", np.empty(0))
    if text.dtype != np.uint8 or text.ndim != 1 or ends.dtype != np.int64 or ends.ndim != 1:
        raise source.error("names_text must be bytes and names_ends int64. Write the file again.")
    try:
        words = text.tobytes().decode("utf8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise source.error(f"names_text is not UTF-8 ({error}). Write the file again.") from error
    if (np.diff(ends, prepend=0) < 0).any() or (ends[-1] if len(ends) else 0) != len(words):
        raise source.error("names_ends do not cut names_text into words. Write the file again.")
    starts = [0, *ends.tolist()]
    return [words[low:high] for low, high in pairwise(starts)]


def _read_cells(source: Named, arrays: dict[str, Array], n: int) -> CellNames:
    """Return the cells that are the names."""
    cells, free = arrays["cells"], arrays.get("cells_free")
    if cells.shape != (3,) or cells.dtype != np.int64 or (cells < 0).any() or cells[2] > 1:
        raise source.error("cells must be rows, columns, and 1 for (x, y), as int64. Write the file again.")
    size = int(cells[0]) * int(cells[1])
    if free is not None and (
        free.ndim != 1 or free.dtype.kind != "i" or (free[1:] <= free[:-1]).any() or (free[:1] < 0).any()
    ):
        raise source.error("cells_free must be ascending whole numbers from 0 on. Write the file again.")
    if (size if free is None else len(free)) != n or (free is not None and n and free[-1] >= size) or size > 2**62:
        raise source.error(f"the cells do not belong to a graph of {n} vertices. Write the file again.")
    return CellNames((int(cells[0]), int(cells[1])), free, bool(cells[2]))


def one_number(source: Named, arrays: dict[str, Array], key: str) -> Array:
    """Return an array that is a single whole number."""
    if arrays[key].shape != () or arrays[key].dtype.kind not in "iu":
        raise source.error(f"{key} must be one whole number. Write the file again.")
    return arrays[key]


def name_parts(graph: Graph, sink: Writable) -> dict[str, Any]:
    """Return the names as arrays: the first of consecutive numbers; all numbers; cells; or a text and ends of words."""
    names = graph.names
    if names is None:
        return {}
    if isinstance(names, NumberNames) and isinstance(names.ids, range) and names.ids.step == 1:
        return {"names_from": np.int64(names.ids.start)}
    if isinstance(names, CellNames):
        cells = {"cells": np.array([*names.shape, names.xy], np.int64)}
        return cells if names.free is None else cells | {"cells_free": names.free}
    column = name_column(graph, sink)
    if isinstance(column, np.ndarray):
        return {"names": column}
    words: list[str] = column or []
    ends = np.cumsum(np.fromiter(map(len, words), np.int64, len(words)))
    text = "".join(words).encode("utf8", "surrogatepass")
    return {"names_text": np.frombuffer(text, np.uint8), "names_ends": ends}
