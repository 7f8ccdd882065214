"""Whether the workers of a cluster have the same nearfar as the caller.

Each is asked once. One without nearfar cannot even read what a task is: Dask would start it again and again, and the
call would wait. So the first workers are waited for; those that come later answer while others work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future as PlainFuture
from concurrent.futures import TimeoutError as Unanswered
from contextlib import suppress
from typing import Any

from ..errors import ClusterError
from ..version import __version__

EXPRESSION = "__import__('nearfar').__version__"  # a text, which workers without nearfar can read
WAIT = 10.0  # seconds for the first workers: a machine with much to do imports nearfar in two


class Versions:
    """What workers said.

    Parameters
    ----------
    ask : function
        Has some workers evaluate an expression; returns what will have their answers, or errors, by address.
    """

    def __init__(self, ask: Callable[[str, list[str]], PlainFuture[dict[str, Any]]]) -> None:
        self._ask = ask
        self._said: dict[str, Any] = {}
        self._under_way: dict[str, PlainFuture[dict[str, Any]]] = {}

    def require_same(self, workers: Iterable[str]) -> None:
        """Raise ClusterError if one of these workers is known to have no nearfar, or another one."""
        there = list(workers)
        is_first = not self._said and not self._under_way
        new = [worker for worker in there if worker not in self._said and worker not in self._under_way]
        if new:
            with suppress(Exception):  # the connection was lost, which the driver learns elsewhere
                self._under_way |= dict.fromkeys(new, self._ask(EXPRESSION, new))
        for worker, answer in list(self._under_way.items()):
            self._hear(worker, answer, WAIT if is_first else 0.0)
        for worker in there:
            if problem := _problem(self._said.get(worker)):
                raise ClusterError(f"the worker {worker} {problem}. Install the same one on all machines.")

    def _hear(self, worker: str, answer: PlainFuture[dict[str, Any]], seconds: float) -> None:
        """Take the answer of a worker; one that could not be asked is asked again."""
        try:
            found = answer.result(seconds).get(worker)
        except Unanswered:
            return
        except Exception:
            found = None
        del self._under_way[worker]
        if isinstance(found, str | ImportError):
            self._said[worker] = found


def _problem(said: Any) -> str | None:
    """Return what is wrong with the answer of a worker, None if nothing is known to be."""
    if isinstance(said, ImportError):
        return f"cannot load nearfar {__version__} ({said})"
    return None if said is None or said == __version__ else f"has nearfar {said}, the caller {__version__}"
