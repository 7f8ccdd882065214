"""`open_matrix`: read stored distances by name, without their graph or with it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...certificate import Certificate, verify
from ...description import Description
from ...devices import cpu
from ...elimination.file import fingerprint_of
from ...engine.query import take_graph, take_vertices
from ...engine.solve import solve_again
from ...errors import MissingFileError, OptionError, StoreError, in_python
from ...results import Distances, limits
from ...results.lookup import take_count
from .check import path_of, read_rows, require_zeros
from .form import Form
from .labels import CELL, INDEX, Labels
from .metadata import read_metadata
from .places import Place, open_place

if TYPE_CHECKING:
    from ...graph import Graph


class Matrix:
    """Distances in a store: read by name, a row in milliseconds. Made by `nearfar.open_matrix`, `apsp(out="d.zarr")`.

    Attributes
    ----------
    shape : (int, int)
        Rows and columns.
    dtype : numpy.dtype
        The type of the distances. Unreached: the type's maximum for integers, inf for floats.
    direction : str
        "from": distances from the sources. "to": distances to them.
    cutoff : number or None
        Distances beyond it count as unreached.

    Examples
    --------
    >>> import nearfar, tempfile
    >>> folder = tempfile.mkdtemp() + "/d.zarr"
    >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], names=["Ulm", "Bonn", "Kiel"])
    >>> matrix = nearfar.apsp(g, out=folder)
    >>> matrix["Ulm", "Kiel"], matrix["Bonn"], matrix.path(g, "Ulm", "Kiel")
    (12, array([2147483647,          0,          7], dtype=int32), ['Ulm', 'Bonn', 'Kiel'])
    """

    def __init__(self, place: Place, graph: Graph | None = None, threads: int | None = None) -> None:
        self.place, self._graph = place, graph
        self.threads = cpu.facts().cores if threads is None else threads
        try:
            self.form, self._own, self._coordinates = read_metadata(place)
        except MissingFileError:
            raise MissingFileError(
                f"{place.name} is no stored matrix: it has no zarr.json. Check its name, or write one with apsp, mssp "
                f"or table{in_python(', and out=...')}."
            ) from None
        self.direction: str = self._own["direction"]
        self.cutoff: float | None = self._own["cutoff"]
        if graph is not None:
            self._require_graph(graph)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.form.rows, self.form.columns

    @property
    def dtype(self) -> np.dtype:
        """The type of the distances."""
        return self.form.dtype

    @property
    def nbytes(self) -> int:
        """The bytes of the distances if they were not compressed."""
        return self.form.nbytes

    def __len__(self) -> int:
        return self.form.rows

    __iter__ = None  # indexed by name
    __contains__ = None

    def __repr__(self) -> str:
        return f"Matrix({self.form.rows:,} x {self.form.columns:,} {self.dtype}, {self.place.name!r})"

    @cached_property
    def _stored(self) -> np.ndarray:
        """The stored row of each source, in the order in which sources were asked."""
        stored = np.empty(self.form.rows, np.int64)
        stored[self._coordinates["asked"]] = np.arange(self.form.rows)
        return stored

    @cached_property
    def _rows(self) -> Labels:
        """The names of the sources, in the order asked."""
        return self._labels("source", self._stored)

    @cached_property
    def _columns(self) -> Labels:
        """The names of the targets."""
        return self._labels("target", slice(None))

    def _labels(self, role: str, order: Any) -> Labels:
        """Return the names of rows or columns."""
        kind, found = self._own["names"], self._coordinates
        values = found[role]
        indices = values if kind in (INDEX, CELL) else found[f"{role}_index"]
        if kind == CELL:
            values = np.column_stack([found[name] for name in found if name.startswith(f"{role}_")])
        listed = values[order] if isinstance(values, np.ndarray) or isinstance(order, slice) else [
            values[i] for i in order.tolist()
        ]  # fmt: skip
        return Labels(role, kind, indices[order], listed)

    @property
    def labels(self) -> tuple[Labels, Labels]:
        """The names of the rows and of the columns, as they are stored."""
        return self._rows, self._columns

    @property
    def sources(self) -> Any:
        """The names of the rows, in the order in which they were asked: an array of whole numbers, or a list."""
        return self._rows.names()

    @property
    def targets(self) -> Any:
        """The names of the columns: an array of whole numbers, or a list."""
        return self._columns.names()

    def __getitem__(self, key: Any) -> Any:
        """Return the distance of a pair ``[s, t]``, the row of a source ``[s]``, or some rows ``[10:20]``, as asked."""
        if isinstance(key, slice):
            return self._read(self._stored[key])
        if isinstance(key, tuple) and len(key) == 2 and not self._is_name(key):
            return self.distance(*key)
        return self.row(key)

    def _is_name(self, key: tuple[Any, ...]) -> bool:
        """Tell whether a pair is the name of one source: a cell of a raster, or a name of the graph."""
        if self._own["names"] == CELL:
            return not any(isinstance(part, tuple | list) for part in key)
        return self._graph is not None and self._graph.is_vertex(key)

    def distance(self, source: Hashable, target: Hashable) -> int | float:
        """Return one distance; math.inf if there is no path."""
        row, column = self._rows.find(source, self._graph), self._columns.find(target, self._graph)
        value = self._read(self._stored[[row]], column)[0, 0]
        return math.inf if value == limits.unreached(self.dtype) else value.item()

    def row(self, source: Hashable) -> np.ndarray:
        """Return the distances of one source, in the order of the targets."""
        return np.asarray(self._read(self._stored[[self._rows.find(source, self._graph)]])[0])

    def rows(self, sources: Sequence[Hashable]) -> np.ndarray:
        """Return the distances of some sources, one row for each."""
        positions = [self._rows.find(source, self._graph) for source in sources]
        return self._read(self._stored[positions])

    def _read(self, stored: np.ndarray, column: int | None = None) -> np.ndarray:
        """Return stored rows, or one column of them, in the order given; every block is read once."""
        form = self.form
        ends = range(form.columns) if column is None else range(column, column + 1)
        out = np.empty((len(stored), len(ends)), form.dtype)
        blocks = stored // form.block
        for block in np.unique(blocks).tolist():
            where = np.flatnonzero(blocks == block)
            which, back = np.unique(stored[where] % form.block, return_inverse=True)
            out[where] = self._block(block, which, column)[back]
        return out

    def _block(self, block: int, which: np.ndarray, column: int | None) -> np.ndarray:
        """Return some rows of a block, checked as far as they are read."""
        name = path_of(self.place, self.form, block)
        try:
            rows = read_rows(self.place, self.form, block, which, self.threads, column=column)
        except MissingFileError:
            raise StoreError(
                f"{name} is not there yet: the job was stopped. Repeat the call that began it, which goes on."
            ) from None
        if column is None:
            at = column_of_sources(self._coordinates, self.form)[block * self.form.block + which]
            require_zeros(name, rows, at)
        return rows

    def distances(self, graph: Graph, sources: Any) -> Distances:
        """Return some rows as the result of a query: with paths, frames and whatever else these have.

        Parameters
        ----------
        graph : Graph or Prepared
            The graph of the matrix.
        sources : vertices
        """
        plain = self._require_graph(take_graph(graph))
        if not self._own["all_targets"]:
            raise OptionError(
                f"{self.place.name} holds some columns only, from which no paths can be read. Use nearfar.path(graph, "
                "s, t), or a matrix of all vertices."
            )
        vertices = take_vertices(plain, sources, "source")
        positions = [self._position_of(plain, v) for v in vertices.tolist()]
        return self._result(plain, np.array(positions, np.int64))

    def _position_of(self, graph: Graph, v: int) -> int:
        """Return the row of a vertex, in the order asked."""
        return self._rows.find(graph.name(v), graph)

    def _result(self, graph: Graph, positions: np.ndarray) -> Distances:
        """Return some rows, given by their positions in the order asked, as the result of a query."""
        return Distances(
            graph,
            self._rows.indices[positions].astype(np.int32),
            self._read(self._stored[positions]),
            direction=self.direction,
            cutoff=self.cutoff,
            rounded=self._own["rounded"],
            solve_again=solve_again,
        )

    def path(self, graph: Graph, source: Hashable, target: Hashable) -> list[Any]:
        """Return the vertices of a shortest path, read off the stored row where sums are exact, without a search.

        Parameters
        ----------
        graph : Graph or Prepared
            The graph of the matrix.
        source, target : vertex
        """
        row, other = (source, target) if self.direction == "from" else (target, source)
        return self.distances(graph, [row]).path(row, other)

    def verify(self, graph: Graph, sample: int | None = 100, seed: int = 0) -> Certificate:
        """Prove that stored rows are exact distances: ``sample`` of them, chosen at random, or all (None).

        Parameters
        ----------
        graph : Graph or Prepared
        sample : int, optional
        seed : int
        """
        plain = take_graph(graph)
        self._require_graph(plain)
        count = self.form.rows if sample is None else min(take_count(sample, "sample"), self.form.rows)
        chosen = np.sort(np.random.default_rng(seed).choice(self.form.rows, count, replace=False))
        return _together(plain, [self._proof(plain, chosen[low : low + AT_ONCE]) for low in range(0, count, AT_ONCE)])

    def _proof(self, graph: Graph, stored: np.ndarray) -> Certificate:
        """Return the certificate of some stored rows."""
        positions = self._coordinates["asked"][stored]
        if self._own["all_targets"]:
            return verify(graph, self._result(graph, positions))
        from ...results import Table

        targets = self._columns.indices.astype(np.int32)
        table = Table(
            graph, self._rows.indices[positions].astype(np.int32), targets, self._read(stored), seeds=None, starts=None,
            single=False, direction=self.direction, cutoff=self.cutoff, plan=None, stats=None,
            rounded=self._own["rounded"], search=_search, distances=None,
        )  # fmt: skip
        return verify(graph, table)

    def status(self) -> Description:
        """Return what is stored, how much of it is done, and what runs: a dict that prints as a table."""
        form, own, sizes = self.form, self._own, self.place.sizes("distance")
        there = {block: size for name, size in sizes.items() if (block := form.block_of(name)) is not None}
        rows, stored = sum(len(form.rows_of(block)) for block in there), sum(there.values())
        raw = rows * form.columns * form.dtype.itemsize
        return Description(
            store=self.place.name,
            rows=form.rows,
            **{"vertices" if own["all_targets"] else "targets": form.columns},
            direction=self.direction,
            **({} if self.cutoff is None else {"cutoff": self.cutoff}),
            distances=form.dtype.name,
            rows_done=rows,
            blocks_done=f"{len(there):,} of {form.blocks:,}",
            finished=rows == form.rows,
            bytes=stored,
            uncompressed_bytes=raw,
            **({"times_smaller": round(raw / stored, 1)} if 0 < stored < raw else {}),
            method=own["plan"]["method"],
            device=own["plan"]["device"],
            why=own["plan"]["why"],
            version=own["version"],
        )

    def _require_graph(self, graph: Graph) -> Graph:
        """Refuse a graph that is not the one whose distances these are."""
        if self.__dict__.get("_known") is not graph:
            if fingerprint_of(graph).tobytes().hex() != self._own["asked"]["graph"]:
                raise StoreError(
                    f"{self.place.name} holds the distances of another graph: vertices, arcs or weights differ. Give "
                    "the graph that it was written from."
                )
            self._known = graph
        return graph


AT_ONCE = 64  # rows that are read and proved at a time


def open_matrix(where: Any, graph: Graph | None = None) -> Matrix:
    """Open distances that `apsp`, `mssp` or `table` wrote with ``out="...zarr"``.

    Parameters
    ----------
    where : path, address such as "s3://...", or mapper of fsspec
    graph : Graph or Prepared, optional
        The graph of the matrix. It is needed only to look up names that are neither numbers nor words nor cells.

    Examples
    --------
    >>> import nearfar, tempfile
    >>> folder = tempfile.mkdtemp() + "/d.zarr"
    >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True)
    >>> _ = nearfar.mssp(g, [2, 0], out=folder)
    >>> matrix = nearfar.open_matrix(folder)
    >>> matrix.shape, matrix.sources.tolist(), matrix[2, 0], matrix[0:1].tolist()
    ((2, 3), [2, 0], 12, [[12, 7, 0]])
    """
    return Matrix(open_place(where), None if graph is None else take_graph(graph))


def column_of_sources(coordinates: dict[str, Any], form: Form) -> np.ndarray:
    """Return the column of each stored row's source, -1 where it has none."""
    sources = coordinates.get("source_index", coordinates["source"])
    targets = coordinates.get("target_index", coordinates["target"])
    if len(targets) and (targets == np.arange(len(targets))).all():
        return np.where(sources < len(targets), sources, -1)
    order = np.argsort(targets, kind="stable")
    at = np.minimum(np.searchsorted(targets[order], sources), max(0, form.columns - 1))
    found: np.ndarray = np.where(targets[order][at] == sources, order[at], -1)
    return found


def _together(graph: Graph, proofs: list[Certificate]) -> Certificate:
    """Return one certificate for several."""
    rounding = [proof.rounding for proof in proofs if proof.rounding is not None]
    problems = [problem for proof in proofs for problem in proof.problems]
    return Certificate(problems, sum(proof.rows for proof in proofs), graph.n, graph.m, max(rounding, default=None))


def _search(table: Any, rows: Sequence[int], targets: np.ndarray | None) -> Distances:
    """Return whole rows of a table."""
    from ...engine.tables import search_again

    return search_again(table, rows, targets)
