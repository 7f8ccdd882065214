"""Answers that were saved, back again for ``nearfar verify``: .npz, .npy, .csv, .csv.gz and .parquet.

A file is only believed as far as the certificate can check it: what it calls its vertices must be what the graph calls
its own, and everything else is left to `nearfar.verify`.
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import nearfar

from ..errors import FileError, FormatError, MissingFileError, NearfarError, OptionError
from .saving import labels_of, require_arrow, vertices_of
from .summary import unreached_mark

if TYPE_CHECKING:
    from ..graph import Graph


LINE = 1 << 16  # bytes that the first line of a table fits into


@dataclass(frozen=True)
class Hints:
    """What the command line tells about a saved answer: where it starts, and how far it goes."""

    sources: list[Any] | None
    cutoff: float | None
    dtype: str | None


class SavedDistances(nearfar.Distances):
    """Distances whose predecessors, if there are any, come from the file."""

    tree: np.ndarray | None = None

    def known_trees(self) -> dict[int, np.ndarray]:
        """Return the predecessors that were saved."""
        return {} if self.tree is None else dict(enumerate(self.tree.reshape(self.rows.shape)))


class SavedNearest(nearfar.Nearest):
    """A nearest answer whose sources come from the file."""

    owner: np.ndarray

    @property
    def source(self) -> np.ndarray:
        """The nearest source of each vertex, as it was saved."""
        return self.owner


def load_answer(path: str, graph: Graph, hints: Hints) -> nearfar.Distances | nearfar.Nearest:
    """Read a saved answer to a question about ``graph``."""
    ending = next((ending for ending in LOADERS if path.lower().endswith(ending)), None)
    if ending is None:
        raise OptionError(f"{path} is no saved answer: its name should end in one of {', '.join(LOADERS)}.")
    try:
        return LOADERS[ending](path, graph, hints)
    except NearfarError:
        raise
    except FileNotFoundError as error:
        raise MissingFileError(f"{path} does not exist.") from error
    except IsADirectoryError as error:
        raise FileError(f"{path} is a folder; give a file that -o has written.") from error
    except (zipfile.BadZipFile, ValueError, KeyError, EOFError, TypeError, IndexError, gzip.BadGzipFile) as error:
        raise FormatError(f"{path} is not an answer that nearfar has saved: {error}.", path) from error
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}.") from error


def _load_npz(path: str, graph: Graph, hints: Hints) -> nearfar.Distances | nearfar.Nearest:
    """Read what `nearfar sssp -o` and its kin write to .npz."""
    with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    if "dist" not in arrays:
        raise FormatError(f"{path} has no array 'dist': it was not written by nearfar with -o.", path)
    if "vertices" in arrays and not np.array_equal(arrays["vertices"], vertices_of(graph)):
        raise FormatError(
            f"{path} has {len(arrays['vertices']):,} vertices{_first(arrays['vertices'])}, the graph has {graph.n:,}"
            f"{_first(vertices_of(graph))}: it belongs to another graph, or the graph was read with other options.",
            path,
        )
    rows = np.atleast_2d(arrays["dist"])
    cutoff = arrays["cutoff"].item() if "cutoff" in arrays else hints.cutoff
    options: dict[str, Any] = {"cutoff": cutoff, "targets": arrays.get("targets")}
    starts = _starts(path, graph, arrays.get("sources"), rows, hints)
    if "source" in arrays:
        owner = arrays["source"].astype(np.int32)
        return _nearest(graph, starts, rows, owner, arrays.get("predecessors"), options)
    result = SavedDistances(graph, starts, rows, **options)
    result.tree = arrays.get("predecessors")
    return result


def _first(vertices: np.ndarray) -> str:
    """Say what the first vertex is called, to tell two graphs apart."""
    return f" ({vertices[0]}, ...)" if len(vertices) else ""


def _load_npy(path: str, graph: Graph, hints: Hints) -> nearfar.Distances:
    """Read distances alone; where they start is on the command line, or every vertex in turn."""
    with open(path, "rb") as file:
        np.lib.format.read_magic(file)  # refuses what is no .npy file
    rows = np.atleast_2d(np.load(path, mmap_mode="r", allow_pickle=False))
    starts = _starts(path, graph, None, rows, hints)
    if len(rows) == 1 and len(starts) > 1:  # one row for several sources: the distance to the nearest of them
        return nearfar.Distances(graph, starts[:1], rows, seeds=np.sort(starts), single=True, cutoff=hints.cutoff)
    return nearfar.Distances(graph, starts, rows, cutoff=hints.cutoff)


def _starts(path: str, graph: Graph, saved: np.ndarray | None, rows: np.ndarray, hints: Hints) -> np.ndarray:
    """Return the vertex numbers that rows start from."""
    if rows.ndim != 2 or rows.shape[1] != graph.n:
        raise FormatError(
            f"{path} holds an array of shape {rows.shape}, but rows of {graph.n} distances belong to this graph.", path
        )
    if hints.sources is not None:
        starts = graph.indices(hints.sources, "source")
        if saved is not None and not np.array_equal(np.sort(starts), np.sort(saved)):
            raise OptionError(f"{path} was made from other sources than those given. Leave them out; it knows its own.")
        if len(starts) != len(rows) != 1:
            raise OptionError(f"{path} holds {len(rows)} rows of distances, but {len(starts)} sources are given.")
        return starts if saved is None else saved.astype(np.int32)
    if saved is not None:
        return saved.astype(np.int32)
    if len(rows) == graph.n and graph.n > 1:
        return np.arange(graph.n, dtype=np.int32)
    raise OptionError(
        f"{path} holds {len(rows)} row{'s' if len(rows) > 1 else ''} of distances but not where they start; "
        "say it with --source or --sources, in the order of the rows."
    )


def _nearest(
    graph: Graph,
    starts: np.ndarray,
    rows: np.ndarray,
    owner: np.ndarray,
    tree: np.ndarray | None,
    options: dict[str, Any],
) -> nearfar.Nearest:
    """Return the answer of a nearest query."""
    distances = SavedDistances(graph, starts[:1], rows, seeds=starts, single=True, **options)
    distances.tree = tree
    answer = SavedNearest(distances)
    answer.owner = owner
    return answer


def _load_csv(path: str, graph: Graph, hints: Hints) -> nearfar.Distances | nearfar.Nearest:
    """Read a table with a line for each reached pair; pyarrow does it ten times as fast where it is installed."""
    data = Path(path).read_bytes()
    data = gzip.decompress(data) if path.lower().endswith(".gz") else data
    header = next(csv.reader(io.StringIO(data[:LINE].decode("utf-8-sig", "replace"), newline="")), [])
    if importlib.util.find_spec("pyarrow") is not None and header[2:3] == ["distance"]:
        from pyarrow.csv import ConvertOptions, read_csv

        types = ConvertOptions(
            column_types={name: "string" for name in header if name != "distance" and _has_words(graph)}
        )
        return _from_arrow(path, graph, hints, read_csv(io.BytesIO(data), convert_options=types))
    lines = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    next(lines, None)
    columns = list(zip(*lines, strict=True)) or [()] * len(header)
    return _from_table(path, graph, hints, header, {name: list(c) for name, c in zip(header, columns, strict=True)})


def _load_parquet(path: str, graph: Graph, hints: Hints) -> nearfar.Distances | nearfar.Nearest:
    """Read a table of typed columns."""
    require_arrow("reading")
    from pyarrow.parquet import read_table

    with open(path, "rb") as file:
        return _from_arrow(path, graph, hints, read_table(file))


def _from_arrow(path: str, graph: Graph, hints: Hints, table: Any) -> nearfar.Distances | nearfar.Nearest:
    """Turn an Arrow table into an answer."""
    columns = {name: table.column(name) for name in table.column_names}
    lists = {name: column.to_numpy() if name == "distance" else column.to_pylist() for name, column in columns.items()}
    return _from_table(path, graph, hints, table.column_names, lists)


def _has_words(graph: Graph) -> bool:
    """Tell whether tables call the vertices by words."""
    labels = labels_of(graph)
    return labels is not None and labels.dtype.kind == "O"


def _from_table(
    path: str, graph: Graph, hints: Hints, header: list[str], columns: dict[str, Any]
) -> nearfar.Distances | nearfar.Nearest:
    """Turn the columns of a table into rows of distances; what has no line is unreached."""
    find = _finder(graph)
    near = header[:3] == ["vertex", "source", "distance"]
    if not near and header[:3] != ["source", "target", "distance"]:
        wanted = "source,target,distance or vertex,source,distance"
        raise FormatError(f"{path} has the columns {','.join(header) or '(none)'}; {wanted} are needed.", path)
    source, target = find(columns["source"], "source"), find(columns["vertex" if near else "target"], "target")
    dtype = _distance_type(graph, columns["distance"], hints)
    values = np.asarray(columns["distance"]).astype(dtype)
    starts, place = _distinct(source) if hints.sources is None or near else _placed(source, graph, hints)
    rows = np.full((1 if near else len(starts), graph.n), unreached_mark(dtype), dtype)
    lines = np.zeros(len(target), np.intp) if near else place
    rows[lines, target] = values
    tree = None
    if "predecessor" in columns:
        before = columns["predecessor"]
        known = np.array([p not in ("", None) for p in before], bool)
        tree = np.full(rows.shape, -1, np.int32)
        tree[lines[known], target[known]] = find([p for p in before if p not in ("", None)], "predecessor")
    if near and hints.sources is not None:
        offered = graph.indices(hints.sources, "source")
        if not np.isin(starts, offered).all():
            raise OptionError(f"{path} was made from other sources than those given. Leave them out, or correct them.")
        starts = offered  # a source that is nearest to no vertex but is one itself still counts
    if near:
        owner = np.full(graph.n, -1, np.int32)
        owner[target] = source
        return _nearest(graph, np.sort(starts), rows, owner, tree, {"cutoff": hints.cutoff})
    result = SavedDistances(graph, starts, rows, cutoff=hints.cutoff)
    result.tree = tree
    return result


def _finder(graph: Graph) -> Callable[[list[Any], str], np.ndarray]:
    """Return a function from what a table calls vertices to their numbers."""
    if not _has_words(graph):

        def find_numbers(words: list[Any], role: str) -> np.ndarray:
            ids, place = np.unique(np.array([int(word) for word in words], np.int64), return_inverse=True)
            return graph.indices(ids.tolist(), role)[place]

        return find_numbers
    places = {str(name): v for v, name in enumerate(graph.names or ())}

    def find_words(words: list[Any], role: str) -> np.ndarray:
        found = np.fromiter((places.get(word, -1) for word in words), np.int32, len(words))
        if (found < 0).any():
            graph.index(words[int(np.argmin(found))], role)  # says what is wrong
        return found

    return find_words


def _distance_type(graph: Graph, values: Any, hints: Hints) -> np.dtype:
    """Return the type that distances had before they were written as text."""
    if hints.dtype is not None:
        return np.dtype(hints.dtype)
    if isinstance(values, np.ndarray) and values.dtype.itemsize == 4:
        return values.dtype
    if graph.weight_dtype is not None and graph.weight_dtype.kind == "f":
        return graph.weight_dtype
    return np.dtype(np.float64 if np.asarray(values).dtype.kind == "f" else np.int64)


def _distinct(source: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sources in order of appearance, and the row of each line."""
    starts, first, place = np.unique(source, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    return starts[order].astype(np.int32), rank[place]


def _placed(source: np.ndarray, graph: Graph, hints: Hints) -> tuple[np.ndarray, np.ndarray]:
    """Return the sources of the command line, and the row of each line."""
    starts = graph.indices(hints.sources, "source")
    place = {int(v): r for r, v in enumerate(starts)}
    for v in np.unique(source):
        if int(v) not in place:
            raise OptionError(
                f"the table has lines from {graph.name(int(v))!r}, which is not one of the sources given."
            )
    return starts, np.array([place[int(v)] for v in source], np.intp)


LOADERS: dict[str, Callable[[str, Graph, Hints], nearfar.Distances | nearfar.Nearest]] = {
    ".npz": _load_npz,
    ".npy": _load_npy,
    ".csv": _load_csv,
    ".csv.gz": _load_csv,
    ".parquet": _load_parquet,
}
