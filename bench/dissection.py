"""Draw docs/dissection.svg, a small city map cut by nested dissection: ``python bench/dissection.py [file]``.

Everything drawn is read from a prepared graph: a separator is a chain of its elimination tree, and the two parts that
it leaves are the subtrees below the chain. So the level of a cell is the number of branchings above it.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

import numpy as np

import nearfar
from nearfar import Graph

PAGE = Path(__file__).parent.parent / "docs" / "dissection.svg"
ROWS, COLS, SIZE = 60, 104, 7
HOUSE, STREET = "#c9ced6", "#f4f5f7"
LEVELS = ("#8c1c13", "#d1495b", "#e8833a", "#edae49", "#4c9f70", "#2e86ab")  # of the separators, the first one first
EDGE = 26  # pixels below the map, for the legend


def city() -> np.ndarray:
    """Return the cost of every cell: streets between blocks of houses, and a few open blocks; houses are walls."""
    rng = np.random.default_rng(4)
    cost = np.ones((ROWS, COLS))
    for top in range(2, ROWS, 8):
        for left in range(2, COLS, 12):
            if rng.random() < 0.85:
                high, wide = rng.integers(4, 7), rng.integers(7, 11)
                cost[top : top + high, left : left + wide] = np.inf
    return cost


def levels_of(prepared: nearfar.Prepared) -> np.ndarray:
    """Return by vertex how many branchings of the elimination tree are above it."""
    structure = prepared.hierarchy.structure
    parents = structure.parents
    children = np.bincount(parents[parents >= 0], minlength=structure.n)
    levels = np.zeros(structure.n, np.int64)
    for rank in range(structure.n):  # parents have smaller ranks
        if parents[rank] >= 0:
            levels[rank] = levels[parents[rank]] + (children[parents[rank]] > 1)
    return levels[structure.ranks]


def runs(colours: list[list[str]]) -> list[str]:
    """Return rectangles for neighbouring cells of one colour in a row."""
    drawn = []
    for y, row in enumerate(colours):
        x = 0
        for colour, cells in groupby(row):
            width = len(list(cells))
            if colour != STREET:
                drawn.append(
                    f'<rect x="{x * SIZE}" y="{y * SIZE}" width="{width * SIZE}" height="{SIZE}" fill="{colour}"/>'
                )
            x += width
    return drawn


def legend() -> list[str]:
    """Return the key of the colours."""
    names = ("first cut", "second", "third", "fourth", "fifth", "sixth")
    drawn, x, y = [], 0, ROWS * SIZE + 8
    for name, colour in (*zip(names, LEVELS, strict=True), ("houses", HOUSE)):
        drawn.append(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{colour}"/>')
        drawn.append(f'<text x="{x + 17}" y="{y + 10}" font-size="12" fill="#333">{name}</text>')
        x += 40 + 7 * len(name)
    return drawn


def draw() -> str:
    """Return the picture."""
    cost = city()
    graph = Graph.from_raster(cost)
    levels = levels_of(nearfar.prepare(graph, order="dissection"))
    colours = [[STREET if np.isfinite(cell) else HOUSE for cell in row] for row in cost]
    for vertex, level in enumerate(levels.tolist()):
        if level < len(LEVELS):
            row, column = graph.name(vertex)
            colours[row][column] = LEVELS[level]
    width, height = COLS * SIZE, ROWS * SIZE
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + EDGE}" font-family="sans-serif" '
            'shape-rendering="crispEdges">',
            f'<rect width="{width}" height="{height + EDGE}" fill="white"/>',
            f'<rect width="{width}" height="{height}" fill="{STREET}"/>',
            *runs(colours),
            *legend(),
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE).write_text(draw(), encoding="utf8")
