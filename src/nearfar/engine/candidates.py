"""Choose the method for several rows: every candidate's expected time, the least of them wins.

What a candidate takes is a function of counts (estimate.py). Two counts are found by looking at the graph: the levels
of a search, and how far elimination gets. A look is taken only if the candidate it is for could win at all. The first
look at elimination is a small one. Larger ones follow as long as the choice is not clear and a look takes at most
LOOK_SHARE of the query. Where not even a small one may be taken, counts alone decide. What was seen is kept with the
graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..description import format_seconds
from ..elimination.outlook import (
    CLOSED_BALL,
    LOOKS,
    Outlook,
    guess,
    has_hubs,
    is_taken_whole,
    is_walled,
    look,
    share_of_superfluous,
)
from ..methods import costs
from ..methods.bfs_cost import are_single
from ..methods.prepared import SOLVERS
from . import tuning
from .estimate import row_seconds, seconds_on_cpu

if TYPE_CHECKING:
    from ..graph import Graph


def choose_many(graph: Graph, rows: int, threads: int, itemsize: int = 4) -> tuple[str, str] | None:
    """Return the method that settles all these rows together, and the reason; None if single rows are faster."""
    if rows * (graph.n + graph.m) < tuning.LEAST_WORK:
        return None
    times = {"rows": margin_of("dijkstra") * seconds_on_cpu(graph, rows, "dijkstra", threads, itemsize)}
    times["floyd"] = seconds_on_cpu(graph, rows, "floyd", threads, itemsize)
    if graph.min_weight == graph.max_weight >= 0 and _levels_are_worth_it(rows, threads):
        times["bfs"] = seconds_on_cpu(graph, rows, "bfs", threads, itemsize)
    if rows > threads and (seconds := _prepared_seconds(graph, rows, threads, itemsize, min(times.values()))):
        times["prepared"] = seconds
    method = min(times, key=times.__getitem__)
    return None if method == "rows" else (method, _reason(graph, rows, threads, method, times))


def margin_of(method: str) -> float:
    """Return the factor by which the expected time of a method is multiplied: single rows are the simplest."""
    return tuning.MARGIN if method in ("dijkstra", "johnson") else 1.0


def _levels_are_worth_it(rows: int, threads: int) -> bool:
    """Return whether counting levels, which takes about as long as a row, is little beside the query."""
    return rows >= tuning.BFS_ROWS * threads


def _reason(graph: Graph, rows: int, threads: int, method: str, times: dict[str, float]) -> str:
    """Return why a method was chosen, with the expected times of all candidates."""
    passes = "searches together, one bit per source, are faster than rows"
    single = "searches one by one, level by level, since there are many levels"
    what = {
        "floyd": f"{graph.m:,} arcs between {graph.n:,} vertices: closing the whole matrix is faster than rows",
        "bfs": f"equal weights: {rows:,} {single if method == 'bfs' and are_single(graph, rows, threads) else passes}",
        "prepared": f"preparing{_order_words(graph)} is faster for {rows:,} rows",
    }[method]
    others = ", ".join(f"{name} {format_seconds(seconds)}" for name, seconds in times.items() if name != method)
    return f"{what} (expected: {format_seconds(times[method])}; {others})"


def _order_words(graph: Graph) -> str:
    """Return which order of elimination was chosen, in words; nothing where only one is in question."""
    _, order = graph.memo.get("order", (0, "auto"))
    return {"dissection": " by nested dissection", "degree": " by least degree"}.get(order, "")


def _prepared_seconds(graph: Graph, rows: int, threads: int, itemsize: int, best: float) -> float | None:
    """Return what preparing and sweeping should take, from looks at the graph; None if it cannot win.

    ``best``: the seconds of the best other candidate.
    """

    def expected(outlook: Outlook) -> float:
        return min(_seconds_by_order(graph, rows, threads, itemsize, outlook).values())

    seen = graph.memo.get("outlook")
    pays = expected(_pruned(graph, 1.0)) < best
    if seen is None and has_hubs(graph) and pays and _hub_seconds(graph, itemsize) < tuning.HUB_SHARE * best:
        seen = _remember(graph, graph.n, _past_hubs(graph))
    if seen is None and best < expected(Outlook(0.0, graph.n)):  # a tree; nothing is eliminated with less work
        return None
    size, found = seen or (0, guess(graph))
    for larger in _sizes_of_looks(graph, size):
        seconds = best if found is None else min(best, expected(found))
        clear = (
            found is not None and _is_clear(graph, size, expected(found) / best) and _tells_order(graph, size, found)
        )
        allowed = (tuning.LOOK_SHARE_CLEAR if clear else tuning.LOOK_SHARE) * seconds
        if _look_seconds(graph, larger, found) > allowed:
            break
        entries = min(tuning.LOOK_OVER * allowed / tuning.LOOK_ENTRY, tuning.LOOK_MOST)
        size, found = larger, look(graph, larger, int(entries))
        _remember(graph, size, found)
    if found is None:
        return None
    times = _seconds_by_order(graph, rows, threads, itemsize, found)
    known = found.dissected is not None and _tells_order(graph, size, found)
    graph.memo["order"] = rows, min(times, key=times.__getitem__) if known else "auto"
    return min(times.values())


def _tells_order(graph: Graph, size: int, found: Outlook) -> bool:
    """Return whether a look of ``size`` vertices tells which order of elimination is better."""
    return found.dissected is None or size >= tuning.LOOK_FOR_ORDER or graph.closedness >= CLOSED_BALL


def _seconds_by_order(graph: Graph, rows: int, threads: int, itemsize: int, outlook: Outlook) -> dict[str, float]:
    """Return what preparing and sweeping should take by each order of elimination."""
    return {
        order: seconds_on_cpu(graph, rows, "prepared", threads, itemsize, outlook=seen)
        for order, seen in outlook.orders.items()
    }


def _remember(graph: Graph, size: int, found: Outlook | None) -> tuple[int, Outlook] | None:
    """Keep what was seen in a look, if anything, with the graph."""
    if found is None:
        return None
    graph.memo["outlook"] = size, found
    return size, found


def outlook_of(graph: Graph) -> Outlook | None:
    """Return what was seen in the last look at a graph, if there was one, for the order that was chosen."""
    seen: tuple[int, Outlook] | None = graph.memo.get("outlook")
    _, order = graph.memo.get("order", (0, "auto"))
    return seen[1].orders.get(order, seen[1]) if seen is not None else None


def _sizes_of_looks(graph: Graph, size: int) -> list[int]:
    """Return the sizes of the looks that could follow one of ``size`` vertices; a graph with hubs is taken whole."""
    least = tuning.LOOK_FOR_ORDER if is_walled(graph) else 0
    sizes = [s for s in LOOKS if s > size and s >= least and not is_taken_whole(graph, size)]
    whole = [s for s in sizes if is_taken_whole(graph, s)]
    return whole[:1] if has_hubs(graph) else [s for s in sizes if s not in whole[1:]]


def _is_clear(graph: Graph, size: int, ratio: float) -> bool:
    """Tell whether a look of ``size`` vertices, 0 for a guess, can leave no doubt about which of two times is less."""
    if size and is_taken_whole(graph, size):
        return True
    doubt = tuning.DOUBT * (graph.n / size) ** tuning.DOUBT_GROWS if size else tuning.DOUBT_GUESS
    return not 1 / doubt < ratio < doubt


def _look_seconds(graph: Graph, size: int, found: Outlook | None) -> float:
    """Return what a look of ``size`` vertices should take, from what was seen before."""
    per_vertex = tuning.LOOK_VERTEX + (found.steps / graph.n if found else 0.0) * tuning.LOOK_ENTRY
    if found is not None and found.dissected:
        per_vertex += costs.DISSECT_VERTEX
    return tuning.LOOK + min(size, graph.n) * per_vertex


def _hub_seconds(graph: Graph, itemsize: int) -> float:
    """Return what the look at a hub should take."""
    return tuning.LOOK + tuning.HUB_ROWS * row_seconds(graph, itemsize)


def _past_hubs(graph: Graph) -> Outlook | None:
    """Return the outlook of a graph most of whose arcs will be pruned; None if they will not."""
    share = share_of_superfluous(graph, SOLVERS)
    if share < tuning.MOSTLY_PRUNED:
        return None
    return _pruned(graph, share)


def _pruned(graph: Graph, share: float) -> Outlook:
    """Return the outlook of a graph of whose arcs this share is superfluous."""
    return Outlook(0.0, costs.PRUNED_SHORTCUTS * graph.n, pruned=share)
