"""Graph: vertices 0 to n - 1 and their arcs in rows, checked once, then frozen.

The arcs that leave vertex u are ``arcs[offsets[u]:offsets[u + 1]]``, each a record of head and weight side by side, so
that relaxing an arc touches one cache line. An undirected edge is stored as two arcs, a loop as one.

Invariants, on which all other modules rely: offsets start at 0, never decrease and end at m; heads are in 0 to n - 1;
weights are finite. Nothing is shared with the caller's arrays, and the graph's own arrays are read-only.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..errors import GraphError, InputTypeError
from .arrays import Array, shorten
from .doors import Doors
from .input_rows import InputRows, along_reversed, lightest_along, row_type
from .order import closedness, is_scattered, renumber, usual_levels
from .rows import find_leaves, freeze, reverse_rows, row_of
from .units import Units
from .vertices import Vertices

if TYPE_CHECKING:
    from ..description import Description
    from .parts import Parts
    from .turns import TurnGraph

WEIGHTS = 4096  # of which the median is taken for the typical weight; of 65,536 it took as long as ten short rows


class Graph(Doors):
    """A frozen directed graph with weights of one type, or none.

    Build one with `from_arcs`, `from_csr`, `from_matrix`, `from_raster`, `from_scipy`, `from_frame`, `from_networkx`,
    `from_igraph`, `from_rustworkx` or `from_graph_tool`.
    Parallel arcs and loops are kept: shortest paths use the lightest of parallel arcs, and a loop is harmless unless it
    is negative.

    Attributes
    ----------
    n, m : int
        Number of vertices and of arcs. An undirected edge counts as two arcs.
    undirected : bool
        Whether it was built from undirected edges; both directions are stored.
    offsets : ndarray of int32 (int64 from 2**31 arcs on)
        Where each vertex's arcs start; n + 1 entries.
    arcs : structured ndarray
        The arcs, row after row, with fields ``head`` (int32) and, unless the graph is unweighted, ``weight``.
    heads, weights : ndarray
        Views of the fields of ``arcs``; ``weights`` is None in an unweighted graph.
    names : sequence or None
        The names of the vertices: a tuple, a `NumberNames` if all are whole numbers, or a `CellNames` if they are the
        cells of a raster. None if vertices are called by their indices.
    coordinates : ndarray of float64, shape (n, 2), or None
        x and y, or longitude and latitude.
    keys : tuple or None
        The key of each edge of a NetworkX multigraph, by row.
    units : Units
        What weights and coordinates are measured in, as far as it is known; see `with_units`.

    Examples
    --------
    >>> from nearfar.graph import Graph
    >>> graph = Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3])
    >>> graph
    Graph(n=3, m=3, int32 weights 3..9)
    >>> graph.heads[graph.offsets[0]:graph.offsets[1]]
    array([1, 2], dtype=int32)
    """

    offsets: Array
    arcs: Array
    undirected: bool
    coordinates: Array | None
    keys: tuple[Hashable, ...] | None
    units: Units
    input_rows: InputRows  # where arcs came from; `rows` is the public face
    kept: Array | None  # positions of the arcs in `opened`, if some are closed
    _opened: Graph | None
    _vertices: Vertices

    def __init__(
        self,
        offsets: Array,
        arcs: Array,
        vertices: Vertices,
        coordinates: Array | None = None,
        undirected: bool = False,
        *,
        input_rows: InputRows | None = None,
        opened: Graph | None = None,
        kept: Array | None = None,
        keys: tuple[Hashable, ...] | None = None,
        units: Units | None = None,
    ) -> None:
        if not isinstance(vertices, Vertices):
            raise InputTypeError(
                f"Graph(...) takes finished parts, but was given a {type(vertices).__name__} for its vertices. "
                f"Use Graph.from_arcs(tails, heads, weights) or another of the from_ methods."
            )
        state = self.__dict__  # __setattr__ is closed
        state["offsets"], state["arcs"], state["_vertices"] = freeze(offsets), freeze(arcs), vertices
        state["coordinates"] = None if coordinates is None else freeze(coordinates)
        state["undirected"] = bool(undirected)
        state["input_rows"] = InputRows(len(arcs)) if input_rows is None else input_rows
        state["_opened"], state["kept"], state["keys"] = opened, kept, keys
        state["units"] = Units() if units is None else units

    @property
    def n(self) -> int:
        """Number of vertices."""
        return self._vertices.n

    @property
    def m(self) -> int:
        """Number of arcs stored."""
        return len(self.arcs)

    @property
    def heads(self) -> Array:
        """The vertex that each arc leads to."""
        return self.arcs["head"]

    @property
    def weights(self) -> Array | None:
        """The weight of each arc, or None."""
        return None if self.weight_dtype is None else self.arcs["weight"]

    @property
    def names(self) -> Sequence[Hashable] | None:
        """The names of the vertices, or None if they are called by index."""
        return self._vertices.names

    @cached_property
    def weight_dtype(self) -> np.dtype[Any] | None:
        """The type of the weights: int32, int64, float32, float64 or None."""
        return self.arcs.dtype["weight"] if "weight" in (self.arcs.dtype.names or ()) else None

    @cached_property
    def min_weight(self) -> float:
        """The least weight; 1 when unweighted, 0 without arcs."""
        return self._weight_fact("min")

    @cached_property
    def max_weight(self) -> float:
        """The greatest weight; 1 when unweighted, 0 without arcs."""
        return self._weight_fact("max")

    @cached_property
    def mean_weight(self) -> float:
        """The mean weight; 1 when unweighted, 0 without arcs."""
        return self._weight_fact("mean")

    def _weight_fact(self, fact: str) -> float:
        """Return one number about the weights as a Python int or float."""
        if self.m == 0 or self.weights is None:
            return int(self.m > 0)
        if fact == "mean":
            with np.errstate(over="ignore"):
                mean = float(np.mean(self.weights, dtype=np.float64))
            return mean if np.isfinite(mean) else float(np.sum(self.weights / self.m))  # the sum passed 1e308
        return getattr(self.weights, fact)().item()

    @cached_property
    def typical_weight(self) -> float:
        """The median of the positive weights, from a sample; 1 without weights, 0 if none is positive."""
        if self.weights is None:
            return 1.0
        return median_of_positive(self.weights[:: max(1, self.m // WEIGHTS)])

    @cached_property
    def max_degree(self) -> int:
        """The greatest number of arcs that leave one vertex."""
        return int(np.diff(self.offsets).max(initial=0))

    @cached_property
    def leaves(self) -> Array:
        """One bit per vertex, eight per byte: whether its only arcs lead back to the one vertex that reaches it."""
        return find_leaves(self.offsets, self.arcs)

    @cached_property
    def leaf_count(self) -> int:
        """The number of leaves."""
        return int(np.bitwise_count(self.leaves).sum())

    @cached_property
    def scattered(self) -> bool:
        """Whether most arcs join vertices whose indices are far apart, and another order could change that."""
        return is_scattered(self.offsets, self.heads)

    @cached_property
    def usual_levels(self) -> int:
        """An estimate of how many levels a breadth-first search has."""
        return usual_levels(self.offsets, self.arcs, self.busiest)

    @cached_property
    def busiest(self) -> int:
        """The first vertex with the most arcs; 0 if there is none."""
        from ..kernels.cpu.ball import find_busiest

        return int(find_busiest(self.offsets))

    @cached_property
    def closedness(self) -> float:
        """The share of the arcs of a small ball that end in it: large in a grid, small in a random graph."""
        return closedness(self.offsets, self.arcs, self.n // 3)

    @cached_property
    def irregularity(self) -> float:
        """The variance of the degrees over their mean: 0 if all are the same, 1 if arcs fall where they like."""
        if not self.m:
            return 0.0
        degrees, mean = np.diff(self.offsets).astype(np.float64), self.m / self.n
        return float(degrees @ degrees / self.m - mean)  # numpy's var takes twice as long

    @cached_property
    def renumbered(self) -> tuple[Graph, Array]:
        """The same graph, without names, with neighbours close together; and the position of each vertex in it."""
        offsets, arcs, positions = renumber(self.offsets, self.arcs)
        return Graph(offsets, arcs, Vertices(self.n)), positions

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """What queries keep with the graph for the next ones; not pickled or copied, and never holds the graph."""
        return {}

    @property
    def parts(self) -> Parts | None:
        """The parts that the graph was cut into, None if it was not; see `nearfar.partition`."""
        found: Parts | None = self.memo.get("parts")
        return found

    @property
    def arc_bytes(self) -> int:
        """The memory of offsets and arcs, in bytes: what a search reads."""
        return int(self.offsets.nbytes + self.arcs.nbytes)

    @property
    def nbytes(self) -> int:
        """The memory of all arrays, in bytes, with the rows of the input and closed arcs; names are not counted."""
        arrays = (self.offsets, self.arcs, self.coordinates, self.kept)
        opened = 0 if self._opened is None else self._opened.nbytes
        return sum(array.nbytes for array in arrays if array is not None) + self.input_rows.nbytes + opened

    def index(self, vertex: Any, role: str = "vertex") -> int:
        """Return the index of a vertex: its position in ``dist`` and in ``offsets``.

        Parameters
        ----------
        vertex : int or name
            A name if the graph has names, else an index; bools and floats are refused.
        role : str
            What to call the vertex in an error message, such as "source".

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> graph = Graph.from_arcs([0], [1], names=["Ulm", "Bonn"])
        >>> graph.index("Bonn")
        1
        >>> graph.index("Bon", role="source")
        Traceback (most recent call last):
            ...
        nearfar.errors.VertexError: source 'Bon' is not a vertex: the graph has 2 named vertices, the first is 'Ulm'. \
Did you mean 'Bonn'?
        """
        return self._vertices.index(vertex, role)

    def indices(self, vertices: Any, role: str = "vertex") -> Array:
        """Return the indices of several vertices as int32, in their order; those of a set in ascending order.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_arcs([0], [1], names=["Ulm", "Bonn"]).indices(["Bonn", "Ulm"])
        array([1, 0], dtype=int32)
        """
        return self._vertices.indices(vertices, role)

    def is_vertex(self, vertex: Hashable) -> bool:
        """Tell whether something is the name of a vertex; False in a graph without names."""
        index_of = self._vertices.index_of
        return index_of is not None and vertex in index_of

    def name(self, v: int) -> Any:
        """Return what the vertex with index ``v`` is called: its name, or the index itself.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_arcs([0], [1], names=["Ulm", "Bonn"]).name(1)
        'Bonn'
        """
        return self._vertices.name(v)

    def arc_name(self, e: int) -> str:
        """Return what to call arc ``e`` in a message.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_arcs([0, 1], [1, 2]).arc_name(1)
        'arc 1 (1 -> 2)'
        """
        return self._vertices.arc_name(e, row_of(self.offsets, e), int(self.heads[e]))

    def reverse(self) -> Graph:
        """Return the graph with every arc reversed; an undirected graph is its own reverse.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_arcs([0, 1], [1, 2]).reverse().arc_name(0)
        'arc 0 (1 -> 0)'
        """
        if self.undirected:
            return self
        offsets, arcs = reverse_rows(self.offsets, self.arcs)
        if self._opened is None:
            return self.like(offsets, arcs, input_rows=InputRows.reversed_from(self))
        kept = np.zeros(self.opened.m, np.int32)
        kept[self.kept] = 1
        where = np.flatnonzero(along_reversed(self.opened.offsets, self.opened.heads, kept))
        return self.like(offsets, arcs, input_rows=self.input_rows, opened=self.opened.reverse(), kept=where)

    def without_names(self) -> Graph:
        """Return the same graph with vertices that are called by their indices.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_arcs([0], [1], names=["Ulm", "Bonn"]).without_names()
        Graph(n=2, m=1, unweighted)
        """
        if self.names is None:
            return self
        opened = None if self._opened is None else self._opened.without_names()
        facts: dict[str, Any] = {"input_rows": self.input_rows, "opened": opened, "kept": self.kept}
        return self.like(self.offsets, self.arcs, vertices=Vertices(self.n), **facts)

    @property
    def reversed(self) -> Graph:
        """The graph with every arc reversed, made on first use and kept; an undirected graph is its own reverse."""
        return self if self.undirected else self._reversed

    @property
    def known_reverse(self) -> Graph | None:
        """The graph with every arc reversed, if it is there already; None if it would have to be made."""
        return self if self.undirected else self.__dict__.get("_reversed")

    @cached_property
    def _reversed(self) -> Graph:
        """The reversed graph, kept."""
        return self._make_reversed()

    def _make_reversed(self) -> Graph:
        """Return the reversed graph; what is known about the weights is passed on."""
        turned = self.reverse()
        facts = ("weight_dtype", "min_weight", "max_weight", "mean_weight")
        turned.__dict__.update({fact: self.__dict__[fact] for fact in facts if fact in self.__dict__})
        return turned

    def with_weights(self, weights: Any) -> Graph:
        """Return the same graph with other weights.

        Parameters
        ----------
        weights : array of numbers, or None
            One weight per row of the input, in its order, which is that of ``row_weights`` and not that of ``weights``:
            arc e gets ``weights[graph.rows[e]]``. An arc of weight inf is closed; a later call opens it again. None: an
            unweighted graph in which every arc is open.

        Notes
        -----
        Where both arcs of an edge came from one row, the graph stays undirected. A graph built with
        ``keep_rows=False`` takes one weight per arc, in the order of ``arcs``. An array with inf holds floats, and so
        does the graph then; `close` closes arcs of a graph of integers.

        Examples
        --------
        >>> import math
        >>> from nearfar.graph import Graph
        >>> graph = Graph.from_arcs([1, 0], [2, 1], [4, 9])
        >>> closed = graph.with_weights([math.inf, 5])
        >>> closed
        Graph(n=3, m=1, float64 weights 5..5)
        >>> closed.with_weights([7, 5])
        Graph(n=3, m=2, int32 weights 5..7)
        """
        from .reweigh import with_weights

        return with_weights(self, weights)

    def with_units(self, weights: str | None = None, coordinates: str | None = None) -> Graph:
        """Return the same graph with other units, which are shown beside weights and distances.

        Parameters
        ----------
        weights : str, optional
            Such as "s" or "m".
        coordinates : str, optional
            "degrees" if they are longitude and latitude; else they are x and y in a plane, in this unit, such as "m".

        Notes
        -----
        Nothing is converted. `nearfar.read` of OpenStreetMap files sets the units, and files that keep everything keep
        them. `with_weights` keeps the unit of coordinates only: what other weights are, only the caller knows.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_arcs([0, 1], [1, 2], [40, 35]).with_units("s")
        Graph(n=3, m=2, int32 weights 35..40 s)
        """
        from .units import take_units, with_units

        return with_units(self, take_units(weights, coordinates))

    def close(self, rows: Any) -> Graph:
        """Return the graph without the arcs of some rows of the input, in addition to those that are closed already.

        `with_weights` opens them again.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> graph = Graph.from_arcs(["Ulm", "Ulm"], ["Bonn", "Kiel"], [4, 9], names=True, undirected=True)
        >>> graph.close(graph.find_rows("Ulm", "Kiel"))
        Graph(n=3, m=2, int32 weights 4..4, names 'Ulm'..'Kiel')
        """
        from .reweigh import close

        return close(self, rows)

    def with_turns(self, forbidden: Any = (), costs: Any = None, *, uturn: float = 0) -> TurnGraph:
        """Return the graph with forbidden turns and costs of turns, which queries take in its place.

        Parameters
        ----------
        forbidden : list of tuples of vertices
            (u, v, w) forbids to go on from v to w for who comes from u. A longer way is forbidden as a whole. Ways that
            are not open forbid nothing. Of parallel arcs, all are meant.
        costs : dict, TurnCosts or function, optional
            A dict of turns (u, v, w) and what they cost, in the unit of the weights. Or a `TurnCosts`, or a function
            from an array of angles to costs, which hold where three or more roads meet; then the graph has coordinates,
            and `with_units` says what they are.
        uturn : number
            What it costs to turn back to the vertex one came from, where another arc leads on. It costs nothing at dead
            ends. math.inf forbids it.

        Returns
        -------
        TurnGraph
            Answers are in the vertices of this graph. Paths depart freely: there is no turn at their start.

        Notes
        -----
        Whole numbers stay whole, unless some cost is not; then distances are floats.

        Only vertices from which the way on depends on the way there are split, so a few forbidden turns cost nothing.
        Costs by angle split every junction, and costs of U-turns every vertex of a road in both directions: the graph
        that is searched is then three to six times as large.

        Examples
        --------
        >>> import nearfar
        >>> city = nearfar.generate.city()
        >>> here, there = "Main Street / 3rd Avenue", "Church Street / 4th Avenue"
        >>> turns = city.with_turns(costs=nearfar.TurnCosts(left=10, right=4), uturn=60)
        >>> nearfar.distance(city, here, there), nearfar.distance(turns, here, there)
        (47, 51)
        """
        from .turn_states import with_turns

        return with_turns(self, forbidden, costs, uturn)

    @property
    def opened(self) -> Graph:
        """The graph with all arcs of the input open; it may lack weights. The graph itself if none is closed."""
        return self if self._opened is None else self._opened

    @cached_property
    def rows(self) -> Array:
        """The row of the input that each arc came from; both arcs of an undirected edge came from the same row.

        Rows count from 0: entries of the arrays given to `from_arcs`, rows of a table, edges of a NetworkX graph in the
        order of ``graph.edges``, arcs in a file.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> graph = Graph.from_arcs([1, 0], [2, 1], [4, 9], undirected=True)
        >>> graph.tails, graph.heads, graph.rows
        (array([0, 1, 1, 2], dtype=int32), array([1, 2, 0, 1], dtype=int32), array([1, 0, 1, 0], dtype=int32))
        """
        from .reweigh import require_rows

        require_rows(self)
        if self._opened is not None:
            return freeze(self._opened.rows[self.kept])
        found = self.input_rows.without_arcs(self.m)
        return self.input_rows.of(self.offsets, self.heads) if found is None else found

    @cached_property
    def tails(self) -> Array:
        """The vertex that each arc leaves, by index (int32)."""
        return freeze(np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.offsets)))

    @property
    def row_weights(self) -> Array:
        """The weights in the order of the rows of the input, as `with_weights` takes them; inf where an arc is closed.

        ``weights`` has them in the order of ``arcs``, which is another one. Integers are int64 here, so that products
        do not overflow; a graph stores them as narrow as they fit.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> graph = Graph.from_arcs([1, 0], [2, 1], [4, 9])
        >>> graph.row_weights, graph.weights
        (array([4, 9]), array([9, 4], dtype=int32))
        >>> graph.with_weights(graph.row_weights * 2).row_weights
        array([ 8, 18])
        """
        from .reweigh import row_weights

        return row_weights(self)

    def some_arcs(self, first: int, last: int) -> Array:
        """Return the arcs from ``first`` up to ``last``, as records; of a graph on disk, only these are read.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_arcs([0, 0, 1], [1, 2, 2], [5, 9, 4]).some_arcs(1, 3)["head"]
        array([2, 2], dtype=int32)
        """
        return self.arcs[first:last]

    def find_arcs(self, tail: Any, head: Any) -> Array:
        """Return the arcs from one vertex to another: their positions in ``arcs``, ``heads``, ``weights`` and ``rows``.

        `find_rows` returns the rows of the input, which `close` takes.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> graph = Graph.from_arcs(["Bonn", "Ulm", "Ulm"], ["Kiel", "Bonn", "Bonn"], [9, 4, 6], names=True)
        >>> graph.weights[graph.find_arcs("Ulm", "Bonn")]
        array([4, 6], dtype=int32)
        >>> graph.rows[graph.find_arcs("Ulm", "Bonn")]
        array([1, 2], dtype=int32)
        """
        u, v = self.index(tail, "tail"), self.index(head, "head")
        low, high = int(self.offsets[u]), int(self.offsets[u + 1])
        return low + np.flatnonzero(self.some_arcs(low, high)["head"] == v)

    def find_rows(self, tail: Any, head: Any) -> Array:
        """Return the rows of the input that lead from one vertex to another; no such row is an error.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> graph = Graph.from_arcs(["Bonn", "Ulm", "Ulm"], ["Kiel", "Bonn", "Bonn"], [9, 4, 6], names=True)
        >>> graph.find_rows("Ulm", "Bonn")
        array([1, 2], dtype=int32)
        >>> graph.close(graph.find_rows("Ulm", "Bonn")).m
        1
        """
        arcs = self.find_arcs(tail, head)
        if not len(arcs):
            back = " One leads back." if len(self.find_arcs(head, tail)) else ""
            raise GraphError(f"no open arc leads from {tail!r} to {head!r}.{back}")
        return self._rows_of(arcs)

    def rows_along(self, path: Any) -> Array:
        """Return the rows of the input along a path, which queries return as a list of vertices.

        Of parallel arcs the lightest is taken, then the first.

        Examples
        --------
        >>> import nearfar
        >>> graph = nearfar.Graph.from_arcs(["Bonn", "Ulm"], ["Kiel", "Bonn"], [530, 390], names=True)
        >>> graph.rows_along(nearfar.path(graph, "Ulm", "Kiel"))
        array([1, 0], dtype=int32)
        """
        return self._rows_of(lightest_along(self, self.indices(path)))

    def _rows_of(self, arcs: Array) -> Array:
        """Return the rows of some arcs; of arcs in the order of the input, no array of all rows is made."""
        if self._opened is None and self.input_rows.known and self.input_rows.in_order:
            return arcs.astype(row_type(self.input_rows.count))
        return self.rows[arcs]

    def without_rows(self) -> Graph:
        """Return the same graph, whose arcs do not remember their rows; `with_weights` then takes one weight per arc.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> graph = Graph.from_arcs([1, 0], [2, 1], [9, 4], undirected=True)
        >>> graph.with_weights([3, 5]).weights, graph.without_rows().with_weights([3, 5, 7, 9]).weights
        (array([5, 3, 5, 3], dtype=int32), array([3, 5, 7, 9], dtype=int32))
        """
        return self.like(self.offsets, self.arcs, input_rows=InputRows(self.m, known=False), keys=None)

    def like(self, offsets: Array, arcs: Array, **facts: Any) -> Graph:
        """Return a graph with other arcs between the same vertices."""
        taken = {
            "vertices": self._vertices,
            "coordinates": self.coordinates,
            "undirected": self.undirected,
            "keys": self.keys,
            "units": self.units,
        }
        return type(self)(offsets, arcs, **taken | facts)

    def describe(self) -> Description:
        """Return degrees, weights, components and memory: a dict that prints as a table.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> facts = Graph.from_arcs([0, 1], [1, 2], [4, 0], n=5).describe()
        >>> facts["components"], facts["largest_component"], facts["zero_weights"]
        (3, 3, 1)
        """
        from .describe import describe_graph

        return describe_graph(self)

    def __repr__(self) -> str:
        weights = "unweighted" if self.weight_dtype is None else f"{self.weight_dtype} weights"
        if self.weight_dtype is not None and self.m:
            style = "d" if self.weight_dtype.kind == "i" else "g"
            weights += self.units.behind(f" {self.min_weight:{style}}..{self.max_weight:{style}}")
        return f"Graph(n={self.n}, m={self.m}, {weights}{_names_fact(self.names)})"

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"Graph is frozen: {name!r} cannot be set. Build a new graph, as with Graph.from_arcs.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"Graph is frozen: {name!r} cannot be deleted. Build a new graph instead.")

    def __reduce__(self) -> tuple[Any, ...]:
        facts: dict[str, Any] = {
            "input_rows": self.input_rows,
            "opened": self._opened,
            "kept": self.kept,
            "keys": self.keys,
            "units": self.units,
        }
        parts = (self.offsets, self.arcs, self._vertices, self.coordinates, self.undirected)
        return partial(type(self), **facts), parts


def median_of_positive(sample: Array) -> float:
    """Return the median of the positive weights of a sample; 0 if none is positive."""
    positive = sample[sample > 0].astype(np.float64)
    if not len(positive):
        return 0.0
    half = len(positive) // 2
    if len(positive) % 2:
        return float(np.partition(positive, half)[half])  # np.median takes 10 us more
    low, high = np.partition(positive, (half - 1, half))[half - 1 : half + 1]
    return float(low + (high - low) / 2)  # their sum might overflow


def _names_fact(names: Sequence[Hashable] | None) -> str:
    """Return the first and the last name for `repr`, so that nobody takes names for indices."""
    if names is None or not len(names):
        return ""
    first, last = (shorten(names[v], 24) for v in (0, len(names) - 1))
    return f", names {first}..{last}" if len(names) > 1 else f", names {first}"
