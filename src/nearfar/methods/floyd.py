"""Dense graphs: blocked Floyd-Warshall, one matrix closed by all threads (kernels/cpu/floyd.py). Any weights.

The work is n^3 sums and minima whatever the arcs and the sources, some fifty per nanosecond. For all pairs, the matrix
is closed in the rows of the answer itself. Integers are kept as narrow as possible, since more of them then fit into a
register:

- 16 bits are tried first if they seem to suffice, as they often do in dense graphs. Sums saturate at the end of the
  type. Afterwards it is proved that no distance was lost: either no entry is at the end of the type, or the greatest
  distance plus the heaviest weight is below it. Otherwise everything is done again in the type of the rows.
- Without negative weights, the bits of a row are read as unsigned, so that infinity, the end of the signed type, can
  be added to itself.
- With negative weights, infinity is half of the type's end. An entry that means "no path" may fall below it by as much
  as a path is long, so every entry above half of infinity is unreached. If paths could be that long, rows are settled
  one by one.

A negative cycle shows as a negative entry on the diagonal. `johnson` then finds its vertices, and whether it is due to
rounding.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..devices import cpu
from ..kernels.cpu.constants import FLOYD_BLOCK, LANES
from ..results.limits import longest_path
from . import johnson
from .batches import run_batches
from .method import Method
from .problem import Controls, Problem
from .tuning import NAP, NARROW_ARCS

# Pivots per round, for small and for large graphs, and the vertices from which a graph is large. Every entry is read
# and written once per round, so more pivots need fewer rounds; but the corner of a round is closed by one thread.
SMALL_TILE, TILE, TILED = 64, 128, 1024
# Vertices up to which one thread is faster than several. All pairs of 289, one and two threads: int32 1.15 and 1.44 ms,
# float32 1.25 and 1.52, int64 2.9 and 3.9, float64 2.5 and 2.1; of 343, int32 1.65 and 2.01; of 696, float64 28 and 16.
SMALL_MATRIX = 384
GIVEN = 32  # rows written out at a time
MOVED = 256  # columns moved at a time, when rows are reordered


@dataclass(frozen=True)
class Numbers:
    """How the entries of a matrix are represented."""

    entry: np.dtype  # the type they are stored in
    compared: np.dtype  # the type their bits are compared as
    infinity: Any  # the entry where there is no path
    far: Any  # an entry that is not below this means "no path"


def narrow_numbers() -> Numbers:
    """Return the representation in 16 bits, whose sums saturate."""
    kind = np.dtype(np.uint16)
    return Numbers(kind, kind, 65535, 65535)


def choose_numbers(dtype: np.dtype, negative: bool, longest: float) -> Numbers | None:
    """Return the representation for a distance type, None if sums might wrap; no path is longer than ``longest``."""
    if dtype.kind == "f":
        # Floats without a sign are ordered like their bits, and processors have separate units for integer minima.
        bits = np.dtype(np.uint32) if dtype == np.float32 and not negative else dtype
        return Numbers(dtype, bits, dtype.type(np.inf), dtype.type(np.inf))
    end, half = int(np.iinfo(dtype).max), int(np.iinfo(dtype).max) // 2
    if negative:
        return Numbers(dtype, dtype, half, half // 2) if longest < half // 2 else None
    if dtype == np.int64 and longest < half:  # most machines have no minimum of unsigned 64 bits
        return Numbers(dtype, dtype, half, half)
    return Numbers(dtype, np.dtype(f"u{dtype.name}"), end, end)


_compiled: set[tuple[np.dtype, np.dtype, np.dtype]] = set()  # kinds of matrices and arcs whose kernels are compiled


class Closure:
    """What threads share that close a matrix together. Each of them calls `take_part`."""

    def __init__(self, matrix: np.ndarray, n: int, compared: np.dtype, stop: np.ndarray, ahead: int = 0) -> None:
        """Use the first n rows and columns of a C-ordered matrix; begin after ``ahead`` calls of `finish_step`."""
        from ..kernels.cpu.floyd import COUNTERS

        self.n, self.width, self.ahead, self.stop = n, matrix.shape[1], ahead, stop
        self.tile = tile_of(n)
        self.flat, self.sums = matrix.reshape(-1).view(compared), np.empty(0, matrix.dtype)
        self.corner, self.panels = np.zeros((2, self.tile**2), compared)
        self.left = np.zeros(n * self.tile, compared)
        self.right = np.zeros(-(-n // LANES) * LANES * self.tile, compared)
        self.counters = np.zeros(COUNTERS, np.int64)

    def finish_step(self) -> None:
        """Report that one of the steps ahead is finished."""
        from ..kernels.cpu.floyd import finish_step

        finish_step(self.counters)

    def take_part(self) -> None:
        """Work until the matrix is closed, shows a negative cycle, or ``stop`` is set; sleep while waiting."""
        from ..kernels.cpu.floyd import WAITING, take_part

        edge, mine = np.zeros(FLOYD_BLOCK * LANES, self.flat.dtype), np.full(1, -1, np.int64)
        while (
            take_part(
                self.flat, self.width, self.n, self.tile, self.corner, self.panels, self.left, self.right, self.sums,
                edge, self.ahead, self.counters, mine, self.stop,
            )
            == WAITING
        ):  # fmt: skip
            time.sleep(NAP)

    @property
    def is_negative(self) -> bool:
        """Whether a negative cycle was found; then the matrix is useless."""
        from ..kernels.cpu.floyd import FAILED

        return bool(self.counters[FAILED])


def tile_of(n: int) -> int:
    """Return the number of pivots per round."""
    return TILE if n >= TILED else SMALL_TILE


def close_matrix(
    matrix: np.ndarray,
    n: int,
    threads: int,
    stop: np.ndarray,
    watch: Callable[[], None] | None = None,
    compared: np.dtype | None = None,
) -> bool:
    """Turn arcs into distances between all pairs, in place; return False when there is a negative cycle.

    Parameters
    ----------
    matrix : ndarray
        C-ordered, of a distance type or its unsigned counterpart; its first n rows and columns are closed. The diagonal
        holds 0, and no entry is -0.0. `choose_numbers` returns the infinity for "no arc", and the limit from which an
        entry is unreached afterwards.
    n, threads : int
        The number of vertices, and of threads that share the work; a single one is the caller's.
    stop : ndarray
        Ends the work early when it is set.
    watch : callable, optional
        Called now and then meanwhile.
    compared : dtype, optional
        The type that the entries' bits are compared as, if it is not their own.
    """
    closure = Closure(matrix, n, matrix.dtype if compared is None else compared, stop)
    if threads == 1 or n <= SMALL_MATRIX:
        closure.take_part()
    else:
        cpu.run(lambda t: closure.take_part(), threads, stop, watch)
    return not closure.is_negative


class Solution:
    """A matrix that is filled, closed, and written out as rows, all by the same threads."""

    def __init__(self, problem: Problem, rows: np.ndarray, controls: Controls, numbers: Numbers) -> None:
        """Use the rows of the answer as the matrix, if they are large enough and of the right type."""
        n = problem.graph.n
        self.problem, self.rows, self.controls = problem, rows, controls
        self.numbers, self.n = numbers, n
        self.in_place = numbers.entry == rows.dtype and len(rows) >= n and problem.seeds is None
        self.matrix = rows[:n] if self.in_place else np.empty((n, n), numbers.entry)
        self.wanted = reached_vertices(problem, controls)
        self.strips = range(0, n, SMALL_TILE)
        self.closure = Closure(self.matrix, n, numbers.compared, controls.stop, ahead=len(self.strips))
        self.pending, self.given = iter(self.strips), iter(range(0, len(rows), GIVEN))  # next() on them is atomic
        self.lock = threading.Lock()
        self.is_right: bool | None = None

    def run(self) -> bool:
        """Settle all rows; return whether they are correct."""
        problem, controls = self.problem, self.controls
        kind = (self.numbers.entry, self.numbers.compared, problem.graph.arcs.dtype)
        if self.n <= SMALL_MATRIX and kind in _compiled:
            self._work(0)
        else:  # the first time, too: an interrupt would be swallowed by a thread that compiles, or break it
            cpu.run(self._work, controls.threads if self.n > SMALL_MATRIX else 1, controls.stop, controls.watch)
            _compiled.add(kind)
        return bool(self.is_right) or bool(controls.stop[0])

    def _work(self, t: int) -> None:
        """Work as one of the threads."""
        from ..kernels.cpu.matrix import fill_rows

        graph, stop, infinity = self.problem.graph, self.controls.stop, self._number(self.numbers.infinity)
        for first in self.pending:
            if stop[0]:
                return
            last = min(first + SMALL_TILE, self.n)
            fill_rows(graph.offsets, graph.arcs, self.wanted, first, last, infinity, self.matrix)
            self.closure.finish_step()
        self.closure.take_part()
        with self.lock:
            if self.is_right is None and not stop[0]:
                self.is_right = not self.closure.is_negative and self._kept_all()
                if self.is_right and self.in_place:
                    self._move_rows()
        for first in self.given if self.is_right else ():
            last = min(first + GIVEN, len(self.rows))
            self._give(first, last)
            for r in range(first, last):
                if stop[0]:
                    return
                self.controls.finish(r)

    def _number(self, value: Any) -> Any:
        """Return a number in the type that kernels expect."""
        return value if self.numbers.entry.kind == "f" else np.int64(value)

    def _kept_all(self) -> bool:
        """Return whether no distance was lost because 16 bits could not hold it."""
        graph, end = self.problem.graph, self.numbers.infinity
        if self.numbers.entry.itemsize > 2 or graph.max_weight * (self.n - 1) < end or self.matrix.max() < end:
            return True
        one = self.matrix.dtype.type(1)  # added, it turns the end into 0
        most = max(int((self.matrix[i : i + SMALL_TILE] + one).max()) for i in self.strips) - 1
        return bool(most + graph.max_weight < end)

    def _move_rows(self) -> None:
        """Reorder the matrix, whose rows are in vertex order, to the order of the sources, some columns at a time."""
        rows, sources = self.rows, self.problem.sources
        if len(sources) == self.n and (sources == np.arange(self.n)).all():
            return
        for column in range(0, self.n, MOVED):
            some = self.matrix[:, column : column + MOVED].copy()
            rows[:, column : column + MOVED] = some[sources]

    def _give(self, first: int, last: int) -> None:
        """Write out some rows: the distances below the ceiling, and the ceiling for all others."""
        from ..kernels.cpu.matrix import give_rows

        problem, rows, matrix = self.problem, self.rows, self.matrix
        ceiling = self._number(problem.ceiling)
        far = min(self._number(self.numbers.far), ceiling)
        if problem.seeds is not None:
            found = matrix[problem.seeds]
            rows[0] = problem.from_all_seeds(np.where(found < far, found, ceiling))
        elif not self.in_place:
            give_rows(matrix, problem.sources, first, last, far, ceiling, rows)
        elif ceiling != self.numbers.infinity:
            give_rows(rows, np.arange(len(rows), dtype=np.int32), first, last, far, ceiling, rows)


def reached_vertices(problem: Problem, controls: Controls) -> np.ndarray:
    """Mark the vertices that sources reach, whose arcs count: a negative cycle elsewhere does no harm."""
    from ..kernels.cpu.matrix import mark_reached

    graph = problem.graph
    if graph.min_weight >= 0:
        return np.ones(graph.n, np.uint8)
    reached, queue = np.zeros(graph.n, np.uint8), np.empty(graph.n, np.int32)
    seeds = problem.all_seeds
    queue[: len(seeds)] = seeds
    reached[seeds] = 1
    if len(seeds) < graph.n:
        mark_reached(graph.offsets, graph.arcs, controls.stop, queue, len(seeds), reached)
    return reached


def many(problem: Problem, rows: np.ndarray, controls: Controls) -> int:
    """Settle all rows; return the number of sums formed."""
    graph, dtype = problem.graph, problem.dtype
    negative = graph.min_weight < 0 or problem.floor < 0  # the latter when kernels are only compiled
    tries = [choose_numbers(dtype, negative, longest_path(graph))]
    if dtype == np.int32 and not negative and graph.max_weight * min(graph.n, NARROW_ARCS) < narrow_numbers().infinity:
        tries.insert(0, narrow_numbers())
    for numbers in tries:
        if numbers is None:
            break
        controls.notes["entries"] = numbers.entry.name
        if Solution(problem, rows, controls, numbers).run():
            return int(graph.n) ** 3
    return settle_one_by_one(problem, rows, controls)


def settle_one_by_one(problem: Problem, rows: np.ndarray, controls: Controls) -> int:
    """Settle row after row with `johnson`, which names a negative cycle if a source reaches one."""
    controls.notes["entries"] = "none: rows one by one"

    def new_worker() -> Callable[[np.ndarray], int]:
        with controls.lock:
            settle = johnson.new_worker(problem, controls)
        return lambda batch: sum(settle(problem.seeds_of(r), rows[r]) for r in batch.tolist())

    return run_batches(controls, list(np.arange(len(rows)).reshape(-1, 1)), new_worker)


def memory(n: int, m: int, k: int, threads: int, itemsize: int) -> int:
    """Return the bytes needed beside the rows: a matrix, unless the rows can hold it, and the copies of a round."""
    tile = tile_of(n)
    matrix = n * n * itemsize if k < n else n * n * 2 if itemsize == 4 else 0
    return matrix + (2 * n + 2 * tile + LANES) * tile * itemsize + 5 * n


METHOD = Method(
    name="floyd",
    summary="dense graphs: blocked Floyd-Warshall, all pairs at once",
    many=many,
    memory=memory,
    negative_weights=True,
    rounds=True,
    aliases=("fw",),
)
