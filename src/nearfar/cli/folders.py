"""Graphs that go to folders without being in memory: ``nearfar convert IN OUT.nearfar``, ``nearfar generate``."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import nearfar

from ..description import format_bytes
from ..formats.folder import open_graph
from ..progress import Bar, Log
from .screen import graph_fact, note
from .work import PATIENCE, given, shows_progress


def convert_to_folder(
    file: str, out: str, reading: dict[str, Any], memory: str | None, reversed: bool, restart: bool, quiet: bool
) -> None:
    """Convert a file, or go on with it; say what was written, or, after Ctrl-C, how to go on."""
    from ..scale.convert import work_folder

    options = given(reading)
    options.pop("close", None)
    if options.pop("lenient", False):
        options["strict"] = False
    existing = "restart" if restart else "resume"
    try:
        with _telling(quiet) as progress:
            nearfar.convert(file, out, memory, progress, reversed=reversed, existing=existing, **options)
    except KeyboardInterrupt:
        if work_folder(out).exists():
            note("stopped. The same command goes on; with --restart it begins anew.")
        raise
    report_folder(out, quiet)


def report_folder(out: str, quiet: bool) -> None:
    """Say what was written."""
    if not quiet:
        note(f"wrote {out}: {graph_fact(open_graph(out))[1]}")


def _telling(quiet: bool) -> Any:
    """Give what is told how many bytes are done: a bar at a terminal, else a line a minute, or nothing."""
    if shows_progress(quiet):
        return Bar("converting", counts_bytes=True, patience=PATIENCE, transient=True)
    return nullcontext(False if quiet else Log("converting", format_bytes))
