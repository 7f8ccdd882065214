"""Verify, then time, what a cluster costs: ``python bench/cluster.py [--write] [--quick] [--kills 100] [--seed 3]``.

Three lines. Closeness of all vertices of New York by two processes of one thread each, against two threads of one
process, in turns. What tasks cost beside their work: the CPU time of everything that takes part (workers, scheduler,
caller), against that of the same tasks done by two threads here. And workers that are killed (SIGKILL) at random
moments while they work: every answer must be right, and nothing may hang. --write puts the table into docs/cluster.md;
--quick takes 8,000 sources instead of all; --only names lines: closeness, overhead, kills.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

import graphs
import nearfar
import report
from lines import Line, duration, race, require
from nearfar import generate, metrics
from nearfar.scale.cluster import Cluster
from nearfar.scale.driver import Task

PAGE = Path(__file__).parent.parent / "docs" / "cluster.md"
WORKERS = 2
QUICK = 8_000  # sources
GRID = 120  # crossings a side of the graph whose workers are killed: a call takes two or three seconds
HANG = 300.0  # seconds without an answer after which a run counts as one that hangs


@contextmanager
def recorded(cluster: Cluster) -> Iterator[list[Task]]:
    """Give the tasks that are submitted meanwhile."""
    tasks, submit = list[Task](), cluster.submit

    def noted(task: Task, *more: Any) -> Any:
        tasks.append(task)
        return submit(task, *more)

    cluster.submit = noted  # type: ignore[method-assign]
    try:
        yield tasks
    finally:
        cluster.submit = submit  # type: ignore[method-assign]


def cpu_seconds(cluster: Cluster) -> float:
    """Return the CPU time of all processes so far; the scheduler of a local cluster is in this one."""
    return time.process_time() + sum(cluster.client.run(time.process_time).values())


def spent(action: Callable[[], Any], clock: Callable[[], float]) -> tuple[float, Any]:
    """Return what an action takes by some clock, and what it returned."""
    began = clock()
    found = action()
    return clock() - began, found


class NewYork:
    """New York, prepared, and the closeness of its vertices."""

    def __init__(self, quick: bool) -> None:
        graph = graphs.real("USA-road-d.NY.gr.gz")()
        self.prepared = nearfar.prepare(graph)
        self.sources = np.linspace(0, graph.n - 1, QUICK if quick else graph.n).astype(int)
        self.what = f"closeness of New York, {len(self.sources):,} sources"

    def here(self) -> Any:
        """Find it on two threads of this process."""
        return metrics.closeness(self.prepared, self.sources, threads=WORKERS)

    def there(self, cluster: Cluster) -> Any:
        """Find it on a cluster."""
        return metrics.closeness(self.prepared, self.sources, client=cluster)

    def closeness(self, cluster: Cluster) -> Line:
        """Compare two processes with two threads; graphs are loaded and kernels compiled before."""
        require(np.array_equal(self.there(cluster).values, self.here().values), "closeness on a cluster")
        times = race({"here": self.here, "there": lambda: self.there(cluster)}, rounds=5, budget=600)
        ratio = times["here"] / times["there"]
        return Line(
            self.what, duration(times["there"]), f"{duration(times['here'])} on 2 threads of one process",
            f"{ratio:.2f} x its speed", "0.9 x", ratio >= 0.9,
        )  # fmt: skip

    def overhead(self, cluster: Cluster, rounds: int = 3) -> Line:
        """Compare the CPU time of a call with that of its tasks, done by threads of this process."""
        with recorded(cluster) as tasks:
            self.there(cluster)

        def work() -> None:
            with ThreadPoolExecutor(WORKERS) as pool:
                list(pool.map(lambda task: task.function(*task.args), tasks))

        work()  # which loads what the tasks name
        ratios, least = list[float](), np.inf
        for _ in range(rounds):
            whole, _ = spent(lambda: self.there(cluster), lambda: cpu_seconds(cluster))
            bare, _ = spent(work, time.process_time)
            ratios.append(whole / bare - 1)
            least = min(least, bare)
        share = float(np.median(ratios))
        each = share * least / len(tasks)
        return Line(
            f"what {len(tasks)} tasks of it cost beside their work, CPU time", f"{duration(max(0.0, each))} per task",
            f"{duration(least / len(tasks))} per task is work", f"{share:.1%}", "under 5 %", share < 0.05,
        )  # fmt: skip


def kills(count: int, seed: int) -> Line:
    """Kill workers while closeness, rows and streams are found again and again.

    A moment after a call began, and after it got on: if workers died sooner than they start, no call would ever end.
    """
    chance, graph = random.Random(seed), generate.road_grid(GRID, GRID, seed=1)
    some = range(0, graph.n, 8)
    rows, sums = nearfar.mssp(graph, some[:1000]).dist, metrics.closeness(graph, some).values
    killed = calls = 0
    longest = 0.0
    with nearfar.connect(f"local:{WORKERS}") as cluster:
        asked: dict[str, Any] = {"method": "dijkstra", "client": cluster}
        jobs: tuple[Callable[[Any], bool], ...] = (
            lambda on: np.array_equal(metrics.closeness(graph, some, progress=on, **asked).values, sums),
            lambda on: np.array_equal(nearfar.mssp(graph, some[:1000], progress=on, **asked).dist, rows),
            lambda on: np.array_equal(np.concatenate(list(streamed(graph, some[:1000], on, asked))), rows),
        )
        require(all(job(False) for job in jobs), "an answer without kills")
        while killed < count:
            call = Call(chance.choice(jobs))
            while not call.ended.wait(chance.uniform(0, 0.5)):
                killed += killed < count and kill_one(cluster, chance)
                require(call.gets_on(), f"a call hangs after {killed} kills")
            require(call.right, f"an answer after {killed} kills")
            longest, calls = max(longest, time.perf_counter() - call.began), calls + 1
            print(f"{killed} kills, {calls} calls, the longest took {longest:.1f} s", flush=True)
    return Line(
        f"{killed} workers killed at random in {calls} calls", f"the longest call took {duration(longest)}", "–",
        "0 wrong answers, 0 calls that hang", "none", True,
    )  # fmt: skip


class Call:
    """A call that runs on a thread of its own, and what is known of it."""

    def __init__(self, job: Callable[[Any], bool]) -> None:
        self.began, self.right = time.perf_counter(), False
        self.ended, self._got_on, self._rows = threading.Event(), threading.Event(), 0
        threading.Thread(target=self._run, args=(job,), daemon=True).start()

    def _run(self, job: Callable[[Any], bool]) -> None:
        try:
            self.right = job(self._count)
        finally:
            self.ended.set()
            self._got_on.set()

    def _count(self, done: int, total: int) -> None:
        """Notice that rows were found."""
        if done > self._rows:
            self._rows = done
            self._got_on.set()

    def gets_on(self) -> bool:
        """Wait until more rows were found, or all; return whether that happened."""
        self._got_on.clear()
        return self.ended.is_set() or self._got_on.wait(HANG)


def streamed(graph: nearfar.Graph, sources: range, progress: Any, asked: dict[str, Any]) -> Iterator[np.ndarray]:
    """Yield blocks of rows."""
    for block in nearfar.stream(graph, sources, block=25, progress=progress, **asked):
        yield block.dist


def kill_one(cluster: Cluster, chance: random.Random) -> bool:
    """Kill one of the workers, if one is there."""
    alive = [nanny.pid for nanny in cluster.client.cluster.workers.values() if nanny.pid]
    with suppress(ProcessLookupError):
        if alive:
            os.kill(chance.choice(alive), signal.SIGKILL)
            return True
    return False


def main() -> None:
    """Measure, print, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", default=["closeness", "overhead", "kills"])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=3)
    asked = parser.parse_args()
    facts, lines = report.facts("numpy", "numba", "dask", "distributed"), list[Line]()
    if {"closeness", "overhead"} & set(asked.only):
        city = NewYork(asked.quick)
        with nearfar.connect(f"local:{WORKERS}") as cluster:
            lines += [getattr(city, name)(cluster) for name in ("closeness", "overhead") if name in asked.only]
    if "kills" in asked.only:
        lines.append(kills(asked.kills, asked.seed))
    text = report.measured(facts, lines)
    print(text)
    if asked.write and not asked.quick and len(asked.only) == 3:
        report.write_between(PAGE, "cluster", text)


if __name__ == "__main__":
    main()
