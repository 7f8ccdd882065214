"""What a user calls a vertex, and its index.

Without names a vertex is called by its index, 0 to n - 1. With names it is always called by its name, never by its
index, so that nobody uses vertex 0 by accident in a graph whose names are 10, 20, 30.
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Hashable, Iterable
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from ..errors import GraphError, InputTypeError, VertexError, in_python
from .arrays import Array, on_host, shorten
from .cells import CellNames
from .names import NumberNames

_WHOLE = re.compile(r"-?[0-9]{1,20}")
_SUGGEST_UP_TO = 20_000  # names: comparing a word with this many takes about 0.1 s


class Vertices:
    """The vertices of one graph: how many, and their names if they have any."""

    __slots__ = ("index_of", "n", "names")

    def __init__(self, n: int, names: Any = None) -> None:
        self.n = n
        self.names: tuple[Hashable, ...] | NumberNames | CellNames | None = (
            None if names is None else _take_names(names, n)
        )
        self.index_of: dict[Hashable, int] | NumberNames | CellNames | None = (
            _index(self.names) if isinstance(self.names, tuple) else self.names
        )

    def name(self, v: int) -> Any:
        """Return what the user calls the vertex with index ``v``."""
        if self.names is None:
            return self._check(v, "vertex index")
        index = -1 if isinstance(v, bool | np.bool_) or not hasattr(v, "__index__") else operator.index(v)
        if not 0 <= index < self.n:
            raise VertexError(
                f"vertex index {shorten(v)} does not exist: indices are 0 to {self.n - 1}. graph.index takes names."
            )
        return self.names[index]

    def arc_name(self, e: int, u: int, v: int) -> str:
        """Return what to call arc ``e``, from index u to index v, in a message."""
        tail, head = (u, v) if self.names is None else (shorten(self.names[u]), shorten(self.names[v]))
        return f"arc {e} ({tail} -> {head})"

    def index(self, vertex: Any, role: str = "vertex") -> int:
        """Return the index of ``vertex``; ``role`` describes it in errors."""
        if self.index_of is None:
            return self._check(vertex, role)
        try:
            found = self.index_of.get(vertex)
        except TypeError:
            raise InputTypeError(
                f"{role} is {shorten(vertex)}, a {type(vertex).__name__}, which cannot be a name (not hashable). "
                f"Give one name; several go in a list where a list is taken."
            ) from None
        if found is None and isinstance(self.names, CellNames):
            raise self.names.error(vertex, role)
        if found is None:
            raise VertexError(f"{role} {shorten(vertex)} is not a vertex: {self._span()}.{self._suggest(vertex)}")
        self._refuse_kin(vertex, found, role)
        return found

    def indices(self, vertices: Any, role: str = "vertex") -> Array:
        """Return the indices of several vertices as int32, in their order; those of a set in ascending order."""
        vertices = _unwrapped(on_host(vertices))
        if isinstance(vertices, str | bytes) or not isinstance(vertices, Iterable):
            raise InputTypeError(
                f"{role} {shorten(vertices)} is a single {type(vertices).__name__}, but several vertices are needed. "
                f"Put it in a list: [{shorten(vertices)}]."
            )
        if isinstance(vertices, AbstractSet):
            return np.sort(self._indices_of(list(vertices), role))
        return self._indices_of(vertices, role)

    def _indices_of(self, vertices: Any, role: str) -> Array:
        """Convert a whole integer array at once if vertices are called by numbers, and one by one otherwise."""
        if isinstance(vertices, range):
            vertices = np.arange(vertices.start, vertices.stop, vertices.step)
        listed = vertices if hasattr(vertices, "dtype") or isinstance(vertices, list | tuple) else list(vertices)
        if isinstance(self.index_of, CellNames):
            return self._cell_indices(listed, self.index_of, role)
        if self.index_of is None and hasattr(listed, "dtype"):
            return self._check_array(np.asarray(listed), role)
        if isinstance(listed, np.ndarray):
            if listed.ndim != 1:
                raise _not_flat(listed, role)
            if isinstance(self.index_of, NumberNames) and listed.dtype.kind in "iu":
                return self._find(listed, self.index_of, role)
            listed = listed.tolist()
        try:
            return np.array([self.index(vertex, role) for vertex in listed], np.int32)
        except VertexError as error:
            if isinstance(vertices, tuple) and self.index_of is not None and _is_key(vertices, self.index_of):
                name = shorten(vertices)
                raise VertexError(f"{error.marked} {name} is itself a vertex: write [{name}].") from None
            raise

    def _find(self, array: Array, names: NumberNames | CellNames, role: str) -> Array:
        """Return the indices of an array of names that are whole numbers, or of pairs of them."""
        indices, known = names.find(array)
        if not known.all():
            first = array[~known][0].tolist()
            self.index(tuple(first) if isinstance(first, list) else first, role)
        return indices.astype(np.int32)

    def _cell_indices(self, cells: Any, names: CellNames, role: str) -> Array:
        """Return the indices of cells: an array of shape (k, 2), or a list of pairs, which becomes one."""
        if names.is_one(cells):
            raise InputTypeError(f"{role} {cells!r} is a single cell, but several are needed. Write [{cells!r}].")
        array = names.as_array(cells) if isinstance(cells, list | tuple) else np.asarray(cells)
        if array is not None and array.dtype.kind in "iu" and array.ndim == 2 and array.shape[1] == 2:
            return self._find(array, names, role)
        if array is not None and array.ndim != 1 and array.size:
            raise InputTypeError(
                f"{role}s are {array.dtype} of shape {array.shape}, but cells are whole numbers {names.parts}. Give an "
                f"integer array of shape (k, 2), or a list of pairs."
            )
        return np.array([self.index(cell, role) for cell in cells], np.int32)

    def _check_array(self, array: Array, role: str) -> Array:
        """Return an array of vertex indices as int32, all in range."""
        if array.ndim != 1:
            raise _not_flat(array, role)
        if array.dtype.kind not in "iu" and array.size:
            if array.dtype.kind == "b":
                raise InputTypeError(f"{role}s are bools, but must be numbers. For a mask, give np.flatnonzero(mask).")
            return np.array([self.index(vertex, role) for vertex in array.tolist()], np.int32)
        if array.size and not (array.min() >= 0 and array.max() < self.n):
            self.index(int(array[(array < 0) | (array >= self.n)][0]), role)
        return array.astype(np.int32)

    def _check(self, vertex: Any, role: str) -> int:
        """Return a vertex index as an int in range."""
        try:
            if isinstance(vertex, bool | np.bool_):
                raise TypeError
            index = operator.index(vertex)
        except TypeError:
            raise InputTypeError(
                f"{role} is {shorten(vertex)}, a {type(vertex).__name__}, but vertices here are whole numbers: "
                f"{self._span()}. Give an int{_hint(vertex)}."
            ) from None
        if not 0 <= index < self.n:
            raise VertexError(f"{role} {index} is not a vertex: {self._span()}. Vertices count from 0.")
        return index

    def _refuse_kin(self, vertex: Any, index: int, role: str) -> None:
        """Refuse True or 2.0 for a vertex called 1 or 2: equal in Python, but rarely meant."""
        assert self.names is not None
        for kin in (bool | np.bool_, float | np.floating):
            if isinstance(vertex, kin) and not isinstance(self.names[index], kin):
                raise InputTypeError(
                    f"{role} is {vertex!r}, a {type(vertex).__name__}, but the vertex equal to it is called "
                    f"{self.names[index]!r}. Give the name itself."
                )

    def _span(self) -> str:
        """Return which vertices there are, for a message."""
        if self.n == 0:
            return "the graph has no vertices"
        if self.names is None:
            return (
                f"the graph has {self.n} vertices, 0 to {self.n - 1}" if self.n > 1 else "the graph has one vertex, 0"
            )
        if isinstance(self.names, CellNames):
            return self.names.span()
        if _counts(self.names):
            return f"the graph has {self.n} vertices, {self.names[0]} to {self.names[-1]}"
        return f"the graph has {self.n} named vertices, the first is {shorten(self.names[0])}"

    def _suggest(self, vertex: Any) -> str:
        """Return a hint at the name that was probably meant."""
        assert self.names is not None and self.index_of is not None
        if _counts(self.names) and not isinstance(vertex, str):
            return ""
        kin: list[Any] = [vertex.strip()] if isinstance(vertex, str) else [str(vertex)]
        if isinstance(vertex, str) and _WHOLE.fullmatch(vertex.strip()):
            kin.append(int(vertex))
        close = [name for name in kin if _is_key(name, self.index_of)]
        if not close and isinstance(vertex, str) and self.n <= _SUGGEST_UP_TO:
            words = {name.casefold(): name for name in self.names if isinstance(name, str)}
            close = [words[word] for word in difflib.get_close_matches(vertex.casefold(), words, n=1)]
        return f" Did you mean {close[0]!r}?" if close else in_python(" graph.names lists them.")


def _counts(names: Any) -> bool:
    """Tell whether the names are consecutive whole numbers, such as 1 to n."""
    return isinstance(names, NumberNames) and isinstance(names.ids, range) and names.ids.step == 1


def _is_key(name: Any, index_of: dict[Hashable, int] | NumberNames | CellNames) -> bool:
    """Tell whether ``name``, of any type, is a vertex."""
    try:
        return name in index_of
    except TypeError:
        return False


def _unwrapped(vertices: Any) -> Any:
    """Return a column of Arrow, or labels of xarray, with plain entries: iterated, they give objects of their own."""
    if hasattr(vertices, "to_pylist"):
        plain = np.asarray(vertices)
        return plain if plain.dtype.kind in "iu" else vertices.to_pylist()
    return np.asarray(vertices) if hasattr(vertices, "dims") else vertices


def _hint(vertex: Any) -> str:
    """Return the end of the advice on a vertex of the wrong type."""
    if isinstance(vertex, float) and vertex.is_integer():
        return f", {int(vertex)}"
    return "; this graph has no names" if isinstance(vertex, str) else ""


def _not_flat(array: Array, role: str) -> InputTypeError:
    """Return the error for an array of vertices that has several dimensions."""
    return InputTypeError(f"{role}s have shape {array.shape}, but one dimension is needed. Use .ravel().")


def _take_names(names: Any, n: int) -> tuple[Hashable, ...] | NumberNames | CellNames:
    """Return the names as a sequence of n entries; a range, an array of whole numbers or cells stay compact."""
    names = on_host(names)
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise InputTypeError(f"names is {shorten(names)}, a {type(names).__name__}, but a list of n names is needed.")
    compact = isinstance(names, range | NumberNames | CellNames) or (
        isinstance(names, np.ndarray) and names.ndim == 1 and names.dtype.kind == "i"
    )
    listed: Any = names if compact else tuple(names.tolist() if hasattr(names, "tolist") else names)
    if len(listed) != n:
        raise GraphError(f"There are {len(listed)} names for {n} vertices. Give each vertex one name, in order.")
    if compact:
        return listed if isinstance(listed, NumberNames | CellNames) else NumberNames(listed)
    return listed


def _index(names: tuple[Hashable, ...]) -> dict[Hashable, int]:
    """Return the index of each name; refuse names that cannot be looked up or occur twice."""
    try:
        index_of = {name: v for v, name in enumerate(names)}
    except TypeError:
        bad = next(v for v, name in enumerate(names) if not isinstance(name, Hashable) or _unhashable(name))
        raise InputTypeError(
            f"names[{bad}] is {shorten(names[bad])}, a {type(names[bad]).__name__}, which cannot be looked up. "
            f"Use a str, an int or a tuple."
        ) from None
    if len(index_of) < len(names):
        first = next(v for v, name in enumerate(names) if index_of[name] != v)
        raise GraphError(
            f"names[{first}] and names[{index_of[names[first]]}] are both {shorten(names[first])}, but each vertex "
            f"needs its own name. Make them distinct."
        )
    return index_of


def _unhashable(name: Any) -> bool:
    """Tell whether a value that looks hashable is not, such as a tuple with a list inside."""
    try:
        hash(name)
    except TypeError:
        return True
    return False
