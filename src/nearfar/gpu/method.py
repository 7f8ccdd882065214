"""What a method is to GPUs: the record of the table GPU_METHODS, and the engine that it makes for each run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .layout import Sizes

if TYPE_CHECKING:
    from ..devices.device import Buffer
    from ..graph import Graph
    from .arc_batches import ArcBatches, Window
    from .launch_loop import LaunchLoop
    from .work import Work


class Engine(Protocol):
    """What drives a method's kernels for one run on one device: one row by all groups, or one row per group."""

    dist: Buffer  # the rows that are settled at once, as keys
    least_rows: int  # rows are handed out in multiples of it

    def start(self, seeds: np.ndarray) -> None:
        """Put the seeds of the only row at distance 0."""

    def settle(self, loop: LaunchLoop) -> Any:
        """Settle the only row with all groups."""

    def reset(self, rows: int) -> None:
        """Make so many rows unreached."""

    def place(self, sources: np.ndarray) -> None:
        """Take note of the sources of the next rows, one each."""

    @property
    def row_rounds(self) -> int:
        """Rounds of a row in one launch, so that it ends soon."""

    def first_states(self, rows: int) -> np.ndarray:
        """Return the states that rows begin in (gpu/work.py)."""

    def run_rows(self, sources: Buffer, states: Buffer, rows: int, budget: int, window: Window | None) -> None:
        """Let every group settle its share of the rows, for so many rounds at most."""


class BatchedEngine(Engine, Protocol):
    """An engine that also takes arcs in batches."""

    waiting: Buffer  # for every row and batch, the last step that changed a vertex with arcs there

    def begin(self, seeds: np.ndarray, window: Window, apart: bool) -> None:
        """Put seeds at distance 0, of one row or one row each, and note which batches they wait for."""

    def settle_few(self, batches: ArcBatches) -> bool:
        """Relax what is pending in all batches at once, if it is little; return whether it was."""

    def settle_window(self, loop: LaunchLoop, batches: ArcBatches, window: Window) -> None:
        """Relax the arcs of one batch until nothing changes, or for some rounds."""


@dataclass(frozen=True)
class GpuMethod:
    """One line of the table GPU_METHODS: what drives the kernels, and what they need beside arcs and distances."""

    engine: Callable[[Work], Any]  # makes the Engine of a run; a BatchedEngine where arcs may come in batches
    scratch: int = 0  # bytes for each vertex and group
    lists: int = 0  # lists with room for fat vertices (kernels/gpu/lists.cl)
    vertex_offsets: int = 0  # further arrays of the size of the offsets
    arc_bytes: int = 0  # for each arc, beside its record
    matrices: int = 0  # of n x n distances that it keeps on the device
    streams: bool = False  # whether arcs may come in batches
    keeps: tuple[str, ...] = ()  # what it keeps on the device beside offsets and arcs

    def sizes(self, graph: Graph, rows: int, dtype: np.dtype) -> Sizes:
        """Return what the layout on a device depends on."""
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
        )
