"""The standard streams of the process, some of which its caller may have closed.

A closed standard output is an error only if something is written to it: ``nearfar ... -o FILE -q >&-`` is fine. Its
file descriptor is occupied by the null device, so that no file opened later gets it and receives text for the screen.
"""

from __future__ import annotations

import os
import sys
from typing import TextIO

OUTPUT, ERRORS = 1, 2


def open_missing() -> None:
    """Replace closed streams: writing to standard output fails, text for standard error is discarded."""
    if sys.stdout is None:
        sys.stdout = _null(OUTPUT, os.O_RDONLY)
    if sys.stderr is None:
        sys.stderr = _null(ERRORS, os.O_WRONLY)


def _null(descriptor: int, mode: int) -> TextIO:
    """Return the null device under the descriptor of a stream; opened read-only, it refuses all writes."""
    null = os.open(os.devnull, mode)
    if null != descriptor:
        os.dup2(null, descriptor)
        os.close(null)
    return open(descriptor, "w", encoding="utf8", closefd=False)


def silence(stream: object) -> None:
    """Discard what is left in a stream: Python flushes it at exit, and would complain about a closed pipe."""
    try:
        descriptor = stream.fileno()  # type: ignore[attr-defined]
    except (OSError, ValueError, AttributeError):  # not a file, as in tests
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
