"""Random graphs in files of SParry's format, as early versions of SParry wrote them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ...errors import OptionError
from ...formats import write
from ...graph import Graph as NearfarGraph

FOLDER = "data"  # where SParry puts a file that is given without a folder


def generate(
    filename: str | os.PathLike[str] = "data0.txt",
    n: int = 1000,
    m: int = 30000,
    l: int = 1,  # noqa: E741 (SParry's name)
    r: int = 12,
    seed: int | None = None,
) -> None:
    """Write a random connected graph with n vertices and m edges, with weights from l to r.

    Parameters
    ----------
    filename : str or path
        Without a folder, it is put into the folder ``data``, as SParry does.
    n, m : int
        Number of vertices and of edges; at least n - 1 edges, so that the graph is connected.
    l, r : int
        The least and the greatest weight.
    seed : int, optional
        The same seed gives the same graph.

    Examples
    --------
    >>> import tempfile
    >>> from nearfar.adapters.sparry import generate, read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder + "/graph.txt", n=10, m=20, seed=1)
    ...     print(read(filename=folder + "/graph.txt"))
    Graph(n=10, m=40, method='dij')
    """
    if n < 1 or m < n - 1 or (n < 2 and m):
        raise OptionError(f"n is {n} and m is {m}; a connected graph has at least one vertex and n - 1 edges.")
    rng = np.random.default_rng(seed)
    heads = np.arange(1, n)
    tails = rng.integers(0, heads)  # a tree: every vertex joins one before it
    more = rng.integers(0, n, m - n + 1)
    others = (more + rng.integers(1, max(n, 2), len(more))) % n  # never the vertex itself
    _save(filename, n, np.concatenate((tails, more)), np.concatenate((heads, others)), l, r, rng)


def gen(
    filename: str | os.PathLike[str] = "data0.txt",
    n: int = 1000,
    l: int = 1,  # noqa: E741 (SParry's name)
    r: int = 30,
    chain: float = 0.4,
    flower: float = 0.35,
    seed: int | None = None,
) -> None:
    """Write a random tree: a chain, then a star around vertex 0, then vertices that join any before them.

    Parameters
    ----------
    filename : str or path
        As for `generate`.
    n : int
        Number of vertices.
    l, r : int
        The least and the greatest weight.
    chain, flower : float
        The shares of the edges in the chain and in the star. (SParry did not use the numbers that it was given.)
    seed : int, optional
        The same seed gives the same graph.

    Examples
    --------
    >>> import tempfile
    >>> from nearfar.adapters.sparry import gen, read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gen(folder + "/tree.txt", n=10, flower=0.6, seed=1)
    ...     print(read(filename=folder + "/tree.txt").MAXD)
    6
    """
    if n < 1 or chain < 0 or flower < 0 or chain + flower > 1:
        raise OptionError(f"n is {n}, chain {chain} and flower {flower}; n is positive, and the shares add up to <= 1.")
    rng = np.random.default_rng(seed)
    heads = np.arange(1, n)
    tails = rng.integers(0, heads)
    line, star = int((n - 1) * chain), int((n - 1) * flower)
    tails[:line] = heads[:line] - 1
    tails[line : line + star] = 0
    _save(filename, n, tails, heads, l, r, rng)


def _save(
    filename: str | os.PathLike[str],
    n: int,
    tails: np.ndarray,
    heads: np.ndarray,
    least: int,
    most: int,
    rng: np.random.Generator,
) -> None:
    """Write edges with random weights."""
    if least > most:
        raise OptionError(f"weights go from l to r, but l is {least} and r is {most}; give l <= r.")
    path = Path(filename)
    if path.parent == Path():
        path = Path(FOLDER) / path
        path.parent.mkdir(exist_ok=True)
    weights = rng.integers(least, most, len(tails), endpoint=True)
    write(NearfarGraph.from_arcs(tails, heads, weights, n, undirected=True), path, format="sparry")
