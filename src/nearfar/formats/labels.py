"""The names of vertices as columns of files: all whole numbers or all words."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..errors import NearfarError
from ..graph import Graph
from ..graph.arrays import Array, shorten
from ..graph.names import NumberNames

INT64 = range(-(2**63), 2**63)


class Writable(Protocol):
    """What is written, a file or a folder, as messages call it."""

    def error(self, what: str, /) -> NearfarError:
        """Return the error for it."""


def name_column(graph: Graph, sink: Writable) -> Array | list[str] | None:
    """Return the names as an int64 array or a list of str; None in a graph without names."""
    names = graph.names
    if names is None:
        return None
    if isinstance(names, NumberNames):
        return names.array
    listed: list[Any] = list(names)
    if listed and set(map(type, listed)) == {int} and min(listed) in INT64 and max(listed) in INT64:
        return np.array(listed, np.int64)
    odd = next((name for name in listed if type(name) is not str), "")
    if odd != "":
        raise sink.error(
            f"vertex {shorten(odd)} has a {type(odd).__name__} as its name, but this format keeps names that are all "
            f"str, or all int of 64 bits. Build the graph with names=[str(name) for name in graph.names]."
        )
    try:
        "".join(listed).encode()
    except UnicodeEncodeError as error:  # half of a pair of surrogates
        bad = shorten(error.object[error.start : error.end])
        raise sink.error(f"the name {bad} is no valid text. Rename the vertex.") from None
    return listed


def whole_numbers(words: list[str]) -> Array | None:
    """Return words as int64 if all are whole numbers in their shortest form, else None."""
    if not words or not all(word.removeprefix("-").isdecimal() and word.isascii() for word in words):
        return None
    if max(map(len, words)) > 20:
        return None
    numbers = list(map(int, words))
    if min(numbers) not in INT64 or max(numbers) not in INT64 or list(map(str, numbers)) != words:
        return None
    return np.array(numbers, np.int64)
