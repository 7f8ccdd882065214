"""The CUDA text under a sanitizer, in a child process: `run` starts it and reads the reports, `main` is the child.

The child computes right answers with the oracle and runs Python without the JIT: sanitizers know nothing of code that
is compiled at run time.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

TESTS = Path(__file__).parent.parent.parent
SOURCES = TESTS.parent / "src"
PATIENCE = 1800  # seconds
SETTINGS = {
    "TSAN_OPTIONS": "halt_on_error=0:report_thread_leaks=0",
    "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0",
    "UBSAN_OPTIONS": "print_stacktrace=0",
}
MARK = re.compile(r"WARNING: ThreadSanitizer: |ERROR: AddressSanitizer: |runtime error: ")
YIELDS = 20


@dataclass(frozen=True)
class Outcome:
    """What came of a run."""

    checks: int  # that ran to their end
    launches: int
    kernels: frozenset[str]
    wrong: tuple[str, ...]  # answers
    reports: tuple[str, ...]  # of the sanitizer
    failure: str  # how the child ended, if not as it should

    @property
    def problems(self) -> list[str]:
        """All that is not as it should be; of reports with the same summary, one, and their number."""
        kinds = {report.splitlines()[-1]: report for report in self.reports}
        counts = Counter(report.splitlines()[-1] for report in self.reports)
        reports = [f"{counts[kind]} x {report}" for kind, report in kinds.items()]
        return [*self.wrong, *reports, *filter(None, [self.failure])]


def run(mode, fault=None) -> Outcome:
    """Run the small queries under a sanitizer; with a fault planted, only those that reach it."""
    from . import compiler

    with tempfile.TemporaryDirectory(prefix="sanitizing-") as place:
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (SOURCES, TESTS))),
            "NUMBA_DISABLE_JIT": "1",
            "LD_PRELOAD": compiler.runtime(mode) or "",
            **{name: f"{settings}:log_path={place}/log" for name, settings in SETTINGS.items()},
        }
        command = [sys.executable, "-m", "helpers.cuda_text.sanitizing", mode, fault.name if fault else ""]
        child = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        logs = "".join(path.read_text(errors="replace") for path in sorted(Path(place).iterdir()))
    try:
        said = json.loads(child.stdout)
        failure = "" if child.returncode in (0, 66) else f"exit code {child.returncode}"  # 66: TSan has reports
    except ValueError:
        said = {"checks": 0, "launches": 0, "kernels": [], "wrong": []}
        failure = f"The queries did not run to their end (exit code {child.returncode}).\n{child.stderr[-4000:]}"
    reports = tuple(split_reports(logs + child.stderr))  # beside ASan, UBSan does not write to a log
    return Outcome(said["checks"], said["launches"], frozenset(said["kernels"]), tuple(said["wrong"]), reports, failure)


def split_reports(logs):
    """Return the reports in the logs of sanitizers, each from its mark to the next."""
    begins = [found.start() for found in MARK.finditer(logs)]
    return [logs[i:j].partition("\n====")[0].strip() for i, j in pairwise([*begins, len(logs)])]


def main(mode, fault_name) -> None:
    """Run the queries and print what came of them as JSON."""
    from pytest import MonkeyPatch

    from helpers.shrinking import shrink
    from helpers.small_queries import BATCH, checks
    from nearfar.devices import cuda

    from .faults import SANITIZED
    from .standin import install

    faults = [fault for fault in SANITIZED if fault.name == fault_name]
    patch = MonkeyPatch()
    shrink(patch, MIN_BATCH=BATCH)
    cupy = install(patch, mode=mode, yields=YIELDS, faults=tuple((fault.old, fault.new) for fault in faults))
    patch.setattr(cuda, "FILL_SIZE", 16)  # threads take ThreadSanitizer long
    chosen = checks("cuda")
    if faults:
        chosen = [check for check in chosen if (check.graph, check.method) == ("random", faults[0].method)][:1]
    wrong, done = [], 0
    for check in chosen:
        wrong += check.run()
        done += 1
        print(f"{time.process_time():.1f} s: {check.method}, {check.graph}, {check.dtype}", file=sys.stderr)
    if faults and not all(cupy.planted.values()):
        wrong.append(f"{fault_name!r} cannot be planted: correct its text in faults.py")
    said = {"checks": done, "launches": cupy.launches.total(), "kernels": sorted(cupy.launches), "wrong": wrong}
    print(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
