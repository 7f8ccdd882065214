"""Problems as engine/run.py makes them, for tests of methods and kernels without the engine."""

from __future__ import annotations

import numpy as np

from nearfar.methods.problem import Controls, Problem
from nearfar.results import limits


def problem_for(graph, sources, dtype="int32", seeds=None, cutoff=None, targets=(), threads=1):
    """Return problem, rows and controls as engine/run.py makes them; finished rows are listed as done."""
    dtype = np.dtype(dtype)
    ceiling, zero = limits.ceiling_and_zero(graph, cutoff, dtype)
    sources = np.asarray(sources, np.int32)
    seeds = None if seeds is None else np.unique(np.asarray(seeds, np.int32))
    starts = np.zeros(1 if seeds is None else len(seeds), type(zero))
    problem = Problem(graph, dtype, sources, seeds, starts, ceiling, zero, zero, np.asarray(targets, np.int32))
    controls = Controls(threads=threads)
    controls.finish = controls.done.append
    return problem, np.full((len(sources), graph.n), 77, dtype), controls
