"""Graphs in NumPy archives, .npz: nearfar's own, which keep everything; arc arrays; and SciPy's sparse matrices.

Nearfar's own file holds the parts of a Graph as they are in memory, and a version. Others may have edited it, so the
parts are checked like the arguments of any caller. The three kinds share one ending; the keys tell them apart.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import OptionError, option
from ..graph import Graph
from ..graph.arrays import Array, shorten
from ..graph.cells import CellNames
from ..graph.input_rows import InputRows
from ..graph.names import NumberNames
from ..graph.rows import reverse_rows
from .arc_arrays import are_arcs, from_arcs_by_key
from .format import Format
from .io.archive import is_archive, read_arrays, write_arrays
from .io.files import Sink, Source
from .labels import INT64, name_column
from .sparse_arrays import are_sparse, from_sparse_by_key

MARK = "nearfar_graph"  # the key whose value is the version; the first in the file
VERSION = 1


def read(source: Source, *, weight: str | bool | None = None, undirected: bool | None = None) -> Graph:
    """Read a .npz file of any of the three kinds.

    ``weight`` is the key of the weights in a file of arcs, or False for none; ``undirected`` overrides what such a file
    says, or adds the reverse of each entry of a sparse matrix.
    """
    arrays = read_arrays(source)
    if MARK in arrays:
        return _from_parts(source, arrays, weight, undirected)
    if are_sparse(arrays):
        return from_sparse_by_key(source, arrays, weight, undirected)
    if are_arcs(arrays):
        return from_arcs_by_key(source, arrays, weight, undirected)
    raise source.error(
        f"the archive has the keys {shorten(sorted(arrays), 200)}, which are not those of a graph. Save src and dst "
        f"(and w, n, directed), or use scipy.sparse.save_npz or nearfar.write."
    )


def _from_parts(source: Source, arrays: dict[str, Array], weight: Any, undirected: Any) -> Graph:
    """Build a graph from the parts that `write` wrote."""
    if undirected is not None or weight not in (None, False):
        raise OptionError(
            f"{source.name}: {option('undirected')} and {option('weight')} do not apply to a file that nearfar wrote. "
            f"Leave them out; only {option('weight', False)} is possible."
        )
    _check_mark(source, arrays)
    weights = None if weight is False else arrays.get("weights")
    graph = Graph.from_csr(
        arrays["offsets"],
        arrays["heads"],
        weights,
        names=_read_names(source, arrays),
        coordinates=arrays.get("coordinates"),
    )
    if not arrays["undirected"]:
        return graph.like(graph.offsets, graph.arcs, input_rows=_read_rows(source, arrays, graph))
    del weights
    for key in ("offsets", "heads", "weights"):
        arrays.pop(key, None)  # the check below takes two more copies of the arcs
    if not _is_mirrored(graph):
        raise source.error(
            "the array undirected is True, but some arc has no reverse arc of equal weight. Write the file again, with "
            "undirected False."
        )
    return graph.like(graph.offsets, graph.arcs, undirected=True, input_rows=_read_rows(source, arrays, graph))


def _read_rows(source: Source, arrays: dict[str, Array], graph: Graph) -> InputRows | None:
    """Return the rows of the input that the arcs came from, if the file has them."""
    if "rows" not in arrays:
        return None
    rows, count = arrays["rows"], int(_one_number(source, arrays, "row_count")) if "row_count" in arrays else -1
    if rows.shape != (graph.m,) or rows.dtype not in (np.int32, np.int64):
        raise source.error(f"rows are {rows.dtype} of shape {rows.shape}, but must be {graph.m} int32 or int64.")
    if count < 0 or (rows.size and not (rows.min() >= 0 and rows.max() < count)):
        raise source.error(f"rows must be from 0 to row_count - 1, and row_count is {count}. Write the file again.")
    paired = bool(arrays["undirected"])
    if not (_are_pairs(graph, rows, count) if paired else np.bincount(rows, minlength=1).max() <= 1):
        raise source.error("two arcs have the same row and are not the two of an edge. Write the file again.")
    return InputRows(count, paired, array=rows, complete=len(np.unique(rows)) == count)


def _are_pairs(graph: Graph, rows: Array, count: int) -> bool:
    """Tell whether the arcs of each row are the two of one edge, or a loop."""
    first, last, arcs = np.empty(count, np.int64), np.empty(count, np.int64), np.arange(graph.m)
    last[rows], first[rows[::-1]] = arcs, arcs[::-1]
    one, two = first[rows], last[rows]
    mirrored = (graph.tails[one] == graph.heads[two]) & (graph.heads[one] == graph.tails[two])
    if graph.weights is not None:
        mirrored &= graph.weights[one] == graph.weights[two]
    return bool((mirrored & ((arcs == one) | (arcs == two))).all())


def _check_mark(source: Source, arrays: dict[str, Array]) -> None:
    """Refuse other versions, and files that lack a part."""
    mark = arrays[MARK]
    if mark.shape != () or mark.dtype.kind not in "iu" or mark != VERSION:
        raise source.error(
            f"it is of version {shorten(mark.tolist())}, but this nearfar reads version {VERSION}. Use a newer "
            f"nearfar, or convert it with the one that wrote it."
        )
    lost = [key for key in ("offsets", "heads", "undirected") if key not in arrays]
    if lost:
        raise source.error(f"array {lost[0]} is missing. Write the file again.")
    if arrays["undirected"].shape != () or arrays["undirected"].dtype != bool:
        raise source.error("the array undirected must be one bool. Write the file again.")


def _is_mirrored(graph: Graph) -> bool:
    """Return whether every arc has its reverse arc; reversing the rows twice sorts them by head."""
    turned = reverse_rows(graph.offsets, graph.arcs)
    again = reverse_rows(*turned)
    if not (turned[0] == again[0]).all():
        return False
    if (turned[1] == again[1]).all():
        return True
    weights = graph.weights  # the order of parallel edges may differ between the directions
    if weights is None:
        return False
    rows = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(turned[0]))
    first, second = (arcs[np.lexsort((arcs["weight"], arcs["head"], rows))] for arcs in (turned[1], again[1]))
    return bool((first == second).all())


def _read_names(source: Source, arrays: dict[str, Array]) -> Any:
    """Return the names as `_name_parts` stored them."""
    if "cells" in arrays:
        return _read_cells(source, arrays)
    if "names" in arrays:
        names = arrays["names"]
        if names.ndim != 1 or names.dtype.kind not in "iu" or (names.size and int(names.max()) not in INT64):
            raise source.error(
                f"names are {names.dtype} of shape {names.shape}, but must be a list of int64. Write the file again."
            )
        return names.astype(np.int64)
    if "names_from" in arrays:
        first, n = int(_one_number(source, arrays, "names_from")), len(arrays["offsets"]) - 1
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


def _read_cells(source: Source, arrays: dict[str, Array]) -> CellNames:
    """Return the cells that are the names."""
    cells, free = arrays["cells"], arrays.get("cells_free")
    if cells.shape != (3,) or cells.dtype != np.int64 or (cells < 0).any() or cells[2] > 1:
        raise source.error("cells must be rows, columns, and 1 for (x, y), as int64. Write the file again.")
    size, n = int(cells[0]) * int(cells[1]), arrays["offsets"].size - 1
    if free is not None and (
        free.ndim != 1 or free.dtype.kind != "i" or (free[1:] <= free[:-1]).any() or (free[:1] < 0).any()
    ):
        raise source.error("cells_free must be ascending whole numbers from 0 on. Write the file again.")
    if (size if free is None else len(free)) != n or (free is not None and n and free[-1] >= size) or size > 2**62:
        raise source.error(f"the cells do not belong to a graph of {n} vertices. Write the file again.")
    return CellNames((int(cells[0]), int(cells[1])), free, bool(cells[2]))


def _one_number(source: Source, arrays: dict[str, Array], key: str) -> Array:
    """Return an array that is a single whole number."""
    if arrays[key].shape != () or arrays[key].dtype.kind not in "iu":
        raise source.error(f"{key} must be one whole number. Write the file again.")
    return arrays[key]


def write(graph: Graph, sink: Sink) -> None:
    """Write all parts of a graph."""
    parts: dict[str, Any] = {MARK: np.int64(VERSION), "undirected": np.bool_(graph.undirected)}
    parts |= _name_parts(graph, sink)
    parts |= {"offsets": graph.offsets, "heads": graph.heads}
    if graph.weights is not None:
        parts["weights"] = graph.weights
    if graph.coordinates is not None:
        parts["coordinates"] = graph.coordinates
    rows = graph.input_rows
    if rows.known and not (rows.in_order and graph.kept is None):
        parts |= {"rows": graph.rows, "row_count": np.int64(rows.count)}
    write_arrays(sink, parts)


def _name_parts(graph: Graph, sink: Sink) -> dict[str, Any]:
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


def matches(head: bytes) -> bool:
    """Return whether a file begins like a NumPy archive."""
    return is_archive(head)


FORMAT = Format(
    name="npz",
    summary="NumPy archives: nearfar's own (keeps everything), arc arrays src, dst, w, or SciPy's sparse matrices",
    endings=(".npz",),
    matches=matches,
    read=read,
    write=write,
    keeps=("directed", "weights", "floats", "negative", "names", "cells", "coordinates", "parallel", "isolated"),
)
