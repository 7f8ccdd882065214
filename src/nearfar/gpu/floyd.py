"""`floyd` on a GPU: close the matrix of all arcs once, tile by tile, then copy rows out (kernels/gpu/floyd.cl).

The matrix of n x n distances is on the device beside the graph, however few rows a query needs. Launches are short,
and the host waits for them now and then, so that Ctrl-C works.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..devices.device import Buffer
from ..errors import MethodError, option
from ..methods import johnson
from ..methods.floyd import reached_vertices
from ..results.limits import longest_path
from .arc_batches import Window
from .launch_budget import parts_of
from .method import Budget, GpuMethod
from .tuning import LAUNCH_SECONDS
from .work import WholeRows, Work, flip_negatives

STEM = "floyd"
TILES = {4: 64, 8: 32}  # vertices per tile, by the bytes of a distance; as in the kernels
# Tiles in the first launches, before their time is known: 67 million sums, a few milliseconds on a slow GPU; and the
# least and the most of any launch.
FEW_TILES = 256
LEAST_TILES, MOST_TILES = 16, 1 << 20


class Floyd(WholeRows):
    """The matrix of one run, closed when the first rows are needed."""

    def __init__(self, work: Work) -> None:
        self.work, self.n = work, work.problem.graph.n
        self.dist, self.offsets = work.distances(), work.offsets()
        self.least_rows = work.layout.groups
        self.matrix = work.empty(self.n**2, work.key)
        self.met = work.zeros(1, np.int32)
        self.is_closed = self.is_rounded = False
        self.at_once, self.pending, self.waited = FEW_TILES, 0, time.perf_counter()
        self._choose_numbers()

    def _choose_numbers(self) -> None:
        """Choose an infinity that can be added to itself; if there is none, compare sums before they are formed."""
        problem, dtype = self.work.problem, self.work.problem.dtype
        negative, longest, self.careful = problem.graph.min_weight < 0, longest_path(problem.graph), np.int32(0)
        if dtype.kind == "f":
            self.infinity = self.far = dtype.type(np.inf)
            return
        end = np.iinfo(dtype).max
        if negative and longest >= end // 4:
            raise MethodError(
                f"'floyd' cannot add these weights in {dtype.name} on a GPU: paths may sum to {longest:,.0f}. "
                f"Use {option('method', 'frontier')}, or {option('device', 'cpu')}."
            )
        self.careful = np.int32(longest >= end // 2)
        self.infinity = dtype.type(end if self.careful else end // 2)
        self.far = dtype.type(self.infinity // 2 if negative else self.infinity)

    def kernel(self, name: str) -> Any:
        """Return a kernel of this method."""
        return self.work.kernel(STEM, f"floyd_{name}")

    def run_rows(self, sources: Buffer, states: Buffer, rows: int, budget: Budget, window: Window | None) -> int:
        """Write the rows of some sources."""
        self._write(self.sources, sources, apart=True)
        return 1

    def start(self, seeds: np.ndarray) -> None:
        """Write the row of distances from the nearest seed."""
        self._write(seeds, self.work.device.upload(seeds), apart=False)

    def _write(self, seeds: np.ndarray, there: Buffer, apart: bool) -> None:
        """Write rows as keys, after closing the matrix if needed; ``there``: the seeds on the device."""
        if not self.is_closed:
            self._close()
        if self.work.controls.stop[0]:
            return
        if self.is_rounded:
            self._settle_on_host(seeds.reshape(-1, 1) if apart else seeds.reshape(1, -1))
            return
        numbers = (np.int32(len(seeds)), np.int32(apart))
        shared = (self.matrix, np.int32(self.n), there, self.work.starts(), *numbers)
        for first, last in parts_of(self.n, 2 * len(seeds) * self.work.key.itemsize):
            span = np.int32(first), np.int32(last)
            self.kernel("rows")(*self.work.items(last - first), *shared, *span, self.far, self.work.ceiling, self.dist)

    def _close(self) -> None:
        """Fill the matrix with arcs and close it, round by round."""
        problem, controls, device = self.work.problem, self.work.controls, self.work.device
        tiles = -(-self.n // TILES[self.work.key.itemsize])
        self._fill()
        corner, size = self.kernel("corner"), self.work.layout.group_size
        for own in range(tiles):
            if controls.stop[0]:
                return
            corner(1, size, self.matrix, np.int32(self.n), np.int32(own), self.infinity, self.careful, self.met)
            self._offer(own, True, 2 * (tiles - 1))
            self._offer(own, False, (tiles - 1) ** 2)
        if device.get(self.met)[0]:
            johnson.find_potential(problem, controls)  # raises, unless it was rounding that made a cycle negative
            self.is_rounded = True
        device.write(self.work.tally, np.array([self.n**3], np.int64))
        self.is_closed = True

    def _fill(self) -> None:
        """Write the arcs into the matrix."""
        work, graph = self.work, self.work.problem.graph
        wanted, is_all = self.met, graph.min_weight >= 0  # any buffer, if it is not read
        if not is_all:
            wanted = work.device.upload(reached_vertices(work.problem, work.controls).astype(np.int32))
        shared = (work.layout.group_size, self.offsets, work.arcs(), wanted, np.int32(is_all), np.int32(self.n))
        row_bytes = 3 * self.n * work.key.itemsize + graph.arc_bytes // self.n
        for first, last in parts_of(self.n, row_bytes):
            span = np.int32(first), np.int32(last)
            self.kernel("fill")(last - first, *shared, *span, self.infinity, self.matrix)

    def _offer(self, own: int, cross: bool, count: int) -> None:
        """Relax tiles over the paths through a round's vertices: the tiles of its row and column, or all others."""
        tiles, size = self.kernel("tiles"), self.work.layout.group_size
        first, last = 0, -1
        while last < count and not self.work.controls.stop[0]:  # at least one launch, which builds the kernel
            last = min(first + self.at_once, count)
            span = (np.int32(self.n), np.int32(own), np.int32(cross), np.int64(first), np.int64(last))
            tiles(max(last - first, 1), size, self.matrix, *span, self.infinity, self.careful)
            self._wait(last - first)  # which may change how many tiles the next launch has
            first = last

    def _wait(self, tiles: int) -> None:
        """Wait for the device when it has work for about LAUNCH_SECONDS; adapt how many tiles that is."""
        self.pending += tiles
        if self.pending < self.at_once:
            return
        self.work.device.finish()
        now = time.perf_counter()
        fitting = int(self.pending * LAUNCH_SECONDS / max(now - self.waited, 1e-6))
        self.at_once = min(max(fitting, LEAST_TILES), 4 * self.at_once, MOST_TILES)
        self.pending, self.waited = 0, now

    def _settle_on_host(self, seeds: np.ndarray) -> None:
        """Settle rows with `johnson` on the host, and write them to the device as keys."""
        problem = self.work.problem
        rows = np.empty((len(seeds), self.n), problem.dtype)
        settle = johnson.new_worker(problem, self.work.controls)
        for several, row in zip(seeds, rows, strict=True):
            settle(several, row)
        flip_negatives(rows)
        self.work.device.write(self.dist, rows.view(self.work.key))


METHOD = GpuMethod(Floyd, matrices=1)
