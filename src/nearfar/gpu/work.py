"""What the engines share: one run on a device, and the arrays of graphs that stay there.

Distances are stored on the device as keys, integers in the same order (kernels/gpu/types.h), so that one atomic
minimum works for every type. The arrays of a graph stay on the device as long as the graph exists, for the next query.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..devices.device import REPORT, Buffer, Device, DeviceKernel
from ..errors import DeviceError, DeviceMemoryError, option
from ..graph import Graph
from ..kernels.gpu.constants import GPU_MOST, GPU_PART, GPU_RUN, GPU_THIN, HOST_PART, HOST_RUN, HOST_THIN
from ..methods.problem import Controls, Problem
from .layout import DeviceLayout
from .tuning import LAUNCH_ARCS, LEAST_SMALL, SMALL_ARCS

if TYPE_CHECKING:
    from .launch_loop import LaunchLoop

CODES = {"i4": 1, "i8": 2, "f4": 3, "f8": 4}  # as in kernels/gpu/types.h
FINISHED, AT_SOURCE, UNDER_WAY, FALLEN, SPENT, FAILED = range(6)  # states of a row, as in the kernels


class Key(NamedTuple):
    """The key of something that a graph keeps on a device."""

    device: str
    what: str
    batch: int = 0  # arcs per batch, for the buffers of batches; 0 for what belongs to all arcs
    context: int = 0  # of the device


_resident: weakref.WeakKeyDictionary[Graph, dict[Key, Any]] = weakref.WeakKeyDictionary()


class GroupSizeError(DeviceError):
    """A kernel that does not run in groups as large as the layout's; a run then begins again with smaller ones."""

    def __init__(self, message: str, most: int) -> None:
        super().__init__(message)
        self.most = most


@dataclass
class Work:
    """One run on one device, with the arguments that all its kernels share."""

    problem: Problem
    controls: Controls
    device: Device
    layout: DeviceLayout
    spare: int = 0  # bytes beyond the layout's that may be used
    tally: Buffer = field(init=False)  # arcs relaxed, by group
    notes: dict[str, int] = field(default_factory=dict)
    _owned: list[Buffer] = field(default_factory=list)
    _later: list[Callable[[], object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        graph, dtype = self.problem.graph, self.problem.dtype
        weight = graph.arcs.dtype["weight"].str[1:] if "weight" in (graph.arcs.dtype.names or ()) else None
        self.key: np.dtype[Any] = np.dtype(np.int32 if dtype.itemsize == 4 else np.int64)
        self.sum = dtype.type if dtype.kind == "f" else np.int64
        self.defines = {
            "DIST": CODES[dtype.str[1:]],
            "WEIGHT": CODES[weight] if weight else 0,
            "OFFSET": CODES[graph.offsets.dtype.str[1:]],
            **tuning(self.device.facts.gpu),
        }
        self.ceiling = self.key.type(np.array([self.problem.ceiling]).astype(dtype).view(self.key)[0])
        self.floor = self.sum(self.problem.floor)
        self.tally = self.zeros(self.layout.groups, np.int64)

    def kernel(self, stem: str, name: str, **defines: int) -> DeviceKernel:
        """Return a kernel for the types of this run."""
        kernel = self.device.kernel(stem, name, {**self.defines, **defines})
        if kernel.most < self.layout.group_size:
            raise GroupSizeError(f"{name} runs in groups of at most {kernel.most} on {self.device.name}", kernel.most)
        return kernel

    def empty(self, count: int, dtype: Any) -> Buffer:
        """Return a buffer that is freed when this run ends; other graphs on the device make room for it if needed."""
        buffer = with_room(lambda: self.device.empty(count, dtype), self.device, self.problem.graph)
        self._owned.append(buffer)
        return buffer

    def upload(self, array: np.ndarray) -> Buffer:
        """Return a buffer with the elements of an array, which is freed when this run ends."""
        buffer: Buffer = with_room(lambda: self.device.upload(array), self.device, self.problem.graph)
        self._owned.append(buffer)
        return buffer

    def close(self) -> None:
        """Free the buffers of this run, even if something still refers to them, as a traceback may."""
        with suppress(DeviceError):  # a device that failed has no copies under way
            self.device.end_copies()
        for buffer in self._owned:
            buffer.free()

    def zeros(self, count: int, dtype: Any) -> Buffer:
        """Return a buffer of zeros."""
        return self.filled(count, dtype, 0)

    def filled(self, count: int, dtype: Any, value: Any) -> Buffer:
        """Return a buffer with one value everywhere."""
        buffer = self.empty(count, dtype)
        self.device.fill(buffer, value)
        return buffer

    def distances(self) -> Buffer:
        """Return a buffer for the rows that are settled at once; a single row is filled as unreached."""
        rows, n = self.layout.rows, self.problem.graph.n
        return self.filled(n, self.key, self.ceiling) if rows == 1 else self.empty(rows * n, self.key)

    def starts(self) -> Buffer:
        """Return the starting distances of a row as keys: one per seed, or a single 0. None is negative."""
        return self.device.upload(self.problem.starts.astype(self.problem.dtype).view(self.key))

    def offsets(self) -> Buffer:
        """Return the graph's offsets on the device."""
        return self.resident("offsets", lambda: self.device.upload(self.problem.graph.offsets))

    def arcs(self) -> Buffer:
        """Return the graph's arcs on the device, as 32-bit words."""
        return self.resident("arcs", lambda: self.device.upload(words_of(self.problem.graph)))

    def resident(self, what: str, make: Callable[[], Any], batch: int = 0) -> Any:
        """Return something of the graph that stays on the device as long as the graph exists; make it if needed.

        ``batch``: arcs per batch, for the buffers of batches.
        """
        kept = _resident.setdefault(self.problem.graph, {})
        key = Key(self.device.name, what, batch, self.device.context)
        if key not in kept:
            kept[key] = with_room(make, self.device, self.problem.graph)
        return kept[key]

    def items(self, count: int) -> tuple[int, int]:
        """Return the number of groups and their size for ``count`` work-items."""
        size = self.layout.group_size
        return max(-(-count // size), 1), size

    @property
    def small(self) -> np.int32:
        """Entries of a list up to which one group works on it alone."""
        graph = self.problem.graph
        return np.int32(max(LEAST_SMALL, SMALL_ARCS * graph.n // max(graph.m, graph.n, 1)))

    def runs(self, arcs: int) -> tuple[int, int]:
        """Return the number of groups and their size for arcs of which each work-item takes several in a row."""
        return self.items(-(-arcs // self.defines["RUN"]))

    @property
    def share(self) -> np.int32:
        """Units (kernels/gpu/lists.cl) that all groups together do in one launch, so that it ends soon."""
        graph, layout = self.problem.graph, self.layout
        arcs = max(layout.group_size * -(-graph.m // max(graph.n, 1)), self.defines["PART"])
        return np.int32(min(max(LAUNCH_ARCS // arcs, layout.groups), GPU_MOST))

    def fetch(self, buffer: Buffer, rows: np.ndarray) -> None:
        """Copy rows to the host and turn their keys into distances."""
        keys = rows.reshape(-1).view(self.key)
        self.device.get(buffer, out=keys, count=keys.size)
        if self.problem.graph.min_weight < 0:
            flip_negatives(rows)

    def begin_fetch(self, buffer: Buffer, rows: np.ndarray) -> Callable[[], None]:
        """Begin to copy rows to the host; return the function that waits for them and turns keys into distances."""
        wait = self.device.fetch(buffer, rows.reshape(-1).view(self.key))

        def finish() -> None:
            wait()
            if self.problem.graph.min_weight < 0:
                flip_negatives(rows)

        return finish

    def later(self, do: Callable[[], object]) -> None:
        """Let meanwhile() call a function: a copy that can overlap the next kernels is begun, or waited for, there."""
        self._later.append(do)

    def meanwhile(self) -> None:
        """Do what was put off until the device has work: called between launching kernels and waiting for them."""
        while self._later:
            self._later.pop(0)()

    def relaxed(self) -> int:
        """Return the arcs relaxed so far."""
        return int(self.device.get(self.tally).sum())


def flip_negatives(rows: np.ndarray) -> None:
    """Turn floats into keys, or keys into floats, in place: the bits of negative floats are in reversed order."""
    if rows.dtype.kind == "f":
        keys: Any = rows.reshape(-1).view(np.int32 if rows.dtype.itemsize == 4 else np.int64)
        np.bitwise_xor(keys, np.iinfo(keys.dtype).max, out=keys, where=keys < 0)


def tuning(is_gpu: bool) -> dict[str, int]:
    """Return where vertices become fat: on a CPU, work-items run one after the other, so none waits for a hub."""
    if is_gpu:
        return {"THIN": GPU_THIN, "PART": GPU_PART, "RUN": GPU_RUN}
    return {"THIN": HOST_THIN, "PART": HOST_PART, "RUN": HOST_RUN}


def arc_spans(offsets: np.ndarray) -> list[tuple[int, int]]:
    """Return ranges of vertices with at most about LAUNCH_ARCS arcs each, for kernels with one work-item per vertex."""
    n = len(offsets) - 1
    inner = np.searchsorted(offsets, np.arange(LAUNCH_ARCS, int(offsets[-1]), LAUNCH_ARCS))
    bounds = [0, *np.unique(inner[(inner > 0) & (inner < n)]).tolist(), n]
    return list(itertools.pairwise(bounds))


def never_ends(work: Work, did: str) -> DeviceError:
    """Return the error for a search that did more than any graph of its size takes: the device computes wrongly."""
    n, title = work.problem.graph.n, work.device.facts.title
    return DeviceError(
        f"a search on {title} did not end within {did}, which is more than any graph of {n:,} vertices takes. {REPORT}"
    )


def words_of(graph: Graph) -> np.ndarray:
    """Return the records of the arcs as 32-bit words, a view of the same memory."""
    return graph.arcs.view(np.int32)


def with_room(make: Callable[[], Any], device: Device, graph: Graph) -> Any:
    """Make something on a device; if it is full, free what other graphs keep there and try once more."""
    try:
        return make()
    except DeviceMemoryError:
        pass  # retried below: in here, the error would keep alive what the first attempt made
    forget_others(device, graph)
    return make()


def forget_others(device: Device, graph: Graph) -> None:
    """Free what other graphs keep on a device that is full; threads of other devices may add entries meanwhile."""
    for other in [other for ref in _resident.keyrefs() if (other := ref()) is not None and other is not graph]:
        kept = _resident.get(other, {})
        for key in [key for key in list(kept) if key.device == device.name]:
            del kept[key]


def forget(graph: Graph, device: str, what: str, is_over: Callable[[Any], bool]) -> None:
    """Free something that a graph keeps on a device, if ``is_over`` says that it is no longer needed."""
    kept = _resident.get(graph, {})
    for key in [key for key in list(kept) if (key.device, key.what) == (device, what)]:
        if is_over(kept[key]):
            kept.pop(key, None)


def make_room(graph: Graph, device: Device, layout: DeviceLayout, needed: tuple[str, ...], spare: int) -> None:
    """Free what a graph keeps on a device for other plans: all arcs, batches of another size, or another method.

    What another method keeps stays if there is ``spare`` memory for it.
    """
    kept = _resident.get(graph, {})
    for key in [key for key in list(kept) if key.device == device.name and key.what != "offsets"]:
        if layout.batches > 1 or key.batch:
            is_wanted = layout.batches > 1 and key.batch == layout.batch
        else:
            is_needed = key.what in needed and key.context == device.context
            spare -= 0 if is_needed else size_of(kept[key])
            is_wanted = is_needed or spare >= 0
        if not is_wanted:
            del kept[key]


def kept_bytes(name: str) -> int:
    """Return the bytes that all graphs keep on a device, which are freed if another graph needs them."""
    graphs = [graph for ref in _resident.keyrefs() if (graph := ref()) is not None]
    kept = [item for graph in graphs for item in list(_resident.get(graph, {}).items())]
    return sum(size_of(part) for key, part in kept if key.device == name)


def is_kept(graph: Graph, device: str) -> bool:
    """Return whether a device has the arcs of a graph already."""
    return Key(device, "arcs") in _resident.get(graph, {})


def size_of(kept: Any) -> int:
    """Return the bytes of a buffer, or of all buffers in a list or dict."""
    if isinstance(kept, dict | list):
        return sum(size_of(part) for part in (kept.values() if isinstance(kept, dict) else kept))
    return kept.nbytes if isinstance(kept, Buffer) else 0


def require_types(device: Device, dtype: np.dtype) -> None:
    """Raise an error for a type of distances that a device cannot handle."""
    facts = device.facts
    narrow = "float32" if dtype.kind == "f" else "int32"
    if dtype.itemsize == 8 and not facts.wide_atomics:
        raise DeviceError(
            f"{facts.title} has no atomic minimum of 64 bits, which {dtype.name} distances need. "
            f"Use {option('device', 'cpu')}, or weights and {option('dtype', narrow)} if they suffice."
        )
    if dtype == np.float64 and not facts.doubles:
        raise DeviceError(
            f"{facts.title} has no float64. Use {option('device', 'cpu')}, or weights and {option('dtype', narrow)}."
        )


class WholeRows:
    """What engines share that write whole rows: nothing to reset, one round, and nothing left to do after it."""

    sources: np.ndarray
    least_rows: int = 1

    def reset(self, rows: int) -> None:
        """Do nothing: whole rows are written."""

    def restart(self) -> None:
        """Do nothing: whole rows are written."""

    def set_sources(self, sources: np.ndarray) -> None:
        """Store the sources of the rows."""
        self.sources = sources

    def first_states(self, rows: int) -> np.ndarray:
        """Return states that leave nothing to do after the first launch."""
        return np.zeros(rows, np.int32)

    def settle(self, loop: LaunchLoop) -> None:
        """Do nothing: start() has settled the row."""
