"""Where the rows of a stored matrix come from: settled a block at a time, or all at once where that is the only way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ...engine.blocks import RowBlocks
from ...engine.planner import Plan
from ...engine.query import Query
from ...engine.tuning import BLOCK_ROWS
from ...kernels.cpu.constants import LANES
from ...methods.problem import Controls
from .codec import NO_COLUMNS
from .form import Form

# Blocks are in memory as rows, as parts that are being compressed, and compressed: at most as many bytes, where nothing
# can be compressed. So a group of blocks may have a fourth of the memory.
SHARES = 4
LEAST_ROWS = 2 * LANES  # rows per thread that are settled at a time


Find = Callable[[Query, "np.ndarray | None"], np.ndarray]
"""Returns the rows of a query, or some columns of them."""


class Settler(Protocol):
    """Settles rows of the matrix, given by their positions among all sources."""

    columns: np.ndarray  # the entries of a row that are stored; all if it is empty
    rows_at_once: int

    def settle(self, positions: np.ndarray, progress: Any) -> np.ndarray:
        """Return some rows."""


class ByBlocks:
    """Rows of all vertices, settled by the method that is best for all of them together, a block at a time."""

    def __init__(self, query: Query, plan: Plan, form: Form, targets: np.ndarray | None) -> None:
        self.columns = NO_COLUMNS if targets is None else targets
        self.rows_at_once = _together(query, plan, form)
        self.blocks = RowBlocks(query, self.rows_at_once, plan=plan)
        self.sources = query.sources

    def prepare(self) -> Any:
        """Build the hierarchy, if the method needs one."""
        query = self.blocks.query
        return self.blocks.prepare(Controls(threads=query.threads, memory=self.blocks.plan.available))

    def settle(self, positions: np.ndarray, progress: Any) -> np.ndarray:
        """Return some rows."""
        return self.blocks.settle_rows(self.sources[positions], progress).rows


def _together(query: Query, plan: Plan, form: Form) -> int:
    """Return how many rows are settled at a time: whole blocks, enough for all threads, few enough for the memory."""
    row = plan.n * plan.dtype.itemsize
    blocks = max(1, min(spare_bytes(plan) // SHARES // max(1, row * form.block), form.blocks))
    least = BLOCK_ROWS if plan.method == "bfs" else LEAST_ROWS
    return form.block * min(blocks, -(-least * query.threads // form.block))


def spare_bytes(plan: Plan) -> int:
    """Return the memory that the method leaves for blocks of rows."""
    if plan.gpu:
        return max(0, plan.host_available)
    return max(0, plan.available - (plan.bytes - plan.rows * plan.n * plan.dtype.itemsize))


class AllAtOnce:
    """Rows that were all found before: where a method finds all pairs together, or where targets are fewer."""

    def __init__(self, rows: np.ndarray, block: int) -> None:
        self.rows, self.columns, self.rows_at_once = rows, NO_COLUMNS, max(block, len(rows) // 8 // block * block)

    def settle(self, positions: np.ndarray, progress: Any) -> np.ndarray:
        """Return some rows."""
        return np.ascontiguousarray(self.rows[positions])


def are_flipped(query: Query, targets: np.ndarray | None) -> bool:
    """Tell whether a matrix of few targets is searched from them; floats are if no method is named."""
    free = query.method == "auto" or query.types[0].kind == "i"
    return targets is not None and len(targets) < len(query.sources) and free


def flipped(query: Query, targets: np.ndarray, find: Find) -> AllAtOnce:
    """Search from the targets, against the direction of the arcs."""
    turned = {"from": "to", "to": "from"}[query.direction]
    searched = query.asked if turned == "from" else query.asked.reversed
    changes: dict[str, Any] = {
        "sources": targets, "direction": turned, "graph": searched, "progress": False, "hierarchy": None,
    }  # fmt: skip
    return AllAtOnce(find(query.but(**changes), query.sources).T, 1)
