"""``nearfar verify``: prove that a saved answer is exact."""

from __future__ import annotations

import time
from typing import Any

import click

from ..choices import Count, Number
from ..command import Command, Option
from ..options import JSON, QUIET, reading, shared, sources

WRONG = 1
SAMPLE = 100  # rows of a store that are proved


@click.command(
    cls=Command,
    examples=(
        "nearfar verify roads.gr.gz answer.npz",
        "nearfar verify roads.gr.gz distances.npy --source 1",
        "nearfar verify roads.gr.gz near.csv --cutoff 5000",
        "nearfar verify roads.gr.gz d.zarr --sample 1000",
    ),
)
@click.argument("file", type=click.Path(), metavar="GRAPH")
@click.argument("answer", type=click.Path(), metavar="RESULT")
@click.option("--source", cls=Option, metavar="VERTEX", help="The source of the one row of a .npy file.")
@sources
@click.option("--cutoff", type=Number(), cls=Option, help="The cutoff of the query; an .npz file holds it.")
@click.option(
    "--dtype",
    type=click.Choice(["int32", "int64", "float32", "float64"]),
    cls=Option,
    metavar="TYPE",
    help="Type of the distances in a .csv file; default: that of the weights.",
)
@click.option(
    "--rounded",
    is_flag=True,
    cls=Option,
    help="Allow floats to differ by rounding, as from prepared and floyd; an .npz file says so itself.",
)
@click.option(
    "--direction",
    type=click.Choice(["from", "to"]),
    cls=Option,
    metavar="from|to",
    help="Direction of the query, for a .npy file; other files say so themselves.",
)
@click.option(
    "--sample",
    type=Count("a number of rows"),
    cls=Option,
    help="Rows of a .zarr store that are proved, chosen at random; default: 100.",
)
@reading
@shared(JSON, QUIET)
@click.pass_context
def verify(
    ctx: click.Context,
    file: str,
    answer: str,
    source: str | None,
    sources: dict[str, Any],
    cutoff: float | None,
    dtype: str | None,
    rounded: bool,
    direction: str | None,
    sample: int | None,
    reading: dict[str, Any],
    json: bool,
    quiet: bool,
) -> None:
    """Prove that RESULT, a file written with -o, holds the exact distances in GRAPH.

    The proof takes one pass over the arcs per row and shares no code with the solvers. Predecessors in the file are
    checked, too. An .npz or .csv file knows its sources; for a .npy file name them, or none for all pairs. Of a .zarr
    store, some rows are proved, chosen at random. Exit code 1 means that the answer is wrong; the output says where.
    """
    import nearfar

    from ...store.answers import Hints
    from ...store.reading import load_answer
    from ...store.writing import is_store
    from .. import documents, screen
    from ..words import find_sources, find_vertex
    from ..work import load

    if source is not None and any(sources.values()):
        raise click.UsageError("--source and --sources contradict each other; leave one out", ctx)
    if sample is not None and not is_store(answer):
        raise click.UsageError("--sample is for stores (.zarr); leave it out: all rows are proved", ctx)
    loaded = load(file, reading, quiet)
    starts = None
    if source is not None:
        starts = [find_vertex(loaded.graph, source, "source")]
    elif any(sources.values()):
        starts = find_sources(loaded.graph, sources)
    began = time.perf_counter()
    if is_store(answer):
        certificate = nearfar.open_matrix(answer).verify(loaded.graph, SAMPLE if sample is None else sample)
    else:
        result = load_answer(answer, loaded.graph, Hints(starts, cutoff, dtype, rounded, direction))
        began = time.perf_counter()
        certificate = nearfar.verify(loaded.graph, result)
    seconds = time.perf_counter() - began
    if json:
        documents.show(
            "verify",
            file=loaded.file,
            result=answer,
            graph=documents.graph_of(loaded.graph),
            exact=certificate.ok,
            rounding=certificate.rounding,
            rows=certificate.rows,
            problems=certificate.problems,
            seconds={"read": loaded.seconds, "verify": seconds},
        )
    elif not quiet:
        click.echo(f"{certificate}" + (f" in {screen.format_seconds(seconds)}" if certificate.ok else ""))
    ctx.exit(0 if certificate.ok else WRONG)
