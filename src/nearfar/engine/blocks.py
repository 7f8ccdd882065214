"""The rows of a query in blocks: planned and prepared once for all rows, settled some at a time, in bounded memory.

Whatever needs many rows but not all of them at once (streams, folds) takes them from here. The method is the one that
is best for all rows together, and a hierarchy is built once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..description import format_bytes
from ..errors import DistanceOverflowError, MemoryLimitError, in_python, option
from ..kernels.cpu.constants import LANES
from ..methods.prepared import hierarchy_for
from ..methods.problem import Controls
from ..results import Distances, limits
from .planner import Plan
from .query import Query
from .run import new_problem
from .solve import plan_query, solve
from .tuning import BLOCK_BYTES, BLOCK_ROWS


class RowBlocks:
    """The rows of a query, a block at a time.

    Parameters
    ----------
    query : Query
    block : int, optional
        Rows in a block; by default as many as make a block worth starting.
    buffers : int
        How many blocks are in memory at once.
    plan : Plan, optional
        The plan for all rows, if it is known.
    beside : int
        Bytes that are needed beside blocks and work space.

    Attributes
    ----------
    plan : Plan
        The plan for all rows; ``bytes`` counts the blocks that are in memory, not all rows.
    size : int
        Rows in a block.
    """

    def __init__(
        self, query: Query, block: int | None = None, buffers: int = 1, plan: Plan | None = None, beside: int = 0
    ) -> None:
        self.query = query
        whole = plan_query(query) if plan is None else plan
        self._row = whole.n * whole.dtype.itemsize
        own = beside + (0 if whole.gpu else whole.bytes - whole.rows * self._row)  # work space
        available = whole.host_available if whole.gpu else whole.available
        self.size = self._rows_of(whole.method, block, buffers, available - own)
        needs = own + buffers * self.size * self._row
        if needs > available:
            raise MemoryLimitError(
                f"{buffers * self.size:,} rows of {whole.n:,} distances with their work space need "
                f"{format_bytes(needs)}; {format_bytes(available)} may be used. Allow more memory, or use fewer "
                f"{option('threads')}{in_python(', or smaller blocks where there are any')}.",
                needs,
                available,
            )
        changes: dict[str, Any] = {"host_bytes": needs} if whole.gpu else {"bytes": needs}
        self.plan = replace(whole, **changes)
        self._types, self._spare = list(query.types), list[np.ndarray]()
        self._hierarchy: Any = query.hierarchy

    def _rows_of(self, method: str, block: int | None, buffers: int, room: int) -> int:
        """Return how many rows a block has: as asked, or as many as are worth starting and fit into memory."""
        k = len(self.query.sources)
        if block is not None or method == "floyd":
            return max(1, min(k, k if block is None else block))
        least = (BLOCK_ROWS if method == "bfs" else LANES) * self.query.threads
        wanted = max(least, BLOCK_BYTES // max(1, self._row))
        return max(1, min(wanted, k, room // max(1, buffers * self._row)))

    def __len__(self) -> int:
        return -(-len(self.query.sources) // self.size)

    @property
    def hierarchy(self) -> Any:
        """The hierarchy of all rows, if one was given or `prepare` has built it, or why there is none."""
        return self._hierarchy

    def prepare(self, controls: Controls) -> Any:
        """Build the hierarchy of all rows, if the plan needs one; return it, or why there is none."""
        if self.plan.method == "prepared" and self._hierarchy is None:
            problem, _ = new_problem(self.query, replace(self.plan, renumber=False), self._types[-1])
            self._hierarchy = hierarchy_for(problem, len(self.query.sources), controls)
        return self._hierarchy

    def settle(self, i: int, progress: Any = False) -> Distances:
        """Settle block ``i``; if a distance does not fit its type, this block and the following have the next type."""
        return self.settle_rows(self.query.sources[i * self.size : (i + 1) * self.size], progress)

    def settle_rows(self, sources: np.ndarray, progress: Any = False) -> Distances:
        """Settle the rows of some sources, at most as many as a block has, as `settle` does."""
        self.prepare(Controls(threads=self.query.threads, memory=self.plan.available))
        while True:
            dtype = self._types[0]
            rows = self._buffer(dtype)[: len(sources)]
            changes: dict[str, Any] = {
                "sources": sources, "out": rows, "types": (dtype,), "method": self.plan.method,
                "devices": self.plan.devices or ("cpu",), "hierarchy": self._hierarchy, "progress": progress,
            }  # fmt: skip
            try:
                return solve(self.query.but(**changes))
            except DistanceOverflowError:
                if len(self._types) == 1:
                    raise limits.too_heavy(self.query.graph, dtype) from None
                del self._types[0], rows, changes
                self._spare.clear()

    def _buffer(self, dtype: np.dtype) -> np.ndarray:
        """Return room for a block: what nobody refers to any more is used again, since fresh memory is slow."""
        for buffer in self._spare:
            if sys.getrefcount(buffer) == FREE:
                return buffer
        self._spare.append(np.empty((self.size, self.plan.n), dtype))
        return self._spare[-1]


class Done:
    """How many rows are done, for the progress bar: those of earlier blocks, and some of this one."""

    def __init__(self) -> None:
        self.before = self.now = 0

    def __len__(self) -> int:
        return self.before + self.now

    def show(self, watch: Callable[[], None] | None) -> Any:
        """Return the progress of a block: a function that has the rows of all blocks shown, False if nobody watches."""
        if watch is None:
            return False

        def update(now: int, of: int) -> None:
            self.now = now
            watch()

        return update

    def add(self, rows: int) -> None:
        """Count the rows of a block that is done."""
        self.before, self.now = self.before + rows, 0


FREE = 3  # references to a buffer that nobody holds: the list, the loop, and the argument of getrefcount
