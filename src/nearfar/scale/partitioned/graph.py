"""`PartitionedGraph`: a graph in a folder, cut into parts, of which each worker of a cluster has some.

The caller holds the overlay and a number per boundary vertex, in each row that is searched at a time. Offsets and the
part of each vertex stay in the graph's folder, mapped: a query reads the few entries that it needs.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from ...description import Description
from ...devices import cpu
from ...engine.options import take_cutoff, take_memory, take_progress
from ...engine.query import each_once, take_vertices
from ...errors import MethodError, MissingFileError, NoPathError, OptionError, in_python, option
from ...formats.folder import DOCUMENT, open_graph
from ...formats.folder.document import REVERSED
from ...formats.folder.parts import has_parts, open_parts
from ...graph import Graph
from ...graph.arrays import Array
from ...graph.parts import Parts
from ...graph.stored import StoredGraph
from ...methods.overlay import assembled, keep_overlay, known_overlay
from ...methods.parts import phases
from ...results import Table
from ...results.lookup import list_names, number_of
from ..cluster import Cluster, connect
from ..convert import convert
from ..partition import partition, write_parts
from ..spool import Place
from .asking import Run, Workers, least_memory
from .paths import path_between
from .results import PartitionedDistances, PartitionedNearest
from .shelf import forget_parts
from .solving import Options, nearest_of, rows_from, values_of
from .tasks import find_table

METHODS = ("auto", "phases", "rounds")


class PartitionedGraph:
    """A graph in parts, which the workers of a cluster have in memory: no process ever holds all arcs.

    Made by `PartitionedGraph.open` from a graph in a folder that was cut, or by `PartitionedGraph.convert` from an edge
    list of any size. Use it in a ``with`` block, at whose end results that were not written elsewhere are removed.

    Attributes
    ----------
    stored : StoredGraph
        The graph in its folder, for names; its arcs are not read.
    parts : Parts
        What is known of all parts: ``parts.count``, ``parts.sizes``, ``parts.labels``.
    cluster : Cluster

    Examples
    --------
    >>> import nearfar
    >>> nearfar.write(nearfar.generate.road_grid(100, 100, seed=1), "grid.nearfar")
    >>> nearfar.write_parts("grid.nearfar", nearfar.partition(nearfar.Graph.open("grid.nearfar"), 4))
    >>> with nearfar.PartitionedGraph.open("grid.nearfar", "local:2") as graph:  # doctest: +SKIP
    ...     found = graph.sssp(0)
    ...     found.max(), found.stats["phases"]
    (6135, 3)
    """

    def __init__(self, stored: StoredGraph, parts: Parts, cluster: Cluster, owned: bool) -> None:
        if stored.min_weight < 0:
            raise MethodError(
                f"a partitioned graph needs weights >= 0; the least weight is {stored.min_weight}. Use "
                + in_python("nearfar.sssp on Graph.open, or ")
                + f"{option('method', 'streamed')}."
            )
        self.stored, self.parts, self.cluster, self._owned = stored, parts, cluster, owned
        self.workers = Workers(cluster, stored, parts)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], client: Any) -> PartitionedGraph:
        """Open a graph in a folder that was cut into parts (`nearfar.write_parts`), for the workers of a cluster.

        Parameters
        ----------
        folder : str or Path
            On a file system that all workers see.
        client : Cluster, Client or str
            What `nearfar.connect` returns or takes. What is started for this graph ends with it.
        """
        stored = open_graph(folder)
        parts = open_parts(stored.path, stored.fingerprint)
        owned = not isinstance(client, Cluster)
        cluster = connect(client) if owned else client
        try:
            return cls(stored, parts, cluster, owned)
        except BaseException:
            if owned:
                cluster.close()
            raise

    @classmethod
    def convert(
        cls,
        source: Any,
        folder: str | os.PathLike[str],
        parts: int,
        client: Any,
        *,
        how: Any = "auto",
        memory: float | str | None = None,
        **options: Any,
    ) -> PartitionedGraph:
        """Make a partitioned graph of an edge list or a Parquet dataset, in bounded memory, and open it.

        The arcs are written to the folder (`nearfar.convert`), and moved to their parts (`nearfar.write_parts`), block
        by block. A folder that has a graph already is cut if it has no parts, and not converted again.

        Parameters
        ----------
        source
            What `nearfar.convert` takes.
        folder : str or Path
            A name that ends in .nearfar, on a file system that all workers see.
        parts : int
        client : Cluster, Client or str
        how : str or array
            What `nearfar.partition` takes. "auto": along coordinates if the graph has them, else ranges of indices,
            which need no arcs in memory.
        memory : int or str
            The memory that the conversion may use; moving arcs takes 17 bytes per vertex, and buffers.
        **options
            Those of `nearfar.convert`.
        """
        path = Path(folder)
        if not (path / DOCUMENT).exists():
            convert(source, path, memory, **options)
        if not has_parts(path):
            stored = open_graph(path)
            if isinstance(how, str) and how == "auto":
                how = "ranges" if stored.coordinates is None else "coordinates"
            write_parts(stored, partition(stored, parts, how, memory))
        return cls.open(path, client)

    def __enter__(self) -> PartitionedGraph:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Have workers let go of the parts; end the cluster if it was started for this graph."""
        if self._owned:
            self.cluster.close()
        else:
            self.cluster.tell(forget_parts, self.parts.folder)

    @property
    def n(self) -> int:
        """The number of vertices."""
        return self.stored.n

    @property
    def m(self) -> int:
        """The number of arcs."""
        return self.stored.m

    @property
    def stored_place(self) -> Place:
        """Where the graph lies."""
        return Place(os.fspath(self.stored.path), self.stored.fingerprint)

    def new_run(self, progress: Any = False) -> Run:
        """Return a new run."""
        return Run(self.workers, take_progress(progress))

    def plan(self, method: str = "auto", memory: Any = None) -> tuple[bool, str]:
        """Return whether queries take three phases, else rounds, and why, in words.

        ``memory``: the bytes that the distances between boundary vertices may take; what is free here, by default, or
        what a worker has, if that is less.
        """
        if method not in METHODS:
            raise OptionError(f"method is {method!r:.60}; there are {', '.join(map(repr, METHODS))}.")
        given = take_memory(memory)
        allowed = int(min(cpu.facts().memory, least_memory(self.cluster.workers()))) if given is None else given
        known_overlay(self.parts)
        able, why = phases(self.stored, self.parts, allowed)
        if method == "phases" and not able:
            raise MethodError(
                f"three phases were asked for, but the graph is solved {why}. Use {option('method', 'rounds')}."
            )
        return (able and method != "rounds"), "rounds were asked for" if method == "rounds" else why

    def prepare(self, memory: Any = None, progress: Any = False) -> Description:
        """Find the overlay, the first of three phases, and keep it in the folder; later queries take two barriers.

        Each part finds the distances between its boundary vertices, on the worker that has it. Queries do the same when
        they need it.

        Parameters
        ----------
        memory : int or str
            The bytes that the distances between boundary vertices may take; see `plan`.
        progress : bool or function
            True shows on standard error how many parts are done; a function is called with parts done and all parts.

        Returns
        -------
        Description
            What was done: ``overlay_arcs``, ``sent_bytes``, ``received_bytes``, ``held_bytes``.
        """
        self.plan("phases", memory)
        run = self.new_run(progress)
        overlay = self.overlay(run)
        return Description(overlay_vertices=overlay.n, overlay_arcs=overlay.m, **run.facts())

    def overlay(self, run: Run) -> Graph:
        """Return the overlay; have it found in a run if it is not known."""
        found = known_overlay(self.parts)
        if found is None:
            jobs = [(p, (run.name,)) for p in np.flatnonzero(self.parts.boundary_sizes).tolist()]
            found = assembled(list(run.ask(find_table, jobs)), len(self.parts.boundary))
            keep_overlay(self.parts, found)
        return found

    def sssp(
        self, source: Any, *, cutoff: Any = None, method: str = "auto", memory: Any = None, out: Any = None
    ) -> PartitionedDistances:
        """Return the distances from one source to every vertex; they stay in parts.

        Parameters
        ----------
        source : vertex
        cutoff : number
            Vertices farther than this count as unreached.
        method : str
            "auto", "phases" or "rounds".
        memory : int or str
            The bytes that the distances between boundary vertices may take; see `plan`.
        out : str or Path
            A folder for the files, which then stay; it must be seen by all workers.
        """
        sources = np.array([self.stored.index(source, "source")], np.int32)
        return rows_from(self, sources, np.zeros(1, np.int64), _options(cutoff, method, memory), out, single=True)

    def mssp(
        self, sources: Any, *, cutoff: Any = None, method: str = "auto", memory: Any = None, out: Any = None
    ) -> PartitionedDistances:
        """Return the distances from several sources to every vertex, one row per source; see `sssp`."""
        found = take_vertices(self.stored, sources, "source")
        return rows_from(self, found, np.arange(len(found)), _options(cutoff, method, memory), out, single=False)

    def nearest(
        self, sources: Any, *, cutoff: Any = None, method: str = "auto", memory: Any = None, out: Any = None
    ) -> PartitionedNearest:
        """Return the distance of every vertex from the nearest of several sources, and that source; see `sssp`."""
        found = each_once(self.stored, sources)
        return nearest_of(self, found, _options(cutoff, method, memory), out)

    def table(
        self, sources: Any, targets: Any, *, cutoff: Any = None, method: str = "auto", memory: Any = None
    ) -> Table:
        """Return the distances between some sources and some targets; the parts of others are not read.

        With three phases, a pair needs the part of its source, the overlay, and the part of its target.
        """
        rows, columns = take_vertices(self.stored, sources, "source"), take_vertices(self.stored, targets, "target")
        k, t, options = len(rows), len(columns), _options(cutoff, method, memory)
        found, stats = values_of(self, rows, np.repeat(np.arange(k), t), np.tile(columns, k), options)
        return Table(self.stored, rows, columns, found.reshape(k, t), cutoff=options.cutoff, stats=stats)

    def distances(
        self, sources: Any, targets: Any, *, cutoff: Any = None, method: str = "auto", memory: Any = None
    ) -> Array:
        """Return the distances of many pairs: from each source to the target at the same place of the other list."""
        tails, heads = take_vertices(self.stored, sources, "source"), take_vertices(self.stored, targets, "target")
        if len(tails) != len(heads):
            raise OptionError(f"there are {len(tails)} sources and {len(heads)} targets; pairs need as many of both.")
        each, rows = np.unique(tails, return_inverse=True)
        return values_of(self, each, rows, heads, _options(cutoff, method, memory))[0]

    def distance(self, source: Any, target: Any, *, method: str = "auto", memory: Any = None) -> int | float:
        """Return the distance from one vertex to another as a number, inf if there is no path."""
        tail, head = self.stored.index(source, "source"), self.stored.index(target, "target")
        ends = np.array([[tail], [head]], np.int32)
        return number_of(values_of(self, ends[0], np.zeros(1, int), ends[1], _options(None, method, memory))[0][0])

    def path(self, source: Any, target: Any, *, method: str = "auto", memory: Any = None) -> list[Any]:
        """Return a shortest path from one vertex to another, as a list of vertices; of several, the cut decides.

        The pieces of the path are found by the workers that have the parts, at the same time.
        """
        tail, head = self.stored.index(source, "source"), self.stored.index(target, "target")
        found = path_between(self, tail, head, _options(None, method, memory))
        if found is None:
            self.distance(source, target, method=method, memory=memory)  # which may not fit any type
            raise NoPathError(f"no path leads from {source!r} to {target!r}.")
        return list_names(self.stored, found)

    @cached_property
    def reversed(self) -> PartitionedGraph:
        """The graph with all arcs turned round, on the same workers: its distances lead to the sources.

        It must lie in the folder, with its parts: ``nearfar.write(graph, folder, reversed=True)``, then `write_parts`.
        """
        if self.stored.undirected:
            return self
        path = self.stored.path / REVERSED
        if not has_parts(path):
            raise MissingFileError(
                f"{path} has no reversed graph in parts. Write the graph with {option('reversed', True)}, and its "
                "parts again."
            )
        stored = open_graph(path)
        return PartitionedGraph(stored, open_parts(path, stored.fingerprint), self.cluster, owned=False)

    def describe(self) -> Description:
        """Return the graph as a dict that prints as a table."""
        return Description(
            vertices=self.n, arcs=self.m, parts=self.parts.count, largest_part=self.parts.most_bytes,
            boundary_vertices=len(self.parts.boundary), cut_arcs=int(self.parts.cuts.sum()), why=self.plan()[1],
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"PartitionedGraph(n={self.n}, m={self.m}, parts={self.parts.count})"


def _options(cutoff: Any, method: str, memory: Any) -> Options:
    """Return the options of a query, checked as far as they need no graph."""
    return Options(take_cutoff(cutoff, False), method, memory)
