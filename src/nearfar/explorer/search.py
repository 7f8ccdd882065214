"""Vertices by name: those that begin with a text, then those that hold it, whatever the case of letters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..graph.names import NumberNames

FOUND = 20  # names that a search returns
LONGEST = 100  # characters of a text


def find_names(graph: Graph, text: str) -> list[int]:
    """Return the first vertices whose names match a text.

    Examples
    --------
    >>> import nearfar
    >>> find_names(nearfar.Graph.from_arcs(["Ulm", "Bonn"], ["Bonn", "Neu-Ulm"], names=True), "ul")
    [0, 2]
    """
    wanted = " ".join(text[:LONGEST].split()).casefold()
    if not wanted or not graph.n:
        return []
    names = graph.names
    if names is None or isinstance(names, NumberNames):
        return _numbers(np.arange(graph.n) if names is None else names.array, wanted)
    listed = folded_names(graph)
    first = [v for v, name in enumerate(listed) if name.startswith(wanted)][:FOUND]
    inside: list[int] = []
    words = wanted.split()
    for v, name in enumerate(listed):
        if len(first) + len(inside) >= FOUND:
            break
        if not name.startswith(wanted) and all(word in name for word in words):
            inside.append(v)
    return first + inside


def folded_names(graph: Graph) -> list[str]:
    """Return all names in small letters, kept with the graph."""
    if "folded names" not in graph.memo:
        graph.memo["folded names"] = [" ".join(str(graph.name(v)).split()).casefold() for v in range(graph.n)]
    found: list[str] = graph.memo["folded names"]
    return found


def sorted_by_name(graph: Graph) -> np.ndarray:
    """Return the vertices in the order of their names, kept with the graph."""
    if "by name" not in graph.memo:
        names: Any = graph.names
        if names is None or isinstance(names, NumberNames):
            order = np.argsort(np.arange(graph.n) if names is None else names.array, kind="stable")
        else:
            folded = folded_names(graph)
            order = np.array(sorted(range(graph.n), key=folded.__getitem__), np.int64)
        graph.memo["by name"] = order
    found: np.ndarray = graph.memo["by name"]
    return found


def _numbers(ids: np.ndarray, wanted: str) -> list[int]:
    """Return the vertices whose numbers begin with some digits, the number itself first, then short ones."""
    digits = wanted.lstrip("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        return []
    value, sign = int(digits), -1 if wanted.startswith("-") else 1
    found: list[int] = []
    width = 1
    while len(found) < FOUND and value * width < 2**62:
        low, high = value * width, value * width + width - 1
        low, high = (low, high) if sign > 0 else (-high, -low)
        found += np.flatnonzero((ids >= low) & (ids <= high))[: FOUND - len(found)].tolist()
        if value == 0:
            break
        width *= 10
    return found
