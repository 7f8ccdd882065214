"""Who writes to a store: one process, or several that share its blocks, each of which claims the blocks it computes.

A lock is a range of bytes of one file, which the operating system frees when the process ends, however it ends. One
process alone holds all bytes. Processes that share hold byte 0 while they look at the store, one byte that says that
they are there, and one byte per block that they compute. Object stores have no locks: there nobody is refused.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from pathlib import Path
from typing import Any

from ...errors import FileError, StoreError, option
from .places import ASIDE, Folder, Place, make_folder

PATIENCE = 10.0  # seconds that a process which shares waits for one that does not
PAUSE = 0.05  # seconds between two looks
ALL = 1 << 40  # bytes from byte 0 on: more than there are blocks
OWN = 1  # the byte that only a process which does not share holds
PRESENT, MOST = 2, 1 << 12  # the first of the bytes of which each process that shares holds one, and how many these are
BLOCKS = PRESENT + MOST  # the byte of block 0
BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # what systems answer if another process holds a byte

_held: set[str] = set()  # stores that this process writes: locks of files do not tell its threads apart
_guard = threading.Lock()
_moving = threading.Lock()  # Windows locks from where the file is, which threads of this process move


class Writers:
    """The locks of one process on a store.

    Parameters
    ----------
    place : Place
    shared : bool
        Whether other processes may compute blocks, too.

    Attributes
    ----------
    alone : bool
        Whether no other process wrote to the store when this one began.
    """

    def __init__(self, place: Place, shared: bool) -> None:
        self.place, self.shared, self.alone = place, shared, True
        self._file: int | None = None
        self._key = os.path.realpath(place.path) if isinstance(place, Folder) else place.name

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
            make_folder(folder)
            return os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise FileError(
                f"{self.place.name} cannot be written: {error.strerror or error}. Name a folder that can be written."
            ) from error

    def _take(self) -> None:
        """Lock all bytes, or, to share, byte 0 and one that says that this process is there."""
        if not self.shared:
            if not self._lock(0, ALL):
                raise self._refusal("another process")
            return
        end = time.monotonic() + PATIENCE
        while not self._lock(0, 1):
            if time.monotonic() > end and not self._is_free(OWN, 1):
                raise self._refusal("another process")
            time.sleep(PAUSE)
        self.alone = self._is_free(PRESENT, MOST)
        if not any(self._lock(PRESENT + i, 1) for i in range(MOST)):
            raise self._refusal(f"{MOST:,} processes")

    def _lock(self, start: int, length: int) -> bool:
        """Lock some bytes; return whether no other process holds any of them."""
        try:
            return _lock(self._file, start, length)
        except OSError as error:
            raise FileError(
                f"{self.place.name} cannot be locked: {error.strerror or error}. Name a folder on a file system that "
                "has locks."
            ) from error

    def _is_free(self, start: int, length: int) -> bool:
        """Tell whether no other process holds any of some bytes."""
        free = self._lock(start, length)
        if free:
            _unlock(self._file, start, length)
        return free

    def require_alone(self) -> None:
        """Refuse to begin a store anew to which others write: their blocks would be taken for those of the new one."""
        if not self.alone:
            raise StoreError(
                f"{self.place.name} is being written by other processes, so it cannot be begun anew. Wait until they "
                f"have ended, or share their work: pass {option('join', True)} alone."
            )

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
        return not self.shared or self._file is None or self._lock(BLOCKS + block, 1)

    def release(self, block: int) -> None:
        """Give a block back, computed or not."""
        if self.shared and self._file is not None:
            _unlock(self._file, BLOCKS + block, 1)


def _lock(file: Any, start: int, length: int) -> bool:
    """Lock some bytes; return whether no other process holds any of them."""
    try:
        if os.name == "posix":
            import fcntl

            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
        else:
            import msvcrt

            with _moving:
                os.lseek(file, start, os.SEEK_SET)
                msvcrt.locking(file, msvcrt.LK_NBLCK, min(length, 2**31 - 1))  # type: ignore[attr-defined]
    except OSError as error:
        if error.errno in BUSY:
            return False
        raise
    return True


def _unlock(file: Any, start: int, length: int) -> None:
    """Free some bytes."""
    if os.name == "posix":
        import fcntl

        fcntl.lockf(file, fcntl.LOCK_UN, length, start)
    else:
        import msvcrt

        with _moving:
            os.lseek(file, start, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_UNLCK, min(length, 2**31 - 1))  # type: ignore[attr-defined]
