"""Errors become one line on standard error and an exit code.

0 is success, 1 a wrong answer found by ``verify`` or ``selftest``, 2 a mistake in the command line or in a file, 70 a
bug in nearfar, 130 Ctrl-C, 141 a closed pipe (``nearfar ... | head``). ``--debug`` shows the traceback.

The message is the one that Python callers see, with its options translated: errors mark the options that they mention
(nearfar.errors.option), so ``method='edge'`` becomes ``--method edge``. The table TYPED lists the values that are typed
differently, and text that is useful only in Python is left out.
"""

from __future__ import annotations

import sys
import traceback
from ast import literal_eval
from contextlib import suppress

import click

from ..errors import InPython, NearfarError, Part
from .group import ClosedPipe, Interrupted, nearfar
from .streams import silence

USAGE = 2
INTERNAL = 70
CLOSED = 141

# Values of options that are not typed as "--name value", or "--name" for True.
TYPED = {
    "undirected": {"False": "--directed"},
    "header": {"False": "--no-header"},
    "names": {"False": "--no-names"},
    "out": {"": "-o FILE.npy", "'d.zarr'": "-o d.zarr"},
    "existing": {"'resume'": "--resume", "'restart'": "--restart", "'repair'": "--repair"},
    "join": {"": "--join", "True": "--join"},
    "targets": {"": "--to"},
    "client": {"": "--scheduler"},
    "weight": {"False": "--weight none"},
    "units": {"'degrees'": "--degrees", "'m'": "--plane"},
    "strict": {"": "--lenient", "False": "--lenient"},
}


def run_reporting(args: list[str]) -> int:
    """Run a command line, report any error, and return the exit code; only KeyboardInterrupt is raised."""
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
        return _report(error, state.get("debug", False))


def _report(error: Exception, debug: bool) -> int:
    """Print one line about an error, after its traceback if ``debug`` is set; return the exit code."""
    if isinstance(error, click.Abort):
        raise KeyboardInterrupt
    known = isinstance(error, click.ClickException | NearfarError | OSError | MemoryError)
    line = " ".join(describe(error).split())
    if not known and not debug:
        line += " (this is a bug in nearfar; --debug shows where)"
    with suppress(OSError):  # if standard error is closed too, the exit code remains
        if debug and not isinstance(error, click.ClickException):
            traceback.print_exception(error)
        print(f"nearfar: {'error' if known else 'internal error'}: {line}", file=sys.stderr, flush=True)
    return USAGE if known else INTERNAL


def describe(error: Exception) -> str:
    """Return the message of an error, with options as they are typed."""
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx is not None else "nearfar"
        message = error.format_message()
        return f"{message}{'' if message[-1:] in '.?' else '.'} Try '{command} --help'."
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, NearfarError):
        return as_typed(error)
    if isinstance(error, MemoryError):
        return "memory ran out. Use fewer sources at a time, or write the answer to a .npy file with -o."
    if isinstance(error, OSError):
        return f"{error.filename or 'standard output'}: {error.strerror or error}"
    return f"{type(error).__name__}: {error}"


def as_typed(error: NearfarError) -> str:
    """Return the message of an error with its options as they are typed: method='edge' becomes --method edge.

    Examples
    --------
    >>> from nearfar.errors import OptionError, option
    >>> as_typed(OptionError(f"Use {option('method', 'edge')}, or {option('undirected', True)}."))
    'Use --method edge, or --undirected.'
    """
    return "".join(_typed(part) for part in error.parts)


def _typed(part: Part) -> str:
    """Return one part of a message as the command line shows it."""
    if isinstance(part, InPython):
        return ""
    if isinstance(part, str):
        return part
    switch = f"--{part.name.replace('_', '-')}"
    if part.value in TYPED.get(part.name, {}):
        return TYPED[part.name][part.value]
    if not part.value or part.value == "True":
        return switch
    with suppress(ValueError, SyntaxError):  # a long value was cut, and is no Python any more
        return f"{switch} {literal_eval(part.value)}"
    return f"{switch} {part.value}"
