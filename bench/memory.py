"""Measure the peak memory of one query, in a process of its own: ``python bench/memory.py graph.npz source threads``.

Prints a line of JSON. The peak is the highest resident size while the query runs, less the resident size just before,
when the graph is already there: what the query adds, its result included. Compiled kernels are loaded by a query on a
small piece of the graph first. The kernel's high-water mark is reset before the query (Linux); where that cannot be
done, the mark includes the building of the graph and the figure is only an upper bound.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from contextlib import suppress

import numpy as np

import nearfar


def resident_peak() -> int:
    """Return the process's high-water mark in bytes.

    Not ru_maxrss where it can be helped: that also remembers the process that started this one, from before exec.
    """
    with suppress(OSError), open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def reset_peak() -> None:
    """Set the high-water mark back to what is resident now."""
    with suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def piece(offsets: np.ndarray, heads: np.ndarray, weights: np.ndarray | None, n: int) -> nearfar.Graph:
    """Return the graph of the first ``n`` vertices."""
    tails = np.repeat(np.arange(n), np.diff(offsets[: n + 1]))
    inside = heads[: len(tails)] < n
    return nearfar.Graph.from_arcs(
        tails[inside], heads[: len(tails)][inside], None if weights is None else weights[: len(tails)][inside], n=n
    )


def main(path: str, source: int, threads: int) -> dict[str, float | str]:
    """Build the graph, run one query, and return the figures."""
    with np.load(path) as arrays:
        offsets, heads = arrays["offsets"], arrays["heads"]
        weights = arrays.get("weights")
    graph = nearfar.Graph.from_csr(offsets, heads, weights)
    method = nearfar.plan(graph, source, threads=threads).method
    nearfar.sssp(piece(offsets, heads, weights, max(2, len(offsets) // 64)), 0, method=method, threads=1)
    del offsets, heads, weights
    reset_peak()
    before = resident_peak()
    start = time.perf_counter()
    result = nearfar.sssp(graph, source, threads=threads)
    first = time.perf_counter() - start
    added = resident_peak() - before
    if added < 0.9 * result.dist.nbytes:
        raise SystemExit(f"measured {added} bytes, less than the distances alone take: the measurement is wrong")
    return {
        "method": method,
        "threads": threads,
        "n": graph.n,
        "graph_bytes": graph.nbytes,
        "added": added,
        "array": graph.n * result.dist.itemsize,
        "first_seconds": first,
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
