"""``nearfar partition``: cut a graph that lies in a folder into parts, and write them beside its arcs."""

from __future__ import annotations

from typing import Any

import click

from ..choices import Memory
from ..command import Command, Option
from ..options import FACTS_QUIET, JSON, shared


@click.command(
    cls=Command,
    examples=(
        "nearfar partition roads.nearfar --parts 16",
        "nearfar partition roads.nearfar --parts 64 --how coordinates",
    ),
)
@click.argument("folder", type=click.Path(), metavar="FOLDER")
@click.option("--parts", type=int, required=True, cls=Option, metavar="NUMBER", help="How many parts, such as 16.")
@click.option(
    "--how",
    default="auto",
    cls=Option,
    metavar="NAME",
    help="metis, coordinates or ranges; auto tries them, and keeps the fewest boundary vertices.",
)
@click.option("--memory", type=Memory(), cls=Option, help="Limit, such as 2GB; METIS is left out if it needs more.")
@click.option("--dry-run", is_flag=True, cls=Option, help="Only count the boundaries; write nothing.")
@shared(JSON, FACTS_QUIET)
def partition(folder: str, parts: int, how: str, memory: str | None, dry_run: bool, json: bool, quiet: bool) -> None:
    """Cut the graph in FOLDER into parts, and write them into it.

    Queries then take a few parts at a time into memory, where all arcs do not fit. Make a folder with
    'nearfar convert roads.gr.gz roads.nearfar'.
    """
    import nearfar

    from ...formats.folder import open_graph
    from .. import documents, screen

    graph = open_graph(folder)
    cut = nearfar.partition(graph, parts, how=how, memory=memory)
    if not dry_run:
        nearfar.write_parts(graph, cut)
    facts: dict[str, Any] = dict(cut.describe())
    if json:
        documents.show("partition", file=folder, graph=documents.graph_of(graph), **facts, written=not dry_run)
        return
    shown = [
        ("parts", f"{cut.parts:,}, the largest with {facts['largest_part']:,} vertices"),
        ("boundary", f"{facts['boundary_vertices']:,} vertices ({facts['boundary_share']}), {cut.cut_arcs:,} arcs cut"),
        ("overlay", f"at most {screen.format_bytes(cut.overlay_bytes)} of distances between boundary vertices"),
        ("why", cut.why),
        *([] if dry_run else [("written", f"{folder.rstrip('/')}/parts")]),
    ]
    screen.show(f"Parts of {folder}", [screen.graph_fact(graph), *shown])
