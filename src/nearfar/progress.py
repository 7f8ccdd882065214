"""Show how far a query or a file is: rows or bytes done, rate, time left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from typing import Any


@contextmanager
def watcher(progress: Any, total: int, done: Sized) -> Iterator[Callable[[], None] | None]:
    """Give a function to call now and then while rows are added to ``done``, or None if nobody wants to know.

    ``progress`` is True for a bar on standard error, or a function that is told rows done and all rows.
    """
    if callable(progress):
        yield lambda: progress(len(done), total)
        progress(len(done), total)
    elif progress:
        with _bar(total) as update:
            yield lambda: update(len(done))
            update(len(done))
    else:
        yield None


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int], None]]:
    """Give a function that moves a bar with rows done, their rate and the time left."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("rows"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("rows", total=total, rate="")

        def update(done: int) -> None:
            speed = bar.tasks[task].speed
            bar.update(task, completed=done, rate=f"{speed:,.1f}/s" if speed else "")

        yield update


_LARGE = 100_000_000  # bytes of a file from which on a person at a terminal is shown how far reading is


@contextmanager
def watching_bytes(progress: Any) -> Iterator[Callable[[int, int | None], None] | None]:
    """Give a function to tell how many bytes of a file are read, or None if nobody wants to know.

    ``progress`` is True for a bar, None for one at a terminal if the file is large, or a function to be told.
    """
    if callable(progress):
        yield progress
    elif progress or (progress is None and sys.stderr.isatty()):
        with bytes_bar(0 if progress else _LARGE) as update:
            yield update
    else:
        yield None


@contextmanager
def bytes_bar(least: int) -> Iterator[Callable[[int, int | None], None]]:
    """Give a function that moves a bar with bytes read of all; nothing is shown for files smaller than ``least``."""
    bar: Any = None

    def update(done: int, total: int | None) -> None:
        nonlocal bar
        if bar is None:
            if (total or done) < least:
                return
            bar = _start_bytes_bar(total)
        bar.update(bar.task_ids[0], completed=done)

    try:
        yield update
    finally:
        if bar is not None:
            bar.stop()


def _start_bytes_bar(total: int | None) -> Any:
    """Show a bar for a file of so many bytes."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    bar = Progress(*columns, console=console, transient=console.is_terminal)
    bar.add_task("reading", total=total)
    bar.start()
    return bar
