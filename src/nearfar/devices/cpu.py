"""The CPU as a device: what it has, and our own threads on it.

Kernels hold no GIL, so plain Python threads run them side by side. They are made for a query and gone with it. The
caller's thread only waits, and so hears Ctrl-C: it raises the stop flag that every kernel looks at, joins the threads,
and lets the interrupt go on.
"""

from __future__ import annotations

import _thread
import itertools
import math
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from queue import Empty, SimpleQueue

import numpy as np

from .facts import Facts

SMALL_JOB = 200_000  # relaxations below which a query runs on the caller's thread: about a millisecond

TICK = 0.1  # seconds between two looks at the progress
GRACE = 0.25  # seconds to wait after an interrupt; kernels stop within milliseconds


def found() -> list[Facts]:
    """Return the one CPU there is."""
    return [facts()]


def missing() -> None:
    """Say why there is none; there always is one."""


def facts() -> Facts:
    """Return the cores this process may use and the memory that is free now, give or take a tenth of a second."""
    return _facts_at(int(time.monotonic() / TICK))


@lru_cache(maxsize=1)
def _facts_at(tick: int) -> Facts:
    """Ask the system, which takes as long as a small query, once a tick."""
    return Facts("cpu", _cores(), _free_memory())


def _cores() -> int:
    """Count the cores this process may run on, which may be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _free_memory() -> int:
    """Return the bytes that can be had without swapping, as far as the system tells; a control group may allow less."""
    free = _meminfo() or _physical() or 2**62
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        most, now = _number(limit), _number(used)
        if most is not None and now is not None:
            free = min(free, max(most - now, 0))
    return free


def _meminfo() -> int | None:
    """Return what Linux counts as available."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), None)
    except OSError:
        return None


def _physical() -> int | None:
    """Return all memory there is, where the system does not tell what is free."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _number(path: str) -> int | None:
    """Read one number from a file of the system; None where there is no file or no limit."""
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None


def run(
    work: Callable[[int], bool | None],
    threads: int,
    stop: np.ndarray,
    watch: Callable[[], None] | None = None,
    join: bool = False,
) -> None:
    """Call ``work(0)`` to ``work(threads - 1)``, each on a thread of its own; return when all are done.

    A call that returns True says that nothing is left to do for the others either: then they are not waited for, since
    on a busy machine one may not even have started. The first exception, an interrupt of the waiting thread included,
    raises ``stop`` and is raised again once no thread is at work any more; after an interrupt, a thread that is inside
    another library and cannot hear it is left to end by itself after GRACE seconds. It writes nothing from then on.
    ``watch`` is called now and then meanwhile. ``join``: the caller's thread does ``work(0)`` itself, which saves its
    start, some 0.1 ms; an interrupt is then heard only when that is done.
    """
    failures: list[BaseException] = []
    over: SimpleQueue[bool | None] = SimpleQueue()
    begun: list[int] = []
    ended: list[int] = []

    def guarded(t: int) -> None:
        begun.append(t)
        finished = None
        try:
            finished = work(t)
        except BaseException as failure:
            failures.append(failure)
            stop[0] = 1
        finally:
            ended.append(t)
            over.put(finished)

    try:
        for t in range(int(join), threads):
            _thread.start_new_thread(guarded, (t,))  # threading.Thread takes nearly twice as long: 230 us for two
        if join:
            guarded(0)
        while len(ended) < threads and not failures:
            try:
                if over.get(timeout=TICK):
                    return
            except Empty:
                if watch:
                    watch()
    except BaseException:
        stop[0] = 1
        _wait_out(over, begun, ended, GRACE)
        raise
    if failures:
        _wait_out(over, begun, ended, math.inf)
        failure = failures[0]
        failures.clear()  # else the failure and this frame would keep each other, and what the work holds, alive
        try:
            raise failure
        finally:
            del failure


def share_out(
    new_worker: Callable[[], Callable[[int], None]],
    count: int,
    threads: int,
    stop: np.ndarray,
    watch: Callable[[], None] | None = None,
) -> None:
    """Do tasks 0 to ``count - 1`` on some threads, each the next one when it is free; on the caller's if 0.

    ``new_worker`` makes what one thread needs, and returns the function that does a task with it.
    """
    pending = itertools.count()  # next() on it is atomic

    def work(t: int) -> None:
        do = new_worker()
        for i in pending:
            if i >= count or stop[0]:
                return
            do(i)

    if threads == 0:
        work(0)
    else:
        run(work, max(1, min(threads, count)), stop, watch)


def _wait_out(over: SimpleQueue[bool | None], begun: list[int], ended: list[int], patience: float) -> None:
    """Wait some seconds for threads that were told to stop, whatever else is pressed meanwhile.

    The threads count themselves: an interrupt can strike the waiting thread between any two of its own steps. One that
    begins only now finds the stop flag raised.
    """
    until = time.monotonic() + patience
    while True:
        try:
            while len(ended) < len(begun) and time.monotonic() < until:
                with suppress(Empty):
                    over.get(timeout=TICK)
            return
        except KeyboardInterrupt:
            continue
