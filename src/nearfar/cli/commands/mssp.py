"""``nearfar mssp``: distances from several sources, one row per source."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..command import Command
from ..options import (
    JSON,
    MATRIX_OUT,
    PREDECESSORS,
    QUIET,
    direction,
    graph_file,
    on_cluster,
    reading,
    shared,
    solving,
    sources,
    storing,
    targets,
)
from ..outputs import check_output, check_pairs, is_store

if TYPE_CHECKING:
    import nearfar

    from ..summary import Row, Rows
    from ..work import Loaded


@click.command(
    cls=Command,
    examples=(
        "nearfar mssp roads.gr.gz --sources 1,500,1000",
        "nearfar mssp roads.gr.gz --sources @depots.txt --to @shops.txt -o table.csv",
        "nearfar mssp roads.gr.gz --sources @depots.txt -o depots.npz",
        "nearfar mssp roads.gr.gz --sources @many.txt -o many.zarr --resume",
        "nearfar mssp roads.gr.gz --sources @many.txt -o many.zarr --workers 4",
        "nearfar mssp roads.gr.gz --sources-from depots.txt -o - > depots.csv",
    ),
)
@graph_file
@sources
@targets
@direction
@reading
@solving
@on_cluster
@storing
@shared(MATRIX_OUT, PREDECESSORS, JSON, QUIET)
def mssp(
    file: str,
    sources: dict[str, Any],
    to: tuple[str, ...],
    direction: str,
    reading: dict[str, Any],
    solving: dict[str, Any],
    client: str | None,
    storing: dict[str, Any],
    output: str | None,
    predecessors: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Distances from several sources to every vertex, one row per source; with --to, a table of sources and targets.

    Rows are in the order of the sources. With --direction to, they hold the distances to the sources. With -o NAME.zarr
    they are stored in blocks, and a job that is stopped goes on when the command is repeated. With any other -o but
    .npz, and without --predecessors, they are written while they are found, so that they may be larger than memory. The
    table has one line per pair of a source and a target, in order; pairs without a path are 'unreached', null in JSON,
    and left out of files.
    """
    import nearfar

    from ..pairs import answer_pairs
    from ..stores import answer_store, check_storing
    from ..summary import Rows, describe_rows
    from ..words import check_given, find_sources, find_vertices
    from ..work import cluster_of, load

    check_given(sources)
    check_output(output, predecessors, json, quiet and not to)
    check_storing(storing, output, predecessors)
    if to:
        check_pairs(output, predecessors)
    loaded = load(file, reading, quiet)
    starts = find_sources(loaded.graph, sources)
    ends = find_vertices(loaded.graph, to, "target") if to else None
    with cluster_of(client) as there:
        query: Any = partial(nearfar.mssp, loaded.graph, starts, direction=direction, **there)
        if output is not None and is_store(output):
            answer_store(partial(query, targets=ends), "mssp", loaded, solving, output, storing, json, quiet)
            return
        if ends is not None:
            answer_pairs(loaded, starts, ends, direction, solving, output, json, quiet, there)
            return
        if streams(output, predecessors):
            result = write_rows(loaded, starts, direction, solving, output or "", quiet, describe_rows, there)
        else:
            result = Rows.of(solve_rows(query, loaded, starts, solving, output, predecessors, quiet))
    if output == "-" or (quiet and not json):
        return
    if json:
        _print_document(loaded, result, output)
    else:
        _print_screen(loaded, result, output)


def solve_rows(
    query: Callable[..., nearfar.Distances],
    loaded: Loaded,
    starts: list[Any] | None,
    solving: dict[str, Any],
    output: str | None,
    predecessors: bool,
    quiet: bool,
) -> nearfar.Distances:
    """Solve a query from some sources, or from all (None), and write the rows to ``output`` if given."""
    import nearfar

    from ...store.writing import save, solve_to_file
    from ..work import given, solve

    graph, options = loaded.graph, given(solving)
    if output is not None and output.lower().endswith(".npy") and os.name == "posix":  # others cannot move mapped files
        plan = nearfar.plan(graph, starts, **options)
        return solve_to_file(lambda out: solve(partial(query, out=out, **options), quiet), plan, output)
    result: nearfar.Distances = solve(partial(query, **options), quiet)
    if output is not None:
        save(result, output, predecessors)
    return result


def streams(output: str | None, predecessors: bool) -> bool:
    """Tell whether rows are written to a table while they are found; trees need rows that are kept."""
    from ...store.door import is_table

    return is_table(output) and not predecessors


def write_rows(
    loaded: Loaded,
    starts: list[Any] | None,
    direction: str,
    solving: dict[str, Any],
    output: str,
    quiet: bool,
    describe: Callable[[Any], list[Row]],
    there: dict[str, Any],
) -> Rows:
    """Write the rows of some sources, or of all (None), to a table, and keep what ``describe`` says of every block."""
    import numpy as np

    from ...engine.query import take_vertices
    from ...scale.stores import hands_of
    from ...store.door import solve_to_table
    from ..summary import Rows
    from ..work import given, solve

    graph = loaded.graph
    rows: list[Row] = []
    sources = np.arange(graph.n, dtype=np.int32) if starts is None else take_vertices(graph, starts, "source")

    def keep(block: Any) -> None:
        rows.extend(describe(block))

    def query(progress: Any) -> Any:
        options = given(solving) | {"out": output, "progress": progress}
        with hands_of(there.get("client")) as hands:
            return solve_to_table(graph, sources, None, direction, options, keep, hands)

    written = solve(query, quiet)
    return Rows(written, (len(sources), graph.n), written.dtype, rows)


def _print_document(loaded: Loaded, result: Rows, output: str | None) -> None:
    """Print the answer as JSON."""
    from .. import documents

    graph = loaded.graph
    documents.show(
        "mssp",
        **documents.run_of(loaded, result.answer),
        rows=[documents.row_of(graph, row) for row in result.rows],
        distances=None,
        bytes=result.nbytes,
        output=output,
    )


def _print_screen(loaded: Loaded, result: Rows, output: str | None) -> None:
    """Print the answer as text."""
    from .. import screen

    rows, direction = result.rows, result.answer.direction
    facts = [*screen.run_facts(loaded, result.answer), *pairs_facts(loaded, result), *screen.output_fact(output)]
    heading = f"Distances {direction} {screen.count(len(rows), 'source')} in {loaded.file}"
    screen.show(heading, facts, screen.row_table(loaded.graph, rows, "reached", direction))


def pairs_facts(loaded: Loaded, result: Rows) -> list[tuple[str, str]]:
    """Return how many pairs are reached, how large the answer is, and which pair is farthest."""
    from .. import screen
    from ..summary import farthest_of

    k, n = result.shape
    reached, name, best = sum(row.reached for row in result.rows), loaded.graph.name, farthest_of(result.rows)
    size = f"{screen.format_count(k)} x {screen.format_count(n)} {result.dtype}"
    facts = [
        ("answer", f"{size}, {screen.format_bytes(result.nbytes)}"),
        screen.reached_fact(reached, k * n, "pair", "pairs"),
    ]
    if best is not None and best.farthest is not None:
        ends = [str(name(best.source)), str(name(best.farthest[0]))]
        walk = screen.whole_path(ends if result.answer.direction == "from" else ends[::-1])
        facts.append(("farthest", f"{walk}, distance {screen.number(best.farthest[1])}"))
    return facts
