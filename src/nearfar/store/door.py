"""The way from a query to the disk, by the name of ``out``: a store of a matrix, or the file of a table."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..engine.planner import Plan
from ..engine.query import PreparedGraph, check
from ..graph import Graph
from .hands import HERE, Hands
from .matrix.door import check_name, no_place, solve_to_place
from .matrix.reader import Matrix
from .sheets import sheet_ending
from .streams import Fold, plan_written, write_table
from .writing import check_path
from .written import Written


def is_table(out: Any) -> bool:
    """Tell whether ``out`` names a .csv, .csv.gz or .parquet file."""
    return isinstance(out, str | os.PathLike) and sheet_ending(os.fspath(out)) is not None


def solve_to_disk(
    graph: Graph | PreparedGraph,
    sources: np.ndarray,
    targets: np.ndarray | None,
    direction: str,
    existing: str,
    join: bool,
    options: Any,
    hands: Hands = HERE,
) -> Matrix | Written:
    """Write the distances from some vertices to all, or to some."""
    if not is_table(options["out"]):
        return solve_to_place(graph, sources, targets, direction, existing, join, options, hands)
    no_place(existing, join)
    return solve_to_table(graph, sources, targets, direction, options, hands=hands)


def solve_to_table(
    graph: Graph | PreparedGraph,
    sources: np.ndarray,
    targets: np.ndarray | None,
    direction: str,
    options: Any,
    fold: Fold | None = None,
    hands: Hands = HERE,
) -> Written:
    """Write distances to the file that ``out`` names, one line per reached pair; ``fold`` is shown every block."""
    options = dict(options)
    path = os.fspath(options.pop("out"))
    check_path(path)
    return write_table(check(graph, sources, direction=direction, **options), targets, path, fold, hands)


def plan_on_disk(
    graph: Graph | PreparedGraph, sources: np.ndarray, targets: np.ndarray | None, options: dict[str, Any]
) -> Plan:
    """Return what writing a store or a table would do."""
    from .matrix.estimate import plan_store

    out = options.pop("out")
    if is_table(out):
        return plan_written(check(graph, sources, **options), targets)
    check_name(out)
    return plan_store(check(graph, sources, **options), targets)
