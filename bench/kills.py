"""Kill jobs that write a store, at random moments and at chosen points, and compare what is left with a clean run.

``python bench/kills.py [--kills 200] [--seed 1]`` writes 2,048 rows of New York again and again in child processes.
Half of them are killed (SIGKILL) after a random time, half at a random call of open, write, fsync, rename or unlink.
After each, every block that is there must be the same, byte by byte, as that of a clean run, none that was there may be
gone, and the store must open if it was begun. A store that is finished is removed, and the next kill hits a new one.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import graphs
import nearfar
from nearfar.store.matrix.order import neighbours_first

ROWS = 2048
POINTS = ("open", "write", "fsync", "replace", "unlink")
CHILD = """
import os, signal, sys, numpy, nearfar
folder, point, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
graph = nearfar.read(folder + "/graph.npz")
prepared = nearfar.load_prepared(folder + "/prepared.npz", graph)
sources = numpy.load(folder + "/sources.npy")
seen = 0

def deadly(real):
    def call(*given, **more):
        global seen
        seen += 1
        if seen == count:
            if point == "write":
                real(given[0], bytes(given[1])[: len(given[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **more)
    return call

if point:
    setattr(os, point, deadly(getattr(os, point)))
print("begins", flush=True)
nearfar.mssp(prepared, graph.names.take(sources) if graph.names else sources, out=folder + "/" + sys.argv[4])
"""


def blocks(store: Path) -> dict[str, bytes]:
    """Return the blocks of a store."""
    return {path.name: path.read_bytes() for path in store.glob("distance/c.*")}


def run(folder: Path, name: str, point: str, count: int, seconds: float | None) -> int:
    """Run a job in a child process; kill it after some seconds if it has no point to die at. Return its exit code."""
    command = [sys.executable, "-c", CHILD, str(folder), point, str(count), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        if seconds is not None:
            time.sleep(seconds)
            os.kill(child.pid, signal.SIGKILL)
        return child.wait()


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
        nearfar.write(graph, folder / "graph.npz")
        nearfar.prepare(graph).save(folder / "prepared.npz")
        np.save(folder / "sources.npy", neighbours_first(graph, np.arange(graph.n))[100_000 : 100_000 + ROWS])
        began = time.perf_counter()
        assert run(folder, "clean.zarr", "", 0, None) == 0
        whole = time.perf_counter() - began
        clean, store = blocks(folder / "clean.zarr"), folder / "d.zarr"
        kept: dict[str, bytes] = {}
        killed = finished = 0
        while killed < asked.kills:
            by_time = chance.random() < 0.5
            point = "" if by_time else chance.choice(POINTS)
            code = run(folder, "d.zarr", point, chance.randint(1, 30), chance.uniform(0, whole) if by_time else None)
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
