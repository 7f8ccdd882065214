"""Accessibility: what can be reached from every origin, such as jobs within half an hour; by cutoffs or with a decay.

For every origin, the amounts at all vertices are added up, each multiplied by a function of its distance. With cutoffs,
that is 1 up to the cutoff and 0 beyond. Any other function is a *decay*.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Collection, Mapping
from typing import Any, Unpack

import numpy as np

from ..engine.decay import Decay
from ..engine.folds import Wanted
from ..engine.query import Located, PreparedGraph
from ..errors import InputTypeError, OptionError
from ..graph import Graph
from ..graph.arrays import on_host
from ..graph.frames import is_frame, take_columns
from ..kernels.cpu.constants import EXPONENTIAL, GAUSSIAN, LINEAR, POWER
from .ask import MetricOptions, ask
from .measure import Measure
from .near import take_cutoffs

DECAYS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "exponential": lambda d, scale: np.exp(-d / scale),
    "gaussian": lambda d, scale: np.exp(-0.5 * (d / scale) ** 2),
    "power": lambda d, scale: np.maximum(d, 1.0) ** -scale,
    "linear": lambda d, scale: np.maximum(0.0, 1.0 - d / scale),
}
KNOWN = {"exponential": EXPONENTIAL, "gaussian": GAUSSIAN, "power": POWER, "linear": LINEAR}  # to kernels


def accessibility(
    graph: Graph | PreparedGraph,
    opportunities: Any,
    *,
    cutoffs: Any = None,
    decay: str | Callable[[np.ndarray], np.ndarray] | None = None,
    scale: float | None = None,
    vertices: Any = None,
    hops: bool = False,
    direction: str = "from",
    **options: Unpack[MetricOptions],
) -> Measure:
    """Return how much can be reached from each origin: amounts within cutoffs, or weighted by a decay.

    Parameters
    ----------
    graph : Graph or Prepared
    opportunities : dict, Series, DataFrame, table or array
        How much there is at the vertices: a dict of vertices and amounts; a table (pandas, polars, Arrow, DuckDB,
        another `Measure`) whose column ``vertex`` names the vertices, one more column per kind; a Series of pandas, or
        a DataFrame without that column, whose index names them; or an array with one entry per vertex, or one row per
        vertex. A vertex that does not occur has nothing; one that occurs several times has the sum.
    cutoffs : number or list of numbers
        The amounts within each of these distances; a vertex at exactly this distance counts.
    decay : str or function
        Instead of cutoffs: how much a distance d counts. "exponential": exp(-d / scale). "gaussian":
        exp(-(d / scale)**2 / 2). "linear": 1 - d / scale, 0 from there on. "power": d**-scale, where distances below 1
        count like 1. Or a function that takes an array of distances and returns as many factors.
    scale : number
        The parameter of a decay that is named.
    vertices : vertices, optional
        The origins; by default all vertices.
    hops : bool
        Whether every arc counts 1, whatever it weighs.
    direction : {"from", "to"}
        "from": travel from the origins to the opportunities; "to": the other way.
    **options
        As for `closeness`; with a decay, ``cutoff`` ends it there.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs(["Ulm", "Ulm"], ["Bonn", "Kiel"], [4, 9], names=True, undirected=True)
    >>> jobs = {"Bonn": 100, "Kiel": 20}
    >>> nearfar.metrics.accessibility(g, jobs, cutoffs=[5, 10]).to_frame()
      vertex    5   10
    0    Ulm  100  120
    1   Bonn  100  100
    2   Kiel   20   20
    >>> nearfar.metrics.accessibility(g, jobs, decay="exponential", scale=10)["Ulm"].__round__(3)
    75.163
    """
    asked = ask(graph, vertices, hops, direction, options)
    amounts, kinds = take_amounts(asked.graph, opportunities)
    if (cutoffs is None) == (decay is None):
        given = "neither cutoffs nor a decay are given" if decay is None else "both cutoffs and a decay are given"
        raise OptionError(f"{given}; give cutoffs=[600, 1200], or decay='exponential' with scale=600.")
    if decay is not None:
        values, facts = asked.fold_decay(take_decay(decay, scale), amounts.astype(np.float64))
        return asked.measure("accessibility", values if kinds else values[:, 0], facts, kinds)
    if scale is not None:
        raise OptionError(f"scale is {scale!r}, but cutoffs have no scale. Leave it out, or give a decay.")
    listed = take_cutoffs(cutoffs)
    ascending = tuple(sorted(set(listed)))
    folded, facts = asked.fold(Wanted(cutoffs=ascending, amounts=amounts))
    assert folded.totals is not None
    totals = folded.totals[:, :, [ascending.index(cutoff) for cutoff in listed]]
    columns = [(kind, cutoff) for kind in kinds for cutoff in listed] if kinds else listed
    return asked.measure("accessibility", _wide(totals.reshape(len(totals), len(columns))), facts, columns)


def _wide(totals: np.ndarray) -> np.ndarray:
    """Return totals in 64 bits."""
    return totals.astype(np.int64) if totals.dtype == np.int32 else totals


def take_decay(decay: Any, scale: Any) -> Decay:
    """Return the decay, given by name or as a function."""
    if callable(decay):
        if scale is not None:
            raise OptionError(f"scale is {scale!r}, but the decay is a function, which has its own. Leave it out.")
        return Decay(decay)
    if not isinstance(decay, str) or decay not in DECAYS:
        known = ", ".join(map(repr, DECAYS))
        raise OptionError(f"decay is {decay!r:.60}, but must be one of {known}, or a function of the distances.")
    if isinstance(scale, bool) or not isinstance(scale, numbers.Real):
        raise InputTypeError(f"scale is {scale!r:.60}; the decay {decay!r} needs a number, such as scale=600.")
    if not 0 < float(scale) < np.inf:
        raise OptionError(f"scale is {scale}; it must be more than 0, and finite.")
    function, size = DECAYS[decay], float(scale)
    return Decay(lambda distances: function(distances, size), size if decay == "linear" else None, (KNOWN[decay], size))


def take_amounts(graph: Graph, opportunities: Any) -> tuple[np.ndarray, list[Any] | None]:
    """Return one row of n amounts per kind, and the names of the kinds, None if there is only one without a name.

    Whole numbers whose sums fit are int32 or int64, which add up exactly and faster; all others are float64.
    """
    values, where, kinds = _take_values(graph, opportunities)
    if values.dtype.kind not in "iufb":
        raise InputTypeError(f"the opportunities are of type {values.dtype}; give numbers.")
    if not np.isfinite(values).all():
        raise OptionError("an amount of the opportunities is not finite; give numbers, 0 where there is nothing.")
    is_exact = values.dtype.kind != "f" and np.abs(values.astype(np.float64)).sum(axis=0).max(initial=0) < 2**62
    amounts = np.zeros((values.shape[1], graph.n), np.int64 if is_exact else np.float64)
    values = values.astype(amounts.dtype)
    for kind in range(len(amounts)):
        np.add.at(amounts[kind], where, values[:, kind])
    most = np.abs(amounts.astype(np.float64)).sum(axis=1).max(initial=0)
    is_whole = amounts.dtype.kind == "i" or bool((amounts == np.floor(amounts)).all())
    if is_whole and most < (2**62 if amounts.dtype.kind == "i" else 2**53):
        return amounts.astype(np.int32 if most < 2**31 else np.int64), kinds
    return amounts.astype(np.float64), kinds


def _take_values(graph: Graph, opportunities: Any) -> tuple[np.ndarray, np.ndarray, list[Any] | None]:
    """Return amounts, one column per kind; the vertex of each row; and the names of the kinds."""
    if isinstance(opportunities, Located):  # a table, too, but its numbers are of points and distances
        raise InputTypeError(
            f"the opportunities are {len(opportunities)} points on the graph, which say where, but not how much. Give "
            "amounts with them: pandas.DataFrame({'vertex': places.vertices, 'jobs': jobs}), where what lies at the "
            "same vertex is added up."
        )
    if isinstance(opportunities, Mapping):
        where = graph.indices(list(opportunities))
        values = np.asarray(list(opportunities.values())) if len(where) else np.empty(0, np.int64)
        if values.ndim != 1:
            raise InputTypeError(
                "the opportunities are a dict of several amounts per vertex; give a DataFrame instead."
            )
        return values.reshape(-1, 1), where, None
    if _is_indexed(opportunities):
        _refuse_places(getattr(opportunities, "columns", ()))
        where, values = graph.indices(opportunities.index.tolist()), opportunities.to_numpy()
        kinds = list(opportunities.columns) if values.ndim == 2 else None
        return values.reshape(len(where), -1), where, kinds
    if is_frame(opportunities):
        return _take_frame(graph, opportunities)
    values = np.asarray(on_host(opportunities))
    if values.ndim not in (1, 2) or len(values) != graph.n:
        raise InputTypeError(
            f"the opportunities have shape {values.shape}, but the graph has {graph.n:,} vertices. Give one entry per "
            "vertex, one row per vertex, or a dict of vertices and amounts."
        )
    kinds = list(range(values.size // max(graph.n, 1))) if values.ndim == 2 else None
    return values.reshape(graph.n, 1 if kinds is None else len(kinds)), np.arange(graph.n), kinds


def _refuse_places(columns: Collection[Any]) -> None:
    """Refuse a table of places: its index may be mere numbers of lines, and its coordinates are no amounts."""
    if {"lon", "lat"} <= set(columns) and "vertex" not in columns:
        raise OptionError(
            "the opportunities have columns 'lon' and 'lat', but no column 'vertex', which names the vertices. "
            "nearfar.geo.snap(graph, table['lon'], table['lat']).vertices are the nearest ones: make them that column, "
            "and leave out 'lon' and 'lat', as all other columns are amounts."
        )


def _is_indexed(opportunities: Any) -> bool:
    """Tell whether this is a Series or DataFrame of pandas whose index names vertices, since no column does."""
    if not (hasattr(opportunities, "iloc") and hasattr(opportunities, "to_numpy")):
        return False
    return "vertex" not in getattr(opportunities, "columns", ())


def _take_frame(graph: Graph, frame: Any) -> tuple[np.ndarray, np.ndarray, list[Any]]:
    """Return amounts, vertices and kinds of a table with a column of vertices, as polars, Arrow and DuckDB have it."""
    table = take_columns(frame)
    _refuse_places(table.names)
    if "vertex" not in table.names:
        raise OptionError("the opportunities have no column 'vertex', which names the vertices. Name it so.")
    named = table.names.index("vertex")
    where = graph.indices(table.values(named, "a vertex is needed"))
    others = [field for field in range(len(table.names)) if field != named]
    columns = [table.values(field, "an amount is needed, 0 where there is nothing") for field in others]
    values = np.array(columns).T if columns else np.empty((len(where), 0))
    return values, where, [table.names[field] for field in others]
