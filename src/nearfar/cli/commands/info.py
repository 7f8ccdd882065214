"""``nearfar info``: what a file contains."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from ..command import Command
from ..options import FACTS_QUIET, JSON, reading, shared

if TYPE_CHECKING:
    import nearfar

    from ..screen import Fact


@click.command(
    cls=Command, examples=("nearfar info roads.gr.gz", "nearfar info streets.csv --tail from --head to --weight km")
)
@click.argument("files", type=click.Path(), metavar="FILE...", nargs=-1, required=True)
@reading
@shared(JSON, FACTS_QUIET)
def info(files: tuple[str, ...], reading: dict[str, Any], json: bool, quiet: bool) -> None:
    """Show what a file contains: size, degrees, weights, components, memory.

    Several files are shown one after the other, in JSON one line per file.
    """
    for i, file in enumerate(files):
        if i and not json:
            click.echo()
        _print_facts(file, reading, json, quiet)


def _print_facts(file: str, reading: dict[str, Any], json: bool, quiet: bool) -> None:
    """Print what one file contains."""
    from .. import documents, screen
    from ..work import load

    loaded = load(file, reading, quiet)
    kind = _format(file, reading)
    facts = {"format": kind, "columns": _columns(file, kind, reading)} | dict(loaded.graph.describe())
    if json:
        first, last = _ends(loaded.graph)
        documents.show("info", file=loaded.file, seconds={"read": loaded.seconds}, **facts, first=first, last=last)
    else:
        screen.show(loaded.file, [*_facts(loaded.graph, facts), ("read in", screen.format_seconds(loaded.seconds))])


def _format(file: str, reading: dict[str, Any]) -> str | None:
    """Return the format of the file; a pipe cannot be read again, so its format is only known if it was given."""
    import nearfar

    if os.path.isdir(file):
        return "folder"
    if reading.get("format") is not None or not os.path.isfile(file):
        return reading.get("format")
    return nearfar.formats.format_of(file).name


def _columns(file: str, kind: str | None, reading: dict[str, Any]) -> str | None:
    """Return which columns of an edge list were read, in words, or None for other formats and for pipes."""
    from ...formats.edges import FORMAT, columns_of
    from ...formats.io.files import Source

    if kind != FORMAT.name or not os.path.isfile(file):
        return None
    try:
        with Source(file) as source:
            return columns_of(source, {name: reading.get(name) for name in FORMAT.read_options})
    except Exception:  # the graph was read, so show the other facts whatever happens here
        return None


def _ends(graph: nearfar.Graph) -> tuple[Any, Any]:
    """Return the names of the first and the last vertex."""
    from .. import documents

    return (documents.name_of(graph, 0), documents.name_of(graph, graph.n - 1)) if graph.n else (None, None)


def _called(graph: nearfar.Graph) -> str:
    """Describe the names of the vertices."""
    first, last = graph.name(0), graph.name(graph.n - 1)
    if isinstance(first, int) and isinstance(last, int) and last - first == graph.n - 1:
        return f"{first} to {last}"
    return f"the first is {first}, the last {last}" if graph.n > 1 else f"named {first}"


def _facts(graph: nearfar.Graph, facts: dict[str, Any]) -> list[Fact]:
    """Return the facts as text, with related ones in one line."""
    from ..screen import count, format_bytes, format_count, weights_of

    called = f", {_called(graph)}" if graph.n else ""
    kind = "both directions of undirected edges" if graph.undirected else "directed"
    weights, largest = weights_of(graph), count(facts["largest_component"], "vertex", "vertices")
    if graph.weight_dtype is not None:
        odd = f"{format_count(facts['zero_weights'])} zero, {format_count(facts['negative_weights'])} negative"
        weights = f"{weights.replace(' weights', '', 1)}, mean {format_count(graph.mean_weight)}; {odd}"
    return [
        *[(label, facts[label]) for label in ("format", "columns") if facts[label]],
        ("vertices", format_count(graph.n) + called),
        ("arcs", f"{format_count(graph.m)}, {kind}"),
        ("degrees", f"{facts['min_degree']} to {facts['max_degree']}, mean {format_count(facts['mean_degree'])}"),
        ("weights", weights),
        ("components", f"{format_count(facts['components'])} (weakly connected), the largest has {largest}"),
        ("loops", format_count(facts["self_loops"])),
        ("coordinates", "yes" if facts["coordinates"] else "no"),
        ("memory", format_bytes(facts["bytes"])),
    ]
