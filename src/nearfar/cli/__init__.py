"""The command line: ``nearfar sssp roads.gr --source 1 --to 1000``.

One module a command, listed in the table COMMANDS (group.py) and loaded when it is asked for, so that help is quick.
Commands use the public names of the package and nothing below them; what several share has a module of its own:

    group       the table, and the command that finds the others; streams.py: what is open when it starts
    command     how a command shows its help
    options     options that several commands take, with choices.py: what a word on the command line may be
    failures    errors into one line and an exit code
    words       vertices as a person types them
    work        read the file, solve, time both
    summary     what an answer amounts to: reached, nearest, farthest
    screen      all that is printed for people, with console.py; documents.py: all that is printed for machines
    saving      answers into files; saved.py and saved_tables.py: and back again
    pairs       distances between two lists of vertices
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

INTERRUPTED = 130  # 128 and the number of the signal, as shells have it


def main() -> NoReturn:
    """Run the command line of this process and end it with its exit code."""
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
    """End after Ctrl-C: files were seen to on the way here, threads may be deep in their work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        print("nearfar: interrupted", file=sys.stderr, flush=True)
    finally:
        _leave(INTERRUPTED)


def _leave(code: int) -> NoReturn:
    """End the process at once, when all is written.

    Threads of other libraries may still run; taking those libraries down under them has been seen to end in an abort.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # the reader has gone
        pass
    os._exit(code)
