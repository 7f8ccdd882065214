"""``nearfar sssp``: distances from one source, and the way to some targets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..command import Command, Option
from ..options import FILE_OUT, JSON, PREDECESSORS, QUIET, graph_file, reading, shared, solving, targets
from ..outputs import check_output

if TYPE_CHECKING:
    import nearfar

    from ..paths import Way
    from ..screen import Fact
    from ..work import Loaded


@click.command(
    cls=Command,
    examples=(
        "nearfar sssp roads.gr.gz --source 1",
        "nearfar sssp roads.gr.gz --source 1 --to 1000 --json",
        "nearfar sssp friends.csv --source Ann --weight none -o ann.npz",
    ),
)
@graph_file
@click.option("--source", "-s", required=True, cls=Option, metavar="VERTEX", help="Where to start.")
@targets
@reading
@solving
@shared(FILE_OUT, PREDECESSORS, JSON, QUIET)
def sssp(
    file: str,
    source: str,
    to: tuple[str, ...],
    reading: dict[str, Any],
    solving: dict[str, Any],
    output: str | None,
    predecessors: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Distances from one source to every vertex.

    With --to, the distance of each target and the way there; the search stops when all of them are settled, unless the
    distances are written to a file with -o. A target that cannot be reached is an answer: 'unreached', or null in JSON.
    """
    check_output(output, predecessors, json, quiet and not to)
    import nearfar

    from ...store.writing import save
    from ..paths import way_to
    from ..words import find_vertex, find_vertices
    from ..work import given, load, solve

    loaded = load(file, reading, quiet)
    start = find_vertex(loaded.graph, source, "source")
    ends = find_vertices(loaded.graph, to, "target")
    options = given(solving)
    early = bool(ends) and output is None and loaded.graph.min_weight >= 0  # over negative weights a way may come back
    result = solve(partial(nearfar.sssp, loaded.graph, start, **options, **({"targets": ends} if early else {})), quiet)
    ways = [way_to(result, end) for end in ends]
    if output is not None:
        save(result, output, predecessors)
    if output == "-":
        return
    if json:
        _print_document(loaded, result, start, ways, not early, output)
    elif quiet:
        click.echo("".join(f"{way.text}\n" for way in ways), nl=False)
    else:
        _print_screen(loaded, result, start, ways, output)


def _print_document(
    loaded: Loaded, result: nearfar.Distances, start: Any, ways: Sequence[Way], whole: bool, output: str | None
) -> None:
    """Print the answer for machines; what a search that stopped early cannot tell is null."""
    from .. import documents
    from ..summary import describe_row, nearest_of

    graph, row = loaded.graph, describe_row(result.dist, int(result.sources[0]))
    documents.show(
        "sssp",
        **documents.run_of(loaded, result),
        source=documents.as_json(start),
        reached=row.reached if whole else None,
        unreached=graph.n - row.reached if whole else None,
        nearest=documents.vertices_of(graph, nearest_of(result.dist, result.sources)) if whole else None,
        farthest=documents.vertex_of(graph, row.farthest) if whole else None,
        targets=[way.document() for way in ways],
        output=output,
    )


def _print_screen(
    loaded: Loaded, result: nearfar.Distances, start: Any, ways: Sequence[Way], output: str | None
) -> None:
    """Print the answer for people."""
    from .. import screen

    facts = screen.run_facts(loaded, result)
    written = screen.output_fact(output)
    if ways:
        ends = str(ways[0].target) if len(ways) == 1 else screen.count(len(ways), "target")
        heading = f"From {start} to {ends} in {loaded.file}"
        screen.show(
            heading,
            [*facts, *written, *(way_facts(ways[0]) if len(ways) == 1 else [])],
            *_way_table(loaded.graph, ways),
        )
    else:
        reached, tables = reached_tables(result)
        screen.show(f"Distances from {start} in {loaded.file}", [*facts, *reached, *written], *tables)


def way_facts(way: Way) -> list[Fact]:
    """Return the distance and the way, shortened to the line."""
    from .. import screen

    if way.vertices is None:
        return [("distance", "unreached")]
    width = screen.console().width - len("distance") - 2
    return [("distance", way.shown), ("way", screen.short_way(way.vertices, width))]


def _way_table(graph: nearfar.Graph, ways: Sequence[Way]) -> list[Any]:
    """Return a table of several targets."""
    from .. import screen

    if len(ways) == 1:
        return []
    wide = max(len("target"), *(len(str(way.target)) for way in ways))
    far = max(len("distance"), *(len(way.shown) for way in ways))
    room = max(20, screen.console().width - wide - far - 8)
    rows = [
        (way.target, way.shown, "" if way.vertices is None else screen.short_way(way.vertices, room)) for way in ways
    ]
    return [screen.table_of([("target", screen.side_of(graph)), ("distance", "right"), ("way", "left")], rows)]


def reached_tables(result: nearfar.Distances) -> tuple[list[Fact], list[Any]]:
    """Return how much is reached, and tables of the nearest and the farthest."""
    from .. import screen
    from ..summary import describe_row, nearest_of

    graph, row = result.graph, describe_row(result.dist, int(result.sources[0]))
    fact = screen.reached_fact(row.reached, graph.n)
    near = nearest_of(result.dist, result.sources)
    if not near or row.farthest is None:
        return [fact], []
    rows = [("" if i else "nearest", graph.name(v), screen.number(distance)) for i, (v, distance) in enumerate(near)]
    rows.append(("farthest", graph.name(row.farthest[0]), screen.number(row.farthest[1])))
    return [fact], [screen.table_of([("", "left"), ("vertex", screen.side_of(graph)), ("distance", "right")], rows)]
