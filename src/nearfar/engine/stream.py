"""Blocks of rows, one after the other: the next is settled on another thread while the caller uses this one.

The thread ends when the caller stops early, is interrupted, or raises an exception: it then meets the end in the
function that watches its progress, which is called every tenth of a second.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

from ..devices.cpu import TICK
from ..methods.problem import Controls
from ..progress import watcher
from ..results import Distances
from .blocks import Done, RowBlocks


class _Ended(BaseException):
    """The caller wants no more blocks."""


def stream_rows(blocks: RowBlocks) -> Iterator[Distances]:
    """Yield all blocks in order."""
    done = Done()
    with watcher(blocks.query.progress, len(blocks.query.sources), done) as watch:
        for found in _ahead(blocks, watch or (lambda: None)):
            done.add(len(found.rows))
            yield found


def _ahead(blocks: RowBlocks, watch: Any) -> Iterator[Distances]:
    """Yield all blocks; one is always settled ahead."""
    ended = threading.Event()
    room, ready = threading.Semaphore(1), SimpleQueue[Any]()

    def check(done: int = 0, total: int = 0) -> None:
        if ended.is_set():
            raise _Ended

    def work() -> None:
        try:
            blocks.prepare(Controls(threads=blocks.query.threads, memory=blocks.plan.available, watch=check))
            for i in range(len(blocks)):
                room.acquire()
                check()
                ready.put(blocks.settle(i, check))
        except BaseException as failure:
            ready.put(failure)

    thread = threading.Thread(target=work, name="nearfar stream", daemon=True)
    try:
        thread.start()  # Ctrl-C may come in here, when the thread works already
        for _ in range(len(blocks)):
            found = _wait(ready, watch)
            room.release()
            if isinstance(found, BaseException):
                raise found
            yield found
            del found
    finally:
        ended.set()
        room.release()
        with suppress(RuntimeError):  # it has not begun, and will end at once
            thread.join()


def _wait(ready: SimpleQueue[Any], watch: Any) -> Any:
    """Return the next block, or the exception that prevents it."""
    while True:
        try:
            return ready.get(timeout=TICK)
        except Empty:
            watch()
