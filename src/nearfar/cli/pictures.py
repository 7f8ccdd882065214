"""Which picture ``nearfar draw`` makes, and what is solved for it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import nearfar

QUESTIONS = ("source", "sources", "demand", "measure")  # at most one of these options is given
KINDS = {  # the kinds of pictures that answer each question; the first one is drawn if none is named
    None: ("network", "elimination"),
    "source": ("network", "isochrones", "histogram"),
    "sources": ("regions", "network", "isochrones", "histogram"),
    "demand": ("flows",),
    "measure": ("values",),
    "measure of arcs": ("flows",),
}
MEASURES = ("betweenness", "closeness", "eccentricity", "edge-betweenness", "harmonic", "mean-distance")
SHOWN = ("network", "isochrones", "regions", "histogram", "elimination")  # kinds that can be named


def question_of(given: dict[str, Any]) -> tuple[str | None, str]:
    """Return which question was asked, and the kind of the picture; refuse options that would do nothing."""
    asked = [name for name in QUESTIONS if given[name]]
    if len(asked) > 1:
        raise _usage(f"--{asked[0]} and --{asked[1]} ask for two pictures; leave one out")
    question = asked[0] if asked else None
    topic = "measure of arcs" if given["measure"] == "edge-betweenness" else question
    kind = given["kind"] or KINDS[topic][0]
    if kind not in KINDS[topic]:
        fitting = " or ".join(f"--{name}" for name in QUESTIONS if kind in KINDS[name])
        raise _usage(f"--kind {kind} needs {fitting or 'no other question'}" + ("" if question is None else ", alone"))
    about_distances = question in ("source", "sources")
    for name, kinds in (("to", ("network",)), ("limits", ("network", "isochrones"))):
        if given[name] and not (about_distances and kind in kinds):
            raise _usage(f"--{name} is about distances on a network; add --source, and leave --kind out")
    if kind == "isochrones" and not given["limits"]:
        raise _usage("--kind isochrones needs --limits")
    if given["direction"] != "from" and not about_distances:
        raise _usage("--direction is about distances; add --source")
    if question is None:
        useful = ("threads", "memory") if kind == "elimination" else ()
        for name, value in given["solving"].items():
            if value is not None and name not in useful:
                raise _usage(f"--{name} is about distances; add --source")
    return question, kind


def draw_picture(graph: nearfar.Graph, given: dict[str, Any], looks: dict[str, Any], quiet: bool) -> Any:
    """Solve what the picture needs, and draw it."""
    import nearfar

    from .words import find_vertices

    question, kind = question_of(given)
    if question is None and kind == "network":
        return nearfar.draw.network(graph, **looks)
    if kind == "isochrones":
        return _isochrones(graph, question, given, looks, quiet)
    found = _solved(graph, question, given, quiet)
    if kind == "network":
        looks = {**looks, "limits": given["limits"], "to": find_vertices(graph, given["to"], "target") or None}
    return nearfar.draw.draw(found, kind, **looks)


def _solved(graph: nearfar.Graph, question: str | None, given: dict[str, Any], quiet: bool) -> Any:
    """Return the answer to a question."""
    import nearfar

    from .words import find_vertex, find_vertices
    from .work import given as present
    from .work import solve

    options, direction = present(given["solving"]), given["direction"]
    if question is None:
        return nearfar.prepare(graph, **options)
    if question == "source":
        start = find_vertex(graph, given["source"], "source")
        return solve(partial(nearfar.sssp, graph, start, direction=direction, **options), quiet)
    if question == "sources":
        starts = find_vertices(graph, given["sources"], "source")
        return solve(partial(nearfar.nearest, graph, starts, direction=direction, **options), quiet)
    if question == "demand":
        from .demand import read_trips

        return solve(partial(nearfar.metrics.flows, graph, read_trips(graph, given["demand"]), **options), quiet)
    measure = getattr(nearfar.metrics, given["measure"].replace("-", "_"))
    return solve(partial(measure, graph, **options), quiet)


def _isochrones(
    graph: nearfar.Graph, question: str | None, given: dict[str, Any], looks: dict[str, Any], quiet: bool
) -> Any:
    """Draw what is reached within the limits, cut along arcs; coordinates are what the map takes them for."""
    import nearfar

    from ..draw.plane import unit_of
    from .words import find_vertices
    from .work import given as present
    from .work import solve

    words = [given["source"]] if question == "source" else given["sources"]
    starts, options = find_vertices(graph, words, "source"), present(given["solving"])
    options["units"] = unit_of(graph, looks.get("scale", "auto"))
    ask = partial(nearfar.geo.isochrone, graph, starts, given["limits"], direction=given["direction"])
    return nearfar.draw.isochrones(solve(partial(ask, **options), quiet), **looks)


def _usage(message: str) -> click.UsageError:
    """Return an error about options."""
    return click.UsageError(message, click.get_current_context(silent=True))
