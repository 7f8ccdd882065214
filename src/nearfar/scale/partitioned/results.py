"""Distances that stay in parts: files that workers wrote, one per row and part, read or folded where they are.

They survive the workers that wrote them. The caller reads what it is asked for, and no more.
"""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...description import Description, format_bytes
from ...devices import cpu
from ...errors import InputTypeError, MemoryLimitError, OptionError
from ...graph.arrays import Array
from ...results import Distances, limits, lookup
from ...store.lines import facts_of
from .folding import Files, fold_part, open_file, read_owners, read_row, vertices_of, write_sheet

if TYPE_CHECKING:
    from .graph import PartitionedGraph


class PartitionedDistances:
    """Exact distances that stay in parts, as files. Made by the queries of a `PartitionedGraph`.

    Attributes
    ----------
    graph : PartitionedGraph
    source_indices : int32 array
        The source of each row, as a vertex index; ``sources`` are their names.
    dtype : dtype
        The type of the distances. Unreached: its maximum for whole numbers, inf for floats.
    folder : str
        Where the files are. They are removed with this object, unless the query was given the folder.
    stats : dict
        How the distances were found: phases or rounds, bytes sent and received, bytes that each process held.

    Examples
    --------
    >>> import nearfar
    >>> with nearfar.PartitionedGraph.open("roads.nearfar", "local:4") as graph:  # doctest: +SKIP
    ...     found = graph.sssp(0)
    ...     found[17], found.max(), found.count()
    (4711, 30215, 264346)
    """

    _owned = False  # whether there are nearest sources
    __iter__ = None  # vertices are called by name, so this is no sequence
    __contains__ = None

    def __init__(
        self,
        graph: PartitionedGraph,
        sources: Array,
        folder: str,
        dtype: np.dtype[Any],
        written: Array,
        facts: tuple[Array, Array],
        *,
        single: bool,
        cutoff: float | None,
        stats: dict[str, Any],
        kept: bool,
    ) -> None:
        self.graph, self.source_indices, self.folder, self.dtype = graph, sources, folder, dtype
        self._written, self._facts = written, facts  # by row and part: is there a file; greatest distance, reached
        self.single, self.cutoff, self.stats = single, cutoff, stats
        if not kept:
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    @property
    def sources(self) -> Any:
        """The sources by name, in the order of the rows."""
        return lookup.names_of(self.graph.stored, self.source_indices)

    @property
    def k(self) -> int:
        """The number of rows."""
        return len(self._written)

    def part(self, p: int) -> tuple[Array, Array]:
        """Return the vertices of a part, as indices in ascending order, and their distances.

        The distances have a row per source, or no rows for a single one.
        """
        if isinstance(p, bool) or not isinstance(p, int | np.integer) or not 0 <= p < self.graph.parts.count:
            raise OptionError(f"part is {p!r:.60}; there are parts from 0 to {self.graph.parts.count - 1}.")
        vertices = vertices_of(self.graph.workers.place(int(p)))
        found = np.stack([self._row(r, int(p), len(vertices)) for r in range(self.k)])
        return vertices, found[0] if self.single else found

    def __getitem__(self, key: Any) -> Any:
        """Return the distance of a vertex, inf if it is not reached; of several rows: ``found[source, vertex]``."""
        if self.single:
            return lookup.number_of(self._at(0, self.graph.stored.index(key)))
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputTypeError(f"there are {self.k} rows: ask for [source, vertex], not [{key!r:.60}].")
        rows = np.flatnonzero(self.source_indices == self.graph.stored.index(key[0], "source"))
        if not len(rows):
            raise OptionError(f"{key[0]!r:.60} is none of the sources of this result.")
        return lookup.number_of(self._at(int(rows[0]), self.graph.stored.index(key[1])))

    def _at(self, r: int, v: int) -> Any:
        """Return the distance of a vertex in a row, by index."""
        parts = self.graph.parts
        p, at = int(parts.labels[v]), int(parts.positions[v])
        if not self._written[r, p]:
            return limits.unreached(self.dtype)
        row = open_file(file_name(self.folder, r, p), int(parts.sizes[p]))
        return limits.in_type(row[at : at + 1], self.dtype)[0]

    def _row(self, r: int, p: int, n: int) -> Array:
        """Return the distances of a part in a row."""
        return read_row(self.files(p), r, n)

    def files(self, p: int) -> Files:
        """Return where the rows of a part are."""
        names = [file_name(self.folder, r, p) if self._written[r, p] else "" for r in range(self.k)]
        return Files(tuple(names), self.dtype.str, self.single, self._owned)

    def max(self) -> Any:
        """Return the greatest distance, 0 if nothing is reached."""
        return self._facts[0].max(initial=0).item()

    def count(self) -> int:
        """Return how many distances there are: vertices that are reached, in all rows."""
        return int(self._facts[1].sum())

    def sum(self) -> Any:
        """Return the sum of all distances, found by the workers."""
        return sum(self.reduce(_sum))

    def reduce(self, function: Callable[[Array, Array], Any]) -> list[Any]:
        """Have a function called for each part by a worker, with what `part` returns; return its answers by part.

        Examples
        --------
        >>> found.reduce(lambda vertices, dist: (dist < 900).sum())  # doctest: +SKIP
        [1810, 0, 977, 5]
        """
        if not callable(function):
            raise InputTypeError(f"function is a {type(function).__name__}; give a function of vertices and distances.")
        jobs = [(p, (self.files(p), function)) for p in range(self.graph.parts.count)]
        return list(self.graph.new_run().ask(fold_part, jobs))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a folder of Parquet files, one per part, with a line per vertex that is reached; workers do that.

        Parameters
        ----------
        path : str or Path
            A name that ends in .parquet, on a file system that all workers see. pandas, polars, DuckDB and others read
            such a folder as one table, with the columns source, target and distance; those of `nearest` are vertex,
            source and distance.
        """
        target = _new_folder(path)
        named = None if self.graph.stored.names is None else self.graph.stored_place
        about = facts_of("from", self.cutoff, self.dtype, False)
        jobs = [
            (p, (self.files(p), str(target / f"part-{p:04d}.parquet"), self.source_indices, named, about))
            for p in range(self.graph.parts.count)
        ]
        for _ in self.graph.new_run().ask(write_sheet, jobs):
            pass

    def gather(self) -> Distances:
        """Return all distances as they are without parts, if they fit into memory."""
        stored = self.graph.stored
        needed, free = self.k * stored.n * self.dtype.itemsize, cpu.facts().memory
        if needed > free:
            raise MemoryLimitError(
                f"{self.k} rows of {stored.n:,} distances need {format_bytes(needed)}, and {format_bytes(free)} are "
                "free. Read them part by part, have workers reduce them, or write them.",
                needed,
                free,
            )
        rows = np.empty((self.k, stored.n), self.dtype)
        for p in range(self.graph.parts.count):
            vertices = vertices_of(self.graph.workers.place(p))
            for r in range(self.k):
                rows[r, vertices] = self._row(r, p, len(vertices))
        return Distances(
            stored, self.source_indices, rows, single=self.single, cutoff=self.cutoff, stats=dict(self.stats)
        )

    def describe(self) -> Description:
        """Return the result as a dict that prints as a table."""
        return Description(
            rows=self.k, vertices=self.graph.n, dtype=self.dtype.name, reached=self.count(), farthest=self.max(),
            **self.stats,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"{type(self).__name__}(rows={self.k}, n={self.graph.n}, parts={self.graph.parts.count})"


class PartitionedNearest(PartitionedDistances):
    """For every vertex the distance from the nearest of several sources, and that source, in parts.

    Made by `PartitionedGraph.nearest`. Between sources at the same distance the cut decides.

    Examples
    --------
    >>> import nearfar
    >>> with nearfar.PartitionedGraph.open("roads.nearfar", "local:4") as graph:  # doctest: +SKIP
    ...     graph.nearest([0, 4711])[17]
    (4711, 953)
    """

    _owned = True

    def __getitem__(self, vertex: Hashable) -> tuple[Any, Any]:
        """Return the nearest source of a vertex and its distance, by name; (None, inf) if no source reaches it."""
        v = self.graph.stored.index(vertex)
        p, at = int(self.graph.parts.labels[v]), int(self.graph.parts.positions[v])
        s = int(self.source_of_part(p)[at])
        return None if s < 0 else self.graph.stored.name(s), lookup.number_of(self._at(0, v))

    def source_of_part(self, p: int) -> Array:
        """Return the nearest source of each vertex of a part, as an index; -1 if no source reaches it."""
        return read_owners(self.files(p), int(self.graph.parts.sizes[p]))


def _sum(vertices: Array, dist: Array) -> Any:
    """Return the sum of the distances of a part."""
    reached = dist[dist < limits.unreached(dist.dtype)]
    return reached.sum(dtype=np.int64 if dist.dtype.kind == "i" else np.float64).item()


def file_name(folder: str, r: int, p: int) -> str:
    """Return the name of the file of a row and a part, without its ending."""
    return os.path.join(folder, f"row-{r:05d}-part-{p:05d}")


def _new_folder(path: Any) -> Path:
    """Make a folder for a table; refuse one with files that are not those of an earlier one."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path).rstrip("/").endswith(".parquet"):
        raise OptionError(f"path is {path!r:.60}; give the name of a folder that ends in .parquet.")
    return new_folder(path, "part-*.parquet")


def new_folder(path: Any, ours: str) -> Path:
    """Make a folder; remove files from it that an earlier call wrote, refuse it if there are others."""
    target = Path(os.path.abspath(path))
    try:
        target.mkdir(exist_ok=True)
        old = set(target.glob(ours))
        others = sorted(set(target.iterdir()) - old)
        if others:
            raise OptionError(f"{target} has other files in it, such as {others[0].name}. Give another name.")
        for file in old:
            file.unlink()
    except OSError as error:
        from ...formats.io.whole import cannot_write

        raise cannot_write(target, error) from error
    return target
