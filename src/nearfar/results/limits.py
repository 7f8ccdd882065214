"""The limits of distances: the type that holds them, the ceiling a search stays below, and what counts as unreached.

Integers: the smallest type is tried first. A search refuses every sum that is not below its ceiling, so no sum ever
wraps. Whether a sum was refused because the type is too small can be seen afterwards, and then the next wider type is
tried. The choice depends only on the graph, the query and the exact distances, so it is the same for every method.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..errors import DistanceOverflowError, option
from ..graph import Graph

_INT32, _INT64, _FLOAT32, _FLOAT64 = map(np.dtype, ("int32", "int64", "float32", "float64"))


def choose_types(
    graph: Graph, wanted: np.dtype | None, negative: bool, starts: np.ndarray | None = None
) -> list[np.dtype]:
    """Return the distance types to try, in order: the smallest first, a wider one if a distance does not fit.

    With negative weights, partial sums may leave the range although the distances do not, so one type is chosen that
    holds the longest possible path. ``starts`` are the distances at which a row starts, None if they are all 0; every
    type must hold the greatest of them, and one arc more.
    """
    types, start = [wanted] if wanted is not None else _natural_types(graph, starts), greatest_of(starts)
    if not negative and starts is None:
        return types
    longest = start + (longest_path(graph) if negative else _heaviest(graph))
    able = [dtype for dtype in types if longest < type_end(dtype)]
    if not able:
        raise overflow(graph, types[-1], given=False, start=start)
    return able[:1] if negative else able


def fitting_types(graph: Graph, starts: np.ndarray | None = None) -> list[np.dtype]:
    """Return the distance types that can add the weights and the starting distances without loss, smallest first."""
    dtype = graph.weight_dtype
    if dtype is None or dtype.kind != "f":
        return [_FLOAT64] if starts is not None and starts.dtype.kind == "f" else [_INT32, _INT64, _FLOAT64]
    return [_FLOAT64] if dtype.itemsize == 8 else [_FLOAT32, _FLOAT64]


def _natural_types(graph: Graph, starts: np.ndarray | None) -> list[np.dtype]:
    """Return the types that an answer may have if the user did not choose one."""
    types = fitting_types(graph, starts)
    if graph.weight_dtype is None and starts is None:
        return types[:1]
    if types[0].kind == "f":
        return types
    return [dtype for dtype in types if dtype.kind == "i" and _heaviest(graph) < type_end(dtype)]


def _heaviest(graph: Graph) -> float:
    """Return the greatest absolute weight."""
    return max(abs(graph.min_weight), abs(graph.max_weight))


def longest_path(graph: Graph) -> float:
    """Return a bound on the absolute length of any path with up to three more arcs."""
    return _heaviest(graph) * (graph.n + 2)


def greatest_of(starts: np.ndarray | None) -> float:
    """Return the greatest starting distance; None stands for zeros."""
    return 0 if starts is None else starts.max().item()


@cache
def at_zero(dtype: np.dtype) -> np.ndarray:
    """Return the starting distance of a row from one source, in the type that sums are formed in."""
    return np.zeros(1, dtype if dtype.kind == "f" else np.int64)  # not read-only: another type for Numba


@cache
def unreached(dtype: np.dtype) -> Any:
    """Return the value that means "unreached" in a distance type: inf for floats, the greatest number for integers."""
    return dtype.type(np.inf if dtype.kind == "f" else np.iinfo(dtype).max)


@cache  # as quick queries ask for it several times
def type_end(dtype: np.dtype) -> Any:
    """Return the greatest number of a type."""
    return float(np.finfo(dtype).max) if dtype.kind == "f" else int(np.iinfo(dtype).max)


def in_type(dist: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return distances in another type that holds them, with its value for unreached; the same array if it has it."""
    if dist.dtype == dtype:
        return dist
    with np.errstate(over="ignore", invalid="ignore"):  # only the value for unreached may not fit, and is replaced
        return np.where(dist == unreached(dist.dtype), unreached(dtype), dist.astype(dtype))


def ceiling_and_zero(graph: Graph, cutoff: float | None, dtype: np.dtype) -> tuple[Any, Any]:
    """Return the least distance that counts as unreached, and zero in the type that sums are formed in.

    A cutoff lowers the ceiling, unless weights are negative: then a path may exceed the cutoff and come back.
    """
    if graph.min_weight < 0:
        cutoff = None
    if dtype.kind == "f":
        top = np.inf if cutoff is None else np.nextafter(as_type(cutoff, dtype), dtype.type(np.inf))
        return dtype.type(top), dtype.type(0)
    most = end_of(graph, dtype)
    return np.int64(most if cutoff is None else min(most, math.floor(cutoff) + 1)), np.int64(0)


def bounds(graph: Graph, cutoff: float | None, dtype: np.dtype) -> tuple[Any, Any, Any]:
    """Return the ceiling, zero and the floor of a search; a graph keeps those without a cutoff."""
    if cutoff is not None:
        return *ceiling_and_zero(graph, cutoff, dtype), floor_of(graph, dtype)
    kept: tuple[Any, Any, Any] | None = graph.memo.get(("bounds", dtype))
    if kept is None:
        kept = graph.memo["bounds", dtype] = (*ceiling_and_zero(graph, None, dtype), floor_of(graph, dtype))
    return kept


def as_type(cutoff: float, dtype: np.dtype) -> Any:
    """Return a cutoff in the type it is compared in: rounded for floats, rounded down and clipped for integers."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return dtype.type(cutoff)
    ends = np.iinfo(np.int64)
    return np.int64(ends.min if cutoff < ends.min else ends.max if cutoff > ends.max else math.floor(cutoff))


def floor_of(graph: Graph, dtype: np.dtype) -> Any:
    """Return a bound such that only walks around a negative cycle are shorter.

    Sums of floats are rounded: every addition may change a length by half a unit in the last place.
    """
    if graph.min_weight >= 0:
        return dtype.type(0) if dtype.kind == "f" else np.int64(0)
    longest = _heaviest(graph) * (graph.n + 1)
    if dtype.kind == "i":
        return np.int64(-longest)
    facts = np.finfo(dtype)
    return dtype.type(-min(longest * math.exp(min(graph.n * float(facts.eps), 64)), float(facts.max)))


def end_of(graph: Graph, dtype: np.dtype) -> Any:
    """Return the bound that the type itself sets on distances; for int64 low enough that sums cannot wrap."""
    room = int(_heaviest(graph)) if dtype == _INT64 else 0
    return type_end(dtype) - room


def finish_rows(
    graph: Graph, cutoff: float | None, targets: np.ndarray | None, ceiling: Any, rows: np.ndarray, *known: Any
) -> bool:
    """Finish several rows, which lie one after the other in memory, as `finish_row` does."""
    if targets is None:  # no row has a limit of its own
        return finish_row(graph, cutoff, None, ceiling, rows.reshape(-1), *known)
    return all(finish_row(graph, cutoff, targets, ceiling, row, *known) for row in rows)


def finish_row(
    graph: Graph,
    cutoff: float | None,
    targets: np.ndarray | None,
    ceiling: Any,
    row: np.ndarray,
    longest: float | None = None,
    start: float = 0,
) -> bool:
    """Mark vertices that are not reached or beyond the limits; return whether every distance fits the type.

    ``longest``: no distance from a source is longer, if that is known. ``start``: the greatest starting distance.

    If every target is reached, vertices beyond the farthest target are unreached. Without targets and cutoff, a sum
    beyond the end of the type was refused, and its vertex left unreached: if the greatest distance plus the heaviest
    weight is below that end, no sum was refused.
    """
    greatest, mark_unreached = _kernels()
    negative, dtype = graph.min_weight < 0, row.dtype
    scalar = dtype.type if dtype.kind == "f" else np.int64
    mark, end = scalar(unreached(dtype)), end_of(graph, dtype)
    limit, bounded = mark, bool(negative or ceiling < end)
    if targets is not None:
        farthest = row[targets[0]] if len(targets) == 1 else row[targets].max()
        if farthest < ceiling:
            limit, bounded = scalar(farthest), True
    if cutoff is not None and negative:
        limit = min(limit, as_type(cutoff, dtype))
    if ceiling != mark or limit != mark:
        mark_unreached(row, ceiling, limit, mark)
    if bounded or surely_fits(graph, dtype, longest, start):
        return True
    return _leaves_room(graph, greatest(row, dtype.type(mark), dtype.type(0)), dtype)


def _leaves_room(graph: Graph, most: Any, dtype: np.dtype) -> bool:
    """Tell whether the greatest distance plus the heaviest weight fits the type: then no sum was refused."""
    return bool(graph.max_weight + (float(most) if dtype.kind == "f" else int(most)) < end_of(graph, dtype))


class Ending(NamedTuple):
    """What a device needs to finish rows that stay there, as `finish_row` does for whole rows: no targets."""

    graph: Graph
    cutoff: float | None
    ceiling: Any
    dtype: np.dtype
    start: float  # the greatest starting distance

    @property
    def limit(self) -> Any:
        """The distance beyond which vertices are marked, in the type of the distances.

        That is a cutoff where a path may exceed it and come back; where none can, the cutoff lowers the ceiling.
        """
        if self.cutoff is None or self.graph.min_weight >= 0:
            return unreached(self.dtype)
        limit = min(unreached(self.dtype), as_type(self.cutoff, self.dtype))
        if self.dtype.kind == "f":
            return self.dtype.type(limit) + self.dtype.type(0)  # no -0.0: a device compares bits
        return self.dtype.type(max(limit, np.iinfo(self.dtype).min))

    def must_look(self, longest: float | None) -> bool:
        """Tell whether the greatest distance decides whether every distance fits; ``longest`` as in `finish_row`."""
        bounded = self.graph.min_weight < 0 or self.ceiling < end_of(self.graph, self.dtype)
        return not (bounded or surely_fits(self.graph, self.dtype, longest, self.start))

    def fits(self, most: Any) -> bool:
        """Tell whether every distance fits the type, given the greatest."""
        return _leaves_room(self.graph, most, self.dtype)


def are_finished(
    graph: Graph,
    cutoff: float | None,
    targets: np.ndarray | None,
    ceiling: Any,
    dtype: np.dtype,
    longest: float | None,
    marked: bool,
    start: float = 0,
) -> bool:
    """Tell whether `finish_row` has nothing to do for any row; ``marked``: what is unreached has its mark already."""
    negative = graph.min_weight < 0
    if targets is not None or (cutoff is not None and negative) or not (marked or ceiling == unreached(dtype)):
        return False
    return bool(negative or ceiling < end_of(graph, dtype)) or surely_fits(graph, dtype, longest, start)


@cache  # an import statement takes a microsecond, each time
def _kernels() -> tuple[Any, Any]:
    """Load the kernels that finish rows."""
    from ..kernels.cpu.rows import greatest, mark_unreached

    return greatest, mark_unreached


def surely_fits(graph: Graph, dtype: np.dtype, longest: float | None, start: float = 0) -> bool:
    """Tell whether no distance can exceed the type; ``longest`` and ``start`` as in `finish_row`."""
    most = (
        graph.max_weight * graph.n if longest is None else min(longest + graph.max_weight, graph.max_weight * graph.n)
    )
    return bool(start + most < end_of(graph, dtype))


def too_heavy(graph: Graph, dtype: np.dtype) -> DistanceOverflowError:
    """Return the error for a distance that no type holds, where the caller takes neither a type nor a cutoff."""
    return DistanceOverflowError(
        f"a distance may exceed {dtype.name}: the heaviest arc weighs {graph.max_weight}. "
        "Use a coarser unit, or float64 weights."
    )


def overflow(graph: Graph, dtype: np.dtype, given: bool, start: float = 0) -> DistanceOverflowError:
    """Return the error for a distance that no type tried can hold; ``given``: the type is that of the user's array.

    ``start`` is the greatest starting distance.
    """
    wider = {"int32": "int64", "int64": "float64", "float32": "float64"}.get(dtype.name)
    way_out = "smaller weights"
    if wider:
        way_out = f"an out of type {wider!r}" if given else option("dtype", wider)
    begin = f"a path starts at {start}, " if start else ""
    return DistanceOverflowError(
        f"a distance may exceed {dtype.name}: {begin}the heaviest arc weighs {graph.max_weight} and paths have up to "
        f"{graph.n - 1:,} arcs. Use {way_out}{'' if start else ', or a cutoff'}."
    )
