"""Source and Sink: where bytes come from and go to, whatever the place and the compression.

A Source is a local file, standard input, an open binary file or a URL; what it gives is decompressed, ahead of the
parser on a thread of its own. A Sink is the same the other way, and appears whole or not at all.
"""

from __future__ import annotations

import io
import os
import queue
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from ..errors import FileError, FormatError, InputTypeError, MissingDependencyError, MissingFileError, NearfarError
from ..whole import cannot_write, whole_file
from .compression import Compression, by_content, by_name, is_damage, without_ending

BLOCK = 1 << 20  # bytes parsed at a time: stays in the second-level cache together with what it becomes
HEAD = 1 << 16  # bytes shown to those who recognise formats
_SPOOL = 1 << 26  # decompressed bytes kept in memory for readers that must seek; more goes to a temporary file
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class Source:
    """An open file to read a graph from; a context manager."""

    def __init__(self, path: Any, watch: Callable[[int, int | None], None] | None = None) -> None:
        self.name, self.plain_name = _names_of(path)
        self._watch = watch
        self._compression: Compression | None = None
        self._stack = ExitStack()
        self._file = _open(path, self.name, self._stack)
        self._local = Path(path) if isinstance(path, str | os.PathLike) and self.name == os.fspath(path) else None
        self._begun = False
        try:
            self._counter = _Counter(self._file)
            self._decompress(io.BufferedReader(self._counter, HEAD))
        except BaseException:
            self._stack.close()
            raise

    def _decompress(self, raw: io.BufferedReader) -> None:
        """Open what is inside, and look at its beginning."""
        with self._guard():
            self._compression = by_content(raw.peek(8))
            self._stream: Any = self._compression.reader(raw) if self._compression else raw
            self._stack.callback(self._stream.close)
            self._unzip()
            self._head = _fill(self._stream, HEAD)

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def size(self) -> int | None:
        """Bytes of the file as it lies there, or None where that is unknown."""
        try:
            return os.fstat(self._file.fileno()).st_size or None
        except (OSError, AttributeError, io.UnsupportedOperation):
            return getattr(self._file, "size", None)

    def head(self) -> bytes:
        """Return the first 64 kB."""
        return self._head

    def blocks(self) -> Iterator[bytes]:
        """Yield everything in blocks, from the beginning; only once."""
        self._begin()
        if self._head:
            yield self._head
        if len(self._head) < HEAD:
            return
        for block in _ahead(self._next) if self._compression else iter(self._next, b""):
            if self._watch:
                self._watch(self._counter.count, self.size)
            yield block

    def read_all(self) -> bytes:
        """Return everything."""
        return b"".join(self.blocks())

    def file(self) -> IO[bytes]:
        """Return a file with the decompressed content that can seek."""
        if self._local and not self._compression and self._file.seekable():
            self._begin()
            self._file.seek(0)
            return self._file
        spool = tempfile.SpooledTemporaryFile(_SPOOL)  # noqa: SIM115 (closed by the stack)
        self._stack.callback(spool.close)
        for block in self.blocks():
            spool.write(block)
        spool.seek(0)
        return spool  # type: ignore[return-value]

    def local_path(self) -> Path:
        """Return the path of a file with the decompressed content: the file itself, or a copy that goes on closing."""
        if self._local and not self._compression and self._file.seekable():
            return self._local
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="nearfar-"))
        path = Path(folder) / (Path(self.plain_name).name or "input")
        with open(path, "wb") as file:
            for block in self.blocks():
                file.write(block)
        return path

    def error(self, what: str, line: int | None = None) -> FormatError:
        """Return an error that names the file and the line."""
        where = self.name if line is None else f"{self.name}, line {line}"
        return FormatError(f"{where}: {what}", self.name, line)

    def _begin(self) -> None:
        """Refuse to be read twice: a pipe cannot go back."""
        assert not self._begun, "a source is read once"
        self._begun = True

    def _next(self) -> bytes:
        """Return the next block, or nothing at the end."""
        with self._guard():
            return self._stream.read(BLOCK)

    def _unzip(self) -> None:
        """Open the one file of a .zip; other formats that are .zip inside (.npz) go by other names."""
        if self._compression or not self.plain_name.endswith(".zip") or not self._stream.peek(4).startswith(b"PK"):
            return
        import zipfile

        with self._guard():
            archive = self._stack.enter_context(zipfile.ZipFile(io.BytesIO(self._stream.read())))
            files = [entry for entry in archive.namelist() if not entry.endswith("/")]
            if len(files) != 1:
                raise self.error(f"the archive holds {len(files)} files, but one graph is needed. Unpack it first.")
            self._stream = self._stack.enter_context(archive.open(files[0]))
        self.plain_name = self.plain_name.removesuffix(".zip")
        self._compression = Compression(".zip", b"PK", lambda file: file, lambda file: file)

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Turn errors of reading and decompressing into ours."""
        try:
            yield
        except NearfarError:
            raise
        except Exception as error:
            if is_damage(error) or type(error).__name__ in ("BadZipFile", "NotImplementedError", "RuntimeError"):
                kind = self._compression.ending if self._compression else "compressed"
                raise self.error(
                    f"the {kind} data is damaged or cut off ({error}). Fetch the file again; nothing was read."
                ) from error
            if isinstance(error, OSError):
                raise cannot_read(self.name, error) from error
            raise


class Sink:
    """An open file to write a graph to."""

    def __init__(self, name: str, file: IO[bytes]) -> None:
        self.name, self._file = name, file
        self.ending = os.path.splitext(without_ending(name))[1]

    def write(self, data: Any) -> None:
        """Write some bytes."""
        self._file.write(data)

    def file(self) -> IO[bytes]:
        """Return the file itself."""
        return self._file

    def error(self, what: str) -> FileError:
        """Return an error that names the file."""
        return FileError(f"{self.name}: {what}")


@contextmanager
def open_sink(path: Any) -> Iterator[Sink]:
    """Give a sink at ``path``, compressed as its ending says."""
    name, _ = _names_of(path)
    with ExitStack() as stack:
        if hasattr(path, "write"):
            file: Any = path
        elif name == "standard input":
            name, file = "standard output", _bytes_of(sys.stdout, "standard output")
            stack.callback(file.flush)
        elif _URL.match(name):
            file = stack.enter_context(_fsspec(name).open(name, "wb"))
        else:
            file = stack.enter_context(whole_file(path))
        try:
            if kind := by_name(name):
                with kind.writer(file) as packed:
                    yield Sink(name, packed)
            else:
                yield Sink(name, file)
        except OSError as error:
            if isinstance(error, NearfarError | BrokenPipeError):
                raise
            raise cannot_write(name, error) from error


class _Counter(io.RawIOBase):
    """Count the bytes that are read from a file."""

    def __init__(self, file: Any) -> None:
        self._file, self.count = file, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read1(len(buffer)) if hasattr(self._file, "read1") else self._file.read(len(buffer))
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)


def _names_of(path: Any) -> tuple[str, str]:
    """Return what to call a place in messages, and the name that its format is guessed from."""
    if isinstance(path, str | os.PathLike) and not isinstance(name := os.fspath(path), bytes):
        if name == "-":
            return "standard input", ""
        return name, without_ending(name)
    if hasattr(path, "read") or hasattr(path, "write"):
        name = getattr(path, "name", None)
        return (name, without_ending(name)) if isinstance(name, str) else ("the open file", "")
    raise InputTypeError(f"path is a {type(path).__name__}; give a str, a Path, '-' or an open binary file.")


def _open(path: Any, name: str, stack: ExitStack) -> Any:
    """Open a place for reading, to be closed by the stack."""
    if hasattr(path, "read"):
        if isinstance(path, io.TextIOBase):
            raise InputTypeError(f"{name} is open as text; open it in binary mode, 'rb', or give its name.")
        return path
    if name == "standard input":
        return _bytes_of(sys.stdin, name)
    if _URL.match(name):
        try:
            return stack.enter_context(_fsspec(name).open(name, "rb"))
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


def _bytes_of(stream: Any, name: str) -> Any:
    """Return standard input or output as a binary file; some surroundings, such as notebooks, have only text."""
    if not hasattr(stream, "buffer"):
        raise FileError(f"{name} takes no bytes here. Give the name of a file, or an open binary file.")
    return stream.buffer


def _fsspec(name: str) -> Any:
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


def _fill(stream: Any, size: int) -> bytes:
    """Read until there are ``size`` bytes or no more."""
    parts, missing = [], size
    while missing and (part := stream.read(missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _ahead(read: Callable[[], bytes]) -> Iterator[bytes]:
    """Yield what ``read`` gives, read on another thread while the caller works on the block before."""
    slots: queue.Queue[Any] = queue.Queue(2)
    stop = threading.Event()

    def work() -> None:
        item: Any = b"."
        while item and not isinstance(item, BaseException) and not stop.is_set():
            try:
                item = read()
            except BaseException as error:  # handed over, and raised where it is waited for
                item = error
            slots.put(item)

    # A daemon, so that a pipe which never ends does not keep a stopped program alive.
    threading.Thread(target=work, name="nearfar-read", daemon=True).start()
    try:
        while item := slots.get():
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        with suppress(queue.Empty):
            while True:
                slots.get_nowait()  # makes room, so that the thread sees the stop
