"""The parts of a graph in its folder: ``roads.nearfar/parts/``.

    parts.json          numbers about all parts, the fingerprint of the graph, the sizes and checksums of the tables
    labels.npy          the part of each vertex
    positions.npy       the position of each vertex in its part
    starts.npy          the number of the first boundary vertex of each part
    boundary.npy        the index of each boundary vertex, by number
    overlay/            the distances between boundary vertices, which the first query finds
    0000/, 0001/, ...   a folder per part: part.json, and the arrays that graph/parts.py describes

A part is read whole, into memory of its own, and compared with its checksums each time. Whoever works on one part reads
its folder only. The folder of parts is written under another name and renamed when it is whole.
"""

from __future__ import annotations

import os
import shutil
import zlib
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...errors import FileError, InputTypeError
from ...graph.arrays import Array
from ...graph.blocks import record_type
from ...graph.parts import ARRAYS, Part, Parts, Split, parts_of
from ...graph.rows import freeze
from ...graph.stored import StoredGraph
from ..io.whole import cannot_write
from .aside import PART, begin_folder, name_aside
from .document import Folder, digest_of
from .opening import WEIGHTS, open_graph
from .writing import replace_folder

PARTS, DOCUMENT, OVERLAY = "parts", "parts.json", "overlay"
TABLES = ("labels", "positions", "starts", "boundary")
COUNTS = ("sizes", "arcs", "cuts")
VERSION = 1
ANEW = "Write the parts again."


class PartsFolder(Folder):
    """The folder of all parts."""

    document, kind, version, anew = DOCUMENT, "parts", VERSION, ANEW
    absent = (
        f"has no {DOCUMENT}: the graph was not cut into parts. Cut it with "
        "nearfar.write_parts(graph, nearfar.partition(graph, 16)), or nearfar partition."
    )


class PartFolder(PartsFolder):
    """The folder of one part."""

    document, kind = "part.json", "part"
    absent = f"is no part of a graph: there is no {document} in it. {ANEW}"


def has_parts(path: Path) -> bool:
    """Tell whether a graph in a folder was cut into parts."""
    return (path / PARTS / DOCUMENT).exists()


def find_parts(graph: StoredGraph) -> Parts | None:
    """Return the parts of a graph in a folder, None if it was not cut; parts of another graph are an error."""
    return open_parts(graph.path, graph.fingerprint) if has_parts(graph.path) else None


def open_parts(path: Any, fingerprint: bytes | None = None) -> Parts:
    """Open the parts of the graph in a folder: ``roads.nearfar``.

    ``fingerprint``: that of the graph, which the parts must have; None to read it from the folder.
    """
    graph_path = Path(os.path.abspath(path))
    folder = PartsFolder(graph_path / PARTS)
    document = folder.read_document()
    if fingerprint is None:
        fingerprint = open_graph(graph_path).fingerprint
    if document["fingerprint"] != fingerprint.hex():
        raise folder.error(f"these are parts of another graph: the graph was written again since. {ANEW}")
    labels, positions, starts, boundary = (folder.read_array(key, document["files"]) for key in TABLES)
    sizes, arcs, cuts = (np.array(document[key], np.int64) for key in COUNTS)
    arc_type = record_type(WEIGHTS[document["weights"]])
    known = (labels, positions, starts, boundary, sizes, arcs, cuts, arc_type)
    parts = Parts(*known, _cannot_load, folder=folder.name, digest=digest_of(document))
    parts.load = partial(_load_counted, parts, document["fingerprint"])
    return parts


def _cannot_load(p: int) -> Part:
    """Take the place of the function that loads parts until there are parts."""
    raise AssertionError(p)


def _load_counted(parts: Parts, fingerprint: str, p: int) -> Part:
    """Load a part, and count what is read."""
    assert parts.folder is not None
    part = load_part(Path(parts.folder) / folder_of(p), fingerprint)
    with parts.lock:
        parts.read_bytes += part.nbytes
    return part


def folder_of(p: int) -> str:
    """Return the name of the folder of a part."""
    return f"{p:04d}"


def load_part(path: Any, fingerprint: str | None = None) -> Part:
    """Load one part from its own folder, ``roads.nearfar/parts/0003``, and nothing else.

    ``fingerprint``: that of the graph, in hexadecimal digits; it is compared if it is given.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputTypeError(f"path is {path!r:.60}, a {type(path).__name__}; give the folder of a part.")
    folder = PartFolder(Path(path))
    document = folder.read_document()
    if fingerprint is not None and document["fingerprint"] != fingerprint:
        raise folder.error(f"this is a part of another graph. {ANEW}")
    arrays = {key: freeze(folder.read_array(key, document["files"], whole=True)) for key in ARRAYS}
    if {arrays["arcs"].dtype, arrays["cuts"].dtype} != {record_type(WEIGHTS[document["weights"]])}:
        raise folder.error(f"its arcs are not as they were written. {ANEW}")
    return Part(int(document["index"]), int(document["first"]), **arrays)


def write_split(graph: StoredGraph, labels: Array, count: int) -> None:
    """Write the parts of a graph in a folder beside its arcs; arcs are read twice, and never all in memory."""
    target = graph.path / PARTS
    made = name_aside(target, PART)
    try:
        begin_folder(target)
        split = Split(graph, labels, count)
        weights = None if graph.weight_dtype is None else graph.weight_dtype.name
        facts = {"fingerprint": graph.fingerprint.hex(), "weights": weights}
        _write_parts(split, made, facts)
        _write_tables(split, made, facts)
        replace_folder(made, target)
    except OSError as error:
        raise (error if isinstance(error, FileError) else cannot_write(target, error)) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    graph.memo.pop("parts", None)


def _write_parts(split: Split, path: Path, facts: dict[str, Any]) -> None:
    """Write the folder of every part."""
    writers = [_ArcWriter(split, path / folder_of(p), p) for p in range(split.parts)]
    for p, is_cut, records in split.pieces():
        writers[p].append(is_cut, records)
    for p, writer in enumerate(writers):
        folder = PartFolder(writer.path)
        files = {key: folder.write_array(key, array) for key, array in split.frame_of(p).items()}
        own = {"index": p, "first": int(split.starts[p]), "files": files | writer.facts()}
        folder.write_document({"nearfar_part": VERSION, **facts, **own})


class _ArcWriter:
    """Writes the arcs of one part, inner and cut ones, as they come; opens its files for each piece only."""

    def __init__(self, split: Split, path: Path, p: int) -> None:
        self.path, self.dtype = path, record_type(split.graph.weight_dtype)
        self.counts = {"arcs": int(split.arcs[p]), "cuts": int(split.cuts[p])}
        self.sums = dict.fromkeys(self.counts, 0)
        path.mkdir()
        for key, count in self.counts.items():
            header = {"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (count,)}
            with self._open(key) as file:
                np.lib.format.write_array_header_1_0(file, header)

    def _open(self, key: str) -> IO[bytes]:
        """Open one of the two files to append to it."""
        return open(self.path / f"{key}.npy", "ab")

    def append(self, is_cut: bool, records: Array) -> None:
        """Write the next records."""
        key, data = "cuts" if is_cut else "arcs", np.ascontiguousarray(records).view(np.uint8).data
        self.sums[key] = zlib.crc32(data, self.sums[key])
        with self._open(key) as file:
            file.write(data)

    def facts(self) -> dict[str, Any]:
        """Return what the document says of the two files."""
        return {
            key: {"dtype": self.dtype.str, "shape": [count], "crc32": self.sums[key]}
            for key, count in self.counts.items()
        }


def _write_tables(split: Split, path: Path, facts: dict[str, Any]) -> None:
    """Write what is known of all parts."""
    folder, parts = PartsFolder(path), parts_of(split, _cannot_load)
    files = {key: folder.write_array(key, getattr(parts, key)) for key in TABLES}
    counts = {key: getattr(parts, key).tolist() for key in COUNTS}
    folder.write_document({"nearfar_parts": VERSION, **facts, **counts, "files": files})


class OverlayFolder(PartsFolder):
    """The folder of the overlay: the distances between boundary vertices, which the first query finds."""

    document, kind = "overlay.json", "overlay"


def stored_overlay_bytes(parts: Parts) -> int:
    """Return the bytes of the overlay that lies beside some parts; 0 if it was not found yet."""
    if parts.folder is None or not (Path(parts.folder) / OVERLAY / OverlayFolder.document).exists():
        return 0
    return sum(file.stat().st_size for file in (Path(parts.folder) / OVERLAY).glob("*.npy"))


def read_overlay(parts: Parts) -> tuple[Array, Array] | None:
    """Return offsets and arcs of the overlay of some parts, None if it was not found yet."""
    assert parts.folder is not None
    folder = OverlayFolder(Path(parts.folder) / OVERLAY)
    if not (folder.path / folder.document).exists():
        return None
    document = folder.read_document()
    if document["parts"] != parts.digest:
        return None  # of parts that were here before
    offsets, arcs = (freeze(folder.read_array(key, document["files"], whole=True)) for key in ("offsets", "arcs"))
    if arcs.dtype != record_type(WEIGHTS[document["weights"]]):
        raise folder.error(f"its arcs are not as they were written. {ANEW}")
    with parts.lock:
        parts.read_bytes += offsets.nbytes + arcs.nbytes
    return offsets, arcs


def write_overlay(parts: Parts, offsets: Array, arcs: Array) -> None:
    """Keep the overlay of some parts in their folder."""
    assert parts.folder is not None
    target = Path(parts.folder) / OVERLAY
    made = name_aside(target, PART)
    try:
        begin_folder(target)
        folder = OverlayFolder(made)
        files = {key: folder.write_array(key, array) for key, array in (("offsets", offsets), ("arcs", arcs))}
        facts = {"parts": parts.digest, "weights": arcs.dtype["weight"].name, "files": files}
        folder.write_document({"nearfar_overlay": VERSION, **facts})
        replace_folder(made, target)
    except OSError as error:
        raise cannot_write(target, error) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
