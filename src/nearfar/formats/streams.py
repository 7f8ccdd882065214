"""Arcs handed over in blocks while a file is read, for those who cannot keep all of them.

`ArcStream` is what the readers of edge lists give to the conversion of files larger than memory: blocks of arcs as they
stand in the file, the rule by which their ends become vertices, and a mark after each block, from which reading can go
on another time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ..graph.arrays import Array
from .text.headers import check_count
from .text.reader import LineLayout, Text
from .text.words import Words

ArcBlock = tuple[Array, Array, Array | None]
"""Tails, heads and weights of some arcs; the next block may overwrite the arrays."""

Mark = dict[str, int]
"""Where in a file the next block begins."""


@dataclass
class ArcStream:
    """The arcs of a file, block by block.

    Attributes
    ----------
    blocks : function
        Returns the blocks, from a mark on, or from the beginning; if ends are words, words that are known already
        keep their indices.
    mark : function
        Returns where the block after the last one begins.
    undirected : bool
        Whether each arc is an edge.
    weighted : bool
        Whether arcs have weights.
    n : int or None
        The number of vertices if they are counted from ``first``; None if they are the ids that occur.
    first : int
    are_words : bool
        Whether ends are words: blocks then hold their indices.
    named : bool
        Whether the names of the vertices are wanted.
    count : int or None
        How many arcs are promised, if that is known.
    coordinates : array or None
    """

    blocks: Callable[[Mark | None, Words | None], Iterator[ArcBlock]]
    mark: Callable[[], Mark]
    undirected: bool
    weighted: bool
    n: int | None = None
    first: int = 0
    are_words: bool = False
    named: bool = True
    count: int | None = None
    coordinates: Array | None = field(default=None, repr=False)


def without_weights(stream: ArcStream) -> ArcStream:
    """Return a stream without weights."""

    def blocks(start: Mark | None, words: Words | None) -> Iterator[ArcBlock]:
        for tails, heads, _ in stream.blocks(start, words):
            yield tails, heads, None

    return replace(stream, blocks=blocks, weighted=False)


class TextArcs:
    """The blocks of a text file: rows of tail, head and perhaps weight.

    Parameters
    ----------
    text : Text
        Read up to the first row.
    layout : LineLayout
    promised : pair, optional
        How many rows the header promises, and what they are called.
    """

    def __init__(self, text: Text, layout: LineLayout, promised: tuple[int, str] | None = None) -> None:
        self.text, self.layout, self.promised = text, layout, promised
        self.count = 0

    def stream(self, undirected: bool, **facts: Any) -> ArcStream:
        """Return the stream of these arcs."""
        count = None if self.promised is None else self.promised[0]
        return ArcStream(self.blocks, self.mark, undirected, len(self.layout.kinds) > 2, count=count, **facts)

    def mark(self) -> Mark:
        """Return where the next block begins."""
        return {"at": self.text.position, "line": self.text.number, "count": self.count}

    def blocks(self, start: Mark | None, words: Words | None = None) -> Iterator[ArcBlock]:
        """Yield the arcs from a mark on; refuse another number of them than was promised."""
        if start is not None:
            self.text.go_to(start["at"], start["line"])
            self.count = start["count"]
        for rows in self.text.rows(self.layout):
            self.count += rows.count
            yield (*self._ends(rows), rows.columns[2] if len(rows.columns) > 2 else None)
        if self.promised is not None:
            check_count(self.text, self.count, *self.promised, strict=True)

    def _ends(self, rows: Any) -> tuple[Array, Array]:
        """Return the ends of some rows."""
        return rows.columns[0], rows.columns[1]
