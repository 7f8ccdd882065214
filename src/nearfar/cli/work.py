"""What commands share: read the file, solve, measure both, and show the progress at a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nearfar

from ..errors import OptionError, option
from ..formats.folder import check_target as check_folder
from ..formats.folder import is_folder_name
from ..formats.io.targets import check_writable
from ..progress import Bar, Log
from .screen import graph_fact, note
from .words import find_rows

if TYPE_CHECKING:
    from ..graph import Graph

PATIENCE = 0.7  # seconds before a bar appears; most queries are done by then


@dataclass(frozen=True)
class Loaded:
    """A graph from a file, and how long reading it took."""

    graph: Graph
    file: str
    seconds: float
    closed: tuple[int, ...] = ()  # rows of the file whose arcs were left out


def load(file: str, reading: dict[str, Any], quiet: bool) -> Loaded:
    """Read a graph with the given options."""
    options = given(reading)
    if options.pop("lenient", False):
        options["strict"] = False
    closed, degrees = find_rows(options.pop("close", ())), options.pop("degrees", None)
    began = time.perf_counter()
    graph = nearfar.read(file, progress=None if shows_progress(quiet) else False, **options)
    graph = graph.close(closed) if closed else graph
    if degrees is not None:
        graph = graph.with_units(graph.units.weights, "degrees" if degrees else "units")
    return Loaded(graph, "standard input" if file == "-" else file, time.perf_counter() - began, tuple(closed))


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that have a value."""
    return {name: value for name, value in options.items() if value is not None}


def check_target(path: str, format: str | None) -> None:
    """Refuse a file that no graph can be written to, before the graph is read or generated."""
    if format is None and is_folder_name(path):
        check_folder(Path(path))
    elif path != "-" and "://" not in path:
        check_writable(path)
    with _format_of_output():
        nearfar.formats.left_out(nearfar.Graph.from_arcs([], []), path, format)


def store(graph: Graph, path: str, format: str | None, quiet: bool, lossy: bool = False) -> None:
    """Write a graph, and report it."""
    with _format_of_output():
        nearfar.write(graph, path, format=format, lossy=lossy)
    if not quiet and path != "-":
        note(f"wrote {path}: {graph_fact(graph)[1]}")
        if changed := nearfar.formats.left_out(graph, path, format):
            note(f"not kept by this format: {', '.join(changed)}")


@contextmanager
def _format_of_output() -> Iterator[None]:
    """Let errors advise --to-format: on the command line, the format of the output has its own option."""
    try:
        yield
    except OptionError as error:
        raise OptionError(error.marked.replace(option("format"), option("to_format"))) from error


def shows_progress(quiet: bool) -> bool:
    """Return whether to show progress: only at a terminal."""
    return not quiet and sys.stderr.isatty()


def solve(query: Callable[..., Any], quiet: bool) -> Any:
    """Run a query, given as a function of ``progress``: at a terminal a bar appears if it takes long, else lines."""
    if not shows_progress(quiet):
        return query(progress=False if quiet else Log())
    with bar_of("rows") as bar:
        return query(progress=bar)


@contextmanager
def cluster_of(client: str | None) -> Iterator[dict[str, Any]]:
    """Give the option ``client=`` of queries, connected once for all of them; no option where no cluster is wanted."""
    if client is None:
        yield {}
        return
    with nearfar.connect(client) as cluster:
        yield {"client": cluster}


def bar_of(what: str) -> Bar:
    """Return a bar that appears only if the work takes a while, and disappears at the end."""
    return Bar(what, patience=PATIENCE, transient=True)
