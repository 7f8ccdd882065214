"""Negative cycles: whether there is one, and which."""

from __future__ import annotations

from typing import Any

import networkx as nx

from ...errors import NegativeCycleError
from .converted import BackendGraph
from .native import all_there, native, row_of


@native
def negative_edge_cycle(G: BackendGraph, weight: Any = "weight", heuristic: bool = True) -> bool:
    """Tell whether any cycle is negative."""
    plain = all_there(G, weight)
    if plain.min_weight >= 0:
        return False
    try:
        row_of(plain, range(len(G)))
    except NegativeCycleError:
        return True
    return False


@native
def find_negative_cycle(G: BackendGraph, source: Any, weight: Any = "weight") -> list[Any]:
    """Return the nodes of a negative cycle that can be reached, the first of them again at the end."""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    try:
        row_of(all_there(G, weight), [G.index[source]])
    except NegativeCycleError as error:
        cycle = [G.nodes[v] for v in error.cycle if isinstance(v, int)]  # the graph has no names
        around = cycle[:-1] if len(cycle) > 1 and cycle[0] == cycle[-1] else cycle
        first = around.index(source) if source in around else 0
        return [*around[first:], *around[: first + 1]]
    raise nx.NetworkXError("No negative cycles detected.")
