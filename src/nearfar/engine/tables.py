"""Tables: distances between two lists of vertices, without all their rows in memory at once.

Rows are settled a block at a time, and only the columns of the targets are kept. Rows start at the sources, or, if
there are fewer targets, at the targets, against the direction of the arcs. A search stops when its columns are settled.
A prepared graph sweeps only the ancestors of the targets (elimination/tables.py), and finds a few pairs one by one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..description import format_bytes
from ..elimination.build import Hierarchy
from ..errors import MemoryLimitError
from ..graph import Graph
from ..methods.prepared import hierarchy_for
from ..methods.problem import Controls
from ..progress import watcher
from ..results import Distances, Table, limits
from . import options
from .planner import Plan
from .query import PreparedGraph, Query, check
from .run import new_problem
from .solve import plan_query, solve
from .tuning import FEW_PAIRS, TABLE_BLOCK


@dataclass(frozen=True)
class Filling:
    """How a table is filled: the query whose rows are settled, which of their columns are kept, and the plan."""

    query: Query
    columns: np.ndarray
    flipped: bool  # whether rows start at the targets
    plan: Plan

    @property
    def block(self) -> int:
        """How many rows are settled at a time."""
        row = max(1, self.query.graph.n * self.plan.dtype.itemsize)
        spare = (self.plan.available - self.plan.bytes) // 2
        rows = max(self.plan.threads, min(TABLE_BLOCK, spare) // row, 1)
        return len(self.query.sources) if self.plan.method == "floyd" else min(rows, len(self.query.sources))


@dataclass
class Found:
    """The distances of a table, in the order in which they were searched, and what was noted."""

    rows: np.ndarray
    rounded: bool
    notes: dict[str, Any] = field(default_factory=dict)
    distances: Distances | None = None  # of the last block


class _Count:
    """How many rows are done, for the progress bar."""

    def __init__(self) -> None:
        self.before = self.now = 0

    def __len__(self) -> int:
        return self.before + self.now


def solve_table(
    graph: Graph | PreparedGraph,
    sources: np.ndarray,
    targets: np.ndarray,
    *,
    single: bool = False,
    out: np.ndarray | None = None,
    **given: Any,
) -> Table:
    """Plan a table, fill it, and return it; ``given``: arguments of `check`."""
    began = time.perf_counter()
    query, taken = _take(graph, sources, targets, single, out, given)
    filling = plan_table(query, targets)
    _require_memory(filling.plan, taken is not None)
    found = _by_hierarchy(filling) or _by_blocks(filling)
    rows = np.ascontiguousarray(found.rows.T) if filling.flipped else found.rows
    if taken is not None:
        taken[...] = _as_type(rows, taken.dtype)
        rows = taken
    plan = filling.plan
    threads = {} if plan.gpu else {"threads": plan.threads}
    stats = {"method": plan.method, "device": plan.device, **threads, **found.notes}
    stats["seconds"] = time.perf_counter() - began - stats.get("compile_seconds", 0)
    return Table(
        query.asked,
        sources,
        targets,
        rows,
        seeds=query.seeds,
        starts=None if query.starts is None else query.starts.astype(rows.dtype),
        single=single,
        direction=query.direction,
        cutoff=query.cutoff,
        plan=plan,
        stats=stats,
        rounded=(found.rounded or filling.flipped) and rows.dtype.kind == "f",
        search=search_again,
        distances=found.distances if single else None,
    )


def _take(
    graph: Graph | PreparedGraph,
    sources: np.ndarray,
    targets: np.ndarray,
    single: bool,
    out: Any,
    given: dict[str, Any],
) -> tuple[Query, np.ndarray | None]:
    """Check the options of a table; return the query of its rows, and the array to fill if one was given."""
    query = check(graph, sources, **given)
    fitting = limits.fitting_types(query.asked, query.starts) if given.get("dtype") is None else list(query.types)
    taken = options.take_out(out, (len(sources), len(targets)), single, fitting)
    return (query if taken is None else replace(query, types=(taken.dtype,))), taken


def plan_table(query: Query, targets: np.ndarray) -> Filling:
    """Decide from which side the table is searched, and how; floats are flipped only if no method is named."""
    free = query.method == "auto" or query.types[0].kind == "i"
    flipped = len(targets) < len(query.sources) and query.hierarchy is None and free
    columns, why = targets, ""
    if flipped:
        columns, why = query.sources, "fewer targets than sources: searched from the targets; "
        direction = "to" if query.direction == "from" else "from"
        searched = query.asked if direction == "from" else query.asked.reversed
        query = replace(query, sources=targets, direction=direction, graph=searched)
    alone = len(query.sources) == 1 and query.graph.min_weight >= 0
    plan = plan_query(replace(query, targets=columns if alone else None, out=None))
    shape = (len(columns), len(query.sources)) if flipped else (len(query.sources), len(columns))
    size = shape[0] * shape[1] * plan.dtype.itemsize
    plan = replace(plan, rows=shape[0], n=shape[1], bytes=size, why=why + plan.why)
    return Filling(query, columns, flipped, plan)


def _require_memory(plan: Plan, filled: bool) -> None:
    """Refuse a table that does not fit into memory."""
    available = plan.host_available if plan.gpu else plan.available
    if plan.bytes > available and not filled:
        raise MemoryLimitError(
            f"a table of {plan.rows:,} x {plan.n:,} distances as {plan.dtype.name} needs {format_bytes(plan.bytes)}; "
            f"{format_bytes(available)} may be used. Ask for fewer sources at a time.",
            plan.bytes,
            available,
        )


def _by_hierarchy(filling: Filling) -> Found | None:
    """Fill a table over a hierarchy; None if there is none, or single rows are faster."""
    query, plan = filling.query, filling.plan
    if plan.method != "prepared" or plan.gpu or query.seeds is not None:
        return None
    from ..elimination.tables import fill_table, find_pairs

    problem, _ = new_problem(query, replace(plan, renumber=False), query.types[-1])
    controls = Controls(threads=plan.threads, memory=plan.available)
    hierarchy = hierarchy_for(problem, len(query.sources), controls)
    if not isinstance(hierarchy, Hierarchy) or hierarchy.by_rows:
        return None
    columns, back = np.unique(filling.columns, return_inverse=True)
    dtype = _type_for(query, hierarchy)
    k = len(query.sources)
    if k * len(columns) <= FEW_PAIRS:
        pairs = np.repeat(query.sources, len(columns)), np.tile(columns, k)
        rows = find_pairs(hierarchy, *pairs, dtype, 1).reshape(k, len(columns))
    else:
        rows = fill_table(hierarchy, query.sources, columns, dtype, plan.threads, query.progress)
    if query.cutoff is not None:
        rows[rows > limits.as_type(query.cutoff, dtype)] = limits.unreached(dtype)
    return Found(rows if len(columns) == len(back) and (back[:-1] <= back[1:]).all() else rows[:, back], True)


def _type_for(query: Query, hierarchy: Hierarchy) -> np.dtype:
    """Return the first distance type that certainly holds all distances."""
    heaviest = query.graph.max_weight
    fits = [t for t in query.types if t.kind == "f" or hierarchy.high + heaviest < np.iinfo(t).max]
    return fits[0] if fits else query.types[-1]


def _by_blocks(filling: Filling) -> Found:
    """Fill a table from blocks of whole rows, of which only some columns are kept."""
    query, plan, columns = filling.query, filling.plan, filling.columns
    k, done = len(query.sources), _Count()
    limit = columns if query.graph.min_weight >= 0 else None  # otherwise paths may leave the limit and return
    found = Found(np.empty((k, len(columns)), plan.dtype), False)
    with watcher(query.progress, k, done) as watch:

        def show(now: int, of: int) -> None:
            done.now = now
            if watch is not None:
                watch()

        for low in range(0, k, filling.block):
            sources = query.sources[low : low + filling.block]
            part = replace(query, sources=sources, method=plan.method, targets=limit, progress=show if watch else False)
            result = solve(part)
            _note(found, result)
            found.rows[low : low + len(sources)] = result.rows[:, columns]
            done.before, done.now = done.before + len(sources), 0
    return found


def _note(found: Found, result: Distances) -> None:
    """Keep what a block found beside its distances; widen the table if the block has a wider type."""
    if result.rows.dtype != found.rows.dtype:
        found.rows = _as_type(found.rows, result.rows.dtype)
    found.rounded |= result.rounded
    found.distances = result
    for name, value in (result.stats or {}).items():
        if name in ("relaxations", "compile_seconds"):
            found.notes[name] = found.notes.get(name, 0) + value
        elif name in ("instead", "queue"):
            found.notes[name] = value


def _as_type(rows: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return distances in another type, with its mark for the unreached."""
    if rows.dtype == dtype:
        return rows
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(rows == limits.unreached(rows.dtype), limits.unreached(dtype), rows.astype(dtype))


def search_again(table: Table, rows: Sequence[int], targets: np.ndarray | None) -> Distances:
    """Return whole rows of a table, with sums along the path; complete up to some targets if these are given."""
    graph = table.graph
    negative, several = graph.min_weight < 0, len(rows) > 1
    query = check(
        graph,
        table.source_indices[list(rows)],
        seeds=table.seeds,
        starts=table.starts,
        direction=table.direction,
        method=("johnson" if several else "frontier") if negative else "dijkstra",
        device="cpu",
        cutoff=table.cutoff if targets is None else None,
        dtype=table.rows.dtype if table.rows.dtype.kind == "f" else None,
        threads=getattr(table.plan, "threads", None),
    )
    return solve(query if targets is None or negative else replace(query, targets=targets))
