"""The weights of a skeleton's slots, and which of their arcs a search needs.

Integers are summed as int64, whatever the graph has: a way over several vertices may be longer than any arc.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graph import Graph
from .skeleton import Skeleton

WHOLE_INFINITY = 2**62 - 1  # twice of it is still an int64


@dataclass(frozen=True)
class Slots:
    """The weights of every slot: of the arc to the head (outs) and of the arc from it (ins), infinity for none.

    ``keep`` has bit 0 (OUT) where the arc to the head is needed, bit 1 (IN) where the arc from it is.
    """

    outs: np.ndarray
    ins: np.ndarray
    keep: np.ndarray

    @property
    def infinity(self) -> Any:
        """What stands for no arc."""
        return infinity_of(self.outs.dtype)

    @property
    def symmetric(self) -> bool:
        """Whether all arcs go both ways with the same weight."""
        return self.outs is self.ins


OUT, IN = np.uint8(1), np.uint8(2)


def infinity_of(dtype: np.dtype) -> Any:
    """Return what stands for no arc in a type of sums."""
    return dtype.type(np.inf) if dtype.kind == "f" else np.int64(WHOLE_INFINITY)


def weights_of(graph: Graph) -> np.ndarray:
    """Return the weights in the type of sums: int64 or the graph's floats."""
    if graph.weights is None:
        return np.ones(graph.m, np.int64)
    return graph.weights.astype(np.int64 if graph.weights.dtype.kind == "i" else graph.weights.dtype)


def weigh(graph: Graph, skeleton: Skeleton, stop: np.ndarray) -> Slots | int:
    """Return the weights of all slots, or a vertex on a negative cycle."""
    from ..kernels.customize import customize, seat

    weights = weights_of(graph)
    infinity = infinity_of(weights.dtype)
    outs, ins = (np.full(len(skeleton.heads), infinity, weights.dtype) for _ in range(2))
    up, heads = skeleton.up, skeleton.heads
    stale = np.ones(skeleton.n, bool)
    looped = seat(graph.offsets, graph.arcs, weights, skeleton.places, up, heads, stale, outs, ins)
    if looped >= 0:
        return int(looped)
    found = customize(up, heads, outs, ins, skeleton.core, infinity, 0, skeleton.n, stop)
    if found >= 0:
        return int(np.flatnonzero(skeleton.places == found)[0])
    return sharpened(skeleton, outs, ins, graph.min_weight < 0, stop)


def sharpened(skeleton: Skeleton, outs: np.ndarray, ins: np.ndarray, negative: bool, stop: np.ndarray) -> Slots:
    """Return the slots with the arcs marked that are needed.

    Where negative floats are summed in another order, two ways may each seem shorter than the other: nothing is dropped
    then but what is no arc.
    """
    from ..kernels.customize import sharpen

    infinity = infinity_of(outs.dtype)
    if np.array_equal(outs, ins):
        ins = outs
    if negative and outs.dtype.kind == "f":
        keep = (outs < infinity).astype(np.uint8) * OUT | (ins < infinity).astype(np.uint8) * IN
        return Slots(outs, ins, keep)
    keep = np.empty(len(outs), np.uint8)
    best_outs, best_ins = np.empty_like(outs), np.empty_like(ins)
    up, heads = skeleton.up, skeleton.heads
    sharpen(up, heads, outs, ins, best_outs, best_ins, keep, skeleton.core, infinity, 0, skeleton.n, stop)
    return Slots(outs, ins, keep)
