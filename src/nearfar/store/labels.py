"""What files call vertices: whole numbers where all names are such, else text. Cells and other tuples are text, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph.cells import CellNames
from ..graph.names import NumberNames
from ..graph.tables import Named

if TYPE_CHECKING:
    from ..graph import Graph


def vertices_of(graph: Graph) -> np.ndarray:
    """Return the names of the vertices as an array of integers, or of pairs or words if not all are integers."""
    if isinstance(graph.names, CellNames):
        return graph.names.take(np.arange(graph.n))
    labels = labels_of(graph)
    if labels is None:
        return np.arange(graph.n)
    return labels if labels.dtype.kind == "i" else labels.astype(np.str_)


def labels_of(graph: Graph) -> np.ndarray | None:
    """Return the names of the vertices: int64, or strings as objects; None if they have no names but indices."""
    return None if graph.names is None else _listed(graph.names)


def _listed(names: Sequence[Any]) -> np.ndarray:
    """Return all names: int64, or strings as objects."""
    if isinstance(names, NumberNames):
        return np.asarray(names.array, np.int64)
    if all(type(name) is int and -(2**63) <= name < 2**63 for name in names):
        return np.fromiter(names, np.int64, len(names))
    return np.fromiter(map(str, names), object, len(names))


def bytes_of_labels(names: Sequence[Any] | None) -> int:
    """Return what the labels of all vertices take beside their names, about."""
    is_arithmetic = names is None or isinstance(names, CellNames | NumberNames)
    return 0 if is_arithmetic else LABEL_BYTES * len(names or ())


LABEL_BYTES = 64  # a word and its reference; of names that are words, only the latter


class Labels:
    """Calls vertices by their labels; those of all vertices are made once, but for cells, of which there may be many.

    Parameters
    ----------
    write : function
        Returns a word as it is written.
    """

    def __init__(self, write: Callable[[str], str]) -> None:
        self.write = write
        self._made: dict[int, tuple[Any, np.ndarray]] = {}  # by the id of a sequence of names, which is kept, too

    def are_words(self, names: Sequence[Any] | None) -> bool:
        """Tell whether vertices are called by words."""
        if names is None or isinstance(names, NumberNames | CellNames):
            return isinstance(names, CellNames)
        return self._all(names).dtype.kind == "O"

    def take(self, column: Named) -> np.ndarray:
        """Return the labels of some vertices: integers, or words as objects."""
        names = column.names
        if names is None:
            return column.at.astype(np.int32, copy=False)
        if isinstance(names, NumberNames):
            return names.take(column.at)
        if isinstance(names, CellNames):
            pairs = map(tuple, names.take(column.at).tolist())
            return np.fromiter((self.write(str(pair)) for pair in pairs), object, len(column.at))
        return self._all(names)[column.at]

    def _all(self, names: Sequence[Any]) -> np.ndarray:
        """Return the labels of all vertices."""
        if id(names) not in self._made:
            labels = _listed(names)
            if labels.dtype.kind == "O" and self.write is not str:
                labels = np.fromiter(map(self.write, labels), object, len(labels))
            self._made[id(names)] = names, labels
        return self._made[id(names)][1]


def quoted(name: Any) -> str:
    """Return a word as a field of a csv file, in quotes if necessary.

    Examples
    --------
    >>> print(quoted("Ulm"), quoted("Ulm, old"))
    Ulm "Ulm, old"
    """
    word = str(name)
    return '"' + word.replace('"', '""') + '"' if any(mark in word for mark in ',"\r\n') else word
