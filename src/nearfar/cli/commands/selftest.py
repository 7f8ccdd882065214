"""``nearfar selftest``: check that a device gives the right answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

import click

from ...errors import MissingDeviceError
from ..choices import Device, device_names
from ..command import Command, Option
from ..options import JSON, QUIET, shared

WRONG = 1


@click.command(
    cls=Command,
    examples=("nearfar selftest --device cuda -o report.txt", 'nearfar selftest --quick --only "delta, float64"'),
)
@click.option(
    "--device",
    type=Device(device_names, "device"),
    cls=Option,
    metavar="NAME",
    help="Device to test: {names}; several, like opencl:0,opencl:1, also together. Default: all but the CPU.",
)
@click.option("--quick", is_flag=True, cls=Option, help="Small graphs only, fewer types.")
@click.option("--full", is_flag=True, cls=Option, help="Large graphs with every type of weights.")
@click.option(
    "--only",
    cls=Option,
    metavar="WORDS",
    default="",
    help='Only the queries that all these words name, like "delta, float32, one".',
)
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True),
    cls=Option,
    metavar="SECONDS",
    help="Seconds after which a query counts as hung; default: 120.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    cls=Option,
    section="Output",
    metavar="FILE",
    help="Write the report to a file, too, line by line.",
)
@shared(JSON, QUIET)
@click.pass_context
def selftest(
    ctx: click.Context,
    device: list[str] | None,
    quick: bool,
    full: bool,
    only: str,
    limit: float | None,
    output: str | None,
    json: bool,
    quiet: bool,
) -> None:
    """Check that a device gives the right answers, and print a report to attach to an issue.

    Every method, type, query and memory layout runs on graphs of many kinds, in a process that may hang or crash. Each
    answer is compared bit by bit with the CPU's, which is proved exact. Exit code 1 means that something failed; the
    report says what. Exit code 2 means that a device is missing.
    """
    from ...formats.io.targets import check_writable
    from ...selftest import runs
    from .. import documents, screen
    from ..work import bar_of, shows_progress

    if quick and full:
        raise click.UsageError("--quick and --full contradict each other; leave one out", ctx)
    if output == "-":
        raise click.UsageError("the report goes to standard output anyway; leave -o - out, or name a file", ctx)
    if output is not None:
        check_writable(output)
    level = "quick" if quick else "full" if full else "usual"
    words = [word.strip() for word in only.split(",") if word.strip()]
    with _writer(output if not json else None, quiet or json) as write, bar_of("queries") as bar:
        progress = bar if json and shows_progress(quiet) else None  # without --json, the report shows how far it is
        report = runs.run(device, level, write, limit=limit or runs.LIMIT, only=words, progress=progress)
    if json:
        _save(output, report.as_dict())
        documents.show("selftest", **report.as_dict())
    elif quiet:
        click.echo(report.verdict)
    if output is not None and not quiet:
        screen.note(f"wrote {output}")
    if report.interrupted:
        raise KeyboardInterrupt
    if report.missing:
        raise MissingDeviceError(report.missing)
    ctx.exit(0 if report.ok else WRONG)


@contextmanager
def _writer(output: str | None, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Yield a function that writes text to the terminal and to a file at once, and leaves nothing in a buffer."""
    file = None if output is None else open(output, "w", encoding="utf8")  # noqa: SIM115 - closed below

    def write(text: str) -> None:
        if not quiet:
            click.echo(text, nl=False)  # which flushes
        if file is not None:
            _put(file, text)

    try:
        yield write
    finally:
        if file is not None:
            with suppress(OSError):  # every piece was flushed, or its error is under way
                file.close()


def _put(file: TextIO, text: str) -> None:
    """Write to a file at once; an error names the file."""
    try:
        file.write(text)
        file.flush()
    except OSError as error:
        raise OSError(error.errno, error.strerror, file.name) from None


def _save(output: str | None, found: dict[str, Any]) -> None:
    """Write the findings to a file as JSON."""
    from json import dumps

    from ...formats.io.whole import whole_file

    if output is not None:
        with whole_file(output) as file:
            file.write(f"{dumps(found, indent=1)}\n".encode())
