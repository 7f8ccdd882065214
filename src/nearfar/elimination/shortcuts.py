"""The weights of shortcuts, and which of them queries need: `Shortcuts`.

Each shortcut of a `Structure` joins a vertex to a neighbour of smaller rank and has two weights, one per direction.
They are found from the leaves of the elimination tree up (*customize*: each vertex offers the paths over it to the
shortcuts between its neighbours), then it is decided from the root down which arcs are needed (*sharpen*);
kernels/cpu/customize.py explains both. In customizable contraction hierarchies (Dibbelt, Strasser, Wagner 2016) these
are the basic and the perfect customization.

Integers are summed as int64 whatever type the graph has: a path over several vertices may be longer than any arc.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..devices import cpu
from ..graph import Graph
from .eliminate import Structure
from .tuning import PIECES, TOGETHER

WHOLE_INFINITY = 2**62 - 1  # twice that is still an int64
HALF_INFINITY = 2**30 - 1  # and twice that an int32


Best = tuple[np.ndarray, np.ndarray]
"""For each shortcut: the length of the shortest path to its head, by its arc or over higher vertices; and back."""


@dataclass(frozen=True)
class Shortcuts:
    """The weights of all shortcuts: of the arc to the head (outs) and of the arc from it (ins), infinity for none.

    ``keep`` has bit 0 (OUT) where the arc to the head is needed, bit 1 (IN) where the arc from it is.
    """

    outs: np.ndarray
    ins: np.ndarray
    keep: np.ndarray
    best: Best | None = field(default=None, compare=False, repr=False)  # once `best_of` has found them

    @property
    def infinity(self) -> Any:
        """What stands for no arc."""
        return infinity_of(self.outs.dtype)

    @property
    def symmetric(self) -> bool:
        """Whether all arcs have the same weight in both directions."""
        return self.outs is self.ins

    @property
    def nbytes(self) -> int:
        """Memory of the arrays; an array used twice counts once."""
        arrays = (self.outs, self.ins, self.keep, *(self.best or ()))
        return sum({id(array): array.nbytes for array in arrays}.values())


OUT, IN = np.uint8(1), np.uint8(2)


def infinity_of(dtype: np.dtype) -> Any:
    """Return what stands for no arc in a type of sums."""
    if dtype.kind == "f":
        return dtype.type(np.inf)
    return np.int32(HALF_INFINITY) if dtype == np.int32 else np.int64(WHOLE_INFINITY)


def weights_of(graph: Graph) -> np.ndarray:
    """Return the weights in the type of sums: int64, or the float type of the graph."""
    if graph.weights is None:
        return np.ones(graph.m, np.int64)
    return graph.weights.astype(np.int64 if graph.weights.dtype.kind == "i" else graph.weights.dtype)


def weigh(graph: Graph, structure: Structure, threads: int, stop: np.ndarray) -> Shortcuts | int:
    """Return the weights of all shortcuts, or a vertex on a negative cycle."""
    from ..kernels.cpu.customize import assign_arcs, customize

    weights = weights_of(graph)
    infinity = infinity_of(weights.dtype)
    outs, ins = (np.full(len(structure.heads), infinity, weights.dtype) for _ in range(2))
    up, heads = structure.up, structure.heads
    given = (graph.offsets, graph.arcs, weights, structure.ranks, up, heads, outs, ins)
    looped = assign_arcs(*given, False, 0, graph.n)
    if looped >= 0:
        return int(looped)
    found = customize(up, heads, outs, ins, structure.core, infinity, 0, structure.n, stop)
    if found >= 0:
        return int(structure.vertices[found])
    return sharpened(structure, outs, ins, graph.min_weight < 0, threads, stop)


def sharpened(
    structure: Structure, outs: np.ndarray, ins: np.ndarray, negative: bool, threads: int, stop: np.ndarray
) -> Shortcuts:
    """Return the shortcuts with the needed arcs marked.

    Where negative floats are summed in another order, each of two paths may seem shorter than the other: then every arc
    is kept.
    """
    ins = same_if_equal(outs, ins)
    if negative and outs.dtype.kind == "f":
        infinity = infinity_of(outs.dtype)
        keep = (outs < infinity).astype(np.uint8) * OUT | (ins < infinity).astype(np.uint8) * IN
        return Shortcuts(outs, ins, keep)
    return Shortcuts(outs, ins, _sharpen(structure, outs, ins, threads, stop)[0])


def best_of(structure: Structure, shortcuts: Shortcuts, threads: int, stop: np.ndarray) -> Best | None:
    """Return the shortest paths of all shortcuts, found at the first call and kept; None if stopped."""
    if shortcuts.best is None:
        _, best_outs, best_ins = _sharpen(structure, shortcuts.outs, shortcuts.ins, threads, stop)
        if stop[0]:
            return None
        best = (best_outs, same_if_equal(best_outs, best_ins))
        object.__setattr__(shortcuts, "best", best)  # a cache: it follows from the frozen fields
    return shortcuts.best


def same_if_equal(outs: np.ndarray, ins: np.ndarray) -> np.ndarray:
    """Return ``outs`` if both arrays are equal, so that one array serves both directions, else ``ins``."""
    return outs if np.array_equal(outs, ins) else ins


def _sharpen(
    structure: Structure, outs: np.ndarray, ins: np.ndarray, threads: int, stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which arcs are needed, and the shortest paths that decide it; threads share the subtrees."""
    from ..kernels.cpu.customize import sharpen

    keep, best_outs, best_ins = np.empty(len(outs), np.uint8), np.empty_like(outs), np.empty_like(ins)
    given = (
        structure.up, structure.heads, outs, ins, best_outs, best_ins, keep, structure.core, infinity_of(outs.dtype),
        stop,
    )  # fmt: skip
    if threads == 1 or structure.n < TOGETHER:
        sharpen(np.arange(structure.n, dtype=np.int32), *given)
    else:
        tops, *families = structure.families(structure.n // (PIECES * threads))
        sharpen(tops, *given)
        cpu.share_out(lambda: lambda i: sharpen(families[i], *given), len(families), threads, stop)
    return keep, best_outs, best_ins
