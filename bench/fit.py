"""Fit the constants of the planner's cost model to a run of plans.py.

    python bench/fit.py plans.json             how well the model foretells a run, and what `auto` would lose by it
    python bench/fit.py plans.json --write     fit the constants, and write src/nearfar/methods/costs.py

The model (engine/estimate.py) is a pure function of counts, so the counts of a run stand in for its graphs. Every
method is fitted by itself: least squares of the logarithm of expected over measured time, in which a few cases far off
count little (soft_l1). Each constant stays within BOUND times its former value: what a run cannot tell (a constant that
no case depends on) stays about as it was.
"""

from __future__ import annotations

import argparse
import datetime
import json
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from nearfar.elimination.outlook import HUBS, Outlook, guess
from nearfar.engine import candidates
from nearfar.engine.estimate import seconds_on_cpu
from nearfar.machine import processor
from nearfar.methods import costs
from plans import FROM

FILE = Path(costs.__file__)
BOUND = 8.0  # times the former value, that a constant may become greater or less
STAY = 0.003  # what leaving the former value by a factor of e costs, beside errors of the same size in all cases
LEAST = 3e-4  # seconds from which a case is fitted

# The constants on which each method's time depends, in the order in which they are fitted.
FITTED = {
    "dijkstra": ("ROW", "ROW_EQUAL_VERTEX", "ROW_EQUAL_ARC", "ROW_VERTEX", "ROW_ARC", "ROW_LEAF", "ROW_LARGE"),
    "johnson": ("ROW_HEAP",),
    "floyd": ("FLOYD_ROW", "FLOYD_ENTRY", *(f"FLOYD_CUBE.{kind}" for kind in costs.FLOYD_CUBE)),
    "bfs": ("BFS_ROW", "BFS_ROW_VERTEX", "BFS_ROW_ARC", "BFS_ROW_LEVEL", "BFS_WRITE", "BFS_LEVEL", "BFS_LEVEL_WORDS",
            "BFS_PASS", "BFS_ARC", "BFS_PULLED"),
    "prepared": ("PREPARE", "PREPARE_VERTEX", "PREPARE_ARC", "PREPARE_ENTRY", "PREPARE_CORE", "PREPARE_LARGE",
                 "SWEEP_VERTEX", "SWEEP_SHORTCUT", "SWEEP_ROW", "PRUNE_ROWS", "PRUNE_ROWS_DIRECTED",
                 "PRUNED_SHORTCUTS", "CORE_ARC"),
}  # fmt: skip


@dataclass
class Counts:
    """The counts of a graph, under the names that a `Graph` has for them."""

    n: int
    m: int
    min_weight: float
    max_weight: float
    weight_dtype: np.dtype | None
    undirected: bool
    leaf_count: int
    usual_levels: int
    max_degree: int
    irregularity: float
    closedness: float

    @classmethod
    def of(cls, case: dict[str, Any]) -> Counts:
        """Return the counts that a run has noted."""
        kind = np.dtype(case["type"]) if case["type"] else None
        names = ("n", "m", "min_weight", "max_weight", "undirected", "leaf_count", "usual_levels", "max_degree")
        names += ("irregularity", "closedness")
        return cls(weight_dtype=kind, **{name: case[name] for name in names})


def expected(case: dict[str, Any], method: str) -> float:
    """Return the seconds that the model expects of a method."""
    seen = foreseen(case) if method == "prepared" else None
    return seconds_on_cpu(case["counts"], case["k"], method, case["threads"], case["itemsize"], outlook=seen)


def foreseen(case: dict[str, Any]) -> Outlook | None:
    """Return what `auto` saw of the graph, or would guess of a small one, or another look showed."""
    if case["seen"]:
        return Outlook(**case["seen"])
    if (guessed := guess(case["counts"])) is not None:
        return guessed
    return Outlook(**case["outlook"]) if case["outlook"] and case["max_degree"] < HUBS * case["m"] / case["n"] else None


def usable(cases: Iterable[dict[str, Any]], method: str) -> list[dict[str, Any]]:
    """Return the cases that tell something of a method: it was timed, for several rows, and not at its least."""
    found = [case for case in cases if case["k"] > 1 and case["times"].get(method, 0) >= LEAST]
    return [case for case in found if foreseen(case)] if method == "prepared" else found


def value_of(name: str) -> float:
    """Return a constant; of a dict, ``name.key``."""
    name, _, key = name.partition(".")
    return float(getattr(costs, name)[key] if key else getattr(costs, name))


def set_value(name: str, value: float) -> None:
    """Set a constant."""
    name, _, key = name.partition(".")
    if key:
        getattr(costs, name)[key] = value
    else:
        setattr(costs, name, value)


def errors(cases: list[dict[str, Any]], method: str) -> np.ndarray:
    """Return the logarithms of expected over measured time."""
    return np.log([expected(case, method) / case["times"][method] for case in cases])


def fit(cases: list[dict[str, Any]], method: str) -> None:
    """Fit the constants of a method."""
    names = FITTED[method]
    before = np.log([value_of(name) for name in names])

    def misses(logs: np.ndarray) -> np.ndarray:
        for name, log in zip(names, logs, strict=True):
            set_value(name, float(np.exp(log)))
        return np.concatenate([errors(cases, method), STAY * len(cases) ** 0.5 * (logs - before)])

    width = np.log(BOUND)
    found = least_squares(misses, before, bounds=(before - width, before + width), loss="soft_l1", f_scale=0.2)
    for name, log in zip(names, found.x, strict=True):
        set_value(name, float(f"{np.exp(log):.3g}"))


def spread(cases: list[dict[str, Any]], method: str) -> str:
    """Return how far off the model is."""
    off = np.exp(np.abs(errors(cases, method)))
    return f"{len(cases)} cases, off by {np.median(off):.2f} in the median, {np.quantile(off, 0.9):.2f} in nine of ten"


def chosen(case: dict[str, Any]) -> str:
    """Return the method that the model would choose among those that were timed, for several rows."""
    methods = [name for name in case["times"] if name != "auto" and (name != "prepared" or foreseen(case))]
    return min(methods, key=lambda name: expected(case, name) * candidates.margin_of(name))


def losses(cases: list[dict[str, Any]]) -> list[tuple[float, dict[str, Any], str]]:
    """Return what the choice loses in each case of several rows, with planning, the worst first."""
    found = []
    for case in cases:
        times = {name: seconds for name, seconds in case["times"].items() if name != "auto"}
        if case["k"] > 1 and min(times.values()) >= FROM:
            method = chosen(case)
            found.append(((times[method] + case["planning"]) / min(times.values()), case, method))
    return sorted(found, key=lambda loss: -loss[0])


def report(cases: list[dict[str, Any]], worst: int) -> None:
    """Print how well the model fits, and the worst choices."""
    for method in FITTED:
        if some := usable(cases, method):
            print(f"{method:9s} {spread(some, method)}")
    lost = losses(cases)
    print(f"{len(lost)} choices lose {statistics.median(loss for loss, *_ in lost):.3f} in the median; the worst:")
    for loss, case, method in lost[:worst]:
        best = min((name for name in case["times"] if name != "auto"), key=case["times"].__getitem__)
        times = ", ".join(
            f"{name} {1e3 * case['times'][name]:.3g} (expected {1e3 * expected(case, name):.3g})"
            for name in {method: 0, best: 0}
        )
        about = f"{case['graph']}, n {case['n']:,}, k {case['k']}, t {case['threads']}"
        print(f"{loss:6.2f}  {about}: {times}; planning {1e3 * case['planning']:.2g} ms")


def write(cases: list[dict[str, Any]]) -> None:
    """Write the constants, with the run that made them."""
    text = FILE.read_text(encoding="utf8")
    head, _, rest = text.partition("RUN = ")
    rest = rest.partition("\n")[2]
    run = f"{datetime.date.today()}, {processor()}, {len(cases)} cases of bench/plans.py"
    values = {name: getattr(costs, name) for names in FITTED.values() for name in (n.partition(".")[0] for n in names)}
    lines = []
    for line in rest.splitlines():
        name, comment = line.partition(" = ")[0], "".join(line.partition("  # ")[1:])
        lines.append(f"{name} = {_literal(values[name])}{comment}" if name in values else line)
    FILE.write_text(f'{head}RUN = "{run}"\n' + "\n".join(lines) + "\n", encoding="utf8")


def _literal(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{key}": {number:.3g}' for key, number in value.items()) + "}"
    return f"{value:.3g}"


def main() -> None:
    """Report on a run, or fit the constants to it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--only", action="append", choices=FITTED, help="fit these methods")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--worst", type=int, default=40)
    args = parser.parse_args()
    cases = [case for run in args.runs for case in json.loads(run.read_text())]
    for case in cases:
        case["counts"] = Counts.of(case)
    report(cases, 0 if args.write or args.fit else args.worst)
    if args.write or args.fit:
        for method in args.only or FITTED:
            if some := usable(cases, method):
                fit(some, method)
        report(cases, args.worst)
    if args.write:
        write(cases)


if __name__ == "__main__":
    main()
