"""The CUDA text on the CPU under ThreadSanitizer, and under AddressSanitizer and UndefinedBehaviorSanitizer together.

The same small queries as under Oclgrind, driven through devices/cuda.py (helpers/cuda_text). Then each planted fault
must be reported.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

from helpers.cuda_text import compiler, sanitizing
from helpers.cuda_text.faults import SANITIZED
from helpers.programs import TEXTS, kernels_of


def missing() -> str | None:
    """Return why sanitizers cannot be run, or None."""
    absent = [name for mode, name in compiler.RUNTIMES.items() if not compiler.missing() and not compiler.runtime(mode)]
    return compiler.missing() or (f"{', '.join(absent)} of g++ is not installed" if absent else None)


def check() -> tuple[list[str], str]:
    """Run all queries and plant all faults; return what is wrong, and what was looked at."""
    problems, launches, kernels = [], 0, set()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = dict(zip(compiler.RUNTIMES, pool.map(sanitizing.run, compiler.RUNTIMES), strict=True))
        caught = dict(zip(SANITIZED, pool.map(is_caught, SANITIZED), strict=True))
    for mode, outcome in outcomes.items():
        problems += [f"{mode}: {problem}" for problem in outcome.problems]
        launches += outcome.launches
        kernels |= outcome.kernels
        problems += [f"{mode}: {name} was never launched." for name in sorted(all_kernels() - outcome.kernels)]
    advice = "was not reported. Is what it replaces (helpers/cuda_text/faults.py) still in the kernels?"
    problems += [f"{fault.name} {advice}" for fault in caught if not caught[fault]]
    faults = f"{sum(caught.values())} of {len(caught)} planted faults reported"
    return problems, f"{launches:,} launches of {len(kernels)} kernels ({faults})"


def is_caught(fault):
    """Plant a fault; return whether the sanitizer reports it."""
    return any(fault.caught in report for report in sanitizing.run(fault.mode, fault).reports)


def all_kernels():
    """Return the names of all kernels."""
    return {name for stem in TEXTS for name in kernels_of(stem)}
