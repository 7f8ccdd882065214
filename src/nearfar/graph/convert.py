"""Graphs from and to other libraries' objects: dense matrices, SciPy, NetworkX. Tables are in frames.py.

SciPy is imported only when one of its matrices is converted; NetworkX is never imported, since the methods of its
objects suffice. Each function finds the arcs and leaves the checking of vertices and weights to
Graph.from_arcs and Graph.from_csr, or to the functions that these use.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..errors import GraphError, InputTypeError, OptionError, option
from .arrays import (
    Array,
    bad_weight,
    check_weight_type,
    on_host,
    points_of,
    shorten,
    storage_type,
    take_coordinates,
    take_size,
    take_weights,
)
from .blocks import offset_type, record_type
from .graph import Graph
from .libraries import USUAL_WEIGHT
from .reweigh import without_infinite
from .rows import arcs_to_rows
from .tables import Columns, Named, check_kind, frame_of, load
from .units import DEGREES, Units, is_wgs84
from .vertices import Vertices

_ENTRIES = 1 << 20  # matrix entries read at a time
_ABSENT = object()  # the weight of an edge without the attribute, unlike a weight that is None


def from_matrix(matrix: Any, no_edge: Any, names: Any, coordinates: Any) -> Graph:
    """Implement `Graph.from_matrix`: one pass over the matrix to count and check, one to fill."""
    table = _take_matrix(matrix)
    _check_no_edge(no_edge, table.dtype)
    _refuse_raster(table, no_edge)
    n = take_size(len(table))
    vertices = Vertices(n, names)
    counts, low, high, zeros = np.zeros(n + 1, np.int64), [], [], 0
    for row, block, keep in _row_blocks(table, no_edge):
        found = block[keep]
        zeros += int(np.count_nonzero(found == 0))
        counts[row + 1 : row + 1 + len(block)] = keep.sum(axis=1)
        if found.size:
            low.append(found.min())
            high.append(found.max())
            if table.dtype.kind == "f" and not low[-1] > -np.inf:
                _refuse_entry(row, block, keep, vertices)
    if no_edge is None and zeros and counts.sum() == n * (n - 1):
        raise OptionError(
            f"no_edge is not given, no entry is inf, and {zeros} entries off the diagonal are 0. Give no_edge=0 if 0 "
            f"means no arc, or no_edge=math.inf if these arcs have weight 0."
        )
    store = storage_type(table.dtype, min(low, default=0), max(high, default=0))
    offsets = np.cumsum(counts)
    arcs = np.empty(int(offsets[-1]), record_type(store))
    for row, block, keep in _row_blocks(table, no_edge):
        piece = arcs[offsets[row] : offsets[row + len(block)]]
        piece["head"], piece["weight"] = np.nonzero(keep)[1], block[keep]
    taken = take_coordinates(coordinates, n, vertices.names)
    return Graph(offsets.astype(offset_type(len(arcs))), arcs, vertices, taken)


def _take_matrix(matrix: Any) -> Array:
    """Return the matrix as a square array of numbers."""
    if hasattr(matrix, "tocoo"):
        raise InputTypeError(f"matrix is a {type(matrix).__name__}, but from_matrix takes dense ones. Use from_scipy.")
    if isinstance(matrix, np.ma.MaskedArray) and np.ma.is_masked(matrix):
        raise InputTypeError("matrix has masked entries. Use matrix.filled(np.inf) if they mean no arc.")
    try:
        table = np.asarray(on_host(matrix))
    except ValueError as error:
        raise GraphError(f"matrix is ragged ({error}), but n rows of n entries are needed. Fill up its rows.") from None
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        if table.size or table.ndim > 2:
            raise _not_square(table.shape)
        table = table.reshape(0, 0)
    if table.dtype.kind == "O":
        flat = take_weights(table.ravel(), table.size, lambda i: f"entry {[*map(int, divmod(i, len(table)))]}")
        table = flat.values.reshape(table.shape) if flat else table
    check_weight_type(table.dtype)
    return table


def _not_square(shape: tuple[int, ...]) -> GraphError:
    """Return the error for a matrix that is not square."""
    return GraphError(
        f"matrix has shape {shape}, but n x n is needed: entry [u, v] is the arc from u to v. "
        f"Fill it up to a square; for a list of arcs use from_arcs, for a raster of costs Graph.from_raster."
    )


def _refuse_raster(table: Array, no_edge: Any) -> None:
    """Refuse a matrix whose diagonal is mostly positive: most likely a raster of costs, whose shape happens to fit.

    Some entries may be walls; in a matrix of weights, positive entries on the diagonal mean nothing.
    """
    diagonal = np.diagonal(table)
    positive = (diagonal > 0) & (diagonal < np.inf)
    if no_edge is not None:
        positive &= diagonal != no_edge
    if len(diagonal) < 2 or 2 * np.count_nonzero(positive) <= len(diagonal):
        return
    first = int(np.argmax(positive))
    raise GraphError(
        f"{np.count_nonzero(positive)} of {len(diagonal)} entries on the diagonal of the matrix are positive (entry "
        f"[{first}, {first}] is {diagonal[first].item()}), but entry [u, v] is the arc from u to v, and no vertex "
        f"needs an arc to itself. For a raster of costs use Graph.from_raster; if these are weights, call "
        f"np.fill_diagonal(matrix, 0) first."
    )


def _check_no_edge(no_edge: Any, dtype: np.dtype[Any]) -> None:
    """Refuse a missing or meaningless value for no_edge."""
    if no_edge is None:
        if dtype.kind != "f":
            raise OptionError(
                f"no_edge is not given, but a matrix of {dtype} cannot hold inf to say where no arc is. "
                f"Give no_edge=0 or no_edge=-1, or no_edge=math.inf if every entry is an arc."
            )
    elif isinstance(no_edge, bool | np.bool_) or not isinstance(no_edge, numbers.Real):
        raise InputTypeError(
            f"no_edge is {shorten(no_edge)}, a {type(no_edge).__name__}, but weights are numbers. Give a number."
        )


def _row_blocks(table: Array, no_edge: Any) -> Iterator[tuple[int, Array, Array]]:
    """Yield blocks of rows as (first row, the rows, which of their entries are arcs)."""
    rows = max(1, _ENTRIES // max(1, len(table)))
    for low in range(0, len(table), rows):
        block = table[low : low + rows]
        keep = np.ones(block.shape, bool) if no_edge is None or no_edge != no_edge else block != no_edge
        if block.dtype.kind == "f":
            keep &= block != np.inf
            if no_edge is not None and no_edge != no_edge:
                keep &= ~np.isnan(block)
        here = np.arange(len(block))
        keep[here, low + here] &= block[here, low + here] < 0
        yield low, block, keep


def _refuse_entry(row: int, block: Array, keep: Array, vertices: Vertices) -> None:
    """Raise the error for the first entry that is NaN or -inf."""
    u, v = (int(where[0]) for where in np.nonzero(keep & (np.isnan(block) | (block == -np.inf))))
    arc = f"The arc {vertices.name(row + u)!r} -> {vertices.name(v)!r}"
    raise GraphError(bad_weight(arc, float(block[u, v])) + " If NaN means no arc, give no_edge=math.nan.")


def from_scipy(matrix: Any, names: Any, coordinates: Any) -> Graph:
    """Implement `Graph.from_scipy`."""
    from scipy.sparse import issparse

    if not issparse(matrix):
        raise InputTypeError(
            f"matrix is a {type(matrix).__name__}, but from_scipy takes SciPy sparse matrices and arrays. "
            f"Use from_matrix for a dense one."
        )
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise _not_square(matrix.shape)
    check_weight_type(matrix.dtype)
    n = take_size(matrix.shape[0])
    if matrix.format == "csr":
        m = int(matrix.indptr[-1])  # the arrays may be longer than the used part
        return Graph.from_csr(matrix.indptr, matrix.indices[:m], matrix.data[:m], names=names, coordinates=coordinates)
    entries = matrix.tocoo()  # unlike tocsr(), which sums entries given twice
    tails, heads, weights = entries.row, entries.col, entries.data
    if matrix.format in ("bsr", "dia"):
        stored = weights != 0
        tails, heads, weights = tails[stored], heads[stored], weights[stored]
    return Graph.from_arcs(tails, heads, weights, n, names=names, coordinates=coordinates)


def to_scipy(graph: Graph) -> Any:
    """Implement `Graph.to_scipy`."""
    from scipy.sparse import csr_array

    data = np.ones(graph.m, np.int32) if graph.weights is None else graph.weights.copy()
    parts = (data, graph.heads.copy(), graph.offsets.copy())
    matrix = csr_array(parts, shape=(graph.n, graph.n))
    matrix.sort_indices()
    first = np.ones(graph.m, bool)  # the first of a run of equal heads; a row's first arc always begins a run
    first[1:] = matrix.indices[1:] != matrix.indices[:-1]
    first[matrix.indptr[:-1][np.diff(matrix.indptr) > 0]] = True
    if first.all():
        return matrix
    starts = np.flatnonzero(first)
    lightest = np.minimum.reduceat(matrix.data, starts)
    offsets = np.searchsorted(starts, matrix.indptr).astype(graph.offsets.dtype)
    return csr_array((lightest, matrix.indices[starts], offsets), shape=(graph.n, graph.n))


def to_networkx(graph: Graph) -> Any:
    """Implement `Graph.to_networkx`."""
    nx = load("networkx", "to_networkx()")
    arcs, rows = one_per_row(graph)
    ends = graph.tails[arcs], graph.heads[arcs]
    many = graph.keys is not None or _are_parallel(graph, *ends)
    kinds = {(False, False): nx.DiGraph, (False, True): nx.MultiDiGraph, (True, False): nx.Graph}
    made = kinds.get((graph.undirected, many), nx.MultiGraph)()
    called = range(graph.n) if graph.names is None else graph.names
    made.add_nodes_from(called)
    if graph.coordinates is not None:
        points = zip(called, graph.coordinates.tolist(), strict=True)
        made.add_nodes_from((name, {"x": x, "y": y}) for name, (x, y) in points)
    weights = None if graph.weights is None else graph.weights[arcs].tolist()
    for i, (u, v) in enumerate(zip(*(end.tolist() for end in ends), strict=True)):
        key = {} if graph.keys is None or rows is None else {"key": graph.keys[rows[i]]}
        made.add_edge(called[u], called[v], **key, **({} if weights is None else {"weight": weights[i]}))
    return made


def _are_parallel(graph: Graph, tails: Array, heads: Array) -> bool:
    """Tell whether two of these arcs join the same vertices."""
    low, high = (np.minimum(tails, heads), np.maximum(tails, heads)) if graph.undirected else (tails, heads)
    pairs = np.sort(low.astype(np.int64) * graph.n + high)
    return bool((pairs[1:] == pairs[:-1]).any())


def to_frame(graph: Graph, kind: str) -> Any:
    """Implement `Graph.to_frame`."""
    lines, count, rows = lines_of(graph)
    if check_kind(kind) == "pandas":
        return frame_of(lines(0, count), rows)
    from .arrow import as_kind

    return as_kind(kind, lines, count)


def lines_of(graph: Graph) -> tuple[Callable[[int, int], Columns], int, Array | None]:
    """Return the lines of a table of arcs: a function that returns some of them, their number, and their rows."""
    arcs, rows = one_per_row(graph)

    def lines(low: int, high: int) -> Columns:
        some = arcs[low:high]
        columns: Columns = {
            "tail": Named(graph.names, graph.tails[some]),
            "head": Named(graph.names, graph.heads[some]),
        }
        if graph.weights is not None:
            columns["weight"] = graph.weights[some]
        if graph.keys is not None and rows is not None:
            columns["key"] = Named(graph.keys, rows[low:high])
        return columns

    return lines, len(arcs), rows


def one_per_row(graph: Graph) -> tuple[Array, Array | None]:
    """Return one arc per row of the input, in the order of the rows, and the rows; arcs in their order without rows.

    Of an undirected edge it is the arc that leaves the vertex of lesser index.
    """
    if graph.input_rows.known and (graph.input_rows.paired or not graph.undirected):
        rows, first = np.unique(graph.rows, return_index=True)
        return first, rows
    if graph.undirected:
        return np.flatnonzero(graph.tails <= graph.heads), None
    return np.arange(graph.m), None


def from_networkx(graph: Any, weight: Any, default: Any, coordinates: Any, keep_rows: bool = True) -> Graph:
    """Implement `Graph.from_networkx`."""
    _check_networkx(graph, weight, default)
    nodes = list(graph)
    plain = set(map(type, nodes)) <= {int} and set(nodes) == set(range(len(nodes)))
    vertices = Vertices(len(nodes), None if plain else nodes)
    index_of = vertices.index_of or range(len(nodes))
    many = graph.is_multigraph()
    edges = list(_edges(graph, weight, _ABSENT if default is None else default, many))
    if default is None and weight is not None:
        edges = _with_usual_weight(edges, weight)
    tails = np.fromiter((index_of[edge[0]] for edge in edges), np.int32, len(edges))
    heads = np.fromiter((index_of[edge[1]] for edge in edges), np.int32, len(edges))
    found = None if weight is None else [edge[-1] for edge in edges]

    def name(i: int) -> str:
        return vertices.arc_name(i, int(tails[i]), int(heads[i]))

    _refuse_words(found or [], name)
    weights = take_weights(found, len(edges), name)
    undirected = not graph.is_directed()
    rows = arcs_to_rows(len(nodes), tails, heads, weights, both=undirected, keep=bool(keep_rows))
    points = take_coordinates(_points(graph) if coordinates is None else coordinates, len(nodes), vertices.names)
    keys = tuple(edge[2] for edge in edges) if many else None
    units = Units(None, DEGREES) if points is not None and is_wgs84(graph.graph.get("crs")) else None
    return without_infinite(rows, weights, vertices, coordinates=points, undirected=undirected, keys=keys, units=units)


def _points(graph: Any) -> Array | None:
    """Return the attributes x and y of all nodes as coordinates, as OSMnx has them; None if some node lacks them."""
    first: Any = next((data for _, data in graph.nodes(data=True)), {})
    if "x" not in first or "y" not in first:
        return None
    return points_of([x for _, x in graph.nodes(data="x")], [y for _, y in graph.nodes(data="y")])


def _edges(graph: Any, weight: Any, default: Any, many: bool) -> Any:
    """Return the edges of a NetworkX graph: both ends, the key in a multigraph, the weight if there is one."""
    keys = {"keys": True} if many else {}
    return graph.edges(**keys) if weight is None else graph.edges(data=weight, default=default, **keys)


def _with_usual_weight(edges: list[Any], weight: Any) -> list[Any]:
    """Return the edges with weight 1 where there is none, as in NetworkX; refuse such if the attribute was named."""
    lacking = [edge for edge in edges if edge[-1] is _ABSENT]
    if lacking and weight is not USUAL_WEIGHT:
        raise GraphError(
            f"the edge {shorten(lacking[0][:-1])} has no {shorten(weight)}; {len(lacking):,} of {len(edges):,} edges "
            f"lack it. Fill it in, use default=1 to count them so, or default=inf to "
            f"leave them out."
        )
    return [(*edge[:-1], 1) if edge[-1] is _ABSENT else edge for edge in edges] if lacking else edges


def _refuse_words(weights: list[Any], name: Callable[[int], str]) -> None:
    """Refuse a weight that is a word, as all attributes are that NetworkX reads from a file of OSMnx."""
    if str in set(map(type, weights)):
        i = next(i for i, weight in enumerate(weights) if isinstance(weight, str))
        raise InputTypeError(
            f"The weight of {name(i)} is {shorten(weights[i])}, a str, but weights are numbers. Convert the attribute; "
            f"street networks in GraphML are read with their numbers by osmnx.load_graphml and nearfar.read."
        )


def _check_networkx(graph: Any, weight: Any, default: Any) -> None:
    """Refuse anything that is not a NetworkX graph, and weights that cannot be read."""
    if not (hasattr(graph, "is_multigraph") and hasattr(graph, "is_directed") and hasattr(graph, "edges")):
        raise InputTypeError(
            f"graph is a {type(graph).__name__}, but from_networkx takes NetworkX graphs. "
            f"Use another of Graph's from_ methods."
        )
    if callable(weight):
        raise InputTypeError(
            f"weight is the function {getattr(weight, '__name__', weight)!s}, but only an attribute's name is taken. "
            f"Store its values with networkx.set_edge_attributes and give their name."
        )
    if weight is not None and weight is not USUAL_WEIGHT:
        _check_attribute(graph, weight)
    if default is not None and (isinstance(default, bool) or not isinstance(default, numbers.Real)):
        raise InputTypeError(f"default is {shorten(default)}, a {type(default).__name__}, but weights are numbers.")


def _check_attribute(graph: Any, weight: Any) -> None:
    """Refuse an attribute that was given and that no edge has."""
    if graph.number_of_edges() == 0 or any(value is not None for *_, value in graph.edges(data=weight)):
        return
    known = sorted({str(name) for *_, data in graph.edges(data=True) for name in data})
    there = f"their attributes are {shorten(known, 200)}. Name one of them" if known else "they have no attributes"
    raise OptionError(
        f"{option('weight', weight)} is no attribute of any edge; {there}, or use {option('weight', None)} for an "
        f"unweighted graph."
    )
