"""Measure graphs in parts on worker processes: bytes that each holds, bytes sent, barriers and rounds, exactness.

    python bench/partitioned.py [--workers 4] [--folder DIR]

Sao Paulo is solved in two barriers, Twitter in rounds. Bytes, barriers and rounds are counted. No seconds: processes on
one machine say little of a cluster. It takes a minute.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

import graphs
import nearfar
from nearfar.methods.buckets import pool_bytes
from nearfar.scale.partitioned.shelf import SHELF

FILES = ("osm-saopaulo.npz", "snap-ego-twitter-undirected.npz")


def kept() -> int:
    """Return the bytes of the parts that a worker keeps."""
    return SHELF.nbytes


def reaching_most(graph: nearfar.Graph) -> int:
    """Return the vertex, of twenty, that reaches most others."""
    tried = np.linspace(0, graph.n - 1, 20).astype(int).tolist()
    return max(tried, key=lambda v: int(nearfar.sssp(graph, v).reached.sum()))


def reached_from(graph: nearfar.Graph, source: int) -> nearfar.Graph:
    """Return the graph of the vertices that a source reaches."""
    there = nearfar.sssp(graph, source).reached
    number = np.cumsum(there) - 1
    some = there[graph.tails] & there[graph.heads]
    assert graph.weights is not None
    tails, heads = number[graph.tails[some]], number[graph.heads[some]]
    return nearfar.Graph.from_arcs(tails, heads, graph.weights[some], int(there.sum()))


def measure(name: str, graph: nearfar.Graph, parts: int, cluster: nearfar.Cluster, folder: Path) -> None:
    """Cut a graph, solve it from a vertex that reaches most of it, compare, and print what was counted."""
    source = reaching_most(graph)
    expected, arcs, alone = nearfar.sssp(graph, source).dist, graph.arc_bytes, held_alone(graph)
    path = folder / f"{name}.nearfar"
    nearfar.write(graph, path)
    stored = nearfar.Graph.open(path)
    cut = nearfar.partition(stored, parts)
    print(f"\n{name}: {stored.n:,} vertices, {stored.m:,} arcs, {arcs / 1e6:.1f} MB; {cut.why}")
    nearfar.write_parts(stored, cut)
    with nearfar.PartitionedGraph.open(path, cluster) as there:
        for what in ("first query", "second query", "third query"):
            found = there.sssp(source)
            stats = found.stats
            held = max(stats["held_bytes"].values())
            steps = "two barriers" if stats["phases"] == 3 else f"{stats['rounds']} rounds and a barrier"
            print(
                f"  {what}: {steps}, {stats['tasks']} tasks, sent {stats['sent_bytes']:,} bytes, received "
                f"{stats['received_bytes']:,}; a process holds at most {held / 1e6:.1f} MB with rows and queues, one "
                f"with the whole graph {alone / 1e6:.1f} MB: {held / alone:.1%}"
            )
        loaded = cluster.client.run(kept).values()
        print(f"  parts that processes keep: {', '.join(f'{size / arcs:.1%}' for size in loaded)} of the graph's bytes")
        rows = found.gather().dist
        assert rows.dtype == expected.dtype and rows.tobytes() == expected.tobytes(), "not the same to the bit"
        print(f"  equal to the bit, {found.count():,} reached; {found.stats['why']}")


def held_alone(graph: nearfar.Graph) -> int:
    """Return the bytes that a process with the whole graph holds: arcs, a row, a queue."""
    return graph.arc_bytes + 4 * graph.n + pool_bytes(graph.n) + graph.n // 8


def main() -> None:
    """Measure all graphs that are there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--folder")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as made, nearfar.connect(f"local:{asked.workers}") as cluster:
        for file in FILES:
            if (graphs.DATA / file).exists():
                graph = graphs.real(file)()
                measure(file, graph, asked.workers, cluster, Path(made))
                if file == FILES[0]:
                    largest = reached_from(graph, reaching_most(graph))
                    measure(f"{file}, largest component", largest, asked.workers, cluster, Path(made))


if __name__ == "__main__":
    main()
