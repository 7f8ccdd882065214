"""Locations of files: their names in messages, how they are opened, and errors if they cannot be opened.

A location is a local file, standard input or output, a URL that fsspec opens, or an open binary file.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from ...errors import FileError, InputTypeError, MissingDependencyError, MissingFileError, NearfarError
from .compression import without_ending

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class Counted(io.RawIOBase):
    """A binary file that counts the bytes read.

    A pipe may return few bytes at a time: reads are repeated until the buffer is full or the file ends.
    """

    def __init__(self, file: Any, name: str) -> None:
        self._file, self._name, self.count = file, name, 0
        self._take = getattr(file, "read1", file.read)
        self._ended = False  # a terminal can continue after its end

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; return the number of bytes."""
        size = 0
        while size < len(buffer) and not self._ended:
            data = self._next(len(buffer) - size)
            buffer[size : size + len(data)] = data
            size += len(data)
            self._ended = not data
        self.count += size
        return size

    def _next(self, size: int) -> bytes:
        """Return some bytes, or none at the end."""
        try:
            data = self._take(size)
        except OSError as error:
            raise (error if isinstance(error, NearfarError) else cannot_read(self._name, error)) from error
        if not isinstance(data, bytes | bytearray | memoryview):
            raise InputTypeError(
                f"{self._name} gives {type(data).__name__}, not bytes; open it in binary mode, 'rb', or give its name."
            )
        return data  # type: ignore[return-value]


class Watched(io.RawIOBase):
    """A file that can seek and reports how far it has been read; for libraries that read in their own order."""

    def __init__(self, file: Any, tell: Callable[[int], None]) -> None:
        self._file, self._tell, self._farthest = file, tell, 0

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def seekable(self) -> bool:
        """Return that it can seek."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a position."""
        return int(self._file.seek(offset, whence))

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; return the number of bytes."""
        size = int(self._file.readinto(buffer))
        if self._file.tell() > self._farthest:
            self._farthest = self._file.tell()
            self._tell(self._farthest)
        return size


def names_of(path: Any) -> tuple[str, str]:
    """Return the name of a location in messages, and the name from which its format is guessed."""
    if isinstance(path, str | os.PathLike) and not isinstance(name := os.fspath(path), bytes):
        if name == "-":
            return "standard input", ""
        return name, without_ending(name)
    if hasattr(path, "read") or hasattr(path, "write"):
        name = getattr(path, "name", None)
        return (name, without_ending(name)) if isinstance(name, str) else ("the open file", "")
    raise InputTypeError(f"path is a {type(path).__name__}; give a str, a Path, '-' or an open binary file.")


def is_url(name: str) -> bool:
    """Return whether a name is a URL, which fsspec opens."""
    return _URL.match(name) is not None


def open_location(path: Any, name: str, stack: ExitStack) -> Any:
    """Open a location for reading; the stack closes it."""
    if hasattr(path, "read"):
        if isinstance(path, io.TextIOBase):
            raise InputTypeError(f"{name} is open as text; open it in binary mode, 'rb', or give its name.")
        return path
    if name == "standard input":
        return bytes_of(sys.stdin, name)
    if is_url(name):
        try:
            return stack.enter_context(load_fsspec(name).open(name, "rb"))
        except NearfarError:
            raise
        except FileNotFoundError as error:
            raise MissingFileError(f"{name} does not exist. Check the URL.") from error
        except Exception as error:  # whatever the file system behind the URL raises
            raise FileError(f"{name} cannot be opened: {str(error) or type(error).__name__}. Check the URL.") from error
    try:
        return stack.enter_context(open(path, "rb"))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise cannot_read(name, error) from error


def bytes_of(stream: Any, name: str) -> Any:
    """Return standard input or output as a binary file; some environments, such as notebooks, have only text."""
    if not hasattr(stream, "buffer"):
        raise FileError(f"{name} is not binary here. Give the name of a file, or an open binary file.")
    return stream.buffer


def load_fsspec(name: str) -> Any:
    """Load the package that opens URLs."""
    try:
        import fsspec
    except ImportError as error:
        raise MissingDependencyError(
            f"{name} is a URL, which needs the package fsspec; it is not installed. Use: pip install "
            f"'nearfar[formats]', or fetch the file and give its name."
        ) from error
    return fsspec


def cannot_read(name: str, error: Exception) -> FileError:
    """Return an error that says why a file cannot be read."""
    if isinstance(error, FileNotFoundError):
        return MissingFileError(f"{name} does not exist.{_similar(name)}")
    if isinstance(error, IsADirectoryError):
        return FileError(f"{name} is a folder, but a file is needed. Name a file in it.")
    if isinstance(error, PermissionError):
        return FileError(f"{name} cannot be read: no permission. Ask its owner, or copy it.")
    return FileError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}. Check name and disk.")


def _similar(name: str) -> str:
    """Return a hint: a file with nearly the same name, or the folder that is missing."""
    import difflib

    path = Path(name)
    if not path.parent.exists():
        return f" There is no folder {path.parent} either."
    with suppress(OSError):
        close = difflib.get_close_matches(path.name, os.listdir(path.parent), 1, 0.75)
        return f" Did you mean {path.parent / close[0]}?" if close else " Check the name and the folder."
    return ""
