"""Who writes to a store: one process, or several that share its blocks, each of which claims the blocks it computes.

A lock is a range of bytes of one file, which the operating system frees when the process ends, however it ends. One
process alone holds all bytes. Processes that share hold byte 0 while they look at the store, and one byte per block
that they compute. Object stores have no locks: there nobody is refused.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

from ...errors import FileError, StoreError, option
from .places import ASIDE, Folder, Place

PATIENCE = 10.0  # seconds that a process which shares waits for others to look at the store
PAUSE = 0.05  # seconds between two looks
ALL = 1 << 40  # bytes from byte 0 on: more than there are blocks

_held: set[str] = set()  # stores that this process writes: locks of files do not tell its threads apart
_guard = threading.Lock()


class Writers:
    """The locks of one process on a store.

    Parameters
    ----------
    place : Place
    shared : bool
        Whether other processes may compute blocks, too.
    """

    def __init__(self, place: Place, shared: bool) -> None:
        self.place, self.shared = place, shared
        self._file: int | None = None
        self._key = os.path.realpath(place.name) if place.is_local else place.name

    def __enter__(self) -> Writers:
        with _guard:
            if self._key in _held:
                raise self._refusal("another call of this process")
            _held.add(self._key)
        try:
            if isinstance(self.place, Folder):
                self._file = self._open(self.place.path / ASIDE)
                self._take()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *failure: object) -> None:
        if self._file is not None:
            os.close(self._file)  # which frees all locks
            self._file = None
        with _guard:
            _held.discard(self._key)

    def _open(self, folder: Path) -> int:
        """Open the file whose bytes are locked."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise FileError(
                f"{self.place.name} cannot be written: {error.strerror or error}. Name a folder that can be written."
            ) from error

    def _take(self) -> None:
        """Lock all bytes, or, to share, byte 0."""
        end = time.monotonic() + (PATIENCE if self.shared else 0)
        while not _lock(self._file, 0, 1 if self.shared else ALL):
            if time.monotonic() > end:
                raise self._refusal("another process")
            time.sleep(PAUSE)

    def _refusal(self, who: str) -> StoreError:
        """Return the error for a store that somebody else writes."""
        way = "which does not share it" if self.shared else f"If both pass {option('join', True)}, they share the work"
        return StoreError(
            f"{self.place.name} is being written by {who}{', ' + way if self.shared else ''}. Wait until it has ended"
            f"{'' if self.shared else '. ' + way}."
        )

    def looked(self) -> None:
        """Let other processes look at the store, if they share it."""
        if self.shared and self._file is not None:
            _unlock(self._file, 0, 1)

    def claim(self, block: int) -> bool:
        """Claim a block; return whether nobody else computes it."""
        return not self.shared or self._file is None or _lock(self._file, 1 + block, 1)

    def release(self, block: int) -> None:
        """Give a block back, computed or not."""
        if self.shared and self._file is not None:
            _unlock(self._file, 1 + block, 1)


def _lock(file: Any, start: int, length: int) -> bool:
    """Lock some bytes; return whether no other process holds any of them."""
    try:
        if os.name == "posix":
            import fcntl

            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
        else:
            import msvcrt

            os.lseek(file, start, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, min(length, 2**31 - 1))  # type: ignore[attr-defined]
    except OSError:
        return False
    return True


def _unlock(file: Any, start: int, length: int) -> None:
    """Free some bytes."""
    if os.name == "posix":
        import fcntl

        fcntl.lockf(file, fcntl.LOCK_UN, length, start)
    else:
        import msvcrt

        os.lseek(file, start, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, min(length, 2**31 - 1))  # type: ignore[attr-defined]
