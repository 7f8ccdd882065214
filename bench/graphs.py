"""The graphs that are measured: generated ones, and real ones where ../shared/data lies beside the repository.

Generated graphs are the same everywhere; the real ones are read by the reader that comes with them. A graph's name is
what ``bench/run.py --only`` takes.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from nearfar import Graph, generate

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@dataclass(frozen=True)
class Entry:
    """One graph: its name, what it is, how to build it, and whether it is among those that carry the claims."""

    name: str
    label: str
    about: str
    build: Callable[[], Graph]
    file: str = ""  # in DATA; generated when empty
    headline: bool = False
    quick: bool = False

    @property
    def present(self) -> bool:
        """Whether the graph can be had here."""
        return not self.file or (DATA / self.file).exists()


@cache
def reader() -> Any:
    """Load the data folder's own reader, load.py."""
    spec = importlib.util.spec_from_file_location("shared_data_load", DATA / "load.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(DATA / "load.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def real(file: str, weighted: bool = True) -> Callable[[], Graph]:
    """Return what builds the graph of a data file."""

    def build() -> Graph:
        parts = reader().load(file)
        weights = parts["w"] if weighted else None
        return Graph.from_arcs(parts["src"], parts["dst"], weights, n=parts["n"], undirected=not parts["directed"])

    return build


TABLE = (
    Entry(
        "small",
        "small grid",
        "a generated road-like grid of 100 x 100 crossings, integer lengths; the only one that NetworkX is asked about",
        lambda: generate.road_grid(100, 100, seed=1),
        quick=True,
    ),
    Entry(
        "grid",
        "road-like grid",
        "a generated road-like grid of 1000 x 1000 crossings, integer lengths",
        lambda: generate.road_grid(1000, 1000, seed=1),
    ),
    Entry(
        "rmat",
        "R-MAT 18",
        "a generated R-MAT graph of 2^18 vertices, 16 edges drawn for each, undirected, weights 1 to 255",
        lambda: generate.rmat(18, seed=1),
        headline=True,
    ),
    Entry(
        "geometric",
        "geometric",
        "a generated random geometric graph of 200,000 points, mean degree 8, float64 lengths",
        lambda: generate.geometric(200_000, seed=1),
    ),
    Entry(
        "rmat14",
        "R-MAT 14",
        "a generated R-MAT graph of 2^14 vertices, for quick runs",
        lambda: generate.rmat(14, seed=1),
        quick=True,
    ),
    Entry(
        "ny",
        "New York",
        "the roads of New York (9th DIMACS challenge), integer lengths",
        real("USA-road-d.NY.gr.gz"),
        "USA-road-d.NY.gr.gz",
        headline=True,
    ),
    Entry(
        "saopaulo",
        "São Paulo",
        "the streets of 55 cities of São Paulo (© OpenStreetMap contributors), integer decimetres",
        real("osm-saopaulo.npz"),
        "osm-saopaulo.npz",
    ),
    Entry(
        "highways",
        "world highways",
        "the world's highways, float64 kilometres, with zeros and loops",
        real("sc-world_highways.npz"),
        "sc-world_highways.npz",
    ),
    Entry(
        "twitter",
        "Twitter",
        "social circles from Twitter (SNAP), undirected, no weights",
        real("snap-ego-twitter-undirected.npz", weighted=False),
        "snap-ego-twitter-undirected.npz",
    ),
    Entry(
        "mountain",
        "mountain",
        "walking times over a height map, int64 milliseconds up to 4.3e12",
        real("N42E001.hgt.zip"),
        "N42E001.hgt.zip",
    ),
)
BY_NAME = {entry.name: entry for entry in TABLE}
HEADLINES = tuple(entry.name for entry in TABLE if entry.headline)


def entries(quick: bool = False) -> list[Entry]:
    """Return the graphs that can be had here: the small ones for a quick run, else the rest and the small grid."""
    if quick:
        return [entry for entry in TABLE if entry.quick]
    return [entry for entry in TABLE if entry.present and entry.name != "rmat14"]


def label(name: str) -> str:
    """Return what a graph is called in tables."""
    return BY_NAME[name].label


def describe(name: str) -> str:
    """Return a line about a graph."""
    return f"{BY_NAME[name].label}: {BY_NAME[name].about}"


def largest_part(graph: Graph) -> np.ndarray:
    """Return the vertices of the largest component, directions ignored."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(graph.m, np.int8)
    matrix = csr_array((ones, np.ascontiguousarray(graph.heads), graph.offsets), shape=(graph.n, graph.n))
    _, component = connected_components(matrix, directed=False)
    return np.flatnonzero(component == np.bincount(component).argmax())


def source_of(graph: Graph) -> int:
    """Choose the vertex to start from: a third of the way through the largest component."""
    part = largest_part(graph)
    return int(part[len(part) // 3])


def sources_of(graph: Graph, k: int) -> np.ndarray:
    """Choose ``k`` vertices spread evenly over the largest component."""
    part = largest_part(graph)
    return part[(np.arange(k) * len(part)) // k]
