"""Arrays in a .npz file, read without trust and written reproducibly.

A .npz is a .zip of .npy members. NumPy's own reader allocates what a member's header claims before it looks at the
data. Here a claim must agree with the member's size, and that size with the bytes of the file, before anything is
allocated. Pickled objects are never loaded. Written members have no time stamp, so equal arrays give equal bytes.
"""

from __future__ import annotations

import math
import os
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from ...graph.arrays import Array, shorten
from .files import Sink, Source
from .library import parsing

_DEFLATE = 1032  # one deflated byte stands for at most this many bytes
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_STEP = 1 << 24  # bytes copied at a time
_ADVICE = "Fetch or write the file again."


def read_arrays(source: Source) -> dict[str, Array]:
    """Return all arrays of a .npz file by their keys."""
    file = source.file()
    size = file.seek(0, os.SEEK_END)
    if size == 0:
        raise source.error("the file is empty, but a .npz archive is needed. Check how it was made.")
    with parsing(source, ".npz archive", _ADVICE, zipfile.BadZipFile, zlib.error), zipfile.ZipFile(file) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        for entry in entries:
            _check_entry(source, entry, size)
        arrays = {}
        for entry in entries:
            with archive.open(entry) as member:
                arrays[entry.filename.removesuffix(".npy")] = _read_array(source, entry, member)
    return arrays


def _check_entry(source: Source, entry: zipfile.ZipInfo, size: int) -> None:
    """Refuse a member that is not an array, or that claims more bytes than it can hold."""
    if not entry.filename.endswith(".npy"):
        raise source.error(
            f"it holds {shorten(entry.filename)}, but a .npz archive holds .npy arrays only. Unpack it if it is a .zip."
        )
    if entry.compress_type not in _METHODS or entry.flag_bits & 1:
        raise source.error(
            f"array {shorten(entry.filename)} is encrypted, or compressed by an unusual method. "
            f"Write it with numpy.savez or savez_compressed."
        )
    limit = entry.compress_size * (_DEFLATE if entry.compress_type == zipfile.ZIP_DEFLATED else 1)
    if entry.compress_size > size or entry.file_size > limit:
        raise source.error(
            f"array {shorten(entry.filename)} claims {entry.file_size} bytes, more than the file can hold. {_ADVICE}"
        )


def _read_array(source: Source, entry: zipfile.ZipInfo, member: IO[bytes]) -> Array:
    """Read one array whose claims agree with its size."""
    name = shorten(entry.filename)
    version = np.lib.format.read_magic(member)
    if version not in ((1, 0), (2, 0)):
        raise source.error(f"array {name} has fields, but plain numbers are needed. Save each field as an array.")
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    try:
        shape, fortran, dtype = header(member)
    except (MemoryError, RecursionError, tokenize.TokenError) as error:  # brackets that are nested deeply or not closed
        raise source.error(f"array {name} has no readable header. {_ADVICE}") from error
    if dtype.hasobject:
        raise source.error(
            f"array {name} holds pickled Python objects, which are never loaded: they could run any code. "
            f"Save numbers or fixed-width strings instead."
        )
    nbytes = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or nbytes != entry.file_size - member.tell():
        raise source.error(
            f"array {name} claims the shape {shape} of {dtype}, but has {entry.file_size - member.tell()} bytes "
            f"of data. {_ADVICE}"
        )
    flat = np.empty(math.prod(shape), dtype)
    _fill(flat, nbytes, member)
    if member.read(1):  # also makes the archive compare its checksum
        raise source.error(f"array {name} is longer than it claims. {_ADVICE}")
    return flat.reshape(shape[::-1]).T if fortran else flat.reshape(shape)


def _fill(flat: Array, nbytes: int, member: IO[bytes]) -> None:
    """Read the bytes of an array in steps."""
    if nbytes == 0:
        return
    view, done = flat.view(np.uint8), 0
    while done < nbytes:
        data = member.read(min(_STEP, nbytes - done))
        if not data:
            raise EOFError("an array is cut off")
        view[done : done + len(data)] = np.frombuffer(data, np.uint8)
        done += len(data)


def write_arrays(sink: Sink, arrays: Mapping[str, Any]) -> None:
    """Write arrays as an uncompressed .npz file; arrays may be strided views."""
    with zipfile.ZipFile(Stream(sink.file()), "w", zipfile.ZIP_STORED) as archive:
        for key, values in arrays.items():
            entry = zipfile.ZipInfo(f"{key}.npy")  # with the date 1980, whenever it is written
            entry.create_system = 3  # Unix, wherever it is written
            with archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(values), allow_pickle=False)


class Stream:
    """A file that is written from front to back: compressed files claim to seek but fail, pipes cannot seek at all."""

    closed = False

    def __init__(self, file: Any) -> None:
        self._file, self._count = file, 0

    def read(self, size: int = -1) -> bytes:
        """Exist only so that libraries take this for a file, not for a path."""
        raise OSError("a stream to write to")

    def write(self, data: Any) -> int:
        """Write some bytes."""
        self._file.write(data)
        count = memoryview(data).nbytes
        self._count += count
        return count

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self._count

    def flush(self) -> None:
        """Do nothing: there is no buffer."""

    def close(self) -> None:
        """Leave the file open: its owner closes it."""


def is_archive(head: bytes) -> bool:
    """Return whether a file begins like a .npz."""
    return head.startswith(b"PK\x03\x04") and head[30:].split(b".npy", 1)[0].replace(b"_", b"").isalnum()
