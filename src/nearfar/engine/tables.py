"""Tables: distances between two lists of vertices, without all their rows in memory at once.

Rows are settled a block at a time, and only the columns of the targets are kept. Rows start at the sources, or, if
there are fewer targets, at the targets, against the direction of the arcs. A search stops when its columns are settled.
A prepared graph sweeps only the ancestors of the targets (elimination/tables.py), and finds a few pairs one by one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..devices import cpu
from ..devices.arrays import DeviceArray
from ..elimination.build import Hierarchy
from ..graph import Graph
from ..methods.prepared import hierarchy_for
from ..methods.problem import Controls
from ..progress import watcher
from ..results import Distances, Table, limits
from .blocks import Done
from .out import require_host, take_out
from .planner import Plan, too_large
from .query import PreparedGraph, Query, check
from .run import new_problem
from .solve import plan_query, solve
from .streaming import may_reverse
from .tuning import FEW_PAIRS, TABLE_BLOCK


@dataclass(frozen=True)
class Filling:
    """How a table is filled: the query whose rows are settled, which of their columns are kept, and the plan."""

    query: Query
    columns: np.ndarray
    flipped: bool  # whether rows start at the targets
    plan: Plan
    size: int  # bytes of the table itself, if it has to be made
    block: int  # how many rows are settled at a time


@dataclass
class Found:
    """The distances of a table in the order in which they are searched, and what is noted meanwhile.

    ``rows`` is the table, or a view of it with rows and columns exchanged.
    """

    rows: np.ndarray
    rounded: bool = False
    notes: dict[str, Any] = field(default_factory=dict)
    distances: Distances | None = None  # of the last block


Fill = Callable[[Filling, Found], None]
"""What fills a table: this process, or the workers of a cluster."""


def solve_table(
    graph: Graph | PreparedGraph,
    sources: np.ndarray,
    targets: np.ndarray,
    *,
    single: bool = False,
    out: Any = None,
    **given: Any,
) -> Table:
    """Plan a table, fill it, and return it; ``given``: arguments of `check`."""
    query, taken = take_table(graph, sources, targets, single, out, given)
    return answer_table(query, targets, taken, single)


def answer_table(
    query: Query, targets: np.ndarray, taken: np.ndarray | None = None, single: bool = False, fill: Fill | None = None
) -> Table:
    """Plan and fill the table of a checked query; ``taken``: the array to fill, if one was given."""
    began, sources = time.perf_counter(), query.sources
    filling = plan_table(query, targets)
    if taken is not None:
        filling = replace(filling, size=0)
    _require_memory(filling)
    table = np.empty((len(sources), len(targets)), filling.plan.dtype) if taken is None else taken
    found = Found(table.T if filling.flipped else table)
    (fill or _fill)(filling, found)
    rows = found.rows.T if filling.flipped else found.rows
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


def part_of_table(query: Query, columns: np.ndarray, pairs: bool) -> Found:
    """Return some rows of a larger table, as `answer_table` would find them; ``pairs``: as `finds_pairs` decided."""
    plan, k = plan_query(query), len(query.sources)
    size, row = k * len(columns) * plan.dtype.itemsize, query.graph.n * plan.dtype.itemsize
    filling = Filling(query, columns, False, plan, size, _rows_at_once(query, plan, size, row))
    found = Found(np.empty((k, len(columns)), plan.dtype))
    _fill(filling, found, pairs)
    return found


def finds_pairs(k: int, columns: np.ndarray) -> bool:
    """Tell whether a table over a hierarchy is so small that its pairs are found one by one."""
    return k * len(np.unique(columns)) <= FEW_PAIRS


def _fill(filling: Filling, found: Found, pairs: bool | None = None) -> None:
    """Fill a table here; ``pairs``: whether to find them one by one over a hierarchy, if that was decided."""
    if not _by_hierarchy(filling, found, pairs):
        _by_blocks(filling, found)


def take_table(
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
    taken = take_out(require_host({"out": out}, "a table")["out"], (len(sources), len(targets)), single, fitting)
    assert not isinstance(taken, DeviceArray)
    return (query if taken is None else replace(query, types=(taken.dtype,))), taken


def plan_table(query: Query, targets: np.ndarray) -> Filling:
    """Decide from which side the table is searched, and how; floats are flipped only if no method is named."""
    free = query.method == "auto" or query.types[0].kind == "i"
    memory = cpu.facts().memory if query.memory is None else query.memory
    flipped = (
        len(targets) < len(query.sources) and query.hierarchy is None and free and may_reverse(query.asked, memory)
    )
    columns, why = targets, ""
    if flipped:
        columns, why = query.sources, "fewer targets than sources: searched from the targets; "
        direction = "to" if query.direction == "from" else "from"
        searched = query.asked if direction == "from" else query.asked.reversed
        query = replace(query, sources=targets, direction=direction, graph=searched)
    alone = len(query.sources) == 1 and query.graph.min_weight >= 0
    plan = plan_query(replace(query, targets=columns if alone else None, out=None))
    shape = (len(columns), len(query.sources)) if flipped else (len(query.sources), len(columns))
    size, row = shape[0] * shape[1] * plan.dtype.itemsize, query.graph.n * plan.dtype.itemsize
    block = _rows_at_once(query, plan, size, row)
    whole = len(query.sources) * row  # what the plan counts for an answer of whole rows
    needs: dict[str, Any] = (
        {"host_bytes": size + block * row} if plan.gpu else {"bytes": plan.bytes - whole + size + block * row}
    )
    plan = replace(plan, rows=shape[0], n=shape[1], why=why + plan.why, table=True, **needs)
    return Filling(query, columns, flipped, plan, size, block)


def _rows_at_once(query: Query, plan: Plan, size: int, row: int) -> int:
    """Return how many rows are settled at a time: few enough for the memory that the table leaves."""
    if plan.method == "floyd":
        return len(query.sources)
    available = plan.host_available if plan.gpu else plan.available
    rows = max(plan.threads, min(TABLE_BLOCK, (available - size) // 2) // max(1, row))
    return min(rows, len(query.sources))


def _require_memory(filling: Filling) -> None:
    """Refuse a table that does not fit into memory; blocks of rows are planned with what it leaves."""
    plan = filling.plan
    available = plan.host_available if plan.gpu else plan.available
    if filling.size > available:
        what = f"a table of {plan.rows:,} x {plan.n:,} distances as {plan.dtype.name} needs"
        raise too_large(what, filling.size, available, "Ask for fewer sources at a time")


def _by_hierarchy(filling: Filling, found: Found, pairs: bool | None) -> bool:
    """Fill a table over a hierarchy; return whether there is one, and single rows are not faster."""
    query, plan = filling.query, filling.plan
    if plan.method != "prepared" or plan.gpu or query.seeds is not None:
        return False
    problem, _ = new_problem(query, replace(plan, renumber=False), query.types[-1])
    controls = Controls(threads=plan.threads, memory=plan.available)
    hierarchy = hierarchy_for(problem, len(query.sources), controls)
    if not isinstance(hierarchy, Hierarchy) or hierarchy.by_rows:
        return False
    columns, back = np.unique(filling.columns, return_inverse=True)
    certain = certain_type(query.types, query.graph, hierarchy)
    pairs = len(query.sources) * len(columns) <= FEW_PAIRS if pairs is None else pairs
    rows = _swept(filling, hierarchy, columns, certain or np.dtype(np.int64), found.rows, pairs)
    if query.cutoff is not None:
        rows[rows > limits.as_type(query.cutoff, rows.dtype)] = limits.unreached(rows.dtype)
    if certain is None and not _fits(rows, query.types[-1]):
        raise limits.overflow(query.graph, query.types[-1], given=False)
    if rows is not found.rows:
        store_rows(found, rows if certain else limits.in_type(rows, query.types[-1]), slice(None), back)
    found.rounded = True
    return True


def _swept(
    filling: Filling, hierarchy: Hierarchy, columns: np.ndarray, dtype: np.dtype, table: np.ndarray, pairs: bool
) -> np.ndarray:
    """Return the distances of different columns: in ``table`` itself, if that is how it is made."""
    from ..elimination.tables import fill_table, find_pairs

    query, k = filling.query, len(filling.query.sources)
    if pairs:
        ends = np.repeat(query.sources, len(columns)), np.tile(columns, k)
        return find_pairs(hierarchy, *ends, dtype, 1).reshape(k, len(columns))
    direct = dtype == table.dtype and np.array_equal(columns, filling.columns)
    out = table if direct else np.empty((k, len(columns)), dtype)
    fill_table(hierarchy, query.sources, columns, out, filling.plan.threads, query.progress)
    return out


def certain_type(types: Sequence[np.dtype], graph: Graph, hierarchy: Hierarchy) -> np.dtype | None:
    """Return the first distance type that certainly holds all distances of a hierarchy, if one does."""
    heaviest = graph.max_weight
    return next((t for t in types if t.kind == "f" or hierarchy.high + heaviest < np.iinfo(t).max), None)


def _fits(rows: np.ndarray, dtype: np.dtype) -> bool:
    """Tell whether all distances fit into a type."""
    reached = rows[rows != limits.unreached(rows.dtype)]
    return dtype.kind == "f" or not len(reached) or bool(reached.max() < limits.unreached(dtype))


def _by_blocks(filling: Filling, found: Found) -> None:
    """Fill a table from blocks of whole rows, of which only some columns are kept."""
    query, plan, columns = filling.query, filling.plan, filling.columns
    k, done = len(query.sources), Done()
    limit = columns if query.graph.min_weight >= 0 else None  # otherwise paths may leave the limit and return
    memory = query.memory if plan.gpu else max(1, plan.available - filling.size)
    query = replace(query, method=plan.method, targets=limit, memory=memory)
    with watcher(query.progress, k, done) as watch:
        query = replace(query, progress=done.show(watch))
        for low in range(0, k, max(1, filling.block)):  # an empty graph has no rows
            sources = query.sources[low : low + filling.block]
            types = [t for t in query.types if t.itemsize >= found.rows.dtype.itemsize]  # none that was too narrow
            result = solve(replace(query, sources=sources, types=tuple(types or query.types)))
            _note(found, result)
            store_rows(found, result.rows, slice(low, low + len(sources)), columns)
            done.add(len(sources))


def store_rows(found: Found, rows: np.ndarray, where: slice, columns: Any = slice(None)) -> None:
    """Keep some columns of rows; if these have a wider type than the table, it gets that type."""
    if rows.dtype.itemsize > found.rows.dtype.itemsize:
        wider = np.empty_like(found.rows, rows.dtype)  # in the same order in memory
        wider[...] = limits.in_type(found.rows, rows.dtype)
        found.rows = wider
    found.rows[where] = limits.in_type(rows[:, columns], found.rows.dtype)


def _note(found: Found, result: Distances) -> None:
    """Keep what a block reports beside its distances."""
    found.rounded |= result.rounded
    found.distances = result
    for name, value in (result.stats or {}).items():
        if name in ("relaxations", "compile_seconds", "batches", "blocks_read", "bytes_read", "passes"):
            found.notes[name] = found.notes.get(name, 0) + value
        elif name in ("instead", "queue"):
            found.notes[name] = value


def search_again(table: Table, rows: Sequence[int], targets: np.ndarray | None) -> Distances:
    """Return whole rows of a table, with sums along the path; complete up to some targets if these are given."""
    graph = table.graph
    negative, several = graph.min_weight < 0, len(rows) > 1
    method = ("johnson" if several else "frontier") if negative else "dijkstra"
    streamed = getattr(table.plan, "method", "") == "streamed"
    query = check(
        graph,
        table.source_indices[list(rows)],
        seeds=table.seeds,
        starts=table.starts,
        direction=table.direction,
        method="streamed" if streamed else method,
        memory=table.plan.available if streamed else None,
        device="cpu",
        cutoff=table.cutoff if targets is None else None,
        dtype=table.rows.dtype if table.rows.dtype.kind == "f" else None,
        threads=getattr(table.plan, "threads", None),
    )
    return solve(query if targets is None or negative else replace(query, targets=targets))
