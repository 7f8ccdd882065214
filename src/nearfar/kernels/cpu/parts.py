"""The part of an eliminated graph that leads to some targets (elimination/part.py)."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .sweep import number_of


@kernel
def mark_ancestors(numbers, parents, core, inside):
    """Set ``inside`` to 0 for some vertices and all their ancestors; it is -1 before, but for the core."""
    for i in range(len(numbers)):
        v = np.int64(numbers[i])
        while v >= core and inside[v] < 0:
            inside[v] = 0
            v = np.int64(parents[v])


@kernel
def count_arcs(numbers, starts, counts):
    """Write how many arcs each of some vertices has, one place further on."""
    for i in range(len(numbers)):
        counts[i + 1] = starts[numbers[i] + 1] - starts[numbers[i]]


@kernel
def copy_arcs(numbers, starts, arcs, begins, tops, inside, out_starts, out):
    """Copy the arcs of some vertices, with the numbers that ``inside`` gives their heads."""
    for i in range(len(numbers)):
        v = np.int64(numbers[i])
        at = out_starts[i]
        for e in range(starts[v], starts[v + 1]):
            u = number_of(np.int64(arcs[e]["head"]), tops, np.int64(begins[v]))
            out[at]["head"] = inside[u]
            out[at]["weight"] = arcs[e]["weight"]
            at += 1


@kernel
def enter_part(touched, count, index, inside, part_touched, part_index):
    """Bring the vertices that climbing touched into the numbers of a part; return how many of them it has."""
    found = np.int64(0)
    for i in range(count):
        v = inside[touched[i]]
        if v >= 0:
            part_touched[found] = v
            part_index[v] = index[touched[i]]
            found += 1
    part_touched[found] = len(part_index)
    return found
