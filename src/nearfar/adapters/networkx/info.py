"""What NetworkX is told about the backend when it is imported; imports nothing, so that this takes no time."""

from __future__ import annotations

from typing import Any

# By module. Tests compare this with what the modules define, and with the signatures of NetworkX.
FUNCTIONS = {
    "single": (
        "single_source_shortest_path", "single_source_shortest_path_length", "single_target_shortest_path",
        "single_target_shortest_path_length", "single_source_dijkstra", "single_source_dijkstra_path",
        "single_source_dijkstra_path_length", "multi_source_dijkstra", "multi_source_dijkstra_path",
        "multi_source_dijkstra_path_length", "single_source_bellman_ford", "single_source_bellman_ford_path",
        "single_source_bellman_ford_path_length", "goldberg_radzik",
    ),
    "pairs": (
        "has_path", "shortest_path", "shortest_path_length", "bidirectional_shortest_path", "bidirectional_dijkstra",
        "dijkstra_path", "dijkstra_path_length", "bellman_ford_path", "bellman_ford_path_length", "astar_path",
        "astar_path_length", "shortest_simple_paths",
    ),
    "all_pairs": (
        "all_pairs_shortest_path", "all_pairs_shortest_path_length", "all_pairs_dijkstra", "all_pairs_dijkstra_path",
        "all_pairs_dijkstra_path_length", "all_pairs_bellman_ford_path", "all_pairs_bellman_ford_path_length",
        "johnson", "floyd_warshall", "floyd_warshall_numpy", "floyd_warshall_predecessor_and_distance",
    ),
    "ties": (
        "predecessor", "dijkstra_predecessor_and_distance", "bellman_ford_predecessor_and_distance",
        "all_shortest_paths", "single_source_all_shortest_paths", "all_pairs_all_shortest_paths",
    ),
    "cycles": ("negative_edge_cycle", "find_negative_cycle"),
    "centrality": (
        "closeness_centrality", "harmonic_centrality", "betweenness_centrality", "edge_betweenness_centrality",
        "betweenness_centrality_subset", "edge_betweenness_centrality_subset",
    ),
    "measures": (
        "eccentricity", "diameter", "radius", "center", "periphery", "barycenter", "average_shortest_path_length",
        "wiener_index", "harmonic_diameter", "voronoi_cells",
    ),
}  # fmt: skip

NEWER = {"barycenter": "centroid", "floyd_warshall_predecessor_and_distance": "floyd_warshall_tree"}


def get_info() -> dict[str, Any]:
    """Return what NetworkX shows in its documentation and checks for every call.

    Examples
    --------
    >>> from nearfar.adapters.networkx.info import get_info
    >>> "betweenness_centrality" in get_info()["functions"]
    True
    """
    return {
        "backend_name": "nearfar",
        "project": "nearfar",
        "package": "nearfar",
        "short_summary": "Exact shortest paths and what follows from them, as fast as the hardware allows.",
        "description": "Distances, paths, centralities and distance measures by nearfar's engine on all CPU cores.",
        "functions": {name: {} for names in FUNCTIONS.values() for name in names},
    }
