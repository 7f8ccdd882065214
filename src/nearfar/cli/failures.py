"""Errors into one line on standard error and an exit code.

0 is success, 1 a wrong answer found by ``verify``, 2 a mistake in the command line or in a file, 70 a mistake of ours,
130 Ctrl-C, 141 a reader that has gone (``nearfar ... | head``). ``--debug`` shows where an error came from.
"""

from __future__ import annotations

import os
import re
import sys
import traceback

import click

from ..errors import NearfarError
from .group import ClosedPipe, Interrupted, nearfar

USAGE = 2
QUOTES = "'\""
INTERNAL = 70
CLOSED = 141

SWITCHES = {
    "undirected=True": "--undirected",
    "undirected=False": "--directed",
    "header=True": "--header",
    "header=False": "--no-header",
    "names=True": "--names",
    "weight=False": "--weight none",
    "lossy=True": "--lossy",
    "strict=False": "--lenient",
    "'strict'": "--lenient",
    ", strict": ", lenient",
    "Convert the result with .dist.astype, or the weights before the graph is built.": "Choose one of those.",
    " graph.names lists them.": "",
}
OPTION = re.compile(
    r"\b(method|device|threads|cutoff|memory|dtype|delta|format|to_format|tail|head|weight|separator|coordinates|profile"
    r"|latitude|longitude)"
    r"=('[^']*'|\"[^\"]*\"|\w[\w.-]*\w|\w|)"
)
REPEATED = re.compile(r"(--\w+) \(\1\)")


def run_reporting(args: list[str]) -> int:
    """Run a command line; report whatever goes wrong and return the exit code. Ctrl-C is raised as such."""
    state: dict[str, bool] = {}
    try:
        code = nearfar.main(args=args, prog_name="nearfar", standalone_mode=False, obj=state)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except Interrupted:
        raise KeyboardInterrupt from None
    except (ClosedPipe, BrokenPipeError):
        _silence(sys.stdout)
        return CLOSED
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else USAGE
    except Exception as error:
        return _report(error, state.get("debug", False))


def _report(error: Exception, debug: bool) -> int:
    """Print one line about an error, after its traceback if that is wanted."""
    if debug and not isinstance(error, click.ClickException):
        traceback.print_exception(error)
    if isinstance(error, click.Abort):
        raise KeyboardInterrupt
    known = isinstance(error, click.ClickException | NearfarError | OSError | MemoryError)
    line = " ".join(describe(error).split())
    if not known and not debug:
        line += " (this is a mistake in nearfar; --debug shows where)"
    print(f"nearfar: {'error' if known else 'internal error'}: {line}", file=sys.stderr, flush=True)
    return USAGE if known else INTERNAL


def describe(error: Exception) -> str:
    """Return what to tell of an error, in the words of the command line."""
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx is not None else "nearfar"
        message = error.format_message()
        return f"{message}{'' if message[-1:] in '.?' else '.'} Try '{command} --help'."
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, NearfarError):
        return as_typed(str(error))
    if isinstance(error, MemoryError):
        return "memory ran out. Ask for fewer sources at a time, or write the answer to a .npy file with -o."
    if isinstance(error, OSError):
        return f"{error.filename or 'standard output'}: {error.strerror or error}"
    return f"{type(error).__name__}: {error}"


def as_typed(message: str) -> str:
    """Turn the advice of a Python error into what one types: method='edge' becomes --method edge.

    Examples
    --------
    >>> as_typed("Use method='edge', or undirected=True.")
    'Use --method edge, or --undirected.'
    >>> as_typed("or say format=. Or say lossy=True (--lossy) to lose that.")
    'or say --format. Or say --lossy to lose that.'
    """
    for code, switch in SWITCHES.items():
        message = message.replace(code, switch)
    typed = OPTION.sub(lambda found: f"--{found[1].replace('_', '-')} {found[2].strip(QUOTES)}".rstrip(), message)
    return REPEATED.sub(r"\1", typed)


def _silence(stream: object) -> None:
    """Let what is left in a stream go nowhere: Python flushes it when it ends, and would complain."""
    try:
        number = stream.fileno()  # type: ignore[attr-defined]
    except (OSError, ValueError, AttributeError):  # not a file, as in tests
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
