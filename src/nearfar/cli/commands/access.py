"""``nearfar access``: how much can be reached from every vertex, within cutoffs or with a decay."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import click

from ..choices import Number
from ..command import Command, Option
from ..measures import check_table_output, numbers_of, show_measures, summary_of, values_of
from ..options import JSON, QUIET, TABLE_OUT, direction, graph_file, on_cluster, reading, shared
from .metrics import metric_solving

DECAYS = ("exponential", "gaussian", "linear", "power")


@click.command(
    cls=Command,
    examples=(
        "nearfar access roads.gr --opportunities jobs.csv --cutoffs 600,1200",
        "nearfar access roads.gr --opportunities jobs.csv --decay linear --scale 900",
    ),
)
@graph_file
@click.option(
    "--opportunities",
    required=True,
    type=click.Path(),
    cls=Option,
    metavar="TABLE",
    help="Table whose first column names vertices, with one column of amounts per kind: .csv, .csv.gz or .parquet.",
)
@click.option("--cutoffs", multiple=True, cls=Option, metavar="LIST", help="Amounts within these distances: 600,1200.")
@click.option("--decay", type=click.Choice(DECAYS), cls=Option, metavar="NAME", help=f"{', '.join(DECAYS)}.")
@click.option("--scale", type=Number(), cls=Option, help="The parameter of the decay.")
@click.option(
    "--vertices", multiple=True, cls=Option, metavar="LIST", help="Only these origins: a,b,c or @FILE; default: all."
)
@direction
@reading
@metric_solving
@on_cluster
@shared(TABLE_OUT, JSON, QUIET)
def access(
    file: str,
    opportunities: str,
    cutoffs: tuple[str, ...],
    decay: str | None,
    scale: float | None,
    vertices: tuple[str, ...],
    direction: str,
    reading: dict[str, Any],
    solving: dict[str, Any],
    client: str | None,
    output: str | None,
    json: bool,
    quiet: bool,
) -> None:
    """Add up what can be reached from every vertex, such as jobs within 600 and 1200 seconds."""
    ends = numbers_of(cutoffs, "Cutoffs")
    if bool(ends) == bool(decay) or (decay is not None and scale is None):
        raise click.UsageError("Give either --cutoffs 600,1200 or --decay NAME with --scale 600")
    check_table_output(output, json, quiet)
    import nearfar

    from ...store.columns import save_columns, vertex_column
    from .. import documents
    from ..words import find_vertices
    from ..work import cluster_of, given, load, solve

    loaded = load(file, reading, quiet)
    amounts = _amounts(loaded.graph, opportunities)
    some = find_vertices(loaded.graph, vertices, "vertex") or None
    began = time.perf_counter()
    how: dict[str, Any] = {"cutoffs": ends} if ends else {"decay": decay, "scale": scale}
    how |= {"vertices": some, "direction": direction} | given(solving)
    columns = []
    with cluster_of(client) as there:
        for kind, values in amounts.items():
            query = partial(nearfar.metrics.accessibility, loaded.graph, values, **how, **there)
            found = solve(query, quiet)
            if ends:
                columns += [(f"{kind}_{end}", found.values[:, i], found.stats) for i, end in enumerate(ends)]
            else:
                columns.append((kind, found.values, found.stats))
    if output is not None:
        save_columns({"vertex": vertex_column(loaded.graph, found.vertex_indices), **values_of(columns)}, output)
    if output == "-":
        return
    if json:
        document = summary_of(loaded.graph, found.vertex_indices, columns)
        documents.show("access", **documents.reading_of(loaded, began), metrics=document, output=output)
    elif not quiet:
        heading = f"What can be reached in {loaded.file}"
        show_measures(loaded, heading, found.vertex_indices, columns, {}, began, output)


def _amounts(graph: Any, path: str) -> dict[str, Any]:
    """Return one array of amounts per column of a table; the first column names the vertices."""
    import numpy as np

    from ...errors import FormatError
    from ...store.columns import read_columns
    from ..words import find_vertex

    table = read_columns(path)
    first, *kinds = table
    if not kinds:
        raise FormatError(f"{path} has one column only; a column of vertices and one of amounts are needed.", path)
    where = np.array([graph.index(find_vertex(graph, str(word), "vertex")) for word in table[first]], np.int64)
    found = {}
    for kind in kinds:
        values = np.array(table[kind])
        if values.dtype.kind not in "iuf":
            raise FormatError(f"{path} has words in the column {kind}, but amounts are numbers.", path)
        found[kind] = np.zeros(graph.n, values.dtype)
        np.add.at(found[kind], where, values)
    return found
