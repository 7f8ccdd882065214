"""Dense graphs: the matrix of all arcs, closed in blocks by all threads (kernels/cpu/floyd.py). Takes negative weights.

Its work is n^3 sums and minima whatever the arcs and the sources, some fifty in a nanosecond. All pairs are closed in
the rows of the answer itself. Whole numbers are kept as narrow as can be, since more of them then fit into a register:

- Distances that fit 16 bits, as most do where arcs are many, are looked for there first. Sums stop at the end of the
  type. Afterwards an end that no vertex stands at, or that is farther off than the greatest distance and the heaviest
  weight together, proves that nothing was lost; otherwise all is done again with the type of the rows.
- Without negative weights the bits of a row are read as unsigned: infinity, the end of the signed type, can be added
  to itself.
- With them infinity is half of the type's end. An entry that stands for no path may fall below it by as much as a path
  is long, so what is above half of it is unreached; where paths could be that long, rows are settled one by one.

A negative cycle shows as a negative entry on the diagonal. Which one, and whether rounding made it, `johnson` tells.
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

# Way stations of a round, and vertices from which there are more: every entry is fetched and written once a round, but
# a round's own corner is closed by one thread.
SMALL_TILE, TILE, TILED = 64, 128, 1024
SMALL_MATRIX = 256  # vertices up to which threads do not pay: 0.6 ms
GIVEN = 32  # rows written out at a time
MOVED = 256  # columns of rows that are moved at a time


@dataclass(frozen=True)
class Numbers:
    """How the entries of a matrix are kept."""

    entry: np.dtype  # the type they are stored in
    compared: np.dtype  # the type their bits are compared as
    infinity: Any  # the entry where there is no path
    far: Any  # what is not below this is no path


def narrow_numbers() -> Numbers:
    """Return 16 bits, whose sums stop at the end of the type."""
    kind = np.dtype(np.uint16)
    return Numbers(kind, kind, 65535, 65535)


def choose_numbers(dtype: np.dtype, negative: bool, longest: float) -> Numbers | None:
    """Return how to keep distances of a type; ``longest``: what no path passes. None: sums might wrap."""
    if dtype.kind == "f":
        # Without a sign, floats are ordered as their bits are, and minima of integers have ports of their own.
        bits = np.dtype(np.uint32) if dtype == np.float32 and not negative else dtype
        return Numbers(dtype, bits, dtype.type(np.inf), dtype.type(np.inf))
    end, half = int(np.iinfo(dtype).max), int(np.iinfo(dtype).max) // 2
    if negative:
        return Numbers(dtype, dtype, half, half // 2) if longest < half // 2 else None
    if dtype == np.int64 and longest < half:  # most machines have no minimum of unsigned 64 bits
        return Numbers(dtype, dtype, half, half)
    return Numbers(dtype, np.dtype(f"u{dtype.name}"), end, end)


_compiled: set[tuple[np.dtype, np.dtype, np.dtype]] = set()  # kinds of matrices and arcs that were met before


class Closure:
    """A matrix being closed: what its threads share. Each of them calls `take_part`."""

    def __init__(self, matrix: np.ndarray, n: int, compared: np.dtype, stop: np.ndarray, ahead: int = 0) -> None:
        """Take the first n rows and columns of a C-ordered matrix; begin when ``ahead`` steps were told finished."""
        from ..kernels.cpu.floyd import COUNTERS

        self.n, self.width, self.ahead, self.stop = n, matrix.shape[1], ahead, stop
        self.tile = tile_of(n)
        self.flat, self.sums = matrix.reshape(-1).view(compared), np.empty(0, matrix.dtype)
        self.corner, self.panels = np.zeros((2, self.tile**2), compared)
        self.left = np.zeros(n * self.tile, compared)
        self.right = np.zeros(-(-n // LANES) * LANES * self.tile, compared)
        self.counters = np.zeros(COUNTERS, np.int64)

    def finish_step(self) -> None:
        """Tell that one of the steps ahead is finished."""
        from ..kernels.cpu.floyd import finish_step

        finish_step(self.counters)

    def take_part(self) -> None:
        """Work until the matrix is closed, shows a negative cycle, or a stop is asked for; sleep while waiting."""
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
        """Whether a negative cycle was met; the matrix is of no use then."""
        from ..kernels.cpu.floyd import FAILED

        return bool(self.counters[FAILED])


def tile_of(n: int) -> int:
    """Return the way stations of a round."""
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
        C-ordered, of any type of distances or its unsigned kin; its first n rows and columns are closed. The diagonal
        holds 0, and no entry -0.0. `choose_numbers` tells the infinity for no arc, and what is unreached afterwards.
    n, threads : int
        The vertices, and the threads that share the work; one works on the thread of the caller.
    stop : ndarray
        Ends it early when it is raised.
    watch : callable, optional
        Called now and then meanwhile.
    compared : dtype, optional
        The type the entries' bits are compared as, where it is not their own.
    """
    closure = Closure(matrix, n, matrix.dtype if compared is None else compared, stop)
    if threads == 1 or n <= SMALL_MATRIX:
        closure.take_part()
    else:
        cpu.run(lambda t: closure.take_part(), threads, stop, watch)
    return not closure.is_negative


class Solution:
    """A matrix filled, closed, and written out as rows, all by the same threads."""

    def __init__(self, problem: Problem, rows: np.ndarray, controls: Controls, numbers: Numbers) -> None:
        """Take the rows of the answer for the matrix, where they have room and the type for it."""
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
        """Settle all rows; return whether they are right."""
        problem, controls = self.problem, self.controls
        kind = (self.numbers.entry, self.numbers.compared, problem.graph.arcs.dtype)
        if (controls.threads == 1 or self.n <= SMALL_MATRIX) and kind in _compiled:
            self._work(0)
        else:  # the first time, too: an interrupt of a thread that compiles is swallowed or breaks it
            cpu.run(self._work, controls.threads if self.n > SMALL_MATRIX else 1, controls.stop, controls.watch)
            _compiled.add(kind)
        return bool(self.is_right) or bool(controls.stop[0])

    def _work(self, t: int) -> None:
        """Be one of the threads."""
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
        """Return a number in the type that kernels take it in."""
        return value if self.numbers.entry.kind == "f" else np.int64(value)

    def _kept_all(self) -> bool:
        """Whether no distance was lost for want of room in 16 bits."""
        graph, end = self.problem.graph, self.numbers.infinity
        if self.numbers.entry.itemsize > 2 or graph.max_weight * (self.n - 1) < end or self.matrix.max() < end:
            return True
        one = self.matrix.dtype.type(1)  # added, it turns the end into 0
        most = max(int((self.matrix[i : i + SMALL_TILE] + one).max()) for i in self.strips) - 1
        return bool(most + graph.max_weight < end)

    def _move_rows(self) -> None:
        """Put the rows of the sources where they belong, some columns at a time; the matrix has them by number."""
        rows, sources = self.rows, self.problem.sources
        if len(sources) == self.n and (sources == np.arange(self.n)).all():
            return
        for column in range(0, self.n, MOVED):
            some = self.matrix[:, column : column + MOVED].copy()
            rows[:, column : column + MOVED] = some[sources]

    def _give(self, first: int, last: int) -> None:
        """Write out some rows: distances below the ceiling, which stands for all others."""
        from ..kernels.cpu.matrix import give_rows

        problem, rows, matrix = self.problem, self.rows, self.matrix
        ceiling = self._number(problem.ceiling)
        far = min(self._number(self.numbers.far), ceiling)
        if not self.in_place:
            sources = problem.sources
            if problem.seeds is not None:
                matrix, sources = matrix[problem.seeds].min(axis=0)[None], np.zeros(1, np.int32)
            give_rows(matrix, sources, first, last, far, ceiling, rows)
        elif ceiling != self.numbers.infinity:
            give_rows(rows, np.arange(len(rows), dtype=np.int32), first, last, far, ceiling, rows)


def reached_vertices(problem: Problem, controls: Controls) -> np.ndarray:
    """Mark the vertices whose arcs count: a negative cycle that no source reaches does no harm."""
    from ..kernels.cpu.matrix import mark_reached

    graph = problem.graph
    if graph.min_weight >= 0:
        return np.ones(graph.n, np.uint8)
    reached, queue = np.zeros(graph.n, np.uint8), np.empty(graph.n, np.int32)
    seeds = problem.starts
    queue[: len(seeds)] = seeds
    reached[seeds] = 1
    if len(seeds) < graph.n:
        mark_reached(graph.offsets, graph.arcs, controls.stop, queue, len(seeds), reached)
    return reached


def many(problem: Problem, rows: np.ndarray, controls: Controls) -> int:
    """Settle all rows; return the sums formed."""
    graph, dtype = problem.graph, problem.dtype
    negative = graph.min_weight < 0 or problem.floor < 0  # the latter where only kernels are compiled for it
    ways = [choose_numbers(dtype, negative, longest_path(graph))]
    if dtype == np.int32 and not negative and graph.max_weight * min(graph.n, NARROW_ARCS) < narrow_numbers().infinity:
        ways.insert(0, narrow_numbers())
    for numbers in ways:
        if numbers is None:
            break
        controls.notes["entries"] = numbers.entry.name
        if Solution(problem, rows, controls, numbers).run():
            return int(graph.n) ** 3
    return settle_one_by_one(problem, rows, controls)


def settle_one_by_one(problem: Problem, rows: np.ndarray, controls: Controls) -> int:
    """Settle row after row as `johnson` does, which names a negative cycle if one is reached."""
    controls.notes["entries"] = "none: rows one by one"

    def new_worker() -> Callable[[np.ndarray], int]:
        with controls.lock:
            settle = johnson.new_worker(problem, controls)
        return lambda batch: sum(settle(problem.seeds_of(r), rows[r]) for r in batch.tolist())

    return run_batches(controls, list(np.arange(len(rows)).reshape(-1, 1)), new_worker)


def memory(n: int, m: int, k: int, threads: int, itemsize: int) -> int:
    """Return the bytes needed beside the rows: a matrix unless the rows have room for it, and a round's own entries."""
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
