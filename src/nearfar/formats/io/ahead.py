"""ReadAhead: a thread that reads the next blocks of a file while the caller works on the current one."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

_BLOCKS = 2  # blocks that are read ahead at most
_PATIENCE = 1.0  # seconds to wait for the thread to end; a thread that waits for a pipe ends with the pipe


class ReadAhead:
    """Iterate over the blocks that ``read`` returns, until it returns nothing; `close` ends the thread."""

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read = read
        self._queue: queue.Queue[Any] = queue.Queue(_BLOCKS)
        self._stop = threading.Event()
        # A daemon thread, so that a pipe without an end does not keep a stopped program alive.
        self._thread = threading.Thread(target=self._work, name="nearfar-read", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[bytes]:
        try:
            while item := self._queue.get():
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self.close()

    def close(self) -> None:
        """End the thread after its current block."""
        self._stop.set()
        with suppress(queue.Empty):
            while True:
                self._queue.get_nowait()  # makes room in the queue, so that the thread sees the stop
        self._thread.join(_PATIENCE)

    def _work(self) -> None:
        """Read block after block; an error is put into the queue, and raised by the iterator."""
        item: Any = b"."
        while item and not isinstance(item, BaseException) and not self._stop.is_set():
            try:
                item = self._read()
            except BaseException as error:
                item = error
            self._queue.put(item)
