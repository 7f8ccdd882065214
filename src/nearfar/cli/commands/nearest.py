"""``nearfar nearest``: the nearest of several sources for every vertex."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..command import Command
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
    ),
)
@graph_file
@sources
@targets
@direction
@reading
@solving
@shared(FILE_OUT, PREDECESSORS, JSON, QUIET)
def nearest(
    file: str,
    sources: dict[str, Any],
    to: tuple[str, ...],
    direction: str,
    reading: dict[str, Any],
    solving: dict[str, Any],
    output: str | None,
    predecessors: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Find the nearest of several sources for every vertex, and its distance.

    Paths lead from the sources to the vertices, or, with --direction to, from the vertices to the sources. With --to,
    the nearest source and the distance of each target.
    """
    from ..words import check_given

    check_given(sources)
    check_output(output, predecessors, json, quiet and not to)
    import nearfar

    from ...store.writing import save
    from ..paths import path_to
    from ..words import find_sources, find_vertices
    from ..work import given, load, solve

    loaded = load(file, reading, quiet)
    starts = find_sources(loaded.graph, sources)
    ends = find_vertices(loaded.graph, to, "target")
    answer = solve(partial(nearfar.nearest, loaded.graph, starts, direction=direction, **given(solving)), quiet)
    paths = [path_to(answer, end) for end in ends]
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


def _pieces(answer: nearfar.Nearest) -> list[Row]:
    """Return for each source how many vertices are nearest to it, and the farthest of these; most vertices first."""
    import numpy as np

    from ..summary import Row

    found = np.flatnonzero(answer.reached)
    owner = np.searchsorted(answer.source_indices, answer.source[found])
    counts = np.bincount(owner, minlength=len(answer.source_indices))
    order = np.lexsort((-found, answer.dist[found], owner))  # the last of each owner is its farthest
    last = found[order][np.cumsum(counts) - 1] if len(found) else np.zeros(len(counts), np.int64)
    pieces = [
        Row(int(source), int(count), (int(v), answer.dist[v].item()) if count else None)
        for source, count, v in zip(answer.source_indices, counts, last, strict=True)
    ]
    return sorted(pieces, key=lambda piece: -piece.reached)


def _print_document(loaded: Loaded, answer: nearfar.Nearest, paths: Sequence[PathTo], output: str | None) -> None:
    """Print the answer as JSON."""
    from .. import documents

    graph, pieces = loaded.graph, _pieces(answer)
    reached = sum(piece.reached for piece in pieces)
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
        targets=[{"source": documents.as_json(answer[found.target][0]), **found.document()} for found in paths],
        output=output,
    )


def _print_screen(loaded: Loaded, answer: nearfar.Nearest, paths: Sequence[PathTo], output: str | None) -> None:
    """Print the answer as text."""
    from .. import screen

    graph, pieces = loaded.graph, _pieces(answer)
    facts = [
        *screen.run_facts(loaded, answer),
        screen.reached_fact(sum(piece.reached for piece in pieces), graph.n),
        *screen.output_fact(output),
    ]
    heading = f"The nearest of {screen.count(len(pieces), 'source')} in {loaded.file}"
    rows = _path_table(answer, paths) if paths else screen.row_table(graph, pieces, "vertices", answer.direction)
    screen.show(heading, facts, rows)


def _path_table(answer: nearfar.Nearest, paths: Sequence[PathTo]) -> Any:
    """Return a table of the targets, with the source nearest to each."""
    from .. import screen

    nearest = [answer[found.target][0] for found in paths]
    rows = [
        (found.target, "" if source is None else source, found.shown)
        for found, source in zip(paths, nearest, strict=True)
    ]
    side = screen.side_of(answer.graph)
    return screen.table_of([("target", side), ("nearest", side), ("distance", "right")], rows)
