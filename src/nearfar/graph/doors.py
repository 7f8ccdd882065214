"""The doors of `Graph`: how graphs are made from arrays, matrices, rasters and tables, and back.

`Graph` inherits these methods. Each of them is thin: the module that it imports does the work. Doors to other graph
libraries are in libraries.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .arrays import (
    Array,
    check_lengths,
    check_vertices,
    choose_size,
    take_coordinates,
    take_flag,
    take_offsets,
    take_vertices,
    take_weights,
)
from .ids import index_ends, refuse_size
from .input_rows import InputRows
from .libraries import LibraryDoors
from .rows import Rows, arcs_to_rows, row_of, rows_to_rows
from .vertices import Vertices

if TYPE_CHECKING:
    from .graph import Graph


class Doors(LibraryDoors):
    """Ways to build a graph, and to turn it into something else."""

    __slots__ = ()

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
        keep_rows: bool = True,
    ) -> Graph:
        """Build a graph from three parallel lists or arrays: arc i goes from tails[i] to heads[i].

        Parameters
        ----------
        tails, heads : array of ints
            Vertex indices, counted from 0; with ``names=True`` ids: whole numbers or words.
        weights : array of ints or floats, optional
            inf means no arc; NaN and -inf are errors. Integers are stored as int32 where all fit, else as int64.
        n : int, optional
            Number of vertices; by default one more than the largest vertex.
        undirected : bool
            Store each arc in both directions.
        names : list of hashables, range or array of ints, or True; optional
            A distinct name for each vertex; queries and answers then use names. ``range(1, n + 1)`` counts from 1.
            True takes tails and heads as ids: those that occur are the vertices and their names, as in `from_frame`.
        coordinates : array of shape (n, 2) or dict from vertex to pair, optional
            With ``names=True`` a dict.
        keep_rows : bool
            Whether every arc remembers its row i in these lists, for ``rows`` and `Distances.path_rows`. It takes at
            most 4 bytes per arc.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_arcs([0, 1], [1, 2], [0.5, 1.25], undirected=True, names=["Ulm", "Bonn", "Kiel"])
        Graph(n=3, m=4, float64 weights 0.5..1.25, names 'Ulm'..'Kiel')
        >>> Graph.from_arcs([40, 10], [10, 20], names=True)
        Graph(n=3, m=2, unweighted, names 10..40)
        """
        undirected, keep_rows = take_flag(undirected, "undirected"), take_flag(keep_rows, "keep_rows")
        if names is True:
            refuse_size(n, coordinates)
            tails, heads, names, n = index_ends(tails, heads)
        tails, heads = take_vertices(tails, "tails"), take_vertices(heads, "heads")
        check_lengths(tails, heads)
        n = choose_size(tails, heads, n, names, coordinates)
        check_vertices(tails, n, "tails")
        check_vertices(heads, n, "heads")
        vertices = Vertices(n, names)
        taken = take_weights(weights, len(tails), lambda i: vertices.arc_name(i, int(tails[i]), int(heads[i])))
        rows = arcs_to_rows(n, tails, heads, taken, both=undirected, keep=keep_rows)
        points = take_coordinates(coordinates, n, vertices.names)
        return _without_infinite(rows, taken, vertices, coordinates=points, undirected=undirected)

    @classmethod
    def open(cls, path: Any) -> Graph:
        """Open a graph that lies in a folder, written by ``nearfar.write(graph, "roads.nearfar")`` or `convert`.

        It takes no time and hardly any memory: arcs are read when a query needs them. A query that has too little
        memory for all arcs reads them in batches.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        StoredGraph
            A `Graph` in every respect. It is pickled as its path.

        Examples
        --------
        >>> import nearfar, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "roads.nearfar")
        >>> nearfar.write(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), path)
        >>> graph = nearfar.Graph.open(path)
        >>> graph, nearfar.distance(graph, 0, 2)
        (Graph(n=3, m=2, int32 weights 5..7), 12)
        """
        from .above import above

        opened: Graph = above("Graph.open")(path)
        return opened

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
        taken = take_weights(weights, len(heads), lambda e: vertices.arc_name(e, row_of(starts, e), int(heads[e])))
        offsets, arcs = rows_to_rows(starts, heads, taken)
        points = take_coordinates(coordinates, n, vertices.names)
        return _without_infinite(Rows(offsets, arcs, InputRows(len(arcs))), taken, vertices, coordinates=points)

    @classmethod
    def from_matrix(
        cls, matrix: Any, no_edge: float | None = None, *, names: Any = None, coordinates: Any = None
    ) -> Graph:
        """Build a graph from a square table: entry [u, v] is the weight of the arc from u to v.

        Parameters
        ----------
        matrix : array of shape (n, n)
        no_edge : number, optional
            The entry that means "no arc"; may be NaN. inf always means no arc. Where nothing is inf, as in a matrix of
            integers or in one of floats with zeros, it must be given (``math.inf`` if every entry is an arc).
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
    def from_raster(
        cls,
        costs: Any,
        neighbours: int = 8,
        *,
        cost: str = "mean",
        cell: float | tuple[float, float] = 1,
        lengths: float | tuple[float, ...] | None = None,
        corners: bool = True,
    ) -> Graph:
        """Build a graph from a raster of costs: cells are vertices, steps to neighbouring cells are arcs.

        Parameters
        ----------
        costs : array of shape (rows, columns), numbers from 0 on
            What it costs to cross each cell, per unit of length. Masked cells (`numpy.ma`) and cells of inf are walls,
            and no vertices. NaN is an error.
        neighbours : 4, 8 or 16
            Straight steps; and diagonal ones; and knight's moves (two cells ahead, one aside).
        cost : "mean", "sum" or "enter"
            What a step costs, times its length: the mean of the cells it passes, the sum of its two ends, or the cost
            of the cell it enters. With "enter" the two directions differ, and the graph is directed.
        cell : number, or pair (height, width)
            The size of a cell.
        lengths : number or tuple, optional
            The lengths of straight steps, diagonal steps and knight's moves, times ``cell``. By default they are
            geometric: 1, sqrt 2, sqrt 5. ``lengths=1`` counts every step alike; (5, 7, 11) is nearly geometric in
            whole numbers.
        corners : bool
            Whether a diagonal step may touch the corner of a wall. False forbids it, also between two walls.

        Returns
        -------
        Graph
            Its vertices are named (row, column), in reading order. Names take no memory without walls, and 4 bytes per
            vertex with walls.

        Notes
        -----
        The mean is that of both ends, as in MCP_Geometric of scikit-image. A knight's move passes two more cells: they
        count in the mean, and if one of them is a wall there is no such step, as in r.cost of GRASS.

        Weights are integers if costs, lengths and cell size are and ``cost`` is not "mean"; float32 if the costs are
        float32 or float16; else float64.

        Examples
        --------
        >>> import numpy as np, nearfar
        >>> costs = np.array([[1, 1, 1], [1, np.inf, 9], [1, 1, 1]])
        >>> graph = nearfar.Graph.from_raster(costs, neighbours=4)
        >>> nearfar.path(graph, (0, 2), (2, 2))
        [(0, 2), (0, 1), (0, 0), (1, 0), (2, 0), (2, 1), (2, 2)]
        >>> nearfar.sssp(graph, (0, 2)).to_raster()
        array([[ 2.,  1.,  0.],
               [ 3., inf,  5.],
               [ 4.,  5.,  6.]])
        """
        from .raster import from_raster

        return from_raster(costs, neighbours, cost, cell, lengths, corners)

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
    def from_frame(
        cls,
        frame: Any,
        tail: Any = None,
        head: Any = None,
        weight: Any = None,
        undirected: bool = False,
        *,
        keep_rows: bool = True,
    ) -> Graph:
        """Build a graph from a table with one arc per row: pandas, polars, Arrow, or what exports Arrow data.

        Parameters
        ----------
        frame : pandas.DataFrame, polars.DataFrame, pyarrow.Table, or any object with ``__arrow_c_stream__``
            Such as a relation of DuckDB, or a pyarrow.RecordBatchReader, which is read to its end.
        tail, head : column names, or indices of columns from 0
            By default the columns with usual names (source and target, from and to, u and v, ...), else the first two.
        weight : column name or index, or False; optional
            By default the column with a usual name (weight, length, cost, ...), else the only one called like a unit
            (km, minutes, ...), else the third if it holds numbers and the first two are tail and head. False gives an
            unweighted graph.
        undirected : bool
            Store each arc in both directions.
        keep_rows : bool
            Whether arcs remember their row in the table, counted from 0.

        Notes
        -----
        The ids that occur are the vertices, and a vertex is called what the columns call it. Whole numbers are indexed
        in ascending order, words in order of appearance. `nearfar.read` of the same table gives the same graph, and so
        does `from_arcs` of its columns with ``names=True``.

        Examples
        --------
        >>> import pandas as pd
        >>> from nearfar.graph import Graph
        >>> table = pd.DataFrame({"from": ["Ulm", "Bonn"], "to": ["Bonn", "Kiel"], "km": [390, 530]})
        >>> Graph.from_frame(table)
        Graph(n=3, m=2, int32 weights 390..530, names 'Ulm'..'Kiel')
        >>> Graph.from_frame(table, weight=False).weights is None
        True
        """
        from .frames import from_frame

        return from_frame(frame, tail, head, weight, undirected, keep_rows)

    def to_scipy(self) -> Any:
        """Return a `scipy.sparse.csr_array`: of parallel arcs the lightest, zero weights stored, 1 when unweighted.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_arcs([0, 0, 1], [1, 1, 2], [5, 4, 0]).to_scipy().data
        array([4, 0], dtype=int32)
        """
        from .convert import to_scipy

        return to_scipy(_graph(self))

    def to_frame(self, kind: str = "pandas") -> Any:
        """Return a DataFrame with columns tail, head and weight: one line per row of the input, in its order.

        The index of a pandas frame is the row; the other kinds have no index. Rows of closed arcs are left out. An
        undirected edge is one line.

        Parameters
        ----------
        kind : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or polars, or a pyarrow.Table.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> graph = Graph.from_arcs([1, 0], [2, 1], [9, 4], names=["Ulm", "Bonn", "Kiel"])
        >>> print(graph.to_frame())
           tail  head  weight
        0  Bonn  Kiel       9
        1   Ulm  Bonn       4
        >>> graph.to_frame(kind="arrow").column("weight").to_pylist()
        [9, 4]
        """
        from .convert import to_frame

        return to_frame(_graph(self), kind)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Give the lines of `to_frame` to a library that takes Arrow data, in batches."""
        from .arrow import reader_of
        from .convert import lines_of

        lines, count, _ = lines_of(_graph(self))
        return reader_of(lines, count).__arrow_c_stream__(requested_schema)

    def to_raster(self, values: Any, fill: Any = math.nan) -> Array:
        """Return one value per vertex in the shape of the raster that the graph was made from.

        Parameters
        ----------
        values : array of length n, or of shape (k, n)
            In the order of the vertices. k rows give an array of shape (k, rows, columns).
        fill : number
            The value of walls. The type of the array holds it, too: integers become floats for NaN.

        Examples
        --------
        >>> import numpy as np
        >>> from nearfar.graph import Graph
        >>> graph = Graph.from_raster([[1, 1], [np.inf, 1]])
        >>> graph.to_raster(np.diff(graph.offsets), fill=-1)
        array([[ 2,  2],
               [-1,  2]], dtype=int32)
        """
        from .raster import to_raster

        return to_raster(_graph(self), values, fill)


def _graph(made: Any) -> Graph:
    """Return the object as what it is; only `Graph` has these doors."""
    graph: Graph = made
    return graph


def _without_infinite(rows: Rows, weights: Any, vertices: Vertices, **facts: Any) -> Graph:
    """Return the graph of arcs in rows; those of weight inf are closed (reweigh.py)."""
    from .reweigh import without_infinite

    return without_infinite(rows, weights, vertices, **facts)
