"""Answers into files, by ending: .npy and .npz hold arrays, .csv and .parquet a line for each reached pair.

A file appears whole or not at all. Arrays are in the order of vertex numbers, and vertices in them are numbers;
``vertices`` of an .npz says what they are called. Tables call vertices what the file of the graph calls them.
"""

from __future__ import annotations

import gzip
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..errors import DistanceOverflowError, FileError, MissingDependencyError, OptionError
from ..formats.io.targets import check_place
from ..formats.io.whole import whole_file
from ..results import Distances, Nearest
from ..results.limits import unreached

if TYPE_CHECKING:
    from ..engine.planner import Plan
    from ..graph import Graph

LINES = 1 << 16  # of a table formatted at once
GROUP = 1 << 20  # lines of a table compressed at once


@dataclass(frozen=True)
class Pairs:
    """Distances between two lists of vertices: the columns of these targets (vertex numbers) alone."""

    distances: Distances
    targets: np.ndarray

    @property
    def graph(self) -> Graph:
        """The graph that was asked about."""
        return self.distances.graph

    @property
    def rows(self) -> np.ndarray:
        """The distances, a row a source and a column a target."""
        return self.distances.rows[:, self.targets]


Answer = Distances | Nearest
Table = Answer | Pairs


def check_path(path: str) -> None:
    """Refuse an output that cannot be written, before anything is computed for it."""
    if path == "-":
        return
    if ending_of(path) is None:
        raise OptionError(f"'{path}' should end in one of {', '.join(SAVERS)}, or be '-' for csv.")
    check_place(path)
    if ending_of(path) == ".parquet":
        require_arrow("writing")


def ending_of(path: str) -> str | None:
    """Return the ending that tells how to write, or None for an unknown one."""
    return next((ending for ending in SAVERS if path.lower().endswith(ending)), None)


def save(answer: Table, path: str, predecessors: bool) -> None:
    """Write an answer in the way its ending says."""
    if path == "-":
        _save_csv(answer, sys.stdout.buffer, predecessors)
        sys.stdout.buffer.flush()
        return
    ending = ending_of(path)
    assert ending is not None  # checked when the options were read
    with whole_file(path) as file:
        SAVERS[ending](answer, file, predecessors)


def solve_to_file(query: Callable[..., Distances], plan: Plan, path: str) -> Distances:
    """Solve straight into the .npy file, so that a matrix may be larger than memory.

    ``query`` is a function of ``out``. The wider distance type takes the place of the narrow one as it would in memory.
    """
    types = [dtype for dtype in (plan.dtype, plan.wider) if dtype is not None]
    with whole_file(path) as file:
        for dtype in types:
            rows = _mapped(file, dtype, (plan.rows, plan.n), path)
            try:
                result = query(out=rows)
                break
            except DistanceOverflowError:
                if dtype == types[-1]:
                    raise
        rows.flush()
    return result


def _mapped(file: IO[bytes], dtype: np.dtype, shape: tuple[int, int], path: str) -> np.memmap:
    """Return the array inside a new .npy file, whose space on the disk is reserved: a full disk would kill us later."""
    file.seek(0)
    file.truncate()
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_2_0(file, header)
    file.flush()
    start, size = file.tell(), shape[0] * shape[1] * dtype.itemsize
    try:
        if hasattr(os, "posix_fallocate") and size:
            os.posix_fallocate(file.fileno(), start, size)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {size:,} bytes are needed. {error.strerror}.") from error
    return np.memmap(file, dtype, "r+", start, shape)


def _save_npy(answer: Answer, file: IO[bytes], predecessors: bool) -> None:
    """Write the distances alone."""
    np.lib.format.write_array(file, np.ascontiguousarray(answer.dist), allow_pickle=False)


def _save_npz(answer: Answer, file: IO[bytes], predecessors: bool) -> None:
    """Write the distances and all that is needed to read and to prove them."""
    arrays = {"dist": answer.dist, "sources": answer.sources, "vertices": vertices_of(answer.graph)}
    if isinstance(answer, Nearest):
        arrays["source"] = answer.source
    distances = _distances(answer)
    for name in ("cutoff", "targets"):
        if getattr(distances, name) is not None:
            arrays[name] = np.asarray(getattr(distances, name))
    if distances.rounded:
        arrays["rounded"] = np.asarray(True)
    if predecessors:
        arrays["predecessors"] = answer.predecessors
    np.savez(file, **arrays)  # type: ignore[arg-type]


def vertices_of(graph: Graph) -> np.ndarray:
    """Return what the vertices are called as an array of integers, or of words where not all are integers."""
    labels = labels_of(graph)
    if labels is None:
        return np.arange(graph.n)
    return labels if labels.dtype.kind == "i" else labels.astype(np.str_)


def labels_of(graph: Graph) -> np.ndarray | None:
    """Return what the vertices are called: int64, or strings as objects; None where they are called by number."""
    if graph.names is None:
        return None
    if hasattr(graph.names, "array"):
        return np.asarray(graph.names.array, np.int64)
    if all(type(name) is int and -(2**63) <= name < 2**63 for name in graph.names):
        return np.fromiter(graph.names, np.int64, graph.n)
    return np.fromiter(map(str, graph.names), object, graph.n)


def columns_of(answer: Table) -> list[str]:
    """Return the columns of a table: a nearest query has a line for each vertex, any other for each pair."""
    vertices = ["vertex", "source"] if isinstance(answer, Nearest) else ["source", "target"]
    return [*vertices, "distance"]


def blocks_of(answer: Table, predecessors: bool) -> Iterator[list[np.ndarray]]:
    """Yield the columns of a table, some lines at a time: vertex numbers, distances, vertex numbers."""
    distances = _distances(answer)
    for r, row in enumerate(distances.rows):
        reached = row != unreached(row.dtype)
        found = answer.targets[reached[answer.targets]] if isinstance(answer, Pairs) else np.flatnonzero(reached)
        tree = _tree_of(answer, r) if predecessors and not isinstance(answer, Pairs) else None
        for low in range(0, len(found), LINES):
            v = found[low : low + LINES]
            if isinstance(answer, Nearest):
                columns = [v, answer.source[v], row[v]]
            else:
                columns = [np.full(len(v), distances.sources[r]), v, row[v]]
            yield columns if tree is None else [*columns, tree[v]]


def _tree_of(answer: Answer, r: int) -> np.ndarray:
    """Return the predecessors of one row."""
    pred = answer.predecessors
    return pred if pred.ndim == 1 else pred[r]


def _distances(answer: Table) -> Distances:
    """Return the rows behind an answer."""
    return answer if isinstance(answer, Distances) else answer.distances


def _save_csv(answer: Table, file: IO[bytes], predecessors: bool) -> None:
    """Write a line for each reached pair. Many lines are formatted at once."""
    labels = labels_of(answer.graph)
    if labels is not None and labels.dtype.kind == "O":
        labels = np.fromiter(map(_quoted, labels), object, len(labels))
    header = columns_of(answer) + (["predecessor"] if predecessors else [])
    file.write((",".join(header) + "\n").encode())
    line = ",".join(["%s"] * len(header)) + "\n"
    for *first, distance, last in _padded(blocks_of(answer, predecessors), predecessors):
        texts = [_called(labels, column) for column in first]
        texts.append((distance.astype(np.str_) if distance.dtype == np.float32 else distance).tolist())
        if last is not None:
            before = _called(labels, last)
            texts.append([name if p >= 0 else "" for name, p in zip(before, last.tolist(), strict=True)])
        file.write((line * len(distance) % tuple(chain.from_iterable(zip(*texts, strict=True)))).encode())


def _padded(blocks: Iterator[list[np.ndarray]], predecessors: bool) -> Iterator[list[Any]]:
    """Yield blocks that have a last column, None where there are no predecessors."""
    return (block if predecessors else [*block, None] for block in blocks)


def _gathered(blocks: Iterator[list[np.ndarray]]) -> Iterator[list[np.ndarray]]:
    """Yield larger blocks: a reader of .parquet likes groups of about a million lines."""
    waiting: list[list[np.ndarray]] = []
    for block in blocks:
        waiting.append(block)
        if sum(len(columns[0]) for columns in waiting) >= GROUP:
            yield [np.concatenate(columns) for columns in zip(*waiting, strict=True)]
            waiting = []
    if waiting:
        yield [np.concatenate(columns) for columns in zip(*waiting, strict=True)]


def _called(labels: np.ndarray | None, numbers: np.ndarray) -> list[Any]:
    """Return what vertices are called."""
    called: list[Any] = (numbers if labels is None else labels[numbers]).tolist()
    return called


def _quoted(name: str) -> str:
    """Return a name as a field of a csv file."""
    return '"' + name.replace('"', '""') + '"' if any(mark in name for mark in ',"\r\n') else name


def _save_csv_gz(answer: Table, file: IO[bytes], predecessors: bool) -> None:
    """Write a compressed table; no time in its head, so that the same answer gives the same bytes."""
    with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        _save_csv(answer, packed, predecessors)  # type: ignore[arg-type]


def _save_parquet(answer: Table, file: IO[bytes], predecessors: bool) -> None:
    """Write a table of typed columns."""
    require_arrow("writing")
    import pyarrow as pa
    import pyarrow.parquet as pq

    labels = labels_of(answer.graph)
    name = pa.string() if labels is not None and labels.dtype.kind == "O" else pa.int64()
    first, second, last = columns_of(answer)
    fields = [(first, name), (second, name), (last, pa.from_numpy_dtype(_distances(answer).rows.dtype))]
    schema = pa.schema(fields + ([("predecessor", name)] if predecessors else []))
    with pq.ParquetWriter(file, schema) as writer:
        for *vertices, distance, before in _padded(_gathered(blocks_of(answer, predecessors)), predecessors):
            columns = [pa.array(_called(labels, column), name) for column in vertices] + [pa.array(distance)]
            if before is not None:
                columns.append(pa.array(_called(labels, before), name, mask=before < 0))
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def require_arrow(doing: str) -> None:
    """Refuse .parquet where pyarrow is not installed."""
    if importlib.util.find_spec("pyarrow") is None:
        raise MissingDependencyError(f"{doing} .parquet needs the package pyarrow: pip install 'nearfar[formats]'.")


SAVERS: dict[str, Callable[..., None]] = {
    ".npy": _save_npy,
    ".npz": _save_npz,
    ".csv": _save_csv,
    ".csv.gz": _save_csv_gz,
    ".parquet": _save_parquet,
}
