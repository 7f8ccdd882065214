"""Places: what they are called in messages, how they are opened, and why they cannot be.

A place is a local file, standard input or output, an address that fsspec opens, or an open binary file.
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
    """A file that is read as bytes, which are counted.

    A pipe may give a byte at a time: what is asked for is gathered, up to the end.
    """

    def __init__(self, file: Any, name: str) -> None:
        self._file, self._name, self.count = file, name, 0
        self._take = getattr(file, "read1", file.read)
        self._ended = False  # a terminal could go on after its end

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; return how far."""
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
    """A file that can seek, and tells how far it has been read; for libraries that read in their own order."""

    def __init__(self, file: Any, tell: Callable[[int], None]) -> None:
        self._file, self._tell, self._farthest = file, tell, 0

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def seekable(self) -> bool:
        """Tell that it can seek."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place."""
        return int(self._file.seek(offset, whence))

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; return how far."""
        size = int(self._file.readinto(buffer))
        if self._file.tell() > self._farthest:
            self._farthest = self._file.tell()
            self._tell(self._farthest)
        return size


def names_of(path: Any) -> tuple[str, str]:
    """Return what to call a place in messages, and the name that its format is guessed from."""
    if isinstance(path, str | os.PathLike) and not isinstance(name := os.fspath(path), bytes):
        if name == "-":
            return "standard input", ""
        return name, without_ending(name)
    if hasattr(path, "read") or hasattr(path, "write"):
        name = getattr(path, "name", None)
        return (name, without_ending(name)) if isinstance(name, str) else ("the open file", "")
    raise InputTypeError(f"path is a {type(path).__name__}; give a str, a Path, '-' or an open binary file.")


def is_address(name: str) -> bool:
    """Tell whether a name is an address, which fsspec opens."""
    return _URL.match(name) is not None


def open_place(path: Any, name: str, stack: ExitStack) -> Any:
    """Open a place for reading, to be closed by the stack."""
    if hasattr(path, "read"):
        if isinstance(path, io.TextIOBase):
            raise InputTypeError(f"{name} is open as text; open it in binary mode, 'rb', or give its name.")
        return path
    if name == "standard input":
        return bytes_of(sys.stdin, name)
    if is_address(name):
        try:
            return stack.enter_context(load_fsspec(name).open(name, "rb"))
        except NearfarError:
            raise
        except FileNotFoundError as error:
            raise MissingFileError(f"{name} does not exist. Check the address.") from error
        except Exception as error:  # whatever the file system behind the address raises
            raise FileError(f"{name} cannot be opened: {str(error) or type(error).__name__}. Check it.") from error
    try:
        return stack.enter_context(open(path, "rb"))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise cannot_read(name, error) from error


def bytes_of(stream: Any, name: str) -> Any:
    """Return standard input or output as a binary file; some surroundings, such as notebooks, have only text."""
    if not hasattr(stream, "buffer"):
        raise FileError(f"{name} takes no bytes here. Give the name of a file, or an open binary file.")
    return stream.buffer


def load_fsspec(name: str) -> Any:
    """Load the package that opens URLs."""
    try:
        import fsspec
    except ImportError as error:
        raise MissingDependencyError(
            f"{name} is an address, which the package fsspec opens; it is not installed. Use: pip install "
            f"'nearfar[formats]', or fetch the file and give its name."
        ) from error
    return fsspec


def cannot_read(name: str, error: Exception) -> FileError:
    """Say why a file cannot be read."""
    if isinstance(error, FileNotFoundError):
        return MissingFileError(f"{name} does not exist.{_similar(name)}")
    if isinstance(error, IsADirectoryError):
        return FileError(f"{name} is a folder, but a file is needed. Name a file in it.")
    if isinstance(error, PermissionError):
        return FileError(f"{name} cannot be read: no permission. Ask its owner, or copy it.")
    return FileError(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}.")


def _similar(name: str) -> str:
    """Point to a file of nearly the same name, or to the folder that is missing."""
    import difflib

    path = Path(name)
    if not path.parent.exists():
        return f" There is no folder {path.parent} either."
    with suppress(OSError):
        close = difflib.get_close_matches(path.name, os.listdir(path.parent), 1, 0.75)
        return f" Did you mean {path.parent / close[0]}?" if close else " Check the name and the folder."
    return ""
