"""ReadAhead: a thread that reads the next blocks of a file while the caller works on the one before."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

_BLOCKS = 2  # read ahead at most
_PATIENCE = 1.0  # seconds to wait for the thread to end; one that waits for a pipe ends when the pipe does


class ReadAhead:
    """Iterate over what ``read`` gives until it gives nothing; `close` ends the thread."""

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read = read
        self._slots: queue.Queue[Any] = queue.Queue(_BLOCKS)
        self._stop = threading.Event()
        # A daemon, so that a pipe which never ends does not keep a stopped program alive.
        self._thread = threading.Thread(target=self._work, name="nearfar-read", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[bytes]:
        try:
            while item := self._slots.get():
                if isinstance(item, BaseException):
                    raise item
                yield item
        finally:
            self.close()

    def close(self) -> None:
        """End the thread after the block that it is reading."""
        self._stop.set()
        with suppress(queue.Empty):
            while True:
                self._slots.get_nowait()  # makes room, so that the thread sees the stop
        self._thread.join(_PATIENCE)

    def _work(self) -> None:
        """Read block after block; an error is handed over, and raised where it is waited for."""
        item: Any = b"."
        while item and not isinstance(item, BaseException) and not self._stop.is_set():
            try:
                item = self._read()
            except BaseException as error:
                item = error
            self._slots.put(item)
