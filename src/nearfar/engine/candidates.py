"""Choose the method for several rows: every candidate's expected time, the least of them wins.

What a candidate takes is a function of counts (estimate.py). Two counts are found by looking at the graph: the levels
of a search, and how far elimination gets. A look takes about LOOK_SHARE of the time of the query, and is taken only if
the candidate it is for could win at all. What was seen is kept with the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..description import format_seconds
from ..elimination.outlook import LARGEST, SMALLEST, Outlook, has_hubs, is_taken_whole, look, share_of_superfluous
from ..methods.prepared import SOLVERS
from . import tuning
from .estimate import row_seconds, seconds_on_cpu

if TYPE_CHECKING:
    from ..graph import Graph


def choose_many(graph: Graph, rows: int, threads: int, itemsize: int = 4) -> tuple[str, str] | None:
    """Return the method that settles all these rows together, and the reason; None if single rows are faster."""
    if rows * (graph.n + graph.m) < tuning.LEAST_WORK:
        return None
    times = {"rows": tuning.MARGIN * seconds_on_cpu(graph, rows, "dijkstra", threads, itemsize)}
    times["floyd"] = seconds_on_cpu(graph, rows, "floyd", threads, itemsize)
    if graph.min_weight == graph.max_weight >= 0 and _levels_are_worth_it(graph, rows, threads):
        times["bfs"] = seconds_on_cpu(graph, rows, "bfs", threads, itemsize)
    best = min(times.values())
    if (outlook := _foresee(graph, rows, threads, itemsize, best)) is not None:
        times["prepared"] = seconds_on_cpu(graph, rows, "prepared", threads, itemsize, outlook=outlook)
    method = min(times, key=times.__getitem__)
    return None if method == "rows" else (method, _reason(graph, rows, method, times))


def _levels_are_worth_it(graph: Graph, rows: int, threads: int) -> bool:
    """Return whether counting levels, which takes about as long as a row, is little beside the query."""
    return rows >= tuning.BFS_ROWS * threads


def _reason(graph: Graph, rows: int, method: str, times: dict[str, float]) -> str:
    """Return why a method was chosen, with the expected times of all candidates."""
    what = {
        "floyd": f"{graph.m:,} arcs between {graph.n:,} vertices: closing the whole matrix is faster than rows",
        "bfs": f"equal weights: {rows:,} searches together, one bit per source, are faster than rows",
        "prepared": f"preparing is faster for {rows:,} rows",
    }[method]
    others = ", ".join(f"{name} {format_seconds(seconds)}" for name, seconds in times.items() if name != method)
    return f"{what} (expected: {format_seconds(times[method])}; {others})"


def _foresee(graph: Graph, rows: int, threads: int, itemsize: int, best: float) -> Outlook | None:
    """Return what eliminating the graph would do, if preparing it may win against ``best`` seconds; else None."""
    row = row_seconds(graph, itemsize)
    least = tuning.PREPARE_LEAST * row + rows * graph.n * tuning.SWEEP_VERTEX / threads
    if rows <= threads or best < least:
        return None
    size = _size_of_look(tuning.LOOK_SHARE * (best * least) ** 0.5)  # little beside the query, whichever candidate wins
    if (seen := outlook_of(graph, size)) is not None:
        return seen
    found = None
    if has_hubs(graph) and best * tuning.HUB_SHARE > _hub_rows(graph) * row:
        found = _past_hubs(graph, threads)
    if has_hubs(graph) and is_taken_whole(graph, most := _size_of_look(tuning.LOOK_SHARE * best)):
        size = most
    if found is None and (is_taken_whole(graph, size) or not has_hubs(graph)):  # a ball around a hub is like no other
        entries = min(best * tuning.LOOK_SHARE / tuning.PREPARE_ENTRY, tuning.LOOK_MOST)
        found = look(graph, size, int(entries))
    if found is not None:
        graph.memo["outlook"] = size, found
    return found


def outlook_of(graph: Graph, size: int = 0) -> Outlook | None:
    """Return what was seen in the last look at a graph, if that was of ``size`` vertices or more."""
    seen: tuple[int, Outlook] | None = graph.memo.get("outlook")
    return seen[1] if seen is not None and seen[0] >= size else None


def _size_of_look(seconds: float) -> int:
    """Return the vertices of the ball that may be looked at for so long, a power of two."""
    vertices = int(seconds / tuning.LOOK_VERTEX)
    return 1 << (min(max(vertices, SMALLEST), LARGEST).bit_length() - 1)


def _hub_rows(graph: Graph) -> float:
    """Return how many rows of Dijkstra the look at a hub takes; a directed graph is reversed for it."""
    return tuning.HUB_ROWS if graph.undirected else tuning.HUB_ROWS_DIRECTED


def _past_hubs(graph: Graph, threads: int) -> Outlook | None:
    """Return the outlook of a graph most of whose arcs will be pruned; None if they will not."""
    share = share_of_superfluous(graph, threads, SOLVERS)
    if share < tuning.MOSTLY_PRUNED:
        return None
    return Outlook(0.0, tuning.PRUNED_SHORTCUTS * graph.n, pruned=share)
