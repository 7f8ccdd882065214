"""``nearfar sssp``: distances from one source, and paths to some targets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..command import Command, Option
from ..options import FILE_OUT, JSON, PREDECESSORS, QUIET, direction, graph_file, reading, shared, solving, targets
from ..outputs import check_output

if TYPE_CHECKING:
    import nearfar

    from ..paths import PathTo
    from ..screen import Fact
    from ..work import Loaded


@click.command(
    cls=Command,
    examples=(
        "nearfar sssp roads.gr.gz --source 1",
        "nearfar sssp roads.gr.gz --source 1 --to 1000 --json",
        "nearfar sssp friends.csv --source Ann --weight none -o ann.npz",
        "nearfar sssp roads.gr.gz --source 1 --start 2=3.5 --to 1000",
        "nearfar sssp monaco.osm.pbf --from 7.4197,43.7314",
    ),
)
@graph_file
@click.option("--source", "-s", "--from", "source", cls=Option, metavar="VERTEX", help="The source.")
@click.option(
    "--start",
    multiple=True,
    cls=Option,
    metavar="VERTEX=DISTANCE",
    help="A start at a distance; may be repeated, and needs no --source. The source starts at 0, unless named here.",
)
@targets
@direction
@reading
@solving
@shared(FILE_OUT, PREDECESSORS, JSON, QUIET)
def sssp(
    file: str,
    source: str | None,
    start: tuple[str, ...],
    to: tuple[str, ...],
    direction: str,
    reading: dict[str, Any],
    solving: dict[str, Any],
    output: str | None,
    predecessors: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Distances from one source to every vertex, or, with --direction to, from every vertex to it.

    With --to, the distance of each target and the path to it. The search stops when all targets are settled, unless -o
    writes all distances to a file. A target that cannot be reached is not an error: 'unreached', or null in JSON.
    """
    if source is None and not start:
        raise click.UsageError("Missing option '--source' (or '--start')", click.get_current_context())
    check_output(output, predecessors, json, quiet and not to)
    import nearfar

    from ...store.writing import save
    from ..paths import path_to
    from ..words import find_starts, find_vertices
    from ..work import given, load, solve

    loaded = load(file, reading, quiet)
    begin = find_starts(loaded.graph, source, start)
    ends = find_vertices(loaded.graph, to, "target")
    options = given(solving)
    early = bool(ends) and output is None
    columns = {"targets": ends} if early else {}
    result = solve(partial(nearfar.sssp, loaded.graph, begin, direction=direction, **columns, **options), quiet)
    paths = [path_to(result, end) for end in ends]
    if output is not None:
        save(result, output, predecessors)
    if output == "-":
        return
    if json:
        _print_document(loaded, result, begin, paths, output)
    elif quiet:
        click.echo("".join(f"{found.text}\n" for found in paths), nl=False)
    else:
        _print_screen(loaded, result, begin, paths, output)


def _print_document(
    loaded: Loaded,
    result: nearfar.Distances | nearfar.Table,
    start: Any,
    paths: Sequence[PathTo],
    output: str | None,
) -> None:
    """Print the answer as JSON; what only whole rows can tell is null if there are targets."""
    import nearfar

    from .. import documents
    from ..summary import describe_row, nearest_of

    graph, whole = loaded.graph, isinstance(result, nearfar.Distances)
    row = describe_row(result.dist, int(result.source_indices[0]))
    documents.show(
        "sssp",
        **documents.run_of(loaded, result),
        source=documents.starts_of(start),
        reached=row.reached if whole else None,
        unreached=graph.n - row.reached if whole else None,
        nearest=documents.vertices_of(graph, nearest_of(result.dist, result.source_indices)) if whole else None,
        farthest=documents.vertex_of(graph, row.farthest) if whole else None,
        targets=[found.document() for found in paths],
        output=output,
    )


def _print_screen(
    loaded: Loaded,
    result: nearfar.Distances | nearfar.Table,
    start: Any,
    paths: Sequence[PathTo],
    output: str | None,
) -> None:
    """Print the answer as text."""
    import nearfar

    from .. import screen

    facts = screen.run_facts(loaded, result)
    if isinstance(start, dict):
        start = ", ".join(f"{vertex} at {distance}" for vertex, distance in start.items())
    written = screen.output_fact(output)
    if paths:
        ends = str(paths[0].target) if len(paths) == 1 else screen.count(len(paths), "target")
        first, last = (start, ends) if result.direction == "from" else (ends, start)
        heading = f"From {first} to {last} in {loaded.file}"
        screen.show(
            heading,
            [*facts, *written, *(path_facts(loaded.graph, paths[0]) if len(paths) == 1 else [])],
            *_path_table(loaded.graph, paths),
        )
    else:
        assert isinstance(result, nearfar.Distances)
        reached, tables = reached_tables(result)
        screen.show(f"Distances {result.direction} {start} in {loaded.file}", [*facts, *reached, *written], *tables)


def path_facts(graph: nearfar.Graph, found: PathTo) -> list[Fact]:
    """Return the distance and the path, shortened to the line."""
    from .. import screen

    if found.vertices is None:
        return [("distance", "unreached")]
    width = screen.console().width - len("distance") - 2
    return [("distance", graph.units.behind(found.shown)), ("path", screen.short_path(found.vertices, width))]


def _path_table(graph: nearfar.Graph, paths: Sequence[PathTo]) -> list[Any]:
    """Return a table of several targets."""
    from .. import screen

    if len(paths) == 1:
        return []
    heading = screen.distance_heading(graph)
    wide = max(len("target"), *(len(str(found.target)) for found in paths))
    far = max(len(heading), *(len(found.shown) for found in paths))
    room = max(20, screen.console().width - wide - far - 8)
    rows = [
        (found.target, found.shown, "" if found.vertices is None else screen.short_path(found.vertices, room))
        for found in paths
    ]
    return [screen.table_of([("target", screen.side_of(graph)), (heading, "right"), ("path", "left")], rows)]


def reached_tables(result: nearfar.Distances) -> tuple[list[Fact], list[Any]]:
    """Return how many vertices are reached, and a table of the nearest and the farthest."""
    from .. import screen
    from ..summary import describe_row, nearest_of

    graph, row = result.graph, describe_row(result.dist, int(result.source_indices[0]))
    fact = screen.reached_fact(row.reached, graph.n)
    near = nearest_of(result.dist, result.source_indices)
    if not near or row.farthest is None:
        return [fact], []
    rows = [("" if i else "nearest", graph.name(v), screen.number(distance)) for i, (v, distance) in enumerate(near)]
    rows.append(("farthest", graph.name(row.farthest[0]), screen.number(row.farthest[1])))
    return [fact], [
        screen.table_of(
            [("", "left"), ("vertex", screen.side_of(graph)), (screen.distance_heading(graph), "right")], rows
        )
    ]
