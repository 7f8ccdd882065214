"""The findings of a self-test, as text and as JSON, ready to be attached to an issue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..description import format_bytes, format_count, format_seconds
from .cases import LAYOUTS, QUERIES
from .launches import Launch

PASSED, SKIPPED = "passed", "skipped"
WRONG, ERROR, HUNG, CRASHED = FAILURES = ("wrong", "error", "hung", "crashed")
SHOWN = 5  # failures that are shown in full
FLAGS = {"quick": " --quick", "usual": "", "full": " --full"}


@dataclass(frozen=True)
class Outcome:
    """One query on one graph, and its result."""

    method: str
    dtype: str
    query: str
    layout: str
    graph: str
    status: str
    message: str = ""  # what is wrong, or why it was skipped
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether there was an answer other than the right one, or none."""
        return self.status in FAILURES

    @property
    def query_name(self) -> str:
        """Which query it was, as ``--only`` takes it."""
        return f"{self.method}, {self.dtype}, {self.query}, {self.layout}, {self.graph}"


@dataclass(frozen=True)
class Figures:
    """The measurements of a method on a large graph."""

    method: str
    dtype: str
    query: str
    layout: str
    graph: str
    seconds: float
    relaxations: float  # per arc and row
    launches: int
    moved: int  # bytes to and from the device


@dataclass
class Findings:
    """The findings for one device, or for several that shared the rows."""

    name: str
    level: str
    facts: dict[str, str] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)
    figures: list[Figures] = field(default_factory=list)
    launches: Counter[str] = field(default_factory=Counter)  # by kernel; empty if nothing counted them
    unlaunched: list[str] = field(default_factory=list)  # kernels that no query launched
    slowest: list[tuple[str, Launch]] = field(default_factory=list)  # with the query
    error: str = ""  # why the test could not be completed
    missing: str = ""  # if that is because there is no such device: what there is instead

    def count(self, *statuses: str) -> int:
        """Return how many queries ended with one of these statuses."""
        return sum(outcome.status in statuses for outcome in self.outcomes)

    @property
    def failures(self) -> list[Outcome]:
        """The queries without a right answer."""
        return [outcome for outcome in self.outcomes if outcome.failed]

    @property
    def ok(self) -> bool:
        """Whether there were answers, and all of them were right."""
        return not self.error and not self.failures and self.count(PASSED) > 0

    def as_dict(self) -> dict[str, Any]:
        """Return everything as a dict for JSON."""
        return {
            "device": self.name,
            "ok": self.ok,
            "passed": self.count(PASSED),
            "failed": self.count(*FAILURES),
            **{status: self.count(status) for status in (*FAILURES, SKIPPED)},
            "stopped": self.error or None,
            "facts": self.facts,
            "failures": [asdict(outcome) for outcome in self.failures],
            "outcomes": [asdict(outcome) for outcome in self.outcomes],
            "figures": [asdict(figures) for figures in self.figures],
            "launches": dict(self.launches),
            "unlaunched": self.unlaunched,
            "slowest": [{"query": query, **asdict(launch)} for query, launch in self.slowest],
        }

    def opening(self) -> Iterator[str]:
        """Yield the lines that are known before the first query."""
        yield ""
        yield self.name
        yield ""
        yield from _aligned(list(self.facts.items()))

    def closing(self) -> Iterator[str]:
        """Yield the lines that are known after the last query."""
        if self.outcomes:
            yield ""
            yield from _aligned(_grid(self))
            yield from _skips(self)
        if self.figures:
            yield ""
            yield from _aligned([_FIGURES, *map(_figures_row, self.figures)], right=5)
        yield from _launch_lines(self)
        yield from _failure_lines(self)
        if self.error:
            yield ""
            yield "STOPPED"
            yield from (f"  {line}" for line in self.error.splitlines())


@dataclass
class Report:
    """A self-test: what it ran on, and what it found. Prints as text; ``ok`` is true if all answers were right."""

    level: str
    versions: dict[str, str]
    devices: list[Findings]
    seconds: float = 0.0
    interrupted: bool = False  # by Ctrl-C: what follows was not tested

    @property
    def ok(self) -> bool:
        """Whether every answer of every device was right."""
        return bool(self.devices) and not self.interrupted and all(tested.ok for tested in self.devices)

    @property
    def missing(self) -> str:
        """What there is instead of a device that was named, if nothing else is wrong: the caller's mistake."""
        if not all(tested.ok or tested.missing for tested in self.devices):
            return ""
        return next((tested.missing for tested in self.devices if tested.missing), "")

    @property
    def verdict(self) -> str:
        """What came of it, in a word or two: the last line of the report."""
        if self.interrupted:
            return "interrupted: the rest was not tested"
        return "all passed" if self.ok else "not tested: a device is missing" if self.missing else "FAILED"

    def as_dict(self) -> dict[str, Any]:
        """Return everything as a dict for JSON."""
        return {
            "level": self.level,
            "ok": self.ok,
            "interrupted": self.interrupted,
            "versions": self.versions,
            "devices": [tested.as_dict() for tested in self.devices],
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        middle = [line for tested in self.devices for line in (*tested.opening(), *tested.closing())]
        return "\n".join(line.rstrip() for line in (*self.opening(), *middle, *self.closing()))

    def opening(self) -> Iterator[str]:
        """Yield the lines that are known before the first query."""
        yield f"nearfar selftest, {self.level}"
        yield ""
        yield from _aligned(list(self.versions.items()))

    def closing(self) -> Iterator[str]:
        """Yield the last lines: the figures of all devices, and the verdict."""
        counts = {s: sum(tested.count(s) for tested in self.devices) for s in (PASSED, *FAILURES, SKIPPED)}
        words = {PASSED: "right", ERROR: "with an error"}
        said = [f"{format_count(n)} {words.get(s, s)}" for s, n in counts.items() if n or s in (PASSED, WRONG)]
        total = sum(counts.values())
        asked = f"{format_count(total)} {'query' if total == 1 else 'queries'}"
        yield ""
        yield f"{asked}: {', '.join(said)}, in {format_seconds(self.seconds)}"
        yield self.verdict


def _launch_lines(tested: Findings) -> Iterator[str]:
    """Yield how often each kernel was launched, and the slowest launches."""
    if tested.launches:
        yield ""
        rows = [(kernel, format_count(count)) for kernel, count in sorted(tested.launches.items())]
        yield from _aligned([("kernel", "launches"), *rows], right=1)
        if tested.unlaunched:
            yield f"never launched: {', '.join(tested.unlaunched)}"
    if tested.slowest:
        yield ""
        yield from _aligned([_SLOWEST, *(_slowest_row(query, launch) for query, launch in tested.slowest)])


_SLOWEST = ("slowest launches", "groups x size", "time", "query")


def _slowest_row(query: str, launch: Launch) -> tuple[str, ...]:
    """Return one line of the table of launches."""
    return launch.kernel, f"{format_count(launch.groups)} x {launch.size}", format_seconds(launch.seconds), query


def _failure_lines(tested: Findings) -> Iterator[str]:
    """Yield what failed: the first few in full, each with the command that runs it again."""
    for outcome in tested.failures[:SHOWN]:
        yield ""
        yield f"{outcome.status.upper()}: {outcome.query_name}"
        yield from (f"  {line}" for line in outcome.message.splitlines())
        yield f"  again: {again(tested, outcome)}"
    left = tested.failures[SHOWN:]
    if left:
        yield ""
        named = "; ".join(f"{outcome.query_name}: {outcome.status}" for outcome in left[: 3 * SHOWN])
        yield f"... and {len(left)} more: {named}"


def again(tested: Findings, outcome: Outcome) -> str:
    """Return the command that runs one query again."""
    device = tested.name.replace(" ", "")
    return f'nearfar selftest{FLAGS[tested.level]} --device {device} --only "{outcome.query_name}"'


_FIGURES = ("method", "type", "graph", "query", "", "time", "relaxations per arc", "launches", "moved")


def _figures_row(figures: Figures) -> tuple[str, ...]:
    """Return one line of the table of measurements."""
    return (
        figures.method, figures.dtype, figures.graph, figures.query, figures.layout, format_seconds(figures.seconds),
        f"{figures.relaxations:.2f}", format_count(figures.launches), format_bytes(figures.moved),
    )  # fmt: skip


def _grid(tested: Findings) -> list[tuple[str, ...]]:
    """Return the table of methods and types against queries and layouts: passed out of all."""
    found = {(o.layout, o.query) for o in tested.outcomes}
    columns = [(layout, query) for layout in LAYOUTS for query in QUERIES if (layout, query) in found]
    lines = [("method", "type", *(f"{query} {layout}" for layout, query in columns))]
    for method, dtype in dict.fromkeys((o.method, o.dtype) for o in tested.outcomes):
        cells = []
        for layout, query in columns:
            states = [
                o.status
                for o in tested.outcomes
                if (o.method, o.dtype, o.layout, o.query) == (method, dtype, layout, query) and o.status != SKIPPED
            ]
            passed = states.count(PASSED)
            cells.append("-" if not states else f"{passed}/{len(states)}{'' if passed == len(states) else ' FAILED'}")
        lines.append((method, dtype, *cells))
    return lines


def _skips(tested: Findings) -> Iterator[str]:
    """Yield the reasons why queries were skipped."""
    reasons = [outcome.message for outcome in tested.outcomes if outcome.status == SKIPPED]
    for reason in dict.fromkeys(reasons):
        yield f"{reasons.count(reason)} skipped: {reason}"


def _aligned(rows: Sequence[Sequence[str]], right: int = 10**6) -> Iterator[str]:
    """Yield the lines of a table; columns from index ``right`` on are aligned to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    for row in rows:
        cells = enumerate(zip(row, widths, strict=True))
        yield "   ".join(cell.rjust(width) if i >= right else cell.ljust(width) for i, (cell, width) in cells)
