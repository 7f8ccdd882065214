"""The workers as a partitioned graph asks them: which of them has which part, and what was sent to whom."""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...description import format_bytes
from ...engine.blocks import Done
from ...errors import MemoryLimitError
from ...graph.parts import Parts
from ...graph.stored import StoredGraph
from ...methods.part_run import bytes_of_worker
from ...progress import watcher
from ..cluster import Cluster
from ..driver import Task, Worker, run_tasks
from .shelf import PartPlace, stop_run

SHARE = 0.7  # of a worker's memory that parts, rows and tables may take: Dask pauses a worker at 0.8; chosen, not tuned

Job = tuple[int, tuple[Any, ...]]  # a part, and the arguments of a task for it


class Workers:
    """The workers of a cluster, and the parts of a graph, each of which has a home: the worker that had it before.

    A home is a wish. If its worker is busy or gone, another one does the task, and loads the part.
    """

    def __init__(self, cluster: Cluster, graph: StoredGraph, parts: Parts) -> None:
        self.cluster, self.graph, self.parts = cluster, graph, parts
        self.homes: dict[int, str] = {}
        self.sizes: list[int] = parts.part_bytes.tolist()
        self.keep = 0

    def settle_in(self) -> int:
        """Give each part without a home to the worker with the least to hold; return how many workers there are."""
        there = self.cluster.workers()
        loads = dict.fromkeys(sorted(there), 0)
        self.homes = {p: home for p, home in self.homes.items() if home in loads}
        for p, home in self.homes.items():
            loads[home] += self.sizes[p]
        for p in sorted(set(range(self.parts.count)) - set(self.homes), key=lambda p: -self.sizes[p]) if loads else []:
            self.homes[p] = min(loads, key=lambda home: loads[home])
            loads[self.homes[p]] += self.sizes[p]
        memory = least_memory(there)
        self._require(memory)
        self.keep = int(min(max(loads.values(), default=0), SHARE * memory))
        return len(there)

    def _require(self, memory: float) -> None:
        """Refuse parts that are too large for a worker with so much memory."""
        needed = bytes_of_worker(self.parts, 8)
        if needed > SHARE * memory:
            raise MemoryLimitError(
                f"the largest part needs {format_bytes(needed)} with a row and a queue, but a worker of the cluster "
                f"may use {format_bytes(int(SHARE * memory))} of its {format_bytes(int(memory))}. Cut the graph into "
                "more parts, or start workers with more memory.",
                needed,
                int(SHARE * memory),
            )

    def place(self, p: int) -> PartPlace:
        """Return where a part lies."""
        assert self.parts.folder is not None and self.parts.digest is not None
        known = self.graph.fingerprint.hex(), self.parts.digest
        return PartPlace(self.parts.folder, p, *known, nbytes=self.sizes[p], keep=self.keep)


@dataclass
class Run:
    """One query: what was asked of the workers.

    Attributes
    ----------
    workers : Workers
    progress : bool or function
        Whether to show how many tasks are done.
    sent, received : int
        The bytes of arrays in arguments and answers.
    tasks, rounds : int
    held : dict
        The most bytes of arrays that each process held for a task.
    """

    workers: Workers
    progress: Any = False
    sent: int = 0
    received: int = 0
    tasks: int = 0
    rounds: int = 0
    people: int = 0
    held: dict[str, int] = field(default_factory=dict)
    name: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __post_init__(self) -> None:
        self.people = self.workers.settle_in()

    def ask(self, function: Callable[..., Any], jobs: Iterable[Job]) -> Iterator[Any]:
        """Have a function called for some parts, each with arguments of its own; yield the answers in order."""
        cluster, homes, finished = self.workers.cluster, self.workers.homes, False
        title = f"nearfar-{function.__name__.replace('_', '-')}"
        tasks = [
            Task(title, function, (self.workers.place(p), *arguments), wish=homes.get(p, "")) for p, arguments in jobs
        ]
        self.tasks += len(tasks)
        self.sent += sum(bytes_in(task.args) for task in tasks)
        done = Done()
        try:
            with watcher(self.progress, len(tasks), done) as watch:
                for found in run_tasks(cluster, tasks, patience=cluster.patience, watch=watch):
                    done.add(1)
                    self.received += bytes_in(found.value)
                    self.held[found.worker] = max(self.held.get(found.worker, 0), found.held)
                    yield found.value
            finished = True
        finally:
            if not finished:
                cluster.tell(stop_run, self.name)

    def facts(self) -> dict[str, Any]:
        """Return what is told of the run."""
        return {
            "workers": self.people,
            "tasks": self.tasks,
            "sent_bytes": self.sent,
            "received_bytes": self.received,
            "held_bytes": dict(sorted(self.held.items())),
        }


def least_memory(workers: Mapping[str, Worker]) -> float:
    """Return the memory of the worker that has least, inf if nobody says."""
    return min((worker.memory for worker in workers.values() if worker.memory), default=math.inf)


def bytes_in(thing: Any) -> int:
    """Return the bytes of all arrays in nested tuples and lists."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    return sum(map(bytes_in, thing)) if isinstance(thing, tuple | list) else 0
