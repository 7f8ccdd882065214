"""Checks of what callers pass to `Graph`: it becomes arrays that the rest of the package can trust, or an error.

Nothing here copies a good array: integer and float arrays of any width, stride and byte order pass as they are, and
rows.py converts them block by block while it builds the graph. Every error states the value found, the rule it breaks
and the way out.
"""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..devices import cpu
from ..errors import GraphError, InputTypeError

FEW_VERTICES = 10**6  # up to here nobody minds vertices without arcs
PART = 1 << 18  # entries that a thread looks at twice while they are in its cache
FEW_PARTS = 32  # up to 8 M entries, which fit a cache, NumPy is done before threads have started
MAX_VERTICES = 2**31 - 1  # vertex indices are int32 everywhere; -1 is free as a sentinel

Array = npt.NDArray[Any]

_HOST_MEMORY = (1, 3, 11, 13)  # DLPack's numbers for plain, pinned (CUDA, ROCm) and managed memory
_INT32_MAX = 2**31 - 1
_INT64_MAX = 2**63 - 1


class Weights(NamedTuple):
    """Checked weights: the values as given, the type to store them in, and whether some of them are inf."""

    values: Array
    dtype: np.dtype[Any]
    drops: bool


def take_array(values: Any, what: str) -> Array:
    """Return ``values`` as a one-dimensional array of numbers, not copied if it is one already."""
    _refuse_hidden(values, what)
    try:
        array = np.asarray(on_host(values))
    except ValueError as error:  # NumPy's answer to lists of different lengths inside a list
        raise GraphError(f"{what} is ragged ({error}). Give a flat list with one entry per arc.") from None
    except (BufferError, RuntimeError, TypeError) as error:  # such as a tensor of PyTorch that records gradients
        raise InputTypeError(
            f"{what} is a {type(values).__name__}, which does not become an array of NumPy "
            f"({shorten(str(error), 200)}). Convert it first."
        ) from error
    if array.ndim == 0:
        raise InputTypeError(
            f"{what} is {shorten(values)}, a {type(values).__name__}, but a list or array is needed. "
            f"Give list(...) of it, or [...] around a single value."
        )
    if array.ndim != 1:
        raise GraphError(
            f"{what} has shape {array.shape}, but one dimension is needed. Pass its columns one by one, or .ravel() it."
        )
    return array


def on_host(values: Any) -> Any:
    """Return an array of another library as one that NumPy can read, copied if it is on a GPU; other values as given.

    CuPy's arrays refuse to become NumPy's silently, and an array that only speaks DLPack would become a single object.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.graph.arrays import on_host
    >>> class Exchanged:  # an array that only speaks DLPack
    ...     def __dlpack__(self, **wanted):
    ...         return np.arange(3).__dlpack__(**wanted)
    ...     def __dlpack_device__(self):
    ...         return np.arange(3).__dlpack_device__()
    >>> on_host(Exchanged())
    array([0, 1, 2])
    """
    if isinstance(values, np.ndarray | list | tuple):
        return values
    if hasattr(values, "__cuda_array_interface__") or _is_on_device(values):
        for method in ("get", "copy_to_host", "cpu"):  # of CuPy, Numba, PyTorch
            if callable(getattr(values, method, None)):
                return getattr(values, method)()
        return np.from_dlpack(values, device="cpu")
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        return np.from_dlpack(values)
    return values


def _is_on_device(values: Any) -> bool:
    """Tell whether an array that speaks DLPack is in memory that the CPU does not reach."""
    ask = getattr(values, "__dlpack_device__", None)
    try:
        return callable(ask) and int(ask()[0]) not in _HOST_MEMORY
    except (BufferError, TypeError):  # older pyarrow says where numbers are, but not where words are
        return False


def check_lengths(tails: Array, heads: Array) -> None:
    """Refuse tails and heads that do not pair up."""
    if len(tails) != len(heads):
        raise GraphError(
            f"Lengths disagree: tails has {len(tails)} entries, heads has {len(heads)}. Arc i needs one in each."
        )


def _refuse_hidden(values: Any, what: str) -> None:
    """Refuse what NumPy would convert silently: masked entries, and bools among numbers."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InputTypeError(
            f"{what} is a masked array with {int(values.mask.sum())} masked entries, but arcs have no gaps. "
            f"Leave those arcs out with .compressed(), or use .filled(...)."
        )
    if isinstance(values, list | tuple) and bool in set(map(type, values)):
        where = next(i for i, value in enumerate(values) if type(value) is bool)
        raise InputTypeError(f"{what}[{where}] is {values[where]}, a bool, but numbers are needed. Write 0 or 1.")


def shorten(value: Any, limit: int = 60) -> str:
    """Return repr(value), cut to fit a message."""
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def take_vertices(values: Any, what: str) -> Array:
    """Return ``values`` as a one-dimensional integer array of any width; floats and bools are refused."""
    array = take_array(values, what)
    if array.dtype.kind in "iu":
        return array
    if array.size == 0:
        return np.empty(0, np.int32)
    if array.dtype.kind == "O":
        return _take_objects(array, (int, np.integer), "whole numbers counted from 0", lambda i: f"{what}[{i}]")
    cures = {"f": "Convert with .astype(int) if every value is whole", "b": "For a mask, give np.flatnonzero(mask)"}
    cure = cures.get(array.dtype.kind, "For vertices that have names use names=True, or Graph.from_frame")
    raise InputTypeError(
        f"{what} holds {array.dtype} values (the first is {shorten(array[0].item())}), but vertices are whole numbers "
        f"counted from 0. {cure}."
    )


def _take_objects(array: Array, kinds: tuple[type, ...], rule: str, name: Callable[[int], str]) -> Array:
    """Convert an array of Python numbers; refuse the first entry that is not one of ``kinds``."""
    for i, value in enumerate(array):
        if not isinstance(value, kinds) or isinstance(value, bool | np.bool_):
            raise InputTypeError(
                f"{name(i)} is {shorten(value)}, a {type(value).__name__}, but the values must be {rule}. "
                f"Convert it, or leave that arc out."
            )
        if isinstance(value, int) and abs(value) > _INT64_MAX:
            raise GraphError(f"{name(i)} is {value}, but whole numbers end at 2**63 - 1. Use floats or a coarser unit.")
    return np.array(array.tolist())


def check_vertices(array: Array, n: int, what: str, cure: str = "Give n={} or more, or correct the entry.") -> None:
    """Refuse a vertex array with an entry outside 0 to n - 1; ``{}`` in ``cure`` is the least n that would do."""
    if array.size == 0:
        return
    low, high = extremes(array)
    if low >= 0 and high < n:
        return
    where = int(np.flatnonzero((array < 0) | (array >= n))[0])
    found = int(array[where])
    cure = "Vertices count from 0." if found < 0 else cure.format(found + 1)
    span = f"the graph has {n} vertices, 0 to {n - 1}" if n else "the graph has no vertices"
    raise GraphError(f"{what}[{where}] is {found}, but {span}. {cure}")


def extremes(array: Array) -> tuple[Any, Any]:
    """Return the least and the greatest entry, NaN if there is one; of a large array on all threads."""
    parts = -(-len(array) // PART)
    if parts <= FEW_PARTS:
        return array.min(), array.max()
    lows, highs = np.empty((2, parts), array.dtype)

    def do(p: int) -> None:
        part = array[p * PART : (p + 1) * PART]
        lows[p], highs[p] = part.min(), part.max()

    cpu.share_out(lambda: do, parts, cpu.facts().cores, np.zeros(1, np.int64))
    return lows.min(), highs.max()


def take_size(n: Any) -> int:
    """Return the number of vertices as a Python int."""
    try:
        if isinstance(n, bool | np.bool_):
            raise TypeError
        size = operator.index(n)
    except TypeError:
        raise InputTypeError(
            f"n is {shorten(n)}, a {type(n).__name__}, but the number of vertices is an int. Give int(n), or omit it."
        ) from None
    if not 0 <= size <= MAX_VERTICES:
        raise GraphError(f"n is {size}, but a graph has 0 to 2**31 - 1 vertices. Split it, or renumber the vertices.")
    return size


def choose_size(tails: Array, heads: Array, n: Any, names: Any, coordinates: Any) -> int:
    """Return n if it is given, else the number of names or coordinates, else one more than the largest vertex."""
    if n is not None:
        return take_size(n)
    for labels in (names, coordinates):
        if hasattr(labels, "__len__"):
            return take_size(len(labels))
    largest = max((int(extremes(array)[1]) for array in (tails, heads) if array.size), default=-1)
    if largest >= MAX_VERTICES:
        raise GraphError(
            f"The largest vertex is {largest}, but vertices end at 2**31 - 2. Renumber them from 0; "
            f"names=True takes such numbers as names, and so does Graph.from_frame."
        )
    if largest > FEW_VERTICES and largest > 1000 * len(tails):
        raise GraphError(
            f"The largest vertex is {largest} in {len(tails)} arcs, but tails and heads are indices: there would be "
            f"{largest + 1} vertices. Give names=True if these are ids, or n={largest + 1} if so many are meant."
        )
    return max(largest, -1) + 1


def take_weights(values: Any, m: int, name: Callable[[int], str], unit: str = "arc") -> Weights | None:
    """Check the weights of m arcs (or rows: ``unit``), choose their type; ``name(i)`` describes one in an error."""
    if values is None:
        return None
    array = take_array(_numbers_or_objects(values), "weights")
    if len(array) != m:
        raise GraphError(
            f"Lengths disagree: {m} {unit}s, but weights has {len(array)} entries. Give each {unit} one weight."
        )
    if array.dtype.kind == "O" and array.size:
        kinds = (int, float, np.integer, np.floating)
        array = _take_objects(array, kinds, "numbers", lambda i: f"The weight of {name(i)}")
    check_weight_type(array.dtype)
    if array.size == 0:
        return Weights(array, storage_type(array.dtype, 0, 0), False)
    low, high = extremes(array)
    if array.dtype.kind == "f" and not low > -np.inf:  # also true of NaN, which min() passes on
        where = int(np.flatnonzero(np.isnan(array) | (array == -np.inf))[0])
        raise GraphError(bad_weight(name(where), float(array[where])))
    if array.dtype.kind == "f" and not isinstance(values, np.ndarray):
        _refuse_rounding(values, max(-float(low), float(high)))
    return Weights(array, storage_type(array.dtype, low, high), array.dtype.kind == "f" and bool(high == np.inf))


def _numbers_or_objects(values: Any) -> Any:
    """Return a list of numbers and other things as an array of objects, so that the first of these can be named.

    NumPy would make words of all entries if one is a word, and refuse a list in a list without saying where it is.
    """
    kinds = set(map(type, values)) if isinstance(values, list | tuple) else set()
    if np.uint64 in kinds and bool not in kinds and all(issubclass(kind, int | np.integer) for kind in kinds):
        return [int(value) for value in values]  # else uint64 beside signed integers would become floats
    if len(kinds) > 1 and kinds & {str, list, tuple, np.ndarray}:
        return np.fromiter(values, object, len(values))
    return values


def _refuse_rounding(values: Any, largest: float) -> None:
    """Refuse a list of ints so large that NumPy turned them into floats."""
    if 2.0**63 <= largest < np.inf and isinstance(values, list | tuple) and set(map(type, values)) == {int}:
        raise GraphError(f"weights reach {largest:.6g}, but whole numbers end at 2**63 - 1. Use a coarser unit.")


def bad_weight(arc: str, weight: float) -> str:
    """Return the message for a weight of NaN or -inf."""
    return (
        f"{arc} has weight {weight}, but weights must be numbers or inf (no arc). "
        f"Leave the arc out, or give it weight inf."
    )


def check_weight_type(dtype: np.dtype[Any]) -> None:
    """Refuse weight types that cannot be summed to distances."""
    if dtype.kind in "iu" or (dtype.kind == "f" and dtype.itemsize <= 8):
        return
    cures = {
        "b": "For hop counts leave the weights out; else use .astype(np.int32)",
        "f": "Use .astype(np.float64)",
        "c": "Use .real, or the modulus",
        "m": "Use .astype(np.int64) to count in their own unit",
        "M": "Use differences of times, as int64",
    }
    cure = cures.get(dtype.kind, "Convert them to numbers with .astype(float) or .astype(int)")
    raise InputTypeError(f"weights are {dtype}, but they must be integers or floats of at most 64 bits. {cure}.")


def storage_type(dtype: np.dtype[Any], low: Any, high: Any) -> np.dtype[Any]:
    """Return the narrowest of int32, int64, float32, float64 that stores these weights exactly."""
    if dtype.kind == "f":
        return np.dtype(np.float64 if dtype.itemsize == 8 else np.float32)
    largest = max(-int(low), int(high))
    if largest > _INT64_MAX:
        found = int(high) if int(high) == largest else int(low)
        raise GraphError(f"A weight is {found}, but whole numbers end at 2**63 - 1. Use floats or a coarser unit.")
    return np.dtype(np.int32 if largest <= _INT32_MAX else np.int64)


def take_flag(value: Any, what: str) -> bool:
    """Return a bool; refuse anything else, since "no" would count as true."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InputTypeError(f"{what} is {shorten(value)}, a {type(value).__name__}, but must be True or False.")


def take_offsets(values: Any, heads: int) -> Array:
    """Return CSR offsets as an integer array that starts at 0, never decreases and ends at the number of heads."""
    offsets = take_vertices(values, "offsets")
    if len(offsets) == 0:
        raise GraphError("offsets is empty, but it needs n + 1 entries. A graph without vertices has offsets [0].")
    take_size(len(offsets) - 1)
    if offsets[0] != 0:
        raise GraphError(f"offsets[0] is {offsets[0]}, but the first row starts at 0. Subtract {offsets[0]} from all.")
    falls = np.flatnonzero(offsets[1:] < offsets[:-1])
    if len(falls):
        v = int(falls[0])
        raise GraphError(
            f"offsets fall from {offsets[v]} to {offsets[v + 1]} at entry {v + 1}, but row {v} cannot end before it "
            f"starts. Use from_arcs(tails, heads) if the arcs are not in rows."
        )
    if offsets[-1] != heads:
        raise GraphError(
            f"offsets end at {offsets[-1]}, but there are {heads} heads. The last offset is the number of arcs."
        )
    return offsets


def take_coordinates(values: Any, n: int, names: Sequence[Hashable] | None) -> Array | None:
    """Return an (n, 2) float64 copy of the coordinates, given as rows or as a dict from vertex to pair."""
    if values is None:
        return None
    if isinstance(values, Mapping):
        values = _rows_of(values, range(n) if names is None else names)
    try:
        array = np.array(on_host(values), np.float64)
    except (TypeError, ValueError):
        raise InputTypeError("coordinates are not numbers. Give n pairs (x, y), or (longitude, latitude).") from None
    if array.size == 0 and n == 0:
        array = array.reshape(0, 2)
    if array.shape != (n, 2):
        raise GraphError(f"coordinates have shape {array.shape}, but {(n, 2)} is needed. Give one pair per vertex.")
    if not np.isfinite(array).all():
        v = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise GraphError(f"coordinates of vertex {v} are {tuple(array[v].tolist())}, but must be finite. Correct them.")
    return array


def points_of(xs: Sequence[Any], ys: Sequence[Any]) -> Array | None:
    """Return x and y of vertices as pairs, or None unless all are finite numbers: they may be something else."""
    if not all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in chain(xs, ys)):
        return None
    pairs = np.array([xs, ys], np.float64).T
    return pairs if len(pairs) and np.isfinite(pairs).all() else None


def _rows_of(pairs: Mapping[Any, Any], vertices: Sequence[Hashable]) -> list[Any]:
    """Put a dict of coordinates into vertex order."""
    lost = [vertex for vertex in vertices if vertex not in pairs]
    if lost:
        raise GraphError(
            f"coordinates lack vertex {lost[0]!r} ({len(lost)} missing), but every vertex needs a pair. "
            f"Add them, or leave coordinates out."
        )
    return [pairs[vertex] for vertex in vertices]
