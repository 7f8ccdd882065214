"""How long a path can be at most that passes through several strongly connected parts of a graph."""

from __future__ import annotations

from ..jit import kernel


@kernel
def longest_through(offsets, arcs, weights, parts, members, starts, within, pending, ready, longest):
    """Write to ``longest`` how long a shortest path that ends in each part can be at most; return the greatest.

    Parts are connected without cycles, and are taken in an order in which every arc leads from an earlier one.
    ``parts[v]`` is the part of a vertex, ``members[starts[c]:starts[c + 1]]`` are the vertices of part c, ``within[c]``
    bounds the distances inside it, and ``pending[c]`` counts the arcs that lead into it from others. ``ready`` has room
    for all parts. ``weights``: those of the arcs, none if all are 1.
    """
    count, at, most = 0, 0, 0
    for c in range(len(starts) - 1):
        longest[c] = within[c]
        if pending[c] == 0:
            ready[count] = c
            count += 1
    while at < count:
        c = ready[at]
        at += 1
        most = max(most, longest[c])
        for i in range(starts[c], starts[c + 1]):
            v = members[i]
            for e in range(offsets[v], offsets[v + 1]):
                d = parts[arcs[e]["head"]]
                if d == c:
                    continue
                weight = weights[e] if len(weights) > 0 else 1
                longest[d] = max(longest[d], longest[c] + weight + within[d])
                pending[d] -= 1
                if pending[d] == 0:
                    ready[count] = d
                    count += 1
    return most
