"""Count and time the kernels of GPUs: ``python bench/gpu.py [--device opencl:0] [--write]``.

For each method on New York's roads and on R-MAT 18, from one source: relaxations per arc, rounds, launches, bytes moved
and time, with all arcs on the device and in four batches; and all pairs of Rome. All methods take turns, and the CPU
with them; the best time counts, arrays are filled once before, and every answer is compared with the CPU's to the bit.
On PoCL the kernels run on the same cores as the CPU's figures. --write puts the tables into docs/gpu.md.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import nearfar
from nearfar import Graph

sys.path.insert(0, str(Path(__file__).parent))
import graphs
import report

PAGE = Path(__file__).parent.parent / "docs" / "gpu.md"
METHODS = ("delta", "frontier", "edge")
STREAMING = ("frontier", "edge")
BATCHES = 4
ROUNDS, BUDGET = 12, 8.0  # turns per method, and seconds after which a method takes no more turns


@dataclass
class Run:
    """One method for a query, and its best time."""

    name: str
    ask: Callable[[], Any]
    best: float = np.inf
    spent: float = 0.0
    turns: int = 0
    stats: dict[str, Any] = field(default_factory=dict)

    def turn(self, truth: np.ndarray, out: np.ndarray) -> None:
        """Run once, check, and keep the time."""
        out.fill(-1)
        start = time.perf_counter()
        result = self.ask()
        took = time.perf_counter() - start
        if out.tobytes() != truth.tobytes():
            raise SystemExit(f"{self.name}: not the CPU's answer")
        self.best, self.spent, self.turns = min(self.best, took), self.spent + took, self.turns + 1
        self.stats = result.stats


def take_turns(runs: list[Run], truth: np.ndarray, out: np.ndarray) -> None:
    """Take turns; the first turn of each run, which builds kernels and copies the graph, does not count."""
    for run in runs:
        run.turn(truth, out)
        run.best, run.spent, run.turns = np.inf, 0.0, 0
    for _ in range(ROUNDS):
        for run in runs:
            if run.turns < 2 or run.spent < BUDGET:
                run.turn(truth, out)


def memory_for(graph: Graph, source: int, method: str, device: str) -> int:
    """Return the memory with which a plan takes its arcs in BATCHES batches."""
    low, high = 1, 2 * graph.nbytes + 200 * graph.n
    while low < high:
        middle = (low + high) // 2
        plan = nearfar.plan(graph, source, method=method, device=device, memory=middle)
        if plan.bytes > plan.available or plan.arc_batches > BATCHES:
            low = middle + 1
        else:
            high = middle
    return low


def one_source(entry: graphs.Entry, device: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return the rows of both tables for one graph: every method resident, and the streaming ones in batches."""
    graph, other = entry.build(), entry.build()  # a graph keeps its arrays on the device: one resident, one in batches
    source = int(np.diff(graph.offsets).argmax())
    truth = nearfar.sssp(graph, source, device="cpu").dist
    out = np.zeros_like(truth)
    cpu = Run("cpu", lambda: nearfar.sssp(graph, source, method="delta", device="cpu", out=out))
    runs = [cpu]
    for method in METHODS:
        runs.append(Run(method, lambda m=method: nearfar.sssp(graph, source, method=m, device=device, out=out)))
    for method in STREAMING:
        memory = memory_for(other, source, method, device)
        runs.append(
            Run(
                f"{method}, batches",
                lambda m=method, b=memory: nearfar.sssp(other, source, method=m, device=device, memory=b, out=out),
            )
        )
    take_turns(runs, truth, out)
    by_name = {run.name: run for run in runs}
    resident = [resident_row(entry.label, graph, by_name[name], cpu) for name in METHODS]
    batched = [batched_row(entry.label, graph, by_name[f"{name}, batches"], by_name[name]) for name in STREAMING]
    return resident, batched


def resident_row(label: str, graph: Graph, run: Run, cpu: Run) -> list[str]:
    """Return a row of the first table."""
    stats = run.stats
    return [
        label,
        f"`{run.name}`",
        f"{stats['relaxations'] / graph.m:.2f}",
        f"{stats['rounds']:,}",
        f"{stats['launches']:,}",
        f"{stats['looks']:,}",
        f"{(stats['uploaded'] + stats['downloaded']) / 1e6:.2f}",
        f"{run.best * 1e3:.1f}",
        f"{cpu.best * 1e3:.1f}",
        f"{run.best / cpu.best:.1f}",
    ]


def batched_row(label: str, graph: Graph, run: Run, resident: Run) -> list[str]:
    """Return a row of the second table."""
    stats = run.stats
    return [
        label,
        f"`{resident.name}`",
        f"{stats['relaxations'] / graph.m:.2f}",
        f"{stats['batch_runs']:,}",
        f"{stats['batches_skipped']:,}",
        f"{stats['batches_copied']:,}",
        f"{stats['sparse_steps']:,}",
        f"{(stats['uploaded'] + stats['downloaded']) / 1e6:.1f}",
        f"{run.best * 1e3:.1f}",
        f"{resident.best * 1e3:.1f}",
        f"{run.best / resident.best:.2f}",
    ]


def all_pairs(device: str) -> list[list[str]]:
    """Return the rows for all pairs of Rome."""
    if not (graphs.DATA / "rome99.gr").exists():
        return []
    graph = nearfar.read(graphs.DATA / "rome99.gr")
    truth = nearfar.apsp(graph, device="cpu").rows.copy()
    out = np.zeros_like(truth)
    cpu = Run("cpu", lambda: nearfar.apsp(graph, device="cpu", out=out))
    runs = [Run(m, lambda m=m: nearfar.apsp(graph, method=m, device=device, out=out)) for m in METHODS]
    take_turns([cpu, *runs], truth, out)
    return [
        [
            f"`{run.name}`",
            f"{run.stats['relaxations'] / graph.m / graph.n:.2f}",
            f"{run.stats['launches']:,}",
            f"{run.best:.2f}",
            f"{cpu.best:.2f}",
            f"{run.best / cpu.best:.1f}",
        ]
        for run in runs
    ]


def tables(device: str) -> str:
    """Measure everything; return the section of the page."""
    about = report.facts("numpy", "pyopencl")
    entries = [entry for entry in graphs.TABLE if entry.headline and entry.present]
    resident, batched = [], []
    for entry in entries:
        first, second = one_source(entry, device)
        resident += first
        batched += second
    pairs = all_pairs(device)
    count = ["graph", "method", "relaxations per arc"]
    one = report.table(
        [*count, "rounds", "launches", "looks", "MB moved", "ms", "CPU `delta`, ms", "times as long"], resident
    )
    many = report.table(["method", "relaxations per arc", "launches", "s", "CPU rows, s", "times as long"], pairs)
    four = report.table(
        [*count, "runs of a batch", "skipped", "copied", "sparse steps", "MB moved", "ms", "resident, ms", "times"],
        batched,
    )
    facts = next(facts for facts in nearfar.devices.DEVICES[device.partition(":")[0]].found() if facts.name == device)
    return (
        f"On {facts.title}; {about['Machine']}; {about['System']}; {about['Versions']}; {about['Date']}; load "
        f"{about['Load average at the start']}.\n\n"
        f"One source, all arcs on the device:\n\n{one}\n\n"
        f"One source, arcs in {BATCHES} batches:\n\n{four}\n\n"
        f"All pairs of Rome (3,353 vertices, 8,870 arcs):\n\n{many}"
    )


def main() -> None:
    """Measure, print, and write the page with --write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="opencl:0")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.2f}", file=sys.stderr)
    text = tables(arguments.device)
    print(text)
    if arguments.write:
        page = PAGE.read_text(encoding="utf8")
        PAGE.write_text(
            re.sub(r"(?s)(<!-- gpu:begin -->\n).*(<!-- gpu:end -->)", lambda m: f"{m[1]}{text}\n{m[2]}", page),
            encoding="utf8",
        )


if __name__ == "__main__":
    main()
