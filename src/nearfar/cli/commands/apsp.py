"""``nearfar apsp``: distances between all pairs of vertices."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..command import Command
from ..options import FILE_OUT, JSON, PREDECESSORS, QUIET, graph_file, reading, shared, solving
from ..outputs import check_output

if TYPE_CHECKING:
    from ..summary import Rows
    from ..work import Loaded


@click.command(
    cls=Command,
    examples=("nearfar apsp rome99.gr -o rome.npy", "nearfar apsp streets.csv --weight km --cutoff 5 -o near.parquet"),
)
@graph_file
@reading
@solving
@shared(FILE_OUT, PREDECESSORS, JSON, QUIET)
def apsp(
    file: str,
    reading: dict[str, Any],
    solving: dict[str, Any],
    output: str | None,
    predecessors: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Distances between all pairs of vertices.

    Row i of the matrix holds the distances from the vertex with index i, column j those to the vertex with index j.
    With -o, the rows are written to the file while they are found, so that the matrix may be larger than memory, but
    for .npz and --predecessors; 'nearfar plan' shows its size.
    """
    check_output(output, predecessors, json, quiet)
    import nearfar

    from ..summary import Rows, describe_block
    from ..work import load
    from .mssp import solve_rows, streams, write_rows

    loaded = load(file, reading, quiet)
    if streams(output, predecessors):
        result = write_rows(loaded, None, "from", solving, output or "", quiet, describe_block)
    else:
        query = partial(nearfar.apsp, loaded.graph)
        result = Rows.of(solve_rows(query, loaded, None, solving, output, predecessors, quiet))
    if output == "-" or (quiet and not json):
        return
    if json:
        _print_document(loaded, result, output)
    else:
        _print_screen(loaded, result, output)


def _print_document(loaded: Loaded, result: Rows, output: str | None) -> None:
    """Print the answer as JSON."""
    from .. import documents
    from ..summary import farthest_of

    rows, graph = result.rows, loaded.graph
    reached, best = sum(row.reached for row in rows), farthest_of(rows)
    far = None if best is None else {"source": documents.name_of(graph, best.source)}
    documents.show(
        "apsp",
        **documents.run_of(loaded, result.answer),
        pairs=graph.n**2,
        reached=reached,
        unreached=graph.n**2 - reached,
        farthest=None if best is None or far is None else far | (documents.vertex_of(graph, best.farthest) or {}),
        bytes=result.nbytes,
        output=output,
    )


def _print_screen(loaded: Loaded, result: Rows, output: str | None) -> None:
    """Print the answer as text."""
    from .. import screen
    from .mssp import pairs_facts

    facts = [*screen.run_facts(loaded, result.answer), *pairs_facts(loaded, result), *screen.output_fact(output)]
    screen.show(f"Distances between all pairs in {loaded.file}", facts)
