"""Weakly connected components by a union-find forest that all threads share.

Every vertex has a parent, at first itself, and never one with a greater index, so there are no cycles. An arc joins the
trees of its ends: the greater root gets the smaller one as its parent, by compare-and-swap, so no thread undoes what
another one did. After all arcs, the roots are the least vertices of the components. (Anderson, Woll: Wait-free parallel
algorithms for the union-find problem. STOC 1991.)
"""

from __future__ import annotations

from typing import Any

from ..jit import inlined, kernel
from .atomics import load, store, swap_if


@inlined
def _find(v: Any, parents: Any) -> Any:
    """Return the root of a vertex; on the way up, vertices get their grandparents as parents (path halving)."""
    above = load(parents, v)
    while True:
        higher = load(parents, above)
        if higher == above:
            return above
        store(parents, v, higher)  # never a root's: only compare-and-swap changes those
        v, above = higher, load(parents, higher)


@kernel
def join_rows(offsets: Any, heads: Any, first: Any, parents: Any) -> int:
    """Join the ends of all arcs in some rows; return how many are loops. Entry i of ``offsets`` is of ``first + i``."""
    loops = 0
    for i in range(len(offsets) - 1):
        u = first + i
        root = load(parents, u)
        for e in range(offsets[i], offsets[i + 1]):
            v = heads[e]
            loops += v == u
            if parents[v] == root:  # as for most arcs inside a large component
                continue
            other, root = _find(v, parents), _find(root, parents)
            while other != root:
                if swap_if(parents, max(other, root), max(other, root), min(other, root)):
                    other = root = min(other, root)
                else:
                    other, root = _find(other, parents), _find(root, parents)
    return loops


@kernel
def count_members(parents: Any, members: Any) -> None:
    """Add each vertex to the members of its root; every vertex gets the root as its parent."""
    for v in range(len(parents)):
        parents[v] = parents[parents[v]]  # the parent has a smaller index, so its parent is the root already
        members[parents[v]] += 1
