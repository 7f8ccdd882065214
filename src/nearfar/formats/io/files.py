"""Source and Sink: where bytes come from and go to, whatever the location and the compression.

A Source is a local file, standard input, an open binary file or a URL. Compressed content is decompressed by a separate
thread, ahead of the parser. A Sink is the same for writing; a file appears as a whole or not at all.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from ...errors import FileError, FormatError, InputTypeError, NearfarError
from .ahead import ReadAhead
from .compression import ZIP, Compression, by_content, by_name, is_damage, is_zip, without_ending
from .locations import Counted, Watched, bytes_of, cannot_read, is_url, load_fsspec, names_of, open_location
from .whole import cannot_write, whole_file

# Bytes that are read at a time. New York's 14 MB, not compressed, 1 thread: 64 kB 69 ms, 256 kB 55, 1 MB 57, 4 MB 62.
BLOCK = 1 << 20

HEAD = 1 << 16  # bytes from which formats are recognised
_SPOOL = 1 << 26  # decompressed bytes kept in memory for readers that must seek; more goes to a temporary file


class Source:
    """An open file to read a graph from; a context manager."""

    def __init__(self, path: Any, watch: Callable[[int, int | None], None] | None = None) -> None:
        self.name, self.plain_name = names_of(path)
        self._watch = watch
        self._compression: Compression | None = None
        self._stack = ExitStack()
        self._file = open_location(path, self.name, self._stack)
        self._local = Path(path) if isinstance(path, str | os.PathLike) and self.name == os.fspath(path) else None
        self._begun = False
        try:
            self._counter = Counted(self._file, self.name)
            self._decompress(io.BufferedReader(self._counter, HEAD))
        except BaseException:
            self._stack.close()
            raise

    def _decompress(self, raw: io.BufferedReader) -> None:
        """Open the decompressed content, and read its beginning."""
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
        """The size of the file in bytes, as stored, or None if it is unknown."""
        try:
            return os.fstat(self._file.fileno()).st_size or None
        except (OSError, AttributeError, io.UnsupportedOperation):
            return getattr(self._file, "size", None)

    def tell(self, done: int) -> None:
        """Report how many bytes are read."""
        if self._watch:
            self._watch(done, self.size)

    def head(self) -> bytes:
        """Return the first 64 kB."""
        return self._head

    def blocks(self) -> Iterator[bytes]:
        """Yield the content in blocks, from the beginning; only once."""
        self._begin()
        if self._head:
            yield self._head
        if len(self._head) < HEAD:
            return
        for block in self._ahead() if self._compression else iter(self._next, b""):
            self.tell(self._counter.count)
            yield block

    def _ahead(self) -> Iterator[bytes]:
        """Yield what follows the head, read by a thread that ends at the latest when this source is closed."""
        ahead = ReadAhead(self._next)
        self._stack.callback(ahead.close)
        return iter(ahead)

    def read_all(self) -> bytes:
        """Return the whole content."""
        return b"".join(self.blocks())

    def file(self) -> IO[bytes]:
        """Return a seekable file with the decompressed content."""
        if self._local and not self._compression and self._file.seekable():
            self._begin()
            self._file.seek(0)
            return io.BufferedReader(Watched(self._file, self.tell), BLOCK) if self._watch else self._file
        spool = tempfile.SpooledTemporaryFile(_SPOOL)  # noqa: SIM115 (closed by the stack)
        self._stack.callback(spool.close)
        for block in self.blocks():
            spool.write(block)
        spool.seek(0)
        return spool

    def local_path(self) -> Path:
        """Return the path of a file with the decompressed content: the file itself, or a temporary copy."""
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
        """Check that this source is read only once: a pipe cannot go back."""
        assert not self._begun, "a source is read once"
        self._begun = True

    def _next(self) -> bytes:
        """Return the next block, or nothing at the end."""
        with self._guard():
            return self._stream.read(BLOCK)

    def _unzip(self) -> None:
        """Open the one file of a .zip; a .npz, which is a .zip of arrays, stays as it is."""
        if self._compression or self.plain_name.endswith(".npz") or not is_zip(self._stream.peek(HEAD)):
            return
        import zipfile

        data = io.BytesIO(self._stream.read())
        self._compression = ZIP
        archive = self._stack.enter_context(zipfile.ZipFile(data))
        files = [entry for entry in archive.namelist() if not entry.endswith("/")]
        if len(files) != 1:
            raise self.error(f"the archive holds {len(files)} files, but one is needed. Unpack it, and name one.")
        self._stream = self._stack.enter_context(archive.open(files[0]))
        name = self.plain_name.removesuffix(".zip")
        self.plain_name = name if os.path.splitext(name)[1] else files[0].lower()

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Turn errors of reading and decompressing into our errors."""
        try:
            yield
        except NearfarError:
            raise
        except Exception as error:
            kind = self._compression
            if kind and is_damage(error):
                raise self.error(
                    f"the {kind.ending} data is damaged or cut off ({error}). Fetch the file again; nothing was read."
                ) from error
            if kind is ZIP and isinstance(error, RuntimeError):  # a password, or a compression method that Python lacks
                raise self.error(f"the .zip archive cannot be unpacked here ({error}). Unpack it first.") from error
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
    """Yield a sink at ``path``, compressed as its ending says."""
    name, _ = names_of(path)
    with ExitStack() as stack:
        if hasattr(path, "write"):
            file: Any = _checked(path, name)
        elif name == "standard input":
            name, file = "standard output", bytes_of(sys.stdout, "standard output")
            stack.callback(file.flush)
        elif is_url(name):
            file = stack.enter_context(load_fsspec(name).open(name, "wb"))
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


def _fill(stream: Any, size: int) -> bytes:
    """Read ``size`` bytes, or fewer at the end."""
    parts, missing = [], size
    while missing and (part := stream.read(missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _checked(file: Any, name: str) -> Any:
    """Return an open file after checking that it accepts bytes."""
    try:
        file.write(b"")
    except TypeError as error:
        raise InputTypeError(f"{name} is open as text; open it in binary mode, 'wb', or give its name.") from error
    except (OSError, ValueError) as error:  # open for reading only, or closed
        raise FileError(f"{name} cannot be written: {error}. Open it in binary mode, 'wb'.") from error
    return file
