"""``nearfar path``: one shortest path, vertex by vertex."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ...errors import NoPathError
from ..choices import shorten
from ..command import Command, Option
from ..options import JSON, QUIET, graph_file, reading, shared, solving

if TYPE_CHECKING:
    import nearfar

    from ..paths import Way
    from ..work import Loaded


@click.command(
    cls=Command,
    examples=(
        "nearfar path roads.gr.gz 1 1000",
        "nearfar path roads.gr.gz --source 1 --to 1000",
        "nearfar path friends.csv Ann Zoe --weight none --quiet",
    ),
)
@graph_file
@click.argument("ends", nargs=-1, metavar="SOURCE TARGET")
@click.option("--source", "-s", cls=Option, metavar="VERTEX", help="Where to start, instead of SOURCE.")
@click.option("--to", "-t", cls=Option, metavar="VERTEX", help="Where to go, instead of TARGET.")
@reading
@solving
@shared(JSON, QUIET)
def path(
    file: str,
    ends: tuple[str, ...],
    source: str | None,
    to: str | None,
    reading: dict[str, Any],
    solving: dict[str, Any],
    json: bool,
    quiet: bool,
) -> None:
    """One shortest path from SOURCE to TARGET, with all its vertices.

    Of several shortest paths the one with the fewest arcs is shown. --quiet prints the vertices alone, one a line. When
    there is no path, this says so and exits with 2. Before a vertex that begins with '-' put '--'.
    """
    first, last = _both_ends(ends, source, to)
    import nearfar

    from ..paths import way_to
    from ..words import find_vertex
    from ..work import given, load, solve

    loaded = load(file, reading, quiet)
    graph, options = loaded.graph, given(solving)
    start, end = find_vertex(graph, first, "source"), find_vertex(graph, last, "target")
    if graph.min_weight >= 0:  # over negative weights a path may leave the limit and come back
        options["targets"] = [end]
    result = solve(partial(nearfar.sssp, graph, start, **options), quiet)
    way = way_to(result, end)
    if way.vertices is None:
        within = "" if result.cutoff is None else f" within the cutoff {result.cutoff}"
        raise NoPathError(f"there is no path from {start!r} to {end!r}{within}.")
    if json:
        _print_document(loaded, result, start, way)
    elif quiet:
        click.echo("\n".join(str(vertex) for vertex in way.vertices))
    else:
        _print_screen(loaded, result, start, way)


def _both_ends(ends: tuple[str, ...], source: str | None, to: str | None) -> tuple[str, str]:
    """Return the two vertices that were given, as arguments or as options."""
    if len(ends) == 2 and source is None and to is None:
        return ends[0], ends[1]
    if not ends and source is not None and to is not None:
        return source, to
    given = [*ends, *(f"{name} {word}" for name, word in (("--source", source), ("--to", to)) if word is not None)]
    raise click.UsageError(
        "Two vertices are needed, as SOURCE TARGET or as --source SOURCE --to TARGET; "
        f"given: {', '.join(map(shorten, given)) or 'none'}",
        click.get_current_context(),
    )


def _print_document(loaded: Loaded, result: nearfar.Distances, start: Any, way: Way) -> None:
    """Print the answer for machines."""
    from .. import documents

    found = way.document()
    documents.show(
        "path",
        **documents.run_of(loaded, result),
        source=documents.as_json(start),
        target=found["vertex"],
        distance=found["distance"],
        arcs=len(found["path"]) - 1,
        path=found["path"],
    )


def _print_screen(loaded: Loaded, result: nearfar.Distances, start: Any, way: Way) -> None:
    """Print the answer for people."""
    from .. import screen

    assert way.vertices is not None
    facts = [
        *screen.run_facts(loaded, result),
        ("distance", f"{way.shown}, over {screen.count(len(way.vertices) - 1, 'arc')}"),
        ("path", screen.whole_way(way.vertices)),
    ]
    screen.show(f"From {start} to {way.target} in {loaded.file}", facts)
