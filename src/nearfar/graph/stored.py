"""Graphs whose arcs lie in a folder on disk: what they know without reading arcs, and how blocks of arcs are read.

Opening a folder reads numbers about the graph and maps its offsets. The arcs stay on the disk. A method that needs all
of them takes ``graph.arcs``: they are compared with their checksums once, then mapped, so that they are memory that the
system may take back. A method that streams reads blocks of arcs into buffers of its own, through `ArcFile`, and never
touches ``graph.arcs``.
"""

from __future__ import annotations

import os
import tokenize
import zlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..devices import cpu
from ..errors import FileError, FormatError, MemoryLimitError, option
from .above import above
from .arrays import Array
from .graph import Graph
from .input_rows import InputRows
from .rows import freeze
from .units import Units
from .vertices import Vertices

if TYPE_CHECKING:
    from .parts import Parts

# Bytes of arcs that have one checksum, and are read at least. Chosen: four times the pages that a disk reads ahead for
# one page, and a few hundred rows of a sparse graph.
BLOCK = 1 << 16
# What NumPy raises for a header of .npy that is damaged.
BAD_HEADER = (ValueError, EOFError, MemoryError, RecursionError, SyntaxError, tokenize.TokenError)
CHECKED = 1 << 24  # bytes that a thread checks at a time


class ArcFile:
    """The arcs of a graph in a file: read in blocks of 64 kB, each compared with its checksum.

    Parameters
    ----------
    path : Path
        A .npy file of records.
    m : int
    dtype : dtype
        The type of a record: head, and weight if there is one.
    sums : array of uint32
        The CRC-32 of each block.

    Attributes
    ----------
    read_bytes : int
        How many bytes were read so far.
    """

    def __init__(self, path: Path, m: int, dtype: np.dtype[Any], sums: Array) -> None:
        self.path, self.m, self.dtype, self.sums = path, m, dtype, sums
        self.nbytes = m * dtype.itemsize
        self.read_bytes = 0
        try:
            self._file = open(path, "rb", buffering=0)  # noqa: SIM115 - closed with this object
            found, kept = _header(self._file), (self._file.tell(), os.fstat(self._file.fileno()).st_size)
        except (OSError, *BAD_HEADER) as error:
            raise FileError(f"{path} cannot be read: {error}. Write the graph again.") from error
        self._first = kept[0]
        if found != ((m,), dtype) or kept[1] != self._first + self.nbytes or len(sums) != self.blocks:
            raise FormatError(f"{path} is not the file that was written. Write the graph again.", str(path))

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return -(-self.nbytes // BLOCK)

    def read(self, first: int, last: int, out: Array) -> int:
        """Read the blocks from ``first`` up to ``last`` into an array of bytes; return how many bytes they have."""
        low, high = first * BLOCK, min(last * BLOCK, self.nbytes)
        view, done = out.data[: high - low], 0
        while done < high - low:
            got = os.preadv(self._file.fileno(), [view[done:]], self._first + low + done)
            if got == 0:
                raise self.damaged()
            done += got
        self.read_bytes += done
        for block in range(first, last):
            at = (block - first) * BLOCK
            if zlib.crc32(view[at : at + BLOCK]) != self.sums[block]:
                raise self.damaged()
        return done

    def damaged(self) -> FormatError:
        """Return the error for a file that is not as it was written."""
        return FormatError(
            f"{self.path} is damaged: its arcs do not have the checksums that were written. Write the graph again.",
            str(self.path),
        )

    def map(self) -> Array:
        """Return all arcs, mapped; each block is compared with its checksum first, on all cores."""
        mapped = np.memmap(self.path, self.dtype, "r", self._first, (self.m,)) if self.m else np.empty(0, self.dtype)
        whole = np.asarray(mapped).view(np.uint8).data
        step, bad = CHECKED // BLOCK, list[int]()

        def check(part: int) -> None:
            for block in range(part * step, min((part + 1) * step, self.blocks)):
                if zlib.crc32(whole[block * BLOCK : (block + 1) * BLOCK]) != self.sums[block]:
                    bad.append(block)
                    return

        parts = -(-self.blocks // step)
        cpu.share_out(lambda: check, parts, cpu.facts().cores if parts > 1 else 0, np.zeros(1, np.int64))
        if bad:
            raise self.damaged()
        return np.asarray(mapped)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()


def _header(file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Read the header of a .npy file; return shape and type."""
    np.lib.format.read_magic(file)
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    return shape, dtype


class StoredGraph(Graph):
    """A graph whose arcs lie in a folder: made by `Graph.open`.

    It is a `Graph` in every respect. Arcs are read when a query needs them: all of them, or, if they do not fit the
    memory that may be used, in batches.

    Attributes
    ----------
    path : Path
        The folder.
    arc_file : ArcFile
    fingerprint : bytes
        32 bytes that no other graph has.
    """

    path: Path
    arc_file: ArcFile
    fingerprint: bytes

    def __init__(
        self,
        path: Path,
        offsets: Array,
        arc_file: ArcFile,
        vertices: Vertices,
        coordinates: Array | None,
        undirected: bool,
        input_rows: InputRows,
        facts: dict[str, Any],
        fingerprint: bytes,
        open_reversed: Callable[[], Graph | None] = lambda: None,
        units: Units | None = None,
    ) -> None:
        state = self.__dict__  # __setattr__ is closed
        state["path"], state["offsets"], state["arc_file"] = path, freeze(offsets), arc_file
        state["_vertices"], state["coordinates"], state["undirected"] = vertices, coordinates, undirected
        state["input_rows"], state["fingerprint"], state["_open_reversed"] = input_rows, fingerprint, open_reversed
        state["_opened"], state["kept"], state["keys"] = None, None, None
        state["units"] = Units() if units is None else units
        dtype = arc_file.dtype
        state["weight_dtype"] = dtype["weight"] if "weight" in (dtype.names or ()) else None
        state.update(facts)  # what would have to be counted over all arcs: least and greatest weight, ...

    @property
    def m(self) -> int:
        """Number of arcs stored."""
        return self.arc_file.m

    @cached_property
    def arcs(self) -> Array:  # type: ignore[override]
        """All arcs, compared with their checksums once, and mapped; refused if the free memory cannot hold them."""
        free = cpu.facts().memory
        if self.arc_file.nbytes > free:
            raise MemoryLimitError(
                f"all arcs of {self.path} need {self.arc_file.nbytes:,} bytes; {free:,} are free. Use a query that "
                "streams them (sssp, mssp, apsp, table, nearest, path, verify), or a machine with more memory.",
                self.arc_file.nbytes,
                free,
            )
        return freeze(self.arc_file.map())

    def some_arcs(self, first: int, last: int) -> Array:
        """Return the arcs from ``first`` up to ``last``; unless all are there, only these are read."""
        if "arcs" in vars(self) or first >= last:
            return super().some_arcs(first, last) if first < last else np.empty(0, self.arc_file.dtype)
        size = self.arc_file.dtype.itemsize
        low, high = first * size // BLOCK, -(-last * size // BLOCK)
        buffer = np.empty((high - low) * BLOCK, np.uint8)
        self.arc_file.read(low, high, buffer)
        begin = first * size - low * BLOCK
        return buffer[begin : begin + (last - first) * size].view(self.arc_file.dtype)

    def require_reverse(self, available: int) -> None:
        """Refuse to reverse the graph in memory, for which its arcs and the reversed ones must fit; use one on disk."""
        if self.undirected or self.known_reverse is not None:
            return
        stored: Graph | None = self.__dict__["_open_reversed"]()
        if stored is not None:
            self.__dict__["_reversed"] = stored
            return
        needed = self.arc_bytes + self.arc_file.nbytes
        if needed > available:
            raise MemoryLimitError(
                f'the direction "to" needs the reversed graph, which {self.path} does not have; to reverse it in '
                f"memory takes {needed:,} bytes, and {available:,} may be used. "
                f"Write the graph with {option('reversed', True)}, or allow more memory.",
                needed,
                available,
            )

    @property
    def parts(self) -> Parts | None:
        """The parts that were written into the folder, None if there are none."""
        if "parts" not in self.memo and (found := above("StoredGraph.parts")(self)) is not None:
            self.memo["parts"] = found
        return super().parts

    @property
    def arc_bytes(self) -> int:
        """The bytes of offsets and arcs: what a search reads."""
        return int(self.offsets.nbytes + self.arc_file.nbytes)

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays, on the disk or in memory; names are not counted."""
        coordinates = 0 if self.coordinates is None else self.coordinates.nbytes
        return self.arc_bytes + coordinates + self.input_rows.nbytes

    def _make_reversed(self) -> Graph:
        """Return the reversed graph: from the folder, if it was written there."""
        stored: Graph | None = self.__dict__["_open_reversed"]()
        return super()._make_reversed() if stored is None else stored

    def like(self, offsets: Array, arcs: Array, **facts: Any) -> Graph:
        """Return a graph in memory, with other arcs between the same vertices."""
        taken: dict[str, Any] = {"vertices": self._vertices, "coordinates": self.coordinates}
        taken |= {"undirected": self.undirected, "units": self.units}
        return Graph(offsets, arcs, **taken | facts)

    def __reduce__(self) -> tuple[Any, ...]:
        return Graph.open, (os.fspath(self.path),), {"units": self.units}
