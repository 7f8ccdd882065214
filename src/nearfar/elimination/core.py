"""What elimination left: a small, tangled graph, searched for LANES sources at once (kernels/cpu/core.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .layout import infinity_of_lanes, new_lanes
from .shortcuts import infinity_of
from .tuning import CLOSED_CORE, CLOSED_SHARE

if TYPE_CHECKING:
    from .eliminate import Skeleton
    from .landmarks import Landmarks
    from .shortcuts import Slots
    from .solvers import Solvers

Search = Callable[[np.ndarray, np.ndarray], int]
"""Lower the core's rows of lanes to the shortest distances until a flag is raised; return the arcs looked at."""


@dataclass(frozen=True)
class Core:
    """The graph that is left, by tails and by heads, with weights of the type of the lanes."""

    offsets: np.ndarray
    heads: np.ndarray
    weights: np.ndarray
    in_offsets: np.ndarray
    tails: np.ndarray
    in_weights: np.ndarray
    infinity: Any

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    def searcher(self) -> Search:
        """Return a search with work space of its own."""
        from ..kernels.cpu.core import settle_core

        c = len(self.offsets) - 1
        pending, following, listed = np.empty(c, np.int32), np.empty(c, np.int32), np.empty(c, np.uint8)
        lightest = self.weights.dtype.type(0)

        def search(dist: np.ndarray, stop: np.ndarray) -> int:
            return settle_core(
                self.offsets, self.heads, self.weights, self.in_offsets, self.tails, self.in_weights, self.infinity,
                lightest, dist, pending, following, listed, stop,
            )  # fmt: skip

        return search


@dataclass(frozen=True)
class ClosedCore:
    """A dense core: all its distances, so that a search is one step from every vertex with an offer."""

    matrix: np.ndarray
    heads: np.ndarray  # of its arcs, to be counted

    @property
    def nbytes(self) -> int:
        """Memory of the matrix."""
        return self.matrix.nbytes

    def searcher(self) -> Search:
        """Return a search with work space of its own."""
        from ..kernels.cpu.core import settle_closed

        offers = new_lanes(len(self.matrix), self.matrix.dtype)
        givers = np.empty(len(self.matrix), np.int32)

        def search(dist: np.ndarray, stop: np.ndarray) -> int:
            return settle_closed(self.matrix, infinity_of_lanes(self.matrix.dtype), dist, offers, givers, stop)

        return search


def make_core(
    skeleton: Skeleton,
    slots: Slots,
    dtype: np.dtype,
    infinity: Any,
    asked: Landmarks | None,
    threads: int,
    stop: np.ndarray,
    solvers: Solvers,
) -> Core | ClosedCore:
    """Return the core of a weighted skeleton; ``asked``: landmarks of the graph, to prune the arcs that arose."""
    c = skeleton.core
    end = int(skeleton.up[c])
    low = np.repeat(np.arange(c), np.diff(skeleton.up[: c + 1]))
    high = skeleton.heads[:end]
    far = infinity_of(slots.outs.dtype)
    outs, ins = slots.outs[:end], slots.ins[:end]
    tails = np.concatenate((low[outs < far], high[ins < far])).astype(np.int32)
    heads = np.concatenate((high[outs < far], low[ins < far])).astype(np.int32)
    weights = np.concatenate((outs[outs < far], ins[ins < far])).astype(dtype)
    offsets, tails, heads, weights = _rows(c, tails, heads, weights)
    if asked is not None:
        keep = ~_superfluous(skeleton, asked, offsets, heads, weights, stop)
        offsets, tails, heads, weights = _rows(c, tails[keep], heads[keep], weights[keep])
    if c <= CLOSED_CORE and len(heads) > CLOSED_SHARE * c * c:
        return _closed(
            c, tails, heads, weights, infinity, lambda matrix: solvers.close_matrix(matrix, c, threads, stop)
        )
    in_offsets, _, in_tails, in_weights = _rows(c, heads, tails, weights)
    return Core(offsets, heads, weights, in_offsets, in_tails, in_weights, infinity)


def _closed(
    c: int,
    tails: np.ndarray,
    heads: np.ndarray,
    weights: np.ndarray,
    infinity: Any,
    close: Callable[[np.ndarray], bool],
) -> ClosedCore:
    """Close the matrix of a dense core."""
    matrix = np.full((c, c), infinity, weights.dtype)
    matrix[tails, heads] = weights  # of parallel arcs elimination has left one
    np.fill_diagonal(matrix, 0)
    close(matrix)
    return ClosedCore(matrix, heads)


def _superfluous(
    skeleton: Skeleton, asked: Landmarks, offsets: np.ndarray, heads: np.ndarray, weights: np.ndarray, stop: np.ndarray
) -> np.ndarray:
    """Mark the core's arcs that a way over a landmark beats."""
    from .prune import prune_again

    vertices = np.empty(skeleton.core, np.int64)
    inside = np.flatnonzero(skeleton.places < skeleton.core)
    vertices[skeleton.places[inside]] = inside
    return prune_again(asked, skeleton.n, vertices, offsets, heads, weights, stop)


def _rows(
    c: int, tails: np.ndarray, heads: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Sort arcs by tail, then head; return (offsets, tails, heads, weights)."""
    order = np.lexsort((heads, tails))
    offsets = np.zeros(c + 1, np.int32)
    np.cumsum(np.bincount(tails, minlength=c), out=offsets[1:])
    return offsets, tails[order], heads[order], weights[order]
