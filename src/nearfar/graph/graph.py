"""Graph: vertices 0 to n - 1 and their arcs in rows, checked once, then frozen.

The arcs that leave vertex u are ``arcs[offsets[u]:offsets[u + 1]]``, each a record of head and weight side by side, so
that relaxing an arc touches one cache line. An undirected edge is stored as two arcs, a loop as one.

Invariants, on which all other modules rely: offsets start at 0, never decrease and end at m; heads are in 0 to n - 1;
weights are finite. Nothing is shared with the caller's arrays, and the graph's own arrays are read-only.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..errors import GraphError, InputTypeError
from .arrays import Array, check_vertices, choose_size, take_coordinates, take_offsets, take_vertices, take_weights
from .order import SAMPLE, is_scattered, renumber, usual_levels
from .rows import arcs_to_rows, find_leaves, freeze, reverse_rows, rows_to_rows
from .vertices import Vertices

if TYPE_CHECKING:
    from ..description import Description


class Graph:
    """A frozen directed graph with weights of one type, or none.

    Build one with `from_arcs`, `from_csr`, `from_matrix`, `from_scipy`, `from_networkx` or `from_frame`. Parallel arcs
    and loops are kept: shortest paths use the lightest of parallel arcs, and a loop is harmless unless it is negative.

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
        The names of the vertices: a tuple, or a `NumberNames` if all are whole numbers. None if vertices are called by
        their indices.
    coordinates : ndarray of float64, shape (n, 2), or None
        x and y, or longitude and latitude.

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
    _vertices: Vertices

    def __init__(
        self,
        offsets: Array,
        arcs: Array,
        vertices: Vertices,
        coordinates: Array | None = None,
        undirected: bool = False,
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

    @classmethod
    def from_arcs(
        cls,
        tails: Any,
        heads: Any,
        weights: Any = None,
        n: int | None = None,
        undirected: bool = False,
        *,
        names: Any = None,
        coordinates: Any = None,
    ) -> Graph:
        """Build a graph from three parallel lists or arrays: arc i goes from tails[i] to heads[i].

        Parameters
        ----------
        tails, heads : array of ints
            Vertex indices, counted from 0.
        weights : array of ints or floats, optional
            inf means no arc; NaN and -inf are errors. Integers are stored as int32 where all fit, else as int64.
        n : int, optional
            Number of vertices; by default one more than the largest vertex.
        undirected : bool
            Store each arc in both directions.
        names : list of hashables, range or array of ints, optional
            A distinct name for each vertex; queries and answers then use names. ``range(1, n + 1)`` counts from 1.
        coordinates : array of shape (n, 2) or dict from vertex to pair, optional

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_arcs([0, 1], [1, 2], [0.5, 1.25], undirected=True, names=["Ulm", "Bonn", "Kiel"])
        Graph(n=3, m=4, float64 weights 0.5..1.25)
        """
        tails, heads = take_vertices(tails, "tails"), take_vertices(heads, "heads")
        if len(tails) != len(heads):
            raise GraphError(
                f"Lengths disagree: tails has {len(tails)} entries, heads has {len(heads)}. Arc i needs one in each."
            )
        n = choose_size(tails, heads, n, names, coordinates)
        check_vertices(tails, n, "tails")
        check_vertices(heads, n, "heads")
        vertices = Vertices(n, names)
        taken = take_weights(weights, len(tails), lambda i: vertices.arc_name(i, int(tails[i]), int(heads[i])))
        offsets, arcs = arcs_to_rows(n, tails, heads, taken, both=bool(undirected))
        return cls(offsets, arcs, vertices, take_coordinates(coordinates, n, vertices.names), undirected)

    @classmethod
    def from_csr(
        cls, offsets: Any, heads: Any, weights: Any = None, *, names: Any = None, coordinates: Any = None
    ) -> Graph:
        """Build a graph from compressed rows: the arcs of u are heads[offsets[u]:offsets[u + 1]].

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_csr([0, 2, 3, 3], [1, 2, 2], [4, 9, 3])
        Graph(n=3, m=3, int32 weights 3..9)
        """
        heads = take_vertices(heads, "heads")
        starts = take_offsets(offsets, len(heads))
        n = len(starts) - 1
        check_vertices(heads, n, "heads", "Correct it, or repeat the last offset for each vertex without arcs.")
        vertices = Vertices(n, names)
        taken = take_weights(weights, len(heads), lambda e: vertices.arc_name(e, _row_of(starts, e), int(heads[e])))
        return cls(*rows_to_rows(starts, heads, taken), vertices, take_coordinates(coordinates, n, vertices.names))

    @classmethod
    def from_matrix(
        cls, matrix: Any, no_edge: float | None = None, *, names: Any = None, coordinates: Any = None
    ) -> Graph:
        """Build a graph from a square table: entry [u, v] is the weight of the arc from u to v.

        Parameters
        ----------
        matrix : array of shape (n, n)
        no_edge : number, optional
            The entry that means "no arc"; may be NaN. inf always means no arc. A matrix of integers has no inf, so
            it must be given there (``math.inf`` if every entry is an arc).
        names, coordinates
            As in `from_arcs`.

        Notes
        -----
        The diagonal is ignored, except for negative entries: those are negative cycles, which queries report.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_matrix([[0, 4, 9], [-1, 0, 3], [-1, -1, 0]], no_edge=-1)
        Graph(n=3, m=3, int32 weights 3..9)
        """
        from .convert import from_matrix

        return from_matrix(matrix, no_edge, names, coordinates)

    @classmethod
    def from_scipy(cls, matrix: Any, *, names: Any = None, coordinates: Any = None) -> Graph:
        """Build a graph from a SciPy sparse matrix or array: stored entry [u, v] is the arc from u to v.

        Explicit zeros are arcs of weight zero, and entries given twice are parallel arcs, not summed. (The DIA and BSR
        formats store zeros to fill up; in these formats zeros are not arcs.)

        Examples
        --------
        >>> from scipy.sparse import coo_array
        >>> from nearfar.graph import Graph
        >>> Graph.from_scipy(coo_array(([7, 0], ([0, 1], [1, 2])), shape=(3, 3)))
        Graph(n=3, m=2, int32 weights 0..7)
        """
        from .convert import from_scipy

        return from_scipy(matrix, names, coordinates)

    @classmethod
    def from_networkx(
        cls, graph: Any, weight: str | None = "weight", default: float = 1, *, coordinates: Any = None
    ) -> Graph:
        """Build a graph from a NetworkX graph; its nodes become the names.

        Parameters
        ----------
        graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
            Of parallel edges the lightest is kept. Nodes that are the ints 0 to n - 1 become indices, not names.
        weight : str or None
            The edge attribute to use; None gives an unweighted graph.
        default : number
            The weight of edges that lack the attribute.
        coordinates : dict from node to pair, optional

        Examples
        --------
        >>> import networkx as nx
        >>> from nearfar.graph import Graph
        >>> roads = nx.Graph()
        >>> roads.add_edge("Ulm", "Bonn", weight=390)
        >>> graph = Graph.from_networkx(roads)
        >>> graph, graph.names
        (Graph(n=2, m=2, int32 weights 390..390), ('Ulm', 'Bonn'))
        """
        from .convert import from_networkx

        return from_networkx(graph, weight, default, coordinates)

    @classmethod
    def from_frame(
        cls, frame: Any, tail: Any = None, head: Any = None, weight: Any = None, undirected: bool = False
    ) -> Graph:
        """Build a graph from a table with one arc per row: pandas, polars, or an Arrow table.

        Parameters
        ----------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        tail, head : column names
            By default the first two columns.
        weight : column name, optional
            None gives an unweighted graph.
        undirected : bool
            Store each arc in both directions.

        Notes
        -----
        Two integer columns hold vertex indices if all are below four times the number of rows, or below 1024. Anything
        else, such as words or widely spread identifiers, becomes names, in order of appearance. In both cases a vertex
        is called what the columns call it.

        Examples
        --------
        >>> import pandas as pd
        >>> from nearfar.graph import Graph
        >>> table = pd.DataFrame({"from": ["Ulm", "Bonn"], "to": ["Bonn", "Kiel"], "km": [390, 530]})
        >>> graph = Graph.from_frame(table, weight="km")
        >>> graph.names
        ('Ulm', 'Bonn', 'Kiel')
        """
        from .convert import from_frame

        return from_frame(frame, tail, head, weight, undirected)

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
        sample = self.weights[:: max(1, self.m // SAMPLE)]
        positive = sample[sample > 0]
        return float(np.median(positive.astype(np.float64))) if len(positive) else 0.0

    @cached_property
    def max_degree(self) -> int:
        """The greatest number of arcs that leave one vertex."""
        return int(np.diff(self.offsets).max(initial=0))

    @cached_property
    def leaves(self) -> Array:
        """One bit per vertex, eight per byte: whether its only arcs lead back to the one vertex that reaches it."""
        return find_leaves(self.offsets, self.arcs)

    @cached_property
    def scattered(self) -> bool:
        """Whether most arcs join vertices whose indices are far apart, and another order could change that."""
        return is_scattered(self.offsets, self.heads)

    @cached_property
    def usual_levels(self) -> int:
        """An estimate of how many levels a breadth-first search has."""
        return usual_levels(self.offsets, self.heads)

    @cached_property
    def renumbered(self) -> tuple[Graph, Array]:
        """The same graph, without names, with neighbours close together; and the position of each vertex in it."""
        offsets, arcs, positions = renumber(self.offsets, self.arcs)
        return Graph(offsets, arcs, Vertices(self.n)), positions

    @property
    def nbytes(self) -> int:
        """The memory of the arrays, in bytes; names are not counted."""
        return sum(array.nbytes for array in (self.offsets, self.arcs, self.coordinates) if array is not None)

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
        return self._vertices.arc_name(e, _row_of(self.offsets, e), int(self.heads[e]))

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
        return type(self)(*reverse_rows(self.offsets, self.arcs), self._vertices, self.coordinates)

    def with_weights(self, weights: Any) -> Graph:
        """Return the same graph with other weights.

        Parameters
        ----------
        weights : array of m numbers, or None
            In the order of ``arcs``; an arc of weight inf is left out. None: an unweighted graph.

        Notes
        -----
        The two arcs of an edge may get different weights, so a graph with other weights counts as directed. Without
        weights an undirected graph stays one.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> graph = Graph.from_arcs([0, 1], [1, 2], [4, 9])
        >>> graph.with_weights([0.5, 0.25]), graph.with_weights(None)
        (Graph(n=3, m=2, float64 weights 0.25..0.5), Graph(n=3, m=2, unweighted))
        """
        taken = take_weights(weights, self.m, self.arc_name)
        offsets, arcs = rows_to_rows(self.offsets, self.heads, taken)
        return type(self)(offsets, arcs, self._vertices, self.coordinates, weights is None and self.undirected)

    @property
    def unnamed(self) -> Graph:
        """The same graph, whose vertices are called by index."""
        if self.names is None:
            return self
        return Graph(self.offsets, self.arcs, Vertices(self.n), undirected=self.undirected)

    def to_scipy(self) -> Any:
        """Return a `scipy.sparse.csr_array`: of parallel arcs the lightest, zero weights stored, 1 when unweighted.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_arcs([0, 0, 1], [1, 1, 2], [5, 4, 0]).to_scipy().data
        array([4, 0], dtype=int32)
        """
        from .convert import to_scipy

        return to_scipy(self)

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
            weights += f" {self.min_weight:{style}}..{self.max_weight:{style}}"
        return f"Graph(n={self.n}, m={self.m}, {weights})"

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"Graph is frozen: {name!r} cannot be set. Build a new graph, as with Graph.from_arcs.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"Graph is frozen: {name!r} cannot be deleted. Build a new graph instead.")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.offsets, self.arcs, self._vertices, self.coordinates, self.undirected)


def _row_of(offsets: Array, e: int) -> int:
    """Return the vertex that arc ``e`` leaves."""
    return int(np.searchsorted(offsets, e, side="right")) - 1
