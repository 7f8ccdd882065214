"""Write a graph into a folder, from memory or piece by piece: whoever has the arcs in order of rows hands them over.

What is known of all arcs (least and greatest weight, a typical one, the fingerprint) is gathered as they pass.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FileError
from ...graph import Graph
from ...graph.arrays import Array
from ...graph.blocks import record_type
from ...graph.graph import WEIGHTS as SAMPLE
from ...graph.graph import median_of_positive
from ...graph.input_rows import InputRows
from ...graph.stored import BLOCK
from ...graph.units import Units
from ..io.targets import check_writable
from ..io.whole import cannot_write
from ..name_parts import name_parts
from .aside import OLD, PART, begin_folder, name_aside
from .document import DOCUMENT, REVERSED, VERSION, Folder, facts_of

ENDING = ".nearfar"
PIECE = 1 << 20  # arcs that are handed over at a time


def is_folder_name(path: Any) -> bool:
    """Tell whether a path is to be a folder with a graph, by its ending."""
    return isinstance(path, str | os.PathLike) and os.fspath(path).rstrip("/").endswith(ENDING)


def write_graph(graph: Graph, path: Any, reversed: bool = False) -> None:
    """Write a graph into a folder; with ``reversed`` also the reversed graph, for queries in the direction "to"."""
    with FolderWriter(path, graph.offsets, graph.weight_dtype, undirected=graph.undirected) as writer:
        for low in range(0, graph.m, PIECE):
            writer.append(graph.arcs[low : low + PIECE])
        writer.keep(_parts(graph, writer.folder), graph.input_rows, graph.units)
        if reversed and not graph.undirected:
            write_graph(graph.reversed, writer.path / REVERSED)


def _parts(graph: Graph, folder: Folder) -> dict[str, Any]:
    """Return the arrays beside the arcs."""
    parts = name_parts(graph, folder)
    if graph.coordinates is not None:
        parts["coordinates"] = graph.coordinates
    rows = graph.input_rows
    if rows.known and not (rows.in_order and graph.kept is None):
        parts["rows"] = graph.rows
    return parts


class FolderWriter:
    """Writes a folder with a graph: arcs in order of rows, piece by piece, then what else there is.

    Use it in a ``with`` block: the folder appears when the block ends without an error. One that was there is
    replaced then.

    Parameters
    ----------
    path : str or Path
    offsets : array of ints
        Where the arcs of each vertex begin; the last entry is the number of arcs.
    weights : dtype or None
        The type of the weights.
    undirected : bool
        Whether both directions of every edge are among the arcs.
    """

    def __init__(self, path: Any, offsets: Array, weights: Any, *, undirected: bool = False) -> None:
        self.target = Path(os.path.abspath(os.fspath(path).rstrip("/")))
        self.path = name_aside(self.target, PART)
        self.folder = Folder(self.path)
        self.offsets, self.undirected = offsets, undirected
        self.m, self.dtype = int(offsets[-1]), record_type(None if weights is None else np.dtype(weights))
        self.parts: dict[str, Any] = {}
        self.rows, self.units = InputRows(self.m, known=False), Units()
        self._facts = _Facts(self.m, offsets, self.dtype)

    def __enter__(self) -> FolderWriter:
        check_target(self.target)
        try:
            begin_folder(self.target)
            self._file = open(self.path / "arcs.npy", "wb")
            header = {"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (self.m,)}
            np.lib.format.write_array_header_1_0(self._file, header)
        except OSError as error:
            raise cannot_write(self.target, error) from error
        return self

    def append(self, records: Array) -> None:
        """Write the next arcs, records of head and weight."""
        data = np.ascontiguousarray(records, self.dtype)
        try:
            self._file.write(data.view(np.uint8).data)
        except OSError as error:
            raise cannot_write(self.target, error) from error
        self._facts.add(data)

    def keep(self, parts: dict[str, Any], rows: InputRows, units: Units | None = None) -> None:
        """Write arrays beside the arcs: names (as name_parts has them), coordinates, rows of the input; and units."""
        self.parts, self.rows, self.units = parts, rows, units or Units()

    def __exit__(self, kind: Any, *failure: object) -> None:
        try:
            self._file.close()
            if kind is None:
                self._finish()
        except OSError as error:
            if isinstance(error, FileError):
                raise
            raise cannot_write(self.target, error) from error
        finally:
            shutil.rmtree(self.path, ignore_errors=True)

    def _finish(self) -> None:
        """Write the other files and the document, and rename the folder."""
        assert self._facts.done == self.m, "the arcs handed over are as many as the offsets say"
        arrays = {"offsets": self.offsets, "sums": self._facts.sums(), **self.parts}
        files = {key: self.folder.write_array(key, array) for key, array in arrays.items()}
        document = _document(self._facts, self.undirected, self.rows, files)
        self.folder.write_document(document | {"units": list(self.units)})
        replace_folder(self.path, self.target)


def finish_folder(
    made: Path, undirected: bool, rows: InputRows, tell: Callable[[int], None] = lambda done: None
) -> None:
    """Make a folder of arrays a folder with a graph: gather what is known of its arcs, and write its document.

    For writers that know how many arcs a row has only when all arcs are written. ``tell`` is told how many arcs were
    looked at.
    """
    folder = Folder(made)
    arrays = {path.stem: np.load(path, mmap_mode="r") for path in made.glob("*.npy") if path.stem != "sums"}
    arcs = arrays.pop("arcs")
    with ThreadPoolExecutor(1) as pool, open(made / "arcs.npy", "rb") as file:
        known = {key: pool.submit(facts_of, array) for key, array in arrays.items()}
        facts = _Facts(len(arcs), arrays["offsets"], arcs.dtype)
        file.seek(arcs.offset)  # read, not mapped: mapped pages are dropped late
        while facts.done < len(arcs):
            facts.add(np.fromfile(file, arcs.dtype, min(PIECE, len(arcs) - facts.done)))
            tell(facts.done)
    files = {key: found.result() for key, found in known.items()}
    files["sums"] = folder.write_array("sums", facts.sums())
    folder.write_document(_document(facts, undirected, rows, files))


def _document(facts: _Facts, undirected: bool, rows: InputRows, files: dict[str, Any]) -> dict[str, Any]:
    """Return what stands in graph.json."""
    weights = facts.dtype["weight"].name if "weight" in (facts.dtype.names or ()) else None
    return {
        "nearfar_graph": VERSION,
        "n": facts.n,
        "m": facts.m,
        "weights": weights,
        "undirected": undirected,
        "rows": {"known": rows.known, "count": rows.count, "paired": rows.paired, "complete": rows.complete},
        "facts": facts.known(weights is not None),
        "fingerprint": facts.fingerprint(),
        "files": files,
    }


def check_target(target: Path) -> None:
    """Refuse a folder that cannot be written, or that holds other files."""
    check_writable(str(target), folder=True)
    if target.exists() and not (target / DOCUMENT).exists() and os.listdir(target):
        raise FileError(f"{target} is a folder with other files, and no graph. Give another name.")


def replace_folder(made: Path, target: Path) -> None:
    """Put a finished folder in the place of one that was there."""
    for path in made.rglob("*"):
        if path.is_file():
            _sync(path)
    _sync(made)
    old = name_aside(target, OLD)
    if target.exists():
        os.replace(target, old)
    os.replace(made, target)
    _sync(target.parent)
    shutil.rmtree(old, ignore_errors=True)


def _sync(path: Path) -> None:
    """Have a file or a folder on the disk, where the file system can do that."""
    handle = os.open(path, os.O_RDONLY)
    with suppress(OSError):
        os.fsync(handle)
    os.close(handle)


class _Facts:
    """What is known of all arcs, gathered while they pass: weights, checksums of blocks, the fingerprint."""

    def __init__(self, m: int, offsets: Array, dtype: np.dtype[Any]) -> None:
        self.m, self.n, self.done, self.dtype = m, len(offsets) - 1, 0, dtype
        pieces = (offsets[low : low + PIECE + 1] for low in range(0, self.n, PIECE))
        self.max_degree = max((int(np.diff(piece).max()) for piece in pieces), default=0)
        self._digest = hashlib.sha256()
        for key, array in (("n", np.array(self.n)), ("offsets", offsets)):
            self._begin(key, array.dtype, array.shape)
            self._digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        self._begin("arcs", dtype, (m,))
        self._sums: list[int] = []
        self._crc, self._filled = 0, 0  # of the block that is not full yet
        self._least, self._greatest, self._sum = np.inf, -np.inf, 0.0
        self._sample: list[Array] = []

    def _begin(self, key: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        """Digest what an array is, as elimination/file.py does for its fingerprint."""
        self._digest.update(f"{key} {dtype.descr} {shape} ".encode())

    def add(self, records: Array) -> None:
        """Take the next arcs."""
        data = records.view(np.uint8).data
        with ThreadPoolExecutor(1) as pool:  # the digest takes as long as all the rest
            digested = pool.submit(self._digest.update, data)
            self._add(records, data)
            digested.result()

    def _add(self, records: Array, data: memoryview) -> None:
        """Take the next arcs for all but the digest."""
        at = 0
        while at < len(data):
            step = min(BLOCK - self._filled, len(data) - at)
            self._crc = zlib.crc32(data[at : at + step], self._crc)
            at, self._filled = at + step, self._filled + step
            if self._filled == BLOCK:
                self._close_block()
        if "weight" in (self.dtype.names or ()) and len(records):
            self._weigh(records["weight"])
        self.done += len(records)

    def _close_block(self) -> None:
        """Note the checksum of a block."""
        self._sums.append(self._crc)
        self._crc, self._filled = 0, 0

    def _weigh(self, weights: Array) -> None:
        """Take the next weights: the sample is the one that `Graph.typical_weight` takes."""
        least, greatest = weights.min().item(), weights.max().item()
        self._least = least if self.done == 0 else min(self._least, least)
        self._greatest = greatest if self.done == 0 else max(self._greatest, greatest)
        with np.errstate(over="ignore"):
            self._sum += weights.sum(dtype=np.float64).item() / self.m
        step = max(1, self.m // SAMPLE)
        self._sample.append(weights[-self.done % step :: step].copy())

    def sums(self) -> Array:
        """Return the checksums of all blocks."""
        if self._filled:
            self._close_block()
        return np.array(self._sums, np.uint32)

    def known(self, weighted: bool) -> dict[str, Any]:
        """Return what a graph would have to count over all arcs, by the names that it has in `Graph`."""
        facts: dict[str, Any] = {"max_degree": self.max_degree}
        if not weighted or not self.m:
            only = int(self.m > 0)
            known = dict.fromkeys(("min_weight", "max_weight", "mean_weight"), only)
            return facts | known | {"typical_weight": 0.0 if weighted else 1.0}
        return facts | {
            "min_weight": self._least, "max_weight": self._greatest, "mean_weight": self._sum,
            "typical_weight": median_of_positive(np.concatenate(self._sample)),
        }  # fmt: skip

    def fingerprint(self) -> str:
        """Return the fingerprint, in hexadecimal digits."""
        return self._digest.hexdigest()
