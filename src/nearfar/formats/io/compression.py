"""Compressed files, recognised by their first bytes when read, and by the ending of the name when written.

The table COMPRESSIONS has one line per kind. When reading, the content decides, since names may be wrong; when writing,
there is no content yet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

from ...errors import MissingDependencyError

_STEP = 1 << 18  # bytes that one step of decompressing gives, approximately


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

    # New York: level 6 takes 1.0 s and 3.67 MB, level 9 4.0 s and 3.66 MB. No name, no time: equal graphs, equal files.
    return gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=6, mtime=0)


def _read_xz(file: IO[bytes]) -> Any:
    import lzma

    return _Frames(file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ), padding=4)


def _write_xz(file: IO[bytes]) -> Any:
    import lzma

    return lzma.LZMAFile(file, "wb")


def _read_bz2(file: IO[bytes]) -> Any:
    import bz2

    return _Frames(file, bz2.BZ2Decompressor)


def _write_bz2(file: IO[bytes]) -> Any:
    import bz2

    return bz2.BZ2File(file, "wb")


class _Frames:
    """A file of compressed frames, one after the other.

    The readers of Python and of zstandard stop silently at anything that follows the first frame, and where the last
    frame is cut off. Here each byte of the file must belong to a complete frame or to the padding: zeros, in multiples
    of ``padding``. Little is decompressed at a time, so a small file that stands for gigabytes needs little memory.
    """

    def __init__(self, file: IO[bytes], fresh: Callable[[], Any], piece: int = 1 << 16, padding: int = 0) -> None:
        self._file, self._fresh, self._piece, self._padding = file, fresh, piece, padding
        self._frame: Any = fresh()  # None between frames
        self._packed, self._plain, self._zeros = b"", bytearray(), 0

    def read(self, size: int) -> bytes:
        """Return ``size`` bytes, fewer only at the end."""
        while len(self._plain) < size and self._feed():
            pass
        data = bytes(self._plain[:size])
        del self._plain[:size]
        return data

    def close(self) -> None:
        """Free the decompressed bytes."""
        self._plain.clear()

    def _feed(self) -> bool:
        """Decompress a little more; return whether there was more."""
        if self._frame is None or self._frame.needs_input:
            self._packed = self._packed or self._file.read(self._piece)
            if not self._packed:
                return self._end()
        if self._frame is None and not self._begin():
            return True
        self._plain += self._frame.decompress(self._packed, _STEP)
        self._packed = b""
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data, None
        return True

    def _begin(self) -> bool:
        """Begin another frame after the padding, if the compressed bytes reach that far."""
        if self._padding:
            rest = self._packed.lstrip(b"\0")
            self._zeros += len(self._packed) - len(rest)
            self._packed = rest
        if not self._packed:
            return False
        self._check_padding()
        self._frame = self._fresh()
        return True

    def _end(self) -> bool:
        """Check that the file may end here."""
        if self._frame is not None:
            raise EOFError("it ends inside a frame")
        self._check_padding()
        return False

    def _check_padding(self) -> None:
        """Refuse padding of a wrong size."""
        if self._padding and self._zeros % self._padding:
            raise EOFError(f"{self._zeros} bytes of padding follow a frame")
        self._zeros = 0


class _ZstdFrame:
    """A frame of .zst with the interface of the standard library; ``most`` is kept only if the pieces are small."""

    needs_input = True

    def __init__(self) -> None:
        self._object = _zstandard().ZstdDecompressor().decompressobj()

    def decompress(self, packed: bytes, most: int) -> bytes:
        """Decompress everything that is given."""
        return self._object.decompress(packed)

    @property
    def eof(self) -> bool:
        """Whether the frame has ended."""
        return self._object.eof

    @property
    def unused_data(self) -> bytes:
        """What follows the frame."""
        return self._object.unused_data


def _read_zstd(file: IO[bytes]) -> Any:
    # 4 bytes may stand for a block of 128 kB: 512 bytes give at most 16 MB.
    return _Frames(file, _ZstdFrame, piece=512)


def _write_zstd(file: IO[bytes]) -> Any:
    return _zstandard().ZstdCompressor().stream_writer(file, closefd=False)


def _zstandard() -> Any:
    """Load the package for .zst, which Python includes only from 3.14 on."""
    try:
        import zstandard
    except ImportError as error:
        raise MissingDependencyError(
            "a .zst file needs the package zstandard, which is not installed. Use: pip install 'nearfar[formats]'"
        ) from error
    return zstandard


COMPRESSIONS = (
    Compression(".gz", b"\x1f\x8b", _read_gzip, _write_gzip),
    Compression(".xz", b"\xfd7zXZ\x00", _read_xz, _write_xz),
    Compression(".bz2", b"BZh", _read_bz2, _write_bz2),
    Compression(".zst", b"\x28\xb5\x2f\xfd", _read_zstd, _write_zstd),
)


ZIP = Compression(".zip", b"PK", lambda file: file, lambda file: file)  # of one file; Source opens it


def is_zip(start: bytes) -> bool:
    """Return whether a file begins like a .zip that is not a .npz: its first member is not an array."""
    name = start[30 : 30 + int.from_bytes(start[26:28], "little")]
    return start.startswith((b"PK\x03\x04", b"PK\x05\x06")) and not name.endswith(b".npy")


def by_content(start: bytes) -> Compression | None:
    """Return the compression that the first bytes of a file show, or None."""
    return next((kind for kind in COMPRESSIONS if start.startswith(kind.magic)), None)


def by_name(name: str) -> Compression | None:
    """Return the compression that the name of a file shows, or None."""
    return next((kind for kind in COMPRESSIONS if name.lower().endswith(kind.ending)), None)


def without_ending(name: str) -> str:
    """Return the name in lower case without the ending of its compression."""
    kind = by_name(name)
    return name.lower()[: -len(kind.ending)] if kind else name.lower()


def is_damage(error: BaseException) -> bool:
    """Return whether an error means damaged compressed data, not a failing disk."""
    import lzma
    import zlib

    if isinstance(error, EOFError | zlib.error | lzma.LZMAError):
        return True
    if type(error).__name__ in ("ZstdError", "BadZipFile"):  # their modules may not be installed
        return True
    return isinstance(error, OSError) and error.errno is None  # raised by gzip and bz2
