"""An order of all vertices in which neighbours mostly follow each other: depth first along the arcs."""

from __future__ import annotations

from ..jit import kernel


@kernel
def depth_first(offsets, arcs, order, seen, following, stack):
    """Fill ``order`` with all vertices, each as soon as a walk along unseen vertices comes to it.

    ``seen`` is False everywhere at first, ``following`` are the offsets; ``stack`` has room for all vertices.
    """
    n, count = len(order), 0
    for root in range(n):
        if seen[root]:
            continue
        depth = 0
        stack[0] = root
        seen[root] = True
        order[count] = root
        count += 1
        while depth >= 0:
            v = stack[depth]
            e, end = following[v], offsets[v + 1]
            while e < end and seen[arcs[e]["head"]]:
                e += 1
            following[v] = e
            if e == end:
                depth -= 1
                continue
            u = arcs[e]["head"]
            seen[u] = True
            order[count] = u
            count += 1
            depth += 1
            stack[depth] = u
