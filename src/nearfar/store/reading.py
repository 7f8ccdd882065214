"""Read saved answers back for ``nearfar verify``: .npz and .npy files here, tables in tables.py.

A file is trusted only as far as the certificate can check it: its vertex names must be those of the graph, and
everything else is left to `nearfar.verify`.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FileError, FormatError, MissingFileError, NearfarError, OptionError, option
from ..results import Distances, KNearest, Nearest
from .answers import Hints, SavedDistances, check_direction, nearest_of
from .labels import vertices_of
from .tables import load_csv, load_parquet

if TYPE_CHECKING:
    from ..graph import Graph

# What libraries raise for files that are damaged or were written by other programs.
DAMAGED = (zipfile.BadZipFile, zlib.error, ValueError, LookupError, EOFError, TypeError, ArithmeticError, RuntimeError)


def load_answer(path: str, graph: Graph, hints: Hints) -> Distances | Nearest | KNearest:
    """Read the saved answer of a query on ``graph``."""
    ending = next((ending for ending in LOADERS if path.lower().endswith(ending)), None)
    if ending is None:
        raise OptionError(f"{path} is not a saved answer: its name should end in one of {', '.join(LOADERS)}.")
    try:
        return LOADERS[ending](path, graph, hints)
    except NearfarError:
        raise
    except FileNotFoundError as error:
        raise MissingFileError(f"{path} does not exist. Check the name and the folder.") from error
    except IsADirectoryError as error:
        raise FileError(f"{path} is a folder, but a file with a saved answer is needed. Name a file in it.") from error
    except DAMAGED as error:
        raise FormatError(f"{path} is not an answer that nearfar saved: {error}. Write it again.", path) from error
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}. Check the disk.") from error


def _load_npz(path: str, graph: Graph, hints: Hints) -> Distances | Nearest | KNearest:
    """Read an .npz file with an answer and its sources."""
    with open(path, "rb") as raw, np.load(raw, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    if "dist" not in arrays:
        raise FormatError(f"{path} has no array 'dist', so it is no saved answer. Name one that nearfar wrote.", path)
    if "vertices" in arrays and not np.array_equal(arrays["vertices"], vertices_of(graph)):
        raise FormatError(
            f"{path} has {len(arrays['vertices']):,} vertices{_first(arrays['vertices'])}, the graph has {graph.n:,}"
            f"{_first(vertices_of(graph))}. It belongs to another graph, or the graph was read with other options: use "
            "the same ones.",
            path,
        )
    rows = np.atleast_2d(arrays["dist"])
    direction = _direction(path, arrays, hints)
    if arrays.get("source", rows).ndim == 2 and "source" in arrays:
        return _load_several(path, arrays, graph, hints, direction)
    link = "successors" if direction == "to" else "predecessors"
    indices = {
        "sources": _indices(path, arrays, "sources", graph, 0),
        "targets": _indices(path, arrays, "targets", graph, 0),
        "source": _indices(path, arrays, "source", graph, -1, (graph.n,)),
        link: _indices(path, arrays, link, graph, -1, arrays["dist"].shape),
    }
    starts, tree = _starts(path, graph, indices["sources"], rows, hints), indices[link]
    options: dict[str, Any] = {
        "direction": direction,
        "cutoff": _cutoff(path, arrays, hints),
        "targets": indices["targets"],
        "rounded": _rounded(path, arrays, hints),
    }
    if "starts" in arrays:
        options |= {"starts": arrays["starts"], "seeds": starts, "single": True}
    if indices["source"] is not None:
        return nearest_of(graph, starts, rows, indices["source"], tree, options)
    result = SavedDistances(graph, starts[:1] if "starts" in arrays else starts, rows, **options)
    result.tree = tree
    return result


def _load_several(path: str, arrays: dict[str, np.ndarray], graph: Graph, hints: Hints, direction: str) -> KNearest:
    """Return the k nearest sources of every vertex."""
    dist, starts = arrays["dist"], _indices(path, arrays, "sources", graph, 0)
    source = _indices(path, arrays, "source", graph, -1, dist.shape)
    if dist.ndim != 2 or len(dist) != graph.n or starts is None or source is None:
        raise FormatError(
            f"{path} holds distances of shape {dist.shape}, but this graph has {graph.n} vertices. Name the graph of "
            "the answer.",
            path,
        )
    if hints.sources is not None and not np.array_equal(np.unique(graph.indices(hints.sources)), np.unique(starts)):
        raise OptionError(
            f"{path} has other sources than those given. Leave {option('sources')} out: the file knows its sources."
        )
    return KNearest(graph, starts, dist, source, direction=direction, cutoff=_cutoff(path, arrays, hints))


def _indices(
    path: str, arrays: dict[str, np.ndarray], name: str, graph: Graph, low: int, shape: tuple[int, ...] | None = None
) -> np.ndarray | None:
    """Return an array of vertex indices as int32, or None if it is missing; -1, where allowed, means no vertex."""
    array = arrays.get(name)
    if array is None:
        return None
    if array.shape != shape and (shape is not None or array.ndim != 1):
        wanted = "one dimension is needed" if shape is None else f"{shape} belongs to this graph"
        raise FormatError(
            f"{path}: the array '{name}' has shape {array.shape}, but {wanted}. Write the file again.", path
        )
    odd = array[:1] if array.dtype.kind not in "iu" else array[(array < low) | (array >= graph.n)]
    if odd.size or array.dtype.kind not in "iu":
        found = f"{odd.flat[0]}" if odd.size else f"the type {array.dtype}"
        raise FormatError(
            f"{path}: the array '{name}' holds {found}, but whole numbers from {low} to {graph.n - 1} are needed. "
            "Write the file again.",
            path,
        )
    return array.astype(np.int32)


def _cutoff(path: str, arrays: dict[str, np.ndarray], hints: Hints) -> float | None:
    """Return the cutoff of the file, else that of the command line."""
    if "cutoff" not in arrays:
        return hints.cutoff
    saved = arrays["cutoff"]
    if saved.size != 1 or saved.dtype.kind not in "iuf" or (saved != saved).any():
        raise FormatError(
            f"{path}: the array 'cutoff' holds {saved.tolist()!r}, but one number is needed. Write the file again.",
            path,
        )
    return saved.item()


def _rounded(path: str, arrays: dict[str, np.ndarray], hints: Hints) -> bool:
    """Return whether distances may differ by rounding, as the file says, else the command line."""
    saved = arrays.get("rounded", np.asarray(hints.rounded))
    if saved.size != 1 or saved.dtype.kind != "b":
        raise FormatError(
            f"{path}: the array 'rounded' holds {saved.tolist()!r}, but True or False is needed. Write the file again.",
            path,
        )
    return bool(saved.item())


def _direction(path: str, arrays: dict[str, np.ndarray], hints: Hints) -> str:
    """Return the direction of an .npz file, which it holds only if it is "to"."""
    saved = str(arrays.get("direction", np.asarray("from")))
    if saved not in ("from", "to"):
        raise FormatError(
            f"{path}: the array 'direction' holds {saved!r:.60}, but 'from' or 'to' is needed. Write the file again.",
            path,
        )
    check_direction(path, saved, hints)
    return saved


def _first(vertices: np.ndarray) -> str:
    """Return the name of the first vertex in words, to tell two graphs apart."""
    return f" ({vertices[0]}, ...)" if len(vertices) else ""


def _load_npy(path: str, graph: Graph, hints: Hints) -> Distances:
    """Read a file of distances only; the command line names the sources, else there is one row per vertex."""
    with open(path, "rb") as file:
        np.lib.format.read_magic(file)  # raises an error if it is not a .npy file
    rows = np.atleast_2d(np.load(path, mmap_mode="r", allow_pickle=False))
    starts = _starts(path, graph, None, rows, hints)
    limits: dict[str, Any] = {
        "cutoff": hints.cutoff,
        "rounded": hints.rounded,
        "direction": hints.direction or "from",
    }
    if len(rows) == 1 and len(starts) > 1:  # one row for several sources: the distance to the nearest of them
        return Distances(graph, starts[:1], rows, seeds=np.sort(starts), single=True, **limits)
    return Distances(graph, starts, rows, **limits)


def _starts(path: str, graph: Graph, saved: np.ndarray | None, rows: np.ndarray, hints: Hints) -> np.ndarray:
    """Return the sources of the rows, as vertex indices."""
    if rows.ndim != 2 or rows.shape[1] != graph.n:
        raise FormatError(
            f"{path} holds an array of shape {rows.shape}, but this graph has rows of {graph.n} distances. Name the "
            "graph of the answer.",
            path,
        )
    if not len(rows) or (saved is not None and not len(saved)):
        raise FormatError(f"{path} has no rows of distances, so there is nothing to prove. Write it again.", path)
    if hints.sources is not None:
        starts = graph.indices(hints.sources, "source")
        if saved is not None and not np.array_equal(np.sort(starts), np.sort(saved)):
            raise OptionError(
                f"{path} has other sources than those given. Leave {option('sources')} out: the file knows its sources."
            )
        if len(starts) != len(rows) != 1:
            raise OptionError(
                f"{path} holds {len(rows)} rows of distances, but {len(starts)} sources are given. Name one per row "
                f"with {option('sources')}."
            )
        return starts if saved is None else saved
    if saved is not None:
        return saved
    if len(rows) == graph.n and graph.n > 1:
        return np.arange(graph.n, dtype=np.int32)
    raise OptionError(
        f"{path} holds {len(rows)} row{'s' if len(rows) > 1 else ''} of distances, but not their sources. "
        f"Name them with {option('source')} or {option('sources')}, in the order of the rows."
    )


LOADERS: dict[str, Callable[[str, Graph, Hints], Distances | Nearest | KNearest]] = {
    ".npz": _load_npz,
    ".npy": _load_npy,
    ".csv": load_csv,
    ".csv.gz": load_csv,
    ".parquet": load_parquet,
}
