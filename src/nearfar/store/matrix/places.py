"""Where the files of a store are: a folder of this machine, or anything that fsspec or obstore reaches.

A file is whole or absent. In a folder it is written aside, synced to the disk, renamed, and the folder is synced, so
that not even a power cut leaves half of one. Object stores have no rename: there a whole object appears at once.
"""

from __future__ import annotations

import itertools
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from ...errors import FileError, InputTypeError, MissingDependencyError, MissingFileError
from .objects import Bucket, Objects

ASIDE = "distance/.nearfar"  # inside the array, where no reader of Zarr lists files
FENCE = "fence-"  # how folders there begin through which other processes write


class Place(Protocol):
    """Where the files of one store are. Names are relative, with slashes."""

    name: str  # as the user gave it
    is_local: bool

    def read(self, name: str) -> bytes:
        """Return the bytes of a file; raise MissingFileError if there is none."""

    def write(self, name: str, data: bytes) -> None:
        """Write a file, which appears whole or not at all; one that was there is replaced."""

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the names of the files in a folder, and their bytes; nothing if there is no such folder."""

    def size_of(self, name: str) -> int | None:
        """Return the bytes of a file; None if there is none."""

    def tail(self, name: str, count: int) -> bytes:
        """Return the last bytes of a file."""

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""

    def free_bytes(self) -> int | None:
        """Return how much room is left; None if nobody knows."""


class Folder:
    """A folder of this machine."""

    is_local = True

    def __init__(self, path: Path, aside: str = ASIDE) -> None:
        self.path, self.name = Path(os.path.abspath(path)), str(path)  # where it is, wherever the process goes
        self.aside = aside  # the folder in which files are written before they get their name
        self._numbers, self._mark = itertools.count(), os.urandom(8).hex()

    def read(self, name: str) -> bytes:
        """Return the bytes of a file."""
        try:
            return (self.path / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise MissingFileError(f"there is no file {self.path / name}.") from None
        except OSError as error:
            raise FileError(f"{self.path / name} cannot be read: {error.strerror or error}.") from error

    def write(self, name: str, data: bytes) -> None:
        """Write a file aside, sync it, rename it, and sync its folder."""
        target = self.path / name
        aside = (
            self.path / self.aside / f"{self._mark}-{next(self._numbers)}.part"
        )  # which no other thread or machine has
        try:
            try:
                _write_synced(aside, data)
                make_folder(target.parent)
                os.replace(aside, target)
            finally:
                with suppress(OSError):
                    os.unlink(aside)
            _sync_folder(target.parent)
        except OSError as error:
            raise FileError(
                f"{target} cannot be written: {error.strerror or error}. What was written before is whole. Make room "
                "or mend the disk; then the same call goes on."
            ) from error

    def size_of(self, name: str) -> int | None:
        """Return the bytes of a file; None if there is none."""
        try:
            return (self.path / name).stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise FileError(f"{self.path / name} cannot be read: {error.strerror or error}.") from error

    def tail(self, name: str, count: int) -> bytes:
        """Return the last bytes of a file."""
        try:
            with open(self.path / name, "rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - count))
                return file.read()
        except OSError as error:
            raise FileError(f"{self.path / name} cannot be read: {error.strerror or error}.") from error

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the names of the files in a folder, and their bytes."""
        try:
            with os.scandir(self.path / folder) as entries:
                return {entry.name: entry.stat().st_size for entry in entries if entry.is_file()}
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise FileError(f"{self.path / folder} cannot be read: {error.strerror or error}.") from error

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        try:
            (self.path / name).unlink(missing_ok=True)
        except OSError as error:
            raise FileError(f"{self.path / name} cannot be removed: {error.strerror or error}.") from error

    def sweep(self) -> None:
        """Remove what processes that died left aside."""
        for name in self.sizes(ASIDE):
            if name.endswith(".part"):
                self.remove(f"{ASIDE}/{name}")
        for fence in (self.path / ASIDE).glob(f"{FENCE}*"):
            _remove_fence(fence)

    def fence(self) -> str:
        """Make a folder aside for other processes that write for this one; return its name.

        Without it they can write nothing. So a process that was given up, but wakes up later, does no harm.
        """
        name = f"{ASIDE}/{FENCE}{os.urandom(8).hex()}"
        make_folder(self.path / name)
        return name

    def remove_fence(self, name: str) -> None:
        """Let nobody write through a folder aside any more."""
        _remove_fence(self.path / name)

    def free_bytes(self) -> int | None:
        """Return how much room the disk has."""
        folder = self.path
        while not folder.exists():
            folder = folder.parent
        return shutil.disk_usage(folder).free


def _remove_fence(folder: Path) -> None:
    """Remove a folder aside; first, at once for all who use it, its name."""
    gone = folder.with_name(f"{FENCE}{os.urandom(8).hex()}.gone")
    with suppress(OSError):
        os.replace(folder, gone)
        shutil.rmtree(gone, ignore_errors=True)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, each of which is synced to the disk."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync_folder(folder.parent)


def _write_synced(path: Path, data: bytes) -> None:
    """Write a new file, and wait until the disk has it."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder; Windows has no way to ask for that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_bucket(where: Any) -> bool:
    """Tell whether this is a store of obstore."""
    return type(where).__module__.partition(".")[0] == "obstore" and hasattr(where, "put")


def open_place(where: Any) -> Place:
    """Return the place that a path, an address, a mapper of fsspec or a store of obstore names."""
    if hasattr(where, "fs") and hasattr(where, "root"):  # fsspec.get_mapper
        return _reached(where.fs, where.root, str(where.root))
    if is_bucket(where):
        return Bucket(where)
    if not isinstance(where, str | os.PathLike):
        raise InputTypeError(
            f"the store is a {type(where).__name__}; give the path of a folder, an address such as 's3://...', a "
            "mapper of fsspec, or a store of obstore."
        )
    path = os.fspath(where)
    if "://" not in path:
        return Folder(Path(path))
    try:
        import fsspec
    except ImportError:
        raise MissingDependencyError(
            f"'{path}' needs the package fsspec, which is not installed. Use: pip install 'nearfar[formats]'"
        ) from None
    try:
        system, root = fsspec.core.url_to_fs(path)
    except (ImportError, ValueError) as error:
        raise MissingDependencyError(f"'{path}' cannot be reached: {error}. Install what it needs.") from None
    return _reached(system, root, path)


def _reached(system: Any, root: str, name: str) -> Place:
    """Return the place that fsspec reaches: a folder, if that is on this machine."""
    protocols = (system.protocol,) if isinstance(system.protocol, str) else system.protocol
    return Folder(Path(root)) if "file" in protocols else Objects(system, root, name)
