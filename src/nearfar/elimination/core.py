"""The core: the small, dense graph that elimination leaves, and how it is searched for LANES sources at once.

`Core` keeps its arcs and searches them in rounds (kernels/cpu/core.py). `ClosedCore` keeps the matrix of all distances
between its vertices, for cores that are small and have many arcs: a search then is one pass over rows of the matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.cpu.arguments import ClosedMatrix, SearchedCore
from .layout import infinity_of_lanes, new_lanes
from .shortcuts import infinity_of
from .tuning import CLOSED_CORE, CLOSED_SHARE

if TYPE_CHECKING:
    from .eliminate import Structure
    from .landmarks import Landmarks
    from .shortcuts import Shortcuts
    from .solvers import Solvers


def search_core(core: SearchedCore | ClosedMatrix, dist: np.ndarray, stop: np.ndarray) -> int:
    """Lower the rows of lanes of the core to shortest distances, unless a flag is raised; return the arcs relaxed."""
    from ..kernels.cpu.core import settle_closed, settle_core

    if isinstance(core, ClosedMatrix):
        return int(settle_closed(core.matrix, core.infinity, dist, core.offers, core.givers, stop))
    return int(settle_core(*core[:8], dist, *core[8:], stop))


@dataclass(frozen=True)
class Core:
    """The arcs of the core, sorted by tail and sorted by head, with weights in the type of the lanes."""

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

    def with_space(self) -> SearchedCore:
        """Return the core as kernels take it, with work space of its own."""
        c = len(self.offsets) - 1
        return SearchedCore(
            self.offsets, self.heads, self.weights, self.in_offsets, self.tails, self.in_weights, self.infinity,
            self.weights.dtype.type(0), np.empty(c, np.int32), np.empty(c, np.int32), np.empty(c, np.uint8),
        )  # fmt: skip


@dataclass(frozen=True)
class ClosedCore:
    """A dense core as the matrix of all its distances: one relaxation from every vertex with an offer settles it."""

    matrix: np.ndarray
    heads: np.ndarray  # of its arcs; only their number is used

    @property
    def nbytes(self) -> int:
        """Memory of the matrix."""
        return self.matrix.nbytes

    def with_space(self) -> ClosedMatrix:
        """Return the matrix as kernels take it, with work space of its own."""
        c, dtype = len(self.matrix), self.matrix.dtype
        return ClosedMatrix(self.matrix, infinity_of_lanes(dtype), new_lanes(c, dtype), np.empty(c, np.int32))


def make_core(
    structure: Structure,
    shortcuts: Shortcuts,
    dtype: np.dtype,
    infinity: Any,
    landmarks: Landmarks | None,
    threads: int,
    stop: np.ndarray,
    solvers: Solvers,
) -> Core | ClosedCore:
    """Return the core of a weighted structure; ``landmarks`` of the graph, if any, prune its shortcuts."""
    c = structure.core
    end = int(structure.up[c])
    low = np.repeat(np.arange(c), np.diff(structure.up[: c + 1]))
    high = structure.heads[:end]
    far = infinity_of(shortcuts.outs.dtype)
    outs, ins = shortcuts.outs[:end], shortcuts.ins[:end]
    tails = np.concatenate((low[outs < far], high[ins < far])).astype(np.int32)
    heads = np.concatenate((high[outs < far], low[ins < far])).astype(np.int32)
    weights = np.concatenate((outs[outs < far], ins[ins < far])).astype(dtype)
    offsets, tails, heads, weights = _rows(c, tails, heads, weights)
    if landmarks is not None:
        keep = ~_superfluous(structure, landmarks, offsets, heads, weights, stop)
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
    """Return a dense core with its matrix closed: every entry becomes the distance between two vertices."""
    matrix = np.full((c, c), infinity, weights.dtype)
    matrix[tails, heads] = weights  # elimination has left at most one arc from one vertex to another
    np.fill_diagonal(matrix, 0)
    close(matrix)
    return ClosedCore(matrix, heads)


def _superfluous(
    structure: Structure,
    landmarks: Landmarks,
    offsets: np.ndarray,
    heads: np.ndarray,
    weights: np.ndarray,
    stop: np.ndarray,
) -> np.ndarray:
    """Mark the arcs of the core that are longer than a path over a landmark."""
    from .prune import prune_again

    vertices = np.empty(structure.core, np.int64)
    inside = np.flatnonzero(structure.ranks < structure.core)
    vertices[structure.ranks[inside]] = inside
    return prune_again(landmarks, structure.n, vertices, offsets, heads, weights, stop)


def _rows(
    c: int, tails: np.ndarray, heads: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Sort arcs by tail, then head; return (offsets, tails, heads, weights)."""
    order = np.lexsort((heads, tails))
    offsets = np.zeros(c + 1, np.int32)
    np.cumsum(np.bincount(tails, minlength=c), out=offsets[1:])
    return offsets, tails[order], heads[order], weights[order]
