"""``nearfar nearest``: the nearest of several sources for every vertex."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..choices import Count
from ..command import Command, Option
from ..options import (
    FILE_OUT,
    JSON,
    PREDECESSORS,
    QUIET,
    direction,
    graph_file,
    reading,
    shared,
    solving,
    sources,
    targets,
)
from ..outputs import check_output

if TYPE_CHECKING:
    import nearfar

    from ..paths import PathTo
    from ..summary import Row
    from ..work import Loaded


@click.command(
    cls=Command,
    examples=(
        "nearfar nearest roads.gr.gz --sources @hospitals.txt -o nearest.csv",
        "nearfar nearest roads.gr.gz --sources 1,500,1000 --to 77",
        "nearfar nearest roads.gr.gz --sources @hospitals.txt --k 3 --direction to",
        "nearfar nearest monaco.osm.pbf --at hospitals.csv -o nearest.csv",
    ),
)
@graph_file
@sources
@targets
@click.option("--k", type=Count(), default=1, cls=Option, help="How many sources to find for every vertex; default: 1.")
@direction
@reading
@solving
@shared(FILE_OUT, PREDECESSORS, JSON, QUIET)
def nearest(
    file: str,
    sources: dict[str, Any],
    to: tuple[str, ...],
    k: int,
    direction: str,
    reading: dict[str, Any],
    solving: dict[str, Any],
    output: str | None,
    predecessors: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Find the nearest of several sources for every vertex, and its distance.

    With --k 3, the three nearest sources of every vertex, one line for each in tables. Paths lead from the sources to
    the vertices, or, with --direction to, from the vertices to the sources. With --to, the nearest source and the
    distance of each target.
    """
    from ..words import check_given

    check_given(sources)
    check_output(output, predecessors, json, quiet and not to)
    if k > 1 and predecessors:
        raise click.UsageError("--predecessors needs one source per vertex; leave it or --k out")
    import nearfar

    from ...store.writing import save
    from ..paths import path_to, paths_to
    from ..words import find_sources, find_vertices
    from ..work import given, load, solve

    loaded = load(file, reading, quiet)
    starts = find_sources(loaded.graph, sources)
    ends = find_vertices(loaded.graph, to, "target")
    answer = solve(partial(nearfar.nearest, loaded.graph, starts, k, direction=direction, **given(solving)), quiet)
    paths = [path for end in ends for path in (paths_to(answer, end) if k > 1 else [path_to(answer, end)])]
    if output is not None:
        save(answer, output, predecessors)
    if output == "-":
        return
    if json:
        _print_document(loaded, answer, paths, output)
    elif quiet:
        click.echo("".join(f"{found.text}\n" for found in paths), nl=False)
    else:
        _print_screen(loaded, answer, paths, output)


def _pieces(answer: nearfar.Nearest | nearfar.KNearest) -> list[Row]:
    """Return for each source how many vertices are nearest to it, and the farthest of these; most vertices first."""
    import numpy as np

    from ..summary import Row

    dist, k = answer.dist.reshape(-1), answer.dist.size // max(answer.graph.n, 1)
    found = np.flatnonzero(answer.reached)
    owner = np.searchsorted(answer.source_indices, answer.source.reshape(-1)[found])
    counts = np.bincount(owner, minlength=len(answer.source_indices))
    order = np.lexsort((-found, dist[found], owner))  # the last of each owner is its farthest
    last = found[order][np.cumsum(counts) - 1] if len(found) else np.zeros(len(counts), np.int64)
    pieces = [
        Row(int(source), int(count), (int(at) // k, dist[at].item()) if count else None)
        for source, count, at in zip(answer.source_indices, counts, last, strict=True)
    ]
    return sorted(pieces, key=lambda piece: -piece.reached)


def _count_reached(answer: nearfar.Nearest | nearfar.KNearest) -> int:
    """Return how many vertices a source reaches."""
    return int((answer.source.reshape(answer.graph.n, -1)[:, 0] >= 0).sum())


def _print_document(
    loaded: Loaded, answer: nearfar.Nearest | nearfar.KNearest, paths: Sequence[PathTo], output: str | None
) -> None:
    """Print the answer as JSON."""
    from .. import documents

    graph, pieces = loaded.graph, _pieces(answer)
    reached = _count_reached(answer)
    documents.show(
        "nearest",
        **documents.run_of(loaded, answer),
        reached=reached,
        unreached=graph.n - reached,
        sources=[
            {
                "source": documents.name_of(graph, piece.source),
                "vertices": piece.reached,
                "farthest": documents.vertex_of(graph, piece.farthest),
            }
            for piece in pieces
        ],
        targets=[{"source": documents.as_json(_source_of(answer, found)), **found.document()} for found in paths],
        output=output,
    )


def _print_screen(
    loaded: Loaded, answer: nearfar.Nearest | nearfar.KNearest, paths: Sequence[PathTo], output: str | None
) -> None:
    """Print the answer as text."""
    import nearfar

    from .. import screen

    graph, pieces = loaded.graph, _pieces(answer)
    facts = [
        *screen.run_facts(loaded, answer),
        screen.reached_fact(_count_reached(answer), graph.n),
        *screen.output_fact(output),
    ]
    number = "" if isinstance(answer, nearfar.Nearest) else f"{answer.k} "
    towards = "" if answer.direction == "from" else ", travelling to them,"
    heading = f"The {number}nearest of {screen.count(len(pieces), 'source')}{towards} in {loaded.file}"
    rows = _path_table(answer, paths) if paths else screen.row_table(graph, pieces, "vertices", answer.direction)
    screen.show(heading, facts, rows)


def _source_of(answer: nearfar.Nearest | nearfar.KNearest, found: PathTo) -> Any:
    """Return the source of a path, None if there is no path."""
    return None if found.vertices is None else found.vertices[0 if answer.direction == "from" else -1]


def _path_table(answer: nearfar.Nearest | nearfar.KNearest, paths: Sequence[PathTo]) -> Any:
    """Return a table of the targets, with the source nearest to each."""
    from .. import screen

    sources = [_source_of(answer, found) for found in paths]
    rows = [
        (found.target, "" if source is None else source, found.shown)
        for found, source in zip(paths, sources, strict=True)
    ]
    side = screen.side_of(answer.graph)
    return screen.table_of(
        [("target", side), ("nearest", side), (screen.distance_heading(answer.graph), "right")], rows
    )
