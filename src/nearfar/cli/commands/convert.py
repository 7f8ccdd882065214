"""``nearfar convert``: read a graph in one format and write it in another."""

from __future__ import annotations

from typing import Any

import click

from ..choices import FormatName, writable_formats
from ..command import Command, Option
from ..options import QUIET, reading, shared


@click.command(
    cls=Command,
    examples=(
        "nearfar convert roads.gr.gz roads.npz",
        "nearfar convert streets.csv.zst streets.mtx --weight km --undirected",
        "curl -s https://example.org/graph.gr | nearfar convert - graph.parquet",
    ),
)
@click.argument("file", type=click.Path(), metavar="IN")
@click.argument("out", type=click.Path(), metavar="OUT")
@click.option(
    "--to-format",
    type=FormatName(writable_formats, "writable format"),
    cls=Option,
    metavar="NAME",
    help="Format of OUT, if its name does not show it: {names}.",
)
@click.option("--lossy", is_flag=True, cls=Option, help="Write even if OUT cannot hold everything.")
@reading
@shared(QUIET)
def convert(file: str, out: str, to_format: str | None, lossy: bool, reading: dict[str, Any], quiet: bool) -> None:
    """Read the graph IN and write it to OUT, each in the format that its name shows.

    '-' is standard input or output; OUT is compressed if its name ends in .gz, .xz, .bz2 or .zst. If the format of OUT
    cannot hold the weights, names or directions, nothing is written unless --lossy is given.
    """
    from ..work import check_target, load, store

    check_target(out, to_format)
    store(load(file, reading, quiet).graph, out, to_format, quiet, lossy)
