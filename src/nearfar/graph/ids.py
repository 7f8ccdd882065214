"""Vertices as a table calls them: whole numbers or words in the columns of tails and heads.

The ids that occur are the vertices, and no others. Whole numbers are indexed in ascending order; they are names unless
they are 0 to n - 1. Words are names, indexed in order of appearance, row by row, the tail before the head. The readers
of files follow the same rule (formats/pieces.py, formats/text/words.py), block by block.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import GraphError, InputTypeError, OptionError
from .arrays import Array, check_lengths, shorten, take_array
from .names import NumberNames, index_ids

_RULE = "but vertices are whole numbers or words"


def index_ends(
    tails: Any, heads: Any, called: tuple[str, str] = ("tails", "heads")
) -> tuple[Array, Array, NumberNames | list[Any] | None, int]:
    """Give the ids in two columns their indices; return tails and heads as indices, the names, and their number.

    Examples
    --------
    >>> from nearfar.graph.ids import index_ends
    >>> index_ends(["b", "a"], ["a", "c"])
    (array([0, 1], dtype=int32), array([1, 2], dtype=int32), ['b', 'a', 'c'], 3)
    """
    first, second = take_ids(tails, called[0]), take_ids(heads, called[1])
    check_lengths(first, second)
    words = [ids.dtype.kind == "O" for ids in (first, second)]
    if first.size and any(words) and not all(words):
        raise InputTypeError(_capitalised(mixed(*(called[::-1] if words[0] else called))))
    if all(words):
        first, second, listed = appearance(first, second)
        return first, second, listed, len(listed)
    first, second, names = index_ids(first, second)
    n = len(names) if names is not None else int(max(first.max(initial=-1), second.max(initial=-1))) + 1
    return first, second, names, n


def refuse_size(n: Any, coordinates: Any) -> None:
    """Refuse what contradicts ``names=True``: a number of vertices, and coordinates by index."""
    if n is not None:
        raise OptionError(
            f"n is {shorten(n)}, but with names=True the vertices are the ids that occur. Leave n out; for vertices "
            f"without arcs give indices as tails and heads, and a list of all names."
        )
    if coordinates is not None and not isinstance(coordinates, Mapping):
        raise InputTypeError(
            f"coordinates are a {type(coordinates).__name__}, but with names=True the order of the vertices is found "
            f"only now. Give a dict from name to pair."
        )


def take_ids(values: Any, what: str) -> Array:
    """Return ids as a one-dimensional array, of integers within int64, or of objects that are words."""
    listed = isinstance(values, list | tuple)  # NumPy would turn [1, "a"] into words
    array = np.fromiter(values, object, len(values)) if listed else take_array(values, what)
    if array.size == 0:
        return array if array.dtype.kind in "iu" else np.empty(0, np.int64)
    if array.dtype.kind in "OUT":
        return _take_objects(array, what)
    if array.dtype.kind not in "iu":
        cures = {"S": "Decode them to str", "b": "Convert them to integers"}
        cure = cures.get(array.dtype.kind, "Convert them to integers or to strings")
        raise InputTypeError(
            f"{_capitalised(what)} holds {array.dtype} values (the first is {shorten(array[0].item())}), {_RULE}. "
            f"{cure}."
        )
    if array.dtype == np.uint64 and int(array.max()) >= 2**63:
        raise _too_large(what, int(array.max()))
    return array if array.dtype == np.int32 else array.astype(np.int64, copy=False)


def _take_objects(array: Array, what: str) -> Array:
    """Return Python ints as an array of ints, and words as an array of objects; refuse other types, and mixed ones."""
    listed = array.tolist()
    kinds = set(map(type, listed))
    if kinds <= {str}:
        return np.array(listed, object) if array.dtype.kind != "O" else array
    whole = [kinds == {int} or _is_whole(value) for value in listed]
    if all(whole):
        low, high = min(listed), max(listed)
        if low < -(2**63) or high >= 2**63:
            raise _too_large(what, int(high if high >= 2**63 else low))
        return np.array(listed, np.int64)
    odd = next((i for i, value in enumerate(listed) if not whole[i] and not isinstance(value, str)), None)
    if odd is not None:
        value = listed[odd]
        raise InputTypeError(
            f"{_capitalised(what)} holds {shorten(value)}, a {type(value).__name__}, in row {odd}, {_RULE}. "
            f"Convert them to integers or to strings."
        )
    if any(whole):
        raise InputTypeError(
            f"{_capitalised(what)} holds whole numbers and words ({shorten(listed[whole.index(True)])} and "
            f"{shorten(listed[whole.index(False)])}), but all must be whole numbers, or all words. "
            f"Convert them to strings."
        )
    return np.array([str(value) for value in listed], object)  # subclasses of str, such as NumPy's


def _is_whole(value: Any) -> bool:
    """Return whether a value is an int, and no bool."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _too_large(what: str, found: int) -> GraphError:
    """Return the error for an id beyond int64."""
    return GraphError(f"{_capitalised(what)} holds {found}, but whole numbers end at 2**63 - 1. Convert it to words.")


def mixed(numbers: str, words: str) -> str:
    """Return the message for a column of whole numbers and one of words."""
    return (
        f"{numbers} holds whole numbers and {words} words, but both must be whole numbers, or both words. Convert one."
    )


def _capitalised(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]


def appearance(tails: Array, heads: Array) -> tuple[Array, Array, list[Any]]:
    """Replace the values of two columns by indices in order of appearance, row by row; return the values too."""
    m = len(tails)
    if tails.dtype.kind in "iu" and heads.dtype.kind in "iu":
        both = np.column_stack((tails, heads)).ravel()
        values, first, inverse = np.unique(both, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        indices = rank[inverse.ravel()]
        return indices[::2], indices[1::2], values[order].tolist()
    seen: dict[Any, int] = {}
    pairs = zip(tails.tolist(), heads.tolist(), strict=True)
    indices = np.fromiter((seen.setdefault(end, len(seen)) for pair in pairs for end in pair), np.int32, 2 * m)
    return indices[::2], indices[1::2], list(seen)
