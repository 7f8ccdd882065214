"""Views of NetworkX graphs: subgraphs, and graphs with their edges reversed or without their direction.

NetworkX drops what it has cached of a graph when that changes, but not what it has cached of the graph's views. So one
mark is put into both caches; the graph loses it when it changes, and the next call drops what is cached of the view.
"""

from __future__ import annotations

from typing import Any

FILTERS = "networkx.classes.filters"
VIEWED = "nearfar_viewed"  # the mark


def is_view(graph: Any) -> bool:
    """Tell whether a NetworkX graph shows another one."""
    return hasattr(graph, "_graph")


def _shown(view: Any) -> Any:
    """Return the graph that a view shows, through other views."""
    while is_view(view):
        view = view._graph
    return view


def hides_directions(view: Any) -> bool:
    """Tell whether this is an undirected view of a directed graph, whose edges may have two sets of attributes."""
    return is_view(view) and not view.is_directed() and bool(_shown(view).is_directed())


def is_lasting(view: Any) -> bool:
    """Tell whether what a view hides is fixed: a filter of the user may answer otherwise the next time."""
    while is_view(view):
        filters = (getattr(view, "_NODE_OK", None), getattr(view, "_EDGE_OK", None))
        if any(getattr(found, "__module__", FILTERS) != FILTERS for found in filters if found is not None):
            return False
        view = view._graph
    return True


def mark_view(view: Any) -> None:
    """Put one mark into the caches of a view and of the graph it shows, which loses it when it changes."""
    here, there = getattr(view, "__networkx_cache__", None), getattr(_shown(view), "__networkx_cache__", None)
    if here is not None and there is not None:
        here[VIEWED] = there.setdefault(VIEWED, object())


def forget_changed(view: Any) -> None:
    """Drop what is cached of a view if the graph that it shows has changed, or if its filter may have."""
    here, there = getattr(view, "__networkx_cache__", None), getattr(_shown(view), "__networkx_cache__", None)
    if here and (there is None or here.get(VIEWED) is not there.get(VIEWED) or not is_lasting(view)):
        here.clear()
