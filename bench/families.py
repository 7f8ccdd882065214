"""Families of graphs of any size, and real ones, on which `auto` is measured (plans.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import graphs
import nearfar
from nearfar import Graph, generate
from nearfar.graph.blocks import record_type
from nearfar.graph.vertices import Vertices

Build = Callable[[], Graph]
Edges = tuple[np.ndarray, np.ndarray]

DENSE = 2000  # vertices up to which complete graphs are made
SCALE_FREE = 300_000  # vertices up to which R-MAT graphs are made


def random_regular(n: int, rng: np.random.Generator, degree: int = 4) -> Edges:
    """Return the edges of a random graph in which every vertex has about this degree."""
    return np.tile(np.arange(n), degree // 2), np.concatenate([rng.permutation(n) for _ in range(degree // 2)])


def small_world(n: int, rng: np.random.Generator) -> Edges:
    """Return the edges of a ring with neighbours up to three places on, a tenth of them led elsewhere."""
    tails = np.tile(np.arange(n), 3)
    heads = (tails + np.repeat([1, 2, 3], n)) % n
    elsewhere = rng.random(len(heads)) < 0.1
    return tails, np.where(elsewhere, rng.integers(0, n, len(heads)), heads)


def tree(n: int, rng: np.random.Generator) -> Edges:
    """Return the edges of a tree in which each vertex hangs from a random earlier one."""
    return np.arange(1, n), (rng.random(n - 1) * np.arange(1, n)).astype(np.int64)


def grid(n: int, rng: np.random.Generator) -> Edges:
    """Return the edges of a square grid with four neighbours per cell."""
    side = max(round(n**0.5), 2)
    cells = np.arange(side * side).reshape(side, side)
    ends = ((cells[:, :-1], cells[:, 1:]), (cells[:-1], cells[1:]))
    return tuple(np.concatenate([pair[i].ravel() for pair in ends]) for i in (0, 1))  # type: ignore[return-value]


def cube(n: int, rng: np.random.Generator) -> Edges:
    """Return the edges of a grid in three dimensions with six neighbours per cell."""
    side = max(round(n ** (1 / 3)), 2)
    cells = np.arange(side**3).reshape(side, side, side)
    ends = ((cells[:-1], cells[1:]), (cells[:, :-1], cells[:, 1:]), (cells[:, :, :-1], cells[:, :, 1:]))
    return tuple(np.concatenate([pair[i].ravel() for pair in ends]) for i in (0, 1))  # type: ignore[return-value]


EDGES: dict[str, Callable[[int, np.random.Generator], Edges]] = {
    "grid": grid,
    "small world": small_world,
    "random regular": random_regular,
    "tree": tree,
    "path": lambda n, rng: (np.arange(n - 1), np.arange(1, n)),
    "star": lambda n, rng: (np.zeros(n - 1, np.int64), np.arange(1, n)),
}
WEIGHTS = ("none", "int32", "float64")


def generated(n: int) -> Iterator[tuple[str, Build]]:
    """Yield the families of about n vertices, as (family, builder)."""
    side, scale = max(round(n**0.5), 2), max(round(np.log2(n)), 2)
    for name, edges in EDGES.items():
        for kind in WEIGHTS:
            yield f"{name}, {kind}", lambda edges=edges, kind=kind: _weighted(*_drawn(edges, n), kind)
    yield "grid, float32", lambda: _weighted(*_drawn(grid, n), "float32")
    yield "road, int32", lambda: generate.road_grid(side, side, seed=1)
    yield "road, int32, directed", lambda: _directed(generate.road_grid(side, side, seed=1))
    yield "road, int64", lambda: _scaled(generate.road_grid(side, side, seed=1))
    yield "road, negative", lambda: _negative(generate.road_grid(side, side, seed=1))
    yield "3-d grid, int32", lambda: _weighted(*_drawn(cube, n), "int32")
    yield "raster, float64", lambda: Graph.from_raster(_costs(side)).without_names()
    yield "raster, int32", lambda: _rounded(Graph.from_raster(_costs(side)), 100)
    yield "raster, int32, smooth", lambda: _rounded(Graph.from_raster(_hills(side)), 100)
    yield "city grid, float64", lambda: Graph.from_raster(_city(side)).without_names()
    yield "geometric, float64", lambda: generate.geometric(n, seed=1)
    if n <= SCALE_FREE:
        yield "R-MAT, int32", lambda: generate.rmat(scale, seed=1)
        yield "R-MAT, none", lambda: generate.rmat(scale, seed=1).with_weights(None)
        yield "R-MAT, int32, directed", lambda: generate.rmat(scale, seed=1, undirected=False)
    if n <= DENSE:
        yield "complete, int32", lambda: generate.complete(n, seed=1)
        yield "complete, none", lambda: generate.complete(n, seed=1, max_weight=None)


REAL = {  # social, roads, games, flights, power: weighted where the file is
    "facebook": ("snap-facebook-combined.npz", False),
    "power grid": ("gt-power.npz", False),
    "astro-ph": ("gt-astro-ph.npz", True),
    "twitter": ("snap-ego-twitter-undirected.npz", False),
    "citations": ("snap-arxiv-cit-hep-ph.npz", False),
    "internet": ("snap-as-caida20071105.npz", False),
    "rome": ("rome99.gr", True),
    "openflights": ("openflights.npz", True),
    "freeway": ("sc-us_freeway.npz", True),
    "andorra": ("osm-andorra.npz", True),
    "New York": ("USA-road-d.NY.gr.gz", True),
    "city 256": ("Berlin_0_256.map", True),
    "city 1024": ("Berlin_0_1024.map.gz", True),
}


def real() -> Iterator[tuple[str, Build]]:
    """Yield the real graphs that are there."""
    for name, (file, weighted) in REAL.items():
        if (graphs.DATA / file).exists():
            if file.endswith((".map", ".map.gz")):
                yield name, lambda file=file: nearfar.read(graphs.DATA / file).without_names()
            else:
                yield name, graphs.real(file, weighted)


def fresh(graph: Graph) -> Graph:
    """Return a graph with the same arrays, of which nothing is known yet but what any query needs."""
    new = Graph(graph.offsets, graph.arcs, Vertices(graph.n), undirected=graph.undirected)
    new.min_weight, new.max_weight, new.weight_dtype  # noqa: B018 - kept with the graph when asked for
    return new


def _drawn(edges: Callable[[int, np.random.Generator], Edges], n: int) -> Edges:
    """Return the edges of a family, the same in every run."""
    return edges(n, np.random.default_rng(n))


def _weighted(tails: np.ndarray, heads: np.ndarray, kind: str) -> Graph:
    """Return the undirected graph of some edges, with random weights of a type."""
    rng = np.random.default_rng(len(tails))
    weights = None if kind == "none" else rng.integers(1, 1000, len(tails)).astype(kind)
    if kind.startswith("float"):
        weights = (weights / 7.0).astype(kind)
    return Graph.from_arcs(tails, heads, weights, n=int(max(tails.max(), heads.max())) + 1, undirected=True)


def _directed(graph: Graph) -> Graph:
    """Return the arcs of a graph as those of a directed one."""
    return Graph(graph.offsets, graph.arcs, Vertices(graph.n))


def _scaled(graph: Graph) -> Graph:
    """Return a graph whose weights and distances need 64 bits."""
    return graph.with_weights(graph.row_weights.astype(np.int64) << 32)


def _negative(graph: Graph) -> Graph:
    """Return a directed graph with the same shortest paths, a fifth of whose weights are negative."""
    heights = np.random.default_rng(graph.n).integers(0, 4 * int(graph.max_weight), graph.n)
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    weights = graph.weights + heights[tails] - heights[graph.heads]
    return Graph.from_arcs(tails, graph.heads, weights.astype(np.int32), n=graph.n)


def _costs(side: int) -> np.ndarray:
    """Return a square raster of costs."""
    return np.random.default_rng(side).integers(1, 9, (side, side)).astype(float)


def _rounded(graph: Graph, times: float) -> Graph:
    """Return the graph with integer weights, and without names."""
    assert graph.weights is not None
    arcs = np.empty(graph.m, record_type(np.dtype(np.int32)))
    arcs["head"], arcs["weight"] = graph.heads, np.maximum(np.round(graph.weights * times), 1)
    return Graph(graph.offsets, arcs, Vertices(graph.n), undirected=graph.undirected)


def _hills(side: int) -> np.ndarray:
    """Return costs that change slowly: 1 to 3."""
    x, y = np.meshgrid(np.arange(side), np.arange(side))
    return 2 + np.sin(x / 9) * np.cos(y / 7)


def _city(side: int) -> np.ndarray:
    """Return the cells of blocks of houses, which are walls, and the streets between them."""
    x, y = np.meshgrid(np.arange(side), np.arange(side))
    rng = np.random.default_rng(5)
    houses = (x % 16 > 5) & (y % 12 > 4) & (rng.random((side, side)) < 0.97)
    return np.where(houses, np.inf, 1.0)
