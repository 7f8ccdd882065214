"""The libraries and programs that nearfar is measured against, behind one small face.

A peer prepares a graph in its own form once, outside the clock, and then answers "distances from this source" as often
as it is asked. Python libraries hand back their distances, which are compared with ours before anything is timed. GAP
and Wasp are C++ programs: they take part when GAP_SSSP and WASP_SSSP name their executables, time themselves, and print
only times, so that nothing but the number of vertices reached (GAP) can be compared.

Every library gets its best public call: breadth-first search where the graph has no weights, float64 arrays ready made
where it computes in float64, and no predecessors.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from nearfar import Graph


class Peer(ABC):
    """One contestant: ``prepare`` once, then ``distances`` as often as asked."""

    name = ""
    package = ""
    max_arcs = 2**31 - 1  # graphs beyond this would take minutes a run

    @classmethod
    def available(cls) -> bool:
        """Whether the library is installed."""
        return importlib.util.find_spec(cls.package) is not None

    @classmethod
    def release(cls) -> str:
        """Return the library's version, for the report."""
        return version(cls.package)

    @classmethod
    def takes(cls, graph: Graph) -> bool:
        """Whether this graph is of a kind and size the peer can be asked about."""
        return graph.m <= cls.max_arcs

    @abstractmethod
    def prepare(self, graph: Graph) -> None:
        """Build the peer's own form of the graph."""

    @abstractmethod
    def distances(self, source: int) -> Any:
        """Answer in whatever form the peer answers; this is what is timed."""

    @abstractmethod
    def array(self, answer: Any) -> np.ndarray:
        """Turn an answer into float64 distances, inf where unreached; not timed."""


def coordinates(graph: Graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return tails, heads and float64 weights with one arc per pair, as libraries without parallel arcs need them."""
    matrix = graph.to_scipy()
    tails = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(matrix.indptr))
    return tails, matrix.indices, matrix.data.astype(np.float64)


class SciPy(Peer):
    """scipy.sparse.csgraph.dijkstra on a float64 CSR matrix."""

    name, package = "SciPy", "scipy"

    def prepare(self, graph: Graph) -> None:
        """Hold the matrix in the type that csgraph would convert it to."""
        self.matrix = graph.to_scipy().astype(np.float64)

    def distances(self, source: int) -> np.ndarray:
        """Run Dijkstra from one source, or from each of several."""
        from scipy.sparse import csgraph

        return csgraph.dijkstra(self.matrix, indices=source)

    def array(self, answer: np.ndarray) -> np.ndarray:
        """SciPy already answers so."""
        return answer


class NetworKit(Peer):
    """networkit.distance.Dijkstra, or BFS without weights, paths not stored."""

    name, package = "NetworKit", "networkit"

    def prepare(self, graph: Graph) -> None:
        """Build a directed graph, with weights where there are any."""
        import networkit

        tails, heads, weights = coordinates(graph)
        weighted = graph.weight_dtype is not None
        pairs = (tails.astype(np.uint64), heads.astype(np.uint64))
        self.graph = networkit.GraphFromCoo((weights, pairs), n=graph.n, weighted=weighted, directed=True)
        self.search = networkit.distance.Dijkstra if weighted else networkit.distance.BFS

    def distances(self, source: int) -> Any:
        """Run the search and take the distances out of it."""
        search = self.search(self.graph, source, storePaths=False)
        search.run()
        return search.getDistances(asarray=True)

    def array(self, answer: Any) -> np.ndarray:
        """NetworKit marks unreached vertices with the greatest double."""
        dist = np.array(answer, np.float64)
        dist[dist == np.finfo(np.float64).max] = np.inf
        return dist


class IGraph(Peer):
    """igraph's Graph.distances."""

    name, package = "igraph", "igraph"

    def prepare(self, graph: Graph) -> None:
        """Build a directed graph with the weights as an edge attribute."""
        import igraph

        tails, heads, weights = coordinates(graph)
        self.graph = igraph.Graph(n=graph.n, edges=np.column_stack((tails, heads)), directed=True)
        self.weights = None if graph.weight_dtype is None else "weight"
        if self.weights:
            self.graph.es["weight"] = weights.tolist()

    def distances(self, source: int) -> list[list[float]]:
        """Ask for one row."""
        return self.graph.distances(source=source, weights=self.weights, mode="out")

    def array(self, answer: list[list[float]]) -> np.ndarray:
        """Take the one row out."""
        return np.array(answer[0], np.float64)


class Rustworkx(Peer):
    """rustworkx.dijkstra_shortest_path_lengths."""

    name, package = "rustworkx", "rustworkx"
    max_arcs = 4_000_000

    def prepare(self, graph: Graph) -> None:
        """Build a directed graph whose edge payloads are the weights."""
        import rustworkx

        tails, heads, weights = coordinates(graph)
        self.n, self.search = graph.n, rustworkx.dijkstra_shortest_path_lengths
        self.graph = rustworkx.PyDiGraph(multigraph=False, node_count_hint=graph.n, edge_count_hint=len(heads))
        self.graph.add_nodes_from(range(graph.n))
        self.graph.add_edges_from(list(zip(tails.tolist(), heads.tolist(), weights.tolist(), strict=True)))

    def distances(self, source: int) -> tuple[int, Any]:
        """Ask for all lengths; the source itself is not among them."""
        return source, self.search(self.graph, source, float)

    def array(self, answer: tuple[int, Any]) -> np.ndarray:
        """Scatter the mapping into an array."""
        source, lengths = answer
        dist = np.full(self.n, np.inf)
        dist[list(lengths.keys())] = list(lengths.values())
        dist[source] = 0
        return dist


class NetworkX(Peer):
    """networkx.single_source_dijkstra_path_length; only on small graphs."""

    name, package = "NetworkX", "networkx"
    max_arcs = 200_000

    def prepare(self, graph: Graph) -> None:
        """Build a DiGraph."""
        import networkx

        tails, heads, weights = coordinates(graph)
        self.graph, self.n = networkx.DiGraph(), graph.n
        self.graph.add_nodes_from(range(graph.n))
        self.graph.add_weighted_edges_from(zip(tails.tolist(), heads.tolist(), weights.tolist(), strict=True))
        self.search = networkx.single_source_dijkstra_path_length

    def distances(self, source: int) -> dict[int, float]:
        """Ask for all lengths."""
        return self.search(self.graph, source)

    def array(self, answer: dict[int, float]) -> np.ndarray:
        """Scatter the dictionary into an array."""
        dist = np.full(self.n, np.inf)
        dist[list(answer)] = list(answer.values())
        return dist


PEERS: tuple[type[Peer], ...] = (SciPy, NetworKit, IGraph, Rustworkx, NetworkX)


def seconds(peer: Peer, source: int) -> float:
    """Time one answer."""
    start = time.perf_counter()
    peer.distances(source)
    return time.perf_counter() - start


def write_wsg(graph: Graph, path: Path) -> None:
    """Write the graph as GAP's serialized weighted graph.

    The layout: one byte "directed", the number of arcs and of vertices as int64, n + 1 offsets as int64, then a pair of
    int32 (head, weight) for each arc; a directed graph repeats offsets and pairs for the arcs turned round. Loops and
    the heavier of parallel arcs are left out, as GAP's own builder does; a symmetric graph is declared undirected,
    which lets Wasp relax both ways at once.
    """
    matrix = without_loops(graph.to_scipy())
    turned = matrix.T.tocsr()
    directed = not all(np.array_equal(getattr(matrix, a), getattr(turned, a)) for a in ("indptr", "indices", "data"))
    with open(path, "wb") as file:
        file.write(bytes([directed]))
        np.array([matrix.nnz, graph.n], "<i8").tofile(file)
        for side in (matrix, turned) if directed else (matrix,):
            pairs = np.column_stack((side.indices, side.data)).astype("<i4")
            side.indptr.astype("<i8").tofile(file)
            pairs.tofile(file)


def without_loops(matrix: Any) -> Any:
    """Drop the diagonal of a CSR matrix, keeping explicit zeros elsewhere."""
    from scipy.sparse import csr_array

    tails = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    matrix.sort_indices()
    keep = tails != matrix.indices
    offsets = np.concatenate(([0], np.cumsum(np.bincount(tails[keep], minlength=matrix.shape[0]))))
    return csr_array((matrix.data[keep], matrix.indices[keep], offsets), shape=matrix.shape)


class Executable:
    """A GAP-like program: reads a .wsg file, runs a few trials, prints the time of each."""

    def __init__(self, name: str, variable: str, pattern: str) -> None:
        self.name, self.variable, self.pattern = name, variable, re.compile(pattern, re.MULTILINE)

    @property
    def program(self) -> str | None:
        """Return the executable named by the environment variable."""
        return os.environ.get(self.variable)

    def takes(self, graph: Graph) -> bool:
        """Only non-negative integers, with room for every sum below half of the int32 range."""
        kind = graph.weight_dtype
        return bool(self.program) and (kind is None or kind == np.int32) and graph.min_weight >= 0

    def trials(self, path: Path, source: int, delta: int, threads: int, count: int) -> tuple[list[float], int | None]:
        """Run ``count`` trials in one process; return their seconds, and the vertices reached where it prints them."""
        command = [str(self.program), "-f", str(path), "-d", str(delta), "-n", str(count), "-r", str(source)]
        if self.name == "GAP":
            command.append("-a")  # the analysis of the last run is the number of vertices reached
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        text = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        times = [float(found) for found in self.pattern.findall(text)]
        if len(times) != count:
            raise RuntimeError(f"{self.name} printed {len(times)} trial times where {count} were asked for:\n{text}")
        reached = re.search(r"reaches (\d+) nodes", text)
        return times, int(reached[1]) if reached else None

    def best_delta(self, path: Path, source: int, threads: int, graph: Graph) -> int:
        """Walk over the powers of two, down and up from the mean weight, until far worse than the best; return that."""
        middle = max(int(graph.mean_weight), 1).bit_length() - 1
        tried: dict[int, float] = {}
        for step in (-1, 1):
            exponent = middle if step < 0 else middle + 1
            while 0 <= exponent < 31:
                tried[exponent] = min(self.trials(path, source, 1 << exponent, threads, 3)[0])
                if tried[exponent] > 1.5 * min(tried.values()):
                    break
                exponent += step
        return 1 << min(tried, key=tried.__getitem__)


EXECUTABLES = (
    Executable("GAP", "GAP_SSSP", r"^Trial Time:\s+([\d.]+)"),
    Executable("Wasp", "WASP_SSSP", r"^External Trial Time:\s+([\d.]+)"),
)


class Scratch:
    """A folder for serialized graphs that disappears with the run; a graph is written once, when first asked for."""

    def __init__(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="nearfar-bench-")
        self.folder = Path(self._temporary.name)
        self._paths: dict[str, Path] = {}

    def wsg(self, name: str, graph: Graph) -> Path:
        """Return the path of the graph's serialized file."""
        if name not in self._paths:
            path = self.folder / f"{name}.wsg"
            write_wsg(graph, path)
            self._paths[name] = path
        return self._paths[name]

    def close(self) -> None:
        """Remove the files."""
        self._temporary.cleanup()
