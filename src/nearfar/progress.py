"""Show how far a query is: rows done, rate, time left."""

from __future__ import annotations

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
