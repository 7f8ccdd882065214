"""The weights of shortcuts, found in dense blocks: what customize.py does vertex by vertex. No negative weights.

A *block* is a run of ranks whose shortcuts lead to the same ancestors and to each other: consecutive ranks, the highest
first. Its *front* is the list of these ancestors, ascending, followed by its own ranks. What a front holds is a matrix;
the shortcuts of the block are its last rows. Matrices are kept as lower triangles: entry (i, j), j < i, of ``out`` is
the arc from i to j, of ``back`` that from j to i; what lies at and above the diagonal, up to the end of a vector, is
infinite. If weights are the same in both directions, ``both`` is False and ``back`` is ``out``.

From the leaves up (in sparse Cholesky factorization this is the multifrontal method, Duff and Reid 1983): the front of
a block takes its arcs and what its children offer (`assemble`); its own ranks are eliminated in *panels* of a few, the
lowest first (`eliminate_panel`, `offer_rows`); what is left, the entries between ancestors, is offered to the parent
(`keep_offers`). sharpen_fronts.py goes from the root down.

Rows have ``pitch`` entries, a multiple of LANES. Invariant: an entry is at most ``infinity``, and twice that does not
wrap.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from . import lanes
from .constants import LANES

PANEL = 32  # own ranks that are eliminated together


@inlined
def padded(count):
    """Return the least multiple of LANES that is not less."""
    return (count + LANES - 1) // LANES * LANES


@inlined
def above_of(block, first, up):
    """Return how many ancestors a block has outside."""
    return np.int64(up[first[block] + 1]) - np.int64(up[first[block]])


@kernel
def find_blocks(parents, up, first):
    """Write the first rank of every block, and the number of ranks; return the number of blocks."""
    n, count = len(parents), np.int64(0)
    for v in range(n):
        if v == 0 or parents[v] != v - 1 or up[v + 1] - up[v] != up[v] - up[v - 1] + 1:
            first[count] = v
            count += 1
    first[count] = n
    return count


@kernel
def relate(up, heads, first, child, block, relative):
    """Write where the ancestors of a child block are in the front of its parent; return their number."""
    begin, count = np.int64(up[first[child]]), above_of(child, first, up)
    base, size = np.int64(up[first[block]]), above_of(block, first, up)
    at, i = base, np.int64(0)
    while i < count and heads[begin + i] < first[block]:
        while heads[at] != heads[begin + i]:
            at += 1
        relative[i] = at - base
        i += 1
    while i < count:
        relative[i] = size + heads[begin + i] - first[block]
        i += 1
    return count


@kernel
def add_offers(matrix, pitch, held, source, count, relative):
    """Lower the entries of a front to what a child offers: ``held[source:]``, rows of ``padded(count)`` entries."""
    step = padded(count)
    for i in range(1, count):
        row, begin = np.int64(relative[i]) * pitch, source + i * step
        for j in range(i):
            at = row + relative[j]
            matrix[at] = min(matrix[at], held[begin + j])


@kernel
def load_rows(matrix, begin, pitch, up, low, high, weights, infinity):
    """Write the shortcuts of ranks to rows of a matrix, one after the other; the rest of each row is infinite."""
    for v in range(low, high):
        s, count = np.int64(up[v]), np.int64(up[v + 1]) - np.int64(up[v])
        at = begin + (v - low) * pitch
        for j in range(count):
            matrix[at + j] = weights[s + j]
        for j in range(count, pitch):
            matrix[at + j] = infinity


@kernel
def store_rows(matrix, begin, pitch, up, low, high, weights):
    """Write rows of a matrix back to the shortcuts of ranks."""
    for v in range(low, high):
        s, count = np.int64(up[v]), np.int64(up[v + 1]) - np.int64(up[v])
        at = begin + (v - low) * pitch
        for j in range(count):
            weights[s + j] = matrix[at + j]


@inlined
def clear_above(matrix, pitch, low, high, infinity):
    """Make entries at and above the diagonal infinite again."""
    for i in range(low, high):
        for j in range(i, padded(i + 1)):
            matrix[i * pitch + j] = infinity


@kernel
def assemble(block, first, up, heads, weights, matrix, owners, begin, end, held, relative, infinity):
    """Write the front of a block: its shortcuts, and what its children offer.

    ``owners`` has two numbers for each of the children ``begin`` to ``end`` - 1: its block, and where its offers are in
    ``held``.
    """
    low, high, above = first[block], first[block + 1], above_of(block, first, up)
    pitch = padded(above + high - low)
    far = lanes.all_lanes(matrix, infinity)
    for i in range(above):
        for t in range(0, padded(i + 1), LANES):
            lanes.store_at(matrix, i * pitch + t, far)
    load_rows(matrix, above * pitch, pitch, up, low, high, weights, infinity)
    for c in range(begin, end):
        count = relate(up, heads, first, owners[2 * c], block, relative)
        add_offers(matrix, pitch, held, owners[2 * c + 1], count, relative)


@inlined
def lower_row(matrix, pitch, i, k, through):
    """Lower row i to the ways over k, which is ``through`` away from i."""
    for t in range(0, padded(i), LANES):
        offered = lanes.add(lanes.load_at(matrix, k * pitch + t), through)
        lanes.store_at(matrix, i * pitch + t, lanes.minimum(offered, lanes.load_at(matrix, i * pitch + t)))


@kernel
def eliminate_panel(out, back, pitch, low, high, both, infinity):
    """Eliminate the rows ``low`` to ``high`` - 1 of a front among themselves, the lowest vertex first: the last row."""
    for k in range(high - 1, low, -1):
        for i in range(low, k):
            to, fro = back[k * pitch + i], out[k * pitch + i]
            if to < infinity:
                lower_row(out, pitch, i, k, to)
            if both and fro < infinity:
                lower_row(back, pitch, i, k, fro)
        clear_above(out, pitch, low, k, infinity)
        if both:
            clear_above(back, pitch, low, k, infinity)


@kernel
def offer_rows(out, back, pitch, low, high, first, last, infinity):
    """Lower the rows ``first`` to ``last`` - 1 of ``out`` to the ways over the panel ``low`` to ``high`` - 1.

    Four rows are lowered together, all of them up to the last column of the last one.
    """
    i = np.int64(first)
    while i < last:
        rows = min(np.int64(4), last - i)
        one, two, three = i + min(np.int64(1), rows - 1), i + min(np.int64(2), rows - 1), i + rows - 1
        for t in range(0, padded(three), LANES):
            a, b = lanes.load_at(out, i * pitch + t), lanes.load_at(out, one * pitch + t)
            c, d = lanes.load_at(out, two * pitch + t), lanes.load_at(out, three * pitch + t)
            for k in range(low, high):
                row = k * pitch
                x = lanes.load_at(out, row + t)
                a = lanes.minimum(lanes.add(x, back[row + i]), a)
                b = lanes.minimum(lanes.add(x, back[row + one]), b)
                c = lanes.minimum(lanes.add(x, back[row + two]), c)
                d = lanes.minimum(lanes.add(x, back[row + three]), d)
            lanes.store_at(out, i * pitch + t, a)
            lanes.store_at(out, one * pitch + t, b)
            lanes.store_at(out, two * pitch + t, c)
            lanes.store_at(out, three * pitch + t, d)
        i += 4
    clear_above(out, pitch, first, last, infinity)


@kernel
def keep_offers(matrix, pitch, above, held, to):
    """Copy the entries between ancestors out of a front, to rows of ``padded(above)`` entries."""
    step = padded(above)
    for i in range(above):
        for t in range(0, padded(i + 1), LANES):
            lanes.store_at(held, to + i * step + t, lanes.load_at(matrix, i * pitch + t))


@kernel
def measure_stack(begin, last, first, above, up, owners):
    """Return how many entries the offers of a range of blocks take at most at the same time."""
    top, most, waiting = np.int64(0), np.int64(0), 0
    for b in range(last - 1, begin - 1, -1):
        while waiting > 0 and above[owners[2 * (waiting - 1)]] == b:
            waiting -= 1
            top = owners[2 * waiting + 1]
        count = above_of(b, first, up)
        owners[2 * waiting], owners[2 * waiting + 1] = b, top
        waiting += 1
        top += count * padded(count)
        most = max(most, top)
    return most


@kernel
def eliminate_blocks(
    begin, last, first, above, up, heads, outs, ins, both, out, back, held, held_back, owners, relative, infinity, stop
):
    """Weigh the shortcuts of blocks ``begin`` to ``last`` - 1, a subtree; its offers are left at the start of ``held``.

    ``above`` has the parent of every block. Offers that wait for their parent lie on a stack, the last child's highest;
    ``owners`` says whose they are.
    """
    waiting, top = 0, np.int64(0)
    for b in range(last - 1, begin - 1, -1):
        if stop[0] != 0:
            return
        end = waiting
        while waiting > 0 and above[owners[2 * (waiting - 1)]] == b:
            waiting -= 1
            top = owners[2 * waiting + 1]
        low, high, count = np.int64(first[b]), np.int64(first[b + 1]), above_of(b, first, up)
        size = count + high - low
        pitch = padded(size)
        assemble(b, first, up, heads, outs, out, owners, waiting, end, held, relative, infinity)
        if both:
            assemble(b, first, up, heads, ins, back, owners, waiting, end, held_back, relative, infinity)
        panel_end = size
        while panel_end > count:
            panel = max(count, panel_end - PANEL)
            eliminate_panel(out, back, pitch, panel, panel_end, both, infinity)
            offer_rows(out, back, pitch, panel, panel_end, 0, panel, infinity)
            if both:
                offer_rows(back, out, pitch, panel, panel_end, 0, panel, infinity)
            panel_end = panel
        store_rows(out, count * pitch, pitch, up, low, high, outs)
        keep_offers(out, pitch, count, held, top)
        if both:
            store_rows(back, count * pitch, pitch, up, low, high, ins)
            keep_offers(back, pitch, count, held_back, top)
        owners[2 * waiting], owners[2 * waiting + 1] = b, top
        waiting += 1
        top += count * padded(count)
