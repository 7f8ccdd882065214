"""The weights of a skeleton's slots, and which of their arcs a search needs.

Integers are summed as int64, whatever the graph has: a way over several vertices may be longer than any arc.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..devices import cpu
from ..graph import Graph
from .eliminate import Skeleton
from .tuning import PIECES, TOGETHER

WHOLE_INFINITY = 2**62 - 1  # twice of it is still an int64


Best = tuple[np.ndarray, np.ndarray]
"""The lengths of the shortest ways to the heads of all slots over higher vertices or the slot itself, and from them."""


@dataclass(frozen=True)
class Slots:
    """The weights of every slot: of the arc to the head (outs) and of the arc from it (ins), infinity for none.

    ``keep`` has bit 0 (OUT) where the arc to the head is needed, bit 1 (IN) where the arc from it is.
    """

    outs: np.ndarray
    ins: np.ndarray
    keep: np.ndarray
    best: Best | None = field(default=None, compare=False, repr=False)  # if somebody asked for them, `best_of`

    @property
    def infinity(self) -> Any:
        """What stands for no arc."""
        return infinity_of(self.outs.dtype)

    @property
    def symmetric(self) -> bool:
        """Whether all arcs go both ways with the same weight."""
        return self.outs is self.ins

    @property
    def nbytes(self) -> int:
        """Memory of the arrays; those that are the same count once."""
        arrays = (self.outs, self.ins, self.keep, *(self.best or ()))
        return sum({id(array): array.nbytes for array in arrays}.values())


OUT, IN = np.uint8(1), np.uint8(2)


def infinity_of(dtype: np.dtype) -> Any:
    """Return what stands for no arc in a type of sums."""
    return dtype.type(np.inf) if dtype.kind == "f" else np.int64(WHOLE_INFINITY)


def weights_of(graph: Graph) -> np.ndarray:
    """Return the weights in the type of sums: int64 or the graph's floats."""
    if graph.weights is None:
        return np.ones(graph.m, np.int64)
    return graph.weights.astype(np.int64 if graph.weights.dtype.kind == "i" else graph.weights.dtype)


def weigh(graph: Graph, skeleton: Skeleton, threads: int, stop: np.ndarray) -> Slots | int:
    """Return the weights of all slots, or a vertex on a negative cycle."""
    from ..kernels.cpu.customize import customize, seat

    weights = weights_of(graph)
    infinity = infinity_of(weights.dtype)
    outs, ins = (np.full(len(skeleton.heads), infinity, weights.dtype) for _ in range(2))
    up, heads = skeleton.up, skeleton.heads
    looped = seat(graph.offsets, graph.arcs, weights, skeleton.places, up, heads, outs, ins)
    if looped >= 0:
        return int(looped)
    found = customize(up, heads, outs, ins, skeleton.core, infinity, 0, skeleton.n, stop)
    if found >= 0:
        return int(skeleton.vertices[found])
    return sharpened(skeleton, outs, ins, graph.min_weight < 0, threads, stop)


def sharpened(
    skeleton: Skeleton, outs: np.ndarray, ins: np.ndarray, negative: bool, threads: int, stop: np.ndarray
) -> Slots:
    """Return the slots with the arcs marked that are needed.

    Where negative floats are summed in another order, two ways may each seem shorter than the other: nothing is dropped
    then but what is no arc.
    """
    ins = same_if_equal(outs, ins)
    if negative and outs.dtype.kind == "f":
        infinity = infinity_of(outs.dtype)
        keep = (outs < infinity).astype(np.uint8) * OUT | (ins < infinity).astype(np.uint8) * IN
        return Slots(outs, ins, keep)
    return Slots(outs, ins, _sharpen(skeleton, outs, ins, threads, stop)[0])


def best_of(skeleton: Skeleton, slots: Slots, threads: int, stop: np.ndarray) -> Best | None:
    """Return the shortest ways of all slots, which are found and kept when first asked for; None when stopped."""
    if slots.best is None:
        _, best_outs, best_ins = _sharpen(skeleton, slots.outs, slots.ins, threads, stop)
        if stop[0]:
            return None
        best = (best_outs, same_if_equal(best_outs, best_ins))
        object.__setattr__(slots, "best", best)  # it follows from what is frozen
    return slots.best


def same_if_equal(outs: np.ndarray, ins: np.ndarray) -> np.ndarray:
    """Return ``outs`` if all arcs weigh the same both ways, else ``ins``."""
    return outs if np.array_equal(outs, ins) else ins


def _sharpen(
    skeleton: Skeleton, outs: np.ndarray, ins: np.ndarray, threads: int, stop: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which arcs are needed, and the shortest ways that told; threads share the subtrees."""
    from ..kernels.cpu.customize import sharpen

    keep, best_outs, best_ins = np.empty(len(outs), np.uint8), np.empty_like(outs), np.empty_like(ins)
    given = (
        skeleton.up, skeleton.heads, outs, ins, best_outs, best_ins, keep, skeleton.core, infinity_of(outs.dtype), stop,
    )  # fmt: skip
    if threads == 1 or skeleton.n < TOGETHER:
        sharpen(np.arange(skeleton.n, dtype=np.int32), *given)
    else:
        tops, *families = skeleton.families(skeleton.n // (PIECES * threads))
        sharpen(tops, *given)
        cpu.share_out(lambda: lambda i: sharpen(families[i], *given), len(families), threads, stop)
    return keep, best_outs, best_ins
