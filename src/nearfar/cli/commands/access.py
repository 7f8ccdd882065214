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

LABELS = ("name", "id")  # what places are called, even where that is a number
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
    help="Table: vertices in the first column, or columns lon and lat; amounts per kind; .csv, .csv.gz, .parquet.",
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
    from ..places import place_facts, places_document
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
        reading_facts = documents.reading_of(loaded, began) | places_document(loaded.graph)
        documents.show("access", **reading_facts, metrics=document, output=output)
    elif not quiet:
        heading = f"What can be reached in {loaded.file}"
        show_measures(loaded, heading, found.vertex_indices, columns, dict(place_facts(loaded.graph)), began, output)


def _amounts(graph: Any, path: str) -> dict[str, Any]:
    """Return one array of amounts per column of a table; the first column names the vertices, or two say where."""
    import numpy as np

    from ...errors import FormatError
    from ...store.columns import read_columns
    from ..words import find_vertex

    table = read_columns(path)
    if (axes := _axes(table)) is not None:
        where, kinds = _places(graph, table, axes, path), _kinds(table, axes)
        if not kinds:
            raise FormatError(f"{path} has places, but no column of amounts, which are numbers. Add one.", path)
    else:
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


def _axes(table: dict[str, Any]) -> tuple[str, str] | None:
    """Return which columns are longitude and latitude, None if the first column names vertices.

    x and y may well be kinds of amounts, unless they come first.
    """
    from ..places import axes_of

    names = {name.lower(): name for name in table}
    axes = axes_of(list(names))
    if axes is None or "vertex" in names or (axes == ("x", "y") and next(iter(names)) not in axes):
        return None
    return names[axes[0]], names[axes[1]]


def _kinds(table: dict[str, Any], axes: tuple[str, str]) -> list[str]:
    """Return the columns of amounts beside places: not what these are called, nor other columns of nothing but words.

    A column of numbers with a word between is none of these: an error says so.
    """
    others = [name for name in table if name not in axes and name.lower() not in LABELS]
    return [name for name in others if not table[name] or not all(isinstance(value, str) for value in table[name])]


def _places(graph: Any, table: dict[str, Any], axes: tuple[str, str], path: str) -> Any:
    """Return the vertices nearest to the places of a table, by index."""
    import numpy as np

    from ...errors import FormatError, GraphError
    from ..places import snap_places

    if graph.coordinates is None:
        raise GraphError(
            f"{path} has places ({axes[0]} and {axes[1]}), but the graph has no coordinates. Give it some "
            "(--coordinates FILE), or name the vertices in a column vertex."
        )
    lon, lat = (np.array(table[axis]) for axis in axes)
    for axis, values in zip(axes, (lon, lat), strict=True):
        if values.dtype.kind not in "iuf" or not np.isfinite(values).all():
            raise FormatError(f"{path} lacks a number in the column {axis}, but every place needs one.", path)
    called = next((table[name] for name in table if name.lower() == "name"), None)
    labels = [f"{x},{y}" for x, y in zip(lon, lat, strict=True)] if called is None else list(map(str, called))
    return graph.indices(snap_places(graph, lon.tolist(), lat.tolist(), labels, "place"))
