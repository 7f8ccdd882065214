"""Write answers to files, by ending: .npy and .npz hold arrays, .csv and .parquet one line per reached pair.

A file appears as a whole or not at all. Arrays are in the order of vertex indices and refer to vertices by index; the
array ``vertices`` of an .npz file holds their names. Tables hold the names themselves.
"""

from __future__ import annotations

import gzip
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ..errors import DistanceOverflowError, FileError, MissingDependencyError, OptionError
from ..formats.io.targets import check_writable
from ..formats.io.whole import whole_file
from ..graph.cells import CellNames
from ..results import Distances, KNearest, Nearest, Table
from ..results.limits import unreached

if TYPE_CHECKING:
    from ..engine.planner import Plan
    from ..graph import Graph

STORE = ".zarr"  # the ending of the name of a stored matrix
LINES = 1 << 16  # lines of a table that are formatted at a time
NUMBERS, LINKS = ("distance", "rank"), ("predecessor", "successor")  # columns; the others hold vertices
GROUP = 1 << 20  # lines of a table that are compressed at a time


Answer = Distances | Nearest | KNearest  # with whole rows: also for .npy and .npz
Listed = Answer | Table  # anything that has lines


def check_path(path: str) -> None:
    """Refuse an output file that cannot be written, before anything is computed."""
    if path == "-":
        return
    if is_store(path):
        if "://" not in path:
            check_writable(path.rstrip("/"), folder=True)
        return
    if ending_of(path) is None:
        raise OptionError(
            f"the name of '{path}' should end in one of {', '.join(SAVERS)} or {STORE}; '-' writes csv to standard "
            "output."
        )
    check_writable(path)
    if ending_of(path) == ".parquet":
        require_arrow("writing")


def is_store(path: str | None) -> bool:
    """Tell whether this is the name of a stored matrix."""
    return path is not None and path.rstrip("/").lower().endswith(STORE)


def ending_of(path: str) -> str | None:
    """Return the ending of a path if it is a known one, else None."""
    return next((ending for ending in SAVERS if path.lower().endswith(ending)), None)


def save(answer: Listed, path: str, predecessors: bool) -> None:
    """Write an answer to a file of the kind that its ending names."""
    if _has_starts(answer) and ending_of(path) != ".npz":
        raise OptionError(
            f"'{path}' cannot hold the starting distances of this answer, without which nobody could prove it. Use a "
            "file whose name ends in .npz."
        )
    if path == "-":
        _save_csv(answer, sys.stdout.buffer, predecessors)
        sys.stdout.buffer.flush()
        return
    ending = ending_of(path)
    assert ending is not None  # checked when the options were read
    with whole_file(path) as file:
        SAVERS[ending](answer, file, predecessors)


def solve_to_file(query: Callable[..., Distances], plan: Plan, path: str) -> Distances:
    """Solve directly into a .npy file, so that the matrix may be larger than memory.

    ``query`` is a function of ``out``. If a distance does not fit the narrow type, the query runs again with the wider
    one, as it would in memory.
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
    """Return the array inside a new .npy file. Its disk space is reserved first: a full disk would kill us later."""
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
        raise FileError(
            f"{path} cannot be written: {size:,} bytes are needed. {error.strerror}. Write to another disk."
        ) from error
    return np.memmap(file, dtype, "r+", start, shape)


def _host_dist(answer: Answer) -> np.ndarray:
    """Return the distances, copied from a GPU if they stayed there."""
    return answer.host_dist if isinstance(answer, Distances) else answer.dist


def _save_npy(answer: Answer, file: IO[bytes], predecessors: bool) -> None:
    """Write only the distances."""
    np.lib.format.write_array(file, np.ascontiguousarray(_host_dist(answer)), allow_pickle=False)


def _save_npz(answer: Answer, file: IO[bytes], predecessors: bool) -> None:
    """Write the distances and everything that is needed to read and to prove them."""
    distances = answer.distances if isinstance(answer, Nearest) else answer
    seeds = None if isinstance(distances, KNearest) else distances.seeds
    sources = answer.source_indices if seeds is None else seeds
    arrays = {"dist": _host_dist(answer), "sources": sources, "vertices": vertices_of(answer.graph)}
    if not isinstance(answer, Distances):
        arrays["source"] = answer.source
    if not isinstance(distances, KNearest) and _has_starts(answer):
        arrays["starts"] = distances.starts_of(0)
    for name in ("cutoff", "targets"):
        if getattr(distances, name, None) is not None:
            arrays[name] = np.asarray(getattr(distances, name))
    if not isinstance(distances, KNearest) and distances.rounded:
        arrays["rounded"] = np.asarray(True)
    if distances.direction == "to":
        arrays["direction"] = np.asarray("to")
    if predecessors and not isinstance(answer, KNearest):
        arrays[f"{link_of(answer)}s"] = answer.towards_sources
    np.savez(file, **arrays)  # type: ignore[arg-type]


def vertices_of(graph: Graph) -> np.ndarray:
    """Return the names of the vertices as an array of integers, or of pairs or words if not all are integers."""
    if isinstance(graph.names, CellNames):
        return graph.names.take(np.arange(graph.n))
    labels = labels_of(graph)
    if labels is None:
        return np.arange(graph.n)
    return labels if labels.dtype.kind == "i" else labels.astype(np.str_)


def labels_of(graph: Graph) -> np.ndarray | None:
    """Return the names of the vertices: int64, or strings as objects; None if they have no names but indices."""
    if graph.names is None:
        return None
    if hasattr(graph.names, "array"):
        return np.asarray(graph.names.array, np.int64)
    if all(type(name) is int and -(2**63) <= name < 2**63 for name in graph.names):
        return np.fromiter(graph.names, np.int64, graph.n)
    return np.fromiter(map(str, graph.names), object, graph.n)


def columns_of(answer: Listed) -> list[str]:
    """Return the columns of a table: a nearest query has one line per vertex, any other query one per pair.

    Columns are named by travel, and the vertex of a row is first: ``target,source`` are distances to the first column.
    """
    own, other = ("source", "target") if _direction(answer) == "from" else ("target", "source")
    if isinstance(answer, KNearest):
        return ["vertex", "rank", own, "distance"]
    return [*(["vertex", own] if isinstance(answer, Nearest) else [own, other]), "distance"]


def link_of(answer: Listed) -> str:
    """Return what the next vertex towards the source is called."""
    return "predecessor" if _direction(answer) == "from" else "successor"


def _direction(answer: Listed) -> str:
    """Return whether distances lead from the sources or to them."""
    return answer.direction


def blocks_of(answer: Listed, predecessors: bool) -> Iterator[list[np.ndarray]]:
    """Yield the columns of a table, a block of lines at a time: vertex indices, distances, predecessors."""
    if isinstance(answer, KNearest):
        yield from _ranked_blocks(answer)
        return
    for r, row in enumerate(_distances(answer).rows):
        found = np.flatnonzero(row != unreached(row.dtype))
        tree = _tree_of(answer, r) if predecessors and not isinstance(answer, Table) else None
        for low in range(0, len(found), LINES):
            v = found[low : low + LINES]
            if isinstance(answer, Nearest):
                columns = [v, answer.source[v], row[v]]
            else:
                ends = answer.target_indices[v] if isinstance(answer, Table) else v
                columns = [np.full(len(v), answer.source_indices[r]), ends, row[v]]
            yield columns if tree is None else [*columns, tree[v]]


def _ranked_blocks(answer: KNearest) -> Iterator[list[np.ndarray]]:
    """Yield vertices, ranks, sources and distances of the k nearest, a block of vertices at a time."""
    step = max(1, LINES // answer.k)
    for low in range(0, answer.graph.n, step):
        v, i = np.nonzero(answer.source[low : low + step] >= 0)
        v += low
        yield [v, i + 1, answer.source[v, i], answer.dist[v, i]]


def _tree_of(answer: Distances | Nearest, r: int) -> np.ndarray:
    """Return the predecessors of one row."""
    pred = answer.towards_sources
    return pred if pred.ndim == 1 else pred[r]


def _distances(answer: Distances | Nearest | Table) -> Distances | Table:
    """Return the rows behind an answer."""
    return answer.distances if isinstance(answer, Nearest) else answer


def _has_starts(answer: Listed) -> bool:
    """Tell whether an answer was given starting distances; only a nearest answer has several sources without them."""
    if isinstance(answer, KNearest):
        return False
    distances = _distances(answer)
    return distances.starts is not None or (distances.seeds is not None and not isinstance(answer, Nearest))


def _save_csv(answer: Listed, file: IO[bytes], predecessors: bool) -> None:
    """Write one line per reached pair. Many lines are formatted at once, which is faster."""
    labels = labels_of(answer.graph)
    if labels is not None and labels.dtype.kind == "O":
        labels = np.fromiter(map(_quoted, labels), object, len(labels))
    header = columns_of(answer) + ([link_of(answer)] if predecessors else [])
    file.write((",".join(header) + "\n").encode())
    line = ",".join(["%s"] * len(header)) + "\n"
    for columns in blocks_of(answer, predecessors):
        texts = [_texts(name, column, labels) for name, column in zip(header, columns, strict=True)]
        file.write((line * len(columns[0]) % tuple(chain.from_iterable(zip(*texts, strict=True)))).encode())


def _texts(name: str, column: np.ndarray, labels: np.ndarray | None) -> list[Any]:
    """Return the fields of a column; a vertex that is missing is an empty field."""
    if name in NUMBERS:
        return (column.astype(np.str_) if column.dtype == np.float32 else column).tolist()
    names = _names(labels, column)
    if name not in LINKS:
        return names
    return [name if v >= 0 else "" for name, v in zip(names, column.tolist(), strict=True)]


def _gathered(blocks: Iterator[list[np.ndarray]]) -> Iterator[list[np.ndarray]]:
    """Yield larger blocks: .parquet is read best in groups of about a million lines."""
    waiting: list[list[np.ndarray]] = []
    for block in blocks:
        waiting.append(block)
        if sum(len(columns[0]) for columns in waiting) >= GROUP:
            yield [np.concatenate(columns) for columns in zip(*waiting, strict=True)]
            waiting = []
    if waiting:
        yield [np.concatenate(columns) for columns in zip(*waiting, strict=True)]


def _names(labels: np.ndarray | None, indices: np.ndarray) -> list[Any]:
    """Return the names of vertices."""
    names: list[Any] = (indices if labels is None else labels[indices]).tolist()
    return names


def _quoted(name: str) -> str:
    """Return a name as a field of a csv file, in quotes if necessary."""
    return '"' + name.replace('"', '""') + '"' if any(mark in name for mark in ',"\r\n') else name


def _save_csv_gz(answer: Listed, file: IO[bytes], predecessors: bool) -> None:
    """Write a compressed table, without a time stamp, so that equal answers give equal bytes."""
    with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        _save_csv(answer, packed, predecessors)  # type: ignore[arg-type]


def _save_parquet(answer: Listed, file: IO[bytes], predecessors: bool) -> None:
    """Write a table of typed columns."""
    require_arrow("writing")
    import pyarrow as pa
    import pyarrow.parquet as pq

    labels = labels_of(answer.graph)
    name = pa.string() if labels is not None and labels.dtype.kind == "O" else pa.int64()
    distances = answer.dist if isinstance(answer, KNearest) else _distances(answer).rows
    types = {"distance": pa.from_numpy_dtype(distances.dtype), "rank": pa.int64()}
    header = columns_of(answer) + ([link_of(answer)] if predecessors else [])
    schema = pa.schema([(title, types.get(title, name)) for title in header])
    with pq.ParquetWriter(file, schema) as writer:
        for columns in _gathered(blocks_of(answer, predecessors)):
            arrays = [
                pa.array(column)
                if title in NUMBERS
                else pa.array(_names(labels, column), name, mask=column < 0 if title in LINKS else None)
                for title, column in zip(header, columns, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def require_arrow(doing: str) -> None:
    """Refuse .parquet files if pyarrow is not installed."""
    if importlib.util.find_spec("pyarrow") is None:
        raise MissingDependencyError(
            f"{doing} .parquet needs the package pyarrow, which is not installed. Use: pip install 'nearfar[formats]'"
        )


SAVERS: dict[str, Callable[..., None]] = {
    ".npy": _save_npy,
    ".npz": _save_npz,
    ".csv": _save_csv,
    ".csv.gz": _save_csv_gz,
    ".parquet": _save_parquet,
}
