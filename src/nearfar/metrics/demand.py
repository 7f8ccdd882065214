"""`flows`: an origin-destination table loaded on the arcs, all or nothing; `select_link`: which pairs use an arc."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from ..engine.flows import by_origin, find_users, load_flows
from ..engine.query import PreparedGraph, Query, check, take_graph
from ..errors import InputTypeError, OptionError
from ..graph import Graph
from ..graph.arrays import on_host
from ..graph.frames import is_frame, take_columns
from ..graph.names import ZonedNames
from ..graph.tables import Columns, Framed, Named, check_kind
from .ask import MetricOptions, known_metric_options
from .loads import ArcMeasure

ORIGINS = ("origin", "from", "source", "o", "init_node")  # what columns of a table of demand may be called
TARGETS = ("destination", "to", "target", "d", "dest", "term_node")
AMOUNTS = ("demand", "trips", "volume", "flow", "amount", "weight", "count")


class Flows(ArcMeasure):
    """The flow on every arc. Made by `nearfar.metrics.flows`.

    Attributes
    ----------
    graph, name, values, stats
        As in `ArcMeasure`; ``by_row()`` has the flow on every row of your table.
    unserved : float
        The demand of pairs without a path, which is on no arc.
    """

    unserved: float = 0.0

    def __repr__(self) -> str:
        return f"Flows(on {self.graph.m:,} arcs, {self.unserved:g} unserved)"


def flows(graph: Graph | PreparedGraph, demand: Any, **options: Unpack[MetricOptions]) -> Flows:
    """Return the flow on every arc if all demand takes its shortest path: all-or-nothing assignment.

    Parameters
    ----------
    graph : Graph or Prepared
    demand : DataFrame, table, array, sparse matrix or list
        How much goes from where to where: a frame of pandas or polars, or any other table that exports Arrow data, such
        as a relation of DuckDB, with columns origin, destination and demand (or trips, volume); an
        array or sparse matrix of n x n; a square frame whose index and columns name the vertices; or a list of
        (origin, destination, amount).
    **options
        ``method``, ``threads``, ``progress``, ``memory`` and ``client`` as in `nearfar.mssp`.

    Notes
    -----
    Of several shortest paths, the whole demand takes the one of `Distances.predecessors`. Weights may be zero. Demand
    from a vertex to itself is on no arc, and so is demand without a path, which ``unserved`` adds up. In a network
    whose zones are closed (``nearfar.read(..., zones="closed")``), demand from zone 7 departs at vertex -7 by itself.
    Whole amounts are added exactly; of others the last digits depend on how many threads or tasks of a cluster add.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1, 0], [1, 2, 2], [4, 3, 9])
    >>> found = nearfar.metrics.flows(g, [(0, 2, 100), (0, 1, 10), (2, 0, 5)])
    >>> found.by_row(), found.unserved
    (array([110., 100.,   0.]), 5.0)
    """
    plain = take_graph(graph)
    taken = by_origin(*_departing(plain, *take_demand(plain, demand)))
    query, client = _rows(graph, plain, taken.origins, options)
    if client is None:
        values, lost, facts = load_flows(query, taken)
    else:
        from ..scale.flows import load_flows as load_on_cluster

        values, lost, facts = load_on_cluster(query, taken, client)
    found = Flows(plain, "flow", values, facts["stats"] | ({"unserved": lost} if lost else {}))
    found.unserved = lost
    return found


class _Users(Framed):
    """Some pairs of a demand, as a table."""

    def __init__(self, graph: Graph, origins: np.ndarray, targets: np.ndarray, amounts: np.ndarray) -> None:
        self.graph, self.origins, self.targets, self.amounts = graph, origins, targets, amounts

    def _line_count(self) -> int:
        """Return the number of pairs."""
        return len(self.origins)

    def _lines(self, low: int, high: int) -> Columns:
        """Return some pairs; zones are called as they were given."""
        names, origins = self.graph.names, self.origins[low:high]
        departs: Any = Named(names, origins)
        if isinstance(names, ZonedNames):
            departs = np.abs(departs.listed())
        return {
            "origin": departs,
            "destination": Named(names, self.targets[low:high]),
            "demand": self.amounts[low:high],
        }


def select_link(
    graph: Graph | PreparedGraph, demand: Any, rows: Any, *, kind: str = "pandas", **options: Unpack[MetricOptions]
) -> Any:
    """Return which pairs of a demand use an arc: a DataFrame with columns origin, destination and demand.

    Parameters
    ----------
    graph, demand, **options
        As for `flows`.
    rows : int or list of int
        Rows of the input, as `Graph.find_rows` returns them; pairs that use any of them are listed.
    kind : {"pandas", "polars", "arrow"}
        A DataFrame of pandas or polars, or a pyarrow.Table.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1, 0], [1, 2, 2], [4, 3, 9])
    >>> print(nearfar.metrics.select_link(g, [(0, 2, 100), (0, 1, 10)], g.find_rows(1, 2)))
       origin  destination  demand
    0       0            2   100.0
    """
    check_kind(kind)
    plain = take_graph(graph)
    taken = by_origin(*_departing(plain, *take_demand(plain, demand)))
    chosen = np.isin(plain.rows, _take_rows(plain, rows))
    query, client = _rows(graph, plain, taken.origins, options)
    if client is None:
        uses = find_users(query, taken, chosen)
    else:
        from ..scale.flows import find_users as find_on_cluster

        uses = find_on_cluster(query, taken, chosen, client)
    origins = np.repeat(taken.origins, np.diff(taken.starts))
    return _Users(plain, origins[uses], taken.targets[uses], taken.amounts[uses])._framed(kind)


def _take_rows(graph: Graph, rows: Any) -> np.ndarray:
    """Return the rows of the input that were given."""
    wanted = np.atleast_1d(np.asarray(on_host(rows)))
    if wanted.dtype.kind not in "iu" or not len(wanted):
        raise InputTypeError(
            f"rows is {rows!r:.60}; give rows of the input, as graph.find_rows(tail, head) returns them."
        )
    count = graph.input_rows.count
    wrong = wanted[(wanted < 0) | (wanted >= count)]
    if len(wrong):
        raise OptionError(f"a row is {wrong[0]}, but the input has {count:,} rows, counted from 0.")
    return wanted


def _departing(
    graph: Graph, origins: np.ndarray, targets: np.ndarray, amounts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a demand whose origins depart at the vertices where trips from closed zones begin, if the graph has them.

    Demand from a zone to itself is on no arc: it stays where it is.
    """
    names = graph.names
    if not isinstance(names, ZonedNames) or not len(origins):
        return origins, targets, amounts
    moved = origins.copy()
    for origin in np.unique(origins).tolist():
        if graph.is_vertex(-names[origin]):
            moved[(origins == origin) & (targets != origin)] = graph.index(-abs(names[origin]))
    return moved, targets, amounts


def _rows(graph: Graph | PreparedGraph, plain: Graph, origins: np.ndarray, options: MetricOptions) -> tuple[Query, Any]:
    """Return the query of the rows of all origins, and the cluster if one was given.

    Floats are added along the path, as their trees need.
    """
    known_metric_options(options)
    if options.get("cutoff") is not None:
        raise OptionError("flows have no cutoff: demand beyond it would be lost. Leave it out of the table instead.")
    settings: Any = dict(options)
    client = settings.pop("client", None)
    is_float = plain.weight_dtype is not None and plain.weight_dtype.kind == "f"
    if is_float and settings.get("method", "auto") == "auto":
        settings["method"] = "dijkstra" if plain.min_weight >= 0 else "johnson"
    return check(graph, origins, **settings), client


def take_demand(graph: Graph, demand: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return origins, destinations and amounts of a demand, as vertex indices and float64."""
    origins, targets, amounts = _take_pairs(graph, demand)
    values = np.asarray(amounts)
    if values.dtype.kind not in "iufb":
        raise InputTypeError(f"the demand is of type {values.dtype}; give numbers.")
    values = values.astype(np.float64)
    if not (np.isfinite(values) & (values >= 0)).all():
        wrong = values[~(np.isfinite(values) & (values >= 0))][0]
        raise OptionError(f"a demand is {wrong}; it must be 0 or more, and finite.")
    return origins, targets, values


def _take_pairs(graph: Graph, demand: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return origins and destinations, as indices, and amounts, whatever form the demand has."""
    if is_frame(demand):
        return _from_frame(graph, demand)
    demand = on_host(demand)
    if hasattr(demand, "tocoo"):  # a sparse matrix
        cells = demand.tocoo()
        _require_square(graph, cells.shape)
        return np.asarray(cells.row), np.asarray(cells.col), cells.data
    if (
        isinstance(demand, np.ndarray)
        and demand.ndim == 2
        and (demand.shape[1] != 3 or demand.shape[0] == graph.n == 3)
    ):
        _require_square(graph, demand.shape)
        origins, targets = np.nonzero(demand)
        return origins, targets, demand[origins, targets]
    if isinstance(demand, np.ndarray) and demand.dtype.kind == "f" and demand.ndim == 2:
        ends = demand[:, :2].astype(np.int64)
        if (ends == demand[:, :2]).all():
            return graph.indices(ends[:, 0], "origin"), graph.indices(ends[:, 1], "destination"), demand[:, 2]
    try:
        listed = [(origin, target, amount) for origin, target, amount in demand]
    except (TypeError, ValueError):
        raise InputTypeError(
            f"the demand is a {type(demand).__name__}; give a frame with columns origin, destination and demand, a "
            f"matrix of {graph.n:,} x {graph.n:,}, or a list of (origin, destination, amount)."
        ) from None
    origins = graph.indices([origin for origin, _, _ in listed], "origin")
    targets = graph.indices([target for _, target, _ in listed], "destination")
    return origins, targets, np.array([amount for _, _, amount in listed])


def _from_frame(graph: Graph, frame: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """Return the pairs of a frame: one line per pair, or a square one."""
    table = take_columns(frame)
    names = {str(name).lower(): field for field, name in enumerate(table.names)}
    found = [next((names[word] for word in words if word in names), None) for words in (ORIGINS, TARGETS, AMOUNTS)]
    if None not in found:
        origins, targets, amounts = (
            table.values(field, "every pair needs one") for field in found if field is not None
        )
        return graph.indices(origins, "origin"), graph.indices(targets, "destination"), amounts
    if len(table.names) == 3 and len(table.column(0)) != 3:
        raise OptionError(
            f"the demand has columns {', '.join(map(str, table.names))}; call them origin, destination and demand."
        )
    if not hasattr(frame, "iloc"):
        raise OptionError("the demand has no columns origin, destination and demand. Name them so.")
    rows, columns = graph.indices(frame.index.tolist(), "origin"), graph.indices(list(frame.columns), "destination")
    values = frame.to_numpy()
    i, j = np.nonzero(values)
    return rows[i], columns[j], values[i, j]


def _require_square(graph: Graph, shape: tuple[int, ...]) -> None:
    """Refuse a matrix that has not one row and one column per vertex."""
    if tuple(shape) != (graph.n, graph.n):
        raise InputTypeError(
            f"the demand has shape {tuple(shape)}, but the graph has {graph.n:,} vertices. Give one row and one column "
            "per vertex, or a frame with columns origin, destination and demand."
        )
