"""Choose the OpenCL implementation that runs the tests, and say which: `make test` begins with it.

PoCL, which comes with PyOpenCL, unless its compiler does not know the processor; then Intel's, if it can be installed.
Otherwise all tests that need OpenCL are skipped, with the reason.
"""

from __future__ import annotations

import os
import sys

from helpers import runtimes


def main() -> int:
    """Choose, and print the choice."""
    runtimes.INSTEAD.unlink(missing_ok=True)
    if runtimes.SETTING in os.environ:
        print(f"OpenCL: what {runtimes.SETTING}={os.environ[runtimes.SETTING]} says")
        return 0
    defect = runtimes.defect()
    if not defect:
        print("OpenCL: the drivers of this machine")
        return 0
    print(f"OpenCL: {defect.partition('. ')[0]}.")
    problem = runtimes.install()
    if problem:
        print(f"OpenCL: its tests are SKIPPED, since Intel's runtime cannot be used instead: {problem}")
        return 0
    runtimes.INSTEAD.write_text(defect)
    print("OpenCL: Intel's runtime is used instead")
    return 0


if __name__ == "__main__":
    sys.exit(main())
