"""Show the progress of a query or a file: rows or bytes done, rate, time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sized
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from .description import format_bytes, format_count, format_seconds

if TYPE_CHECKING:
    from rich.progress import Progress

LOG_EVERY = 60.0  # seconds between two lines in a log
LARGE = 100_000_000  # bytes of a file from which a bar is shown at a terminal


class Log:
    """Lines on standard error, one a minute: for logs, where a bar would be in the way.

    Parameters
    ----------
    what : str
        What is counted, or what is being done.
    amount : callable
        How a number of it is written.
    """

    def __init__(self, what: str = "rows", amount: Callable[[float], str] = format_count) -> None:
        self.what, self.amount = what, amount
        self.began = self.logged = time.perf_counter()

    def __call__(self, done: int, total: int | None, note: str = "") -> None:
        """Report how much is done, the total where it is known, and what else there is to say; a line a minute."""
        now = time.perf_counter()
        if now - self.logged < LOG_EVERY:
            return
        self.logged, rate = now, done / max(now - self.began, 1e-9)
        left = f", {format_seconds((total - done) / rate)} left" if total and done else ""
        of = f" of {self.amount(total)}" if total else ""
        text = f"{self.amount(done)}{of}, {self.amount(rate)}/s{left}{note and ', '}{note}"
        print(f"nearfar: {self.what}: {text}", file=sys.stderr, flush=True)


class Bar:
    """A progress bar on standard error, which appears only if the work takes a while.

    Parameters
    ----------
    what : str
        The label: what is counted, or what is being done.
    counts_bytes : bool
        Whether the numbers are bytes instead of rows.
    patience : float
        Seconds of work before the bar appears.
    least : int
        The smallest total for which the bar appears.
    transient : bool
        Whether the bar disappears when the work is done.
    """

    def __init__(
        self,
        what: str = "rows",
        *,
        counts_bytes: bool = False,
        patience: float = 0.0,
        least: int = 0,
        transient: bool = False,
    ) -> None:
        self.what, self.counts_bytes, self.transient = what, counts_bytes, transient
        self.patience, self.least = patience, least
        self.began = time.perf_counter()
        self.log = Log(what, format_bytes if counts_bytes else format_count)
        self.bar: Progress | None = None

    def __enter__(self) -> Bar:
        return self

    def __call__(self, done: int, total: int | None, note: str = "") -> None:
        """Report how much is done, the total where it is known, and what else there is to say."""
        if self.bar is None and self._is_worth_while(done, total):
            self._show(total)
        if self.bar is not None:
            task = self.bar.tasks[0]
            rate = f"{task.speed:,.1f}/s" if task.speed else ""
            self.bar.update(task.id, completed=done, rate=", ".join(filter(None, (rate, note))))
            self._log(done, total, note)

    def _log(self, done: int, total: int | None, note: str = "") -> None:
        """Print a line now and then if standard error is no terminal, where a bar would only appear at the end."""
        if self.bar is not None and not self.bar.console.is_terminal:
            self.log(done, total, note)

    def _is_worth_while(self, done: int, total: int | None) -> bool:
        """Return whether to show the bar now."""
        if (total or done) < self.least:
            return False
        is_long = time.perf_counter() - self.began > self.patience and done != total
        return not self.patience or (is_long and total != 1)

    def _show(self, total: int | None) -> None:
        """Put the bar on the terminal."""
        from rich import progress
        from rich.console import Console

        rows = (progress.MofNCompleteColumn(), progress.TextColumn("{task.fields[rate]}"))
        size = (progress.DownloadColumn(), progress.TransferSpeedColumn())
        columns = (progress.BarColumn(), *(size if self.counts_bytes else rows), progress.TimeRemainingColumn())
        console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        transient = self.transient and console.is_terminal
        self.bar = progress.Progress(progress.TextColumn(self.what), *columns, console=console, transient=transient)
        self.bar.add_task(self.what, total=total, rate="")
        self.bar.start()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Take the bar off the terminal while something else is written there.

        Beside the bar, it would be mixed up with it, and standard output would be led to the bar's terminal.
        """
        if self.bar is not None:
            self.bar.stop()
        yield
        if self.bar is not None:
            self.bar.start()

    def __exit__(self, *failure: object) -> None:
        if self.bar is not None:
            self.bar.stop()


_NOBODY: AbstractContextManager[None] = nullcontext()


def watcher(progress: Any, total: int, done: Sized) -> AbstractContextManager[Callable[[], None] | None]:
    """Give a function to call now and then while rows are added to ``done``, or None without progress.

    ``progress`` is True for a bar on standard error, or a function of the rows done and all rows.
    """
    return _NOBODY if progress is False else _watching(progress, total, done)


@contextmanager
def _watching(progress: Any, total: int, done: Sized) -> Iterator[Callable[[], None] | None]:
    """Yield the function of `watcher`."""
    if isinstance(progress, Bar | Log):
        yield lambda: progress(len(done), total, getattr(done, "note", ""))
        progress(len(done), total, getattr(done, "note", ""))
    elif callable(progress):
        yield lambda: progress(len(done), total)
        progress(len(done), total)
    elif progress:
        with Bar() as bar, _watching(bar, total, done) as watch:
            bar(0, total)
            yield watch
    else:
        yield None


@contextmanager
def watching_bytes(progress: Any, what: str = "reading") -> Iterator[Callable[[int, int | None], None] | None]:
    """Yield a function of the bytes read and the file's size, or None without progress.

    ``progress`` is True for a bar, None for a bar at a terminal if the file is large, or such a function; ``what`` is
    the bar's label.
    """
    if callable(progress):
        yield progress
    elif progress or (progress is None and sys.stderr.isatty()):
        with Bar(what, counts_bytes=True, least=0 if progress else LARGE, transient=True) as bar:
            yield bar
    else:
        yield None
