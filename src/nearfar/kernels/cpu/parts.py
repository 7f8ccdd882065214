"""Cut out the part of a sweep layout that leads to some targets: their ancestors, by position (elimination/part.py)."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .sweep import position_of


@kernel
def mark_ancestors(targets, parents, core, inside):
    """Set ``inside`` to 0 for the targets and all their ancestors; it is -1 before, except for the core."""
    for i in range(len(targets)):
        v = np.int64(targets[i])
        while v >= core and inside[v] < 0:
            inside[v] = 0
            v = np.int64(parents[v])


@kernel
def count_arcs(members, starts, counts):
    """Write the number of arcs of member i to ``counts[i + 1]``."""
    for i in range(len(members)):
        counts[i + 1] = starts[members[i] + 1] - starts[members[i]]


@kernel
def copy_arcs(members, starts, arcs, begins, tops, inside, out_starts, out):
    """Copy the arcs of the members; their heads become positions in the part, which ``inside`` has."""
    for i in range(len(members)):
        v = np.int64(members[i])
        at = out_starts[i]
        for e in range(starts[v], starts[v + 1]):
            u = position_of(np.int64(arcs[e]["head"]), tops, np.int64(begins[v]))
            out[at]["head"] = inside[u]
            out[at]["weight"] = arcs[e]["weight"]
            at += 1


@kernel
def enter_part(touched, count, index, inside, part_touched, part_index):
    """Translate the vertices that a climb touched to positions in a part; return how many of them it has."""
    found = np.int64(0)
    for i in range(count):
        v = inside[touched[i]]
        if v >= 0:
            part_touched[found] = v
            part_index[v] = index[touched[i]]
            found += 1
    part_touched[found] = len(part_index)
    return found
