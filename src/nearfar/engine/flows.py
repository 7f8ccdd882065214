"""Demand between pairs of vertices, loaded on the arcs: all of it on the one path of the source's tree.

Rows come in blocks; their trees are those of `Distances.predecessors`, whatever method finds the rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..devices import cpu
from ..progress import watcher
from ..results import Distances
from .blocks import Done, RowBlocks
from .query import Query


@dataclass(frozen=True)
class Demand:
    """Demand by origin: that of ``origins[i]`` goes to ``targets[starts[i]:starts[i + 1]]``, in these amounts."""

    origins: np.ndarray
    starts: np.ndarray
    targets: np.ndarray
    amounts: np.ndarray

    def of(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the targets of an origin, and the amounts."""
        some = slice(int(self.starts[i]), int(self.starts[i + 1]))
        return self.targets[some], self.amounts[some]


def by_origin(origins: np.ndarray, targets: np.ndarray, amounts: np.ndarray) -> Demand:
    """Return demand sorted by origin; pairs without demand are left out."""
    there = np.flatnonzero(amounts > 0)
    order = there[np.argsort(origins[there], kind="stable")]
    rows, first = np.unique(origins[order], return_index=True)
    starts = np.append(first, len(order)).astype(np.int64)
    return Demand(rows.astype(np.int32), starts, targets[order].astype(np.int32), amounts[order])


def load_flows(query: Query, demand: Demand) -> tuple[np.ndarray, float, dict[str, Any]]:
    """Return the flow on every arc, the demand that has no path, and the plan and stats of the run."""
    from ..kernels.cpu.flows import load_tree

    began, graph = time.perf_counter(), query.graph
    parts: list[np.ndarray] = []
    lost: list[float] = []

    def new_loader(block: Distances, first: int) -> Callable[[], Callable[[int], None]]:
        trees, used = block.predecessors, list(parts)  # the workers of the block before have ended

        def new_worker() -> Callable[[int], None]:
            hanging, order = np.empty(graph.n, np.int32), np.empty(graph.n, np.int32)
            flow, loads = np.zeros(graph.n), _new_part(used, parts, graph.m)

            def load(r: int) -> None:
                some = demand.of(first + r)
                source = block.source_indices[r]
                lost.append(load_tree(graph.offsets, graph.arcs, source, trees[r], hanging, order, flow, *some, loads))

            return load

        return new_worker

    plan = _each_block(query, new_loader, query.threads * (16 * graph.n + 8 * graph.m))
    total = parts[0] if parts else np.zeros(graph.m)
    for part in parts[1:]:
        total += part
    stats = {"method": plan.method, "device": plan.device, "seconds": time.perf_counter() - began}
    return total, float(sum(lost)), {"plan": plan, "stats": stats}


def _new_part(used: list[np.ndarray], parts: list[np.ndarray], m: int) -> np.ndarray:
    """Return loads of arcs that nobody adds to now: one of those that were used before, or a new one."""
    try:
        return used.pop()
    except IndexError:
        parts.append(made := np.zeros(m))
        return made


def find_users(query: Query, demand: Demand, chosen: np.ndarray) -> np.ndarray:
    """Return for every entry of a demand whether its path leads over an arc that is chosen."""
    from ..kernels.cpu.flows import mark_users

    graph = query.graph
    found = np.zeros(len(demand.targets), bool)

    def new_marker(block: Distances, first: int) -> Callable[[], Callable[[int], None]]:
        trees = block.predecessors

        def new_worker() -> Callable[[int], None]:
            hanging, order = np.empty(graph.n, np.int32), np.empty(graph.n, np.int32)
            uses = np.empty(graph.n, bool)

            def mark(r: int) -> None:
                mark_users(graph.offsets, graph.arcs, trees[r], hanging, order, chosen, uses)
                low, high = demand.starts[first + r : first + r + 2]
                found[low:high] = uses[demand.targets[low:high]]

            return mark

        return new_worker

    _each_block(query, new_marker, query.threads * 9 * graph.n)
    return found


def _each_block(
    query: Query, new_worker: Callable[[Distances, int], Callable[[], Callable[[int], None]]], beside: int
) -> Any:
    """Do something with every row of a query, on all threads, block after block; return the plan.

    A block has rows and as many trees, hence two buffers; ``beside``: the bytes that the workers need.
    """
    blocks, done = RowBlocks(query, buffers=2, beside=beside), Done()
    with watcher(query.progress, len(query.sources), done) as watch:
        for i in range(len(blocks)):
            block = blocks.settle(i, done.show(watch))
            count = len(block.rows)
            cpu.share_out(new_worker(block, i * blocks.size), count, query.threads, np.zeros(1, np.int64))
            done.add(count)
            del block  # the next one takes its memory
    return blocks.plan
