"""The order of elimination by nested dissection: small separators last (kernels/cpu/dissect.py)."""

from __future__ import annotations

import numpy as np

from ..devices import cpu
from ..graph import Graph
from ..graph.cells import CellNames
from ..kernels.cpu.arguments import Flow
from .eliminate import SHORTCUT_BYTES, VERTEX_BYTES, Structure, neighbours
from .tuning import IRREGULAR, LEAF, LEAST_SHARE, MOST_UP, UNEVEN

PIECES = 8  # regions per thread that are shared out
ALONE = 1000  # vertices up to which a region is not shared out


def dissection_order(
    starts: np.ndarray,
    heads: np.ndarray,
    places: np.ndarray | None,
    threads: int,
    stop: np.ndarray,
    refined: bool = False,
) -> np.ndarray | None:
    """Return the vertices in the order in which they are eliminated; None if stopped.

    ``refined``: take the least separator near each cut, which pays where no straight cut is near it.

    ``starts`` and ``heads`` are the neighbours of every vertex, whichever direction the arcs have.
    """
    from ..kernels.cpu.dissect import dissect

    n = len(starts) - 1
    drawn = places is None
    lines = _lines(n, places)
    region = np.zeros(n, np.int32)
    place, before, behind, spare = (np.empty(n, np.int32) for _ in range(4))
    sides = np.empty(n, np.int8)
    dists = np.empty((4, n if drawn else 0), np.int32)
    counts = np.empty(2 * n if drawn else 0, np.int32)
    flow = _flow(n if refined else 0)
    known = np.empty((2, 0)) if places is None else np.ascontiguousarray(places.T, dtype=np.float64)
    shared = (lines, known, starts, heads, region, place, before, behind, sides, spare, dists, counts, flow)

    def cut(begin: int, end: int, most: int, small: np.ndarray) -> int:
        pending = np.empty(256, np.int32)
        return int(dissect(begin, end, most, *shared, pending, small, LEAST_SHARE, UNEVEN, stop))

    most = max(n // (PIECES * threads), ALONE) if threads > 1 else n
    small = np.empty(2 * n, np.int32)  # memory is only taken where something is written
    found = cut(0, n, most, small) if n > most else 0
    regions = small[: 2 * found].reshape(-1, 2).tolist() if found else [[0, n]]
    none = np.empty(0, np.int32)

    def cut_to_leaves(i: int) -> None:
        cut(regions[i][0], regions[i][1], LEAF, none)

    cpu.share_out(lambda: cut_to_leaves, len(regions), threads if found else 0, stop)
    return None if stop[0] else lines[0]


def _flow(n: int) -> Flow:
    """Return memory for the least separators of a graph of n vertices."""
    before, after, entered, left = (np.empty(n, np.int32) for _ in range(4))
    return Flow(np.empty(n, np.int8), before, after, entered, left, np.empty(n, np.int64), np.empty(2 * n, np.int32))


def _lines(n: int, places: np.ndarray | None) -> np.ndarray:
    """Return the vertices on two lines: by x and by y, or as they are."""
    lines = np.empty((2, n), np.int32)
    if places is None:
        lines[:] = np.arange(n, dtype=np.int32)
    else:
        for k in range(2):
            lines[k] = np.argsort(places[:, k], kind="stable")
    return lines


def structure_of(order: np.ndarray, starts: np.ndarray, heads: np.ndarray, most: int) -> Structure | None:
    """Return the structure that arises if all vertices are eliminated in this order.

    None if it has more than ``most`` shortcuts.
    """
    from ..kernels.cpu.symbolic import count_row_entries, elimination_tree, rank_tree, write_row_entries

    n = len(order)
    time, work, parents, ranks = (np.empty(n, np.int32) for _ in range(4))
    time[order] = np.arange(n, dtype=np.int32)
    elimination_tree(order, time, starts, heads, work, parents)
    rank_tree(parents, work, ranks)
    counts = np.zeros(n, np.int32)
    if count_row_entries(order, time, starts, heads, parents, work, counts, most) > most:
        return None
    up = np.zeros(n + 1, np.int64)
    up[1:][ranks] = counts
    np.cumsum(up, out=up)
    out = np.empty(up[-1], np.int32)
    write_row_entries(order, time, starts, heads, parents, ranks, work, up[:-1][ranks], out)
    by_rank = np.empty(n, np.int32)
    by_rank[ranks] = np.where(parents >= 0, ranks[parents], -1)
    return Structure(0, ranks[time], by_rank, up, out, "dissection")


def places_of(graph: Graph) -> np.ndarray | None:
    """Return where vertices are: their coordinates, or the cells of a raster; None if nothing tells."""
    if graph.coordinates is None and isinstance(graph.names, CellNames):
        return graph.names.take(np.arange(graph.n))
    return graph.coordinates


def dissected(
    graph: Graph, places: np.ndarray | None, threads: int, stop: np.ndarray, memory: int = 2**62
) -> Structure | None:
    """Return the structure of a graph by nested dissection; None if that makes too many shortcuts, or if stopped.

    ``places`` of the vertices tell where to cut; without them searches do. Where degrees differ, no straight cut is
    near the least separator, so that is looked for. ``memory``: bytes that the hierarchy may take.
    """
    room = max(memory - VERTEX_BYTES * graph.n, 0) // SHORTCUT_BYTES
    starts, heads = neighbours(graph)
    order = dissection_order(starts, heads, places, threads, stop, graph.irregularity > IRREGULAR)
    return None if order is None else structure_of(order, starts, heads, min(MOST_UP * graph.n, room))
