"""``nearfar apsp``: distances between all pairs of vertices."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..command import Command
from ..options import JSON, MATRIX_OUT, PREDECESSORS, QUIET, graph_file, on_cluster, reading, shared, solving, storing
from ..outputs import check_output, is_store

if TYPE_CHECKING:
    from ..summary import Rows
    from ..work import Loaded


@click.command(
    cls=Command,
    examples=(
        "nearfar apsp rome99.gr -o rome.npy",
        "nearfar apsp USA-road-d.NY.gr.gz -o ny.zarr --memory 4GB",
        "nearfar apsp USA-road-d.NY.gr.gz -o ny.zarr --scheduler tcp://10.0.0.1:8786",
        "nearfar apsp streets.csv --weight km --cutoff 5 -o near.parquet",
    ),
)
@graph_file
@reading
@solving
@on_cluster
@storing
@shared(MATRIX_OUT, PREDECESSORS, JSON, QUIET)
def apsp(
    file: str,
    reading: dict[str, Any],
    solving: dict[str, Any],
    client: str | None,
    storing: dict[str, Any],
    output: str | None,
    predecessors: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Distances between all pairs of vertices.

    Row i of the matrix holds the distances from the vertex with index i, column j those to the vertex with index j.
    With -o NAME.zarr it is stored in blocks, compressed: a job that is stopped goes on when the command is repeated.
    With any other -o but .npz, and without --predecessors, rows are written while they are found, so that the matrix
    may be larger than memory. 'nearfar plan -o' shows how large it is.
    """
    check_output(output, predecessors, json, quiet)
    import nearfar

    from ..stores import answer_store, check_storing
    from ..summary import Rows, describe_block
    from ..work import cluster_of, load
    from .mssp import solve_rows, streams, write_rows

    check_storing(storing, output, predecessors)
    loaded = load(file, reading, quiet)
    with cluster_of(client) as there:
        query: Any = partial(nearfar.apsp, loaded.graph, **there)
        if output is not None and is_store(output):
            answer_store(query, "apsp", loaded, solving, output, storing, json, quiet)
            return
        if streams(output, predecessors):
            result = write_rows(loaded, None, "from", solving, output or "", quiet, describe_block, there)
        else:
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
