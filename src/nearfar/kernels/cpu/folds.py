"""Rows folded into a few numbers while they are swept: sums, counts, greatest distances, amounts within cutoffs.

`sweep_rows` (sweep.py) writes every distance. Most answers need only what follows from a row, and then no distance has
to leave the cache: after each unit of a sweep, its distances are added to the totals of the batch. Every fold is an
array, one row of lanes per batch, or None; Numba leaves out the code for those that are None.

Where only distances below a limit count, most units are too far away. A path into a unit comes over its *gates*, the
tops that have an arc into it, or starts inside. So a unit is left out if all its gates are too far and no source lies
in it: then a batch takes as long as what is near its sources. That holds only if no weight is negative.

`fold_row` is the same for a row that another method has written.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from . import lanes
from .arguments import DownArcs, Folds, Gates, Offers, UpArcs
from .batches import start_batch
from .constants import GAUSSIAN, LINEAR, POWER, SUM_PART
from .couples import sweep_couples
from .sweep import sweep_unit

# Cells whose distances are compared with all cutoffs before the next cells are: 4 kB of int32, which the first cache
# holds beside what the sweep itself needs.
STEP_CELLS = 64


@kernel
def count_gates(starts, arcs, units, tops, seen, counts):
    """Count the gates of every unit of subtrees; ``seen`` has one entry per top."""
    seen[:] = 0
    for u in range(len(units) - 1):
        counts[u] = 0
        if units[u] < tops:
            continue
        for e in range(np.int64(starts[units[u]]), np.int64(starts[units[u + 1]])):
            top = np.int64(arcs[e]["head"])
            if top < tops and seen[top] != u:
                seen[top] = u
                counts[u] += 1


@kernel
def list_gates(starts, arcs, units, tops, seen, gate_starts, cells):
    """List the gates of every unit of subtrees, as `count_gates` counts them."""
    seen[:] = 0
    for u in range(len(units) - 1):
        at = gate_starts[u]
        if units[u] < tops:
            continue
        for e in range(np.int64(starts[units[u]]), np.int64(starts[units[u + 1]])):
            top = np.int64(arcs[e]["head"])
            if top < tops and seen[top] != u:
                seen[top] = u
                cells[at] = top
                at += 1


@inlined
def is_far(gates: Gates, u, dist, far):
    """Tell whether no path into unit ``u`` is shorter than what counts."""
    best = far
    for g in range(gates.starts[u], gates.starts[u + 1]):
        best = lanes.minimum(best, lanes.load(dist, np.uint64(np.uint32(gates.cells[g]))))
    return not lanes.any_less(best, lanes.splat(dist, gates.near))


@inlined
def fold_steps(dist, cell, count, thresholds, amounts, position, totals, first):
    """Add the amounts of ``count`` vertices to the totals of all thresholds that their distances are below."""
    steps = len(thresholds)
    done = np.int64(0)
    while done < count:
        size = min(count - done, np.int64(STEP_CELLS))
        for c in range(len(amounts)):
            for j in range(steps):
                row = first + np.uint64(c * steps + j)
                total = lanes.load(totals, row)
                for i in range(size):
                    more = lanes.add(total, amounts[c, position + done + i])
                    here = lanes.load(dist, cell + np.uint64(done + i))
                    total = lanes.where_less(here, thresholds[j], more, total)
                lanes.store(totals, row, total)
        done += size


@inlined
def factors_of(here, decay):
    """Return how much distances count by a decay; they are not negative."""
    distances, (code, scale) = lanes.as_floats(here), decay
    if code == LINEAR:
        left = lanes.add(lanes.multiply(distances, -1.0 / scale), 1.0)
        return lanes.where_less(left, 0.0, 0.0, left)
    if code == POWER:
        return lanes.exp(lanes.multiply(lanes.log(lanes.where_less(distances, 1.0, 1.0, distances)), -scale))
    scaled = lanes.multiply(distances, -1.0 / scale)
    if code == GAUSSIAN:
        scaled = lanes.multiply(lanes.multiply(scaled, scaled), -0.5)
    return lanes.exp(scaled)


@inlined
def fold_decay(dist, cell, count, limit, decay, amounts, position, totals, first):
    """Add the amounts of ``count`` vertices that are nearer than ``limit``, each times the factor of its distance."""
    nothing = lanes.splat(totals, 0)
    for i in range(count):
        here = lanes.load(dist, cell + np.uint64(i))
        factors = lanes.where_less(here, limit, factors_of(here, decay), nothing)
        for c in range(len(amounts)):
            more = lanes.multiply(factors, amounts[c, position + i])
            lanes.store(totals, first + np.uint64(c), lanes.add(lanes.load(totals, first + np.uint64(c)), more))


@kernel
def sweep_folds(
    down: DownArcs, couples, gates, dist, index, touched, offers, b, sums, counts, greatest, inverses, thresholds,
    amounts, totals, decay, limit, stop,
):  # fmt: skip
    """Settle all vertices as `sweep_rows` does, and fold the distances below ``limit`` into row ``b`` of every fold.

    ``sums``: their sums. ``counts``: their number. ``greatest``: the greatest. ``inverses``: the sum of 1 / distance
    over those that are not 0. ``totals``: for every row of ``amounts`` and every threshold, the amounts at distances
    below it; with a ``decay``, and one threshold, times a factor of the distance. Positions are added up in parts, so
    that a GPU can add up all parts at once and give the same bits (kernels/gpu/reduce.cl).
    """
    far = lanes.splat(dist, down.infinity)
    room, t = np.int64(SUM_PART), np.int64(0)
    if sums is not None:
        total = lanes.splat(sums, 0)
        part = total
    if counts is not None:
        tally = lanes.splat(counts, 0)
    if greatest is not None:
        most = lanes.splat(greatest, 0)
    if inverses is not None:
        inverse = lanes.splat(inverses, 0)
    if totals is not None:
        first = np.uint64(b * len(amounts) * len(thresholds))
        for row in range(len(amounts) * len(thresholds)):
            lanes.store(totals, first + np.uint64(row), lanes.splat(totals, 0))
    for u in range(len(down.units) - 1):
        if stop[0] != 0:
            return
        begin, end = np.int64(down.units[u]), np.int64(down.units[u + 1])
        cell = np.uint64(min(begin, np.int64(down.tops)))
        if u > 0:  # unit 0 is the core, settled before
            if gates is not None:  # noqa: SIM102 - Numba leaves the whole out if it is None
                if u > 1 and touched[t] >= end and is_far(gates, u, dist, far):
                    continue
            if couples is None:
                t = sweep_unit(down, u, dist, index, touched, t, offers, far, cell)
            else:
                t = sweep_couples(couples, down, u, dist, index, touched, t, offers, far, cell)
        if decay is not None:
            fold_decay(dist, cell, end - begin, thresholds[0], decay, amounts, begin, totals, first)
        elif totals is not None:
            fold_steps(dist, cell, end - begin, thresholds, amounts, begin, totals, first)
        left = end - begin
        while left > 0:
            count = min(left, room)
            for i in range(count):
                here = lanes.load(dist, cell + np.uint64(i))
                if sums is not None:
                    part = lanes.add_below(part, here, limit)
                if counts is not None:
                    tally = lanes.where_less(here, limit, lanes.add(tally, 1), tally)
                if greatest is not None:
                    most = lanes.where_less(here, limit, lanes.where_less(most, here, here, most), most)
                if inverses is not None:
                    inverse = lanes.add_inverse_below(inverse, here, limit)
            cell += np.uint64(count)
            left -= count
            room -= count
            if room == 0:
                room = np.int64(SUM_PART)
                if sums is not None:
                    total = lanes.add(total, part)
                    part = lanes.splat(sums, 0)
    if sums is not None:
        lanes.store(sums, b, lanes.add(total, part))
    if counts is not None:
        lanes.store(counts, b, tally)
    if greatest is not None:
        lanes.store(greatest, b, most)
    if inverses is not None:
        lanes.store(inverses, b, inverse)


@kernel
def fold_batches(
    up: UpArcs, down: DownArcs, couples, core, closed, offers: Offers, before, seeds, starts, ends, dist, gates,
    folds: Folds, limit, stop,
):  # fmt: skip
    """Fold the distances of each lane of a batch, for every row of ``seeds``, into that row of every fold."""
    count = np.int64(before)
    for b in range(len(seeds)):
        if stop[0] != 0:
            return count
        count = start_batch(up, down.infinity, core, closed, offers, count, seeds[b], starts, ends, dist, stop)
        sweep_folds(
            down, couples, gates, dist, offers.index, offers.touched, offers.values, b, folds.sums, folds.counts,
            folds.greatest, folds.inverses, folds.thresholds, folds.amounts, folds.totals, folds.decay, limit,
            stop,
        )  # fmt: skip
    return count


@kernel
def fold_rows(rows, first, sums, counts, greatest, inverses, thresholds, amounts, totals, limit):
    """Fold the distances below ``limit`` of some rows into the folds, which have one entry per row, from ``first`` on.

    ``totals`` has one row of as many entries as there are pairs of a row of ``amounts`` and a threshold.
    """
    for r in range(len(rows)):
        row, at = rows[r], first + r
        if sums is not None:
            total = sums.dtype.type(0)
            for v in range(len(row)):
                total += row[v] if row[v] < limit else row.dtype.type(0)
            sums[at] = total
        if counts is not None:
            tally = np.int32(0)
            for v in range(len(row)):
                tally += np.int32(1) if row[v] < limit else np.int32(0)
            counts[at] = tally
        if greatest is not None:
            most = row.dtype.type(0)
            for v in range(len(row)):
                reached = row[v] if row[v] < limit else row.dtype.type(0)
                most = reached if reached > most else most
            greatest[at] = most
        if inverses is not None:
            inverse = 0.0
            for v in range(len(row)):
                inverse += 1.0 / row[v] if 0 < row[v] < limit else 0.0
            inverses[at] = inverse
        if totals is not None:
            for c in range(len(amounts)):
                for j in range(len(thresholds)):
                    within = totals.dtype.type(0)
                    for v in range(len(row)):
                        within += amounts[c, v] if row[v] < thresholds[j] else totals.dtype.type(0)
                    totals[at, c * len(thresholds) + j] = within


@kernel
def fold_table(row, unreached, table, amounts, totals):
    """Add up amounts times the factor of their distance, which ``table`` has by distance, for every row of amounts."""
    totals[:] = 0.0
    for v in range(len(row)):
        if row[v] != unreached:
            factor = table[row[v]]
            for c in range(len(amounts)):
                totals[c] += amounts[c, v] * factor
