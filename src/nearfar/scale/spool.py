"""Files for the workers of a cluster: graphs, hierarchies and arrays, written once by the caller, loaded by path.

A stored graph is where it is. Any other graph is written to a temporary folder, on a file system that the workers see,
too; everything there is removed when the cluster is closed, or at the latest when the process ends. A process that is
killed removes nothing: its folder has a file that nobody holds any more, and the next one of this host removes it. A
worker loads what it needs once per process, and keeps the last few.
"""

from __future__ import annotations

import math
import os
import shutil
import socket
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..elimination.file import fingerprint_of, read_hierarchy, write_hierarchy
from ..errors import ClusterError, FileError, in_python
from ..formats.folder import open_graph, write_graph
from ..graph import Graph
from ..graph.stored import StoredGraph

KEPT = 4  # graphs, and as many hierarchies and arrays, that a worker keeps
PREFIX, HELD = "nearfar-spool-", "held"  # folders that are written here, and the file by which each is held


class Place(NamedTuple):
    """Where a graph lies, and what it is known by."""

    path: str
    fingerprint: bytes


class Passing(str):
    """The path of a file that is removed when nobody in this process refers to this object any more."""

    def __new__(cls, path: str) -> Passing:
        """Take over a file, or a folder."""
        made = super().__new__(cls, path)
        weakref.finalize(made, _remove_path, str(path)).atexit = False  # its folder goes then
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)  # for workers it is a path


def _remove_path(path: str) -> None:
    """Remove a file or a folder, if it is there."""
    if os.path.isdir(path):
        shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        os.unlink(path)


class Spool:
    """The files that one caller has written for workers.

    Parameters
    ----------
    folder : str
        Where a folder for them is made when the first one is written.

    Attributes
    ----------
    path : str or None
        That folder, if something was written.
    """

    def __init__(self, folder: str) -> None:
        self.folder = os.path.abspath(folder)
        self.path: str | None = None
        self._known: dict[int, tuple[Any, Any]] = {}  # by the identity of what was written: itself, weakly; its place
        self._lasting: list[Any] = []  # places whose files stay until the end
        self._guard = threading.Lock()
        self._count = 0
        self._removing: Any = None

    def close(self) -> None:
        """Remove all files."""
        with self._guard:
            if self._removing is not None:
                self._removing()
            self.path = self._removing = None
            self._known.clear()
            self._lasting.clear()

    def graph(self, graph: Graph, backwards: bool = False, passing: bool = False) -> Place:
        """Return where a graph lies; write it if it is in memory.

        ``backwards``: the reversed graph is needed, too. ``passing``: what is written may go when the graph and what is
        returned are gone; otherwise it stays until the end.
        """
        if isinstance(graph, StoredGraph):
            return Place(os.fspath(graph.path), graph.fingerprint)
        back = backwards and not graph.undirected

        def write() -> Place:
            path = Passing(self._new("graph", ".nearfar"))
            write_graph(graph, path, reversed=back)
            return Place(path, fingerprint_of(graph).tobytes())

        return self._once((graph, back), write, passing)

    def hierarchy(self, graph: Graph, hierarchy: Any, passing: bool = False) -> str:
        """Return where the hierarchy of a graph lies; write it. ``passing`` as for `graph`."""

        def write() -> str:
            path = Passing(self._new("hierarchy", ".npz"))
            write_hierarchy(graph, hierarchy, path)
            return path

        return self._once((hierarchy, False), write, passing)

    def array(self, values: np.ndarray, passing: bool = False) -> str:
        """Write an array that tasks read; return where it lies. ``passing`` as for `graph`."""
        with self._guard:
            path = self._new("array", ".npy")
            np.save(path, values)
            return Passing(path) if passing else path

    def folder_for(self, what: str) -> str:
        """Make a folder in which workers write; return where it is."""
        with self._guard:
            path = self._new(what, "")
            os.mkdir(path)
            return path

    def _once(self, what: tuple[Any, bool], write: Callable[[], Any], passing: bool) -> Any:
        """Return where something was written; write it the first time."""
        thing, more = what
        with self._guard:
            key = 2 * id(thing) + more
            known = self._known.get(key)
            if known is None or known[0]() is not thing:
                known = self._known[key] = weakref.ref(thing, lambda gone: self._forget(key, gone)), write()
            if not passing and known[1] not in self._lasting:
                self._lasting.append(known[1])
            return known[1]

    def _forget(self, key: int, gone: Any) -> None:
        """Let go of the place of something that is gone; called at any moment, so without the guard."""
        known = self._known.get(key)
        if known is not None and known[0] is gone:
            del self._known[key]

    def _new(self, what: str, ending: str) -> str:
        """Return the name of a new file."""
        if self.path is None:
            try:
                remove_left(self.folder)
                self.path = tempfile.mkdtemp(prefix=PREFIX, dir=self.folder)
                held = _hold(self.path)
            except OSError as error:
                raise FileError(
                    f"{self.folder} cannot be written: {error.strerror or error}. Graphs for the workers are written "
                    f"there{in_python(': name another folder, nearfar.connect(client, spool=...)')}."
                ) from error
            self._removing = weakref.finalize(self, _remove, self.path, held)
        self._count += 1
        return os.path.join(self.path, f"{what}-{self._count}{ending}")


def _hold(folder: str) -> int:
    """Hold a folder until this process ends, however it does; return the open file."""
    name = os.path.join(folder, HELD)
    file = os.open(name + ".new", os.O_CREAT | os.O_RDWR, 0o600)
    os.write(file, socket.gethostname().encode())
    _try_lock(file)
    os.rename(name + ".new", name)  # a folder that has this file was held from the beginning
    return file


def _try_lock(file: int) -> bool:
    """Lock an open file unless somebody else has; Windows has no such locks."""
    if os.name != "posix":
        return False
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove(folder: str, held: int) -> None:
    """Remove a folder, and let it go."""
    shutil.rmtree(folder, ignore_errors=True)
    os.close(held)


def remove_left(folder: str) -> None:
    """Remove what processes of this host left behind that were killed."""
    for made in Path(folder).glob(PREFIX + "*"):
        with suppress(OSError):  # somebody else's, or removed just now
            file = os.open(made / HELD, os.O_RDWR)
            try:
                if os.read(file, 1 << 10) == socket.gethostname().encode() and _try_lock(file):
                    shutil.rmtree(made, ignore_errors=True)
            finally:
                os.close(file)


class Kept:
    """What a process loaded last, by path; each is loaded once, whichever threads want it."""

    def __init__(self) -> None:
        self._things: OrderedDict[Any, Any] = OrderedDict()
        self._locks: dict[Any, threading.Lock] = {}
        self._guard = threading.Lock()

    def items(self) -> list[tuple[Any, Any]]:
        """Return what is kept."""
        with self._guard:
            return list(self._things.items())

    def get(self, key: Any, load: Callable[[], Any], room: float = math.inf) -> Any:
        """Return something, loaded now if it is not there; what is left of ``room`` bytes may be kept beside it."""
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            with self._guard:
                if key in self._things:
                    self._things.move_to_end(key)
                    return self._things[key]
                for other in [other for other in self._things if not os.path.exists(other[0])]:
                    del self._things[other]  # its caller has gone
                    self._locks.pop(other, None)
                while len(self._things) >= KEPT or sum(size_of(thing) for thing in self._things.values()) > room:
                    self._locks.pop(self._things.popitem(last=False)[0], None)
            found = load()
            with self._guard:
                self._things[key] = found
            return found


def size_of(thing: Any) -> int:
    """Return the bytes of something that is kept."""
    return int(thing.arc_bytes if isinstance(thing, Graph) else getattr(thing, "nbytes", 0))


_graphs, _hierarchies, _arrays = Kept(), Kept(), Kept()


def graph_at(place: Place, room: float = math.inf) -> Graph:
    """Return the graph at a place, on a worker; others may be kept that take no more than ``room`` bytes."""

    def load() -> Graph:
        require_seen(place.path)
        found = open_graph(place.path)
        if found.fingerprint != place.fingerprint:
            raise ClusterError(
                f"{place.path} is another graph on {socket.gethostname()}. Open the graph again, and repeat the call."
            )
        return found

    graph: Graph = _graphs.get((str(place.path), place.fingerprint), load, room)
    return graph


def hierarchy_at(path: str, graph: Graph, room: float = math.inf) -> Any:
    """Return the hierarchy of a graph from a file, on a worker; ``room`` as in `graph_at`."""

    def load() -> Any:
        require_seen(path)
        return read_hierarchy(graph, path)[0]

    return _hierarchies.get((str(path),), load, room)


def array_at(path: str, room: float = math.inf) -> np.ndarray:
    """Return an array from a file, on a worker; ``room`` as in `graph_at`."""

    def load() -> np.ndarray:
        require_seen(path)
        found: np.ndarray = np.load(path)
        return found

    array: np.ndarray = _arrays.get((str(path),), load, room)
    return array


def mapped_at(path: str) -> np.ndarray:
    """Return an array of a file of which a task reads a part, on a worker."""
    require_seen(path)
    found: np.ndarray = np.load(path, mmap_mode="r")
    return found


def require_seen(path: str) -> None:
    """Refuse a path that this worker does not see."""
    if not Path(path).exists():
        raise ClusterError(
            f"the worker on {socket.gethostname()} does not see {path}. Workers open graphs by path, so this folder "
            "must be on a file system that all of them share"
            + in_python(
                ": store the graph there and use Graph.open, or name such a folder, nearfar.connect(client, spool=...)"
            )
            + "."
        )
