"""Two source trees side by side in one run: what a change has made faster or slower.

    python bench/compare.py OTHER_TREE [--turns 20] [--only ny]

``OTHER_TREE`` is a folder with another version's ``src``. Each tree gets a process of its own, and the two take turns,
so that a noisy machine treats them alike. Answers go into arrays that were touched before, and both trees must give
the same ones. Printed are the best and the median time of each, and their ratios: this tree over the other one.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parents[1]
ROWS, PREPARED_ROWS = 64, 1024
GRAPHS = ("small", "ny", "rmat", "highways")
LEAST = 0.02  # seconds that a turn takes at least: short queries are repeated


def cases_of(graph: Any, sources: np.ndarray) -> dict[str, tuple[Callable[[], Any], np.ndarray]]:
    """Return what is timed, and the array that each answer goes to."""
    import nearfar

    prepared = nearfar.prepare(graph)
    dtype = nearfar.plan(graph, 0).dtype
    one, many = np.zeros(graph.n, dtype), np.zeros((PREPARED_ROWS, graph.n), dtype)
    s, some = int(sources[0]), sources[:ROWS]
    return {
        "one source, 1 thread": (lambda: nearfar.sssp(graph, s, threads=1, out=one), one),
        "one source, 2 threads": (lambda: nearfar.sssp(graph, s, threads=2, out=one), one),
        f"{ROWS} rows": (lambda: nearfar.mssp(graph, some, out=many[:ROWS], method="dijkstra"), many[:ROWS]),
        "one prepared source": (lambda: prepared.sssp(s, out=one), one),
        f"{PREPARED_ROWS:,} prepared rows": (lambda: prepared.mssp(sources, out=many), many),
    }


def serve(name: str) -> None:
    """Be one tree: run the case that a line of standard input names, and print its seconds and a checksum."""
    import graphs

    graph = graphs.BY_NAME[name].build()
    cases = cases_of(graph, graphs.sources_of(graph, PREPARED_ROWS))
    for run, _ in cases.values():
        run()
    print(json.dumps(list(cases)), flush=True)
    for line in sys.stdin:
        run, rows = cases[line.strip()]
        began, count = time.perf_counter(), 0
        while not count or time.perf_counter() - began < LEAST:
            run()
            count += 1
        spent = (time.perf_counter() - began) / count
        print(json.dumps([spent, zlib.crc32(rows.reshape(-1).view(np.uint8))]), flush=True)


class Tree:
    """A process that runs one version."""

    def __init__(self, folder: Path, name: str, cache: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "NEARFAR_CACHE_DIR": cache}
        command = [sys.executable, str(Path(__file__).resolve()), "--serve", name]
        self.process = subprocess.Popen(
            command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.cases: list[str] = self._read()

    def _read(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def time(self, case: str) -> tuple[float, int]:
        """Run a case once; return its seconds and the checksum of the answer."""
        assert self.process.stdin is not None
        print(case, file=self.process.stdin, flush=True)
        seconds, checksum = self._read()
        return seconds, checksum

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def compare(other: Path, name: str, turns: int, cache: str) -> None:
    """Let both trees take turns on one graph, and print the ratios."""
    trees = [Tree(HERE, name, f"{cache}/this"), Tree(other, name, f"{cache}/other")]
    for case in trees[0].cases:
        spent: list[list[float]] = [[], []]
        for turn in range(turns):
            checksums = {}
            for t in (0, 1) if turn % 2 else (1, 0):
                seconds, checksums[t] = trees[t].time(case)
                spent[t].append(seconds)
            assert checksums[0] == checksums[1], f"{case} on {name}: the trees give different answers"
        best, middle = [min(times) for times in spent], [statistics.median(times) for times in spent]
        print(
            f"{name:8} {case:22} best {best[0] * 1e3:8.3f} and {best[1] * 1e3:8.3f} ms, ratio {best[0] / best[1]:.3f}; "
            f"median {middle[0] * 1e3:8.3f} and {middle[1] * 1e3:8.3f} ms, ratio {middle[0] / middle[1]:.3f}",
            flush=True,
        )
    for tree in trees:
        tree.close()


def main() -> None:
    """Compare this tree with another one, or be one of the two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", nargs="?", type=Path, help="folder with another version's src")
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--only", choices=GRAPHS, action="append")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
        return
    if given.other is None or not (given.other / "src" / "nearfar").is_dir():
        parser.error("name a folder that holds src/nearfar of another version")
    with tempfile.TemporaryDirectory(prefix="compare-") as cache:
        for name in given.only or GRAPHS:
            compare(given.other.resolve(), name, given.turns, cache)


if __name__ == "__main__":
    main()
