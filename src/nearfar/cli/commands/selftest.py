"""``nearfar selftest``: check that a device gives the right answers."""

from __future__ import annotations

import click

from ..choices import Device, device_names
from ..command import Command, Option
from ..options import JSON, QUIET, shared

WRONG = 1


@click.command(
    cls=Command,
    examples=("nearfar selftest --device cuda", "nearfar selftest --full --device opencl:0 -o report.txt"),
)
@click.option(
    "--device",
    type=Device(device_names, "device"),
    cls=Option,
    metavar="NAME",
    help="Device to test: {names}; several, like opencl:0,opencl:1, also together. Default: all but the CPU.",
)
@click.option("--quick", is_flag=True, cls=Option, help="Smaller graphs, fewer types.")
@click.option("--full", is_flag=True, cls=Option, help="Large graphs as well, and a table of measurements.")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    cls=Option,
    section="Output",
    metavar="FILE",
    help="Write the report to a file, too.",
)
@shared(JSON, QUIET)
@click.pass_context
def selftest(
    ctx: click.Context, device: list[str] | None, quick: bool, full: bool, output: str | None, json: bool, quiet: bool
) -> None:
    """Check that a device gives the right answers, and print a report to attach to an issue.

    Every method, type, query and memory layout runs on small graphs of many kinds. Each answer is compared bit by bit
    with the CPU's, which is proved exact. Exit code 1 means that something failed; the report says what.
    """
    from json import dumps

    from ...formats.io.targets import check_writable
    from ...formats.io.whole import whole_file
    from ...selftest import checks as tests
    from .. import documents, screen
    from ..work import bar_of, shows_progress

    if quick and full:
        raise click.UsageError("--quick and --full contradict each other; leave one out", ctx)
    if output is not None:
        check_writable(output)
    level = "quick" if quick else "full" if full else "usual"
    with bar_of("queries") as bar:
        report = tests.run(device, level, bar if shows_progress(quiet) else None)
    if output is not None:
        text = dumps(report.as_dict(), indent=1) if json else str(report)
        with whole_file(output) as file:
            file.write(f"{text}\n".encode())
        if not quiet:
            screen.note(f"wrote {output}")
    if json:
        documents.show("selftest", **report.as_dict())
    elif not quiet:
        click.echo(str(report))
    ctx.exit(0 if report.ok else WRONG)
