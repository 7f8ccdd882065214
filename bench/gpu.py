"""Count and time the kernels of GPUs: ``python bench/gpu.py [--device opencl:0] [--write]``.

The tables of ``nearfar bench`` (src/nearfar/bench.py makes them), for New York's roads and R-MAT 18, and for all pairs
of Rome. On PoCL the kernels run on the same cores as the CPU's figures. --write puts the tables into docs/gpu.md.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

import nearfar
from nearfar import bench

sys.path.insert(0, str(Path(__file__).parent))
import graphs

PAGE = Path(__file__).parent.parent / "docs" / "gpu.md"


def tables(device: str) -> str:
    """Measure everything; return the section of the page."""
    entries = [entry for entry in graphs.TABLE if entry.headline and entry.present]
    measured = bench.start(device)
    bench.measure(measured, [bench.Named(entry.label, entry.build) for entry in entries])
    rome = graphs.DATA / "rome99.gr"
    if rome.exists():
        measured.tables.append(bench.all_pairs("Rome", nearfar.read(rome), device))
    return str(measured)


def write(text: str, mark: str) -> None:
    """Put a section between its marks in the page."""
    page = PAGE.read_text(encoding="utf8")
    pattern = rf"(?s)(<!-- {mark}:begin -->\n).*(<!-- {mark}:end -->)"
    PAGE.write_text(re.sub(pattern, lambda m: f"{m[1]}{text}\n{m[2]}", page), encoding="utf8")


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
        write(text, "gpu")


if __name__ == "__main__":
    main()
