"""Cut a graph into parts with few arcs between them, and write the parts into its folder.

Which way of cutting is good depends on the graph: a thousand components upset METIS, a social network has no small cut
at all. So each way that is possible is tried, and the one with the fewest boundary vertices is kept.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..description import Description
from ..devices import cpu
from ..engine.options import take_memory
from ..engine.query import take_graph
from ..errors import InputTypeError, MemoryLimitError, MissingDependencyError, OptionError, in_python, option
from ..formats.folder import open_graph
from ..formats.folder.document import REVERSED
from ..formats.folder.parts import write_split
from ..graph import Graph
from ..graph.arrays import Array
from ..graph.parts import count_cut_arcs, label_type
from ..graph.stored import StoredGraph
from .cuts import WAYS, load_metis, most_parts, refusal

DISTANCE_BYTES = 8  # of a distance between two boundary vertices


@dataclass(frozen=True, eq=False)
class Partition:
    """The part of every vertex of a graph, and what it costs to put the parts together. Made by `partition`.

    Attributes
    ----------
    labels : ndarray of uint8 or uint16
        The part of each vertex, by index.
    parts : int
        The number of parts; some may be empty.
    sizes, arcs, boundary : ndarray of int64
        How many vertices, arcs and boundary vertices each part has. A boundary vertex is an end of an arc between two
        parts.
    cut_arcs : int
        The number of arcs between two parts.
    how : str
        "metis", "coordinates", "ranges", or "given".
    why : str
        The reasons, in a sentence.

    Examples
    --------
    >>> import nearfar
    >>> graph = nearfar.generate.road_grid(10, 10, seed=1)
    >>> cut = nearfar.partition(graph, 4, how="ranges")
    >>> cut.boundary, cut.cut_arcs
    (array([ 7, 16, 13,  4]), 44)
    """

    labels: Array
    parts: int
    sizes: Array
    arcs: Array
    boundary: Array
    cut_arcs: int
    how: str
    why: str

    @property
    def boundary_share(self) -> float:
        """The share of the vertices that lie on a boundary."""
        return float(self.boundary.sum() / max(len(self.labels), 1))

    @property
    def overlay_bytes(self) -> int:
        """The bytes of all distances between boundary vertices of one part: more than are kept."""
        return int((self.boundary.astype(np.float64) ** 2).sum() * DISTANCE_BYTES)

    def describe(self) -> Description:
        """Return the partition as a dict that prints as a table."""
        return Description(
            parts=self.parts,
            how=self.how,
            vertices=len(self.labels),
            largest_part=int(self.sizes.max(initial=0)),
            most_arcs=int(self.arcs.max(initial=0)),
            boundary_vertices=int(self.boundary.sum()),
            boundary_share=f"{self.boundary_share:.2%}",
            cut_arcs=self.cut_arcs,
            overlay_bytes=self.overlay_bytes,
            why=self.why,
        )

    def __str__(self) -> str:
        return str(self.describe())

    def __repr__(self) -> str:
        return (
            f"Partition(parts={self.parts}, how={self.how!r}, boundary={int(self.boundary.sum())}, "
            f"cut_arcs={self.cut_arcs})"
        )

    def write(self, graph: Any) -> None:
        """Write the parts into the folder of the graph; `nearfar.write_parts` describes it."""
        write_parts(graph, self)


def partition(graph: Any, parts: int, how: Any = "auto", memory: Any = None) -> Partition:
    """Cut a graph into parts of about the same size, with few vertices on the boundaries between them.

    Parameters
    ----------
    graph : Graph or Prepared
        Of a graph that lies in a folder, arcs are counted block by block, and not kept.
    parts : int
        From 1 to 65,535. Parts of a road network that each fit a quarter of the memory are a good choice.
    how : str or array
        "metis" (needs pymetis), "coordinates" (along straight lines), "ranges" (of indices); "auto" tries all that are
        possible and keeps the one with the fewest boundary vertices. Or the part of each vertex, as whole numbers.
    memory : int or str
        The bytes that may be used, such as "2 GB"; METIS is left out if it needs more.

    Returns
    -------
    Partition

    Examples
    --------
    >>> import nearfar
    >>> graph = nearfar.generate.road_grid(30, 30, seed=1)
    >>> print(nearfar.partition(graph, 4, how="coordinates").why)
    asked for: 100 boundary vertices (11.11%)
    """
    plain, count = take_graph(graph), most_parts(take_graph(graph), parts)
    if not isinstance(how, str):
        return _counted(plain, count, _take_labels(plain, count, how), "given", "the parts were given")
    allowed = cpu.facts().memory if (given := take_memory(memory)) is None else given
    if how != "auto":
        return _asked_for(plain, count, how, allowed)
    return _best(plain, count, allowed)


def _asked_for(graph: Graph, parts: int, how: str, memory: int) -> Partition:
    """Cut a graph in the way that was asked for."""
    if how not in WAYS:
        known = ", ".join(map(repr, WAYS))
        raise OptionError(
            f"how is {how!r:.60}; there are {known} and 'auto', or an array with the part of each vertex."
        )
    if how == "metis":
        load_metis()
    if (flaw := refusal(how, graph, memory)) is not None:
        raise (
            MemoryLimitError(f"{flaw}. {_OTHERS}", 0, memory) if how == "metis" else OptionError(f"{flaw}. {_OTHERS}")
        )
    return _with_share(_counted(graph, parts, WAYS[how](graph, parts), how, "asked for"))


_OTHERS = f"Use {option('how', 'auto')}, which tries all that is possible."


def _best(graph: Graph, parts: int, memory: int) -> Partition:
    """Cut a graph in every way that is possible, and return the partition with the fewest boundary vertices."""
    found: list[Partition] = []
    left_out: list[str] = []
    for how, cut in WAYS.items():
        flaw = refusal(how, graph, memory)
        try:
            labels = None if flaw else cut(graph, parts)
        except MissingDependencyError:
            labels, flaw = None, "pymetis is not installed"
        if labels is None:
            left_out.append(f"{how} was left out, since {flaw}")
        else:
            found.append(_counted(graph, parts, labels, how, ""))
    best = min(found, key=lambda one: int(one.boundary.sum()))
    shares = ", ".join(f"{one.how} {one.boundary_share:.2%}" for one in found)
    why = "; ".join([f"fewest boundary vertices of {shares}", *left_out])
    return _replace(best, why)


def _with_share(one: Partition) -> Partition:
    """Return a partition whose reason says how large its boundary is."""
    return _replace(one, f"{one.why}: {int(one.boundary.sum()):,} boundary vertices ({one.boundary_share:.2%})")


def _replace(one: Partition, why: str) -> Partition:
    """Return a partition with another reason."""
    return replace(one, why=why)


def _counted(graph: Graph, parts: int, labels: Array, how: str, why: str) -> Partition:
    """Return a partition with its boundaries counted, in one pass over the arcs."""
    _, on_boundary, cut_arcs = count_cut_arcs(graph, labels)
    boundary = np.bincount(labels[on_boundary != 0], minlength=parts)
    sizes = np.bincount(labels, minlength=parts)
    arcs = np.bincount(labels, np.diff(graph.offsets), minlength=parts).astype(np.int64)
    return Partition(labels, parts, sizes, arcs, boundary, cut_arcs, how, why)


def _take_labels(graph: Graph, parts: int, labels: Any) -> Array:
    """Return the part of each vertex as a small array, checked."""
    given = np.asarray(labels)
    if given.shape != (graph.n,) or given.dtype.kind not in "iu":
        raise InputTypeError(
            f"how is an array of shape {given.shape} and type {given.dtype}; the parts of {graph.n:,} vertices are "
            f"{graph.n:,} whole numbers, one per vertex, in order of their indices."
        )
    if graph.n and not (given.min() >= 0 and given.max() < parts):
        raise OptionError(f"there are parts from {given.min()} to {given.max()}; {parts} parts are 0 to {parts - 1}.")
    return given.astype(label_type(parts))


def write_parts(graph: Any, partition: Partition) -> None:
    """Write the parts of a graph beside its arcs: into ``parts/`` in its folder.

    Queries then need a few parts at a time in memory, instead of all arcs. Arcs are read twice, block by block. Writing
    the graph again removes its parts. If the reversed graph lies in the folder, its parts are written, too.

    Parameters
    ----------
    graph : Graph or path
        A graph that was opened with `Graph.open`, or its folder.
    partition : Partition

    Examples
    --------
    >>> import nearfar, tempfile
    >>> folder = tempfile.mkdtemp() + "/roads.nearfar"
    >>> nearfar.write(nearfar.generate.road_grid(30, 30, seed=1), folder)
    >>> graph = nearfar.Graph.open(folder)
    >>> nearfar.write_parts(graph, nearfar.partition(graph, 4, how="coordinates"))
    >>> graph.parts.count, graph.parts.sizes
    (4, array([223, 225, 228, 224]))
    """
    stored = open_graph(graph) if isinstance(graph, str | os.PathLike) else graph
    if not isinstance(stored, StoredGraph):
        raise InputTypeError(
            f"graph is {stored!r:.80}, which lies in no folder; write it first"
            + in_python(": nearfar.write(graph, 'roads.nearfar'), then Graph.open('roads.nearfar')")
            + "."
        )
    if not isinstance(partition, Partition):
        raise InputTypeError(f"partition is a {type(partition).__name__}; make one with nearfar.partition(graph, 16).")
    if len(partition.labels) != stored.n:
        raise OptionError(
            f"the partition is of {len(partition.labels):,} vertices, and the graph has {stored.n:,}. Cut this graph."
        )
    write_split(stored, partition.labels, partition.parts)
    if not stored.undirected and (stored.path / REVERSED).is_dir():
        reverse = stored.reversed
        assert isinstance(reverse, StoredGraph)
        write_split(reverse, partition.labels, partition.parts)
