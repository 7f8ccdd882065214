"""Stored matrices at the command line: ``nearfar apsp|mssp GRAPH -o d.zarr``, and what is said of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

import nearfar

from ..errors import MissingFileError
from ..store.writing import is_store
from . import documents, screen
from .work import Loaded, given, solve

if TYPE_CHECKING:
    from ..store.matrix.reader import Matrix

WAYS = ("resume", "restart", "repair")


def check_storing(storing: dict[str, Any], output: str | None, predecessors: bool) -> None:
    """Refuse options of stores that contradict each other, or that other files do not take."""
    ctx = click.get_current_context(silent=True)
    ways = [f"--{name}" for name in WAYS if storing[name]]
    if len(ways) > 1:
        raise click.UsageError(f"{' and '.join(ways)} contradict each other; leave one out", ctx)
    if not is_store(output):
        if ways or storing["join"]:
            raise click.UsageError(f"{(ways or ['--join'])[0]} is for stores; add -o NAME.zarr", ctx)
        return
    if predecessors:
        raise click.UsageError("A store holds only distances; leave --predecessors out: paths are read off it", ctx)


def answer_store(
    query: Callable[..., Matrix],
    command: str,
    loaded: Loaded,
    solving: dict[str, Any],
    output: str,
    storing: dict[str, Any],
    json: bool,
    quiet: bool,
) -> None:
    """Write a store, or go on with it, and say what it holds."""
    if storing["resume"]:
        _require_begun(output)
    existing = next((name for name in WAYS if storing[name]), WAYS[0])
    began = time.perf_counter()
    options = given(solving)
    matrix = solve(partial(query, out=output, existing=existing, join=storing["join"], **options), quiet)
    seconds = time.perf_counter() - began
    if json:
        documents.show(
            command,
            file=loaded.file,
            graph=documents.graph_of(loaded.graph),
            **status_document(matrix),
            seconds={"read": loaded.seconds, "solve": seconds},
            output=output,
        )
    elif not quiet:
        spent = f"read {screen.format_seconds(loaded.seconds)}, wrote {screen.format_seconds(seconds)}"
        facts = [screen.graph_fact(loaded.graph), ("time", spent), *status_facts(matrix)]
        screen.show(f"Distances of {loaded.file} in {output}", facts)


def _require_begun(output: str) -> None:
    """Refuse to go on with nothing."""
    try:
        nearfar.open_matrix(output)
    except MissingFileError:
        raise MissingFileError(f"there is no store {output} to go on with. Leave out --resume to begin one.") from None


def status_document(matrix: Matrix) -> dict[str, Any]:
    """Return what a store holds, for JSON."""
    found = matrix.status()
    return {
        "rows": found["rows"],
        "columns": matrix.shape[1],
        "direction": matrix.direction,
        "cutoff": matrix.cutoff,
        "dtype": str(matrix.dtype),
        "rows_done": found["rows_done"],
        "finished": found["finished"],
        "bytes": found["bytes"],
        "uncompressed_bytes": found["uncompressed_bytes"],
        "method": found["method"],
        "device": found["device"],
        "why": found["why"],
        "version": found["version"],
    }


def status_facts(matrix: Matrix) -> list[tuple[str, str]]:
    """Return what a store holds, for the screen."""
    found = matrix.status()
    k, n = matrix.shape
    shape = f"{screen.format_count(k)} x {screen.format_count(n)} {matrix.dtype}, {screen.format_bytes(matrix.nbytes)}"
    done = "finished" if found["finished"] else f"{found['rows_done']:,} of {k:,} rows; the same command goes on"
    size = screen.format_bytes(found["bytes"])
    if "times_smaller" in found:
        size += f", {found['times_smaller']}x smaller"
    return [
        ("matrix", shape + ("" if matrix.direction == "from" else ", distances to the sources")),
        *([] if matrix.cutoff is None else [("cutoff", str(matrix.cutoff))]),
        ("done", done),
        ("stored", size),
        ("method", f"{found['method']} on {found['device']}"),
        ("why", found["why"]),
    ]
