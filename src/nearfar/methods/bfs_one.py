"""Equal weights, single rows: breadth-first search with all threads on one row, or with one row per thread.

The kernels (kernels/cpu/bfs_one.py) share a level as chunks, which threads take as they come. A thread without work
returns here and sleeps, so that it does not occupy a core that is needed elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ..devices import cpu
from ..devices.cpu import SMALL_WORK
from ..kernels.cpu.arguments import Arcs, Team
from ..kernels.cpu.constants import LINE
from .problem import Controls, Problem
from .tuning import NAP

# Vertices and arcs of a level from which threads share it: some 50 us of work. On two threads of a machine with much
# else to do, with 1,000, 4,000, 8,000 and 20,000: R-MAT 18 3.5 2.8 2.8 2.7 ms, Florida's roads 41 31 22 21 (no level of
# them has 20,000), Twitter 1.26 1.20 1.22 1.20.
SHARED_STEPS = 20_000
# Arcs that can be pulled in the time of one that is pushed. Twitter: 1 to 3 1.0 ms, 4 and 8 2.3 (a level is pulled that
# finds little); R-MAT 18: 1 and 2 5.0 ms, 4 and 8 5.7.
PULLED_FOR_PUSHED = 2

# The same numbers as in kernels/cpu/bfs_one.py, which loads Numba.
FILL_CHUNK, BUFFER, WORD = 1 << 15, 512, 64
OPEN, TAIL, MARKED, EXAMINED, LEVELS = LINE, 3 * LINE, 5 * LINE + 3, 5 * LINE + 7, 5 * LINE + 8
SETTINGS, CONTROL_SIZE = 5 * LINE + 10, 5 * LINE + 12
AHEAD = 32  # entries of the queue that may be read or written behind its end


class Search:
    """What the threads of one row share, and how they search it.

    One thread may settle row after row. Several settle only one: a thread that starts late still looks at it when the
    others are done.
    """

    def __init__(self, problem: Problem, controls: Controls, threads: int) -> None:
        graph = problem.graph
        self.problem, self.controls, self.threads = problem, controls, threads
        self.graph = Arcs(graph.offsets, graph.arcs)
        self.back = _reversed_arcs(problem)
        self.targets = np.array(problem.targets, np.int32)
        self.step = problem.starts.dtype.type(graph.min_weight)
        self.ceiling = problem.dtype.type(problem.ceiling)
        self.team = Team(
            control=np.empty(CONTROL_SIZE, np.int64),
            queue=np.zeros(graph.n + AHEAD, np.int32),
            seen=np.empty(2 * -(-graph.n // WORD), np.uint64),
            buffers=np.empty(threads * BUFFER, np.int32),
            value=np.empty(1, problem.starts.dtype),
        )

    def settle(self, seeds: np.ndarray, row: np.ndarray) -> int:
        """Settle one row from its seeds; return the arcs examined."""
        team = self.team
        team.control[:] = 0
        team.control[OPEN] = -(-len(row) // FILL_CHUNK)
        team.control[TAIL], team.control[MARKED] = len(seeds), -1
        team.control[SETTINGS], team.control[SETTINGS + 1] = SHARED_STEPS, PULLED_FOR_PUSHED
        team.queue[: len(seeds)] = seeds
        team.value[0] = 0
        if self.threads == 1:
            self._work(0, row)
        else:
            cpu.run(lambda t: self._work(t, row), self.threads, self.controls.stop)
        with self.controls.lock:
            notes = self.controls.notes
            notes["levels"] = max(notes.get("levels", 0), int(team.control[LEVELS]))
        return int(team.control[EXAMINED])

    def _work(self, t: int, row: np.ndarray) -> bool:
        """Work as thread ``t``, and sleep while there is no work; return that the row is finished."""
        from ..kernels.cpu.bfs_one import HUNGER, work

        arguments = (self.graph, self.back, self.targets, self.step, self.ceiling, self.team, row, self.controls.stop)
        while work(t, self.threads, *arguments) == HUNGER:
            time.sleep(NAP)
        return True


def _reversed_arcs(problem: Problem) -> Arcs:
    """Return the arcs of the reversed graph if it is there: to make it takes longer than a search. Else none."""
    graph = problem.graph
    back = graph.reversed if graph.undirected or "_reversed" in graph.__dict__ else None
    return Arcs(graph.offsets, graph.arcs[:0]) if back is None else Arcs(back.offsets, back.arcs)


def together(problem: Problem, row: np.ndarray, controls: Controls) -> int:
    """Settle the only row with all threads; return the arcs examined."""
    return Search(problem, controls, controls.threads).settle(problem.seeds_of(0), row)


def one_by_one(problem: Problem, rows: np.ndarray, controls: Controls) -> int:
    """Settle all rows, one per thread; return the arcs examined."""
    examined: list[int] = []

    def new_worker() -> Callable[[int], None]:
        search = Search(problem, controls, threads=1)

        def do(r: int) -> None:
            examined.append(search.settle(problem.seeds_of(r), rows[r]))
            if not controls.stop[0]:
                controls.finish(r)

        return do

    small = len(rows) * (problem.graph.m + problem.graph.n) < SMALL_WORK
    cpu.share_out(new_worker, len(rows), 0 if small else controls.threads, controls.stop, controls.watch)
    return sum(examined)


def search_bytes(n: int, threads: int) -> int:
    """Return the bytes of what the threads of one row share."""
    return 4 * (n + AHEAD) + 16 * -(-n // WORD) + 4 * BUFFER * threads + 8 * (CONTROL_SIZE + 1)
