"""Lines of a table of measurements and the bars they should reach: verified cases, races, figures."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import graphs
import nearfar
import peers
from nearfar import Graph

THREADS = 2
SCIPY_ROWS = 8  # rows that SciPy computes where we compute many
CHECKED = 64  # rows compared at a time


@dataclass
class Line:
    """A line of the table: what was measured, the figures, and the bar; without a bar it is for information."""

    what: str
    ours: str
    others: str
    measured: str
    bar: str = "–"
    reached: bool | None = None

    @property
    def cells(self) -> list[str]:
        """Return the cells of the line in the table."""
        verdict = {None: "–", True: "yes", False: "**no**"}[self.reached]
        return [self.what, self.ours, self.others, self.measured, self.bar, verdict]


def skipped(what: str, why: str) -> Line:
    """Return a line that says why nothing was measured."""
    return Line(what, "–", "–", f"skipped: {why}")


def duration(seconds: float) -> str:
    """Write a time with three digits and its unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            value = seconds / size
            return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    raise AssertionError


def race(actions: dict[str, Callable[[], object]], rounds: int = 7, budget: float = 6.0) -> dict[str, float]:
    """Let all contestants take turns; return the best time of each. After two turns, those over the budget stop."""
    best, spent = dict.fromkeys(actions, np.inf), dict.fromkeys(actions, 0.0)
    for turn in range(rounds):
        for name, action in actions.items():
            if turn < 2 or spent[name] < budget:
                start = time.perf_counter()
                action()
                took = time.perf_counter() - start
                best[name], spent[name] = min(best[name], took), spent[name] + took
    return best


def same(found: np.ndarray, truth: np.ndarray) -> bool:
    """Return whether distances agree: integers exactly, floats up to rounding."""
    if found.dtype.kind == truth.dtype.kind == "i":
        return bool(np.array_equal(found, truth))
    limits = [np.iinfo(a.dtype).max if a.dtype.kind == "i" else np.inf for a in (found, truth)]
    wide = [np.where(a == end, np.inf, a.astype(np.float64)) for a, end in zip((found, truth), limits, strict=True)]
    exact = "i" in (found.dtype.kind, truth.dtype.kind)  # SciPy's floats against our integers
    return bool(np.array_equal(*wide) if exact else np.allclose(*wide, rtol=1e-5 if found.itemsize == 4 else 1e-9))


def require(right: bool, what: str) -> None:
    """Stop everything if an answer is wrong."""
    if not right:
        raise SystemExit(f"wrong: {what}")


def over(what: str, ours: float, rows: int, other: float, bar: float, who: str = "SciPy") -> Line:
    """Return a line: how many times as fast our rows are as those of another program."""
    times = other * rows / ours
    each = duration(ours / rows)
    return Line(
        what, f"{duration(ours)}, {each} per row", f"{duration(other)} per row", f"{times:,.0f} x {who}",
        f"{bar:g}", times >= bar,
    )  # fmt: skip


def against(what: str, ours: float, other: float, of: str, unit: str, most: float | None = None) -> Line:
    """Return a line: the ratio of our time to another time."""
    times = ours / other
    line = Line(what, duration(ours), f"{duration(other)} {of}", f"{times:.1f} {unit}")
    return line if most is None else Line(*line.cells[:4], f"at most {most:g}", times <= most)


class Case:
    """A graph with what its lines share: sources, SciPy's matrix, the prepared graph, rows of distances."""

    def __init__(self, label: str, graph: Graph, sources: int) -> None:
        self.label, self.graph = label, graph
        rng = np.random.default_rng(6)
        part = graphs.largest_part(graph)
        self.sources = rng.choice(part, sources, replace=len(part) < sources)
        self.some = self.sources[:SCIPY_ROWS]
        self.peer = peers.SciPy()
        self.peer.prepare(graph)

    @cached_property
    def prepared(self) -> nearfar.Prepared:
        """The graph, prepared; the first call compiles kernels."""
        return nearfar.prepare(self.graph, threads=THREADS)

    @cached_property
    def rows(self) -> np.ndarray:
        """The rows of all sources, verified; later runs write into this array."""
        rows = self.prepared.mssp(self.sources, threads=THREADS).dist.copy()
        self.verify(rows)
        return rows

    def verify(self, rows: np.ndarray, most: int | None = None) -> None:
        """Compare rows, ``most`` of them, with those of `dijkstra`, and some of them with SciPy's."""
        for low in range(0, len(rows) if most is None else most, CHECKED):
            part = slice(low, low + CHECKED)
            truth = nearfar.mssp(self.graph, self.sources[part], method="dijkstra", dtype=rows.dtype, threads=THREADS)
            require(same(rows[part], truth.dist), f"{self.label}, rows from {low} on, against dijkstra")
        require(same(rows[:SCIPY_ROWS], self.peer.distances(self.some)), f"{self.label}, against SciPy")

    def scipy_rows(self) -> None:
        """Compute some of the rows with SciPy."""
        self.peer.distances(self.some)

    def sweep(self) -> None:
        """Compute all rows with the prepared graph."""
        self.prepared.mssp(self.sources, threads=THREADS, out=self.rows)
