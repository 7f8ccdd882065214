"""Open a graph that lies in a folder: read what is known about it, map its offsets, leave its arcs on the disk."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputTypeError
from ...graph import Graph
from ...graph.arrays import Array
from ...graph.blocks import record_type
from ...graph.input_rows import InputRows
from ...graph.stored import ArcFile, StoredGraph
from ...graph.units import Units
from ...graph.vertices import Vertices
from ..name_parts import read_names
from .document import DOCUMENT, REVERSED, Folder

WEIGHTS: dict[str | None, np.dtype[Any] | None] = {
    None: None, **{name: np.dtype(name) for name in ("int32", "int64", "float32", "float64")},
}  # fmt: skip


def is_folder(path: Any) -> bool:
    """Tell whether a path is that of a folder; standard input, addresses and open files are none."""
    return isinstance(path, str | os.PathLike) and os.path.isdir(path)


def open_graph(path: Any) -> StoredGraph:
    """Open the graph in a folder. `Graph.open` describes it."""
    if not isinstance(path, str | os.PathLike):
        raise InputTypeError(f"path is {path!r:.60}, a {type(path).__name__}; give the name of a folder.")
    folder = Folder(Path(os.path.abspath(path)))
    document = folder.read_document()
    try:
        return _opened(folder, document)
    except (KeyError, TypeError, ValueError) as error:  # a document whose digest is right, but that no nearfar wrote
        if type(error).__module__.startswith("nearfar"):
            raise
        raise folder.error(f"{DOCUMENT} lacks something ({error!r:.60}). Write the graph again.") from error


def _opened(folder: Folder, document: dict[str, Any]) -> StoredGraph:
    """Return the graph that a document describes."""
    n, m, files = int(document["n"]), int(document["m"]), document["files"]
    arrays = {key: folder.read_array(key, files) for key in files}
    offsets = _offsets(folder, arrays["offsets"], n, m)
    arc_file = ArcFile(folder.path / "arcs.npy", m, record_type(WEIGHTS[document["weights"]]), arrays["sums"])
    return StoredGraph(
        folder.path,
        offsets,
        arc_file,
        Vertices(n, read_names(folder, arrays, n)),
        arrays.get("coordinates"),
        bool(document["undirected"]),
        _input_rows(document["rows"], arrays.get("rows")),
        document["facts"],
        bytes.fromhex(document["fingerprint"]),
        partial(_open_reversed, folder.path),
        Units(*document.get("units", ())),
    )


def _offsets(folder: Folder, offsets: Array, n: int, m: int) -> Array:
    """Return the offsets, after a check that kernels can trust them."""
    if offsets.shape != (n + 1,) or offsets[0] != 0 or offsets[-1] != m or (offsets[1:] < offsets[:-1]).any():
        raise folder.error("offsets.npy does not cut the arcs into rows. Write the graph again.")
    return offsets


def _input_rows(kind: dict[str, Any], rows: Array | None) -> InputRows:
    """Return which row of the input each arc came from."""
    known = bool(kind["known"])
    return InputRows(int(kind["count"]), bool(kind["paired"]), array=rows, known=known, complete=bool(kind["complete"]))


def _open_reversed(path: Path) -> Graph | None:
    """Open the reversed graph in a folder, if it is there."""
    return open_graph(path / REVERSED) if (path / REVERSED / DOCUMENT).exists() else None
