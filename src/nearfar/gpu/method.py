"""What a method has to offer on GPUs: its record in the table GPU_METHODS, and the engine that it makes per run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

import numpy as np

from .layout import Sizes

if TYPE_CHECKING:
    from ..devices.device import Buffer
    from ..graph import Graph
    from .arc_batches import ArcBatches, Window
    from .launch_loop import LaunchLoop
    from .work import Work


class Budget(NamedTuple):
    """What a launch of rows may do, so that it ends soon and a negative cycle is found."""

    rounds: int  # of a row
    units: int  # of a group (kernels/gpu/lists.cl)


class Engine(Protocol):
    """Launches the kernels of a method in one run on one device: one row by all groups, or one row per group."""

    dist: Buffer  # the rows that are settled at once, as keys
    least_rows: int  # rows are handed out in multiples of this

    def start(self, seeds: np.ndarray) -> None:
        """Put the seeds of a single row at their starting distances; a method that writes whole rows settles it."""

    def settle(self, loop: LaunchLoop) -> None:
        """Settle a single row with all groups."""

    def restart(self) -> None:
        """Make ready for another single row, as a new engine is; only where all groups share a row."""

    def reset(self, rows: int) -> None:
        """Fill the first ``rows`` rows as unreached."""

    def set_sources(self, sources: np.ndarray) -> None:
        """Take the sources of the next rows, one per row."""

    def first_states(self, rows: int) -> np.ndarray:
        """Return the states in which rows begin (gpu/work.py)."""

    def run_rows(self, sources: Buffer, states: Buffer, rows: int, budget: Budget, window: Window | None) -> int:
        """Continue ``rows`` rows, one per group at a time; return the rounds that those UNDER_WAY have run."""


class BatchedEngine(Engine, Protocol):
    """An engine that can also work on arc batches."""

    waiting: Buffer  # per row and batch, the last step that changed a vertex with arcs there

    def begin(self, seeds: np.ndarray, window: Window, apart: bool) -> None:
        """Put the seeds of one row where they start, or (``apart``) one source per row at 0; note their batches."""

    def settle_few(self, batches: ArcBatches) -> bool:
        """Relax the pending arcs of all batches at once, if they are few; return whether they were."""

    def settle_window(self, loop: LaunchLoop, batches: ArcBatches, window: Window) -> None:
        """Relax the arcs of one batch until nothing changes, or for a limited number of rounds."""


@dataclass(frozen=True)
class GpuMethod:
    """One record of the table GPU_METHODS: the engine, and the memory that it needs beside arcs and distances."""

    engine: Callable[[Work], Engine]  # makes the engine of a run
    scratch: int = 0  # bytes per vertex and group
    lists: int = 0  # lists per group, with room for fat vertices (kernels/gpu/lists.cl)
    vertex_offsets: int = 0  # further arrays of the size of the offsets
    arc_bytes: int = 0  # bytes per arc, beside its record
    matrices: int = 0  # n x n matrices of distances on the device
    wide: str = ""  # what all groups share of a row: "lists" of vertices or all "arcs"; empty: rows are not shared
    keeps: tuple[str, ...] = ()  # what stays on the device with the graph, beside offsets and arcs

    streams: ClassVar[bool] = False  # whether it can work on arc batches

    def sizes(self, graph: Graph, rows: int, dtype: np.dtype) -> Sizes:
        """Return the sizes that the DeviceLayout depends on."""
        offset = graph.offsets.dtype.itemsize
        return Sizes(
            n=graph.n,
            m=graph.m,
            rows=rows,
            arc=graph.arcs.dtype.itemsize,
            offset=offset,
            key=dtype.itemsize,
            vertex_extra=self.vertex_offsets * offset + self.matrices * graph.n * dtype.itemsize,
            arc_extra=self.arc_bytes,
            scratch=self.scratch,
            list_copies=self.lists,
            streams=self.streams,
            result=dtype.itemsize,
        )


@dataclass(frozen=True)
class StreamingMethod(GpuMethod):
    """The record of a method that can also work on arc batches."""

    engine: Callable[[Work], BatchedEngine]

    streams: ClassVar[bool] = True
