"""What the rows and columns of a stored matrix are called: as coordinates that any reader of Zarr has, and back.

Numbers and words are stored as they are. Cells of a raster are stored as the index of the vertex, with their two
numbers beside it. Names of other types are stored as words; to find them again takes the graph.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import OptionError, VertexError
from ...graph.arrays import shorten
from ...graph.cells import CellNames
from ...graph.names import NumberNames
from ...results.lookup import names_of

if TYPE_CHECKING:
    from ...graph import Graph

INDEX, NUMBER, WORD, CELL, OTHER = "index", "number", "word", "cell", "other"
LEAST = 2**63  # below which whole numbers are stored as such


def kind_of(graph: Graph) -> str:
    """Return how the names of a graph are stored."""
    if graph.names is None:
        return INDEX
    if isinstance(graph.names, CellNames):
        return CELL
    if isinstance(graph.names, NumberNames) or all(
        type(name) is int and -LEAST <= name < LEAST for name in graph.names
    ):
        return NUMBER
    return WORD if all(type(name) is str for name in graph.names) else OTHER


def coordinates_of(graph: Graph, kind: str, role: str, indices: np.ndarray) -> dict[str, Any]:
    """Return the coordinates of some vertices, by name: arrays of whole numbers, or lists of words."""
    if kind == INDEX:
        return {role: indices.astype(np.int64)}
    if kind == NUMBER:
        return {role: np.asarray(names_of(graph, indices), np.int64), f"{role}_index": indices.astype(np.int64)}
    if kind == CELL:
        assert isinstance(graph.names, CellNames)
        pairs = graph.names.take(indices).astype(np.int64)
        first, second = ("x", "y") if graph.names.xy else ("row", "column")
        return {role: indices.astype(np.int64), f"{role}_{first}": pairs[:, 0], f"{role}_{second}": pairs[:, 1]}
    assert graph.names is not None
    words = [str(graph.names[v]) for v in indices.tolist()]
    for word in words:
        _require_unicode(word)
    return {role: words, f"{role}_index": indices.astype(np.int64)}


def _require_unicode(word: str) -> None:
    """Refuse a name that no file can hold."""
    try:
        word.encode()
    except UnicodeEncodeError:
        raise OptionError(
            f"the vertex {shorten(word)} cannot be stored: its name has a half of a character of UTF-16. Name it by "
            "characters of Unicode."
        ) from None


@dataclass
class Labels:
    """The names of the rows, or of the columns, of a stored matrix.

    Attributes
    ----------
    role : str
        "source" or "target".
    kind : str
        How names are stored.
    indices : int64 array
        The vertex of each row or column.
    values : array or list
        Their names; of cells an array with two columns.
    """

    role: str
    kind: str
    indices: np.ndarray
    values: Any
    _found: dict[Any, int] = field(default_factory=dict, repr=False)

    def names(self, positions: Any = slice(None)) -> Any:
        """Return the names at some positions, as queries take them: an array of whole numbers, or a list."""
        if self.kind == CELL:
            return [(int(a), int(b)) for a, b in self.values[positions]]
        if isinstance(self.values, np.ndarray):
            return self.values[positions]
        if isinstance(positions, slice):
            return self.values[positions]
        return [self.values[i] for i in positions]

    def find(self, name: Hashable, graph: Graph | None = None) -> int:
        """Return the first position of a vertex; ``graph`` tells names that are neither numbers nor words."""
        found: int | None
        if graph is not None:
            found = self._at_vertex(graph.index(name, self.role))
        elif self.kind == OTHER:
            raise OptionError(
                f"the names of this matrix are neither numbers nor words nor cells. Open it with the graph, as in "
                f"open_matrix(path, graph), to look up {shorten(name)}."
            )
        else:
            found = self._positions.get(_plain(name))
        if found is None:
            raise VertexError(f"{shorten(name)} is no {self.role} of this matrix, which has {self._examples()}.")
        return found

    def _at_vertex(self, v: int) -> int | None:
        """Return the first position of a vertex, given by index."""
        if len(self.indices) > v and self.indices[v] == v:
            return v
        found = np.flatnonzero(self.indices == v)
        return int(found[0]) if len(found) else None

    @property
    def _positions(self) -> dict[Any, int]:
        """The first position of each name."""
        if not self._found and len(self.indices):
            values = self.names()
            listed = values.tolist() if isinstance(values, np.ndarray) else values
            self._found.update(zip(reversed(listed), range(len(listed) - 1, -1, -1), strict=True))
        return self._found

    def _examples(self) -> str:
        """Return how many there are, and the first and the last."""
        if not len(self.indices):
            return f"no {self.role}s"
        ends = self.names([0, len(self.indices) - 1])
        first, last = ends.tolist() if isinstance(ends, np.ndarray) else ends
        return f"{len(self.indices):,} {self.role}s, {first!r} to {last!r}"


def _plain(name: Hashable) -> Any:
    """Return a name as dictionaries know it: numbers of NumPy are hashed like Python's; a list may be a cell."""
    return tuple(name) if isinstance(name, list) else name
