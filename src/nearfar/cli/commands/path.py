"""``nearfar path``: one shortest path, vertex by vertex."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ...errors import NearfarError, NoPathError, clip
from ..command import Command, Option
from ..options import JSON, QUIET, graph_file, reading, shared, solving

if TYPE_CHECKING:
    import nearfar

    from ..paths import PathTo
    from ..work import Loaded


def _check_map(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Refuse a file that is no map, or cannot be written, before anything is computed."""
    if value is None or ctx.resilient_parsing:
        return value
    from ...formats.io.targets import check_writable
    from ..failures import as_typed

    if not value.lower().endswith((".geojson", ".json")):
        raise click.BadParameter(f"'{clip(value, 40)}' is no map; end the name with .geojson", ctx, param)
    try:
        check_writable(value)
    except NearfarError as error:
        raise click.BadParameter(as_typed(error), ctx, param) from None
    return value


@click.command(
    cls=Command,
    examples=(
        "nearfar path roads.gr.gz 1 1000",
        "nearfar path roads.gr.gz --source 1 --to 1000",
        "nearfar path monaco.osm.pbf --from 7.4197,43.7314 --to 7.42,43.74",
        "nearfar path monaco.osm.pbf 21912089 21914340 -o way.geojson",
        "nearfar path friends.csv Ann Zoe --weight none --quiet",
    ),
)
@graph_file
@click.argument("ends", nargs=-1, metavar="SOURCE TARGET")
@click.option("--source", "-s", "--from", "source", cls=Option, metavar="VERTEX", help="The source, instead of SOURCE.")
@click.option("--to", "-t", cls=Option, metavar="VERTEX", help="The target, instead of TARGET.")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    cls=Option,
    section="Output",
    metavar="FILE",
    callback=_check_map,
    help="Write the path as a line on a map to a .geojson file, too.",
)
@reading
@solving
@shared(JSON, QUIET)
def path(
    file: str,
    ends: tuple[str, ...],
    source: str | None,
    to: str | None,
    output: str | None,
    reading: dict[str, Any],
    solving: dict[str, Any],
    json: bool,
    quiet: bool,
) -> None:
    """One shortest path from SOURCE to TARGET, with all its vertices.

    Of several shortest paths, every method shows the same one. --quiet prints only the vertices, one per line. If there
    is no path, this is an error with exit code 2. Put '--' before a vertex that begins with '-'.
    """
    first, last = _both_ends(ends, source, to)
    import nearfar

    from ..paths import path_to
    from ..words import find_vertex
    from ..work import given, load, solve

    loaded = load(file, reading, quiet)
    graph, options = loaded.graph, given(solving)
    start, end = find_vertex(graph, first, "source"), find_vertex(graph, last, "target")
    result = solve(partial(nearfar.sssp, graph, start, targets=[end], **options), quiet)
    found = path_to(result, end)
    if found.vertices is None:
        within = "" if result.cutoff is None else f" within the cutoff {result.cutoff}"
        raise NoPathError(f"there is no path from {start!r} to {end!r}{within}.")
    if output is not None:
        nearfar.geo.features(graph, found.vertices).to_geojson(output)
    if json:
        _print_document(loaded, result, start, found)
    elif quiet:
        click.echo("\n".join(str(vertex) for vertex in found.vertices))
    else:
        _print_screen(loaded, result, start, found)


def _both_ends(ends: tuple[str, ...], source: str | None, to: str | None) -> tuple[str, str]:
    """Return the two ends of the path, given as arguments or as options."""
    if len(ends) == 2 and source is None and to is None:
        return ends[0], ends[1]
    if not ends and source is not None and to is not None:
        return source, to
    given = [*ends, *(f"{name} {word}" for name, word in (("--source", source), ("--to", to)) if word is not None)]
    raise click.UsageError(
        "Two vertices are needed, as SOURCE TARGET or as --source SOURCE --to TARGET; "
        f"given: {', '.join(clip(word, 40) for word in given) or 'none'}",
        click.get_current_context(),
    )


def _print_document(loaded: Loaded, result: nearfar.Table, start: Any, found: PathTo) -> None:
    """Print the answer as JSON."""
    from .. import documents

    document = found.document()
    documents.show(
        "path",
        **documents.run_of(loaded, result),
        source=documents.as_json(start),
        target=document["vertex"],
        distance=document["distance"],
        arcs=len(document["path"]) - 1,
        path=document["path"],
        rows=result.path_rows(start, found.target).tolist(),
    )


def _print_screen(loaded: Loaded, result: nearfar.Table, start: Any, found: PathTo) -> None:
    """Print the answer as text."""
    from .. import screen

    assert found.vertices is not None
    facts = [
        *screen.run_facts(loaded, result),
        ("distance", f"{loaded.graph.units.behind(found.shown)}, over {screen.count(len(found.vertices) - 1, 'arc')}"),
        ("path", screen.whole_path(found.vertices)),
    ]
    screen.show(f"From {start} to {found.target} in {loaded.file}", facts)
