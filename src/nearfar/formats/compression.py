"""Compressed files: recognised by their first bytes when read, by the name's ending when written.

One line in the table for each kind. Content decides when reading, since names lie; the ending decides when writing,
since there is no content yet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

from ..errors import MissingDependencyError


@dataclass(frozen=True)
class Compression:
    """How one kind of compressed file begins, ends, and is opened."""

    ending: str
    magic: bytes
    reader: Callable[[IO[bytes]], Any]
    writer: Callable[[IO[bytes]], Any]


def _read_gzip(file: IO[bytes]) -> Any:
    import gzip

    return gzip.GzipFile(fileobj=file, mode="rb")


def _write_gzip(file: IO[bytes]) -> Any:
    import gzip

    # level 6 takes a third of the time of 9 for 1 % more bytes; no name and no time, so equal graphs give equal files
    return gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0)


def _xz(mode: Any) -> Callable[[IO[bytes]], Any]:
    def opener(file: IO[bytes]) -> Any:
        import lzma

        return lzma.LZMAFile(file, mode)

    return opener


def _bz2(mode: Any) -> Callable[[IO[bytes]], Any]:
    def opener(file: IO[bytes]) -> Any:
        import bz2

        return bz2.BZ2File(file, mode)

    return opener


class _ZstdReader:
    """A .zst file, frame after frame; unlike the package's own reader it notices when the last one is cut off."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._fresh = _zstandard().ZstdDecompressor().decompressobj
        self._frame: Any = self._fresh()
        self._packed, self._plain, self._inside = b"", bytearray(), True

    def read(self, size: int) -> bytes:
        """Return ``size`` bytes, fewer only at the end."""
        while len(self._plain) < size and self._feed():
            pass
        data = bytes(self._plain[:size])
        del self._plain[:size]
        return data

    def close(self) -> None:
        """Let go of what was decompressed."""
        self._plain.clear()

    def _feed(self) -> bool:
        """Decompress a little more; tell whether there was any."""
        packed = self._packed or self._file.read(1 << 16)
        if not packed:
            if self._inside:
                raise EOFError("it ends inside a frame")
            return False
        if self._frame.eof:
            self._frame = self._fresh()
        self._plain += self._frame.decompress(packed)
        self._packed, self._inside = self._frame.unused_data, not self._frame.eof
        return True


def _read_zstd(file: IO[bytes]) -> Any:
    return _ZstdReader(file)


def _write_zstd(file: IO[bytes]) -> Any:
    return _zstandard().ZstdCompressor().stream_writer(file, closefd=False)


def _zstandard() -> Any:
    """Load the package for .zst, which Python has by itself only from 3.14 on."""
    try:
        import zstandard
    except ImportError as error:
        raise MissingDependencyError(
            "a .zst file needs the package zstandard, which is not installed. Use: pip install 'nearfar[formats]'"
        ) from error
    return zstandard


COMPRESSIONS = (
    Compression(".gz", b"\x1f\x8b", _read_gzip, _write_gzip),
    Compression(".xz", b"\xfd7zXZ\x00", _xz("rb"), _xz("wb")),
    Compression(".bz2", b"BZh", _bz2("rb"), _bz2("wb")),
    Compression(".zst", b"\x28\xb5\x2f\xfd", _read_zstd, _write_zstd),
)


def by_content(start: bytes) -> Compression | None:
    """Return the compression that a file's first bytes announce."""
    return next((kind for kind in COMPRESSIONS if start.startswith(kind.magic)), None)


def by_name(name: str) -> Compression | None:
    """Return the compression that a file's name asks for."""
    return next((kind for kind in COMPRESSIONS if name.lower().endswith(kind.ending)), None)


def without_ending(name: str) -> str:
    """Return the name in lower case without the ending of its compression."""
    kind = by_name(name)
    return name.lower()[: -len(kind.ending)] if kind else name.lower()


def is_damage(error: BaseException) -> bool:
    """Tell whether an error means broken compressed data, as opposed to a failing disk."""
    import lzma
    import zlib

    if isinstance(error, EOFError | zlib.error | lzma.LZMAError) or type(error).__name__ == "ZstdError":
        return True
    return isinstance(error, OSError) and error.errno is None  # how gzip and bz2 complain
