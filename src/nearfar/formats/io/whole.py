"""Files that appear as a whole or not at all: written in the same folder under another name, then renamed."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ...errors import FileError, MissingFileError


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """Yield a binary file to write to, which appears at ``path`` when the block ends without an error.

    An existing file stays unchanged until then and keeps its permissions; a device or a pipe is written to directly.

    Examples
    --------
    >>> import tempfile, os
    >>> folder = tempfile.mkdtemp()
    >>> with whole_file(os.path.join(folder, "a.txt")) as file:
    ...     _ = file.write(b"all of it")
    >>> os.listdir(folder)
    ['a.txt']
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    try:
        # not the mode of the target: /dev/stdout may lead to a pipe
        mode = os.stat(path).st_mode if os.path.exists(path) else None
        if mode is not None and stat.S_ISDIR(mode):
            raise IsADirectoryError
        if mode is not None and not stat.S_ISREG(mode):
            with open(path, "wb") as file:
                yield file
            return
        if mode is not None and not os.access(target, os.W_OK):
            raise PermissionError
    except BrokenPipeError:  # the reader has gone, which is no fault of the file
        raise
    except OSError as error:
        raise cannot_write(path, error) from error
    with _beside(path, target, mode) as file:
        yield file


@contextmanager
def _beside(path: str | Path, target: Path, mode: int | None) -> Iterator[IO[bytes]]:
    """Yield a file in the target's folder; rename it to the target, or remove it if anything goes wrong."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
        os.chmod(name, stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
        os.replace(name, target)
    except OSError as error:
        raise (error if isinstance(error, FileError) else cannot_write(path, error)) from error
    finally:
        with suppress(OSError):
            os.unlink(name)


def _umask() -> int:
    """Return the umask: the permissions that new files do not get."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def cannot_write(path: object, error: OSError) -> FileError:
    """Return an error that says why a file cannot be written."""
    folder = Path(str(path)).parent
    if isinstance(error, FileNotFoundError):
        return MissingFileError(f"{path} cannot be written: there is no folder {folder}. Create it first.")
    if isinstance(error, IsADirectoryError):
        return FileError(f"{path} cannot be written: it is a folder. Give the name of a file in it.")
    if isinstance(error, PermissionError):
        return FileError(f"{path} cannot be written: no permission. Write to another folder.")
    return FileError(f"{path} cannot be written: {error.strerror or error}. Nothing was left behind.")
