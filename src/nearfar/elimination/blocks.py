"""The blocks of a structure: runs of ranks that have the same ancestors, and how threads share them.

Weights are found block by block in dense matrices where blocks are large (fronts.py): in meshes, rasters and other
graphs that were eliminated by nested dissection.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..kernels.cpu.constants import LANES
from .eliminate import Structure
from .tuning import SUBTREES


@dataclass(frozen=True)
class Blocks:
    """The blocks of a structure without a core.

    Attributes
    ----------
    first : int64 array
        The first rank of each block, and the number of ranks. Ancestors come first, as ranks do.
    parents : int32 array
        The block of the nearest ancestor outside, or -1.
    sizes : int64 array
        How many members the front of each block has: its ancestors and its own ranks.
    ends : int64 array
        The block after the last one of the subtree that hangs from each block.
    """

    first: np.ndarray
    parents: np.ndarray
    sizes: np.ndarray
    ends: np.ndarray

    @property
    def count(self) -> int:
        """Number of blocks."""
        return len(self.parents)

    @cached_property
    def sums(self) -> np.ndarray:
        """The sums that each block takes, in one direction, from the leaves up and from the root down."""
        return 1.5 * np.diff(self.first) * self.sizes.astype(np.float64) ** 2

    def above(self, block: int) -> int:
        """Return how many ancestors a block has outside."""
        return int(self.sizes[block] - (self.first[block + 1] - self.first[block]))


@dataclass(frozen=True)
class Shares:
    """How threads share blocks: the ``tops`` one after the other, together; before or after that each a range."""

    tops: list[int]
    ranges: list[tuple[int, int]]  # a subtree, or several that hang from no block; the longest first


def find_blocks(structure: Structure) -> Blocks:
    """Return the blocks of a structure without a core."""
    from ..kernels.cpu import fronts

    first = np.empty(structure.n + 1, np.int64)
    count = int(fronts.find_blocks(structure.parents, structure.up, first))
    first = first[: count + 1].copy()
    block_of = np.repeat(np.arange(count, dtype=np.int32), np.diff(first))
    heads = first[:-1]
    above = structure.parents[heads]
    parents = np.where(above >= 0, block_of[above], -1).astype(np.int32) if count else np.empty(0, np.int32)
    sizes = structure.up[heads + 1] - structure.up[heads] + np.diff(first)
    return Blocks(first, parents, sizes, np.searchsorted(first, heads + structure.sizes[heads]))


def share(blocks: Blocks, threads: int) -> Shares:
    """Return how threads share blocks."""
    if threads == 1 or blocks.count == 0:
        return Shares([], [(0, blocks.count)] if blocks.count else [])
    done = np.concatenate(([0.0], np.cumsum(blocks.sums)))
    work = done[blocks.ends] - done[:-1]
    is_top = work > done[-1] / (SUBTREES * threads)
    hangs = np.where(blocks.parents >= 0, is_top[blocks.parents], True) & ~is_top
    ranges: list[tuple[int, int]] = []
    for root in np.flatnonzero(hangs).tolist():
        end = int(blocks.ends[root])
        free = blocks.parents[root] < 0
        if free and ranges and ranges[-1][1] == root and blocks.parents[ranges[-1][0]] < 0:
            begin = ranges[-1][0]
            if done[end] - done[begin] <= done[-1] / (SUBTREES * threads):
                ranges[-1] = (begin, end)
                continue
        ranges.append((root, end))
    ranges.sort(key=lambda pair: done[pair[0]] - done[pair[1]])
    return Shares(np.flatnonzero(is_top).tolist(), ranges)


def padded(count: int) -> int:
    """Return the least multiple of LANES that is not less: how long the rows of a matrix are."""
    return -(-count // LANES) * LANES
