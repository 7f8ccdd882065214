"""``nearfar convert``: from one format to another; to a folder also what is larger than memory."""

from __future__ import annotations

import os
from typing import Any

import click

from ..choices import FormatName, Memory, writable_formats
from ..command import Command, Option
from ..options import QUIET, reading, shared

FOLDER = "Folders (OUT.nearfar)"


@click.command(
    cls=Command,
    examples=(
        "nearfar convert roads.gr.gz roads.npz",
        "nearfar convert streets.csv.zst streets.mtx --weight km --undirected",
        "curl -s https://example.org/graph.gr | nearfar convert - graph.parquet",
        "nearfar convert edges.parquet roads.nearfar --memory 2GB",
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
@click.option(
    "--memory",
    type=Memory(),
    cls=Option,
    section=FOLDER,
    help="Memory that may be used, such as 2GB; default: half of what is free.",
)
@click.option("--reversed", is_flag=True, cls=Option, section=FOLDER, help="Write the reversed graph, too.")
@click.option(
    "--restart", is_flag=True, cls=Option, section=FOLDER, help="Begin anew, where a conversion was stopped before."
)
@reading
@shared(QUIET)
def convert(
    file: str,
    out: str,
    to_format: str | None,
    lossy: bool,
    memory: str | None,
    reversed: bool,
    restart: bool,
    reading: dict[str, Any],
    quiet: bool,
) -> None:
    """Read the graph IN and write it to OUT, each in the format that its name shows.

    '-' is standard input or output; OUT is compressed if its name ends in .gz, .xz, .bz2 or .zst. If the format of OUT
    cannot hold the weights, names or directions, nothing is written unless --lossy is given.

    An OUT that ends in .nearfar is a folder, and IN may be larger than memory: a file, or a folder of files of one
    kind, such as a Parquet dataset. When a conversion was stopped, the same command goes on.
    """
    from ...formats.folder import DOCUMENT, ENDING, is_folder_name
    from ..folders import convert_to_folder
    from ..work import check_target, load, store

    options = {"--memory": memory is not None, "--reversed": reversed, "--restart": restart}
    given = [name for name, there in options.items() if there]
    whole = bool(reading["close"]) or reading["degrees"] is not None
    if is_folder_name(out) and to_format is None and not whole:
        convert_to_folder(file, out, reading, memory, reversed, restart, quiet)
        return
    if given:
        why = (
            "--close or --degrees, which read the graph whole"
            if is_folder_name(out)
            else "an OUT that does not end in .nearfar"
        )
        raise click.UsageError(f"{given[0]} does not go with {why}; leave it out", click.get_current_context())
    if os.path.isdir(file) and not os.path.exists(os.path.join(file, DOCUMENT)):
        raise click.UsageError(
            f"{file} is a folder of files, which are converted to an OUT that ends in {ENDING}, without --close or "
            "--degrees",
            click.get_current_context(),
        )
    check_target(out, to_format)
    store(load(file, reading, quiet).graph, out, to_format, quiet, lossy)
