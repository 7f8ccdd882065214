"""Grid maps of the Moving AI Lab (.map): the free cells and their eight neighbours.

A straight step to a free neighbour has length 1. A diagonal step has length sqrt 2, and is allowed only if both cells
beside the corner are free too: the rule by which the lab's published optimal lengths (.scen) are computed. Vertices are
indexed in reading order and named (x, y), as .scen files write them: column and row, counted from 0 at the top left.
The coordinates are x and y, too.
"""

from __future__ import annotations

import re

import numpy as np

from ..graph import Graph
from ..graph.arrays import Array, shorten
from ..graph.grid import Step, grid_graph, passable
from .format import Format
from .io.files import Source

FREE = b".GS"  # ground and swamp
CELLS = b".G@OTSW"
# At each cell, the edge from the left or from above comes before the one onwards, as undirected edges are stored.
_STEPS = ((0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, 1), (-1, 1), (1, -1))
_HEAD = "type octile, height H, width W, map"


def read(source: Source) -> Graph:
    """Read a map."""
    lines = source.read_all().replace(b"\r\n", b"\n").split(b"\n")
    height, width, first = _header(source, lines)
    cells = _cells(source, lines, height, width, first)
    free = np.isin(cells, np.frombuffer(FREE, np.uint8))

    def is_open(step: Step, rows: slice) -> Array:
        return passable(free, step, rows, corners=False)

    def weigh(step: Step, rows: slice) -> float:
        return 2**0.5 if step[0] and step[1] else 1.0

    y, x = np.nonzero(free)
    points = np.column_stack((x, y)).astype(np.float64)
    return grid_graph(free, _STEPS, is_open, weigh, np.float64, True, points, xy=True)


def _header(source: Source, lines: list[bytes]) -> tuple[int, int, int]:
    """Return height, width and the index of the first row of cells."""
    sizes: dict[bytes, int] = {}
    for number, line in enumerate(lines[:20], 1):
        words = line.split()
        if words == [b"map"]:
            break
        if words == [b"type", b"octile"] or not words:
            continue
        if len(words) != 2 or words[0] not in (b"height", b"width") or not re.fullmatch(rb"\d{1,9}", words[1]):
            raise source.error(f"{_show(line)} was found where a map's header should be: {_HEAD}. Correct it.", number)
        if words[0] in sizes:
            raise source.error(f"{_show(line)} was found, but {words[0].decode()} was given before. Drop one.", number)
        sizes[words[0]] = int(words[1])
    else:
        raise source.error(f"there is no line 'map' after {_HEAD}. It may be cut off, or no grid map; fetch it again.")
    lost = [word.decode() for word in (b"height", b"width") if word not in sizes]
    if lost:
        raise source.error(f"the header gives no {lost[0]}. It should be: {_HEAD}. Correct it.", number)
    return sizes[b"height"], sizes[b"width"], number


def _cells(source: Source, lines: list[bytes], height: int, width: int, first: int) -> Array:
    """Return the cells as a table of characters."""
    while len(lines) > first and not lines[-1].strip():
        lines.pop()
    rows = lines[first : first + height]
    for number, row in enumerate(rows, first + 1):
        if len(row) != width:
            raise source.error(
                f"the row has {len(row)} cells, but the header says width {width}. Correct one of them.", number
            )
    if len(lines) != first + height:
        raise source.error(
            f"the header says height {height}, but there are {len(lines) - first} rows. Correct one of them.",
            len(lines),
        )
    cells = np.frombuffer(b"".join(rows), np.uint8).reshape(height, width)
    odd = np.argwhere(~np.isin(cells, np.frombuffer(CELLS, np.uint8)))
    if len(odd):
        y, x = map(int, odd[0])
        raise source.error(
            f"cell {x} is {_show(bytes(cells[y, x : x + 1]))}, but cells are one of {' '.join(CELLS.decode())} "
            f"(of which {' '.join(FREE.decode())} are free). Correct it.",
            first + y + 1,
        )
    return cells


def _show(text: bytes) -> str:
    """Return a piece of the file for a message."""
    return shorten(text.decode("utf8", "replace"))


def matches(head: bytes) -> bool:
    """Return whether a file begins like a map."""
    return re.match(rb"\s*type\s+octile\s", head) is not None


FORMAT = Format(
    name="movingai",
    summary="Moving AI grid maps: free cells and their 8 neighbours, lengths 1 and sqrt 2; cells are named (x, y)",
    endings=(".map",),
    matches=matches,
    read=read,
)
