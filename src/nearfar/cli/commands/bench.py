"""``nearfar bench``: measure a device against the CPU."""

from __future__ import annotations

from itertools import count

import click

from ..choices import Device, device_names
from ..command import Command, Option
from ..options import JSON, QUIET, shared


@click.command(cls=Command, examples=("nearfar bench --device cuda", "nearfar bench --device opencl --size small"))
@click.option(
    "--device",
    type=Device(device_names, "device"),
    cls=Option,
    metavar="NAME",
    help="Device to measure: {names}. Default: the first that is not the CPU.",
)
@click.option(
    "--size",
    type=click.Choice(["small", "usual", "large"]),
    default="usual",
    cls=Option,
    metavar="NAME",
    help="Size of the graphs: small, usual or large.",
)
@shared(JSON, QUIET)
@click.pass_context
def bench(ctx: click.Context, device: list[str] | None, size: str, json: bool, quiet: bool) -> None:
    """Measure a device against the CPU of this machine, and print tables in Markdown.

    One source, several sources and prepared rows, on a generated road network and an R-MAT graph. Every answer is
    compared with the CPU's before and while it is timed. The tables are those of docs/gpu.md, each printed as soon as
    it is complete.
    """
    from ... import bench as measuring
    from .. import documents
    from ..work import bar_of, shows_progress

    if device is not None and len(device) > 1:
        raise click.UsageError("--device names several devices; measure one at a time", ctx)
    with bar_of("queries") as bar:
        shown = count()

        def show(text: str) -> None:
            with bar.aside():
                click.echo(f"\n{text}" if next(shown) else text)

        progress = bar if shows_progress(quiet) else None
        measured = measuring.run(device[0] if device else "auto", size, progress, None if json else show)
    if json:
        documents.show("bench", **measured.as_dict())
    if measured.interrupted:
        raise KeyboardInterrupt
