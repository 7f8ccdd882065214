"""What other libraries want of arrays: a digest of their bytes, and SciPy's marks in trees of predecessors."""

from __future__ import annotations

import numpy as np

from ..jit import kernel

FIRST, SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)  # odd, so that products tell words apart


@kernel
def digest(words, state):
    """Mix the words of an array into the four lanes of a state.

    Every step is a bijection of its lane, so a single word that changes always changes the state; several do so with a
    chance of all but 2**-64 each.
    """
    lanes = len(words) // 4
    a, b, c, d = state[0], state[1], state[2], state[3]
    for i in range(lanes):
        a = (a ^ words[4 * i]) * FIRST
        b = (b ^ words[4 * i + 1]) * FIRST
        c = (c ^ words[4 * i + 2]) * FIRST
        d = (d ^ words[4 * i + 3]) * FIRST
        a ^= a >> np.uint64(29)
        b ^= b >> np.uint64(31)
        c ^= c >> np.uint64(33)
        d ^= d >> np.uint64(35)
    for i in range(4 * lanes, len(words)):
        a = (a ^ words[i]) * SECOND
        a ^= a >> np.uint64(31)
    state[0], state[1], state[2], state[3] = a, b, c, d


@kernel
def mark_trees(offsets, arcs, lengths, rows, sources, trees, mark):
    """Write ``mark`` where a tree has no vertex, and a source before those to which an arc of it is a shortest path.

    ``lengths``: the weights of the arcs as floats, of which there are none if all are 1.
    """
    for r in range(len(rows)):
        row, tree, source = rows[r], trees[r], sources[r]
        for v in range(len(tree)):
            if tree[v] < 0:
                tree[v] = mark
        for e in range(offsets[source], offsets[source + 1]):
            v = arcs[e]["head"]
            length = lengths[e] if len(lengths) > 0 else 1.0
            if v != source and row[v] == length:
                tree[v] = source
