"""Dicts of a row that are filled when they are read: an answer for 100,000 nodes costs as much as what is looked at.

NetworkX returns a dict per source. Filling it takes longer than the search, so a large answer is a `LazyDict`, which
behaves like that dict: the same order, equality, methods and text. Only ``isinstance(answer, dict)`` tells them apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, MutableMapping, ValuesView
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...results import Distances
from ...results.limits import unreached

if TYPE_CHECKING:
    from .converted import BackendGraph

# Nodes up to which an answer is a dict at once: 1,000 distances take 60 us, and 100 paths about as long.
FEW, FEW_PATHS = 1000, 100
SHARE = 64  # of the values may be read one by one, at 10 us per path; filling the dict takes 0.3 us per path of 20
FEW_REACHED = 1024  # nodes per node that is reached from which paths are walked one by one: a tree takes 10 ns per node


class Row(Protocol):
    """One value for each of some nodes, by index."""

    few: int

    def has(self, i: int) -> bool:
        """Tell whether a node has a value."""
        ...

    def value(self, i: int) -> Any:
        """Return the value of a node that has one."""
        ...

    def order(self) -> list[int]:
        """Return the nodes that have values, in the order of iteration."""
        ...

    def values(self, order: list[int]) -> list[Any]:
        """Return the values of these nodes."""
        ...

    def most(self) -> int:
        """Return how many nodes may have values: their number once they are listed, all nodes before."""
        ...


class Reached:
    """The nodes of a row of distances that are reached, in ascending order of distance."""

    few = FEW

    def __init__(self, dist: np.ndarray) -> None:
        self.dist, self.mark = dist, unreached(dist.dtype)
        self._order: list[int] | None = None

    def has(self, i: int) -> bool:
        """Tell whether a node is reached."""
        return bool(self.dist[i] != self.mark)

    def order(self) -> list[int]:
        """Return the nodes that are reached, the nearest first."""
        if self._order is None:
            found = np.flatnonzero(self.dist != self.mark)  # few within a cutoff: not all of the row is sorted
            self._order = found[np.argsort(self.dist[found], kind="stable")].tolist()
        return self._order

    def most(self) -> int:
        """Return how many nodes may be reached: their number once they are listed, all nodes before."""
        return len(self.dist if self._order is None else self._order)


class Lengths(Reached):
    """The distances of a row."""

    def value(self, i: int) -> Any:
        """Return the distance of a node."""
        return self.dist[i].item()

    def values(self, order: list[int]) -> list[Any]:
        """Return the distances of some nodes."""
        return self.dist[order].tolist()


class AllLengths(Lengths):
    """The distances of a row, inf where nothing is reached."""

    def has(self, i: int) -> bool:
        """Tell that every node has a distance."""
        return True

    def order(self) -> list[int]:
        """Return all nodes, the nearest first."""
        if self._order is None:
            self._order = np.argsort(self.dist, kind="stable").tolist()
        return self._order

    def value(self, i: int) -> Any:
        """Return the distance of a node, or inf."""
        return math.inf if self.dist[i] == self.mark else self.dist[i].item()

    def values(self, order: list[int]) -> list[Any]:
        """Return the distances of some nodes."""
        mark = self.mark.item()
        return [math.inf if d == mark else d for d in self.dist[order].tolist()]


class Paths(Reached):
    """The paths of a row of a result, as lists of nodes in the direction of travel."""

    few = FEW_PATHS

    def __init__(self, nodes: list[Any], result: Distances, r: int = 0) -> None:
        super().__init__(result.rows[r])
        self.nodes, self.result, self.r = nodes, result, r
        self.backward = result.direction == "to"

    def value(self, i: int) -> Any:
        """Return the path of a node."""
        ends = (i,) if self.result.single else (int(self.result.source_indices[self.r]), i)
        return [self.nodes[v] for v in self.result.path(*ends)]

    def values(self, order: list[int]) -> list[Any]:
        """Return the paths of some nodes; if these are all, each is the one of its predecessor and one node more."""
        if len(order) * FEW_REACHED < len(self.dist):
            return [self.value(i) for i in order]
        trees = self.result.towards_sources
        before = (trees if self.result.single else trees[self.r])[order].tolist()
        found: dict[int, list[Any]] = {}
        for i, u in zip(order, before, strict=True):
            path = found.get(u)
            if path is None:
                self._fill(i, dict(zip(order, before, strict=True)) if u >= 0 else {}, found)
            else:
                found[i] = [self.nodes[i], *path] if self.backward else [*path, self.nodes[i]]
        return list(map(found.__getitem__, order))

    def _fill(self, i: int, tree: dict[int, int], found: dict[int, list[Any]]) -> None:
        """Add the path of a source, or of a node that comes before the node before it: both at the same distance."""
        waiting = []
        while i not in found and tree.get(i, -1) >= 0:
            waiting.append(i)
            i = tree[i]
        path = found.setdefault(i, [self.nodes[i]])
        for v in reversed(waiting):
            path = found[v] = [self.nodes[v], *path] if self.backward else [*path, self.nodes[v]]


def mapping_of(graph: BackendGraph, row: Row) -> Any:
    """Return a row as a dict by node, or as one that is filled when it is read."""
    if len(graph) > row.few:
        return LazyDict(graph, row)
    order = row.order()
    return dict(zip(map(graph.nodes.__getitem__, order), row.values(order), strict=True))


class LazyDict(MutableMapping[Any, Any]):
    """A dict by node whose values are made when they are read; once it is written to, it holds them all.

    Examples
    --------
    >>> import numpy as np, networkx as nx
    >>> from nearfar.adapters.networkx.converted import BackendGraph
    >>> from nearfar.adapters.networkx.lazy import LazyDict, Lengths
    >>> found = LazyDict(BackendGraph(nx.path_graph("abc")), Lengths(np.array([5, 0, 7])))
    >>> found["a"], found, found == {"b": 0, "a": 5, "c": 7}
    (5, {'b': 0, 'a': 5, 'c': 7}, True)
    """

    __slots__ = ("_graph", "_made", "_reads", "_row", "_seen")

    def __init__(self, graph: BackendGraph, row: Row) -> None:
        self._graph, self._row, self._reads = graph, row, 0
        self._made: dict[Any, Any] | None = None
        self._seen: dict[Any, Any] = {}  # lists that were handed out: their readers may have changed them

    def _whole(self) -> dict[Any, Any]:
        """Return all of it as a dict, which is kept."""
        if self._made is None:
            order = self._row.order()
            made = dict(zip(map(self._graph.nodes.__getitem__, order), self._row.values(order), strict=True))
            self._made = made | self._seen
        return self._made

    def __getitem__(self, node: Any) -> Any:
        if self._made is not None:
            return self._made[node]
        if node in self._seen:
            return self._seen[node]
        i = self._graph.index[node]
        if not self._row.has(i):
            raise KeyError(node)
        self._reads += 1
        if self._reads * SHARE > self._row.most():  # as in dict(answer): all at once takes less per value
            return self._whole()[node]
        value = self._row.value(i)
        if isinstance(value, list):
            self._seen[node] = value
        return value

    def __contains__(self, node: Any) -> bool:
        if self._made is not None:
            return node in self._made
        i = self._graph.index.get(node)
        return i is not None and self._row.has(i)

    def __len__(self) -> int:
        return len(self._row.order()) if self._made is None else len(self._made)

    def __iter__(self) -> Iterator[Any]:
        if self._made is not None:
            return iter(self._made)
        return map(self._graph.nodes.__getitem__, self._row.order())

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._whole())

    def __setitem__(self, node: Any, value: Any) -> None:
        self._whole()[node] = value

    def __delitem__(self, node: Any) -> None:
        del self._whole()[node]

    def keys(self) -> KeysView[Any]:
        """Return the nodes."""
        return KeysView(self) if self._made is None else self._made.keys()

    def values(self) -> ValuesView[Any]:
        """Return the values."""
        return self._whole().values()

    def items(self) -> ItemsView[Any, Any]:
        """Return pairs of node and value."""
        return self._whole().items()

    def copy(self) -> dict[Any, Any]:
        """Return a dict with the same entries."""
        return dict(self._whole())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return self._whole() == (other._whole() if isinstance(other, LazyDict) else other)

    __hash__ = None  # type: ignore[assignment]  # as for a dict

    def __or__(self, other: Any) -> dict[Any, Any]:
        return self._whole() | dict(other) if isinstance(other, Mapping) else NotImplemented

    def __ror__(self, other: Any) -> dict[Any, Any]:
        return dict(other) | self._whole() if isinstance(other, Mapping) else NotImplemented

    def __ior__(self, other: Any) -> LazyDict:
        self._whole().update(other)
        return self

    def __repr__(self) -> str:
        return repr(self._whole())

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return dict, (self._whole(),)
