"""The parts that a worker keeps in memory, loaded by path, and the runs that it is told to end."""

from __future__ import annotations

import os
import socket
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np

from ...errors import ClusterError
from ...formats.folder.document import digest_of
from ...formats.folder.parts import PartsFolder, folder_of, load_part
from ...graph.arrays import Array
from ...graph.parts import Part
from ...version import __version__
from ..recipe import Stopped
from ..spool import require_seen


@dataclass(frozen=True)
class PartPlace:
    """Where a part lies, what it is known by, and how much of its kind a worker may keep.

    Attributes
    ----------
    folder : str
        That of all parts.
    index : int
    fingerprint, digest : str
        Those of the graph, and of the cut.
    nbytes, keep : int
        The bytes of the part, and of all parts that a worker keeps.
    """

    folder: str
    index: int
    fingerprint: str
    digest: str
    nbytes: int
    keep: int
    version: str = __version__

    @property
    def path(self) -> Path:
        """The folder of the part."""
        return Path(self.folder) / folder_of(self.index)

    def check(self) -> None:
        """Refuse a folder that this worker does not see, or in which other parts are now."""
        if self.version != __version__:
            raise ClusterError(
                f"the caller has nearfar {self.version}, a worker {__version__}. Install the same one on all of them."
            )
        require_seen(self.folder)
        folder = PartsFolder(Path(self.folder))
        if digest_of(folder.read_document()) != self.digest:
            raise folder.error("the graph was cut into other parts since it was opened. Open it again.")


class Shelf:
    """The parts that this process keeps; who was used least recently makes room before another one is loaded."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int, str], Part] = OrderedDict()
        self._guard = threading.Lock()  # also while a part is loaded: two at a time would only share the disk

    def get(self, place: PartPlace) -> Part:
        """Return a part, loaded now if it is not there."""
        key = place.folder, place.index, place.digest
        with self._guard:
            if key not in self._kept:
                while self._kept and self._total() + place.nbytes > place.keep:
                    self._kept.popitem(last=False)
                place.check()
                self._kept[key] = load_part(place.path, place.fingerprint)
            self._kept.move_to_end(key)
            return self._kept[key]

    def _total(self) -> int:
        """Return the bytes of the parts that are kept."""
        return sum(part.nbytes for part in self._kept.values())

    @property
    def nbytes(self) -> int:
        """The bytes of the parts that are kept."""
        with self._guard:
            return self._total()

    def forget(self, folder: str) -> None:
        """Let go of the parts in a folder."""
        with self._guard:
            for key in [key for key in self._kept if key[0] == folder]:
                del self._kept[key]


SHELF = Shelf()
_flags: WeakValueDictionary[str, Array] = WeakValueDictionary()  # of the runs for which this process does tasks
_guard = threading.Lock()


def part_at(place: PartPlace) -> Part:
    """Return a part, on a worker."""
    return SHELF.get(place)


def forget_parts(folder: str) -> None:
    """Let go of the parts in a folder, on a worker."""
    SHELF.forget(folder)


def flag_of(run: str) -> Array:
    """Return the flag that ends the searches of a run when it is raised."""
    with _guard:
        flag = _flags.get(run)
        if flag is None:
            flag = _flags[run] = np.zeros(1, np.int64)
        return flag


def stop_run(run: str) -> None:
    """End the tasks of a run that this process does; called beside them."""
    flag = _flags.get(run)
    if flag is not None:
        flag[0] = 1


def require_wanted(flag: Array) -> None:
    """End a task whose caller has gone."""
    if flag[0]:
        raise Stopped


def who() -> str:
    """Return what this process is called in reports."""
    return f"{socket.gethostname()}:{os.getpid()}"
