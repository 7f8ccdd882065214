"""What a process takes of anonymous memory while it does something: for tests of ``memory=``, run in child processes.

A thread looks at RssAnon in /proc/self/status every half millisecond. A look that comes late misses a peak, so that a
slow machine makes no test fail. Pages of mapped files are not counted: the system may take these back.
"""

from __future__ import annotations

import sys
import threading
import time

import pytest

from helpers.interrupts import run_program

on_linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="/proc/self/status tells of anonymous memory on Linux only"
)
BETWEEN = 0.0005  # seconds

FRONT = """
import json, sys
import nearfar
from helpers.anonymous import Peak
from nearfar.graph import Graph
"""


def anonymous():
    """Return the bytes of anonymous memory that this process has."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


class Peak:
    """A context manager; ``bytes`` is what was taken at most beyond what there was when it began."""

    def __enter__(self):
        self.bytes, self._over = 0, threading.Event()
        self._base = anonymous()
        self._watcher = threading.Thread(target=self._watch)
        self._watcher.start()
        return self

    def _watch(self):
        while not self._over.is_set():
            self.bytes = max(self.bytes, anonymous() - self._base)
            time.sleep(BETWEEN)

    def __exit__(self, *failure):
        self._over.set()
        self._watcher.join()


def run_watched(program, **words):
    """Run a program in a child, with ``words`` in the place of their names; return what it printed."""
    for word, value in words.items():
        program = program.replace(word, str(value))
    return run_program(program, front=FRONT)
