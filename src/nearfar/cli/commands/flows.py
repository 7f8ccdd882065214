"""``nearfar flows``: a table of demand loaded on the arcs, all of it on shortest paths."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import click

from ..command import Command, Option
from ..measures import check_table_output
from ..options import JSON, QUIET, SOLVING, TABLE_OUT, bundle, graph_file, on_cluster, reading, shared

flow_solving = bundle("solving", {name: SOLVING[name] for name in ("method", "device", "threads", "memory")})


@click.command(
    cls=Command,
    examples=(
        "nearfar flows roads.gr.gz --demand trips.parquet -o flows.csv",
        "nearfar flows Chicago_net.tntp --demand trips.csv",
    ),
)
@graph_file
@click.option(
    "--demand",
    required=True,
    type=click.Path(),
    cls=Option,
    metavar="TABLE",
    help="Table with the columns origin, destination and demand: .csv, .csv.gz or .parquet.",
)
@reading
@flow_solving
@on_cluster
@shared(TABLE_OUT, JSON, QUIET)
def flows(
    file: str,
    demand: str,
    reading: dict[str, Any],
    solving: dict[str, Any],
    client: str | None,
    output: str | None,
    json: bool,
    quiet: bool,
) -> None:
    """Load a table of demand on the arcs: all of a pair's demand takes its shortest path.

    The output has one line per row of the file: row, tail, head and flow.
    """
    check_table_output(output, json, quiet)
    import nearfar

    from ...store.columns import save_columns
    from .. import documents, screen
    from ..demand import read_trips
    from ..work import cluster_of, given, load, solve

    loaded = load(file, reading, quiet)
    trips = read_trips(loaded.graph, demand)
    began = time.perf_counter()
    with cluster_of(client) as there:
        found = solve(partial(nearfar.metrics.flows, loaded.graph, trips, **given(solving), **there), quiet)
    table = _table(found)
    total, most = sum(amount for _, _, amount in trips), int(table["flow"].argmax()) if len(table["flow"]) else None
    if output is not None:
        save_columns(table, output)
    if output == "-":
        return
    busiest = None if most is None else {name: _plain(table[name][most]) for name in ("row", "tail", "head")}
    if json:
        documents.show(
            "flows", **documents.reading_of(loaded, began), method=found.stats["method"],
            device=found.stats["device"], demand=total, unserved=found.unserved, busiest=busiest,
            greatest=None if most is None else float(table["flow"][most]), output=output,
        )  # fmt: skip
    elif not quiet:
        spent = screen.format_seconds(found.stats["seconds"])
        facts = [
            screen.graph_fact(loaded.graph),
            ("demand", f"{screen.number(total)} of {screen.count(len(trips), 'pair')}"),
            ("unserved", screen.number(found.unserved)),
            ("time", f"read {screen.format_seconds(loaded.seconds)}, solved {spent}"),
            *screen.output_fact(output),
        ]
        order = (-table["flow"]).argsort(kind="stable")[: screen.SHOWN]
        rows = [
            [table[name][i] for name in ("row", "tail", "head")] + [screen.number(float(table["flow"][i]))]
            for i in order
        ]
        heads = [("row", "right"), ("tail", "right"), ("head", "right"), ("flow", "right")]
        screen.show(f"Flows on {loaded.file}", facts, screen.table_of(heads, rows))


def _plain(value: Any) -> Any:
    """Return a cell of a table for JSON."""
    return value.item() if hasattr(value, "item") else value


def _table(found: Any) -> dict[str, Any]:
    """Return one line per row of the input: row, tail, head, flow."""
    import numpy as np

    from ...store.columns import vertex_column

    graph, flow = found.graph, found.by_row()
    first = np.full(len(flow), -1, np.int64)
    arcs = np.arange(graph.m)[::-1]
    first[graph.rows[arcs]] = arcs
    rows = np.flatnonzero(first >= 0)
    ends = first[rows]
    tails, heads = vertex_column(graph, graph.tails[ends]), vertex_column(graph, graph.heads[ends])
    return {"row": rows, "tail": tails, "head": heads, "flow": flow[rows]}
