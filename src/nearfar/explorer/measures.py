"""The metrics that a page can show besides distances, and for which graphs they are offered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import OptionError
from ..graph import Graph
from .scene import Scene

CLOSE = 50_000  # vertices up to which closeness, all rows of distances, is offered
EXACT = 3_000  # vertices up to which betweenness is exact; of more, it is estimated
SAMPLES = 256  # sources for that
WORK = 1 << 30  # arcs that estimates look at, at most: about a minute

MEASURES = {
    "closeness": "closeness",
    "betweenness": "betweenness",
    "flows": "flows",
}


def measures_of(graph: Graph, demand: bool) -> list[dict[str, str]]:
    """Return the metrics that are offered: their names, and what they are called."""
    found = []
    if graph.n <= CLOSE:
        found.append({"name": "closeness", "label": "closeness"})
    if graph.n <= EXACT:
        found.append({"name": "betweenness", "label": "betweenness"})
    elif _samples(graph) > 0:
        found.append({"name": "betweenness", "label": "betweenness (estimate)"})
    if demand:
        found.append({"name": "flows", "label": "flows"})
    return found if graph.n else []


def measure(
    graph: Graph, name: str, demand: Any, scene: Scene, progress: Callable[[int, int], None]
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return the numbers of a metric, one per vertex or per edge, and what they are."""
    from .. import metrics

    if name not in {offered["name"] for offered in measures_of(graph, demand is not None)}:
        raise OptionError(f"{name} is not offered for this graph: it is too large, or there is no demand.")
    if name == "closeness":
        found = metrics.closeness(graph, progress=progress)
        return found.values, {"of": "vertices", "method": found.plan.method, "device": found.plan.device}
    if name == "betweenness":
        samples = None if graph.n <= EXACT else _samples(graph)
        loads = metrics.betweenness(graph, samples=samples, seed=0, progress=progress)
        return loads.values, {"of": "vertices", "samples": samples, **_ran(loads.stats)}
    flows = metrics.flows(graph, demand, progress=progress)
    return by_edge(graph, scene, flows.values), {"of": "edges", "unserved": flows.unserved, **_ran(flows.stats)}


def by_edge(graph: Graph, scene: Scene, values: np.ndarray) -> np.ndarray:
    """Return the sum of a number of arcs over all arcs between the ends of each edge, in both directions."""
    edges, n = scene.edges, max(graph.n, 1)
    low, high = np.minimum(graph.tails, graph.heads), np.maximum(graph.tails, graph.heads)
    keys, places = np.unique(low.astype(np.int64) * n + high, return_inverse=True)
    sums = np.bincount(places, values, len(keys))
    wanted = np.minimum(edges.tails, edges.heads).astype(np.int64) * n + np.maximum(edges.tails, edges.heads)
    return sums[np.searchsorted(keys, wanted)] if len(wanted) else np.zeros(0)


def _samples(graph: Graph) -> int:
    """Return the number of sources of an estimate; 0 if even a few take too long."""
    affordable = WORK // max(graph.m, 1)
    return min(SAMPLES, affordable) if affordable >= 16 else 0


def _ran(stats: dict[str, Any] | None) -> dict[str, Any]:
    """Return the method and the device of a run."""
    return {name: (stats or {}).get(name) for name in ("method", "device")}
