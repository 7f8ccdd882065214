"""Small queries that launch every GPU kernel, under Oclgrind (run.py): prints what was launched, and what was wrong.

A simulator takes a millisecond for what a GPU does in a microsecond, so groups, lists and batches are made small here
(helpers/shrinking.py).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from pytest import MonkeyPatch

from nearfar.gpu import GPU_METHODS

BATCH = 8  # arcs
GROUP_SIZES = (4, 16)  # the second fills a stage more than once
DEVICE = "opencl"

# Each has one mistake of a kind that Oclgrind detects. What it does not find here, it would not find elsewhere.
CANARIES = """
KERNEL void canary_race(GLOBAL i32 *a)
{
    if (LOCAL_ID == 0) a[1] = a[0];
    else ATOMIC_ADD(a, 1);
}

KERNEL void canary_bounds(GLOBAL i32 *a) { a[1000 + LOCAL_ID] = 1; }

KERNEL void canary_uninitialized(GLOBAL i32 *a)
{
    LOCAL_ARRAY i32 some[4];
    if (LOCAL_ID == 0) some[a[0]] = 1;
    BARRIER();
    if (some[LOCAL_ID] > 0) a[LOCAL_ID] = 1;
}

KERNEL void canary_divergence(GLOBAL i32 *a)
{
    if (LOCAL_ID == 0) BARRIER();
    a[LOCAL_ID] = 1;
}
"""


def take_groups_of(size) -> None:
    """Let the next plans have groups of ``size`` work-items."""
    from nearfar.gpu import planning

    for name in ("DEVICE_GROUP_SIZE", "HOST_GROUP_SIZE", "HOST_ROW_GROUP_SIZE"):
        assert hasattr(planning, name)
        setattr(planning, name, size)


def suit_oclgrind() -> None:
    """Work around the limits of Oclgrind 21.10 when it looks for uninitialised values; kernels see no difference.

    It crashes outside the main thread, does not see that a fill initialises, forgets the contents of a buffer when a
    part of it is written, and takes a new buffer for the freed one whose entry in its table it has.
    """
    from nearfar.devices import cpu
    from nearfar.devices.opencl import OpenCL

    write, kept = OpenCL.write, []

    def write_all(device, buffer, array):
        whole, part = device.get(buffer), np.ravel(array)
        whole[: part.size] = part
        write(device, buffer, whole)

    cpu.run = lambda work, threads, stop, watch=None, join=False: work(0)

    def fill(device, buffer, value, count=None):
        write(device, buffer, np.full(buffer.count, value, buffer.dtype))

    OpenCL.fill = fill
    OpenCL.write = OpenCL.send = write_all
    OpenCL.arrived = lambda device, buffer: None
    OpenCL.release = lambda device, buffer: kept.append(buffer.handle)


def record_launches():
    """Return the set of kernels launched from now on, each with the variant of its program."""
    from nearfar.devices.opencl import OpenCL

    launched, kernel = set(), OpenCL.kernel

    def find(device, stem, name, defines):
        found = kernel(device, stem, name, defines)
        variant = "batches" if defines.get("WINDOWED") else "resident"

        def launch(*args):
            launched.add((name, variant))
            found(*args)

        return launch

    OpenCL.kernel = find
    return launched


def run_canaries() -> None:
    """Launch the kernels that are wrong on purpose."""
    from nearfar.devices import opencl, text

    device = opencl.open_device(0)
    assert "oclgrind" in device._device.platform.name.lower(), f"not Oclgrind, but {device.facts.title}"
    types = text.source("opencl", "fill", {"DIST": 1, "WEIGHT": 1, "OFFSET": 1})
    program = device.build("canaries", types + CANARIES)
    for line in CANARIES.splitlines():
        if line.startswith("KERNEL"):
            name = line.removeprefix("KERNEL void ").partition("(")[0]
            device.find_kernel(program, name)(1, 4, device.upload(np.zeros(64, np.int32)))
            device.finish()


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
    from helpers.oracle import bellman_ford

    n, *arcs = case
    arcs = [tuple(arc) for arc in np.transpose(arcs).tolist()]
    rows = [bellman_ford(n, arcs, seeds) for seeds in starts]
    return None if None in rows else rows


def least_memory(ask, **options):
    """Run a query with about the least memory that it can run with: then its arcs come in the most batches."""
    from nearfar.errors import MemoryLimitError

    memory = 64
    while True:
        try:
            return ask(memory=memory, **options)
        except MemoryLimitError:
            memory = int(1.05 * memory) + 1


def ask_all(name, case, dtype, method):
    """Yield each kind of query: its name, a function that runs it, and the seeds of its rows."""
    import nearfar

    n, tails, heads, weights = case
    graph = nearfar.Graph.from_arcs(tails, heads, weights.astype(dtype), n=n)
    options = {"method": method, "device": DEVICE}
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


def check(name, case, dtype, method):
    """Run the queries of one method on one graph; return what is wrong."""
    from nearfar import verify
    from nearfar.errors import NegativeCycleError

    wrong = []
    for kind, ask, starts in ask_all(name, case, dtype, method):
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


def add_up(size) -> list[str]:
    """Sum rows of several parts on the device; return what is wrong."""
    import nearfar
    from nearfar.gpu import reductions

    reductions.SUM_PART = 8  # only here: floats are whole numbers, so the order of sums makes no difference
    wrong = []
    for name, dtype in (("sparse", "int32"), ("sparse", "float32"), ("random", "int64"), ("star", "float64")):
        n, tails, heads, weights = case = graphs()[name]
        prepared = nearfar.prepare(nearfar.Graph.from_arcs(tails, heads, weights.astype(dtype), n=n))
        wanted = [sum(filter(None, row)) for row in answer(case, [[s] for s in range(n)])]
        found = prepared.row_sums(device=DEVICE).tolist()
        wrong += [] if found == wanted else [f"sums, {name}, {dtype}, {size}: {found} instead of {wanted}"]
    return wrong


def fall() -> list[str]:
    """Let distances fall below the floor while several groups relax; return what is wrong."""
    import nearfar
    from nearfar.gpu import launch_loop

    tails = np.repeat(np.arange(24), 4)
    heads = (5 * tails + np.tile([1, 7, 11, 13], 24)) % 24
    graph = nearfar.Graph.from_arcs(tails, heads, np.full(len(tails), -3, np.int32))
    launch_loop.FIRST_ROUNDS, before = 1000, launch_loop.FIRST_ROUNDS  # no check for cycles before that
    wrong = []
    for method in ("edge", "frontier"):
        try:
            nearfar.sssp(graph, 0, method=method, device="opencl")
            wrong.append(f"{method}: no error, although all cycles are negative")
        except nearfar.errors.NegativeCycleError:
            continue
    launch_loop.FIRST_ROUNDS = before
    return wrong


def main() -> None:
    """Run all queries and print a JSON document: kernels launched, wrong answers."""
    sys.path[:0] = [str(Path(__file__).parent.parent)]
    from helpers.shrinking import shrink

    shrink(MonkeyPatch(), MIN_BATCH=BATCH)
    suit_oclgrind()
    launched = record_launches()
    run_canaries()
    wrong = []
    for size in GROUP_SIZES:
        take_groups_of(size)
        for name, case in graphs().items():
            every = ("int32", "int64", "float32", "float64") if name in ("random", "negative") else ("int32",)
            methods = ("edge", "frontier", "floyd", "prepared", *(() if name.startswith("negative") else ("delta",)))
            for dtype in every if size == GROUP_SIZES[0] else every[:1]:
                for method in methods:
                    wrong += check(name, case, dtype, method)
        wrong += add_up(size)
    wrong += fall()
    print(json.dumps({"launched": sorted(launched), "wrong": wrong}))


if __name__ == "__main__":
    main()
