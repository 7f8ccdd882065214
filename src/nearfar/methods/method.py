"""What a method is to the rest of the program, and what it is given to work on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..graph import Graph

Settle = Callable[[np.ndarray, np.ndarray], int]
"""Settle one row in place from its seeds: ``settle(seeds, row)`` returns the arcs relaxed."""


@dataclass
class Job:
    """One run of a method: rows to settle, and what they must respect.

    Rows are left with ``ceiling`` in every vertex that was not reached; ``solve`` turns that into the type's infinity.
    """

    graph: Graph
    rows: np.ndarray  # k x n, to be filled
    sources: np.ndarray  # where each row starts
    seeds: np.ndarray | None  # or several vertices that the only row starts from
    ceiling: Any  # the least distance that does not count as reached
    zero: Any  # 0 of the type that sums are formed in
    floor: Any  # below this, only the way round a negative cycle leads
    targets: np.ndarray  # a row may stop when these are settled; empty: never
    threads: int
    delta: float | None  # bucket width asked for
    stop: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int64))
    done: list[int] = field(default_factory=list)  # rows finished, in that order
    notes: dict[str, Any] = field(default_factory=dict)  # what a method wants told in the result's figures
    shared: dict[str, Any] = field(default_factory=dict)  # what the first worker prepared for all
    lock: threading.Lock = field(default_factory=threading.Lock)  # held while a worker is made
    finish: Callable[[int], None] = lambda r: None  # `many` calls it with the number of every row it has settled
    most: float | None = None  # no distance is longer, where the method knows
    memory: int = 2**62  # bytes it may use beside the rows
    watch: Callable[[], None] = lambda: None  # shows progress; for who waits for threads

    def seeds_of(self, r: int) -> np.ndarray:
        """Return the vertices that row ``r`` starts from."""
        return self.sources[r : r + 1] if self.seeds is None else self.seeds


@dataclass(frozen=True)
class OnGpu:
    """The GPU half of a method: what drives its kernels, and what they need beside arcs, offsets and distances."""

    engine: Callable[[Any], Any]  # makes what settles rows, from a job on a device (gpu_work.py)
    scratch: int  # bytes for a vertex and a group
    lists: int = 0  # lists with room for fat vertices (kernels/lists.cl)
    vertex_offsets: int = 0  # further arrays of the size of the offsets
    arc_bytes: int = 0  # for an arc, beside its record
    matrices: int = 0  # of n x n distances that it keeps on the device
    streams: bool = False  # whether arcs may come in batches
    keeps: tuple[str, ...] = ()  # what it keeps on the device beside offsets and arcs


@dataclass(frozen=True)
class Method:
    """One line of the table METHODS.

    ``new_worker`` makes what one thread needs, once, and returns the function that settles row after row with it.
    ``together`` settles the only row of a job with all its threads, where the method can. ``scratch`` says how many
    bytes a worker needs beside its row, for n vertices and distances of so many bytes each.

    A method that settles rows many at a time has ``many`` instead of ``new_worker``: it settles all rows of a job with
    all its threads, and tells ``job.finish`` about each. ``memory`` then says how many bytes it needs beside the rows,
    for n vertices, m arcs, k rows, so many threads, and distances of so many bytes each.
    """

    name: str
    summary: str
    new_worker: Callable[[Job], Settle] | None = None
    scratch: Callable[[int, int], int] = lambda n, itemsize: 0
    many: Callable[[Job], int] | None = None
    memory: Callable[[int, int, int, int, int], int] = lambda n, m, k, threads, itemsize: 0
    negative_weights: bool = False
    rounds: bool = False  # whether it adds floats in another order than along the path: equal up to rounding only
    in_order: bool = False  # whether arcs are relaxed about once each, so that their number tells how long it takes
    aliases: tuple[str, ...] = ()
    together: Callable[[Job], int] | None = None
    on_gpu: OnGpu | None = None
