"""The main work from end to end, on a generated road network: build, solve, verify, show a path, print the figures.

Run by ``make demo`` and ``python -m nearfar.demo [vertices]``. Uses nothing but the public names.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import nearfar
from nearfar.description import format_bytes, format_count, format_seconds

VERTICES = 1_000_000
SOURCES = 16


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    """Run ``action`` and return its result and how long it took."""
    start = time.perf_counter()
    result = action()
    return result, time.perf_counter() - start


def show(what: str, value: str, remark: str = "") -> None:
    """Print one figure: what, how much, and a remark."""
    print(f"  {what:<26}{value:>13}   {remark}".rstrip(), flush=True)


def heading(text: str) -> None:
    """Print the heading of the next section."""
    print(f"\n{text}", flush=True)


def rate(distances: int, seconds: float) -> str:
    """Return the distances per second, in words."""
    return f"{distances / seconds / 1e6:.1f} million distances per second"


def build(vertices: int) -> nearfar.Graph:
    """Generate the network and print its size."""
    heading("A road-like network")
    side = max(2, round(vertices**0.5))
    graph, seconds = timed(lambda: nearfar.generate.road_grid(side, side, seed=1))
    show("vertices", format_count(graph.n))
    show("arcs", format_count(graph.m), f"weights {graph.min_weight}..{graph.max_weight}")
    show("memory", format_bytes(graph.nbytes))
    show("generated and built in", format_seconds(seconds))
    return graph


def solve(graph: nearfar.Graph, source: int) -> nearfar.Distances:
    """Solve one source several times: the first call may compile kernels."""
    heading(f"Distances from vertex {source:,} to all others")
    result, first = timed(lambda: nearfar.sssp(graph, source))
    show("first call", format_seconds(first), "kernels are compiled once, then kept")
    seconds = min(timed(lambda: nearfar.sssp(graph, source, out=result.rows[0]))[1] for _ in range(3))
    plan = nearfar.plan(graph, source)
    show("solved in", format_seconds(seconds), ran_by(plan))
    show("", "", rate(graph.n, seconds))
    return result


def ran_by(plan: nearfar.Plan) -> str:
    """Return the method and the number of threads."""
    return f"method {plan.method}, {plan.threads} thread{'s' if plan.threads > 1 else ''}"


def solve_many(graph: nearfar.Graph, k: int) -> None:
    """Solve several sources at once, twice: other kernels may be needed, which are compiled first."""
    heading(f"Distances from {k} sources to all others")
    sources = [int(graph.n * i / k) for i in range(k)]
    result, first = timed(lambda: nearfar.mssp(graph, sources))
    show("first call", format_seconds(first), "kernels are compiled once, then kept")
    seconds = timed(lambda: nearfar.mssp(graph, sources, out=result.rows))[1]
    plan = nearfar.plan(graph, sources)
    show("solved in", format_seconds(seconds), ran_by(plan))
    show("", "", rate(result.rows.size, seconds))


def certify(graph: nearfar.Graph, result: nearfar.Distances) -> bool:
    """Prove that the distances are exact, and print the result."""
    heading("The certificate")
    certificate, seconds = timed(lambda: nearfar.verify(graph, result))
    show("checked in", format_seconds(seconds), "independently of the solver")
    print(f"  {certificate}")
    return bool(certificate)


def show_path(result: nearfar.Distances) -> None:
    """Show the first and last steps of the path to the farthest vertex that can be reached."""
    dist = result.dist
    target = int(np.argmax(np.where(dist < np.iinfo(dist.dtype).max, dist, -1)))
    result.path(target)  # loads the kernel
    path, seconds = timed(lambda: result.path(target))
    heading(f"A shortest path to vertex {target:,}")
    show("length", format_count(int(dist[target])), f"{len(path) - 1:,} arcs")
    show("found in", format_seconds(seconds), "back over the arcs, without a tree")
    steps = path if len(path) <= 7 else [*path[:3], "...", *path[-3:]]
    print("  " + " -> ".join(str(step) for step in steps))


def main(vertices: int = VERTICES) -> int:
    """Run the demonstration; return the exit status."""
    start = time.perf_counter()
    print(f"nearfar {nearfar.__version__}: exact shortest paths")
    graph = build(vertices)
    result = solve(graph, graph.n // 3)
    exact = certify(graph, result)
    show_path(result)
    solve_many(graph, SOURCES)
    print(f"\nTotal time: {format_seconds(time.perf_counter() - start)}.")
    return 0 if exact else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
