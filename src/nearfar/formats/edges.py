"""Edge lists: one line per arc, as SNAP, spreadsheets and most programs write them.

``tail head [weight]``, separated by blanks, tabs, commas or semicolons, with comments (# or %), with or without a
header. Vertices that are whole numbers are indexed in ascending order, and the numbers are kept as names unless they
are 0 to n - 1. Words are indexed in order of appearance.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import option
from ..graph import Graph
from ..graph.arrays import Array
from .format import Format
from .io.files import Sink, Source
from .labels import name_column
from .pieces import Pieces
from .streams import ArcBlock, ArcStream, Mark, TextArcs
from .text.guess import COMMENTS, Guess, first_lines, guess, split
from .text.reader import BLANKS, LineLayout, Rows, Text
from .text.words import Words
from .text.writing import edges_of, tails_of, write_rows

_MIXED = f"The vertices in the first lines are whole numbers; {option('names', True)} takes all vertices as words."


def read(
    source: Source,
    *,
    tail: str | int | None = None,
    head: str | int | None = None,
    weight: str | int | bool | None = None,
    separator: str | None = None,
    header: bool | None = None,
    names: bool | None = None,
    undirected: bool | None = None,
) -> Graph:
    """Read an edge list; options that are not given are guessed from the first lines."""
    given = {"tail": tail, "head": head, "weight": weight, "separator": separator, "header": header, "names": names}
    text, found = _begin(source, {**given, "undirected": undirected})
    return _read_words(text, found) if found.words else _read_numbers(text, found)


def stream(
    source: Source,
    *,
    tail: str | int | None = None,
    head: str | int | None = None,
    weight: str | int | bool | None = None,
    separator: str | None = None,
    header: bool | None = None,
    names: bool | None = None,
    undirected: bool | None = None,
) -> ArcStream:
    """Hand over arcs in blocks; the options are those of `read`."""
    given = {"tail": tail, "head": head, "weight": weight, "separator": separator, "header": header, "names": names}
    text, found = _begin(source, {**given, "undirected": undirected})
    arcs = _WordArcs(text, found) if found.words else TextArcs(text, _layout(found))
    return arcs.stream(found.undirected, are_words=found.words)


def _begin(source: Source, options: dict[str, Any]) -> tuple[Text, Guess]:
    """Guess how to read a file, and read up to its first row."""
    found, text = guess(source, options), Text(source)
    if found.header is not None:
        _skip_header(text)
    return text, found


def _skip_header(text: Text) -> None:
    """Read past the header."""
    while (line := text.line()) is not None:
        if line.strip() and line.strip()[:1] not in (b"#", b"%"):
            return


def _layout(found: Guess) -> LineLayout:
    """Return the layout of the rows."""
    wanted = {found.tail: 0, found.head: 1} | ({} if found.weight is None else {found.weight: 2})
    fields = [wanted.get(field, -1) for field in range(max(wanted) + 1)]
    roles = dict(enumerate(("tail", "head", "weight"))) | {-1: "..."}
    called = found.header[: len(fields)] if found.header else [roles[field] for field in fields]
    blanks = BLANKS.replace(found.delimiter, b"") if found.delimiter else BLANKS
    return LineLayout(
        fields,
        ("ww" if found.words else "ii") + ("" if found.weight is None else "n"),
        (found.delimiter.decode() or " ").join(called),
        comments=COMMENTS,
        blanks=blanks,
        delimiter=found.delimiter,
        most=found.width if found.delimiter else None,
        advice="" if found.words else _MIXED,
    )


def columns_of(source: Source, options: dict[str, Any]) -> str:
    """Return in words which columns are read."""
    found = guess(source, options)

    def called(field: int) -> str:
        return found.header[field] if found.header and field < len(found.header) else f"column {field}"

    weight = "no weight" if found.weight is None else f"weight {called(found.weight)}"
    return f"{called(found.tail)} -> {called(found.head)}, {weight}"


def _read_numbers(text: Text, found: Guess) -> Graph:
    """Read arcs between whole numbers."""
    return Pieces(text.rows(_layout(found))).graph_of_ids(found.undirected)


def _read_words(text: Text, found: Guess) -> Graph:
    """Read arcs between words."""
    arcs, pieces = _WordArcs(text, found), Pieces()
    for block in arcs.blocks(None):
        pieces.add(*block)
    return pieces.graph(arcs.words.count, undirected=found.undirected, names=arcs.words.listed(text.source))


class _WordArcs(TextArcs):
    """Arcs between words, as the indices of the words."""

    def __init__(self, text: Text, found: Guess) -> None:
        super().__init__(text, _layout(found))
        self.found, self.words = found, Words()

    def blocks(self, start: Mark | None, words: Words | None = None) -> Iterator[ArcBlock]:
        """Yield the arcs; refuse a header among them."""
        self.words = self.words if words is None else words
        yield from super().blocks(start)
        found, header = self.found, self.found.header
        if header and all(header[end].encode() in self.words for end in (found.tail, found.head)):
            raise self.text.source.error(
                "the header occurs again among the rows, as if files were joined. Remove it there."
            )

    def _ends(self, rows: Rows) -> tuple[Array, Array]:
        """Return the indices of the words that are the ends of some rows."""
        indices = self.words.indices(rows.text, _spans(rows))
        return indices[::2], indices[1::2]


def _spans(rows: Rows) -> np.ndarray:
    """Return the words row by row, tail before head."""
    return np.column_stack(rows.columns[:2]).ravel()


def _matches(head: bytes) -> bool:
    """Return whether the first lines are numbers, or have equally many fields between commas, semicolons or tabs."""
    if b"\0" in head:
        return False
    lines = first_lines(head, 20)
    if not lines:
        return False
    if all(len(fields := line.split()) >= 2 and fields[0].isdigit() and fields[1].isdigit() for line in lines):
        return True
    return any(
        len({len(split(line, mark)) for line in lines}) == 1 and len(split(lines[0], mark)) in range(2, 100)
        for mark in (b",", b";", b"\t")
    )


def write(graph: Graph, sink: Sink) -> None:
    """Write one line per arc: .csv with commas and a header, .tsv with tabs and a header, others with a comment on top.

    Undirected edges are written once only below the comment, which says that they are undirected.
    """
    mark = {".csv": b",", ".tsv": b"\t"}.get(sink.ending, b"")
    keep = np.ones(graph.m, bool) if mark else edges_of(graph)
    if mark:
        sink.write(mark.join([b"source", b"target", *([] if graph.weights is None else [b"weight"])]) + b"\n")
    else:
        kind = "Undirected" if graph.undirected else "Directed"
        sink.write(f"# {kind} graph\n# Nodes: {graph.n} Edges: {int(keep.sum())}\n".encode())
    ends = (tails_of(graph)[keep], graph.heads[keep])
    columns: list[Any] = [names_of(graph, end, mark, sink) for end in ends]
    write_rows(sink, b"", columns + ([] if graph.weights is None else [graph.weights[keep]]), mark or b"\t")


def names_of(graph: Graph, vertices: np.ndarray, mark: bytes, sink: Sink) -> Any:
    """Return the names of vertices, as an array of numbers or a list of words, in quotes where necessary."""
    names = name_column(graph, sink)
    if names is None or isinstance(names, np.ndarray):
        return vertices if names is None else names[vertices]
    words = [_quote(name, mark.decode(), sink) for name in names]
    return [words[v] for v in vertices.tolist()]


def _quote(word: str, mark: str, sink: Sink) -> str:
    """Put a word in quotes if it would not be read as one field."""
    odd = not word or word[0] in "#%" or word != word.strip() or any(c in word for c in (mark or " \t,;|"))
    if any(c in word for c in '"\n\r\0') or not word:
        raise sink.error(f"the name {word!r} cannot be written in a line of text. Write .npz, or rename the vertex.")
    return f'"{word}"' if odd else word


FORMAT = Format(
    name="edges",
    summary="edge lists (SNAP, CSV, TSV): tail head [weight] per line, names or numbers",
    endings=(".txt", ".csv", ".tsv", ".tab", ".edges", ".edgelist", ".edge", ".el", ".wel", ".ncol", ".snap"),
    matches=_matches,
    read=read,
    stream=stream,
    write=write,
    keeps=("directed", "weights", "floats", "negative", "names", "parallel"),
)
