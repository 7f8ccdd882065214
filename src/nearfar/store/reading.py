"""Answers that were saved, back again for ``nearfar verify``: .npz and .npy here, tables in saved_tables.py.

A file is only believed as far as the certificate can check it: what it calls its vertices must be what the graph calls
its own, and everything else is left to `nearfar.verify`.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FileError, FormatError, MissingFileError, NearfarError, OptionError
from ..results import Distances, Nearest
from .answers import Hints, SavedDistances, nearest_of
from .tables import load_csv, load_parquet
from .writing import vertices_of

if TYPE_CHECKING:
    from ..graph import Graph

# What the libraries raise over files that are damaged or made by others.
DAMAGED = (zipfile.BadZipFile, zlib.error, ValueError, LookupError, EOFError, TypeError, ArithmeticError, RuntimeError)


def load_answer(path: str, graph: Graph, hints: Hints) -> Distances | Nearest:
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
    except DAMAGED as error:
        raise FormatError(f"{path} is not an answer that nearfar has saved: {error}.", path) from error
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}.") from error


def _load_npz(path: str, graph: Graph, hints: Hints) -> Distances | Nearest:
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
    numbers = {
        "sources": _numbers(path, arrays, "sources", graph, 0),
        "targets": _numbers(path, arrays, "targets", graph, 0),
        "source": _numbers(path, arrays, "source", graph, -1, (graph.n,)),
        "predecessors": _numbers(path, arrays, "predecessors", graph, -1, arrays["dist"].shape),
    }
    starts, tree = _starts(path, graph, numbers["sources"], rows, hints), numbers["predecessors"]
    options: dict[str, Any] = {
        "cutoff": _cutoff(path, arrays, hints),
        "targets": numbers["targets"],
        "rounded": _rounded(path, arrays, hints),
    }
    if numbers["source"] is not None:
        return nearest_of(graph, starts, rows, numbers["source"], tree, options)
    result = SavedDistances(graph, starts, rows, **options)
    result.tree = tree
    return result


def _numbers(
    path: str, arrays: dict[str, np.ndarray], name: str, graph: Graph, low: int, shape: tuple[int, ...] | None = None
) -> np.ndarray | None:
    """Return an array of vertex numbers as int32, None where there is none; -1, if it may occur, is no vertex."""
    array = arrays.get(name)
    if array is None:
        return None
    if array.shape != shape and (shape is not None or array.ndim != 1):
        wanted = "one dimension is needed" if shape is None else f"{shape} belongs to this graph"
        raise FormatError(f"{path}: the array '{name}' has shape {array.shape}, but {wanted}.", path)
    odd = array[:1] if array.dtype.kind not in "iu" else array[(array < low) | (array >= graph.n)]
    if odd.size or array.dtype.kind not in "iu":
        found = f"{odd.flat[0]}" if odd.size else f"the type {array.dtype}"
        raise FormatError(
            f"{path}: the array '{name}' holds {found}, but whole numbers from {low} to {graph.n - 1} are needed.", path
        )
    return array.astype(np.int32)


def _cutoff(path: str, arrays: dict[str, np.ndarray], hints: Hints) -> float | None:
    """Return the cutoff that the file knows, or the command line."""
    if "cutoff" not in arrays:
        return hints.cutoff
    saved = arrays["cutoff"]
    if saved.size != 1 or saved.dtype.kind not in "iuf" or (saved != saved).any():
        raise FormatError(f"{path}: the array 'cutoff' holds {saved.tolist()!r}, but one number is needed.", path)
    return saved.item()


def _rounded(path: str, arrays: dict[str, np.ndarray], hints: Hints) -> bool:
    """Return whether the distances are right up to rounding only, as the file knows, or the command line."""
    saved = arrays.get("rounded", np.asarray(hints.rounded))
    if saved.size != 1 or saved.dtype.kind != "b":
        raise FormatError(f"{path}: the array 'rounded' holds {saved.tolist()!r}, but True or False is needed.", path)
    return bool(saved.item())


def _first(vertices: np.ndarray) -> str:
    """Say what the first vertex is called, to tell two graphs apart."""
    return f" ({vertices[0]}, ...)" if len(vertices) else ""


def _load_npy(path: str, graph: Graph, hints: Hints) -> Distances:
    """Read distances alone; where they start is on the command line, or every vertex in turn."""
    with open(path, "rb") as file:
        np.lib.format.read_magic(file)  # refuses what is no .npy file
    rows = np.atleast_2d(np.load(path, mmap_mode="r", allow_pickle=False))
    starts = _starts(path, graph, None, rows, hints)
    limits: dict[str, Any] = {"cutoff": hints.cutoff, "rounded": hints.rounded}
    if len(rows) == 1 and len(starts) > 1:  # one row for several sources: the distance to the nearest of them
        return Distances(graph, starts[:1], rows, seeds=np.sort(starts), single=True, **limits)
    return Distances(graph, starts, rows, **limits)


def _starts(path: str, graph: Graph, saved: np.ndarray | None, rows: np.ndarray, hints: Hints) -> np.ndarray:
    """Return the vertex numbers that rows start from."""
    if rows.ndim != 2 or rows.shape[1] != graph.n:
        raise FormatError(
            f"{path} holds an array of shape {rows.shape}, but rows of {graph.n} distances belong to this graph.", path
        )
    if not len(rows) or (saved is not None and not len(saved)):
        raise FormatError(f"{path} has no rows of distances, so there is nothing to prove.", path)
    if hints.sources is not None:
        starts = graph.indices(hints.sources, "source")
        if saved is not None and not np.array_equal(np.sort(starts), np.sort(saved)):
            raise OptionError(f"{path} was made from other sources than those given. Leave them out; it knows its own.")
        if len(starts) != len(rows) != 1:
            raise OptionError(f"{path} holds {len(rows)} rows of distances, but {len(starts)} sources are given.")
        return starts if saved is None else saved
    if saved is not None:
        return saved
    if len(rows) == graph.n and graph.n > 1:
        return np.arange(graph.n, dtype=np.int32)
    raise OptionError(
        f"{path} holds {len(rows)} row{'s' if len(rows) > 1 else ''} of distances but not where they start; "
        "say it with --source or --sources, in the order of the rows."
    )


LOADERS: dict[str, Callable[[str, Graph, Hints], Distances | Nearest]] = {
    ".npz": _load_npz,
    ".npy": _load_npy,
    ".csv": load_csv,
    ".csv.gz": load_csv,
    ".parquet": load_parquet,
}
