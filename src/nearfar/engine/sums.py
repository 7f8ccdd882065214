"""Sums over the rows of a prepared graph, without the rows: on the CPU, or on GPUs, which send one number per row."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from ..elimination.build import Hierarchy
from ..elimination.tables import sum_rows
from ..errors import DeviceError
from ..methods.problem import Controls
from ..progress import watcher
from .planner import Plan
from .query import Query
from .run import new_problem
from .solve import plan_query


def find_sums(query: Query) -> np.ndarray:
    """Return the sum of the distances from every source; if a GPU that "auto" chose fails, the CPU takes over."""
    hierarchy = query.hierarchy
    assert isinstance(hierarchy, Hierarchy)
    plan = plan_query(query)
    if plan.gpu is not None and plan.rows:
        try:
            return _sums_on_gpus(query, plan, hierarchy)
        except DeviceError as error:
            if query.devices != ("auto",):
                raise
            said = f"{plan.device} failed, so the CPU adds up the rows: {error}"
            warnings.warn(said, RuntimeWarning, stacklevel=3)  # sums have no plan that could say so
    return sum_rows(hierarchy, query.sources, query.threads, query.progress)


def _sums_on_gpus(query: Query, plan: Plan, hierarchy: Hierarchy) -> np.ndarray:
    """Return the sums that GPUs find."""
    from ..gpu.reductions import reduce_rows

    replace(plan, host_bytes=0).require_memory()  # no rows come to the host
    assert plan.gpu is not None
    problem, _ = new_problem(query, plan, hierarchy.layout.dtype)
    controls = Controls(threads=plan.threads)
    with watcher(query.progress, plan.rows, controls.done) as watch:
        controls.watch = watch or controls.watch
        return reduce_rows(plan.gpu, problem, ("sum",), controls)["sum"]
