"""The standard streams of the process, some of which its caller may have closed.

A closed standard output is an error when something is written to it, and only then: ``nearfar ... -o FILE -q >&-`` is
fine. Its number is taken, so that no file of ours gets it and finds what was meant for people inside.
"""

from __future__ import annotations

import os
import sys
from typing import TextIO

OUTPUT, ERRORS = 1, 2


def open_missing() -> None:
    """Put something in the place of closed streams: for output what cannot be written, for errors nowhere."""
    if sys.stdout is None:
        sys.stdout = _null(OUTPUT, os.O_RDONLY)
    if sys.stderr is None:
        sys.stderr = _null(ERRORS, os.O_WRONLY)


def _null(number: int, mode: int) -> TextIO:
    """Return the null device under the number of a stream; opened for reading alone, it refuses what is written."""
    null = os.open(os.devnull, mode)
    if null != number:
        os.dup2(null, number)
        os.close(null)
    return open(number, "w", encoding="utf8", closefd=False)


def silence(stream: object) -> None:
    """Let what is left in a stream go nowhere: Python flushes it when it ends, and would complain."""
    try:
        number = stream.fileno()  # type: ignore[attr-defined]
    except (OSError, ValueError, AttributeError):  # not a file, as in tests
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
