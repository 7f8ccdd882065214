"""Standard output and standard error as consoles of rich; loaded only when something is shown."""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console


class Plain(Console):
    """A console that colours nothing by itself and leaves closed pipes to failures.py."""

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def on_broken_pipe(self) -> NoReturn:
        """Raise an error for failures.py, which knows the exit code; rich would exit with 1, "wrong answer"."""
        raise BrokenPipeError
