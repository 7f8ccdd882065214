"""``nearfar metrics``: closeness, eccentricity, betweenness and more of every vertex, diameter and radius."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from ..command import Command, Option
from ..measures import check_table_output, numbers_of, show_measures, summary_of, values_of
from ..options import JSON, QUIET, SOLVING, TABLE_OUT, bundle, graph_file, on_cluster, reading, shared

if TYPE_CHECKING:
    from ...graph import Graph

MEASURES = {
    "closeness": "1 over the mean distance from all others",
    "harmonic": "Sum of 1 / distance from all others",
    "eccentricity": "Distance to the farthest vertex",
    "mean_distance": "Mean distance to all others",
    "betweenness": "Share of shortest paths through each vertex",
}
WHOLE = {"diameter": "Greatest distance of any two vertices", "radius": "Least eccentricity"}

metric_solving = bundle(
    "solving", {name: SOLVING[name] for name in ("method", "device", "threads", "cutoff", "memory")}
)


def _flags(command: Any) -> Any:
    """Add one flag per metric, in the order of the tables."""
    for name, text in reversed([*MEASURES.items(), *WHOLE.items()]):
        command = click.option(f"--{name.replace('_', '-')}", name, is_flag=True, cls=Option, help=f"{text}.")(command)
    return command


@click.command(
    cls=Command,
    examples=(
        "nearfar metrics roads.gr.gz --closeness --betweenness -o out.parquet",
        "nearfar metrics friends.csv --hops --diameter --eccentricity",
        "nearfar metrics roads.gr.gz --reach 600,1200 --vertices @stops.txt -o -",
        "nearfar metrics roads.gr.gz --closeness --scheduler tcp://10.0.0.1:8786",
    ),
)
@graph_file
@_flags
@click.option("--reach", multiple=True, cls=Option, metavar="LIST", help="Vertices within each cutoff: 600,1200.")
@click.option(
    "--vertices", multiple=True, cls=Option, metavar="LIST", help="Only these vertices: a,b,c or @FILE; default: all."
)
@click.option("--hops", is_flag=True, cls=Option, help="Count every arc as 1, whatever it weighs.")
@reading
@metric_solving
@on_cluster
@shared(TABLE_OUT, JSON, QUIET)
def metrics(
    file: str,
    reach: tuple[str, ...],
    vertices: tuple[str, ...],
    hops: bool,
    reading: dict[str, Any],
    solving: dict[str, Any],
    client: str | None,
    output: str | None,
    json: bool,
    quiet: bool,
    **flags: bool,
) -> None:
    """Measure every vertex: how central, how far, how many within reach.

    One column per metric, with the definitions of NetworkX. Diameter and radius take a few rows only.
    """
    cutoffs = numbers_of(reach, "Cutoffs")
    wanted = [name for name in MEASURES if flags[name]]
    whole = [name for name in WHOLE if flags[name]]
    if not (wanted or whole or cutoffs):
        names = ", ".join(f"--{name.replace('_', '-')}" for name in (*MEASURES, *WHOLE, "reach"))
        raise click.UsageError(f"No metric was asked for; add one or more of {names}")
    if whole and solving["cutoff"] is not None:
        raise click.UsageError(f"--{whole[0]} has no --cutoff: what is farthest away matters; leave one out")
    if output is not None and not (wanted or cutoffs):
        raise click.UsageError("-o writes one column per metric, but none was asked for; add --closeness, for example")
    check_table_output(output, json, quiet and not whole)
    from ...store.columns import save_columns, vertex_column
    from .. import documents
    from ..words import find_vertices
    from ..work import cluster_of, given, load

    loaded = load(file, reading, quiet)
    some = find_vertices(loaded.graph, vertices, "vertex") or None
    began = time.perf_counter()
    with cluster_of(client) as there:
        how = given(solving) | there
        indices, columns, facts = _measure(loaded.graph, some, wanted, whole, cutoffs, hops, how, quiet)
    if output is not None:
        save_columns({"vertex": vertex_column(loaded.graph, indices), **values_of(columns)}, output)
    if output == "-":
        return
    if json:
        document = summary_of(loaded.graph, indices, columns)
        found = {name: documents.finite(facts.get(name)) for name in WHOLE}
        documents.show("metrics", **documents.reading_of(loaded, began), metrics=document, **found, output=output)
    elif quiet:
        click.echo("".join(f"{value}\n" for value in facts.values()), nl=False)
    else:
        show_measures(loaded, f"Metrics of {loaded.file}", indices, columns, facts, began, output)


def _measure(
    graph: Graph, some: Any, wanted: list[str], whole: list[str], cutoffs: list[float], hops: bool,
    solving: dict[str, Any], quiet: bool,
) -> tuple[Any, list[Any], dict[str, Any]]:  # fmt: skip
    """Return the vertices that were measured, the columns, and numbers of the whole graph."""
    from functools import partial

    import numpy as np

    import nearfar

    from ...graph.reweigh import unweighted
    from ..work import solve

    searched = unweighted(graph) if hops else graph
    asked: Any = searched
    if len(wanted) + bool(cutoffs) > 1 and "method" not in solving and nearfar.plan(searched).method == "prepared":
        asked = nearfar.prepare(searched, **{name: solving[name] for name in ("threads", "memory") if name in solving})
    indices = np.arange(graph.n, dtype=np.int32) if some is None else graph.indices(some)
    columns: list[Any] = []
    for name in wanted:
        function = getattr(nearfar.metrics, name)
        if name == "betweenness":
            found = solve(partial(function, asked, **solving), quiet)
            columns.append((name, found.values[indices], found.stats))
        else:
            found = solve(partial(function, asked, some, **solving), quiet)
            columns.append((name, found.values, found.stats))
    if cutoffs:
        found = solve(partial(nearfar.metrics.reach, asked, cutoffs, some, **solving), quiet)
        columns += [(f"within_{cutoff}", found.values[:, i], found.stats) for i, cutoff in enumerate(cutoffs)]
    facts: dict[str, Any] = {}
    if whole:
        options = {name: value for name, value in solving.items() if name != "cutoff"}
        found = solve(partial(nearfar.metrics.extent, asked, whole, **options), quiet)
        facts = {name: getattr(found, name) for name in whole}
    return indices, columns, facts
