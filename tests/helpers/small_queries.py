"""Small queries that launch every GPU kernel, and their right answers: for simulators and sanitizers, which are slow.

Tuned numbers are small meanwhile (shrinking.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from pytest import MonkeyPatch

import nearfar
from helpers.on_device import new_array, own_queue
from helpers.oracle import bellman_ford
from nearfar import verify
from nearfar.errors import MemoryLimitError, NegativeCycleError
from nearfar.gpu import GPU_METHODS, launch_loop, planning, reductions

BATCH = 8  # arcs
GROUP_SIZES = (4, 16)  # the second fills a stage more than once
TYPES = ("int32", "int64", "float32", "float64")
SUMMED = (("sparse", "int32"), ("sparse", "float32"), ("random", "int64"), ("star", "float64"))
STAYING = (("random", "int32"), ("random", "int64"), ("negative", "float32"), ("negative", "float64"))
SIZES = ("DEVICE_GROUP_SIZE", "HOST_GROUP_SIZE", "HOST_ROW_GROUP_SIZE")


@dataclass(frozen=True)
class Check:
    """Some queries of one method, to be run with groups of a size."""

    method: str
    graph: str
    dtype: str
    size: int
    ask: Callable[[], list[str]]

    def run(self):
        """Run the queries; return what is wrong."""
        with MonkeyPatch.context() as patch:
            for name in SIZES:
                patch.setattr(planning, name, self.size)
            return self.ask()


def checks(device):
    """Return the checks that together launch every kernel on a device: each method, all types where types matter."""
    made = []
    for size in GROUP_SIZES:
        for name, case in graphs().items():
            every = TYPES if name in ("random", "negative") else TYPES[:1]
            methods = ("edge", "frontier", "floyd", "prepared", *(() if name.startswith("negative") else ("delta",)))
            for dtype in every if size == GROUP_SIZES[0] else every[:1]:
                for method in methods:
                    ask = partial(check, name, case, dtype, method, device)
                    made.append(Check(method, name, dtype, size, ask))
    fallen = [Check(method, "fall", "int32", size, partial(fall, method, device)) for method in ("edge", "frontier")]
    sums = [Check("prepared", name, dtype, 4, partial(add_up, name, dtype, device)) for name, dtype in SUMMED]
    stays = [Check("edge", f"{name}, stays", dtype, 4, partial(stay, name, dtype, device)) for name, dtype in STAYING]
    return made + fallen + sums + stays


def graphs():
    """Return (n, tails, heads, weights) by name: together they cover all cases that the kernels distinguish."""
    rng = np.random.default_rng(5)

    def draw(n, m, least, most):
        return n, rng.integers(0, n, m), rng.integers(0, n, m), rng.integers(least, most, m, endpoint=True)

    spokes = np.arange(1, 24)
    around = (np.r_[0 * spokes, spokes], np.r_[spokes, np.roll(spokes, 1)], np.r_[20 + spokes % 3, 0 * spokes + 1])
    n, tails, heads, weights = draw(14, 50, 0, 9)
    height = rng.integers(0, 9, n)
    none = np.empty(0, int)
    turning = np.array([[0, 1, 2, 3, 4, 2], [1, 2, 3, 4, 2, 5], [1, 1, -2, 1, -1, 1]])
    return {
        "random": draw(20, 90, 1, 20),
        "sparse": draw(40, 80, 0, 50),
        "star": (24, *around),
        "chain": (40, np.arange(39), np.arange(1, 40), np.full(39, 3)),
        "negative": (n, tails, heads, weights + height[heads] - height[tails]),
        "negative cycle": (6, *turning),
        "no arcs": (3, none, none, none),
    }


def answer(case, starts):
    """Return the distances from each list of seeds by the oracle of the tests; None for a negative cycle."""
    n, *arcs = case
    arcs = [tuple(arc) for arc in np.transpose(arcs).tolist()]
    rows = [bellman_ford(n, arcs, seeds) for seeds in starts]
    return None if None in rows else rows


def least_memory(ask, **options):
    """Run a query with about the least memory that it can run with: then its arcs come in the most batches."""
    memory = 64
    while True:
        try:
            return ask(memory=memory, **options)
        except MemoryLimitError:
            memory = int(1.05 * memory) + 1


def ask_all(name, case, dtype, method, device):
    """Yield each kind of query: its name, a function that runs it, and the seeds of its rows."""
    n, tails, heads, weights = case
    graph = nearfar.Graph.from_arcs(tails, heads, weights.astype(dtype), n=n)
    options = {"method": method, "device": device}
    rows = list(range(min(n, 7)))
    queries = {
        "one": (lambda **o: nearfar.sssp(graph, 0, **o), [[0]]),
        "some": (lambda **o: nearfar.mssp(graph, rows, **o), [[s] for s in rows]),
        "nearest": (lambda **o: nearfar.nearest(graph, rows, **o).distances, [rows]),
    }
    for kind, (ask, starts) in queries.items():
        yield kind, lambda ask=ask: ask(**options), starts
        if GPU_METHODS[method].streams and len(tails) > BATCH:
            yield f"{kind}, batches", lambda ask=ask: least_memory(ask, **options), starts
    if name == "sparse" and method == "prepared":  # more rows than lanes in a block
        yield "all", lambda: nearfar.apsp(graph, **options), [[s] for s in range(n)]
    if name == "random":
        far = [n - 1]
        yield "one, targets", lambda: nearfar.sssp(graph, 0, targets=far, **options), None
        yield "some, targets", lambda: nearfar.mssp(graph, rows, targets=range(n - 8, n), **options), None
        yield "some, cutoff", lambda: nearfar.mssp(graph, rows, cutoff=12, **options), None


def check(name, case, dtype, method, device):
    """Run the queries of one method on one graph; return what is wrong."""
    wrong = []
    for kind, ask, starts in ask_all(name, case, dtype, method, device):
        label = f"{method}, {name}, {dtype}, {kind}"
        wanted = None if starts is None else answer(case, starts)
        try:
            found = ask()
        except NegativeCycleError:
            if wanted is not None:
                wrong.append(f"{label}: a negative cycle where there is none")
            continue
        plain = np.where(np.atleast_2d(found.reached), found.rows, None).tolist()
        if starts is None:
            if not verify(found.graph, found).ok:
                wrong.append(f"{label}: {verify(found.graph, found)}")
        elif plain != wanted:
            wrong.append(f"{label}: {plain} instead of {wanted}")
        elif "batches" in kind and found.stats["batches"] == 1:
            wrong.append(f"{label}: all arcs were there at once")
    return wrong


def fall(method, device):
    """Let distances fall below the floor while several groups relax; return what is wrong."""
    tails = np.repeat(np.arange(24), 4)
    heads = (5 * tails + np.tile([1, 7, 11, 13], 24)) % 24
    graph = nearfar.Graph.from_arcs(tails, heads, np.full(len(tails), -3, np.int32))
    launch_loop.FIRST_ROUNDS, before = 1000, launch_loop.FIRST_ROUNDS  # no check for cycles before that
    try:
        nearfar.sssp(graph, 0, method=method, device=device)
        return [f"{method}: no error, although all cycles are negative"]
    except NegativeCycleError:
        return []
    finally:
        launch_loop.FIRST_ROUNDS = before


def stay(name, dtype, device):
    """Leave rows on the device, integers so large that it looks for the greatest; return what is wrong."""
    n, tails, heads, weights = case = graphs()[name]
    unit = {"int32": 1 << 23, "int64": 1 << 55}.get(dtype, 1)
    graph = nearfar.Graph.from_arcs(tails, heads, weights.astype(dtype) * unit, n=n)
    found = nearfar.apsp(graph, method="edge", out=new_array(device, (n, n), dtype, own_queue))
    wanted = [[None if d is None else d * unit for d in row] for row in answer(case, [[s] for s in range(n)])]
    plain = np.where(found.reached, found.rows, None).tolist()
    return [] if plain == wanted else [f"rows that stay, {name}, {dtype}: {plain} instead of {wanted}"]


def add_up(name, dtype, device):
    """Sum rows of several parts on the device; return what is wrong."""
    n, tails, heads, weights = case = graphs()[name]
    prepared = nearfar.prepare(nearfar.Graph.from_arcs(tails, heads, weights.astype(dtype), n=n))
    wanted = [sum(filter(None, row)) for row in answer(case, [[s] for s in range(n)])]
    reductions.SUM_PART, before = 8, reductions.SUM_PART  # floats are whole numbers: the order of sums does not matter
    try:
        found = prepared.row_sums(device=device).tolist()
    finally:
        reductions.SUM_PART = before
    return [] if found == wanted else [f"sums, {name}, {dtype}: {found} instead of {wanted}"]
