"""The findings of a self-test, as text and as JSON, ready to be attached to an issue."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import Any

from .. import __version__
from ..description import format_bytes, format_count, format_seconds

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
LAYOUTS, QUERIES = ("resident", "batched"), ("one", "some", "all")
SHOWN = 5  # failures that are shown in full
PACKAGES = ("numpy", "numba", "scipy", "pyopencl", "pocl-binary-distribution", "cupy", "cupy-cuda12x", "cupy-cuda13x")


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
    facts: dict[str, str] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)
    figures: list[Figures] = field(default_factory=list)
    error: str = ""  # why the test could not be completed

    def count(self, status: str) -> int:
        """Return how many queries ended with this status."""
        return sum(outcome.status == status for outcome in self.outcomes)

    @property
    def ok(self) -> bool:
        """Whether there were answers, and all of them were right."""
        return not self.error and self.count(FAILED) == 0 and self.count(PASSED) > 0


@dataclass
class Report:
    """A self-test: what it ran on, and what it found. Prints as text; ``ok`` is true if all answers were right."""

    level: str
    versions: dict[str, str]
    devices: list[Findings]
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether every answer of every device was right."""
        return bool(self.devices) and all(tested.ok for tested in self.devices)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as a dict for JSON."""
        devices = [
            {
                "device": tested.name,
                "ok": tested.ok,
                "passed": tested.count(PASSED),
                "failed": tested.count(FAILED),
                "skipped": tested.count(SKIPPED),
                "error": tested.error or None,
                "facts": tested.facts,
                "failures": [asdict(outcome) for outcome in tested.outcomes if outcome.status == FAILED],
                "outcomes": [asdict(outcome) for outcome in tested.outcomes],
                "figures": [asdict(figures) for figures in tested.figures],
            }
            for tested in self.devices
        ]
        return {
            "level": self.level,
            "ok": self.ok,
            "versions": self.versions,
            "devices": devices,
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self._lines())

    def _lines(self) -> Iterator[str]:
        """Yield the lines of the text."""
        yield f"nearfar selftest, {self.level}: {'all passed' if self.ok else 'FAILED'}"
        yield ""
        yield from _aligned(list(self.versions.items()))
        for tested in self.devices:
            yield from _device_lines(tested)
        yield ""
        passed, failed = (sum(tested.count(status) for tested in self.devices) for status in (PASSED, FAILED))
        yield f"{format_count(passed)} passed, {format_count(failed)} failed in {format_seconds(self.seconds)}"


def _device_lines(tested: Findings) -> Iterator[str]:
    """Yield the lines about one device."""
    yield ""
    yield tested.name
    yield ""
    yield from _aligned(list(tested.facts.items()))
    if tested.outcomes:
        yield ""
        yield from _aligned(_grid(tested))
        yield from _skips(tested)
    if tested.figures:
        yield ""
        yield from _aligned([_FIGURES, *map(_figures_row, tested.figures)], right=5)
    failures = [outcome for outcome in tested.outcomes if outcome.status == FAILED]
    for outcome in failures[:SHOWN]:
        yield ""
        yield f"FAILED: {_asked(outcome)}"
        yield from (f"  {line}" for line in outcome.message.splitlines())
    if len(failures) > SHOWN:
        yield ""
        yield f"... and {len(failures) - SHOWN} more: " + "; ".join(map(_asked, failures[SHOWN : 4 * SHOWN]))
    if tested.error:
        yield ""
        yield "ERROR"
        yield from (f"  {line}" for line in tested.error.splitlines())


_FIGURES = ("method", "type", "graph", "query", "", "time", "relaxations per arc", "launches", "moved")


def _figures_row(figures: Figures) -> tuple[str, ...]:
    """Return one line of the table of measurements."""
    return (
        figures.method, figures.dtype, figures.graph, figures.query, figures.layout, format_seconds(figures.seconds),
        f"{figures.relaxations:.2f}", format_count(figures.launches), format_bytes(figures.moved),
    )  # fmt: skip


def _asked(outcome: Outcome) -> str:
    """Return in words which query it was."""
    return f"{outcome.method}, {outcome.dtype}, {outcome.query}, {outcome.layout}, {outcome.graph}"


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


def versions() -> dict[str, str]:
    """Return the versions of everything involved."""
    found = {"nearfar": __version__, "python": f"{platform.python_implementation()} {platform.python_version()}"}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    found["system"] = f"{platform.platform()}, {platform.machine()}"
    found["processor"] = _processor()
    return found


def _processor() -> str:
    """Return the name of the CPU, if the system knows it."""
    if sys.platform == "linux":
        try:
            with open("/proc/cpuinfo", encoding="utf8", errors="replace") as file:
                return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
        except (OSError, StopIteration):
            pass
    return platform.processor() or "unknown"
