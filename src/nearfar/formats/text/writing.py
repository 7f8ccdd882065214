"""Write arcs as lines of text: whole numbers with a kernel, floats in Python's shortest form that reads back equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...graph import Graph
from ...graph.arrays import Array
from ..io.files import Sink

_ROWS = 1 << 16  # rows that are formatted at a time


def tails_of(graph: Graph, first: int = 0) -> Array:
    """Return the tail of every arc, counted from ``first``."""
    return np.repeat(np.arange(first, graph.n + first, dtype=np.int32), np.diff(graph.offsets))


def edges_of(graph: Graph) -> Array:
    """Return a mask of the arcs to write if each edge is written once: those with tail <= head, or all if directed.

    Parallel edges have equally many arcs in both directions, so the ascending ones stand for all.
    """
    if not graph.undirected:
        return np.ones(graph.m, bool)
    return np.asarray(tails_of(graph) <= graph.heads)


def write_rows(
    sink: Sink, prefix: bytes, columns: Sequence[Any], separator: bytes = b" ", shifts: Sequence[int] = ()
) -> None:
    """Write one line per row; the columns are arrays of numbers or lists of words."""
    for low in range(0, len(columns[0]), _ROWS):
        block = [column[low : low + _ROWS] for column in columns]
        if all(isinstance(column, np.ndarray) and column.dtype.kind in "iu" for column in block):
            sink.write(_whole(prefix, block, separator, shifts or [0] * len(block)))
        else:
            sink.write(_mixed(prefix, block, separator, shifts or [0] * len(block)))


def _whole(prefix: bytes, block: list[Array], separator: bytes, shifts: Sequence[int]) -> memoryview:
    """Return the lines of columns of whole numbers."""
    from ...kernels.cpu.digits import WIDEST, write_integers

    table = np.empty((len(block), len(block[0])), np.int64)
    for row, column, shift in zip(table, block, shifts, strict=True):
        np.add(column, shift, out=row)
    out = np.empty(table.shape[1] * (len(prefix) + (WIDEST + 1) * len(block) + 1), np.uint8)
    with np.errstate(over="ignore"):  # the sign of negative numbers, when kernels run as plain Python
        used = write_integers(table, np.frombuffer(prefix, np.uint8), ord(separator), out)
    return out[:used].data


def _mixed(prefix: bytes, block: list[Any], separator: bytes, shifts: Sequence[int]) -> bytes:
    """Return the lines of columns that hold floats or words."""
    texts: list[Any] = [[prefix.decode()] * len(block[0])] if prefix else []
    for column, shift in zip(block, shifts, strict=True):
        values = (column + shift if shift else column).tolist() if isinstance(column, np.ndarray) else column
        texts.append(values if values and isinstance(values[0], str) else list(map(repr, values)))
    between = separator.decode()
    return "".join(between.join(row) + "\n" for row in zip(*texts, strict=True)).encode()
