"""``nearfar explore``: an interactive page of a graph, in a browser on this machine."""

from __future__ import annotations

import os
from typing import Any

import click

from ..choices import Count
from ..command import Command, Option
from ..options import reading, shared


@click.command(
    cls=Command,
    examples=(
        "nearfar explore",
        "nearfar explore andorra.osm.pbf",
        "nearfar explore roads.gr.gz --coordinates roads.co.gz --source 1 --no-browser",
        "nearfar explore Chicago_net.tntp --demand trips.csv --port 8765",
    ),
)
@click.argument("file", type=click.Path(), metavar="[FILE]", required=False)
@click.option(
    "--source", "-s", cls=Option, metavar="VERTEX", help="Where distances start at first: a vertex, or LON,LAT."
)
@click.option(
    "--demand",
    type=click.Path(),
    cls=Option,
    metavar="TABLE",
    help="Show flows, too: a table with the columns origin, destination and demand.",
)
@click.option("--port", type=Count("a port"), cls=Option, help="Port of 127.0.0.1; default: one that is free.")
@click.option("--no-browser", is_flag=True, cls=Option, help="Only print the address; open no browser.")
@reading
@shared(click.option("-q", "--quiet", is_flag=True, cls=Option, section="Output", help="Print only the address."))
def explore(
    file: str | None,
    source: str | None,
    demand: str | None,
    port: int | None,
    no_browser: bool,
    reading: dict[str, Any],
    quiet: bool,
) -> None:
    """Explore a graph in a browser: click a vertex, and the colours show how far all else is.

    Without FILE, it is a generated city. The page is served on this machine only, to whoever knows its address. Ctrl-C
    ends it.
    """
    import nearfar

    from ...explorer.page_of import can_open, take_port
    from ..demand import read_trips
    from ..screen import graph_fact, note
    from ..words import find_vertex

    take_port(port)
    graph, name = _read(file, reading, quiet)
    start = None if source is None else find_vertex(graph, source, "source")
    trips = None if demand is None else read_trips(graph, demand)
    with nearfar.explore(graph, source=start, demand=trips, name=name, port=port, browser=not no_browser) as page:
        click.echo(page.url)
        if not quiet:
            note(f"serving {name}, {graph_fact(graph)[1]}; Ctrl-C ends it")
            if not no_browser and not can_open():
                note("no window can be opened from here; open the address in a browser on this machine")
        _wait(page, quiet)


def _read(file: str | None, reading: dict[str, Any], quiet: bool) -> tuple[Any, str]:
    """Return the graph of a file, or a generated city, and what it is called."""
    from ...errors import OptionError, option
    from ...graph.generate import city
    from ..work import given, load

    if file is None:
        for name, value in given(reading).items():
            if value not in ((), False):
                raise OptionError(f"{option(name, value)} says how a file is read, but no FILE is named. Name one.")
        return city(), "a generated city"
    return load(file, reading, quiet).graph, os.path.basename(file.rstrip("/")) if file != "-" else "standard input"


def _wait(page: Any, quiet: bool) -> None:
    """Wait for Ctrl-C, which is the way to end this command and so no error."""
    from ..screen import note

    try:
        page.wait()
    except KeyboardInterrupt:
        if not quiet:
            note("ended")
