"""The doors of `Graph` to other graph libraries: NetworkX, igraph, rustworkx, graph-tool.

`Doors` inherits these methods. None of these libraries is imported to read its graphs: the methods of their objects
suffice. convert.py (NetworkX) and foreign.py (the others) do the work.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graph import Graph


class _Default(str):
    """A default value that differs from the same word given by the caller."""

    __slots__ = ()


USUAL_WEIGHT = _Default("weight")  # edges may lack it, as in NetworkX, where they then have weight 1
USUAL_NAME = _Default("name")  # vertices may lack it


class LibraryDoors:
    """Ways to build a graph from one of another library, and back."""

    __slots__ = ()

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        weight: str | None = USUAL_WEIGHT,
        default: float | None = None,
        *,
        coordinates: Any = None,
        keep_rows: bool = True,
    ) -> Graph:
        """Build a graph from a NetworkX graph; its nodes become the names.

        Parameters
        ----------
        graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
            Parallel edges are kept, with their ``keys``. Nodes that are the ints 0 to n - 1 become indices, not names.
        weight : str or None
            The edge attribute to use; None gives an unweighted graph. An attribute that you name and that no edge has
            is refused. If you name none, edges without "weight" have the default weight, as in NetworkX.
        default : number, optional
            The weight of edges that lack the attribute. If it is left out, edges without "weight" count 1, and an edge
            without an attribute that you name is refused.
        coordinates : dict from node to pair, optional
            By default the attributes ``x`` and ``y`` of the nodes, if all have them and they are numbers, as in OSMnx.
        keep_rows : bool
            Whether arcs remember their edge: its position in ``graph.edges``, with keys in a multigraph.

        Examples
        --------
        >>> import networkx as nx
        >>> from nearfar.graph import Graph
        >>> roads = nx.Graph()
        >>> roads.add_edge("Ulm", "Bonn", weight=390)
        >>> graph = Graph.from_networkx(roads)
        >>> graph, graph.names
        (Graph(n=2, m=2, int32 weights 390..390, names 'Ulm'..'Bonn'), ('Ulm', 'Bonn'))
        """
        from .convert import from_networkx

        return from_networkx(graph, weight, default, coordinates, keep_rows)

    @classmethod
    def from_igraph(
        cls,
        graph: Any,
        weight: Any = USUAL_WEIGHT,
        *,
        names: str | Sequence[Hashable] | None = USUAL_NAME,
        coordinates: Any = None,
        keep_rows: bool = True,
    ) -> Graph:
        """Build a graph from an igraph graph; rows are its edge ids.

        Parameters
        ----------
        graph : igraph.Graph
            Directed or not. Parallel edges and loops are kept.
        weight : str, list or array of numbers, or None
            The edge attribute to use, or one number per edge; None gives an unweighted graph. By default the attribute
            "weight" if there is one, else the graph is unweighted. An attribute that you name must exist.
        names : str, list or None
            The vertex attribute that becomes the names, or one name per vertex; None keeps indices. By default "name"
            if there is one.
        coordinates : array of shape (n, 2), or dict from vertex to pair; optional
            By default the vertex attributes ``x`` and ``y``, if both are there and all of them are numbers.
        keep_rows : bool
            Whether arcs remember their edge, so that `Distances.path_rows` gives edge ids of igraph.

        Examples
        --------
        >>> import igraph, nearfar
        >>> roads = igraph.Graph([(0, 1), (1, 2), (0, 2)], edge_attrs={"weight": [4, 3, 9]})
        >>> roads.vs["name"] = ["Ulm", "Bonn", "Kiel"]
        >>> graph = nearfar.Graph.from_igraph(roads)
        >>> graph
        Graph(n=3, m=6, int32 weights 3..9, names 'Ulm'..'Kiel')
        >>> nearfar.sssp(graph, "Ulm").path_rows("Kiel")
        array([0, 1], dtype=int32)
        """
        from .foreign import from_igraph

        return from_igraph(graph, weight, names, coordinates, keep_rows)

    @classmethod
    def from_rustworkx(
        cls,
        graph: Any,
        weight: str | Callable[[Any], float] | None = USUAL_WEIGHT,
        *,
        names: str | Callable[[Any], Hashable] = "index",
        coordinates: Any = None,
        keep_rows: bool = True,
    ) -> Graph:
        """Build a graph from a rustworkx graph.

        Parameters
        ----------
        graph : rustworkx.PyGraph or PyDiGraph
        weight : str, function or None
            What weighs an edge: a key of its payload if that is a dict, else an attribute; or a function of the
            payload. None gives an unweighted graph. By default payloads that are numbers are the weights, those that
            are dicts are asked for "weight", and if all are None the graph is unweighted.
        names : {"index", "payload"} or function
            What vertices are called: by their node indices, by the payloads of the nodes, or by what a function of the
            payload returns; such names must be hashable and distinct.
        coordinates : dict from vertex to pair, or array of shape (n, 2); optional
        keep_rows : bool
            Whether arcs remember their edge, for `Distances.path_rows`.

        Notes
        -----
        Where nodes were removed, the indices that are left become names. Rows are positions in ``graph.edge_list()``:
        these are the edge indices unless edges were removed; ``numpy.asarray(graph.edge_indices())[rows]`` are the edge
        indices in any case.

        Examples
        --------
        >>> import rustworkx, nearfar
        >>> roads = rustworkx.PyDiGraph()
        >>> roads.add_nodes_from(["Ulm", "Bonn", "Kiel"])
        NodeIndices[0, 1, 2]
        >>> roads.add_edges_from([(0, 1, {"km": 4}), (1, 2, {"km": 3})])
        [0, 1]
        >>> graph = nearfar.Graph.from_rustworkx(roads, weight="km", names="payload")
        >>> nearfar.distance(graph, "Ulm", "Kiel")
        7
        """
        from .foreign import from_rustworkx

        return from_rustworkx(graph, weight, names, coordinates, keep_rows)

    @classmethod
    def from_graph_tool(
        cls, graph: Any, weight: Any = None, *, names: Any = None, coordinates: Any = None, keep_rows: bool = True
    ) -> Graph:
        """Build a graph from a graph-tool graph; rows are its edges in the order of ``edge_index``.

        Parameters
        ----------
        graph : graph_tool.Graph or GraphView
        weight : edge property map, or the name of an internal one; optional
            Of numbers; without it the graph is unweighted.
        names : vertex property map or list, optional
            One name per vertex. By default vertices are called by their indices; if a filter hides some, the indices
            that are left become names.
        coordinates : array of shape (n, 2), optional
            Such as ``graph.vp.pos.get_2d_array([0, 1]).T``.
        keep_rows : bool
            Whether arcs remember their edge, for `Distances.path_rows`.

        Notes
        -----
        graph-tool is not on PyPI. This door is tested with an object that has the documented methods of its graphs
        (``get_vertices``, ``get_edges``, ``is_directed``, ``edge_index``, and ``a`` of property maps), not with
        graph-tool itself.

        Examples
        --------
        >>> import numpy as np
        >>> from types import SimpleNamespace
        >>> from nearfar.graph import Graph
        >>> km = SimpleNamespace(a=np.array([4.5, 3.0]))
        >>> roads = SimpleNamespace(  # instead of a graph_tool.Graph with two edges
        ...     get_vertices=lambda: np.arange(3), get_edges=lambda maps: np.array([[1, 2, 1], [0, 1, 0]]),
        ...     is_directed=lambda: True, edge_index=None, edge_properties={"km": km})
        >>> Graph.from_graph_tool(roads, weight="km")
        Graph(n=3, m=2, float64 weights 3..4.5)
        """
        from .foreign import from_graph_tool

        return from_graph_tool(graph, weight, names, coordinates, keep_rows)

    def to_networkx(self) -> Any:
        """Return a NetworkX graph: undirected if this one is, a multigraph if it has keys or parallel arcs.

        Weights become the attribute ``weight``, coordinates the attributes ``x`` and ``y``.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> graph = Graph.from_arcs([0, 1], [1, 2], [4, 9], undirected=True, names=["Ulm", "Bonn", "Kiel"])
        >>> list(graph.to_networkx().edges(data="weight"))
        [('Ulm', 'Bonn', 4), ('Bonn', 'Kiel', 9)]
        """
        from .convert import to_networkx

        return to_networkx(_graph(self))

    def to_igraph(self) -> Any:
        """Return an igraph graph: undirected if this one is, with parallel edges if it has them.

        Names become the vertex attribute ``name``, coordinates ``x`` and ``y``; weights become the edge attribute
        ``weight``, keys ``key``. Edges are in the order of the rows, without closed ones.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> graph = Graph.from_arcs([1, 0], [2, 1], [9, 4], names=["Ulm", "Bonn", "Kiel"])
        >>> made = graph.to_igraph()
        >>> made.get_edgelist(), made.es["weight"], made.vs["name"]
        ([(1, 2), (0, 1)], [9, 4], ['Ulm', 'Bonn', 'Kiel'])
        """
        from .foreign import to_igraph

        return to_igraph(_graph(self))

    def to_rustworkx(self) -> Any:
        """Return a rustworkx PyGraph or PyDiGraph, whose payloads are names and weights.

        Payloads of nodes are the names, or the indices if there are none; those of edges are the weights, None in an
        unweighted graph. Edges are in the order of the rows, without closed ones.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> made = Graph.from_arcs([1, 0], [2, 1], [9, 4], names=["Ulm", "Bonn", "Kiel"]).to_rustworkx()
        >>> made.nodes(), list(made.weighted_edge_list())
        (['Ulm', 'Bonn', 'Kiel'], [(1, 2, 9), (0, 1, 4)])
        """
        from .foreign import to_rustworkx

        return to_rustworkx(_graph(self))

    def edges_along(self, path: Any) -> list[tuple[Any, ...]]:
        """Return the edges along a path, which queries return as a list of vertices: (u, v), or (u, v, key).

        Keys are those of a NetworkX multigraph. Of parallel edges the lightest is taken, then the first.

        Examples
        --------
        >>> import networkx, nearfar
        >>> roads = networkx.MultiGraph()
        >>> roads.add_weighted_edges_from([("Ulm", "Bonn", 6), ("Ulm", "Bonn", 4)])
        >>> graph = nearfar.Graph.from_networkx(roads)
        >>> graph.edges_along(nearfar.path(graph, "Bonn", "Ulm"))
        [('Bonn', 'Ulm', 1)]
        """
        from .foreign import edges_along

        return edges_along(_graph(self), path)


def _graph(made: Any) -> Graph:
    """Return the object as what it is; only `Graph` has these doors."""
    graph: Graph = made
    return graph
