"""What a card should give, by arithmetic: ``python bench/model.py [--write]``.

PoCL runs the queries with the layout of a card (UNITS compute units, MEMORY bytes), and everything that is not a time
is counted: launches, groups, stages, relaxations, bytes copied. The constants below turn the counts into times. No card
was there: nothing here is a measurement of one. ``nearfar bench --device cuda`` measures such queries on a card.
--write puts the tables into docs/gpu.md.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np

import nearfar
from nearfar import Graph, bench, generate
from nearfar.devices import opencl, text
from nearfar.gpu import run

sys.path.insert(0, str(Path(__file__).parent))
import gpu
import graphs

UNITS, MEMORY, GROUP_SIZE = 46, 8 << 30, 1024  # of the card, and the most work-items that its groups can have
BANDWIDTH = 448e9  # bytes per second of its memory
PINNED, PAGEABLE = 12e9, 6e9  # bytes per second over the bus
LAUNCH = 5e-6  # seconds per launch
STAGE = 5e-6  # seconds per stage that a group runs alone: about ten dependent accesses and barriers
LEVEL = 3e-6  # seconds per narrow level of a sweep: two barriers and a few dependent accesses
RELAXATION = 8 + 32  # bytes: an arc of int32 weight, and the sector with the distance of its head
SWEPT = 4 + 8  # bytes per prepared distance: written, then read and written again in the order of the graph
SWEEP = 4 + 8 / 32  # bytes per arc and row of a sweep: the distance of its head; 32 rows share the arc
CLIMB = 10e-6  # seconds on the host per prepared row
FEW, ROWS, PREPARED = 5, 64, 256  # sources
WIDTH = 120  # of a line of the page

Row = tuple[str, ...]


@dataclass
class Counted:
    """What was counted in a query."""

    label: str
    rows: int
    n: int
    launches: Counter[str]  # by kernel
    groups: int  # the most of a launch
    stats: dict[str, Any]
    stages: int  # in a group alone, one after the other; for sweeps, their narrow levels

    @property
    def share(self) -> float:
        """The part of the compute units that have a group."""
        return min(1.0, self.groups / UNITS)

    @property
    def down(self) -> int:
        """Bytes copied to the host."""
        return int(self.stats["downloaded"])


@contextmanager
def pretending() -> Iterator[opencl.OpenCL]:
    """Let PoCL say that it is the card."""
    given, seconds = opencl.OpenCL.facts, run.LAUNCH_SECONDS
    facts = {"gpu": True, "cores": UNITS, "memory": MEMORY, "largest": MEMORY, "group_size": GROUP_SIZE}
    opencl.OpenCL.facts = property(lambda device: replace(given.fget(device), **facts))  # type: ignore
    run.LAUNCH_SECONDS = 60.0  # blocks of rows must not depend on how fast PoCL is
    try:
        yield opencl.open_device(0)
    finally:
        opencl.OpenCL.facts, run.LAUNCH_SECONDS = given, seconds  # type: ignore


class Launches:
    """Counts the launches of a device and their groups."""

    def __init__(self, device: opencl.OpenCL) -> None:
        self.device, self.launches, self.groups, self.levels = device, Counter[str](), 0, 0

    def __enter__(self) -> Launches:
        self.device.watch = self.watch
        return self

    def __exit__(self, *error: object) -> None:
        self.device.watch = None

    def watch(self, name: str, kernel: Any) -> Any:
        """Return a kernel that is counted."""

        def counted(groups: int, size: int, *args: Any) -> None:
            self.launches[name] += 1
            self.groups = max(self.groups, groups)
            if name == "sweep_narrow":
                self.levels += int(args[-1]) - int(args[-2])
            kernel(groups, size, *args)

        counted.most = kernel.most  # type: ignore[attr-defined]
        return counted


def count(label: str, graph: Graph, rows: int, ask: Callable[[], Any], alone: int = 0) -> Counted:
    """Run a query with the layout of the card, twice, and count the second run."""
    with pretending() as device:
        ask()  # builds kernels and copies the graph
        with Launches(device) as counter:
            result = ask()
    stats = result.stats
    waves = math.ceil(rows / max(counter.groups, 1))
    stages = int(stats.get("stages", counter.levels or alone * waves))
    return Counted(label, rows, graph.n, counter.launches, counter.groups, stats, stages)


def queries(label: str, graph: Graph) -> list[Counted]:
    """Count one source, a few and many, and prepared rows of a graph."""
    source = int(np.diff(graph.offsets).argmax())
    few, many = bench.spread(graph, FEW), bench.spread(graph, ROWS)

    def asking(sources: Any) -> Callable[[], Any]:
        given: dict[str, Any] = {"method": "delta", "device": "opencl:0"}
        if np.ndim(sources) == 0:
            return lambda: nearfar.sssp(graph, sources, **given)
        return lambda: nearfar.mssp(graph, sources, **given)

    one = count(f"{label}, one source", graph, 1, asking(source))
    found = [one]
    for sources in (few, many):
        found.append(count(f"{label}, {len(sources)} sources", graph, len(sources), asking(sources), one.stages))
    return found


def prepared(label: str, graph: Graph) -> Counted:
    """Count prepared rows of a graph."""
    ready, sources = nearfar.prepare(graph), bench.spread(graph, PREPARED)
    return count(f"{label}, {len(sources)} prepared rows", graph, len(sources), lambda: ready.mssp(
        sources, device="opencl:0"
    ))  # fmt: skip


def modelled(counted: Counted) -> Row:
    """Turn the counts of a query into times."""
    relaxed, launches = counted.stats["relaxations"], sum(counted.launches.values())
    if "sweep_rows" in counted.launches:
        moved, stage = SWEPT * counted.rows * counted.n + SWEEP * relaxed, LEVEL
        host = CLIMB * counted.rows
    else:
        moved, stage, host = RELAXATION * relaxed, STAGE, 0.0
    memory = moved / (BANDWIDTH * counted.share)
    waiting = LAUNCH * launches + stage * counted.stages
    slow, fast = counted.down / PAGEABLE, counted.down / PINNED
    whole = host + waiting + memory
    per_distance = (whole + fast) * 1e9 / (counted.rows * counted.n)
    return (
        counted.label,
        f"{launches:,}",
        f"{counted.groups:,}",
        f"{counted.stages:,}",
        f"{relaxed / 1e6:,.1f}",
        f"{moved / 1e9:.2f}",
        f"{counted.down / 1e6:,.1f}",
        f"{1e3 * (waiting + host):.1f}",
        f"{1e3 * memory:.1f}",
        f"{1e3 * fast:.1f} to {1e3 * slow:.1f}",
        f"**{1e3 * (whole + fast):.1f}**",
        f"{per_distance:.2f}",
    )


HEAD = (
    "query", "launches", "groups at most", "stages alone", "million relaxations", "GB in its memory", "MB to the host",
    "ms waiting", "ms of memory", "ms of the bus", "ms in all", "ns per distance",
)  # fmt: skip

TEXT = f"""
**This is a model, not a measurement.** `python bench/model.py` runs the queries on PoCL with the layout of a card of
{UNITS} compute units and {MEMORY >> 30} GB, and counts. Constants turn the counts into times: {1e6 * LAUNCH:.0f} µs per
launch; {1e6 * STAGE:.0f} µs per stage that a group runs alone, about ten dependent accesses and barriers, and
{1e6 * LEVEL:.0f} µs per narrow level of a sweep, which is counted as such a stage; {RELAXATION}
bytes per relaxation (an arc of 8, and a sector of 32 for the distance of its head); per prepared distance {SWEPT}
bytes, and {SWEEP:g} per arc and row of a sweep; {BANDWIDTH / 1e9:.0f} GB/s of memory, times the share of the compute
units that have a group (one group is taken to keep its unit busy, which is generous);
{PINNED / 1e9:.0f} GB/s over the bus from pinned memory, {PAGEABLE / 1e9:.0f} from pageable;
{1e6 * CLIMB:.0f} µs on the host per prepared row. The sum takes pinned copies, and nothing as overlapped.
"""


def check_arguments() -> None:
    """Refuse to count if the kernel whose arguments are read takes others now."""
    if not re.search(r"sweep_narrow\([^)]*i32 first, i32 last\)", (text.FOLDER / "sweep.cl").read_text()):
        raise SystemExit("sweep_narrow ends with other arguments than first and last: mend bench/model.py")


def tables() -> str:
    """Count everything; return the section of the page."""
    check_arguments()
    york, rmat = graphs.BY_NAME["ny"], graphs.BY_NAME["rmat"]
    roads = york.build() if york.present else generate.road_grid(512, 512, seed=1)
    label = york.label if york.present else "road grid"
    rows = [*map(modelled, queries(label, roads)), modelled(prepared(label, roads))]
    rows += map(modelled, queries(rmat.label, rmat.build()))
    about = fill(" ".join(TEXT.split()), WIDTH, break_on_hyphens=False)
    return f"{about}\n\n{bench.Table('Counted on PoCL, times by the constants above', HEAD, rows)}"


def main() -> None:
    """Count, print, and write the page with --write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    section = tables()
    print(section)
    if arguments.write:
        gpu.write(section, "model")


if __name__ == "__main__":
    main()
