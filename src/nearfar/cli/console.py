"""Standard output and standard error as rich writes to them; loaded when something is shown."""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console


class Plain(Console):
    """A console without ideas of its own about what to colour, or about what a closed pipe means."""

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, highlight=False, markup=False, emoji=False)

    def on_broken_pipe(self) -> NoReturn:
        """Tell failures.py, which knows the exit code; rich would end the program with 1, a wrong answer."""
        raise BrokenPipeError
