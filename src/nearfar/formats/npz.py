"""Graphs in NumPy archives, .npz: nearfar's own, which keep everything; arc arrays; and SciPy's sparse matrices.

Nearfar's own file holds the parts of a Graph as they are in memory, and a version. Others may have edited it, so the
parts are checked like the arguments of any caller. The three kinds share one ending; the keys tell them apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import OptionError, option
from ..graph import Graph
from ..graph.arrays import Array, shorten
from ..graph.input_rows import InputRows
from ..graph.rows import reverse_rows
from ..graph.units import LONGEST, Units
from .arc_arrays import are_arcs, from_arcs_by_key
from .format import Format
from .io.archive import is_archive, read_arrays, write_arrays
from .io.files import Sink, Source
from .name_parts import name_parts, one_number, read_names
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
        names=read_names(source, arrays, len(arrays["offsets"]) - 1),
        coordinates=arrays.get("coordinates"),
    ).with_units(*_read_units(source, arrays))
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


def _read_units(source: Source, arrays: dict[str, Array]) -> list[str | None]:
    """Return the units of weights and coordinates; empty words stand for unknown ones."""
    words = arrays.get("units", np.array(["", ""]))
    if words.shape != (2,) or words.dtype.kind != "U" or not all(_is_unit(word) for word in words.tolist()):
        raise source.error("units are not two short words. Write the file again.")
    return [word or None for word in words.tolist()]


def _is_unit(word: str) -> bool:
    """Tell whether a word may be a unit, or stands for none."""
    return len(word) <= LONGEST and word.isprintable() and word == word.strip()


def _read_rows(source: Source, arrays: dict[str, Array], graph: Graph) -> InputRows | None:
    """Return the rows of the input that the arcs came from, if the file has them."""
    if "rows" not in arrays:
        return None
    rows, count = arrays["rows"], int(one_number(source, arrays, "row_count")) if "row_count" in arrays else -1
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


def write(graph: Graph, sink: Sink) -> None:
    """Write all parts of a graph."""
    parts: dict[str, Any] = {MARK: np.int64(VERSION), "undirected": np.bool_(graph.undirected)}
    parts |= name_parts(graph, sink)
    parts |= {"offsets": graph.offsets, "heads": graph.heads}
    if graph.weights is not None:
        parts["weights"] = graph.weights
    if graph.coordinates is not None:
        parts["coordinates"] = graph.coordinates
    if graph.units != Units():
        parts["units"] = np.array([unit or "" for unit in graph.units])
    rows = graph.input_rows
    if rows.known and not (rows.in_order and graph.kept is None):
        parts |= {"rows": graph.rows, "row_count": np.int64(rows.count)}
    write_arrays(sink, parts)


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
