"""`prepare` and `Prepared`: a graph pruned, eliminated and laid out once, for any number of queries.

It works like a sparse direct solver over (min, +): analyse (the elimination order), factor (the weights of shortcuts),
solve (sweeps). The code is in elimination/; docs/prepared.md explains the algorithm.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

import numpy as np
import numpy.typing as npt

from . import api
from .devices import cpu
from .elimination.build import Failure, Hierarchy, build
from .elimination.label_store import LabelStore
from .elimination.pairs import lend_pairs
from .elimination.paths import Paths, can_unfold
from .engine import options
from .engine.options import Options
from .engine.query import PreparedGraph, check, take_graph, take_vertices
from .engine.tables import certain_type
from .errors import DistanceOverflowError, InputTypeError, NoPathError, OptionError, option
from .graph import Graph, TurnGraph
from .graph.arrays import on_host
from .graph.input_rows import lightest_along
from .kernels.cpu.constants import LANES
from .methods.prepared import SOLVERS, refusal, require_memory
from .results import Distances, KNearest, Nearest, Table
from .results.limits import choose_types, in_type, type_end, unreached
from .results.lookup import names_of

if TYPE_CHECKING:
    from .description import Description

Space = TypeVar("Space")


ORDERS = ("auto", "degree", "dissection")


@overload
def prepare(
    graph: Graph,
    *,
    threads: int | None = None,
    memory: Any = None,
    order: str = "auto",
    labels: bool | None = None,
) -> Prepared: ...
@overload
def prepare(
    graph: TurnGraph,
    *,
    threads: int | None = None,
    memory: Any = None,
    order: str = "auto",
    labels: bool | None = None,
) -> TurnGraph: ...
def prepare(
    graph: Graph | TurnGraph,
    *,
    threads: int | None = None,
    memory: Any = None,
    order: str = "auto",
    labels: bool | None = None,
) -> Prepared | TurnGraph:
    """Prepare a graph for many queries: in rows, a distance then takes less than a nanosecond.

    Parameters
    ----------
    graph : Graph or TurnGraph
        Any weights; a negative cycle is an error. A graph with turns is returned with its larger graph prepared.
    threads : int, optional
        By default all cores.
    memory : int or str, optional
        Bytes that may be used, such as "2 GB"; where more are expected to be needed, it is refused beforehand.
    order : {"auto", "degree", "dissection"}
        Which vertices are eliminated first: those of least degree, which is best for roads and graphs with hubs, or
        those that nested dissection puts first, which is best for rasters and meshes. By default a look at the graph
        tells. Distances are the same.
    labels : bool, optional
        Whether to make labels, which give the distance of a pair in less than a microsecond and take one number per
        vertex and ancestor: True at once, False never. By default they are made as soon as so many pairs were asked
        for that labels would have paid, if a quarter of the free memory is enough for them. Where weights are floats,
        which labels round in another order, only a single call for so many pairs makes and uses them.

    Returns
    -------
    Prepared

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.generate.road_grid(40, 40, seed=1)
    >>> prepared = nearfar.prepare(g)
    >>> prepared.distance(0, 1599) == nearfar.distance(g, 0, 1599)
    True
    >>> prepared.mssp([0, 7, 800]).dist.shape
    (3, 1600)
    """
    if isinstance(graph, TurnGraph):
        given: dict[str, Any] = {"threads": threads, "memory": memory, "order": order, "labels": labels}
        return graph.searched_by(prepare(graph.states, **given))
    graph = take_graph(graph)
    machine = cpu.facts()
    threads = options.take_threads(threads, machine.cores)
    allowed = options.take_memory(memory) or machine.memory
    require_memory(graph, threads, allowed)
    if order not in ORDERS:
        raise OptionError(f"order is {order!r}, but must be one of {', '.join(map(repr, ORDERS))}. Leave it out.")
    if labels is not None and not isinstance(labels, bool):
        raise InputTypeError(f"labels is {labels!r:.60}, but must be True or False. Leave it out.")
    prepared = Prepared(graph, _built(graph, threads, allowed, order), threads, labels)
    if labels:
        prepared._labels.require_memory(allowed)
        prepared._labels.make()
    return prepared


def _built(graph: Graph, threads: int, memory: int = 2**62, order: str = "auto") -> Hierarchy:
    """Return the hierarchy of a graph, or raise an error that names a negative cycle."""
    stop = np.zeros(1, np.int64)
    return _made(graph, lambda: build(graph, threads, stop, SOLVERS, memory=memory, order=order), stop)


def _made(graph: Graph, make: Callable[[], Hierarchy | Failure | None], stop: np.ndarray) -> Hierarchy:
    """Run ``make`` on its own thread, so that Ctrl-C interrupts it; turn its failure into an error."""
    made: list[Any] = []
    cpu.run(lambda t: made.append(make()), 1, stop)
    if isinstance(made[0], Failure):
        raise refusal(graph, made[0])
    return made[0]


class Prepared(PreparedGraph):
    """A graph prepared for many queries. Made by `nearfar.prepare` and `nearfar.load_prepared`.

    It can be given to every query function in place of a graph: ``nearfar.sssp(prepared, s)`` is ``prepared.sssp(s)``.

    Attributes
    ----------
    graph : Graph
        The graph that was prepared.
    hierarchy : Hierarchy
        What it was turned into; ``describe`` summarises it.
    threads : int
        Threads that queries use by default.

    Notes
    -----
    Integer distances are exact. Floats are summed in another order than along the path, so they agree with those of
    `nearfar.sssp` only up to rounding; predecessors and paths are right all the same.

    For distances *to* vertices (``direction="to"``), the reversed graph is prepared on first use and kept, unless the
    graph is undirected: that takes as long, and as much memory, as preparing did.

    Examples
    --------
    >>> import nearfar
    >>> prepared = nearfar.prepare(nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3]))
    >>> prepared.sssp(0).dist
    array([0, 4, 7], dtype=int32)
    >>> prepared.path(0, 2)
    [0, 1, 2]
    """

    def __init__(self, graph: Graph, hierarchy: Hierarchy, threads: int, labels: bool | None = None) -> None:
        self.graph, self.hierarchy, self.threads = graph, hierarchy, threads
        self._labels = LabelStore(hierarchy, labels, threads)
        self._covered = graph.kept  # the arcs of graph.opened that the structure covers; None: all of them
        self._spare_paths = [Paths(hierarchy)] if can_unfold(hierarchy) else []  # work space, made for the first
        self._backward: Hierarchy | None = None  # that of the reversed graph, made on first use
        self._preparing = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Copy everything but the work space and the lock."""
        return {name: value for name, value in vars(self).items() if name not in ("_spare_paths", "_preparing")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was copied, with new work space and a new lock."""
        vars(self).update(state, _spare_paths=[], _preparing=threading.Lock())

    def hierarchy_of(self, direction: str) -> Hierarchy:
        """Return the hierarchy to search over: for "to" that of the reversed graph, prepared on first use."""
        if direction == "from" or self.graph.undirected:
            return self.hierarchy
        with self._preparing:
            if self._backward is None:
                self._backward = _built(self.graph.reversed, self.threads, order=self.hierarchy.structure.order)
            return self._backward

    @overload
    def sssp(
        self, source: Any, *, targets: None = None, direction: str = "from", **options: Unpack[Options]
    ) -> Distances: ...
    @overload
    def sssp(self, source: Any, *, targets: Any, direction: str = "from", **options: Unpack[Options]) -> Table: ...
    def sssp(
        self, source: Any, *, targets: Any = None, direction: str = "from", **options: Unpack[Options]
    ) -> Distances | Table:
        """Return the distances from one source to every vertex, as `nearfar.sssp` does; the options are the same.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.prepare(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])).sssp(0).dist
        array([ 0,  5, 12], dtype=int32)
        """
        return api.sssp(self, source, targets=targets, direction=direction, **options)

    @overload
    def mssp(
        self, sources: Any, *, targets: None = None, direction: str = "from", **options: Unpack[Options]
    ) -> Distances: ...
    @overload
    def mssp(self, sources: Any, *, targets: Any, direction: str = "from", **options: Unpack[Options]) -> Table: ...
    def mssp(
        self, sources: Any, *, targets: Any = None, direction: str = "from", **options: Unpack[Options]
    ) -> Distances | Table:
        """Return the distances from several sources, one row per source, as `nearfar.mssp` does, with the same options.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.prepare(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])).mssp([1, 0]).dist
        array([[2147483647,          0,          7],
               [         0,          5,         12]], dtype=int32)
        """
        return api.mssp(self, sources, targets=targets, direction=direction, **options)

    def apsp(self, **options: Unpack[Options]) -> Distances:
        """Return the distances between all pairs, one row per source, as `nearfar.apsp` does, with the same options.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.prepare(nearfar.Graph.from_arcs([0, 1], [1, 0], [5, 7])).apsp().dist
        array([[0, 5],
               [7, 0]], dtype=int32)
        """
        return api.apsp(self, **options)

    def nearest(
        self, sources: Any, k: int = 1, *, direction: str = "from", **options: Unpack[Options]
    ) -> Nearest | KNearest:
        """Return the nearest of several sources for every vertex, as `nearfar.nearest` does, with the same options.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.prepare(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])).nearest([0, 1]).dist
        array([0, 0, 7], dtype=int32)
        """
        return api.nearest(self, sources, k, direction=direction, **options)

    def table(self, sources: Any, targets: Any, **options: Unpack[Options]) -> Table:
        """Return the distances from each source to each target, as `nearfar.table` does, with the same options.

        Only the ancestors of the targets are swept, so few targets cost less than whole rows.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])
        >>> nearfar.prepare(g).table(["Ulm", "Bonn"], ["Kiel"]).dist
        array([[7],
               [3]], dtype=int32)
        """
        return api.table(self, sources, targets, **options)

    def distance(self, source: Any, target: Any) -> int | float:
        """Return the distance from one vertex to another, math.inf if there is no path.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.prepare(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])).distance(0, 2)
        12
        """
        ends = self.graph.index(source, "source"), self.graph.index(target, "target")
        labels = self._labels.ask(1)
        found = self._climb(*ends) if labels is None else labels.distance(*ends)
        return math.inf if found is None else found

    def distances(self, pairs: Any, *, threads: int | None = None, dtype: npt.DTypeLike | None = None) -> np.ndarray:
        """Return the distance of each of many pairs (source, target), from labels, or from two short climbs per pair.

        Parameters
        ----------
        pairs : sequence of pairs, or array of shape (k, 2)
        threads : int, optional
        dtype : type, optional
            float64 by default, inf where there is no path, as `distance` has it. "int32" or "int64" for integer
            weights: then unreached is the type's maximum.

        Returns
        -------
        array of length k

        Examples
        --------
        >>> import nearfar
        >>> nearfar.prepare(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])).distances([(0, 2), (1, 2), (2, 0)])
        array([12.,  7., inf])
        """
        from .elimination.tables import find_pairs

        sources, targets = self._ends(pairs)
        wanted = options.take_dtype("float64" if dtype is None else dtype, self.graph)
        assert wanted is not None
        self._require_room(wanted)
        labels = self._labels.ask(len(sources))
        if labels is None:
            found = find_pairs(self.hierarchy, sources, targets, self._dtype, self._threads(threads))
        else:
            found = labels.distances(sources, targets, self._dtype, self._threads(threads))
        return in_type(found, wanted)

    def _require_room(self, wanted: np.dtype) -> None:
        """Refuse a type that may not hold all distances exactly: floats have 53 bits."""
        if self._dtype.kind == "f" or self._dtype == wanted:
            return
        end = 2**53 if wanted.kind == "f" else int(type_end(wanted))
        if self.hierarchy.high >= end:
            raise DistanceOverflowError(
                f"distances may be up to {int(self.hierarchy.high):,}, but {wanted.name} holds whole numbers exactly "
                f"only below {end:,}. Use {option('dtype', 'int64')}."
            )

    def path(self, source: Any, target: Any) -> list[Any]:
        """Return the vertices of a shortest path, both ends included.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.prepare(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])).path(0, 2)
        [0, 1, 2]
        """
        names = names_of(self.graph, self._path(source, target))
        return names if isinstance(names, list) else names.tolist()

    def path_rows(self, source: Any, target: Any) -> np.ndarray:
        """Return the rows of the input along a shortest path: see `Graph.rows`.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.prepare(nearfar.Graph.from_arcs([1, 0], [2, 1], [5, 7])).path_rows(0, 2)
        array([1, 0], dtype=int32)
        """
        return self.graph.rows[lightest_along(self.graph, self._path(source, target))]

    def _path(self, source: Any, target: Any) -> np.ndarray:
        """Return the vertices of a shortest path, by index."""
        s, t = self.graph.index(source, "source"), self.graph.index(target, "target")
        found = None
        if can_unfold(self.hierarchy):
            # Labels may find another path of the same length: only if every path comes from them are they asked.
            labels = self._labels.ask(1) if self._labels.wanted else None
            with lent(self._spare_paths, lambda: Paths(self.hierarchy)) as paths:
                found = paths.find(s, t) if labels is None else paths.find_by_labels(labels, s, t)
        if found is None and self.hierarchy.pruned:
            found = self._search_pruned(s, t)
        if found is None:  # there is a large core, or the walk has very many cycles of length zero
            return self.graph.indices(api.path(self.graph, source, target, **self._options))
        if not len(found):
            raise NoPathError(f"there is no path from {source!r} to {target!r}: it cannot be reached.")
        return found

    def _search_pruned(self, s: int, t: int) -> np.ndarray:
        """Return the vertices of a shortest path from a search of what pruning has left; none without one."""
        try:
            return np.array(api.path(self.hierarchy.graph, s, t, **self._options), np.int32)
        except NoPathError:
            return np.empty(0, np.int32)

    @cached_property
    def _options(self) -> Options:
        """The options of a search of the graph: none by default, which saves their checks."""
        return {} if self.threads == cpu.facts().cores else {"threads": self.threads}

    def row_sums(
        self,
        sources: Any = None,
        *,
        device: str | list[str] | tuple[str, ...] = "auto",
        threads: int | None = None,
        memory: float | str | None = None,
        progress: Any = False,
    ) -> np.ndarray:
        """Return for every source the sum of its distances to all vertices that it reaches, without storing rows.

        Parameters
        ----------
        sources : vertices, optional
            By default all vertices.
        device : str or list of str
            As in `nearfar.mssp`. A GPU sends one number per source, not the rows. The sums are the same to the bit on
            every device, also of floats: the same parts of a row are added up in the same order.
        threads : int, optional
        memory : int or str, optional
            Bytes that may be used on each GPU.
        progress : bool or function

        Returns
        -------
        int64 or float64 array

        Examples
        --------
        >>> import nearfar
        >>> prepared = nearfar.prepare(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]))
        >>> prepared.row_sums()
        array([17,  7,  0])
        >>> from nearfar.devices import opencl
        >>> prepared.row_sums([1, 0], device="cpu" if opencl.missing() else "opencl")
        array([ 7, 17])
        """
        from .engine.folds import Wanted, fold

        indices = (
            np.arange(self.graph.n, dtype=np.int32) if sources is None else take_vertices(self.graph, sources, "source")
        )
        shared = {"device": device, "threads": threads, "memory": memory, "progress": progress}
        sums = fold(check(self, indices, method="prepared", **shared), Wanted(sums=True))[0].sums
        assert sums is not None
        return sums

    def reweight(self, weights: Any) -> Prepared:
        """Return the same graph with other weights, prepared; the elimination order stays as it is.

        Parameters
        ----------
        weights : array of numbers
            One per row of the input, as in `Graph.with_weights`. inf closes an arc; a later call opens it again.

        Notes
        -----
        Where a few weights changed, only the shortcuts they affect are computed again; the first time takes longer,
        since it needs shortest paths that preparing does not keep. A graph that was pruned is prepared from scratch,
        since which arcs can be removed depends on the weights; so is one with a core that gets negative weights, and
        one that was prepared while arcs were closed that are open now.

        Examples
        --------
        >>> import nearfar
        >>> prepared = nearfar.prepare(nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3]))
        >>> prepared.reweight([4, 5, 3]).distance(0, 2)
        5
        """
        return self._changed(self.graph.with_weights(weights))

    def close(self, rows: Any) -> Prepared:
        """Return the graph without the arcs of some rows of the input, prepared. This one stays as it is.

        Examples
        --------
        >>> import nearfar
        >>> graph = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3])
        >>> prepared = nearfar.prepare(graph)
        >>> closed = prepared.close(graph.find_rows(1, 2))
        >>> closed.distance(0, 2), prepared.distance(0, 2)
        (9, 7)
        """
        return self._changed(self.graph.close(rows))

    def _changed(self, graph: Graph) -> Prepared:
        """Return this graph prepared, which has the same arcs with other weights, some of them closed."""
        from .elimination.reweight import covers, reweighted

        lost = self.hierarchy.core is not None and graph.min_weight < 0
        if self.hierarchy.pruned or lost or not covers(self._covered, graph):
            return Prepared(graph, _built(graph, self.threads), self.threads, self._labels.wanted)
        stop = np.zeros(1, np.int64)
        made = _made(graph, lambda: reweighted(self.graph, self.hierarchy, graph, self.threads, stop, SOLVERS), stop)
        prepared = Prepared(graph, made, self.threads, self._labels.wanted)
        prepared._covered = self._covered
        return prepared

    def save(self, path: Any) -> None:
        """Write everything to a file that `nearfar.load_prepared` reads.

        Examples
        --------
        >>> import nearfar, tempfile, os
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     nearfar.prepare(g).save(os.path.join(folder, "g.prepared"))
        ...     nearfar.load_prepared(os.path.join(folder, "g.prepared"), g).distance(0, 2)
        12
        """
        from .elimination.file import write_hierarchy

        write_hierarchy(self.graph, self.hierarchy, path, self._labels.are_kept)

    def describe(self) -> Description:
        """Return what preparing did, how long it took and how much memory it uses: a dict that prints as a table.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.prepare(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])).describe()["core"]
        0
        """
        from .description import Description, format_bytes

        h, labels = self.hierarchy, self._labels.made
        seconds = h.seconds | ({"labels": labels.seconds} if labels else {})
        return Description(
            vertices=self.graph.n,
            arcs=self.graph.m,
            arcs_after_pruning=h.graph.m,
            order=h.structure.order,
            core=h.structure.core,
            core_arcs=0 if h.core is None else len(h.core.heads),
            arcs_up=len(h.layout.up_arcs),
            arcs_down=len(h.layout.down_arcs),
            depth=h.layout.depth,
            lanes=f"{LANES} x {h.layout.dtype.name}",
            labels="none" if labels is None else format_bytes(labels.nbytes),
            bytes=h.nbytes + (labels.nbytes if labels else 0),
            seconds=sum(seconds.values()),
            **{f"seconds_{name.replace(' ', '_')}": lap for name, lap in seconds.items()},
        )

    def __repr__(self) -> str:
        return f"Prepared(n={self.graph.n}, m={self.graph.m}, core={self.hierarchy.structure.core})"

    @cached_property
    def _dtype(self) -> np.dtype:
        """The type of distances in tables and of pairs: the smallest that certainly holds them."""
        types = choose_types(self.graph, None, self.graph.min_weight < 0)
        return certain_type(types, self.graph, self.hierarchy) or types[-1]

    def _climb(self, s: int, t: int) -> int | float | None:
        """Return the distance of a pair from two climbs, None if there is no path."""
        found = np.empty(1, self._dtype)
        pairs = lend_pairs(self.hierarchy, np.zeros(1, np.int64))
        pairs.distances(np.array([s]), np.array([t]), unreached(found.dtype), found)
        self.hierarchy.spare_pairs.append(pairs)
        return None if found[0] == unreached(found.dtype) else found[0].item()

    def _ends(self, pairs: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the sources and targets of pairs as vertex indices."""
        pairs = on_host(pairs)
        if isinstance(pairs, np.ndarray) and pairs.ndim == 2 and pairs.shape[1] == 2:
            return self.graph.indices(pairs[:, 0], "source"), self.graph.indices(pairs[:, 1], "target")
        if isinstance(pairs, str | bytes) or not isinstance(pairs, Iterable):
            raise InputTypeError(f"pairs is {pairs!r:.60}; give pairs (source, target), or an array of two columns.")
        listed = list(pairs)
        for i, pair in enumerate(listed):
            if not isinstance(pair, list | tuple | np.ndarray) or len(pair) != 2:
                raise InputTypeError(f"pair {i} is {pair!r}; give pairs (source, target), or an array of two columns.")
        sources, targets = ([pair[side] for pair in listed] for side in (0, 1))
        return self.graph.indices(sources, "source"), self.graph.indices(targets, "target")

    def _threads(self, threads: int | None) -> int:
        """Return the number of threads to use."""
        return self.threads if threads is None else options.take_threads(threads, cpu.facts().cores)


@contextmanager
def lent(spare: list[Space], make: Callable[[], Space]) -> Iterator[Space]:
    """Lend work space to one thread, used before if possible; after an exception it is dropped."""
    try:
        space = spare.pop()
    except IndexError:
        space = make()
    yield space
    spare.append(space)


@overload
def load_prepared(path: Any, graph: Graph) -> Prepared: ...
@overload
def load_prepared(path: Any, graph: TurnGraph) -> TurnGraph: ...
def load_prepared(path: Any, graph: Graph | TurnGraph) -> Prepared | TurnGraph:
    """Read a prepared graph that `Prepared.save` wrote.

    Parameters
    ----------
    path : path
    graph : Graph or TurnGraph
        The graph that was prepared. The file of another graph is refused, and so is one that is damaged or of another
        version. For a graph with turns, ``turns.searched.save`` writes it.

    Examples
    --------
    >>> import nearfar, tempfile, os
    >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nearfar.prepare(g).save(os.path.join(folder, "g.prepared"))
    ...     nearfar.load_prepared(os.path.join(folder, "g.prepared"), g)
    Prepared(n=3, m=2, core=0)
    """
    from .elimination.file import read_hierarchy

    if isinstance(graph, TurnGraph):
        return graph.searched_by(load_prepared(path, graph.states))
    graph = take_graph(graph)
    hierarchy, labelled = read_hierarchy(graph, path)
    return Prepared(graph, hierarchy, cpu.facts().cores, True if labelled else None)
