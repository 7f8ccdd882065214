"""Compile a method's kernels before its threads start, by solving a graph of one vertex."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np

from ..devices import cpu
from ..graph import Graph
from ..graph.blocks import record_type
from ..graph.vertices import Vertices
from ..results.limits import at_zero
from .method import Method
from .problem import Controls, Problem

_compiled: set[tuple[Any, ...]] = set()
_compiling = threading.Lock()


def compile_kernels(method: Method, problem: Problem, threads: int) -> None:
    """Compile what the method needs for these types, by settling one vertex without arcs.

    This runs on its own thread, because Numba and LLVM would swallow an interrupt, or be broken by it. So the caller
    receives Ctrl-C, and the kernels being compiled are finished for the next query.
    """
    graph, width = problem.graph, _width(method, len(problem.sources), threads)
    kind = (method.name, graph.offsets.dtype, record_type(graph.weight_dtype), problem.dtype, width)
    if kind not in _compiled:
        cpu.run(lambda t: _compile(method, problem, width, kind), 1, np.zeros(1, np.int64))


def _width(method: Method, rows: int, threads: int) -> int:
    """Return the logarithm of how many rows are settled together, since kernels differ by it; 512 stands for more."""
    return 0 if method.many is None else min(-(-rows // threads) - 1, 511).bit_length()


def _compile(method: Method, problem: Problem, width: int, kind: tuple[Any, ...]) -> None:
    """Settle one vertex without arcs, once per kind of graph and query."""
    from ..kernels.cpu.rows import greatest, mark_unreached

    graph, dtype = problem.graph, problem.dtype
    with _compiling:
        if kind in _compiled:
            return
        tiny = Graph(np.zeros(2, graph.offsets.dtype), np.empty(0, record_type(graph.weight_dtype)), Vertices(1))
        sources = np.zeros(1 << width, np.int32)
        once = replace(
            problem, graph=tiny, sources=sources, seeds=None, starts=at_zero(dtype), targets=problem.targets[:0],
            delta=None, hierarchy=None,
        )  # fmt: skip
        rows = np.empty((len(sources), 1), dtype)
        if method.many is not None:
            method.many(once, rows, Controls(threads=1))
        else:
            assert method.new_worker is not None
            method.new_worker(once, Controls(threads=1))(sources, rows[0])
        scalar = dtype.type if dtype.kind == "f" else np.int64
        mark_unreached(rows[0], problem.ceiling, scalar(0), scalar(0))
        greatest(rows[0], dtype.type(0), dtype.type(0))
        _compiled.add(kind)
