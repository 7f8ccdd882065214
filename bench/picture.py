"""Draw docs/prepared.svg, a small road network being eliminated: ``python bench/picture.py [file]``.

Everything drawn is read from a prepared graph: its structure has the neighbours of each vertex when it was eliminated.
Colours are heights: steps down to the farthest leaf of the elimination tree. A vertex is eliminated after all its
descendants, so the vertices of height less than h are gone at some moment.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np

import nearfar
from nearfar import generate

PAGE = Path(__file__).parent.parent / "docs" / "prepared.svg"
ROWS, COLS, SEED, KEEP = 11, 12, 9, 0.75
SOURCE = 0
GONE = 3  # the second panel shows the moment when all vertices of lower height are eliminated
GREY, PALE, NEW, CLIMB = "#9aa1ab", "#e3e6ea", "#d1495b", "#111111"

Pair = tuple[int, int]


@dataclass(frozen=True)
class Elimination:
    """The elimination of a graph, by the vertices of the graph."""

    coordinates: np.ndarray  # x and y
    streets: set[Pair]
    lists: dict[int, list[int]]  # the neighbours of each vertex when it was eliminated
    parents: np.ndarray
    order: np.ndarray  # parents before children
    heights: np.ndarray
    depths: np.ndarray

    def left(self, height: int) -> tuple[np.ndarray, set[Pair], set[Pair]]:
        """Return which vertices are left when all below a height are gone, their streets, and their shortcuts."""
        there = self.heights >= height
        arose = {pair(a, b) for v, near in self.lists.items() if not there[v] for a, b in combinations(near, 2)}
        arose = {(a, b) for a, b in arose if there[a] and there[b]}
        streets = {(a, b) for a, b in self.streets if there[a] and there[b]}
        return there, streets, arose - streets

    def climb(self, source: int) -> list[int]:
        """Return a vertex and its ancestors."""
        climb = [source]
        while self.parents[climb[-1]] >= 0:
            climb.append(int(self.parents[climb[-1]]))
        return climb


def spread_out() -> np.ndarray:
    """Return coordinates for the crossings: a lattice, a little uneven so that arcs do not hide each other."""
    down, across = np.divmod(np.arange(ROWS * COLS), COLS)
    return np.column_stack((across, -down)) + np.random.default_rng(SEED).uniform(-0.22, 0.22, (ROWS * COLS, 2))


def pair(a: int, b: int) -> Pair:
    """Return two vertices in order."""
    return (int(a), int(b)) if a < b else (int(b), int(a))


def eliminated(graph: nearfar.Graph) -> Elimination:
    """Eliminate a graph and translate everything from ranks to its vertices."""
    structure = nearfar.prepare(graph).hierarchy.structure
    assert structure.core == 0
    order = np.argsort(structure.ranks)
    lists = {
        int(order[v]): order[structure.heads[structure.up[v] : structure.up[v + 1]]].tolist() for v in range(graph.n)
    }
    parents, heights, depths = np.full(graph.n, -1), np.zeros(graph.n, int), np.zeros(graph.n, int)
    for v in range(graph.n):
        if structure.parents[v] >= 0:
            parents[order[v]] = order[structure.parents[v]]
            depths[order[v]] = depths[parents[order[v]]] + 1
    for v in order[::-1]:
        if parents[v] >= 0:
            heights[parents[v]] = max(heights[parents[v]], heights[v] + 1)
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    streets = {pair(u, v) for u, v in zip(tails, graph.heads, strict=True)}
    return Elimination(spread_out(), streets, lists, parents, order, heights, depths)


def tree_coordinates(what: Elimination) -> np.ndarray:
    """Return x and y of every vertex in the tree: leaves side by side, a parent over the middle of its children."""
    children: dict[int, list[int]] = {}
    for v in what.order:
        children.setdefault(int(what.parents[v]), []).append(int(v))
    across, leaves = np.zeros(len(what.order)), 0
    for v in what.order[::-1]:
        below = children.get(int(v), [])
        across[v] = np.mean(across[below]) if below else leaves
        leaves += not below
    return np.column_stack((-across, -what.depths))


def draw_lines(axis: Any, coordinates: np.ndarray, pairs: Any, **style: Any) -> None:
    """Draw straight lines between vertices, as one path."""
    listed = np.array(sorted(pairs), int).reshape(-1, 2)
    gaps = np.full((len(listed), 1, 2), np.nan)
    lines = np.concatenate((coordinates[listed], gaps), axis=1).reshape(-1, 2)
    axis.plot(*lines.T, **{"solid_capstyle": "round", **style})


def draw_dots(axis: Any, what: Elimination, coordinates: np.ndarray, which: np.ndarray, size: float = 30) -> Any:
    """Draw vertices in the colour of their height."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    colours = ListedColormap(colormaps["YlGnBu"](np.linspace(0.25, 1.0, int(what.heights.max()) + 1)))
    return axis.scatter(
        *coordinates[which].T, c=what.heights[which], cmap=colours, vmin=-0.5, vmax=what.heights.max() + 0.5, s=size,
        zorder=3, edgecolors="white", linewidths=0.5,
    )  # fmt: skip


def mark_climb(axis: Any, coordinates: np.ndarray, climb: list[int]) -> None:
    """Ring a source and its ancestors."""
    axis.scatter(*coordinates[climb].T, s=62, facecolors="none", edgecolors=CLIMB, linewidths=1.0, zorder=4)
    axis.scatter(*coordinates[climb[:1]].T, s=120, facecolors="none", edgecolors=CLIMB, linewidths=1.0, zorder=4)


def draw_network(axis: Any, what: Elimination, climb: list[int]) -> Any:
    """Draw the graph, and ring a source and its ancestors."""
    everyone = np.arange(len(what.coordinates))
    draw_lines(axis, what.coordinates, what.streets, color=GREY, lw=1.1)
    dots = draw_dots(axis, what, what.coordinates, everyone)
    mark_climb(axis, what.coordinates, climb)
    title(axis, f"1  A road network: {len(everyone)} crossings, {len(what.streets)} streets")
    note(axis, "light vertices are eliminated first, dark ones last;\nringed: a source (twice) and all its ancestors")
    return dots


def draw_half(axis: Any, what: Elimination) -> None:
    """Draw what is left in the middle of the elimination."""
    there, streets, arose = what.left(GONE)
    draw_lines(axis, what.coordinates, what.streets, color=PALE, lw=1.0)
    axis.scatter(*what.coordinates[~there].T, s=9, color=PALE, zorder=2)
    draw_lines(axis, what.coordinates, streets, color=GREY, lw=1.1)
    draw_lines(axis, what.coordinates, arose, color=NEW, lw=1.2)
    draw_dots(axis, what, what.coordinates, np.flatnonzero(there))
    title(axis, f"2  After {int((~there).sum())} are eliminated: {len(streets)} streets and {len(arose)} shortcuts")
    note(axis, "red: a shortcut joins two neighbours of an eliminated vertex\nand is as long as the path over it")


def draw_tree(axis: Any, what: Elimination, climb: list[int]) -> None:
    """Draw the elimination tree."""
    everyone, coordinates = np.arange(len(what.coordinates)), tree_coordinates(what)
    draw_lines(axis, coordinates, [(v, what.parents[v]) for v in everyone if what.parents[v] >= 0], color=GREY, lw=0.9)
    draw_lines(axis, coordinates, list(pairwise(climb)), color=CLIMB, lw=1.4)
    draw_dots(axis, what, coordinates, everyone, size=22)
    mark_climb(axis, coordinates, climb)
    arcs = sum(len(near) for near in what.lists.values())
    title(axis, "3  The elimination tree: parents are eliminated after children")
    up = f"all {arcs} arcs lead to ancestors. Climb: from a source to its {len(climb) - 1} ancestors;"
    note(axis, f"{up}\nsweep: every vertex once, from the top down")


def title(axis: Any, text: str) -> None:
    """Write what a panel shows over it."""
    axis.set_title(text, fontsize=10)


def note(axis: Any, text: str) -> None:
    """Write what to look at under a panel."""
    axis.text(0.5, -0.02, text, transform=axis.transAxes, ha="center", va="top", fontsize=9, color="#4a515b")


def draw(path: Path) -> None:
    """Draw the three panels."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "nearfar"  # the same graph gives the same file
    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["path.simplify"] = False
    import matplotlib.pyplot as plt

    what = eliminated(generate.road_grid(ROWS, COLS, seed=SEED, keep=KEEP))
    climb = what.climb(SOURCE)
    figure, axes = plt.subplots(1, 3, figsize=(14, 5), layout="constrained")
    dots = draw_network(axes[0], what, climb)
    draw_half(axes[1], what)
    draw_tree(axes[2], what, climb)
    for axis in axes:
        axis.set_axis_off()
    for axis in axes[:2]:
        axis.set_aspect("equal")
    bar = figure.colorbar(
        dots, ax=axes, shrink=0.6, pad=0.01, aspect=30, ticks=range(0, int(what.heights.max()) + 1, 5)
    )
    bar.set_label("height in the tree", fontsize=9)
    bar.ax.tick_params(labelsize=8)
    figure.savefig(path, metadata={"Date": None}, facecolor="white")
    plt.close(figure)


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE)
