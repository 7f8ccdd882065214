"""What writing a store will take: bytes of memory and of the disk, and seconds, by a sample of its blocks."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ...elimination.build import Hierarchy
from ...engine.planner import Plan
from ...engine.query import Query
from ...engine.solve import plan_query
from .codec import require_numcodecs
from .form import Form
from .job import PENDING, Job
from .settling import AllAtOnce, ByBlocks, Settler
from .writer import decide

SAMPLES = 6  # groups of blocks that are computed, spread over all


def plan_store(query: Query, targets: np.ndarray | None) -> Plan:
    """Return the plan for a store: what it takes of memory, and, by a sample, of the disk and of time."""
    require_numcodecs()
    began = time.perf_counter()
    decided, settler, plan = decide(query, targets)
    job = Job(None, decided.form, settler, decided.order, query.threads)
    ready = time.perf_counter() - began
    stored, seconds = sample(job)
    form = decided.form
    needed = memory_of(decided.query, plan, form, settler, round(stored / max(1, form.blocks)))
    changes: dict[str, Any] = {"host_bytes" if plan.gpu else "bytes": needed}
    return replace(
        plan, rows=form.rows, n=form.columns, table=targets is not None, why=decided.own["plan"]["why"],
        stored_bytes=round(stored), seconds=ready + seconds, **changes,
    )  # fmt: skip


def sample(job: Job) -> tuple[float, float]:
    """Return the bytes and the seconds that all blocks should take, by some of them."""
    form = job.form
    if not form.blocks:
        return 0.0, 0.0
    together = max(1, job.settler.rows_at_once // form.block)
    groups = -(-form.blocks // together)
    chosen = np.unique(np.linspace(0, groups - 1, min(SAMPLES, groups)).round().astype(int)).tolist()
    sizes, seconds, rows = 0, 0.0, 0
    job.encode(list(range(min(together, form.blocks))))  # loads or compiles what the first block needs
    for i in chosen:
        some = range(i * together, min((i + 1) * together, form.blocks))
        began = time.perf_counter()
        sizes += sum(map(len, job.encode(list(some))))
        seconds += time.perf_counter() - began
        rows += sum(len(form.rows_of(b)) for b in some)
    return sizes * form.rows / max(1, rows), seconds * form.rows / max(1, rows)


def memory_of(query: Query, plan: Plan, form: Form, settler: Settler, packed: int) -> int:
    """Return the bytes of memory that a job takes beside the graph; ``packed``: those of a block on the disk."""
    rooms = 2 * query.threads * form.part_bytes + (PENDING + 1) * packed
    order = PER_VERTEX * query.graph.n
    if isinstance(settler, AllAtOnce):
        return settler.rows.nbytes + rooms + order
    assert isinstance(settler, ByBlocks)
    k, hierarchy = settler.rows_at_once, settler.prepare()
    if not isinstance(hierarchy, Hierarchy):
        return plan_query(query.but(sources=query.sources[:k])).bytes + rooms + order
    rows = k * plan.n * form.dtype.itemsize
    own = BUILT * hierarchy.nbytes + query.threads * (SWEPT + hierarchy.layout.dtype.itemsize) * plan.n
    return round(own) + rows + rooms + order


# Measured as anonymous memory of fresh processes. New York, Sao Paulo: the walk, the bound and the names take 29 and 30
# bytes per vertex; building leaves 1.06 and 1.28 times the bytes of the hierarchy and takes up to 1.7 for a moment,
# when no rows are there yet; the work space of a sweep 19 and 18 bytes per vertex with int32.
PER_VERTEX, BUILT, SWEPT = 30, 1.3, 14
