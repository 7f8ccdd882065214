"""A list of tasks done by the workers of a cluster, whatever happens to these workers.

A task is a pure function of small arguments: to do it twice does no harm, and gives the same. So whatever is lost is
given out again: a task whose worker died, whose answer cannot be fetched, or that is long overdue, since a worker that
hangs says nothing; then the first answer counts. An error that the function raised itself is the caller's, and ends
the run. Nothing here knows which library runs the cluster: it is an `Engine`.
"""

from __future__ import annotations

import statistics
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from ..errors import ClusterError, option

TICK = 0.1  # seconds between two looks at what is overdue, and at Ctrl-C
LOOK = 2.0  # seconds between two looks at the workers
SHUN = 10  # times what is overdue: how long a worker that was gets no other task
SAMPLE = 64  # tasks whose times say how long one takes


@dataclass(frozen=True)
class Task:
    """A function of small arguments, which a worker calls; ``name`` is what the dashboard shows.

    ``wish``: the address of the worker that should do it, since it has what is needed; another one may.
    """

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    wish: str = ""


@dataclass(frozen=True)
class Worker:
    """A process of the cluster: how many tasks it does at a time, and the bytes it may use, 0 if nobody says."""

    threads: int
    memory: int
    host: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of a task that was submitted: a value, an error that its function raised, or nothing: it is lost."""

    value: Any = None
    error: BaseException | None = None
    lost: str = ""  # why, if it is


class Engine(Protocol):
    """A cluster, as the driver sees it."""

    name: str

    def workers(self) -> Mapping[str, Worker]:
        """Return the workers that are there, by address."""

    def submit(self, task: Task, report: Callable[[Outcome], None], avoid: Collection[str] = ()) -> Any:
        """Have a task done by a worker, not by one of ``avoid`` if there are others; return what stands for it.

        ``report`` is called on some thread when it is done, failed or lost.
        """

    def places(self, handles: Collection[Any]) -> dict[Any, str]:
        """Return the workers that have been given some of these tasks, as far as that is known."""

    def cancel(self, handles: Collection[Any]) -> None:
        """Forget some tasks; one that runs may run to its end. Does not wait."""

    def require_alive(self) -> None:
        """Raise ClusterError if the cluster is lost; wait a little if it may return."""


@dataclass(frozen=True)
class Patience:
    """How long the driver waits. Chosen, not tuned.

    Attributes
    ----------
    first : float
        Seconds after which a task is given out again if no task is done yet: kernels may have to be compiled.
    least, times : float
        Afterwards: at least so many seconds, and so many times what tasks take. Each copy waits twice as long.
    empty : float
        Seconds without any worker after which the run ends: those of Kubernetes and SLURM take minutes to come.
    silent : float
        Seconds without news after which the cluster is asked whether it is there.
    losses : int
        How often a task may be lost before it is taken for what ends its workers.
    """

    first: float = 120.0
    least: float = 10.0
    times: float = 6.0
    empty: float = 600.0
    silent: float = 30.0
    losses: int = 20


@dataclass(eq=False)
class _Copy:
    """One submission of a task."""

    began: float
    handle: Any = None


@dataclass
class _Running:
    """A task that is not done: its copies under way, how often it was lost, and which workers were overdue."""

    copies: list[_Copy] = field(default_factory=list)
    lost: int = 0
    avoid: set[str] = field(default_factory=set)


def run_tasks(
    engine: Engine,
    tasks: Sequence[Task],
    *,
    most: int | None = None,
    patience: Patience | None = None,
    watch: Callable[[], None] | None = None,
) -> Iterator[Any]:
    """Yield the answers of tasks in their order; whatever is left when the caller stops early is cancelled.

    Parameters
    ----------
    engine : Engine
    tasks : sequence of Task
    most : int, optional
        How many answers may wait or be under way at once; by default twice as many as the workers have threads.
    patience : Patience, optional
    watch : function, optional
        Called from time to time, on the caller's thread.

    Examples
    --------
    A toy engine that does everything at once:

    >>> from nearfar.scale.driver import Outcome, Task, Worker, run_tasks
    >>> class Here:
    ...     name = "here"
    ...     def workers(self): return {"a": Worker(1, 0)}
    ...     def submit(self, task, report, avoid=()): report(Outcome(task.function(*task.args)))
    ...     def cancel(self, handles): pass
    ...     def require_alive(self): pass
    >>> list(run_tasks(Here(), [Task("double", lambda x: 2 * x, (i,)) for i in range(5)]))
    [0, 2, 4, 6, 8]
    """
    run = _Run(engine, tasks, most, patience or Patience(), watch or (lambda: None))
    waiting: dict[int, Any] = {}
    try:
        for i in range(len(tasks)):
            while i not in waiting:
                run.fill(len(tasks) if most is None else i + most, len(waiting))
                waiting.update(run.wait())
            yield waiting.pop(i)
    finally:
        run.close()


class _Run:
    """One run: which tasks are under way, and what is known of how long they take."""

    def __init__(
        self, engine: Engine, tasks: Sequence[Task], most: int | None, patience: Patience, watch: Callable[[], None]
    ) -> None:
        self.engine, self.tasks, self.most, self.patience, self.watch = engine, tasks, most, patience, watch
        self.reports: SimpleQueue[tuple[int, _Copy, Outcome, float]] = SimpleQueue()
        self.running: dict[int, _Running] = {}
        self.shunned: dict[str, float] = {}  # workers that were overdue, and until when they get nothing
        self.next = 0
        self.times: deque[float] = deque(maxlen=SAMPLE)
        self.slots, self.looked = 0, -LOOK
        self.heard = time.monotonic()
        self.deserted: float | None = None  # since when there is no worker, as far as was looked

    def fill(self, end: int, waiting: int) -> None:
        """Give out tasks before ``end``, as many as the workers need not to wait for any."""
        self._look()
        if not self.slots and not self.running:
            return  # workers are looked at before they are given anything
        room = 2 * self.slots + 2
        if self.most is not None:
            room = min(room, self.most - waiting)
        while self.next < min(end, len(self.tasks)) and len(self.running) < max(1, room):
            self.running[self.next] = _Running()
            self._give(self.next)
            self.next += 1

    def wait(self) -> dict[int, Any]:
        """Wait a moment for answers, and return those that came."""
        found: dict[int, Any] = {}
        self._take(found, TICK)
        while not self.reports.empty():
            self._take(found, 0.0)
        self.watch()
        if not found:
            self._hurry()
        return found

    def close(self) -> None:
        """Cancel what is left."""
        left = [copy.handle for state in self.running.values() for copy in state.copies]
        self.running.clear()
        if left:
            self.engine.cancel(left)

    def _take(self, found: dict[int, Any], seconds: float) -> None:
        """Take one report, if there is one."""
        try:
            i, copy, outcome, came = self.reports.get(timeout=seconds) if seconds else self.reports.get_nowait()
        except Empty:
            return
        self.heard, state = time.monotonic(), self.running.get(i)
        if state is None or copy not in state.copies:
            return  # another copy was faster
        if outcome.error is not None:
            raise outcome.error  # whose traceback would keep a copy that is not cancelled in the end
        state.copies.remove(copy)
        if outcome.lost:
            self._lost(i, state, outcome.lost)
            return
        self.times.append(came - copy.began)
        del self.running[i]
        if state.copies:
            self.engine.cancel([other.handle for other in state.copies])
        found[i] = outcome.value

    def _lost(self, i: int, state: _Running, why: str) -> None:
        """Give a task out again, unless it seems to be what ends its workers."""
        self.engine.require_alive()
        state.lost += 1
        if state.lost > self.patience.losses:
            raise ClusterError(
                f"a task of {self.engine.name} was lost {state.lost} times, at last because {why}. Perhaps it needs "
                f"more memory than a worker has: start workers with more, or set a lower {option('memory')}; their "
                "logs tell what ended them."
            )
        if not state.copies:
            self._give(i)

    def _give(self, i: int) -> None:
        """Submit a task, or another copy of it."""
        state, copy = self.running[i], _Copy(time.monotonic())
        state.copies.append(copy)
        avoid = state.avoid | {worker for worker, until in self.shunned.items() if copy.began < until}
        copy.handle = self.engine.submit(
            self.tasks[i], lambda outcome: self.reports.put((i, copy, outcome, time.monotonic())), avoid
        )

    def _look(self) -> None:
        """Count the workers now and then; end the run if there are none for a long time."""
        now = time.monotonic()
        if now - self.looked < LOOK and self.slots:
            return
        if now - self.looked < TICK:
            return
        workers = self.engine.workers()
        self.slots, self.looked = sum(worker.threads for worker in workers.values()), now
        if workers:
            self.deserted = None
        elif self.deserted is None:
            self.deserted = now  # nobody looked while the caller was busy: that time does not count
        elif now - self.deserted > self.patience.empty:
            raise ClusterError(
                f"{self.engine.name} has had no worker for {self.patience.empty:.0f} seconds. Start workers, and "
                "repeat the call."
            )

    def _hurry(self) -> None:
        """Give out again what is overdue, to other workers; ask whether the cluster is there if nothing is heard."""
        now, patience = time.monotonic(), self.patience
        if now - self.heard > patience.silent:
            self.engine.require_alive()
            self.heard = now
        usual = max(patience.least, patience.times * statistics.median(self.times)) if self.times else patience.first
        late = [
            i
            for i, state in self.running.items()
            if state.copies and now - state.copies[-1].began > usual * 2 ** (len(state.copies) - 1)
        ]
        if not late:
            return
        places = self.engine.places([copy.handle for i in late for copy in self.running[i].copies])
        for i in late:
            state = self.running[i]
            state.avoid = {places[copy.handle] for copy in state.copies if copy.handle in places}
            self.shunned |= dict.fromkeys(state.avoid, now + SHUN * usual)
            self._give(i)
