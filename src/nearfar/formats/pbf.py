"""Check an .osm.pbf file before osmium reads it.

The file is a sequence of blobs, each with a header. A blob decompresses to a block with its own table of strings, the
words of all tags. Osmium takes these words for C strings: a zero byte inside a word makes it read beyond its memory. No
real file has such words, so a file that does is refused here. Blobs are checked one by one; the other parts of a block
are skipped.

https://wiki.openstreetmap.org/wiki/PBF_Format
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from .io.files import Source

_MAX_HEADER, _MAX_BLOB = 1 << 16, 1 << 25  # bytes that the format allows
_ADVICE = "Fetch it again."


class _DamageError(ValueError):
    """What is wrong with a file; the message goes into a FormatError."""


def check_pbf(source: Source, path: Path) -> None:
    """Refuse a file that is cut off, or that would crash osmium."""
    try:
        with open(path, "rb") as file:
            while start := file.read(4):
                header = dict(_fields(_take(file, int.from_bytes(start, "big"), _MAX_HEADER)))
                size = header.get(3)
                _check_blob(_take(file, size if isinstance(size, int) else 0, _MAX_BLOB))
                source.tell(file.tell())
    except _DamageError as error:
        raise source.error(f"it is no readable OpenStreetMap file ({error}). {_ADVICE}") from error


def _take(file: IO[bytes], size: int, most: int) -> bytes:
    """Read as many bytes as a header announces."""
    data = file.read(size) if 0 < size <= most else b""
    if not data or len(data) != size:
        raise _DamageError("it is cut off, or a length in it is wrong")
    return data


def _check_blob(blob: bytes) -> None:
    """Decompress a blob and check its words; compressions that Python lacks are left to osmium."""
    for key, data in _fields(blob):
        if not isinstance(data, bytes) or key not in (1, 3):
            continue
        block = data if key == 1 else _unpack(data)
        for part, table in _fields(block):
            if part == 1 and isinstance(table, bytes) and table.count(0) > 1:  # the first word is empty, of length 0
                _check_words(table)


def _check_words(table: bytes) -> None:
    """Refuse words with a zero byte inside."""
    if any(isinstance(word, bytes) and 0 in word for key, word in _fields(table) if key == 1):
        raise _DamageError("a tag has a zero byte in it")


def _unpack(data: bytes) -> bytes:
    """Return the decompressed content of a blob."""
    unpacker = zlib.decompressobj()
    try:
        block = unpacker.decompress(data, _MAX_BLOB)
    except zlib.error as error:
        raise _DamageError(f"compressed data is damaged: {error}") from error
    if not unpacker.eof:
        raise _DamageError("a block is cut off, or larger than 32 MB")
    return block


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the key and the value of each field of a Protocol Buffers message: a number, or bytes."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        size, at = _varint(message, at) if kind == 2 else ({1: 8, 5: 4}.get(kind, -1), at)
        if not 0 <= size <= len(message) - at:
            raise _DamageError("a field is longer than what it is part of")
        yield tag >> 3, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, and the position after it."""
    value = shift = 0
    while at < len(message) and shift < 70:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    raise _DamageError("a number is cut off")
