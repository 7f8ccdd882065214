"""Several batches of LANES rows in one call: climb, settle the core, sweep (sweep.py), then the next batch.

On a graph of a few thousand vertices, a batch takes some 20 us, less than Python takes to start its steps one by one;
and Python runs on one thread at a time. So all steps of a batch are started here, and a call takes several batches.

The vertices that a climb touches are found chain by chain, and a sweep takes them in the order of their positions. They
are sorted by marking them in a set of bits, from which they are read in order. One bit of a second set stands for a
word of the first, so that large graphs have few words to look at.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .arguments import ClosedMatrix, DownArcs, Lines, Offers, SearchedCore, UpArcs
from .bits import lowest
from .core import settle_closed, settle_core
from .sweep import climb, enter, sweep_rows

WORD = np.uint64(6)  # logarithm of the bits of a word
REST = np.uint64(63)  # a mask: the bit within a word
ONE, NONE = np.uint64(1), np.uint64(0)


@inlined
def sort_marked(entries, count, marks, words):
    """Sort ``entries[:count]``, which are all different, by marking them in ``marks``: clear before and after.

    The first ``words`` words have one bit per entry, the others one bit per word. 191 positions of 3,353 take 0.3 us,
    844 of NY's 1.5 us.
    """
    behind = np.uint64(words)
    for i in range(count):
        entry = np.uint64(np.uint32(entries[i]))
        word = entry >> WORD
        marks[word] |= ONE << (entry & REST)
        marks[behind + (word >> WORD)] |= ONE << (word & REST)
    at = np.uint64(0)
    for g in range(len(marks) - words):
        group, first = marks[words + g], np.uint64(g) << WORD
        marks[words + g] = NONE
        while group != NONE:
            word = first | lowest(group)
            group &= group - ONE
            bits = marks[word]
            marks[word] = NONE
            while bits != NONE:
                entries[at] = np.int32((word << WORD) | lowest(bits))
                bits &= bits - ONE
                at += ONE


@kernel
def ascend(up: UpArcs, offers: Offers, seeds, starts, ends, before, dist, infinity):
    """Climb from the seeds of every lane; return how many vertices have offers now (`enter` explains the arguments)."""
    index, touched, values = offers.index, offers.touched, offers.values
    count = enter(up.parents, up.core, seeds, starts, ends, before, index, touched, values, dist, infinity)
    sort_marked(touched, count, offers.marks, (len(index) + 63) >> 6)
    touched[count] = len(index)
    climb(up.starts, up.arcs, up.begins, up.core, up.tops, index, touched, count, values, dist)
    return count


@inlined
def start_batch(
    up: UpArcs, infinity, core: SearchedCore | None, closed: ClosedMatrix | None, offers: Offers, before, seeds, starts,
    ends, dist, stop,
):  # fmt: skip
    """Climb from the seeds of every lane and settle the core; return how many vertices have offers now.

    The core is one of two kinds, or both are None. Numba leaves out what is done for the other kind.
    """
    count = ascend(up, offers, seeds, starts, ends, before, dist, infinity)
    if core is not None:
        settle_core(
            core.offsets, core.heads, core.weights, core.in_offsets, core.tails, core.in_weights, core.infinity,
            core.lightest, dist, core.pending, core.following, core.listed, stop,
        )  # fmt: skip
    if closed is not None:
        settle_closed(closed.matrix, closed.infinity, dist, closed.offers, closed.givers, stop)
    return count


@kernel
def settle_batches(
    up: UpArcs, down: DownArcs, couples, lines: Lines, core, closed, offers: Offers, before, seeds, starts, ends, dist,
    out, bases, limit, unreached, past, stop,
):  # fmt: skip
    """Settle a batch for every row of ``seeds``; return how many vertices have offers at last.

    Lane i of batch b starts from position ``seeds[b, i]`` and goes to ``out`` from ``bases[b, i]`` on, as `sweep_rows`
    says; ``couples`` are as there, or None. ``core`` and ``closed`` are as in `start_batch`. ``before`` vertices have
    offers from the last call. ``starts`` is empty, and ``ends`` counts from 0 to LANES.
    """
    count = np.int64(before)
    for b in range(len(seeds)):
        if stop[0] != 0:
            return count
        count = start_batch(up, down.infinity, core, closed, offers, count, seeds[b], starts, ends, dist, stop)
        sweep_rows(
            down, couples, lines, dist, offers.index, offers.touched, offers.values, out, bases[b], limit, unreached,
            past, stop,
        )  # fmt: skip
    return count


@kernel
def copy_rows(found, limit, unreached, which, rows):
    """Write row i of ``found`` to row ``which[i]``, in its type; values not below ``limit`` become ``unreached``."""
    for i in range(len(which)):
        for v in range(found.shape[1]):
            d = found[i, v]
            rows[which[i], v] = d if d < limit else unreached
