"""The CPU as a device: its cores and memory, and our own threads on it.

Kernels release the GIL, so plain Python threads run them in parallel. Threads are started for a query and end with it.
The caller's thread only waits, so that Ctrl-C works: it then sets the stop flag that every kernel checks, waits for the
threads to end, and lets the interrupt propagate.
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

SMALL_WORK = 200_000  # relaxations below which a query runs on the caller's thread: about a millisecond of work

TICK = 0.1  # seconds between two updates of the progress
GRACE = 0.25  # seconds to wait for threads after an interrupt; kernels stop within milliseconds


def found() -> list[Facts]:
    """Return the facts of the CPU, the only device of this kind."""
    return [facts()]


def broken() -> dict[str, str]:
    """Return the devices that cannot be used, and why: none."""
    return {}


def missing() -> None:
    """Return why there is no such device: None, since there always is a CPU."""


def facts() -> Facts:
    """Return the cores that this process may use and the free memory, at most a tenth of a second old."""
    return _facts_at(int(time.monotonic() / TICK))


@lru_cache(maxsize=1)
def _facts_at(tick: int) -> Facts:
    """Ask the system, once per tick: that takes as long as a small query."""
    return Facts("cpu", _cores(), _free_memory())


def _cores() -> int:
    """Return the number of cores that this process may use; the machine may have more."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _free_memory() -> int:
    """Return the bytes available without swapping, as far as is known, within the limit of a control group."""
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
    """Return the bytes that Linux reports as available."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), None)
    except OSError:
        return None


def _physical() -> int | None:
    """Return the size of all memory, for systems that do not report what is free."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _number(path: str) -> int | None:
    """Read one number from a system file; None if there is no file or no limit."""
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
    """Call ``work(0)`` to ``work(threads - 1)``, each on its own thread; return when all are done.

    If a call returns True, nothing is left to do for the other threads either, and they are not waited for: on a busy
    machine, one may not even have started. The first exception, or an interrupt of the waiting thread, sets ``stop``
    and is raised again when no thread works any more. After an interrupt, a thread inside another library may not see
    ``stop``: after GRACE seconds it is left to end by itself, and writes nothing from then on. ``watch`` is called from
    time to time meanwhile. ``join``: the caller's thread runs ``work(0)`` itself, which saves about 0.1 ms to start a
    thread; an interrupt is then handled only when that call is done.
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
        failures.clear()  # else the failure and this frame keep each other alive, and all that the work refers to
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
    """Do tasks 0 to ``count - 1``: each thread takes the next task when it is free; 0 threads: the caller's only.

    ``new_worker`` is called once per thread, prepares what it needs, and returns the function that does one task.
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
    """Wait at most ``patience`` seconds for threads to stop, even if Ctrl-C is pressed again meanwhile.

    The threads themselves record that they began and ended, since an interrupt can come between any two steps of the
    waiting thread. A thread that begins only now finds the stop flag set.
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
