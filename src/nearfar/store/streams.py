"""Answers that are written while they are found, one line per reached pair, in bounded memory.

Rows are settled in blocks, the next one while this one is written. A table that fits into memory is filled first;
a larger one is filled some sources at a time. The type of the distances is certain before the first block, since a file
has one type: whatever is more than one block has the type that no distance exceeds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..devices import cpu
from ..engine.blocks import Done, RowBlocks
from ..engine.planner import Plan, too_large
from ..engine.query import Query
from ..engine.run import new_problem
from ..engine.solve import plan_query
from ..engine.tables import plan_table
from ..errors import option
from ..formats.io.whole import whole_file
from ..methods.prepared import hierarchy_for
from ..methods.problem import Controls
from ..progress import watcher
from ..results import Distances, Table
from .hands import HERE, Hands
from .labels import bytes_of_labels
from .lines import Pairs, facts_of, lines_of, pair_lines, pairs_of
from .matrix.bounds import certain_type
from .matrix.writer import plan_rows
from .sheets import GROUP, Sheet, open_sheet, sheet_ending
from .written import Written

LINE_BYTES = 96  # of memory per line of a row group: indices that wait, their copies, columns that are compressed
SHARE = 4  # lines may take this part of the memory
TABLE_SHARE = 3  # and a part of a table this of what the method leaves; the rest is for rows and for copies
BUFFERS = 3  # blocks of rows: one is settled, one waits, one is written

Found = Distances | Table
Fold = Callable[[Found], None]


@dataclass(frozen=True)
class Room:
    """Memory that lines take, and what they leave."""

    query: Query  # whose memory is what they leave
    group: int  # the lines of a row group
    bytes: int

    @classmethod
    def of(cls, query: Query) -> Room:
        """Decide how many lines are in memory at a time."""
        available = cpu.facts().memory if query.memory is None else query.memory
        group = max(1, min(GROUP, available // SHARE // LINE_BYTES))
        size = group * LINE_BYTES + bytes_of_labels(query.asked.names)
        left = None if query.memory is None else max(1, query.memory - size)
        return cls(query.but(memory=left), group, size)


def write_table(
    query: Query, targets: np.ndarray | None, path: str, fold: Fold | None = None, hands: Hands = HERE
) -> Written:
    """Write the rows of a query, or some columns of them, to a .csv, .csv.gz or .parquet file.

    Parameters
    ----------
    query : Query
        The sources, in the order asked, and all options.
    targets : int32 array, optional
        The vertices of the columns.
    path : str
    fold : function, optional
        Called with every block of the answer, when its lines are written.
    hands : Hands
        Who finds the rows; this process writes them, since a file has one writer.
    """
    query = hands.accept(query)
    room, began = Room.of(query), time.perf_counter()
    plan, found = _rows(room, hands) if targets is None else _tables(room, targets, hands)
    with whole_file(path) as file, closing(found):
        filled = _Filled(query, targets, room.group, fold)
        filled.take(found, file, sheet_ending(path) or "")
    seconds = time.perf_counter() - began - filled.stats["compile_seconds"]
    stats = {"method": plan.method, "device": plan.device, **filled.stats, "seconds": seconds}
    columns = query.asked.n if targets is None else len(targets)
    return Written(
        path, len(query.sources), columns, filled.lines, os.path.getsize(path), filled.dtype, query.direction,
        query.cutoff, filled.rounded, plan, stats,
    )  # fmt: skip


class _Filled:
    """A file that is filled: what is known of its lines."""

    def __init__(self, query: Query, targets: np.ndarray | None, group: int, fold: Fold | None) -> None:
        self.query, self.targets, self.group, self.fold = query, targets, group, fold
        self.lines, self.rounded, self.dtype = 0, False, query.types[0]
        self.stats: dict[str, Any] = {"compile_seconds": 0.0}

    def take(self, found: Iterator[Found], file: Any, ending: str) -> None:
        """Write the lines of all blocks."""
        with ExitStack() as open_files:
            sheet: Sheet | None = None
            for block in found:
                self.stats["compile_seconds"] += (block.stats or {}).get("compile_seconds", 0.0)
                self.dtype, self.rounded = block.rows.dtype, self.rounded or block.rounded
                sheet = sheet or open_files.enter_context(self._sheet(file, ending))
                self._write(sheet, pairs_of(block))
                if self.fold is not None:
                    self.fold(block)
                del block  # its memory is used again, or the next would find no room
            if sheet is None:
                columns = self.query.asked.n if self.targets is None else len(self.targets)
                nothing = Pairs(
                    self.query.asked.names, self.query.direction, self.query.sources, self.targets,
                    np.empty((0, columns), self.dtype),
                )  # fmt: skip
                self._write(open_files.enter_context(self._sheet(file, ending)), nothing)

    def _sheet(self, file: Any, ending: str) -> Any:
        """Begin the file; what it says of itself is known with the first block."""
        facts = facts_of(self.query.direction, self.query.cutoff, self.dtype, self.rounded)
        return open_sheet(file, ending, facts, self.group)

    def _write(self, sheet: Sheet, pairs: Pairs) -> None:
        """Write the lines of a block."""
        for columns, ends in pair_lines(pairs):
            self.lines += lines_of(columns)
            sheet.write(columns, ends)


def plan_written(query: Query, targets: np.ndarray | None) -> Plan:
    """Return what writing a table would do."""
    room = Room.of(query)
    plan = _row_blocks(room.query).plan if targets is None else _parts(room.query, targets)[0]
    return replace(plan, **_needs(plan, room.bytes))


def _needs(plan: Plan, size: int) -> dict[str, Any]:
    """Return the bytes of a plan and some more."""
    return {"host_bytes": plan.host_bytes + size} if plan.gpu else {"bytes": plan.bytes + size}


def _rows(room: Room, hands: Hands) -> tuple[Plan, Generator[Found]]:
    """Return the plan for all rows, and the blocks of rows."""
    blocks = _row_blocks(room.query)
    return replace(blocks.plan, **_needs(blocks.plan, room.bytes)), (found for found in hands.rows(blocks))


def _row_blocks(query: Query) -> RowBlocks:
    """Return the rows in blocks; if there are several, the type of the distances is certain."""
    blocks = RowBlocks(query, buffers=BUFFERS, plan=plan_rows(query))
    if len(blocks) < 2 or len(query.types) < 2:
        return blocks
    query = query.but(types=(certain_type(query),))
    return RowBlocks(query, buffers=BUFFERS, plan=plan_rows(query))


def _parts(query: Query, targets: np.ndarray) -> tuple[Plan, int]:
    """Return the plan for a table, and how many sources have their part of it in memory at once."""
    filling, k = plan_table(query, targets), len(query.sources)
    plan, row = filling.plan, len(targets) * filling.plan.dtype.itemsize
    rows = filling.block * query.graph.n * plan.dtype.itemsize
    own = 0 if plan.gpu else plan.bytes - filling.size - rows  # work space
    available = plan.host_available if plan.gpu else plan.available
    most = max(1, (available - own) // TABLE_SHARE // max(1, row))
    size = -(-k // -(-k // most))
    if (least := own + size * row + min(rows, plan.threads * query.graph.n * plan.dtype.itemsize)) > available:
        what = f"a part of a table of {k:,} x {len(targets):,} distances, with the work space of {plan.method}, needs"
        raise too_large(what, least, available, f"Use {option('method', 'dijkstra')}")
    needs = own + size * row + min(rows, available - own - size * row)
    changes: dict[str, Any] = {"host_bytes": needs} if plan.gpu else {"bytes": needs}
    return replace(plan, rows=k, n=len(targets), **changes), size


def _tables(room: Room, targets: np.ndarray, hands: Hands) -> tuple[Plan, Generator[Found]]:
    """Return the plan for a table, and the table, or parts of it, if it does not fit into memory."""
    query = room.query
    if query.memory is not None:
        query = query.but(memory=query.memory * 3 // 4)  # columns of rows are copied
    plan, size = _parts(query, targets)
    if size < len(query.sources) and len(query.types) > 1:
        query = query.but(types=(certain_type(query),))
        plan, size = _parts(query, targets)
    return replace(plan, **_needs(plan, room.bytes)), _each(query, targets, plan, size, hands)


def _each(query: Query, targets: np.ndarray, plan: Plan, size: int, hands: Hands) -> Generator[Found]:
    """Yield the table, some sources at a time."""
    k, done = len(query.sources), Done()
    if size < k and plan.method == "prepared" and not plan.gpu and query.hierarchy is None:
        query = query.but(hierarchy=_hierarchy(query), method="prepared")
    with watcher(query.progress, k, done) as watch:
        for low in range(0, k, size):
            some = query.sources[low : low + size]
            yield hands.table(query.but(sources=some, progress=done.show(watch)), targets)
            done.add(len(some))


def _hierarchy(query: Query) -> Any:
    """Build the hierarchy once for all parts of a table, which is then swept from the sources."""
    plan = plan_query(query.but(method="prepared"))
    problem, _ = new_problem(query, replace(plan, renumber=False), query.types[-1])
    return hierarchy_for(problem, len(query.sources), Controls(threads=query.threads, memory=plan.available))
