"""Verify, then time, what docs/stores.md claims: ``python bench/stores.py [--write] [--whole]``.

Memory is the anonymous memory of a fresh process, above what it had when the graph was there. --whole writes all pairs
of New York, which takes minutes and 4 GB of disk, and proves 1,000 random rows. STORE_DIR names the folder to write to.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import graphs
import nearfar
import report
from lines import Line, duration
from nearfar.description import format_bytes
from nearfar.store.matrix.order import neighbours_first

PAGE = Path(__file__).parent.parent / "docs" / "stores.md"
THREADS = 2
CASES = {  # graph: file, weighted, rows
    "New York": ("USA-road-d.NY.gr.gz", True, 16_384),
    "Twitter, hops": ("snap-ego-twitter-undirected.npz", False, 16_384),
    "Sao Paulo": ("osm-saopaulo.npz", True, 2_048),
}
CHILD = """
import json, sys, threading, time
import numpy, nearfar
sys.path.insert(0, sys.argv[1])
import stores

graph, sources = stores.case(sys.argv[2])
with stores.folder() as where:
    small = nearfar.generate.road_grid(40, 40, seed=1)
    for method in ("prepared", "bfs"):
        weights = None if method == "bfs" else small.weights
        some = nearfar.Graph.from_arcs(small.tails, small.heads, weights, small.n, keep_rows=False)
        nearfar.apsp(some, method=method, out=f"{where}/{method}.zarr")
    if sys.argv[3] == "plan":
        plan = nearfar.plan(graph, sources, out=f"{where}/d.zarr")
        print(json.dumps([plan.bytes, plan.stored_bytes, plan.seconds]))
        sys.exit()
    before = peak = stores.anonymous()
    over = False

    def watch():
        global peak
        while not over:
            peak = max(peak, stores.anonymous())
            time.sleep(0.002)

    threading.Thread(target=watch, daemon=True).start()
    began = time.perf_counter()
    matrix = nearfar.mssp(graph, sources, out=f"{where}/d.zarr")
    seconds = time.perf_counter() - began
    over = True
    print(json.dumps([peak - before, matrix.status()["bytes"], seconds]))
"""


@contextmanager
def folder() -> Iterator[str]:
    """Give a folder that is removed afterwards."""
    made = tempfile.mkdtemp(dir=os.environ.get("STORE_DIR"))
    try:
        yield made
    finally:
        shutil.rmtree(made)


def anonymous() -> int:
    """Return the bytes of anonymous memory of this process."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon")) * 1024


def case(name: str) -> tuple[nearfar.Graph, np.ndarray]:
    """Return a graph, and some sources that lie near each other, in no order."""
    file, weighted, rows = CASES[name]
    graph = graphs.real(file, weighted)()
    order = neighbours_first(graph, np.arange(graph.n))
    low = (graph.n - rows) // 2
    return graph, np.random.default_rng(1).permutation(order[low : low + rows])


def child(name: str, what: str) -> list[float]:
    """Return what a fresh process measures."""
    command = [sys.executable, "-c", CHILD, str(Path(__file__).parent), name, what]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


def estimate_lines() -> Iterator[Line]:
    """Compare what a plan says with what a job takes."""
    for name, (_, _, rows) in CASES.items():
        planned, taken = child(name, "plan"), child(name, "run")
        what = f"{name}, {rows:,} rows"
        for kind, i, bar in (("memory", 0, 1.25), ("disk", 1, 2), ("time", 2, 2)):
            shown = [duration(v) if kind == "time" else format_bytes(round(v)) for v in (taken[i], planned[i])]
            off = max(taken[i] / planned[i], planned[i] / taken[i])
            yield Line(f"{what}: {kind}", shown[0], f"{shown[1]} planned", f"off by {off:.2f}", f"{bar}", off <= bar)


def new_york_lines() -> Iterator[Line]:
    """Measure neighbouring rows of New York, prepared before, into new files."""
    graph, sources = case("New York")
    prepared = nearfar.prepare(graph)
    wanted = nearfar.mssp(prepared, sources[:64]).dist
    with folder() as where:
        nearfar.mssp(prepared, sources[:256], out=f"{where}/w.zarr")
        times = []
        for i in range(3):
            began = time.perf_counter()
            matrix = nearfar.mssp(prepared, sources, out=f"{where}/{i}.zarr")
            times.append(time.perf_counter() - began)
        assert np.array_equal(matrix[:64], wanted)
        raw, stored = matrix.nbytes, matrix.status()["bytes"]
        rate = raw / min(times) / THREADS / 1e9
        what = f"New York, {len(sources):,} neighbouring rows"
        yield Line(what, format_bytes(stored), f"{format_bytes(raw)} raw", f"{raw / stored:.1f} x smaller", "20 x",
                   raw / stored >= 20)  # fmt: skip
        yield Line(
            f"{what}: speed", duration(min(times)), "–", f"{rate:.2f} GB/s raw per core", "0.6 GB/s", rate >= 0.6
        )
        yield row_line(matrix, sources)
        pairs = [once(lambda i=i: matrix[sources[i], sources[-1 - i]]) for i in range(200)]
        yield Line("one distance, page cache", duration(float(np.median(pairs))), "–", "median of 200")


def row_line(matrix: Any, sources: np.ndarray) -> Line:
    """Measure rows from the page cache."""
    rows = [once(lambda s=s: matrix[s]) for s in sources[:200]]
    middle = float(np.median(rows))
    return Line("a row of New York, page cache", duration(middle), "–", "median of 200", "20 ms", middle < 0.02)


def once(action: Any) -> float:
    """Return the seconds of one call."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def whole_lines() -> Iterator[Line]:
    """Write all pairs of New York, and prove 1,000 random rows."""
    graph = graphs.real(CASES["New York"][0])()
    with folder() as where:
        began = time.perf_counter()
        matrix = nearfar.apsp(graph, out=f"{where}/d.zarr", progress=True)
        seconds, stored = time.perf_counter() - began, matrix.status()["bytes"]
        ratio = f"{matrix.nbytes / stored:.1f} x smaller"
        yield Line("all pairs of New York", format_bytes(stored), f"{format_bytes(matrix.nbytes)} raw", ratio)
        rate = f"{matrix.nbytes / seconds / 1e9:.2f} GB/s raw"
        yield Line("all pairs of New York: time, with preparing", duration(seconds), "–", rate)
        began = time.perf_counter()
        proof = matrix.verify(graph, 1000)
        assert proof, str(proof)
        yield Line("1,000 random rows of them, proved", duration(time.perf_counter() - began), "–", "exact")


def main() -> None:
    """Measure, print, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--whole", action="store_true")
    asked = parser.parse_args()
    lines = [*new_york_lines(), *estimate_lines(), *(whole_lines() if asked.whole else ())]
    text = report.measured(report.facts("zarr", "numcodecs", "numpy", "numba"), lines)
    print(text)
    if asked.write:
        report.write_between(PAGE, "stores", text)


if __name__ == "__main__":
    main()
