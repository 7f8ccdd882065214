"""``nearfar nearest``: for every vertex the nearest of several sources."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..command import Command
from ..options import FILE_OUT, JSON, PREDECESSORS, QUIET, graph_file, reading, shared, solving, sources, targets
from ..outputs import check_output

if TYPE_CHECKING:
    import nearfar

    from ..paths import Way
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
@reading
@solving
@shared(FILE_OUT, PREDECESSORS, JSON, QUIET)
def nearest(
    file: str,
    sources: dict[str, Any],
    to: tuple[str, ...],
    reading: dict[str, Any],
    solving: dict[str, Any],
    output: str | None,
    predecessors: bool,
    json: bool,
    quiet: bool,
) -> None:
    """For every vertex the nearest of several sources, and its distance.

    Paths lead from the sources to the vertices. With --to, the way to each target from the source nearest to it.
    """
    from ..words import check_given

    check_given(sources)
    check_output(output, predecessors, json, quiet and not to)
    import nearfar

    from ...store.writing import save
    from ..paths import way_to
    from ..words import find_sources, find_vertices
    from ..work import given, load, solve

    loaded = load(file, reading, quiet)
    starts = find_sources(loaded.graph, sources)
    ends = find_vertices(loaded.graph, to, "target")
    answer = solve(partial(nearfar.nearest, loaded.graph, starts, **given(solving)), quiet)
    ways = [way_to(answer, end) for end in ends]
    if output is not None:
        save(answer, output, predecessors)
    if output == "-":
        return
    if json:
        _print_document(loaded, answer, ways, output)
    elif quiet:
        click.echo("".join(f"{way.text}\n" for way in ways), nl=False)
    else:
        _print_screen(loaded, answer, ways, output)


def _pieces(answer: nearfar.Nearest) -> list[Row]:
    """Return for each source how many vertices are nearest to it, and the farthest of them; the largest piece first."""
    import numpy as np

    from ..summary import Row

    found = np.flatnonzero(answer.reached)
    owner = np.searchsorted(answer.sources, answer.source[found])
    counts = np.bincount(owner, minlength=len(answer.sources))
    order = np.lexsort((-found, answer.dist[found], owner))  # the last of each owner is its farthest
    last = found[order][np.cumsum(counts) - 1] if len(found) else np.zeros(len(counts), np.int64)
    pieces = [
        Row(int(source), int(count), (int(v), answer.dist[v].item()) if count else None)
        for source, count, v in zip(answer.sources, counts, last, strict=True)
    ]
    return sorted(pieces, key=lambda piece: -piece.reached)


def _print_document(loaded: Loaded, answer: nearfar.Nearest, ways: Sequence[Way], output: str | None) -> None:
    """Print the answer for machines."""
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
        targets=[{"source": _start(way), **way.document()} for way in ways],
        output=output,
    )


def _start(way: Way) -> Any:
    """Return the source that a way starts from."""
    from .. import documents

    return None if way.vertices is None else documents.as_json(way.vertices[0])


def _print_screen(loaded: Loaded, answer: nearfar.Nearest, ways: Sequence[Way], output: str | None) -> None:
    """Print the answer for people."""
    from .. import screen

    graph, pieces = loaded.graph, _pieces(answer)
    facts = [
        *screen.run_facts(loaded, answer),
        screen.reached_fact(sum(piece.reached for piece in pieces), graph.n),
        *screen.output_fact(output),
    ]
    heading = f"The nearest of {screen.count(len(pieces), 'source')} in {loaded.file}"
    screen.show(heading, facts, _way_table(graph, ways) if ways else screen.row_table(graph, pieces, "vertices"))


def _way_table(graph: nearfar.Graph, ways: Sequence[Way]) -> Any:
    """Return a table of the targets asked for, with the source nearest to each."""
    from .. import screen

    rows = [(way.target, "" if way.vertices is None else way.vertices[0], way.shown) for way in ways]
    side = screen.side_of(graph)
    return screen.table_of([("target", side), ("nearest", side), ("distance", "right")], rows)
