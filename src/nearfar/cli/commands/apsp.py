"""``nearfar apsp``: distances between all pairs of vertices."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..command import Command
from ..options import JSON, MATRIX_OUT, PREDECESSORS, QUIET, graph_file, reading, shared, solving, storing
from ..outputs import check_output, is_store

if TYPE_CHECKING:
    import nearfar

    from ..work import Loaded


@click.command(
    cls=Command,
    examples=(
        "nearfar apsp rome99.gr -o rome.npy",
        "nearfar apsp USA-road-d.NY.gr.gz -o ny.zarr --memory 4GB",
        "nearfar apsp streets.csv --weight km --cutoff 5 -o near.parquet",
    ),
)
@graph_file
@reading
@solving
@storing
@shared(MATRIX_OUT, PREDECESSORS, JSON, QUIET)
def apsp(
    file: str,
    reading: dict[str, Any],
    solving: dict[str, Any],
    storing: dict[str, Any],
    output: str | None,
    predecessors: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Distances between all pairs of vertices.

    Row i of the matrix holds the distances from the vertex with index i, column j those to the vertex with index j.
    With -o NAME.zarr they are stored in blocks, compressed: a job that is stopped goes on when the command is repeated.
    With -o FILE.npy the rows are written directly to the file. 'nearfar plan -o' shows how large either is.
    """
    check_output(output, predecessors, json, quiet)
    import nearfar

    from ..stores import answer_store, check_storing
    from ..work import load
    from .mssp import solve_rows

    check_storing(storing, output, predecessors)
    loaded = load(file, reading, quiet)
    if output is not None and is_store(output):
        query: Any = partial(nearfar.apsp, loaded.graph)
        answer_store(query, "apsp", loaded, solving, output, storing, json, quiet)
        return
    rows: Any = partial(nearfar.apsp, loaded.graph)
    result = solve_rows(rows, loaded, None, solving, output, predecessors, quiet)
    if output == "-" or (quiet and not json):
        return
    if json:
        _print_document(loaded, result, output)
    else:
        _print_screen(loaded, result, output)


def _print_document(loaded: Loaded, result: nearfar.Distances, output: str | None) -> None:
    """Print the answer as JSON."""
    from .. import documents
    from ..summary import farthest_of
    from .mssp import rows_of

    rows, graph = rows_of(result), loaded.graph
    reached, best = sum(row.reached for row in rows), farthest_of(rows)
    far = None if best is None else {"source": documents.name_of(graph, best.source)}
    documents.show(
        "apsp",
        **documents.run_of(loaded, result),
        pairs=graph.n**2,
        reached=reached,
        unreached=graph.n**2 - reached,
        farthest=None if best is None or far is None else far | (documents.vertex_of(graph, best.farthest) or {}),
        bytes=result.rows.nbytes,
        output=output,
    )


def _print_screen(loaded: Loaded, result: nearfar.Distances, output: str | None) -> None:
    """Print the answer as text."""
    from .. import screen
    from .mssp import pairs_facts, rows_of

    facts = [*screen.run_facts(loaded, result), *pairs_facts(result, rows_of(result)), *screen.output_fact(output)]
    screen.show(f"Distances between all pairs in {loaded.file}", facts)
