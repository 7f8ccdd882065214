"""Compile a method's kernels before its threads start."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np

from ..devices import cpu
from ..graph import Graph
from ..vertices import Vertices
from .method import Job, Method

_compiled: set[tuple[Any, ...]] = set()
_compiling = threading.Lock()


def compile_kernels(method: Method, job: Job) -> None:
    """Compile what the method needs for these types, before its threads start, by settling one vertex without arcs.

    On a thread of its own: an interrupt inside Numba or LLVM would be swallowed there, or break what it interrupts. The
    caller hears it, and what is being compiled is finished for the next query.
    """
    graph, dtype = job.graph, job.rows.dtype
    kind = (method.name, graph.offsets.dtype, graph.arcs.dtype, dtype, _width(method, job))
    if kind not in _compiled:
        cpu.run(lambda t: _compile(method, job, kind), 1, np.zeros(1, np.int64))


def _width(method: Method, job: Job) -> int:
    """Return which power of two rows go together, where the kernels differ by it; 512 are as good as more."""
    return 0 if method.many is None else min(-(-len(job.rows) // job.threads) - 1, 511).bit_length()


def _compile(method: Method, job: Job, kind: tuple[Any, ...]) -> None:
    """Settle one vertex without arcs, once for each kind."""
    from ..kernels.rows import greatest, mark_unreached

    graph, dtype = job.graph, job.rows.dtype
    with _compiling:
        if kind in _compiled:
            return
        tiny = Graph(np.zeros(2, graph.offsets.dtype), graph.arcs[:0], Vertices(1))
        k = 1 << _width(method, job)
        rows, starts = np.empty((k, 1), dtype), np.zeros(k, np.int32)
        row = rows[0]
        once = replace(job, graph=tiny, rows=rows, sources=starts, seeds=None, targets=job.targets[:0])
        once = replace(once, notes={}, shared={}, delta=None, threads=1, done=[], finish=lambda r: None)
        if method.many is not None:
            method.many(once)
        else:
            assert method.new_worker is not None
            method.new_worker(once)(starts, row)
        scalar = dtype.type if dtype.kind == "f" else np.int64
        mark_unreached(row, job.ceiling, scalar(0), scalar(0))
        greatest(row, dtype.type(0), dtype.type(0))
        _compiled.add(kind)
