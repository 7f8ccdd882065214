"""The certificate that distances are exact: O(m) per row, independent of the solvers and of results/trees.py.

What is checked, for each row: its shape, type and values; that no source is above 0, or above its starting distance;
that no arc can improve a distance; that every reached vertex is at the end of a chain of tight arcs from a source; that
predecessors, if they were computed, are such chains; that a chain from the source that a nearest query names leads to
the vertex. proof.py explains why this suffices. scan.py proves right rows quickly; what it does not prove is looked at
again here, to say what is wrong.

Floats of a method that adds in another order than along the path (``result.rounded``) are exact up to rounding. They
are compared with shortest paths that are found again and measured more accurately; rounded.py has the argument.

With ``cutoff`` or ``targets``, the row must be complete up to its limit and empty beyond it. Negative weights with a
limit are the only case that the row cannot prove by itself, since paths may leave the limit and return: then the row is
computed again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from ..errors import InputTypeError
from ..graph import Graph, TurnGraph
from ..results import Distances, KNearest, Nearest, Table
from ..results.turns import TurnDistances, TurnKNearest, TurnTable, origins
from .crew import Crew, threads_of
from .proof import Arcs, Row, reach
from .rounded import CycleError, Paths, measure
from .scan import Scanner
from .several import several_problems

ROWS_AT_ONCE = 1 << 24  # distances in the rows of a table that are searched again at a time
LIMIT = 5  # sentences in a certificate: the first matters most, many would hide it


@dataclass(frozen=True)
class Certificate:
    """The outcome of `nearfar.verify`: true if the distances are exact, otherwise it says where they are wrong.

    Attributes
    ----------
    problems : list of str
        At most five sentences, the likeliest cause first; empty if exact.
    rows, n, m : int
        How much was checked: rows of distances, vertices, arcs.
    rounding : float or None
        None for a result that is exact to the bit, or wrong. For floats that were added in another order than along
        the path: a bound on the relative error of every distance; with negative weights, relative to twice the greatest
        distance in its row.

    Examples
    --------
    >>> from nearfar.certificate import Certificate
    >>> print(Certificate([], rows=1, n=3, m=2))
    exact: 1 row of 3 distances proved over 2 arcs
    """

    problems: list[str]
    rows: int
    n: int
    m: int
    rounding: float | None = None

    @property
    def ok(self) -> bool:
        """Whether the distances are exact, or exact up to rounding where the method rounds."""
        return not self.problems

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        if self.ok:
            rows = "1 row" if self.rows == 1 else f"{self.rows:,} rows"
            proved = f"{rows} of {self.n:,} distances proved over {self.m:,} arcs"
            if self.rounding is None:
                return f"exact: {proved}"
            return f"exact up to rounding: {proved}, none off by more than {self.rounding:.1e} of itself"
        return "\n".join(["NOT exact:", *(f"- {problem}" for problem in self.problems)])


def verify(graph: Any, result: Distances | Nearest | KNearest | Table) -> Certificate:
    """Prove that a result is exact, or say where it is wrong.

    Parameters
    ----------
    graph : Graph, Prepared or TurnGraph
        The graph of the query.
    result : Distances, Nearest, KNearest or Table
        The result of the query. Predecessors are checked in the rows for which they were computed. The rows behind a
        table are searched again, some at a time; then each of them is proved, with the table's distances in it.

    Returns
    -------
    Certificate
        True if the result is exact.

    Notes
    -----
    Integers are proved exact to the bit, and so are floats of methods that add along the path. For floats of methods
    that add in another order (``result.rounded``), a shortest path to every vertex is found again and measured in
    float64. The relative error of the distance must be at most 2 eps (H + 1), where eps is that of its type and H the
    number of arcs of the longest such path; ``rounding`` of the certificate is the bound that was proved.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
    >>> result = nearfar.sssp(g, 0)
    >>> bool(nearfar.verify(g, result))
    True
    >>> result.rows[0, 2] = 13
    >>> print(nearfar.verify(g, result))
    NOT exact:
    - vertex 2 has 13, but arc 1 (1 -> 2, weight 7) leads to it with 12: it should be at most 12
    """
    held = result
    if isinstance(result, Nearest) and isinstance(result.distances, TurnDistances):
        result = result.distances  # which source is nearest follows from the path, not from a row of its own
    if isinstance(result, TurnDistances | TurnTable | TurnKNearest):
        graph, result = _states_of(graph), result.inner
        if not _says_what_was_found(held):
            return Certificate(["sources or distances were changed after they were found"], 1, graph.n, graph.m)
    elif isinstance(graph, TurnGraph):
        raise InputTypeError("graph has turns, but the result is of a graph without them. Query the one with turns.")
    if isinstance(prepared_from := getattr(graph, "graph", None), Graph):
        graph = prepared_from
    if isinstance(result, Table):
        return _verify_table(graph, result)
    if isinstance(result, KNearest):
        return Certificate(list(islice(several_problems(graph, result), LIMIT)), result.k, graph.n, graph.m)
    distances = result.distances if isinstance(result, Nearest) else result
    if not isinstance(distances, Distances):
        raise InputTypeError(
            f"a {type(result).__name__} cannot be verified: give the Distances, Nearest, KNearest or Table of a query."
        )
    rounding: list[float] = []
    problems = list(islice(_problems(graph, distances, result, rounding), LIMIT))
    rounded = distances.rounded and distances.rows.dtype.kind == "f" and not problems
    off = max(rounding, default=0.0) if rounded else None
    return Certificate(problems, len(distances.rows), graph.n, graph.m, off)


def _states_of(graph: Any) -> Graph:
    """Return the larger graph of a graph with turns, over which its results are proved."""
    if not isinstance(graph, TurnGraph):
        kind = type(graph).__name__
        raise InputTypeError(f"the result is of a graph with turns, but graph is a {kind}. Give the one with turns.")
    return graph.states


def _says_what_was_found(result: Any) -> bool:
    """Tell whether what a result copied from that over the larger graph, which is proved, still says the same."""
    if isinstance(result, Nearest):
        row: Any = result.distances
        return np.array_equal(result.source, origins(row.turns, row.inner))
    if isinstance(result, TurnKNearest):
        again = TurnKNearest(result.turns, result.inner, result.columns)
        return np.array_equal(result.dist, again.dist) and np.array_equal(result.source, again.source)
    return True


def _verify_table(graph: Graph, table: Table) -> Certificate:
    """Prove a table: rows that are searched again, into which its distances are put, must be exact."""
    (k, t), wanted = table.rows.shape, (len(table.source_indices), len(table.target_indices))
    problems: list[str] = []
    rounding: list[float] = []
    if (k, t) != wanted or table.graph.n != graph.n:
        problems = [f"the table has shape {(k, t)} and {table.graph.n} vertices; {(*wanted, graph.n)} are needed"]
    at_once = max(1, ROWS_AT_ONCE // max(1, graph.n))
    for low in range(0, 0 if problems else k, at_once):
        part = range(low, min(low + at_once, k))
        whole = table.whole_rows(part)
        if not _are_equal(table.rows[list(part)], whole.rows[:, table.target_indices]):
            problems.append("a target occurs twice, with different distances from the same source")
        problems += islice(_problems(graph, whole, whole, rounding), LIMIT - len(problems))
        if len(problems) >= LIMIT:
            break
    off = max(rounding, default=0.0) if table.rounded and not problems else None
    return Certificate(problems, k, t, graph.m, off)


def _are_equal(mine: np.ndarray, theirs: np.ndarray) -> bool:
    """Compare distances, which may be whole numbers of different types, each with its own value for unreached."""
    if mine.dtype.kind == "f":
        return np.array_equal(mine, theirs, equal_nan=True)
    reached = mine != np.iinfo(mine.dtype).max
    alike = reached == (theirs != np.iinfo(theirs.dtype).max)
    return bool((alike & (~reached | (mine == theirs))).all())


def _problems(graph: Graph, distances: Distances, result: Distances | Nearest, rounding: list[float]) -> Iterator[str]:
    """Yield what is wrong, row after row; add the error bound of each rounded row to ``rounding``."""
    wrong = list(_form_problems(graph, distances))
    yield from wrong
    if wrong:
        return
    arcs, trees = Arcs(graph, backward=distances.direction == "to"), distances.known_trees()
    with Crew(threads_of(distances)) as crew:
        scanner = Scanner(arcs, distances.rows.dtype, crew)
        for r in range(len(distances.rows)):
            row = Row(arcs, distances, r)
            where = f"row {r} (source {_name(row, row.seeds[0])}): " if len(distances.rows) > 1 else ""
            source = result.source if isinstance(result, Nearest) else None
            found = (
                _rounded_problems(row, trees.get(r), source, rounding)
                if row.rounded
                else _row_problems(row, trees.get(r), source, scanner)
            )
            for problem in found:
                yield where + problem


def _form_problems(graph: Graph, distances: Distances) -> Iterator[str]:
    """Yield what is wrong with the shape, the type, and the vertices of the result."""
    rows, wanted = distances.rows, (len(distances.source_indices) if distances.seeds is None else 1, graph.n)
    if rows.shape != wanted:
        yield f"the distances have shape {rows.shape}; {wanted[0]} sources and {wanted[1]} vertices need {wanted}"
    if rows.dtype not in (np.int32, np.int64, np.float32, np.float64):
        yield f"the distances have type {rows.dtype}; it must be int32, int64, float32 or float64"
    elif rows.dtype.kind == "i" and graph.weight_dtype is not None and graph.weight_dtype.kind == "f":
        yield f"the distances have type {rows.dtype}, which cannot hold sums of {graph.weight_dtype} weights"
    for role, vertices in (
        ("source", distances.source_indices),
        ("source", distances.seeds),
        ("target", distances.targets),
    ):
        for v in () if vertices is None else vertices:
            if not 0 <= v < graph.n:
                yield f"{role} {v} is not a vertex: the graph has {graph.n} vertices, counted from 0"
    if distances.starts is not None:
        yield from _start_problems(distances)


def _start_problems(distances: Distances) -> Iterator[str]:
    """Yield what is wrong with the starting distances of the result."""
    starts, seeds = np.asarray(distances.starts), distances.seeds
    if seeds is None or starts.shape != np.shape(seeds) or starts.dtype != distances.rows.dtype:
        yield f"the starting distances must be one {distances.rows.dtype} number per source"
    elif len(odd := starts[~((starts >= 0) & (starts < np.inf))]):
        yield f"a starting distance is {odd[0]}: it should be a finite number from 0 on"


def _row_problems(
    row: Row, tree: np.ndarray | None, source: np.ndarray | None, scanner: Scanner | None
) -> Iterator[str]:
    """Yield what is wrong with one row, its tree and its nearest sources; a scanner may prove that nothing is."""
    wrong = list(islice(_value_problems(row), LIMIT))
    yield from wrong
    if wrong or (scanner is not None and scanner.proves(row, tree, source)):
        return
    supported = row.supported()
    if row.negative and row.radius is not None:
        yield from _recomputed_problems(row)
    else:
        yield from _distance_problems(row, supported)
    if tree is not None:
        yield from _tree_problems(row, tree, supported)
    if source is not None:
        yield from _source_problems(row, source, supported)


def _value_problems(row: Row) -> Iterator[str]:
    """Yield distances that cannot be right whatever the arcs are."""
    dist = row.dist
    if row.floats:
        for v in np.flatnonzero(np.isnan(dist) | (dist == -np.inf)):
            yield f"vertex {_name(row, v)} has {dist[v]}, which is not a distance"
    if not row.negative:
        for v in np.flatnonzero(dist < 0):
            yield f"vertex {_name(row, v)} has {dist[v]}, but no weight is negative: it should be at least 0"
    for s, start in zip(row.seeds, row.begins, strict=True):
        within = row.radius is None or row.radius >= start
        if within and (not row.reached[s] or dist[s] > start):
            rule = f"it starts at {start}" if start else "a source is at distance 0"
            yield f"source {_name(row, s)} has {_value(row, s)}: {rule}"
    if row.radius is not None:
        for v in np.flatnonzero(row.reached & (dist > row.radius)):
            yield f"vertex {_name(row, v)} has {dist[v]}, beyond the limit {row.radius}: it should be unreached"


def _distance_problems(row: Row, supported: np.ndarray) -> Iterator[str]:
    """Yield vertices that an arc improves or that no chain supports; the least distance first, where errors begin."""
    found: list[tuple[Any, int, int, str]] = []
    baseless = np.flatnonzero(row.reached & ~supported)
    for v in baseless[np.argsort(row.dist[baseless], kind="stable")[:LIMIT]]:
        text = f"vertex {_name(row, v)} has {row.dist[v]}, but the distances on no path from the source add up to it"
        found.append(
            (row.dist[v].item(), 0, v, f"{text}: it should be greater or unreached, or one before it is wrong")
        )
    for indices, tails, heads, sums in row.improving():
        for i in np.argsort(sums, kind="stable")[:LIMIT]:
            e, u, v, offer = int(indices[i]), tails[i], heads[i], sums[i]
            text = f"vertex {_name(row, v)} has {_value(row, v)}, but {_arc(row, e, u, v)} with {offer}"
            found.append((offer, 1, v, f"{text}: it should be at most {offer}"))
        found = sorted(found, key=lambda problem: problem[:2])[:LIMIT]
    reported = set()
    for _, _, v, text in found:  # a vertex that is too far is both improved by an arc and unsupported: report it once
        if v not in reported:
            yield text
        reported.add(v)


def _recomputed_problems(row: Row) -> Iterator[str]:
    """Yield the differences from a row that is computed again, for negative weights with a limit."""
    settled = row.settle()
    if settled is None:
        yield "a negative cycle can be reached, so distances do not exist"
        return
    dist, reached = settled
    radius = row.radius_of(dist, reached)
    if radius is not None:
        reached &= np.asarray(dist <= radius, dtype=bool)
    for v in np.flatnonzero((reached != row.reached) | (reached & (dist != row.dist))):
        yield f"vertex {_name(row, v)} has {_value(row, v)}: it should be {dist[v] if reached[v] else 'unreached'}"


def _tree_problems(row: Row, pred: np.ndarray, supported: np.ndarray) -> Iterator[str]:
    """Yield predecessors that are missing, superfluous, not tight, or that never lead to a source."""
    n = len(row.dist)
    if pred.shape != (n,) or pred.dtype != np.int32 or ((pred < -1) | (pred >= n)).any():
        yield f"the {row.link}s must be {n} int32 numbers from -1 to {n - 1}"
        return
    children = supported & ~row.starts
    for v in np.flatnonzero(children & (pred < 0)):
        yield f"vertex {_name(row, v)} is reached, but has no {row.link}"
    for v in np.flatnonzero(~children & (pred >= 0)):
        what = "a source" if row.starts[v] else "unreached"
        yield f"vertex {_name(row, v)} is {what}, but has {row.link} {_name(row, pred[v])}: it should be -1"
    held = np.zeros(n, dtype=bool)
    for tails, heads in row.tight():
        held[heads[pred[heads] == tails]] = True
    for v in np.flatnonzero(children & (pred >= 0) & ~held):
        side = "to" if row.arcs.backward else "from"
        yield f"vertex {_name(row, v)} has {row.link} {_name(row, pred[v])}, but no arc {side} there is tight"
    chained = np.flatnonzero(children & (pred >= 0))
    for v in np.flatnonzero(children & held & ~reach(row.starts, pred[chained], chained)):
        yield f"vertex {_name(row, v)} has {row.link}s that never lead to a source"


def _source_problems(row: Row, source: np.ndarray, supported: np.ndarray) -> Iterator[str]:
    """Yield vertices whose nearest source is missing, superfluous or not the start of a shortest path to them."""
    if source.shape != row.dist.shape or source.dtype != np.int32:
        yield f"the nearest sources must be {len(row.dist)} int32 numbers"
        return
    for v in np.flatnonzero(~supported & (source != -1)):
        yield f"vertex {_name(row, v)} is unreached, but has source {source[v]}: it should be -1"
    for v in np.flatnonzero(supported & ~row.supported(label=source)):
        yield f"vertex {_name(row, v)} has source {source[v]}, but {_no_path(row)}"


def _rounded_problems(
    row: Row, tree: np.ndarray | None, source: np.ndarray | None, rounding: list[float]
) -> Iterator[str]:
    """Yield what is wrong with a row that should be exact up to rounding, its tree and its nearest sources."""
    wrong = list(islice(_value_problems(row), LIMIT))
    yield from wrong
    if wrong:
        return
    try:
        paths = Paths(row)
    except CycleError:
        yield "a negative cycle can be reached, so distances do not exist"
        return
    wrong = list(islice(_inaccurate(row, paths), LIMIT))
    yield from wrong
    if wrong:
        return
    rounding.append(paths.rounding)
    if tree is not None:
        yield from _rounded_tree_problems(row, tree, paths)
    if source is not None:
        yield from _rounded_source_problems(row, source, paths)


def _inaccurate(row: Row, paths: Paths) -> Iterator[str]:
    """Yield distances that differ from the shortest path by more than rounding, least first."""
    number = row.dist.dtype.type
    odd = np.concatenate((paths.too_great(), paths.too_small(), paths.left_out()))
    for v in odd[np.argsort(paths.length[odd], kind="stable")]:
        length = paths.length[v]
        there = "no path leads to it" if length == np.inf else f"a shortest path to it has length {number(length)}"
        yield f"vertex {_name(row, v)} has {_value(row, v)}, but {there}, and rounding makes no such difference"
    for indices, tails, heads, sums in paths.leaving():
        for i in np.argsort(sums, kind="stable")[:LIMIT]:
            arc, v = _arc(row, int(indices[i]), tails[i], heads[i]), heads[i]
            yield f"vertex {_name(row, v)} has {_value(row, v)}, but {arc} with {number(sums[i])}"


def _rounded_tree_problems(row: Row, pred: np.ndarray, paths: Paths) -> Iterator[str]:
    """Yield predecessors that are missing, superfluous, or whose path is not a shortest one."""
    n = len(row.dist)
    if pred.shape != (n,) or pred.dtype != np.int32 or ((pred < -1) | (pred >= n)).any():
        yield f"the {row.link}s must be {n} int32 numbers from -1 to {n - 1}"
        return
    # Rounding may decide whether another source reaches a source sooner than it starts: then it may be a root or not.
    begun = np.abs(np.where(row.reached, row.dist, np.inf) - paths.begin) <= paths.tolerance
    roots = np.where(paths.begin > 0, row.reached & begun & (pred < 0), row.starts)
    # A path may lead over vertices beyond the limit: by rounding, or because weights are negative.
    children = row.reached & ~roots
    needed = np.zeros(n, dtype=bool) if paths.unguided else children & ~paths.at_the_limit()
    for v in np.flatnonzero(needed & (pred < 0)):
        yield f"vertex {_name(row, v)} is reached, but has no {row.link}"
    for v in np.flatnonzero(~children & (pred >= 0)):
        what = "a source" if roots[v] else "unreached"
        yield f"vertex {_name(row, v)} is {what}, but has {row.link} {_name(row, pred[v])}: it should be -1"
    chained = np.flatnonzero(children & (pred >= 0))
    ended = reach(roots, pred[chained], chained)
    for v in chained[~ended[chained]]:
        yield f"vertex {_name(row, v)} has {row.link}s that never lead to a source"
    parent = np.where(ended & children & (pred >= 0), pred, np.arange(n, dtype=np.int32))
    length, hops = measure(parent, paths.weights_of(parent), paths.begin)
    longer = length > paths.length + paths.tolerance * max(1.0, (hops + 1) / (paths.hops + 1))
    for v in np.flatnonzero(longer & ended):
        found = f"the path over {row.link} {_name(row, pred[v])} has length {row.dist.dtype.type(length[v])}"
        yield f"vertex {_name(row, v)} has {_value(row, v)}, but {found}"


def _rounded_source_problems(row: Row, source: np.ndarray, paths: Paths) -> Iterator[str]:
    """Yield vertices whose nearest source is missing, superfluous or farther than another by more than rounding."""
    if source.shape != row.dist.shape or source.dtype != np.int32:
        yield f"the nearest sources must be {len(row.dist)} int32 numbers"
        return
    for v in np.flatnonzero(~row.reached & (source != -1)):
        yield f"vertex {_name(row, v)} is unreached, but has source {source[v]}: it should be -1"
    own = Paths(row, label=source)
    near = own.length <= paths.length + np.maximum(paths.tolerance, np.where(own.length < np.inf, own.tolerance, 0))
    if paths.unguided:  # the path from the nearest source may leave the limit; then no source is named
        near |= (source == -1) & ~row.starts
    bad = row.reached & ~near
    limit = bad & paths.at_the_limit()  # rounding may break the chain from the source there, but there is one
    bad &= ~(limit & ((source == -1) | _can_reach(row, np.where(limit, source, -1))))
    for v in np.flatnonzero(bad):
        yield f"vertex {_name(row, v)} has source {source[v]}, but {_no_path(row)}"


def _can_reach(row: Row, source: np.ndarray) -> np.ndarray:
    """Mark the vertices that some path from the source they name leads to, however long it is."""
    found = np.zeros(len(source), dtype=bool)
    if not len(named := np.intersect1d(source, row.seeds)):
        return found
    blocks = [(tails, heads) for _, tails, heads, _ in row.arcs] or [(source[:0], source[:0])]
    tails, heads = (np.concatenate(ends) for ends in zip(*blocks, strict=True))
    for s in named:
        found |= (source == s) & reach(np.arange(len(source)) == s, tails, heads)
    return found


def _name(row: Row, v: Any) -> str:
    """Return what the user calls a vertex."""
    return repr(row.graph.name(int(v)))


def _no_path(row: Row) -> str:
    """Return the end of a sentence about a vertex and a source that is not its nearest."""
    return "no shortest path from it ends there" if row.arcs.backward else "no shortest path to it starts there"


def _value(row: Row, v: Any) -> str:
    """Return a distance as text."""
    return str(row.dist[v]) if row.reached[v] else "no distance (unreached)"


def _arc(row: Row, e: int, u: Any, v: Any) -> str:
    """Return an arc that offers ``v`` a distance as text: its index, its ends in the user's graph, its weight."""
    weight = 1 if row.graph.weight_dtype is None else row.graph.some_arcs(e, e + 1)["weight"][0]
    if row.arcs.backward:
        return f"arc {e} ({_name(row, v)} -> {_name(row, u)}, weight {weight}) leads on from it"
    return f"arc {e} ({_name(row, u)} -> {_name(row, v)}, weight {weight}) leads to it"
