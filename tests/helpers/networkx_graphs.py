"""Random graphs as NetworkX and as nearfar have them, and of any kind as NetworkX has them, for tests that compare."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from nearfar import Graph

NODES = [0, "b", (2, 3), frozenset({4}), 5.5, "six", 7, 8, 9]
KINDS = ("random", "grid", "tree", "parts")


def drawn(seed: int, kind: str, directed: bool, weights: str) -> tuple[Any, Graph]:
    """Return the same small graph twice; ``weights``: "none", "ties" (1 to 3), "int" or "float"."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 24))
    if kind == "grid":
        plain = nx.convert_node_labels_to_integers(nx.grid_2d_graph(int(rng.integers(1, 5)), int(rng.integers(1, 6))))
    elif kind == "tree":
        plain = nx.Graph((v, int(rng.integers(0, v))) for v in range(1, n))
        plain.add_nodes_from(range(n))
    else:
        chance = rng.random() * (0.15 if kind == "parts" else 0.6)
        plain = nx.gnp_random_graph(n, chance, seed=int(seed), directed=directed)
    there = nx.DiGraph(plain) if directed else nx.Graph(plain)
    draws = {"none": lambda: 1, "ties": lambda: int(rng.integers(1, 4)), "int": lambda: int(rng.integers(1, 1000))}
    draw = draws.get(weights, lambda: float(rng.random() + 0.01))
    for tail, head in there.edges:
        there[tail][head]["weight"] = draw()
    ends = np.array(list(there.edges), np.int64).reshape(-1, 2)
    values = None if weights == "none" else [there[u][v]["weight"] for u, v in ends.tolist()]
    here = Graph.from_arcs(ends[:, 0], ends[:, 1], values, n=len(there), undirected=not directed)
    return there, here


@st.composite
def both(draw: Any, weights: tuple[str, ...] = ("none", "ties", "int", "float")) -> tuple[Any, Graph]:
    """Draw a small graph, as NetworkX and as nearfar have it."""
    return drawn(
        draw(st.integers(0, 10**6)),
        draw(st.sampled_from(KINDS)),
        draw(st.booleans()),
        draw(st.sampled_from(weights)),
    )


@st.composite
def graphs(draw: Any, negative: bool = False) -> Any:
    """Draw a graph of any kind, with nodes of any type, and weights of one type; some edges may lack them."""
    kind = draw(st.sampled_from([nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]))
    nodes = NODES[: draw(st.integers(1, len(NODES)))]
    low = -3 if negative else 0 if draw(st.booleans()) else 1
    weights = draw(st.sampled_from([st.integers(low, 6), st.integers(low * 4, 24).map(lambda i: i / 4)]))
    made = kind()
    made.add_nodes_from(nodes)
    for _ in range(draw(st.integers(0, 18))):
        u, v = draw(st.sampled_from(nodes)), draw(st.sampled_from(nodes))
        made.add_edge(u, v, **({"w": draw(weights)} if draw(st.integers(0, 5)) else {}))
    return made
