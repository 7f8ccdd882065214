"""Equal weights: breadth-first search, of single rows, or from many sources at once, one bit per source.

Few rows are searched one by one (bfs_one.py), and so are many in a graph of many levels (bfs_cost.py). Otherwise a pass
settles up to 512 (kernels/cpu/bfs.py). Every thread runs its own passes, so threads share only the graph. Distances are
formed by adding the weight level after level in the distance type, like sums along a path, so they are the same to the
bit as those of the other methods that add along the path.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from ..devices import cpu
from ..graph.blocks import record_type
from ..graph.rows import freeze, reverse_rows
from ..kernels.cpu.constants import BFS_BLOCK as BLOCK
from . import bfs_one
from .batches import SettleBatch, run_batches
from .bfs_cost import WORD, are_few, are_single, passes_for, words_for
from .method import Method
from .problem import Controls, Problem

# Rows from which a directed graph is reversed, so that levels can be pulled. That takes as long as 3.5 rows of
# `dijkstra` on wiki-Vote and 6 on citations; the number itself was not tuned.
REVERSE_ROWS = 8
WRITES_PER_STEP = 10  # distances written, at 0.55 ns each, in the 5 ns that SMALL_WORK counts as one step

# The same numbers as in kernels/cpu/bits.py and kernels/cpu/bfs.py, which load Numba.
PLANES, GROUP, COLUMNS = 8, 8, 32
LAST_CODE = 2**PLANES - 1
SIZE, CODE, SIDE, ARCS, LOOKED, PULLED, LEVELS, TARGET, STATE_SIZE = range(9)


def many(problem: Problem, rows: np.ndarray, controls: Controls) -> int:
    """Settle all rows; return the arcs examined."""
    single = are_single(problem.graph, len(rows), controls.threads)
    return (bfs_one.one_by_one if single else in_passes)(problem, rows, controls)


def in_passes(problem: Problem, rows: np.ndarray, controls: Controls) -> int:
    """Settle all rows, up to 512 per pass; return the arcs examined."""
    graph, k = problem.graph, len(rows)
    assert graph.min_weight == graph.max_weight >= 0  # options.py refuses other weights
    heads = freeze(np.ascontiguousarray(graph.heads))
    back = _reversed_rows(problem, controls, heads)
    batches = share_out(problem.sources, controls.threads)
    words = words_for(len(batches[0]))
    controls.notes["levels"] = 0

    def new_worker() -> SettleBatch:
        return _Pass(problem, rows, controls, words, heads, *back).settle

    effort = len(batches) * (graph.m + graph.n) + k * graph.n // WRITES_PER_STEP
    return run_batches(controls, batches, new_worker, effort)


def share_out(sources: np.ndarray, threads: int) -> list[np.ndarray]:
    """Return the row indices of each pass: as few passes as keep all threads busy, of about equal size.

    Sources with close indices share a pass: if neighbours have close indices, they reach vertices at similar levels.
    """
    return np.array_split(np.argsort(sources, kind="stable"), passes_for(len(sources), threads))


def _reversed_rows(problem: Problem, controls: Controls, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return offsets and heads of the reversed graph; no heads if there are too few rows for that to be faster."""
    graph = problem.graph
    if graph.undirected:
        return graph.offsets, heads
    if len(problem.sources) < REVERSE_ROWS:
        return graph.offsets, heads[:0]
    reversed_: list[np.ndarray] = []

    def work(t: int) -> None:
        offsets, arcs = reverse_rows(graph.offsets, heads.view(record_type(None)), few=0)
        reversed_.extend((freeze(offsets), freeze(arcs["head"])))

    cpu.run(work, 1, controls.stop)  # on another thread, so that Ctrl-C works meanwhile
    return reversed_[0], reversed_[1]


def level_values(problem: Problem) -> Iterator[np.ndarray]:
    """Yield the distances of levels 0, 1, ... that are below the ceiling, LAST_CODE at a time."""
    dtype, step, first = problem.dtype, problem.graph.min_weight, problem.zero
    while first < problem.ceiling:
        if dtype.kind == "f":
            values = np.full(LAST_CODE + 1, step, dtype)
            values[0] = first
            with np.errstate(over="ignore"):
                values = np.add.accumulate(values)  # one after the other, as along a path
        else:
            room = -(-(int(problem.ceiling) - int(first)) // int(step)) if step else LAST_CODE
            values = first + int(step) * np.arange(min(room, LAST_CODE) + 1)  # at most one is too great: none wraps
        first = values[-1]
        yield values[:LAST_CODE][values[:LAST_CODE] < problem.ceiling].astype(dtype)


def sum_passes(problem: Problem, controls: Controls) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the sum of the distances of every row, and how many vertices it reaches; no row is written.

    None if rows are better searched one by one, or have more levels than there are codes.
    """
    graph, k = problem.graph, len(problem.sources)
    if are_single(graph, k, controls.threads) or problem.dtype.kind == "f":
        return None
    heads = freeze(np.ascontiguousarray(graph.heads))
    back = _reversed_rows(problem, controls, heads)
    batches = share_out(problem.sources, controls.threads)
    words = words_for(len(batches[0]))
    controls.notes["levels"] = 0
    sums, counts = np.empty(k, np.int64), np.empty(k, np.int32)
    deep: list[bool] = []

    def new_worker() -> SettleBatch:
        one = _Pass(problem, np.empty((0, graph.n), problem.dtype), controls, words, heads, *back)

        def tally(batch: np.ndarray) -> int:
            found = one.tally(batch)
            if found is None:
                deep.append(True)
                controls.stop[0] = 1
            elif not controls.stop[0]:
                sums[batch], counts[batch] = found
            return 0

        return tally

    run_batches(controls, batches, new_worker)
    return None if deep else (sums, counts)


class _Pass:
    """What one thread needs, and how it settles a batch of rows with it."""

    def __init__(
        self,
        problem: Problem,
        rows: np.ndarray,
        controls: Controls,
        words: int,
        heads: np.ndarray,
        back_offsets: np.ndarray,
        tails: np.ndarray,
    ) -> None:
        from ..kernels.cpu.bits import new_lines

        n = problem.graph.n
        self.problem, self.controls, self.rows = problem, controls, rows.reshape(-1)
        # Without weight, vertices behind the last target are no farther than it.
        targets = problem.targets.astype(np.int32) if problem.graph.min_weight > 0 else np.empty(0, np.int32)
        self.graph = problem.graph.offsets, heads, back_offsets, tails, targets
        self.everyone, self.live = new_lines(1, words), new_lines(1, words)
        self.seen, self.sides = new_lines(n, words), new_lines(2 * n, words)
        self.planes = new_lines(PLANES * _padded(n), words)
        self.lists, self.state = np.empty(2 * n, np.int32), np.empty(STATE_SIZE, np.int64)
        self.columns = np.empty(PLANES * BLOCK * words * WORD // 8, np.uint8)
        self.codes = np.empty(COLUMNS, np.uint8)

    def settle(self, batch: np.ndarray) -> int:
        """Settle the rows of a batch; return the arcs examined."""
        from ..kernels.cpu.bfs import scatter

        problem, controls, state, rows = self.problem, self.controls, self.state, self.rows
        self._begin(batch)
        blocks = level_values(problem)
        values = next(blocks)
        self._search(len(values))
        self._write(batch, values, rows)
        for value in chain.from_iterable(blocks):  # the codes are used up: from here on, one level at a time
            self._search(0)
            scatter(self.sides.reshape(-1), self.lists, state, batch, value, problem.graph.n, rows, controls.stop)
            if state[SIZE] == 0 or controls.stop[0]:
                break
        with controls.lock:
            controls.notes["levels"] = max(controls.notes["levels"], int(state[LEVELS]))
        return int(state[LOOKED])

    def tally(self, batch: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the sums of the distances of a batch, and the vertices reached; None if there are too many levels."""
        n, state = self.problem.graph.n, self.state
        self._begin(batch)
        self._search(len(next(level_values(self.problem))))
        if state[SIZE] > 0 and not self.controls.stop[0]:
            return None
        reached = self._members(self.seen, 0, len(batch))
        codes = np.zeros(len(batch), np.int64)
        for plane in range(int(state[CODE]).bit_length()):
            codes += self._members(self.planes, plane * _padded(n), len(batch)) << plane
        return (codes - reached) * int(self.problem.graph.min_weight), reached.astype(np.int32)

    def _members(self, lines: np.ndarray, first: int, sources: int) -> np.ndarray:
        """Return for every source in how many of n lines it is."""
        from ..kernels.cpu.bfs import tally_lines
        from ..kernels.cpu.bits import new_lines

        n, words = self.problem.graph.n, 2 ** (lines.ndim - 1)
        counters = new_lines(n.bit_length() + 1, words)
        counters[:] = 0
        tally_lines(lines, first, first + n, counters)
        bits = np.unpackbits(counters.reshape(len(counters), words).view(np.uint8), axis=1, bitorder="little")
        return (np.int64(1) << np.arange(len(bits))) @ bits[:, :sources].astype(np.int64)

    def _begin(self, batch: np.ndarray) -> None:
        """Put the sources into the frontier, as level 0."""
        problem, offsets = self.problem, self.problem.graph.offsets
        for lines in (self.seen, self.sides, self.everyone, self.planes[: _padded(problem.graph.n)]):
            lines[:] = 0
        seeds = problem.sources[batch] if problem.seeds is None else problem.seeds
        bits = np.arange(len(batch)) if problem.seeds is None else np.zeros(len(seeds), np.int64)
        words, marks = bits // WORD, np.uint64(1) << (bits % WORD).astype(np.uint64)
        np.bitwise_or.at(self.seen.reshape(problem.graph.n, -1), (seeds, words), marks)
        np.bitwise_or.at(self.everyone.reshape(-1), words, marks)
        self.live[:] = self.everyone
        front = np.unique(seeds)
        self.sides[front] = self.planes[front] = self.seen[front]
        self.lists[: len(front)] = front
        self.state[:] = 0
        self.state[SIZE], self.state[CODE], self.state[PULLED] = len(front), 1, problem.graph.m
        self.state[ARCS] = (offsets[front + 1] - offsets[front]).sum()

    def _search(self, last: int) -> None:
        """Continue the search, up to the level of code ``last``, or for one level if it is 0."""
        from ..kernels.cpu.bfs import search

        search(
            *self.graph, self.everyone, self.seen, self.sides, self.planes, self.live, self.lists, self.state,
            np.int64(last), self.controls.stop,
        )  # fmt: skip

    def _write(self, batch: np.ndarray, values: np.ndarray, rows: np.ndarray) -> None:
        """Write the distances of all levels that have a code."""
        from ..kernels.cpu.bfs import write_rows

        step = values[1] - values[0] if len(values) > 1 else values.dtype.type(0)
        first = values[0] - step
        with np.errstate(over="ignore"):
            line = first + step * np.arange(1, len(values) + 1).astype(values.dtype)
        table = np.concatenate([np.array([self.problem.ceiling], values.dtype), values])
        planes = int(self.state[CODE]).bit_length()
        write_rows(
            self.planes, np.int64(planes), self.columns, self.codes, table, first, step,
            bool((line == values).all()), batch, np.int64(self.problem.graph.n), rows, self.controls.stop,
        )  # fmt: skip


def _padded(n: int) -> int:
    """Return the number of lines in a plane: n, rounded up to whole groups of vertices."""
    return -(-n // GROUP) * GROUP


def memory(n: int, m: int, k: int, threads: int, itemsize: int) -> int:
    """Return the bytes of all searches or passes that run at once, and of the reversed graph without weights."""
    if are_few(k, threads):
        return max(1, min(threads, k)) * bfs_one.search_bytes(n, 1) if k != 1 else bfs_one.search_bytes(n, threads)
    passes = max(1, passes_for(k, threads))
    line = words_for(-(-k // passes)) * WORD // 8
    one_pass = (3 * n + PLANES * (_padded(n) + BLOCK)) * line + 8 * n
    return min(threads, passes) * one_pass + 8 * (m + n)


METHOD = Method(
    name="bfs",
    summary="equal weights: breadth-first, all threads on one source, or up to 512 sources per pass",
    many=many,
    together=bfs_one.together,
    memory=memory,
)
