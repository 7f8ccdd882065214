"""Weigh the slots of some vertices anew (hierarchy/reweight.py), as kernels/customize.py does for all."""

from __future__ import annotations

import numpy as np

from ._jit import kernel
from .customize import find_slot


@kernel
def mark_up(numbers, parents, stale):
    """Mark some vertices and all their ancestors."""
    for i in range(len(numbers)):
        v = np.int64(numbers[i])
        while v >= 0 and not stale[v]:
            stale[v] = True
            v = np.int64(parents[v])


@kernel
def reset_slots(members, up, outs, ins, infinity):
    """Empty the slots of some vertices."""
    for i in range(len(members)):
        for s in range(up[members[i]], up[members[i] + 1]):
            outs[s] = infinity
            ins[s] = infinity


@kernel
def weigh_again(members, up, heads, below_starts, below, outs, ins, infinity):
    """Offer the ways over all deeper vertices to the slots of ``members``, which ascend; the deepest first.

    Returns a vertex on a negative cycle, or -1.
    """
    for i in range(len(members) - 1, -1, -1):
        b = np.int64(members[i])
        for k in range(below_starts[b], below_starts[b + 1]):
            v = np.int64(below[k])
            p = find_slot(up, heads, v, b)
            out_p, in_p = outs[p], ins[p]
            r = np.int64(up[b])
            for q in range(up[v], p):
                a = heads[q]
                while heads[r] != a:
                    r += 1
                if in_p < infinity and outs[q] < infinity:
                    outs[r] = min(outs[r], in_p + outs[q])
                if out_p < infinity and ins[q] < infinity:
                    ins[r] = min(ins[r], ins[q] + out_p)
        for s in range(up[b], up[b + 1]):
            if outs[s] < infinity and ins[s] < infinity and outs[s] + ins[s] < 0:
                return b
    return np.int64(-1)
