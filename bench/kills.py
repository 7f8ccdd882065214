"""Kill jobs that write a store, at random moments and at chosen points, and compare what is left with a clean run.

``python bench/kills.py [--kills 200] [--seed 1]`` writes 2,048 rows of New York again and again in processes of their
own. Half of them are killed (SIGKILL) after a random time, half at a random call of open, write, fsync, rename or
unlink. After each, every block that is there must be the same, byte by byte, as that of a clean run, none that was
there may be gone, and the store must open if it was begun. A store that is finished is removed; the next kill hits a
new one.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import graphs
import nearfar
from nearfar.store.matrix.order import neighbours_first

ROWS = 2048
POINTS = ("open", "write", "fsync", "replace", "unlink")


def blocks(store: Path) -> dict[str, bytes]:
    """Return the blocks of a store."""
    return {path.name: path.read_bytes() for path in store.glob("distance/c.*")}


def deadly(real: Callable[..., Any], point: str, count: int) -> Callable[..., Any]:
    """Return a function of the operating system that ends the process at a certain call; a write is half done then."""
    calls = itertools.count(1)

    def call(*given: Any, **more: Any) -> Any:
        if next(calls) == count:
            if point == "write":
                real(given[0], bytes(given[1])[: len(given[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **more)

    return call


def run(job: Callable[[], Any], point: str, count: int, seconds: float | None) -> int:
    """Run a job in a process of its own; kill it after some seconds if it has no point to die at. Return how it ended.

    The process is a fork of this one, which has no other threads: it needs to load nothing.
    """
    pid = os.fork()
    if pid == 0:
        if point:
            setattr(os, point, deadly(getattr(os, point), point, count))
        job()
        os._exit(0)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main() -> None:
    """Kill, look, go on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    with tempfile.TemporaryDirectory(dir=os.environ.get("STORE_DIR")) as made:
        folder = Path(made)
        graph = graphs.real("USA-road-d.NY.gr.gz")()
        prepared = nearfar.prepare(graph)
        sources = neighbours_first(graph, np.arange(graph.n))[100_000 : 100_000 + ROWS]
        for _ in range(2):  # the first one loads kernels
            began = time.perf_counter()
            nearfar.mssp(prepared, sources, out=folder / "clean.zarr", existing="restart")
            whole = time.perf_counter() - began
        clean, store = blocks(folder / "clean.zarr"), folder / "d.zarr"
        kept: dict[str, bytes] = {}
        killed = finished = 0
        while killed < asked.kills:
            by_time = chance.random() < 0.5
            point = "" if by_time else chance.choice(POINTS)
            moment = chance.uniform(0, whole) if by_time else None
            code = run(lambda: nearfar.mssp(prepared, sources, out=store), point, chance.randint(1, 30), moment)
            found = blocks(store)
            assert all(found.get(name) == data for name, data in kept.items()), "a block was lost or changed"
            assert all(clean[name] == data for name, data in found.items()), "a block is not that of a clean run"
            if (store / "zarr.json").exists():
                nearfar.open_matrix(store)
            killed += code == -signal.SIGKILL
            if code and killed % 20 == 0:
                print(f"{killed} kills, {finished} stores finished", flush=True)
            kept = found
            if code == 0:
                assert found == clean
                finished += 1
                shutil.rmtree(store)
                kept = {}
        print(f"{killed} kills, {finished} stores finished; every block was that of a clean run, none was lost")


if __name__ == "__main__":
    main()
