"""What writing a store will take: bytes of memory and of the disk, and seconds, by a sample of its blocks."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ...engine.planner import Plan
from ...engine.query import Query
from .codec import require_numcodecs
from .form import Form
from .job import PENDING, Job
from .settling import AllAtOnce, Settler
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
    changes: dict[str, Any] = {"host_bytes" if plan.gpu else "bytes": memory_of(plan, form, settler, query.threads)}
    return replace(
        plan, rows=form.rows, n=form.columns, table=targets is not None, why=decided.own["plan"]["why"],
        stored_bytes=round(stored), seconds=ready + seconds, **changes,
    )  # fmt: skip


def sample(job: Job) -> tuple[float, float]:
    """Return the bytes and the seconds that all blocks should take, by some of them."""
    form = job.form
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


def memory_of(plan: Plan, form: Form, settler: Settler, threads: int) -> int:
    """Return the bytes of memory that a job takes: what the plan says, and the blocks that are compressed."""
    rooms = 2 * threads * form.part_bytes
    held = settler.rows.nbytes if isinstance(settler, AllAtOnce) else 0
    packed = min(PENDING * form.block, form.rows) * form.columns * form.dtype.itemsize // LEAST_RATIO
    return plan.bytes * (0 if held else 1) + held + rooms + packed


LEAST_RATIO = 8  # by which differences become smaller, at least, on graphs that were measured
