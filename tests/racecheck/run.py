"""Look for races, stray accesses and undefined behaviour in every GPU kernel: `make racecheck`.

The OpenCL text runs under Oclgrind, the CUDA text on the CPU under three sanitizers. Names of checks may be given.
Exit code 1: something was found; 2: nothing could be run.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from pathlib import Path

CHECKS = ("oclgrind", "sanitizers")  # modules beside this one


def main(names) -> int:
    """Run the checks, print what each one found, and return the exit code."""
    sys.path[:0] = [str(Path(__file__).parent.parent)]
    codes = [run(name, import_module(name)) for name in names or CHECKS]
    return 1 if 1 in codes else min(codes)


def run(name, module) -> int:
    """Run one check; return 0 if all is well, 1 if something was found, 2 if it cannot be run."""
    if module.missing():
        print(f"racecheck, {name}: SKIPPED, {module.missing()}")
        return 2
    began = time.perf_counter()
    problems, seen = module.check()
    for problem in problems:
        print(problem, end="\n\n")
    verdict = f"{len(problems)} problems" if problems else "nothing wrong"
    print(f"racecheck, {name}: {verdict} in {seen}, {time.perf_counter() - began:.0f} s", flush=True)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
