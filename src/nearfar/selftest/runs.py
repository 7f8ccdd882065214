"""The self-test as a whole: every query of every device, one after the other, and the report, line by line."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .. import machine
from ..description import format_seconds
from ..devices import DEVICES
from ..engine.options import take_device
from ..errors import DeviceError, MissingDeviceError, OptionError, option
from .cases import LEVELS, Case, cases
from .checks import Answer, Here, describe
from .child import Child
from .launches import SLOWEST, all_kernels
from .report import CRASHED, ERROR, HUNG, SKIPPED, Findings, Outcome, Report

LIMIT = 120.0  # seconds; the slowest query takes a few on PoCL with two cores
HOPELESS = 25  # queries that end with an error before the test of a device stops
PATIENCE = 2  # times that a method may hang or crash before its other queries are left out

Write = Callable[[str], None]
Progress = Callable[[int, int], None]


def run(
    devices: Sequence[str] | str | None = None,
    level: str = "usual",
    write: Write | None = None,
    *,
    limit: float = LIMIT,
    only: Iterable[str] = (),
    isolate: bool = True,
    progress: Progress | None = None,
) -> Report:
    """Test devices and return the findings; errors of a device, also that there is none, are reported, not raised.

    Queries run in a worker process. One that hangs is ended after ``limit`` seconds, one that crashes ends by itself;
    the report names the kernel and the launch, and the next query runs in a new process. After Ctrl-C, the report has
    what was done so far, and its ``interrupted`` is true.

    Parameters
    ----------
    devices : str, list of str or None
        Names such as "cuda" or "opencl:1"; several are tested one by one, then together. None: all but the CPU.
    level : {"quick", "usual", "full"}
        How large the graphs are and how many types there are.
    write : callable, optional
        A function of a piece of text, called with the report as it comes; a query's word is written before it begins.
    limit : float
        Seconds that a query may take.
    only : iterable of str
        Words such as "delta" or "float32"; only the queries that all of them name are run.
    isolate : bool
        False runs all queries in this process: without a limit, and a crash ends it.
    progress : callable, optional
        A function of the queries done and all queries, called before each.

    Returns
    -------
    Report

    Examples
    --------
    >>> from nearfar import selftest
    >>> report = selftest.run("opencl:99", "quick")
    >>> report.ok, report.missing
    (False, '...opencl:99...')
    """
    if level not in LEVELS:
        raise OptionError(f"level {level!r} does not exist. Use one of {', '.join(map(repr, LEVELS))}.")
    if not limit > 0:
        raise OptionError(f"{option('limit', limit)} is not a time. Give a number of seconds above 0.")
    names = _named(devices)
    groups = [(name,) for name in names] + ([names] if len(names) > 1 else [])
    words = tuple(only)
    asked = {group: cases(group, level, words) for group in groups}
    report = Report(level, machine.versions(), [])
    lines = Lines(write or (lambda text: None), progress, sum(map(len, asked.values())))
    lines.write_all(report.opening())
    began = time.perf_counter()
    try:
        for group in groups:
            report.devices.append(Findings(", ".join(group), level))
            asker = Child(group, level, limit) if isolate else Here(group, level)
            try:
                _test(report.devices[-1], asker, asked[group], lines)
            finally:
                asker.close()
    except KeyboardInterrupt:
        report.interrupted = True
        lines.end()
        if report.devices:
            lines.write_all(report.devices[-1].closing())
    report.seconds = time.perf_counter() - began
    lines.write_all(report.closing())
    return report


def _named(devices: Sequence[str] | str | None) -> tuple[str, ...]:
    """Return the full names of the devices to test."""
    if devices is not None:
        names = take_device(devices if isinstance(devices, str) else list(devices))
        if names != ("auto",):
            return names
    kinds = [kind for kind in DEVICES if kind != "cpu"]
    found = tuple(facts.name for kind in kinds for facts in DEVICES[kind].found())
    if not found:
        missing = "; ".join(f"{kind}: {DEVICES[kind].missing()}" for kind in kinds)
        raise DeviceError(
            f"there is no device to test but the CPU ({missing}). Use {option('device', 'cpu')} to test the CPU."
        )
    return found


def _test(tested: Findings, asker: Here | Child, queries: list[Case], lines: Lines) -> None:
    """Test a device, or several together."""
    try:
        tested.facts = asker.facts()
    except Exception as error:
        tested.error, tested.missing = describe(error), str(error) if isinstance(error, MissingDeviceError) else ""
    lines.write_all(tested.opening())
    if not tested.error:
        lines.write_all([""])
        _ask_all(tested, asker, queries, lines)
    lines.write_all(tested.closing())


def _ask_all(tested: Findings, asker: Here | Child, queries: list[Case], lines: Lines) -> None:
    """Ask the queries one by one, and collect what comes of them."""
    for done, case in enumerate(queries):
        lines.count()
        if _given_up(tested, case.method):
            left_out = f"{case.method} hung or crashed {PATIENCE} times"
            tested.outcomes.append(Outcome(*case.words, SKIPPED, left_out))
            continue
        lines.begin(case)
        answer = asker.ask(case)
        lines.answer(answer)
        _collect(tested, case, answer)
        if tested.count(ERROR) >= HOPELESS:
            left = len(queries) - done - 1
            tested.error = f"stopped after {HOPELESS} queries that ended with an error; {left} were left out"
            break
    lines.end()
    if tested.launches:
        known = all_kernels(tested.name.partition(":")[0])
        tested.unlaunched = [kernel for kernel in known if kernel not in tested.launches]


def _given_up(tested: Findings, method: str) -> bool:
    """Return whether a method hung or crashed so often that its other queries are left out."""
    bad = [o for o in tested.outcomes if o.method == method and o.status in (HUNG, CRASHED)]
    return len(bad) >= PATIENCE


def _collect(tested: Findings, case: Case, answer: Answer) -> None:
    """Add what came of a query to the findings."""
    if answer.outcome is not None:
        tested.outcomes.append(answer.outcome)
    if answer.figures is not None:
        tested.figures.append(answer.figures)
    tested.launches.update(answer.launches)
    named = [*tested.slowest, *((str(case), launch) for launch in answer.slowest)]
    tested.slowest = sorted(named, key=lambda item: -item[1].seconds)[:SLOWEST]


@dataclass
class Lines:
    """Writes the report as it comes: one line per graph, type and method, one word per query, before it begins."""

    write: Write
    progress: Progress | None = None
    queries: int = 0  # of all devices
    _counted: int = 0
    _open: tuple[str, str, str] | None = None
    _seconds: float = 0.0

    def write_all(self, lines: Iterable[str]) -> None:
        """Write whole lines."""
        for line in lines:
            self.write(f"{line.rstrip()}\n")

    def count(self) -> None:
        """Report how many queries are done, before the next one, which may be left out."""
        if self.progress is not None:
            self.progress(self._counted, self.queries)
        self._counted += 1

    def begin(self, case: Case) -> None:
        """Write the word of a query, on a new line if the last one was about something else."""
        key = (case.graph, case.dtype, case.method)
        if key != self._open:
            self.end()
            self._open = key
            self.write(f"{case.graph:<20} {case.dtype:<7}  {case.method:<8} ")
        self.write(f" {case.query}{'/batched' if case.layout == 'batched' else ''}")

    def answer(self, answer: Answer) -> None:
        """Write what came of the query, if it is not what should have."""
        outcome = answer.outcome
        if outcome is None:
            self.write("-")
            return
        self._seconds += outcome.seconds
        if outcome.failed:
            self.write(f" {outcome.status.upper()}")
            self.end()
            self.write_all(f"  {line}" for line in outcome.message.splitlines()[:1])
        elif outcome.status == SKIPPED:
            self.write(" (skipped)")

    def end(self) -> None:
        """End the line."""
        if self._open is not None:
            self.write(f"   {format_seconds(self._seconds)}\n")
        self._open, self._seconds = None, 0.0
