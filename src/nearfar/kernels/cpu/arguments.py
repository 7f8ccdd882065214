"""Arrays that kernels take together, as NamedTuples: Numba passes them like single arguments.

They are here, and not beside the code that makes them, because compiled kernels depend on their fields: the fingerprint
of the kernel cache covers the files in this folder only. This file loads NumPy alone, so that the host may import it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Adjacency(NamedTuple):
    """A graph as searches read it."""

    offsets: np.ndarray
    arcs: np.ndarray
    leaves: np.ndarray  # one bit per vertex: whether it leads nowhere but back


class Arcs(NamedTuple):
    """The arcs of a graph, forwards or reversed."""

    offsets: np.ndarray
    arcs: np.ndarray


class Team(NamedTuple):
    """What the threads of a breadth-first search share beside the distances (bfs_one.py)."""

    control: np.ndarray
    queue: np.ndarray
    seen: np.ndarray
    buffers: np.ndarray
    value: np.ndarray


class Queue(NamedTuple):
    """A bucket queue (buckets.py)."""

    pool: np.ndarray
    ends: np.ndarray
    state: np.ndarray


class Pile(NamedTuple):
    """What the threads of `delta` share beside the distances (pile.py)."""

    control: np.ndarray
    chunks: np.ndarray
    sizes: np.ndarray
    levels: np.ndarray


class DownArcs(NamedTuple):
    """The arcs down of a `SweepLayout`, which describes the fields, with what else a sweep reads of it."""

    starts: np.ndarray
    arcs: np.ndarray
    run_starts: np.ndarray
    runs: np.ndarray
    units: np.ndarray
    tops: int
    cells: int
    infinity: Any


class Couples(NamedTuple):
    """The arcs down of a `SweepLayout` for sweeps that settle two vertices at a time (couples.py)."""

    firsts: np.ndarray  # by unit, its first couple
    starts: np.ndarray  # by couple, its first entry
    heads: np.ndarray  # by entry, the cell of an ancestor
    weights: np.ndarray  # two for each entry: of its arcs to the first and the second vertex
    between: np.ndarray  # by couple, the weight of the arc from the first vertex to the second


class UpArcs(NamedTuple):
    """The arcs up of a `SweepLayout`, which describes the fields, with what else a climb reads of it."""

    parents: np.ndarray
    starts: np.ndarray
    arcs: np.ndarray
    begins: np.ndarray
    core: int
    tops: int


class Offers(NamedTuple):
    """The work space of a climb.

    Attributes
    ----------
    index : int32 array of n
        The row of ``values`` for each position, -1 where there is none.
    touched : int32 array
        The positions that have one, ascending, and n behind them.
    marks : uint64 array
        Bits by which ``touched`` is sorted (kernels/cpu/batches.py); clear between two climbs.
    values : rows of lanes
        The offers themselves, in the order in which the vertices were found.
    """

    index: np.ndarray
    touched: np.ndarray
    marks: np.ndarray
    values: np.ndarray


class ClosedMatrix(NamedTuple):
    """A `ClosedCore`, with the work space of `settle_closed` (core.py)."""

    matrix: np.ndarray
    infinity: Any
    offers: np.ndarray
    givers: np.ndarray


class SearchedCore(NamedTuple):
    """A `Core`, with what else `settle_core` takes (core.py): the lightest weight and its work space."""

    offsets: np.ndarray
    heads: np.ndarray
    weights: np.ndarray
    in_offsets: np.ndarray
    tails: np.ndarray
    in_weights: np.ndarray
    infinity: Any
    lightest: Any
    pending: np.ndarray
    following: np.ndarray
    listed: np.ndarray


class Lines(NamedTuple):
    """The schedule by which the lines of a row are written, for one shift.

    Attributes
    ----------
    first, rest : int
        The first column of the first whole line, and the column after the last whole line; the columns outside are
        written one by one.
    keep_starts, kept : arrays
        ``kept[keep_starts[u]:keep_starts[u + 1]]`` are the cells that are set aside after unit u.
    line_starts, lines : arrays
        ``lines[line_starts[u]:line_starts[u + 1]]`` are the lines, by their first columns, complete after unit u.
    columns : int32 array of n
        The cell in which each vertex lies when it is written.
    """

    first: int
    rest: int
    keep_starts: np.ndarray
    kept: np.ndarray
    line_starts: np.ndarray
    lines: np.ndarray
    columns: np.ndarray

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        return sum(value.nbytes for value in self if isinstance(value, np.ndarray))


class Gates(NamedTuple):
    """The tops that have an arc into each unit, and from which distance on nothing counts (folds.py)."""

    starts: np.ndarray  # by unit, its first gate
    cells: np.ndarray
    near: Any


class Folds(NamedTuple):
    """What rows are folded into (folds.py): rows of lanes, one per batch, or None if it is not wanted."""

    sums: np.ndarray | None
    counts: np.ndarray | None
    greatest: np.ndarray | None
    inverses: np.ndarray | None
    thresholds: np.ndarray | None
    amounts: np.ndarray | None  # one row per kind, by position
    totals: np.ndarray | None  # for every batch, one row of lanes per kind and threshold
    decay: tuple[int, float] | None  # which function of the distance amounts are multiplied by, and its scale


class Flow(NamedTuple):
    """Work space for the least separator within a band (least_cut.py), by vertex; ``path`` has two entries for each."""

    ends: np.ndarray
    before: np.ndarray
    after: np.ndarray
    entered: np.ndarray
    left: np.ndarray
    arc: np.ndarray
    path: np.ndarray


class LabelArrays(NamedTuple):
    """The labels of an eliminated graph (labels.py), which are one array if both directions are alike."""

    entries: np.ndarray  # by vertex, four numbers: the row its label begins at, its rank, two minima of its block
    outs: np.ndarray  # rows of lanes: the climbs from every vertex to its ancestors
    ins: np.ndarray  # the climbs back to it
    common: np.ndarray  # by rank, the number of ancestors
    least: np.ndarray  # the least of these numbers in runs of blocks
    levels: np.ndarray  # rounded logarithms


class Lists(NamedTuple):
    """The vertices that a row on streamed arcs works on (streamed.py)."""

    near: np.ndarray
    far: np.ndarray
    queued: np.ndarray  # which list a vertex is in; 0: none


class Zeros(NamedTuple):
    """What counting paths needs beside the rest if some weights are zero (tight.py)."""

    missing: np.ndarray  # how many tight arcs to a vertex are to come; zeros between two searches
    order: np.ndarray
    limit: Any  # distances from here on do not count as ends; with floats the search goes on a little
