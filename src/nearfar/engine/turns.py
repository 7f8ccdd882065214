"""Queries of a `TurnGraph`: they become tables of its larger graph, and the answers come back in its vertices.

Rows start where sources depart, columns are where targets end; for distances to vertices it is the other way round. All
that a query takes beside these, it hands on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from ..errors import InputTypeError, OptionError, option
from ..graph import Graph, TurnGraph
from ..kernels.cpu.constants import NO_VERTEX
from ..results import KNearest, Nearest, Table
from ..results.lookup import list_names, number_of, take_count
from ..results.turns import TurnDistances, TurnKNearest, TurnTable
from .options import Options, known_options, take_direction
from .planner import Plan
from .query import (
    Located,
    PreparedGraph,
    as_vertex,
    check,
    each_once,
    from_nearest,
    from_source,
    require_one,
    take_source,
    take_vertices,
)
from .several import solve_several
from .solve import solve
from .tables import plan_table, solve_table

AnyGraph = Graph | PreparedGraph | TurnGraph  # what queries take
Answer = Callable[..., Any]
Asked = TypeVar("Asked", bound=Answer)


def over_turns(query: Asked) -> Asked:
    """Let a query take a `TurnGraph`, by the function of its name in ANSWERS; other graphs are its own business."""
    answer = ANSWERS[query.__name__]

    @wraps(query)
    def ask(graph: Any, *args: Any, **options: Any) -> Any:
        return answer(graph, *args, **options) if isinstance(graph, TurnGraph) else query(graph, *args, **options)

    return ask  # type: ignore[return-value]


def _sssp(
    turns: TurnGraph, source: Any, *, targets: Any = None, direction: str = "from", **options: Any
) -> TurnDistances | TurnTable:
    """Implement `nearfar.sssp`."""
    row = _from_source(turns, source, direction)
    return _ask(turns, row, _columns(turns, targets), direction, options, single=True)


def _mssp(
    turns: TurnGraph, sources: Any, *, targets: Any = None, direction: str = "from", **options: Any
) -> TurnDistances | TurnTable:
    """Implement `nearfar.mssp`."""
    rows = take_vertices(turns.graph, sources, "source")
    return _ask(turns, {"sources": _starts(turns, direction)[rows]}, _columns(turns, targets), direction, options)


def _apsp(turns: TurnGraph, **options: Any) -> TurnDistances | TurnTable:
    """Implement `nearfar.apsp`."""
    return _ask(turns, {"sources": turns.departures}, None, "from", options)


def _table(turns: TurnGraph, sources: Any, targets: Any, **options: Any) -> TurnDistances | TurnTable:
    """Implement `nearfar.table`."""
    if targets is None:
        raise InputTypeError("targets is None; give the vertices of the columns, or use mssp for all vertices.")
    rows, columns = take_vertices(turns.graph, sources, "source"), _columns(turns, targets)
    return _ask(turns, {"sources": turns.departures[rows]}, columns, "from", options)


def _nearest(
    turns: TurnGraph, sources: Any, k: int = 1, *, direction: str = "from", **options: Any
) -> Nearest | KNearest:
    """Implement `nearfar.nearest`."""
    given = _from_nearest(turns, sources, direction)
    if take_count(k) == 1:
        found = _ask(turns, given, None, direction, options, single=True)
        assert isinstance(found, TurnDistances)
        return Nearest(found, None if isinstance(sources, Located) else each_once(turns.graph, sources))
    if given.get("starts") is not None:
        raise OptionError(f"sources have starting distances and k is {k}; leave the distances out, or use k=1.")
    several = solve_several(turns.searched, given["seeds"], int(k), direction, known_options(options))
    return TurnKNearest(turns, several, _ends(turns, direction))


def _distance(turns: TurnGraph, source: Any, target: Any, **options: Any) -> int | float:
    """Implement `nearfar.distance`."""
    states = _prepared_pair(turns, source, target, options)
    if states is not None:
        return turns.searched.distance(*states)  # type: ignore[no-any-return]
    return number_of(_pair(turns, source, target, options).rows[0, 0])


def _path(turns: TurnGraph, source: Any, target: Any, **options: Any) -> list[Any]:
    """Implement `nearfar.path`."""
    states = _prepared_pair(turns, source, target, options)
    if states is not None and turns.searched.distance(*states) < math.inf:
        found = np.array(turns.searched.path(*states), np.int32)
        return list_names(turns.graph, turns.passed(found))
    return _pair(turns, source, target, options).path(as_vertex(turns.graph, target, "target"))


def _plan(turns: TurnGraph, sources: Any = None, *, targets: Any = None, **options: Any) -> Plan:
    """Implement `nearfar.plan`."""
    _refuse_elsewhere(options)
    rows: dict[str, Any] = {"sources": turns.departures}
    if isinstance(sources, Mapping) or (isinstance(sources, Located) and len(sources) == 1):
        rows = _from_source(turns, sources, "from")
    elif sources is not None:
        rows = {"sources": turns.departures[take_vertices(turns.graph, sources, "source")]}
    columns = turns.ends if targets is None else turns.ends[_columns(turns, targets)]
    options.pop("out", None)
    return plan_table(check(turns.searched, **rows, **known_options(options)), columns).plan


ANSWERS: dict[str, Answer] = {
    "sssp": _sssp,
    "mssp": _mssp,
    "apsp": _apsp,
    "table": _table,
    "nearest": _nearest,
    "distance": _distance,
    "path": _path,
    "plan": _plan,
}


def _ask(
    turns: TurnGraph,
    rows: dict[str, Any],
    targets: np.ndarray | None,
    direction: str,
    options: Any,
    single: bool = False,
) -> TurnDistances | TurnTable:
    """Return the answer to a query: of all vertices, or of some targets."""
    _refuse_elsewhere(options)
    columns = _ends(turns, direction) if targets is None else _ends(turns, direction)[targets]
    given = {**rows, "targets": columns, "single": single, "direction": direction, **known_options(options)}
    inner: Table = solve_table(turns.searched, **given)
    return TurnDistances(turns, inner) if targets is None else TurnTable(turns, inner)


def search_up_to(turns: TurnGraph, source: Any, direction: str, options: Options) -> tuple[TurnDistances, np.ndarray]:
    """Return the row of the nearest of some sources up to a cutoff, and when each arc is begun, inf if it is not.

    The arcs are those of the graph, or, with direction "to", those of the reversed graph, begun at their heads.
    """
    row = _from_nearest(turns, source, direction)
    found = solve(check(turns.searched, **row, single=True, direction=direction, **options))
    columns = _ends(turns, direction)
    facts = {name: getattr(found, name) for name in ("seeds", "starts", "single", "direction", "cutoff", "plan")}
    facts |= {"stats": found.stats, "rounded": found.rounded, "distances": found}
    inner = Table(turns.states, found.source_indices, columns, found.rows[:, columns], **facts)
    return TurnDistances(turns, inner), _begun(turns, found.as_float(), direction)


def _begun(turns: TurnGraph, dist: np.ndarray, direction: str) -> np.ndarray:
    """Return when each arc is begun in the direction of search, by the distances of states."""
    graph, states, real = turns.graph, turns.states, turns.arcs != NO_VERTEX
    arcs, times = turns.arcs[real], np.full(turns.m, np.inf)
    if direction == "from":
        assert states.weights is not None
        own = 1 if graph.weights is None else graph.weights[arcs]
        np.minimum.at(times, arcs, dist[states.tails[real]] + (states.weights[real] - own))
        return times
    leaving = states.tails[real] == turns.departures[graph.tails[arcs]]  # who is on an arc may have come from anywhere
    times[arcs[leaving]] = dist[states.heads[real][leaving]]
    keys = graph.tails * np.int64(graph.n) + graph.heads  # parallel arcs begin at the same time
    order, searched = np.argsort(keys), graph.reversed
    wanted = searched.heads * np.int64(graph.n) + searched.tails
    return times[order][np.searchsorted(keys[order], wanted)]


def _pair(turns: TurnGraph, source: Any, target: Any, options: Any) -> TurnTable:
    """Return the table of one pair."""
    goal = turns.graph.index(as_vertex(turns.graph, target, "target"), "target")
    row = _from_source(turns, source, "from")
    found = _ask(turns, row, np.array([goal]), "from", options, single=True)
    assert isinstance(found, TurnTable)
    return found


def _prepared_pair(turns: TurnGraph, source: Any, target: Any, options: Any) -> tuple[int, int] | None:
    """Return the states of a pair if it is one for the methods of a prepared graph: plain vertices, no options."""
    if options or not isinstance(turns.searched, PreparedGraph) or isinstance(source, Mapping | Located):
        return None
    s, t = int(take_source(turns.graph, source)[0]), as_vertex(turns.graph, target, "target")
    return int(turns.departures[s]), int(turns.ends[turns.graph.index(t, "target")])


def _columns(turns: TurnGraph, targets: Any) -> np.ndarray | None:
    """Return targets as vertex indices, None for all."""
    return None if targets is None else take_vertices(turns.graph, targets, "target")


def _starts(turns: TurnGraph, direction: str) -> np.ndarray:
    """Return where rows start, by vertex."""
    return turns.departures if take_direction(direction) == "from" else turns.ends


def _ends(turns: TurnGraph, direction: str) -> np.ndarray:
    """Return where columns are, by vertex."""
    return turns.ends if take_direction(direction) == "from" else turns.departures


def _from_source(turns: TurnGraph, source: Any, direction: str) -> dict[str, Any]:
    """Return the arguments of `check` for one row: from one source, a dict of them, or a point."""
    if isinstance(source, Located):
        require_one(source)
        return _from_points(turns, source, direction)
    return _in_states(turns, from_source(turns.graph, source), direction)


def _from_nearest(turns: TurnGraph, sources: Any, direction: str) -> dict[str, Any]:
    """Return the arguments of `check` for one row from the nearest of some sources."""
    if isinstance(sources, Located):
        return _from_points(turns, sources, direction)
    return _in_states(turns, from_nearest(turns.graph, sources), direction)


def _in_states(turns: TurnGraph, row: dict[str, Any], direction: str) -> dict[str, Any]:
    """Return the arguments of `check` with states for vertices; their order stays the same."""
    starts = _starts(turns, direction)
    return row | {name: starts[row[name]] for name in ("sources", "seeds") if row.get(name) is not None}


def _from_points(turns: TurnGraph, points: Located, direction: str) -> dict[str, Any]:
    """Return the arguments of `check` for one row that starts at points, some of them within arcs."""
    least: dict[int, float] = {}
    for found in starts_of_each(turns, points, direction):
        for state, start in found:
            least[state] = min(start, least.get(state, start))
    seeds = np.array(sorted(least), np.int32)
    starts = np.array([least[state] for state in seeds.tolist()], np.float64)
    return {"sources": seeds[:1], "seeds": seeds, "starts": starts if starts.any() else None}


def starts_of_each(turns: TurnGraph, points: Located, direction: str) -> list[list[tuple[int, float]]]:
    """Return for each point the states in which travel from it begins (to it, ends), and the times to or from them.

    Who starts within an arc has driven along it at its head, and may not turn there as who departs there may.
    """
    points.starts_on(turns.graph, direction)  # refuses points on closed arcs
    return [_starts_of_point(turns, *place, direction) for place in points.places_on(turns.graph)]


def _starts_of_point(turns: TurnGraph, tail: int, head: int, share: float, direction: str) -> list[tuple[int, float]]:
    """Do the same for one point: ``share`` is where it is on the way from tail to head."""
    if tail == head or share in (0, 1):
        return [(int(_starts(turns, direction)[head if share == 1 else tail]), 0.0)]
    found = []
    for u, v, part in ((tail, head, share), (head, tail, 1 - share)):  # part of the arc is behind the point
        for state, onto, turn, weight in turns.arcs_between(u, v):
            if direction == "to":
                found.append((state, turn + part * weight))
            elif state == turns.departures[u]:
                found.append((onto, (1 - part) * weight))
    return found


def _refuse_elsewhere(options: Any) -> None:
    """Refuse what does not know states: stores, clusters, and blocks found on demand."""
    for name in ("client", "lazy", "existing", "join"):
        if options.pop(name, None) not in (None, False, "resume"):
            raise OptionError(f"a graph with turns does not take {option(name)}. Leave it out.")
    out = options.get("out")
    if out is not None and not isinstance(out, np.ndarray):
        raise OptionError(
            f"a graph with turns takes an array of NumPy as {option('out')}, not a {type(out).__name__}. Save the "
            f"result instead."
        )
