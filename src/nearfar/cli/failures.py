"""Errors into one line on standard error and an exit code.

0 is success, 1 a wrong answer found by ``verify`` or ``selftest``, 2 a mistake in the command line or in a file, 70 a
mistake of ours, 130 Ctrl-C, 141 a reader that has gone (``nearfar ... | head``). ``--debug`` shows where an error came
from.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click

from ..errors import NearfarError
from .group import ClosedPipe, Interrupted, nearfar
from .streams import silence

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
        silence(sys.stdout)
        return CLOSED
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else USAGE
    except Exception as error:
        return _report(error, state.get("debug", False), args)


def _report(error: Exception, debug: bool, args: Sequence[str]) -> int:
    """Print one line about an error, after its traceback if that is wanted."""
    if isinstance(error, click.Abort):
        raise KeyboardInterrupt
    known = isinstance(error, click.ClickException | NearfarError | OSError | MemoryError)
    line = " ".join(describe(error, args).split())
    if not known and not debug:
        line += " (this is a mistake in nearfar; --debug shows where)"
    with suppress(OSError):  # where nobody reads errors either, the exit code still tells
        if debug and not isinstance(error, click.ClickException):
            traceback.print_exception(error)
        print(f"nearfar: {'error' if known else 'internal error'}: {line}", file=sys.stderr, flush=True)
    return USAGE if known else INTERNAL


def describe(error: Exception, args: Sequence[str] = ()) -> str:
    """Return what to tell of an error, in the words of the command line that it comes from."""
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx is not None else "nearfar"
        message = error.format_message()
        return f"{message}{'' if message[-1:] in '.?' else '.'} Try '{command} --help'."
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, NearfarError):
        return as_typed(str(error), _names_in(args))
    if isinstance(error, MemoryError):
        return "memory ran out. Ask for fewer sources at a time, or write the answer to a .npy file with -o."
    if isinstance(error, OSError):
        return f"{error.filename or 'standard output'}: {error.strerror or error}"
    return f"{type(error).__name__}: {error}"


def as_typed(message: str, names: Sequence[str] = ()) -> str:
    """Turn the advice of a Python error into what one types: method='edge' becomes --method edge.

    ``names`` stay as they are: a file may be called like advice.

    Examples
    --------
    >>> as_typed("Use method='edge', or undirected=True.")
    'Use --method edge, or --undirected.'
    >>> as_typed("or say format=. Or say lossy=True (--lossy) to lose that.")
    'or say --format. Or say --lossy to lose that.'
    >>> as_typed("weight=False.gr: say weight=False.", ["weight=False.gr"])
    'weight=False.gr: say --weight none.'
    """
    for i, name in enumerate(names):
        message = message.replace(name, f"\0{i}\0")
    for code, switch in SWITCHES.items():
        message = message.replace(code, switch)
    typed = OPTION.sub(lambda found: f"--{found[1].replace('_', '-')} {found[2].strip(QUOTES)}".rstrip(), message)
    typed = REPEATED.sub(r"\1", typed)
    for i, name in enumerate(names):
        typed = typed.replace(f"\0{i}\0", name)
    return typed


def _names_in(args: Sequence[str]) -> list[str]:
    """Return what was typed, files and their folders above all, as far as it looks like advice; the longest first."""
    values = [re.sub(r"^(--[\w-]+=|-\w)?@?", "", arg) for arg in args]
    words = {*values, *(str(Path(value).parent) for value in values)}
    return sorted((word for word in words if as_typed(word) != word), key=len, reverse=True)
