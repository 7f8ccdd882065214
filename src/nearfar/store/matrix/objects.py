"""Stores that are not folders of this machine: what fsspec and obstore reach.

Object stores have no rename, and need none: an object appears whole. They have no locks either.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ...errors import FileError, MissingFileError


class Objects:
    """A folder of an fsspec file system: object stores, memory, other machines."""

    is_local = False

    def __init__(self, system: Any, root: str, name: str) -> None:
        self.system, self.root, self.name = system, root.rstrip("/"), name

    def _try(self, name: str, action: Callable[[str], Any]) -> Any:
        """Do something with a file; its errors become ours."""
        path = f"{self.root}/{name}" if name else self.root
        try:
            return action(path)
        except FileNotFoundError:
            raise MissingFileError(f"there is no file {self.name}/{name}.") from None
        except Exception as error:  # every file system has errors of its own
            raise FileError(f"{self.name}/{name}: {type(error).__name__}: {error}.") from error

    def read(self, name: str) -> bytes:
        """Return the bytes of an object."""
        return bytes(self._try(name, self.system.cat_file))

    def write(self, name: str, data: bytes) -> None:
        """Put a whole object."""

        def put(path: str) -> None:
            if hasattr(self.system, "makedirs"):
                self.system.makedirs(path.rpartition("/")[0], exist_ok=True)
            self.system.pipe_file(path, data)

        self._try(name, put)

    def size_of(self, name: str) -> int | None:
        """Return the bytes of an object; None if there is none."""
        try:
            return int(self._try(name, self.system.info)["size"])
        except MissingFileError:
            return None

    def tail(self, name: str, count: int) -> bytes:
        """Return the last bytes of an object."""
        return bytes(self._try(name, lambda path: self.system.cat_file(path, start=-count)))

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the names of the objects in a folder, and their bytes."""

        def entries(path: str) -> dict[str, int]:
            self.system.invalidate_cache()
            found = self.system.ls(path, detail=True)
            files = [entry for entry in found if entry["type"] == "file"]
            return {entry["name"].rpartition("/")[2]: int(entry["size"]) for entry in files}

        try:
            found: dict[str, int] = self._try(folder, entries)
        except MissingFileError:
            return {}
        return found

    def remove(self, name: str) -> None:
        """Remove an object, if it is there."""
        with suppress(MissingFileError):
            self._try(name, self.system.rm_file)

    def free_bytes(self) -> int | None:
        """Nobody knows how much room there is."""
        return None


class Bucket:
    """A store of obstore: S3, Google Cloud, Azure, memory."""

    is_local = False

    def __init__(self, store: Any) -> None:
        self.store, self.name = store, f"{type(store).__name__}({getattr(store, 'prefix', None) or ''})"

    def _try(self, name: str, action: Callable[[str], Any]) -> Any:
        """Do something with an object; its errors become ours."""
        try:
            return action(name)
        except FileNotFoundError:
            raise MissingFileError(f"there is no object {name} in {self.name}.") from None
        except Exception as error:  # every cloud has errors of its own
            raise FileError(f"{name} in {self.name}: {type(error).__name__}: {error}.") from error

    def read(self, name: str) -> bytes:
        """Return the bytes of an object."""
        return bytes(self._try(name, lambda path: self.store.get(path).bytes()))

    def write(self, name: str, data: bytes) -> None:
        """Put a whole object."""
        self._try(name, lambda path: self.store.put(path, data))

    def size_of(self, name: str) -> int | None:
        """Return the bytes of an object; None if there is none."""
        try:
            return int(self._try(name, self.store.head)["size"])
        except MissingFileError:
            return None

    def tail(self, name: str, count: int) -> bytes:
        """Return the last bytes of an object."""
        size = self.size_of(name) or 0
        if not size:
            return b""
        low = max(0, size - count)
        return bytes(self._try(name, lambda path: self.store.get_range(path, start=low, end=size)))

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the names of the objects in a folder, and their bytes."""
        found = self._try(folder, self.store.list_with_delimiter)
        return {entry["path"].rpartition("/")[2]: int(entry["size"]) for entry in found["objects"]}

    def remove(self, name: str) -> None:
        """Remove an object, if it is there."""
        with suppress(MissingFileError):
            self._try(name, self.store.delete)

    def free_bytes(self) -> int | None:
        """Nobody knows how much room there is."""
        return None
