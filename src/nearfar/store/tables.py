"""Read tables of distances back for ``nearfar verify``: .csv, .csv.gz and .parquet, one line per reached pair.

Pairs without a line are unreached. So only complete tables are accepted: a table without lines, or with two distances
for one pair, is not an answer.
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FormatError, OptionError, option
from ..results import Distances, KNearest, Nearest
from ..results.limits import unreached
from .answers import Hints, SavedDistances, check_direction, nearest_of
from .labels import labels_of
from .lines import NUMBERS
from .sheets import require_arrow

if TYPE_CHECKING:
    from ..graph import Graph

LINE = 1 << 16  # bytes; the first line of a table is shorter


def load_csv(path: str, graph: Graph, hints: Hints) -> Distances | Nearest | KNearest:
    """Read a csv table, with pyarrow if it is installed."""
    data = Path(path).read_bytes()
    data = gzip.decompress(data) if path.lower().endswith(".gz") else data
    header = next(csv.reader(io.StringIO(data[:LINE].decode("utf-8-sig", "replace"), newline="")), [])
    if importlib.util.find_spec("pyarrow") is not None and "distance" in header[2:4]:
        from pyarrow.csv import ConvertOptions, read_csv

        types = ConvertOptions(
            column_types={name: "string" for name in header if name not in NUMBERS and _has_words(graph)}
        )
        return _from_arrow(path, graph, hints, read_csv(io.BytesIO(data), convert_options=types))
    lines = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    next(lines, None)
    columns = list(zip(*lines, strict=True)) or [()] * len(header)
    return _from_table(path, graph, hints, header, {name: list(c) for name, c in zip(header, columns, strict=True)})


def load_parquet(path: str, graph: Graph, hints: Hints) -> Distances | Nearest | KNearest:
    """Read a table of typed columns."""
    require_arrow("reading")
    from pyarrow.parquet import read_table

    with open(path, "rb") as file:
        table = read_table(file)
    return _from_arrow(path, graph, _with_facts(hints, table.schema.metadata or {}), table)


def _with_facts(hints: Hints, said: dict[bytes, bytes]) -> Hints:
    """Return the hints of the command line, and what the file says of itself."""
    cutoff = hints.cutoff
    if b"nearfar_cutoff" in said:
        word = said[b"nearfar_cutoff"].decode()
        cutoff = int(word) if word.isdecimal() else float(word)
    return replace(hints, cutoff=cutoff, rounded=hints.rounded or said.get(b"nearfar_rounded") == b"true")


def _from_arrow(path: str, graph: Graph, hints: Hints, table: Any) -> Distances | Nearest | KNearest:
    """Turn an Arrow table into an answer."""
    columns = {name: table.column(name) for name in table.column_names}
    lists = {name: column.to_numpy() if name in NUMBERS else column.to_pylist() for name, column in columns.items()}
    return _from_table(path, graph, hints, table.column_names, lists)


def _has_words(graph: Graph) -> bool:
    """Return whether the vertices are words in a table."""
    labels = labels_of(graph)
    return labels is not None and labels.dtype.kind == "O"


def _from_table(
    path: str, graph: Graph, hints: Hints, header: list[str], columns: dict[str, Any]
) -> Distances | Nearest | KNearest:
    """Turn the columns of a table into rows of distances; pairs without a line are unreached."""
    if "rank" in header:
        return _several_from_table(path, graph, hints, header, columns)
    find = _finder(graph)
    own, other, direction = _roles(path, header)
    near = other == "vertex"
    check_direction(path, direction, hints)
    source, target = find(columns[own], "source"), find(columns[other], "target")
    if not len(source):
        raise FormatError(f"{path} has no lines of distances, so there is nothing to prove. Write it again.", path)
    dtype = _distance_type(graph, columns["distance"], hints)
    starts, row = _distinct(source) if hints.sources is None or near else _given(path, source, graph, hints)
    lines = _Lines(path, graph, np.zeros(len(target), np.intp) if near else row, target, target)
    rows = np.full((1 if near else len(starts), graph.n), unreached(dtype), dtype)
    lines.fill(rows, _typed(path, columns["distance"], dtype), "distances")
    tree = None
    link = "successor" if direction == "to" else "predecessor"
    if link in columns:
        tree = np.full(rows.shape, -1, np.int32)
        lines.fill(tree, _before(columns[link], find), f"{link}s")
    options: dict[str, Any] = {"cutoff": hints.cutoff, "rounded": hints.rounded, "direction": direction}
    if near:
        owner = np.full((1, graph.n), -1, np.int32)
        lines.fill(owner, source, "sources")
        offered = _offered(path, graph, starts, hints)
        return nearest_of(graph, offered, rows, owner[0], tree, options)
    _check_whole(path, graph, starts, rows, hints)
    result = SavedDistances(graph, starts, rows, **options)
    result.tree = tree
    return result


def _several_from_table(path: str, graph: Graph, hints: Hints, header: list[str], columns: dict[str, Any]) -> KNearest:
    """Turn a table with ranks into the k nearest sources of every vertex; k is the greatest rank."""
    find = _finder(graph)
    own, other, direction = _roles(path, [name for name in header if name != "rank"])
    check_direction(path, direction, hints)
    source, vertex = find(columns[own], "source"), find(columns[other], "vertex")
    rank = np.array([_as_int(word) for word in columns["rank"]], np.int64)
    if other != "vertex" or not len(rank) or rank.min() < 1 or rank.max() > len(np.unique(source)):
        raise FormatError(f"{path} is no table of ranks from 1 to the number of sources. Write it again.", path)
    dtype, k = _distance_type(graph, columns["distance"], hints), int(rank.max())
    lines = _Lines(path, graph, vertex, rank - 1, vertex)
    dist, owner = np.full((graph.n, k), unreached(dtype), dtype), np.full((graph.n, k), -1, np.int32)
    lines.fill(dist, _typed(path, columns["distance"], dtype), "distances")
    lines.fill(owner, source, "sources")
    offered = _offered(path, graph, np.unique(source), hints)
    return KNearest(graph, offered, dist, owner, direction=direction, cutoff=hints.cutoff)


def _roles(path: str, header: list[str]) -> tuple[str, str, str]:
    """Return the columns of the sources and of the other vertices, and the direction, which their order shows."""
    for own, other, direction in (("source", "target", "from"), ("target", "source", "to")):
        if header[:3] == [own, other, "distance"]:
            return own, other, direction
        if header[:3] == ["vertex", own, "distance"]:
            return own, "vertex", direction
    raise FormatError(
        f"{path} has the columns {','.join(header) or '(none)'}, but source,target,distance or vertex,source,distance "
        "are needed, with source and target exchanged for distances to the sources.",
        path,
    )


def _before(column: list[Any], find: Callable[[list[Any], str], np.ndarray]) -> np.ndarray:
    """Return a column of predecessors as vertex indices, -1 where there is none."""
    known = np.array([word not in ("", None) for word in column], bool)
    indices = np.full(len(known), -1, np.int32)
    indices[known] = find([word for word in column if word not in ("", None)], "predecessor")
    return indices


@dataclass(frozen=True)
class _Lines:
    """Where the lines of a table belong: the row and the column of each line, and its vertex."""

    path: str
    graph: Graph
    row: np.ndarray
    column: np.ndarray
    vertex: np.ndarray

    def fill(self, array: np.ndarray, values: np.ndarray, what: str) -> None:
        """Copy a column into an array of rows; refuse two different values for one entry."""
        array[self.row, self.column] = values
        kept = array[self.row, self.column]
        differ = np.flatnonzero((kept != values) & ~((kept != kept) & (values != values)))  # NaN is left to the proof
        if len(differ):
            vertex = self.graph.name(int(self.vertex[differ[0]]))
            raise FormatError(
                f"{self.path} has two different {what} for one pair, ending at {vertex!r}. Remove one of them.",
                self.path,
            )


def _offered(path: str, graph: Graph, starts: np.ndarray, hints: Hints) -> np.ndarray:
    """Return the sources of a nearest query: those of the command line, which may be nearest to no vertex, else all."""
    if hints.sources is None:
        return np.sort(starts)
    offered = graph.indices(hints.sources, "source")
    if not np.isin(starts, offered).all():
        raise OptionError(f"{path} has other sources than those given. Correct {option('sources')}, or leave it out.")
    return np.unique(offered)


def _check_whole(path: str, graph: Graph, starts: np.ndarray, rows: np.ndarray, hints: Hints) -> None:
    """Refuse a table of single pairs: whole rows have a line from the source to itself, unless a cutoff excludes it."""
    missing = starts[rows[np.arange(len(starts)), starts] == unreached(rows.dtype)]
    if len(missing) and (hints.cutoff is None or hints.cutoff >= 0):
        raise FormatError(
            f"{path} has no line from {graph.name(int(missing[0]))!r} to itself, so it does not hold all distances "
            f"from there. A table of single pairs cannot be proved; write it without {option('to')}.",
            path,
        )


def _typed(path: str, column: Any, dtype: np.dtype) -> np.ndarray:
    """Return distances in their type; integers must fit it, floats may be rounded."""
    values = np.asarray(column)
    with np.errstate(invalid="ignore", over="ignore"):
        typed = values.astype(dtype)
    if dtype.kind == "i" and values.dtype.kind in "iuf" and (typed != values).any():
        raise FormatError(
            f"{path} has the distance {values[typed != values][0]}, which {dtype} cannot hold. Use {option('dtype')}.",
            path,
        )
    return typed


def _finder(graph: Graph) -> Callable[[list[Any], str], np.ndarray]:
    """Return a function from the names in a table to vertex indices."""
    if not _has_words(graph):

        def find_numbers(words: list[Any], role: str) -> np.ndarray:
            ids, inverse = np.unique(np.array([_as_int(word) for word in words], np.int64), return_inverse=True)
            return graph.indices(ids.tolist(), role)[inverse]

        return find_numbers
    indices = {str(name): v for v, name in enumerate(graph.names or ())}

    def find_words(words: list[Any], role: str) -> np.ndarray:
        found = np.fromiter((indices.get(word, -1) for word in words), np.int32, len(words))
        if (found < 0).any():
            graph.index(words[int(np.argmin(found))], role)  # raises the error
        return found

    return find_words


def _as_int(word: Any) -> int:
    """Return a vertex in a table as a whole number; int() would cut 1.5 to 1, so it is refused."""
    return int(word) if isinstance(word, str) else operator.index(word)


def _distance_type(graph: Graph, values: Any, hints: Hints) -> np.dtype:
    """Return the type of the distances before they were written as text."""
    if hints.dtype is not None:
        return np.dtype(hints.dtype)
    if isinstance(values, np.ndarray) and values.dtype.itemsize == 4:
        return values.dtype
    if graph.weight_dtype is not None and graph.weight_dtype.kind == "f":
        return graph.weight_dtype
    return np.dtype(np.float64 if np.asarray(values).dtype.kind == "f" else np.int64)


def _distinct(source: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sources in order of appearance, and the row of each line."""
    starts, first, inverse = np.unique(source, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    return starts[order].astype(np.int32), rank[inverse]


def _given(path: str, source: np.ndarray, graph: Graph, hints: Hints) -> tuple[np.ndarray, np.ndarray]:
    """Return the sources of the command line, and the row of each line."""
    starts = np.array(list(dict.fromkeys(graph.indices(hints.sources, "source").tolist())), np.int32)
    rows = {int(v): r for r, v in enumerate(starts)}
    for v in np.unique(source):
        if int(v) not in rows:
            raise OptionError(
                f"{path} has lines from {graph.name(int(v))!r}, which is not one of the given sources. Correct "
                f"{option('sources')}, or leave it out."
            )
    return starts, np.array([rows[int(v)] for v in source], np.intp)
