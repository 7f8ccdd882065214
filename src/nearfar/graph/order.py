"""Renumber vertices so that neighbours are close together in memory, if the given order scatters them.

A search reads the distances of neighbours; if their indices are close, they share cache lines. Most files already have
such an order. If a graph does not, and many rows are to be solved, it is copied in breadth-first order, and every row
is returned to the original order. (Reverse Cuthill-McKee, which also sorts by degree, was no faster.)
"""

from __future__ import annotations

import math

import numpy as np

from ..devices import cpu
from .arrays import Array

RENUMBER_VERTICES = 65_536  # below this, distances fit into the cache in any order
RENUMBER_DEGREE = 10  # mean degree up to which an order can keep neighbours together
FAR_APART = 8_192  # difference of two indices from which their distances never share the fast cache
SCATTERED = 0.5  # share of arcs between such vertices that makes an order bad; it is 0.26 in Sao Paulo, 0.03 in NY

SAMPLE = 65_536  # arcs examined to judge an order
SMALL_BALL = 64  # vertices of the ball that tells grids from random graphs
BALL = 4096  # vertices met to judge how deep a graph is: 564 levels are foreseen in NY, where a search has 415


def is_scattered(offsets: Array, heads: Array) -> bool:
    """Tell whether most arcs join vertices far apart, in a graph large and sparse enough for another order to help."""
    n, m = len(offsets) - 1, len(heads)
    if n < RENUMBER_VERTICES or m > RENUMBER_DEGREE * n or not m or offsets.dtype != np.int32:
        return False
    arcs = np.arange(0, m, max(1, m // SAMPLE))
    tails = np.searchsorted(offsets, arcs, side="right") - 1
    return bool((np.abs(tails - heads[arcs]) > FAR_APART).mean() > SCATTERED)


def renumber(offsets: Array, arcs: Array) -> tuple[Array, Array, Array]:
    """Return offsets and arcs of the renumbered graph, and the position (new index) of every vertex."""
    from ..kernels.cpu.build import order_breadth_first, permute_rows
    from .blocks import words_of

    n = len(offsets) - 1
    order, positions = np.empty(n, np.int32), np.empty(n, np.int32)
    starts, moved = np.zeros_like(offsets), np.empty_like(arcs)
    stop = np.zeros(1, np.int64)

    def work(t: int) -> None:
        order_breadth_first(offsets, words_of(arcs), order, positions, stop)
        if not stop[0]:
            np.cumsum(np.diff(offsets)[order], out=starts[1:])
            permute_rows(offsets, words_of(arcs), order, positions, starts, stop, words_of(moved))

    cpu.run(work, 1, stop)  # on another thread, so that the caller receives Ctrl-C
    return starts, moved, positions


def usual_levels(offsets: Array, arcs: Array, busiest: int) -> int:
    """Estimate how many levels a search has: twice the levels that reach half of the vertices, from a few starts.

    ``busiest``, a vertex with the most arcs, is one of the starts. Only BALL vertices are met. If half of the vertices
    are more, the levels of a quarter of the ball and of all of it tell how levels grow with every fourfold: by 2 in a
    grid, by 4 in a path, hardly in a random graph.
    """
    from ..kernels.cpu.ball import count_levels

    n = len(offsets) - 1
    if n == 0:
        return 0
    half = -(-n // 2)
    ball = min(half, BALL)
    sizes, levels = np.array([-(-ball // 4), ball]), np.empty((3, 2), np.int64)
    order, positions = np.empty(ball, np.int32), np.zeros(n, np.int32)
    for i, start in enumerate((busiest, n // 3, 2 * n // 3)):
        count_levels(offsets, arcs, start, sizes, order, positions, levels[i])
    fewer, more = levels[np.argmax(levels[:, 1])].tolist()
    growth = more / max(fewer, 1)
    return round(2 * more * growth ** math.log(half / ball, 4))


def closedness(offsets: Array, arcs: Array, start: int) -> float:
    """Return the share of the arcs of the vertices nearest to ``start`` that end among these; 1 if there are none.

    It takes 6 microseconds.
    """
    from ..kernels.cpu.ball import arcs_of_ball, take_ball

    n = len(offsets) - 1
    order, positions = np.empty(min(SMALL_BALL, max(n, 1)), np.int32), np.zeros(max(n, 1), np.int32)
    order = order[: take_ball(offsets, arcs, start, order, positions)] if n else order[:0]
    if not len(order):
        return 1.0
    leave = int((offsets[order + 1] - offsets[order]).sum())
    inside = arcs_of_ball(offsets, arcs, order, positions, np.empty(len(order) + 1, np.int32), arcs[:0])
    return inside / leave if leave else 1.0
