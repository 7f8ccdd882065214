"""A few threads that share the items of a loop: the certificate's own, since it shares no code with the solvers."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self


class Crew:
    """Threads that share loops, the caller's thread among them; a ``with`` statement ends the others."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(max(1, threads - 1))  # it starts threads when they get work

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def share(self, items: int, work: Callable[[int, int], bool]) -> bool:
        """Call ``work(item, thread)`` for each of some items; return whether all calls returned True.

        The first other answer ends the loop, and so does an exception: whatever ends the caller's part, such as
        Ctrl-C, takes the items that are left from the other threads.
        """
        todo = iter(range(items))  # threads take items from one iterator: next() on it is atomic

        def part(t: int) -> bool:
            try:
                return all(work(item, t) for item in todo)
            finally:
                for _ in todo:
                    pass

        others = [self._pool.submit(part, t) for t in range(1, min(self.threads, items))]
        try:
            passed = part(0)
        finally:
            answers = [other.result() for other in others]
        return passed and all(answers)


def threads_of(result: Any) -> int:
    """Return how many threads to use: as many as the query had, or one per core that this process may use."""
    threads = getattr(result.plan, "threads", None)
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return threads or 1
