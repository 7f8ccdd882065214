"""Searches that end at a cutoff, one after the other on every thread: folds of what is near, and lists of it.

kernels/cpu/balls.py explains why these are not rows. Weights are not negative.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..description import format_bytes
from ..devices import cpu
from ..elimination.folds import Folded, Wanted, least_beyond
from ..errors import MemoryLimitError, option
from ..progress import watcher
from ..results import limits
from .query import Query
from .tuning import BALL_PIECES, BALL_SAMPLE, LIST_ROOM, LOOK_SHARE

LIST_SHARE = 4  # a list that is filled takes at most this part of a thread's memory
COUNT_BYTES = 32  # per source: how many are near it, where its list begins, and both while they are joined


class BallSpace:
    """The work space of one thread: distances that stand at the ceiling between two searches, and a heap."""

    def __init__(self, query: Query, cutoff: float) -> None:
        graph, kind = query.graph, sum_type(query)
        self.ceiling = ceiling_of(query, cutoff)
        self.zero = kind.type(0)
        self.dist = np.full(graph.n, self.ceiling, kind)
        self.heap, self.positions = np.empty(graph.n, np.int32), np.full(graph.n, -1, np.int32)
        self.keys, self.found = np.empty(graph.n, kind), np.empty(graph.n, np.int32)
        self.graph = graph.offsets, graph.arcs

    def given(self, sources: np.ndarray) -> tuple[Any, ...]:
        """Return the arguments that all kernels begin with."""
        space = self.ceiling, self.zero, self.heap, self.keys, self.positions, self.dist, self.found
        return *self.graph, sources, *space


def ceiling_of(query: Query, cutoff: float) -> Any:
    """Return the least length beyond a cutoff, in the type in which lengths are added."""
    kind = sum_type(query)
    return kind.type(least_beyond(cutoff, kind, limits.end_of(query.graph, kind)))


def space_bytes(n: int) -> int:
    """Return the bytes of the work space of one thread."""
    return 28 * n


def fold_near(query: Query, wanted: Wanted, farthest: float) -> Folded:
    """Return the folds of the rows of all sources, of which only what is within ``farthest`` counts."""
    found = wanted.new(len(query.sources), sum_type(query))
    _fold(query, wanted, farthest, found, np.zeros(1, np.int64))
    return found


def sum_type(query: Query) -> np.dtype:
    """Return the type in which lengths are added: the one that rows would have, or 64 bits."""
    return np.dtype(np.int64) if query.types[0].kind == "i" else query.types[0]


def expected_seconds(query: Query, farthest: float, otherwise: float) -> float:
    """Return the seconds that searches up to a distance should take in all, from a few that are timed.

    Sources far apart are tried, one after the other; they may take LOOK_SHARE of the seconds that the other way takes,
    unless one search alone takes longer.
    """
    counted, k = Wanted(counts=True, cutoff=farthest), len(query.sources)
    sample = query.sources[:: max(1, k // BALL_SAMPLE)][:BALL_SAMPLE]
    found, stop = counted.new(1, sum_type(query)), np.zeros(1, np.int64)
    space = BallSpace(query, farthest)
    _fold_piece(space, counted, sample[:1], 0, found, stop)  # loads the kernel
    spent, tried = 0.0, 0
    for s in sample:
        began = time.perf_counter()
        _fold_piece(space, counted, np.array([s], np.int32), 0, found, stop)
        spent, tried = spent + time.perf_counter() - began, tried + 1
        if spent > LOOK_SHARE * otherwise:
            break
    return spent / max(tried, 1) * k / query.threads


def _fold(query: Query, wanted: Wanted, farthest: float, found: Folded, stop: np.ndarray) -> None:
    """Fold what is near every source; threads take pieces of the sources."""
    sources, threads = query.sources, query.threads
    pieces = max(1, min(len(sources), BALL_PIECES * threads))
    bounds = np.arange(pieces + 1) * len(sources) // pieces
    done: list[int] = []

    def new_worker() -> Callable[[int], None]:
        space = BallSpace(query, farthest)

        def do(i: int) -> None:
            low, high = int(bounds[i]), int(bounds[i + 1])
            _fold_piece(space, wanted, sources[low:high], low, found, stop)
            done.extend(range(low, high))

        return do

    with watcher(query.progress, len(sources), done) as watch:
        cpu.share_out(new_worker, pieces, threads, stop, watch)


def _fold_piece(
    space: BallSpace, wanted: Wanted, sources: np.ndarray, first: int, found: Folded, stop: np.ndarray
) -> None:
    """Fold what is near some sources into the entries from ``first`` on."""
    from ..kernels.cpu.balls import fold_balls

    kind = space.dist.dtype
    totals = None if found.totals is None else found.totals.reshape(len(found.totals), -1)
    thresholds, limit = wanted.thresholds_in(kind, space.ceiling), wanted.limit_in(kind, space.ceiling)
    fold_balls(
        *space.given(sources), first, found.sums, found.counts, found.greatest, found.inverses, thresholds,
        wanted.amounts, totals, limit, stop,
    )  # fmt: skip


@dataclass(frozen=True)
class Lists:
    """The vertices near every source: entry i of ``offsets`` is where the list of source i begins."""

    offsets: np.ndarray
    targets: np.ndarray
    lengths: np.ndarray


def list_near(query: Query, cutoff: float, available: int) -> Lists:
    """Return the vertices within a cutoff of every source, with their distances, in order of distance."""
    stop, k = np.zeros(1, np.int64), len(query.sources)
    pieces = max(1, min(k, BALL_PIECES * query.threads))
    bounds = np.arange(pieces + 1) * k // pieces
    parts: list[Any] = [None] * pieces
    done: list[int] = []
    used: list[int] = []
    beside, room = _list_space(query, pieces, available)

    def new_worker() -> Callable[[int], None]:
        space = BallSpace(query, cutoff)

        def do(i: int) -> None:
            sources = query.sources[bounds[i] : bounds[i + 1]]
            count = partial(count_bytes, used, available=available, beside=beside)
            parts[i] = _list_piece(space, sources, stop, done, count, room)

        return do

    with watcher(query.progress, k, done) as watch:
        cpu.share_out(new_worker, pieces, query.threads, stop, watch)
    counts = np.concatenate([part[0] for part in parts])
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return Lists(offsets, np.concatenate([part[1] for part in parts]), np.concatenate([part[2] for part in parts]))


def _list_space(query: Query, pieces: int, available: int) -> tuple[int, int]:
    """Return the bytes that searches need beside the lists, and the entries of a list that is filled and then copied.

    It has room for what is near any source, so that it need not grow, and is longer if memory allows.
    """
    n, k, threads = query.graph.n, len(query.sources), min(query.threads, pieces)
    entry, fixed = 4 + sum_type(query).itemsize, threads * space_bytes(n) + COUNT_BYTES * k
    most = max(1, min(LIST_ROOM, n * -(-k // pieces)))
    room = max(min(n, most), min(most, (available - fixed) // (LIST_SHARE * threads * entry)))
    needs = fixed + threads * room * entry
    if needs > available:
        raise MemoryLimitError(
            f"searches up to the cutoff over {n:,} vertices need {format_bytes(needs)}; {format_bytes(available)} may "
            f"be used. Allow more memory, or use fewer {option('threads')}.",
            needs,
            available,
        )
    return needs, room


def count_bytes(used: list[int], size: int, available: int, beside: int = 0) -> None:
    """Count the bytes of the lists so far; refuse more than may be used, of which some is needed beside them."""
    used.append(size)
    if beside + 2 * sum(used) > available:  # all of them are joined at the end
        raise MemoryLimitError(
            f"the pairs within the cutoff need more than {format_bytes(available)}, which may be used. Use a smaller "
            f"{option('cutoff')}, fewer sources at a time, or allow more memory.",
            beside + 2 * sum(used),
            available,
        )


def _list_piece(
    space: BallSpace, sources: np.ndarray, stop: np.ndarray, done: list[int], count: Callable[[int], None], room: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how many vertices are near each of some sources, these vertices, and their distances."""
    from ..kernels.cpu.balls import list_balls

    counts, targets, lengths = [np.empty(0, np.int64)], [np.empty(0, np.int32)], [np.empty(0, space.dist.dtype)]
    low = 0
    while low < len(sources) and not stop[0]:
        ends = np.empty(len(sources) - low, np.int64)
        heads, sums = np.empty(room, np.int32), np.empty(room, space.dist.dtype)
        fitting = int(list_balls(*space.given(sources[low:]), ends, heads, sums, stop))
        if not fitting:
            room *= 2
            continue
        total = int(ends[fitting - 1])
        count(total * (4 + space.dist.itemsize))
        counts.append(np.diff(ends[:fitting], prepend=0))
        targets.append(heads[:total].copy())
        lengths.append(sums[:total].copy())
        done.extend(range(fitting))
        low += fitting
    if stop[0]:  # nobody will read them, and to join gigabytes takes a while
        return counts[0], targets[0], lengths[0]
    return np.concatenate(counts), np.concatenate(targets), np.concatenate(lengths)
