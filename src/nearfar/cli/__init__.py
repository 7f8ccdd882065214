"""The command line: ``nearfar sssp roads.gr --source 1 --to 1000``.

There is one file per command in commands/. The table COMMANDS (group.py) lists them, and a command is loaded only when
it runs or shows its help, so that ``nearfar --help`` is fast. What several commands share is beside that folder:

    group       the table COMMANDS, and the command ``nearfar`` itself
    command     how a command shows its help
    options     the options that several commands take; choices.py: the values that options accept
    outputs     which output options can be combined
    words       vertices as they are typed
    work        read the file, solve, measure both
    folders     graphs that go to folders without being in memory
    pairs       distances between two lists of vertices (``mssp --to``)
    paths       the path to a target, with its distance
    summary     an answer in short: how many vertices are reached, the nearest, the farthest
    screen      text output for people, with console.py; documents.py: JSON output for programs
    failures    errors become one line and an exit code; streams.py: standard streams that the caller has closed

Result files (-o FILE, and ``verify``, which reads them back) belong to nearfar.store; graph files to nearfar.formats.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

INTERRUPTED = 130  # 128 plus the number of the signal, as in shells


def main() -> NoReturn:
    """Run the command line of this process, and end the process with its exit code."""
    from .streams import open_missing

    open_missing()
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        _interrupted()
    _leave(code)


def run(args: Sequence[str]) -> int:
    """Run one command line and return its exit code; only KeyboardInterrupt is raised.

    Examples
    --------
    >>> run(["--version"])
    nearfar ...
    0
    """
    from .failures import run_reporting

    return run_reporting(list(args))


def _interrupted() -> NoReturn:
    """End after Ctrl-C. Unfinished files have been removed by now; threads may still be working."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        print("nearfar: interrupted", file=sys.stderr, flush=True)
    finally:
        _leave(INTERRUPTED)


def _leave(code: int) -> NoReturn:
    """End the process at once, after flushing the standard streams.

    Threads of other libraries may still run. A normal exit would shut these libraries down under their threads, which
    has ended in an abort.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # the reader of a pipe has gone
        pass
    os._exit(code)
