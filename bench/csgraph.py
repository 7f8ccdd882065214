"""Verify, then time, `nearfar.csgraph` against SciPy: ``python bench/csgraph.py [--write]``; docs/from-scipy.md."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse.csgraph as scipys

import graphs
import nearfar
import report
from lines import Line, duration
from metrics import against
from nearfar import csgraph
from nearfar.adapters.csgraph import matrices

PAGE = Path(__file__).parent.parent / "docs" / "from-scipy.md"
ROWS, ROUNDS = 256, 3


def once(action: Callable[[], Any]) -> float:
    """Return the seconds of one call, whose result is dropped before the next."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def race(new_york: Any, sources: np.ndarray, **options: Any) -> dict[str, float]:
    """Return the best times of SciPy, of a first call and of a second one, which take turns."""
    best = dict.fromkeys(("SciPy", "first", "second"), np.inf)
    for _ in range(ROUNDS):
        best["SciPy"] = min(best["SciPy"], once(lambda: scipys.dijkstra(new_york, indices=sources, **options)))
        matrices.forget()
        for name in ("first", "second"):
            best[name] = min(best[name], once(lambda: csgraph.dijkstra(new_york, indices=sources, **options)))
    return best


def new_york_lines() -> list[Line]:
    """Measure rows of New York, with and without predecessors, and the two other questions people ask."""
    graph = graphs.real("USA-road-d.NY.gr.gz")()
    matrix = graph.to_scipy()
    sources = np.random.default_rng(1).choice(graph.n, ROWS, replace=False)
    assert np.array_equal(csgraph.dijkstra(matrix, indices=sources[:8]), scipys.dijkstra(matrix, indices=sources[:8]))
    csgraph.dijkstra(matrix, indices=sources[:2], return_predecessors=True)  # compiles
    rows = race(matrix, sources)
    trees = race(matrix, sources[:64], return_predecessors=True)
    nearest = race(matrix, sources, min_only=True)
    one = race(matrix, sources[:1])
    return [
        against("256 sources, everything counted", rows["first"], rows["SciPy"], "SciPy", 6),
        against("256 sources, the second call", rows["second"], rows["SciPy"], "SciPy", 40),
        against("64 sources with predecessors, everything counted", trees["first"], trees["SciPy"], "SciPy", 1),
        against("64 sources with predecessors, the second call", trees["second"], trees["SciPy"], "SciPy", 1),
        against("one source, everything counted", one["first"], one["SciPy"], "SciPy", 1),
        against("one source, the second call", one["second"], one["SciPy"], "SciPy", 1),
        against("the nearest of 256, the second call", nearest["second"], nearest["SciPy"], "SciPy", 1),
    ]


def dense_line() -> Line:
    """Measure a dense matrix of 1,000 vertices."""
    matrix = np.random.default_rng(1).integers(1, 1000, (1000, 1000)).astype(float)
    assert np.array_equal(csgraph.floyd_warshall(matrix), scipys.floyd_warshall(matrix))
    theirs = min(once(lambda: scipys.floyd_warshall(matrix)) for _ in range(2))

    def fresh() -> Any:
        matrices.forget()
        return csgraph.floyd_warshall(matrix)

    return against("floyd_warshall, dense, 1,000 vertices", min(once(fresh) for _ in range(3)), theirs, "SciPy", 1)


def small_line() -> Line:
    """Measure a call on a matrix of 10 vertices."""
    matrix = nearfar.generate.road_grid(3, 3).to_scipy()
    times = [
        min(once(lambda call=call: [call(matrix, indices=0) for _ in range(200)]) for _ in range(7)) / 200
        for call in (scipys.dijkstra, csgraph.dijkstra)
    ]
    ratio = times[1] / times[0]
    return Line("one source of 9 vertices", duration(times[1]), f"{duration(times[0])} with SciPy",
                f"{ratio:.2f} of its time", "2", ratio <= 2)  # fmt: skip


def main() -> None:
    """Measure, print, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    text = report.measured(report.facts("scipy", "numpy", "numba"), [*new_york_lines(), dense_line(), small_line()])
    print(text)
    if args.write:
        report.write_between(PAGE, "csgraph", text)


if __name__ == "__main__":
    main()
