"""Look for races, stray accesses, diverging barriers and uninitialised values in every GPU kernel, with Oclgrind.

queries.py runs on Oclgrind's simulated device, which writes its findings to a log and always ends
with exit code 0; this script reads the log. Kernels that are wrong on purpose (canaries) show that it finds mistakes.
Loads of values that other work-items may change, on purpose (LOAD in kernels/gpu/opencl.h), are atomic there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from helpers.programs import TEXTS, kernels_of

HERE = Path(__file__).parent
NOT_OPENCL = ("fill",)  # for CUDA only; OpenCL has a command for it
CANARIES = ("canary_race", "canary_bounds", "canary_uninitialized", "canary_divergence")
OPTIONS = (
    "--data-races",
    "--uniform-writes",  # also several writes of the same value
    "--uninitialized",
    "--num-threads=1",
    "--compute-units=1",
    "--max-errors=20000",
)
PATIENCE = 900  # seconds
KERNEL = re.compile(r"^\tKernel:\s*(\w+)", re.M)
LOCATION = re.compile(r"^\tAt line \d+ \(column \d+\) of input\.cl:\n(\t.*)$", re.M)


def missing() -> str | None:
    """Return why Oclgrind cannot be run, or None."""
    advice = "oclgrind is not installed; on Debian and Ubuntu: apt-get install oclgrind"
    return None if shutil.which("oclgrind") else advice


def check() -> tuple[list[str], str]:
    """Run the queries under Oclgrind; return what it found, and what it looked at."""
    with tempfile.TemporaryDirectory(prefix="racecheck-") as folder:
        log = Path(folder, "log")
        outcome, failure = simulate("oclgrind", log)
        found = reports(log.read_text(errors="replace") if log.exists() else "")
    problems = [*failure, *outcome["wrong"], *unseen(found), *unlaunched(outcome["launched"]), *described(found)]
    launched = {name for name, _ in outcome["launched"]}
    return problems, f"{len(launched)} kernels ({len(outcome['launched'])} with their variants)"


def simulate(oclgrind, log):
    """Run the queries; return their output, and what went wrong with the run."""
    command = [oclgrind, *(word for option in OPTIONS for word in option.split("=")), "--log", str(log)]
    paths = filter(None, (str(HERE.parent.parent / "src"), os.environ.get("PYTHONPATH")))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    child = subprocess.run(
        [*command, sys.executable, str(HERE / "queries.py")],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
    )
    try:
        return json.loads(child.stdout), []
    except ValueError:
        return {"launched": [], "wrong": []}, [f"The queries did not run to their end (exit code {child.returncode})."]


def reports(log):
    """Return the reports of a log by kernel; those that name no kernel under ''."""
    found = defaultdict(list)
    for block in re.split(r"\n(?=\n\S|\Z)", log):
        if block.strip():
            kernel = KERNEL.search(block)
            found[kernel[1] if kernel else ""].append(block.strip("\n"))
    return found


def unseen(found):
    """Return a problem for each canary whose mistake was not found."""
    return [f"Oclgrind did not find the mistake in {name}." for name in CANARIES if name not in found]


def unlaunched(launched):
    """Return a problem for each kernel that was never launched."""
    names = {name for name, _ in launched}
    return [
        f"{name} of {stem}.cl was never launched: add a query to {HERE / 'queries.py'}."
        for stem in TEXTS
        if stem not in NOT_OPENCL
        for name in kernels_of(stem)
        if name not in names
    ]


def described(found):
    """Return one report of each kind, with its number of occurrences."""
    kinds = defaultdict(list)
    for kernel, blocks in found.items():
        for block in blocks if kernel not in CANARIES else ():
            kinds[kernel, block.splitlines()[0].partition(" at ")[0], *LOCATION.findall(block)].append(block)
    return [f"{len(blocks)} x in {kernel or 'no kernel'}:\n{blocks[0]}" for (kernel, *_), blocks in kinds.items()]
