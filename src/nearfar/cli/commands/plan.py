"""``nearfar plan``: what a query would run, why, and how much memory it needs."""

from __future__ import annotations

from typing import Any

import click

from ..command import Command, Option
from ..options import FACTS_QUIET, JSON, graph_file, reading, shared, solving, sources


@click.command(
    cls=Command,
    examples=(
        "nearfar plan roads.gr.gz",
        "nearfar plan roads.gr.gz --source 1 --threads 2 --memory 2GB",
        "nearfar plan roads.gr.gz -o d.zarr",
    ),
)
@graph_file
@click.option("--source", cls=Option, metavar="VERTEX", help="Plan for one source.")
@sources
@reading
@solving
@click.option(
    "-o",
    "--output",
    cls=Option,
    section="Output",
    metavar="NAME",
    help="Plan for a store, NAME.zarr: some blocks are computed, to estimate its size and the time.",
)
@shared(JSON, FACTS_QUIET)
def plan(
    file: str,
    source: str | None,
    sources: dict[str, Any],
    reading: dict[str, Any],
    solving: dict[str, Any],
    output: str | None,
    json: bool,
    quiet: bool,
) -> None:
    """Show what a query would run, why, and how much memory it needs; nothing is solved.

    Without sources, the plan is for all pairs. With -o NAME.zarr it also shows the size on the disk, and the time.
    """
    import nearfar

    from .. import documents, screen
    from ..words import find_sources, find_vertex
    from ..work import given, load

    several = any(sources.values())
    if source is not None and several:
        raise click.UsageError(
            "--source and --sources plan different queries; leave one out", click.get_current_context()
        )
    loaded = load(file, reading, quiet)
    graph, query, starts = loaded.graph, "all pairs", None
    if source is not None:
        starts, query = [find_vertex(graph, source, "source")], f"one source, {source}"
    elif several:
        starts = find_sources(graph, sources)
        query = screen.count(len(starts), "source")
    where: Any = {} if output is None else {"out": output}
    decided = nearfar.plan(graph, starts, **where, **given(solving))
    refusal = _refusal(decided)
    if json:
        documents.show(
            "plan", file=loaded.file, graph=documents.graph_of(graph), **_document(decided), fits=refusal is None
        )
        return
    wider = f", {decided.wider} if one does not fit" if decided.wider is not None else ""
    room = f"{screen.format_bytes(decided.bytes)} of {screen.format_bytes(decided.available)} that may be used"
    if decided.gpu is not None:
        room += f" on {decided.device}"
    facts = [
        screen.graph_fact(graph),
        ("method", ", ".join([f"{decided.method} on {decided.device}", *_shares(decided)])),
        ("why", decided.why),
        (
            "answer",
            f"{screen.format_count(decided.rows)} x {screen.format_count(decided.n)} distances, {decided.dtype}{wider}",
        ),
        ("memory", room),
        *_stored(decided),
        *([("too much", refusal)] if refusal is not None else []),
    ]
    screen.show(f"Plan for {query} in {loaded.file}", facts)


def _stored(decided: Any) -> list[tuple[str, str]]:
    """Return what a store takes, if the plan is for one."""
    from .. import screen

    if decided.stored_bytes is None:
        return []
    raw = decided.rows * decided.n * decided.dtype.itemsize
    size = f"{screen.format_bytes(decided.stored_bytes)} of {screen.format_bytes(raw)}, by a sample"
    return [("stored", size), ("time", f"about {screen.format_seconds(decided.seconds)}")]


def _shares(decided: Any) -> list[str]:
    """Return how the work is shared out: over threads, or over the groups of a GPU; ``why`` names batches of arcs."""
    from .. import screen

    if decided.gpu is None:
        return [screen.count(decided.threads, "thread")]
    groups = decided.describe().get("groups")
    batches = f"rows in {decided.row_batches:,} batches" if decided.row_batches > 1 else None
    return [part for part in (groups, batches) if part]


def _refusal(decided: Any) -> str | None:
    """Return why the query would be refused, and what to do about it; None if it fits into memory."""
    from ...errors import MemoryLimitError
    from ..failures import as_typed

    try:
        decided.require_memory()
    except MemoryLimitError as error:
        return as_typed(error)
    return None


def _document(decided: Any) -> dict[str, Any]:
    """Return a plan for JSON."""
    return {
        "method": decided.method,
        "device": decided.device,
        "threads": decided.threads,
        "why": decided.why,
        "rows": decided.rows,
        "dtype": str(decided.dtype),
        "wider": None if decided.wider is None else str(decided.wider),
        "bytes": decided.bytes,
        "available_bytes": decided.available,
        "stored_bytes": decided.stored_bytes,
        "expected_seconds": None if decided.stored_bytes is None else decided.seconds,
        "arc_batches": decided.arc_batches,
        "row_batches": decided.row_batches,
        "groups": decided.describe().get("groups"),
    }
