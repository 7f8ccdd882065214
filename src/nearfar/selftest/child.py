"""The parent's end of a worker process: it watches the clock, ends a worker that hangs, and starts the next one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any

from ..description import format_seconds
from ..errors import DeviceError, MissingDeviceError
from .cases import Case
from .checks import FREE, WAITING, Answer, WorkerError
from .launches import Launch, make_record, read_record, where
from .report import CRASHED, HUNG, Figures, Outcome

PROGRAM = "from nearfar.selftest.worker import main; main()"
TICK = 0.5  # seconds between two looks at the clock
TAIL = 24  # lines of a dead worker's standard error that a report repeats
SOURCES = Path(__file__).resolve().parents[2]  # the folder that holds the package

clock = time.monotonic


class _Ended(Exception):  # noqa: N818 - a finding
    """A worker that hung or died: the status of its query, and what happened."""

    def __init__(self, status: str, message: str, waiting: bool) -> None:
        super().__init__(message)
        self.status, self.message, self.waiting = status, message, waiting


class Child:
    """Asks queries in a worker process, with a limit in seconds for each part of a query.

    A query on a large graph runs twice, first with a wait after every launch (launches.py). A query that hangs or dies
    without such waits is asked once more with them, by a new worker: that names the launch.
    """

    def __init__(self, names: tuple[str, ...], level: str, limit: float) -> None:
        self.names, self.level, self.limit = names, level, limit
        self._folder = TemporaryDirectory(prefix="nearfar-selftest-")
        self._record, self._log = Path(self._folder.name) / "launch", Path(self._folder.name) / "stderr"
        self._process: subprocess.Popen[str] | None = None

    def facts(self) -> dict[str, str]:
        """Start a worker, which opens the devices; return what it knows about them."""
        try:
            self._start()
            answer = self._wait("opening the device")
        except _Ended as ended:
            raise DeviceError(f"{ended.status}: {ended.message}") from None
        if "facts" not in answer:
            self._stop()
            raise MissingDeviceError(answer["missing"]) if "missing" in answer else WorkerError(answer["error"])
        facts: dict[str, str] = answer["facts"]
        return facts

    def ask(self, case: Case) -> Answer:
        """Ask a query; a worker that hangs or dies is part of the answer."""
        modes = (WAITING, FREE) if case.big else (FREE,)
        began = clock()
        try:
            return self._ask(case, modes)
        except _Ended as ended:
            status, message, waiting = ended.status, ended.message, ended.waiting
        if not waiting and self.names != ("cpu",):
            message += f"\n{self._again(case)}"
        return Answer(Outcome(*case.words, status, message, clock() - began))

    def _again(self, case: Case) -> str:
        """Ask a query again with a wait after every launch; say what came of it."""
        try:
            answer = self._ask(case, (WAITING,))
        except _Ended as ended:
            return f"Asked again, with a wait after every launch: {ended.message}"
        status = answer.outcome.status if answer.outcome else "not asked"
        return f"Asked again, with a wait after every launch, it {status}: the order of copies and launches matters."

    def _ask(self, case: Case, modes: Sequence[bool]) -> Answer:
        """Ask a query of the worker, or of a new one if there is none."""
        if self._process is None:
            try:
                self.facts()
            except DeviceError as error:
                raise _Ended(CRASHED, f"a new worker could not open the device. {error}", True) from None
        self._send(case=astuple(case), modes=modes)
        answer = self._wait("preparing the query on the CPU")
        if "ready" in answer:
            answer = self._wait("the query")
        outcome, figures = answer["outcome"], answer["figures"]
        return Answer(
            None if outcome is None else Outcome(**outcome),
            None if figures is None else Figures(**figures),
            answer["launches"],
            [Launch(**launch) for launch in answer["slowest"]],
        )

    def _start(self) -> None:
        """Start a worker; Ctrl-C reaches the parent only."""
        make_record(self._record)
        paths = [str(SOURCES), *filter(None, [os.environ.get("PYTHONPATH")])]
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                encoding="utf8",
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1"},
                start_new_session=True,
            )
        self._lines: SimpleQueue[str] = SimpleQueue()
        threading.Thread(target=_read, args=(self._process.stdout, self._lines), daemon=True).start()
        self._send(devices=self.names, level=self.level, record=str(self._record))

    def _send(self, **order: Any) -> None:
        """Give the worker an order; one that is gone is found out by _wait()."""
        assert self._process is not None and self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()

    def _wait(self, what: str) -> dict[str, Any]:
        """Return the next answer of the worker; raise _Ended if it hangs or dies."""
        began = clock()
        while True:
            try:
                line = self._lines.get(timeout=TICK)
            except Empty:
                if clock() - began < self.limit:
                    continue
                launches = list(read_record(self._record))
                self._stop()
                message = f"{what} took longer than {format_seconds(self.limit)}, and was ended. {where(launches)}"
                raise _Ended(HUNG, message, _exact(launches)) from None
            if not line:
                raise self._death(what)
            answer: dict[str, Any] = json.loads(line)
            return answer

    def _death(self, what: str) -> _Ended:
        """Return what is known about a worker that died."""
        launches = list(read_record(self._record))
        code = self._stop()
        tail = _tail(self._log.read_text("utf8", "replace"))
        message = f"during {what}, the process ended with {_named(code)}. {where(launches)}"
        return _Ended(CRASHED, f"{message}\n{tail}".rstrip(), _exact(launches))

    def _stop(self) -> int:
        """End the worker, whatever it does; return its exit code."""
        process, self._process = self._process, None
        if process is None:
            return 0
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            return process.wait(TICK)
        process.kill()
        with suppress(subprocess.TimeoutExpired):  # a driver may keep a killed process for a while
            return process.wait(10 * TICK)
        return 0

    def close(self) -> None:
        """End the worker and remove its files."""
        self._stop()
        self._folder.cleanup()


def _read(stream: Any, lines: SimpleQueue[str]) -> None:
    """Queue the lines of a worker, and an empty one when there are no more."""
    with stream:
        for line in stream:
            lines.put(line)
    lines.put("")


def _tail(text: str) -> str:
    """Return the end of a dead worker's standard error: where Python was, or else the last lines."""
    lines = [line for line in text.splitlines() if not line.startswith("Extension modules:")]
    fatal = next((i for i, line in enumerate(lines) if line.startswith("Fatal Python error")), None)
    return "\n".join(lines[-TAIL:] if fatal is None else lines[fatal : fatal + TAIL])


def _exact(launches: list[Launch]) -> bool:
    """Return whether the noted launches were waited for one by one, so that asking again would tell no more."""
    return all(launch.waiting for launch in launches)


def _named(code: int) -> str:
    """Return an exit code in words: -11 is signal 11 (SIGSEGV)."""
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"signal {-code} ({signal.Signals(-code).name})"
    return f"signal {-code}"
