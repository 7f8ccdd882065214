"""Edge lists: a line for each arc, as SNAP, spreadsheets and most programs write them.

``tail head [weight]`` between blanks, tabs, commas or semicolons, with comments (# or %), with or without a header.
Whole numbers as vertices are numbered in ascending order, and kept as names unless they are 0 to n - 1; words are
numbered in order of appearance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import option
from ..graph import Graph
from .format import Format
from .io.files import Sink, Source
from .labels import name_column
from .pieces import Pieces
from .text.guess import COMMENTS, Guess, first_lines, guess, split
from .text.reader import BLANKS, Layout, Rows, Text
from .text.words import Words
from .text.writing import edges_of, tails_of, write_rows

_MIXED = f"The first lines have whole numbers as vertices; {option('names', True)} takes words."


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
    """Read an edge list; what is not said is guessed from the first lines."""
    said = {"tail": tail, "head": head, "weight": weight, "separator": separator, "header": header, "names": names}
    found = guess(source, {**said, "undirected": undirected})
    text = Text(source)
    if found.header is not None:
        _skip_header(text)
    return _read_words(text, found) if found.words else _read_numbers(text, found)


def _skip_header(text: Text) -> None:
    """Read past the line with the columns' names."""
    while (line := text.line()) is not None:
        if line.strip() and line.strip()[:1] not in (b"#", b"%"):
            return


def _layout(found: Guess) -> Layout:
    """Return the layout of the rows."""
    wanted = {found.tail: 0, found.head: 1} | ({} if found.weight is None else {found.weight: 2})
    fields = [wanted.get(field, -1) for field in range(max(wanted) + 1)]
    roles = dict(enumerate(("tail", "head", "weight"))) | {-1: "..."}
    called = found.header[: len(fields)] if found.header else [roles[field] for field in fields]
    blanks = BLANKS.replace(found.delimiter, b"") if found.delimiter else BLANKS
    return Layout(
        fields,
        ("ww" if found.words else "ii") + ("" if found.weight is None else "n"),
        (found.delimiter.decode() or " ").join(called),
        comments=COMMENTS,
        blanks=blanks,
        delimiter=found.delimiter,
        most=found.width if found.delimiter else None,
        way="" if found.words else _MIXED,
    )


def columns_of(source: Source, options: dict[str, Any]) -> str:
    """Say which columns are read, in words."""
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
    words, pieces = Words(), Pieces()
    for rows in text.rows(_layout(found)):
        numbered = words.number(rows.text, _spans(rows))
        pieces.add(numbered[::2], numbered[1::2], *rows.columns[2:])
    names = words.listed(text.source)
    if found.header and {found.header[found.tail], found.header[found.head]} <= set(names):
        raise text.source.error(
            "the header occurs again among the rows, as where files were joined. Leave it out there."
        )
    return pieces.graph(words.count, undirected=found.undirected, names=names)


def _spans(rows: Rows) -> np.ndarray:
    """Return the words row by row, tail before head."""
    return np.column_stack(rows.columns[:2]).ravel()


def _matches(head: bytes) -> bool:
    """Tell whether the first lines are numbers, or fields between the same commas, semicolons or tabs."""
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
    """Write an arc a line: .csv with commas and a header, .tsv with tabs and a header, others with a comment on top.

    Only with the comment an undirected edge is written once, as only then it can be told.
    """
    mark = {".csv": b",", ".tsv": b"\t"}.get(sink.ending, b"")
    keep = np.ones(graph.m, bool) if mark else edges_of(graph)
    if mark:
        sink.write(mark.join([b"source", b"target", *([] if graph.weights is None else [b"weight"])]) + b"\n")
    else:
        kind = "Undirected" if graph.undirected else "Directed"
        sink.write(f"# {kind} graph\n# Nodes: {graph.n} Edges: {int(keep.sum())}\n".encode())
    ends = (tails_of(graph)[keep], graph.heads[keep])
    columns: list[Any] = [called_of(graph, end, mark, sink) for end in ends]
    write_rows(sink, b"", columns + ([] if graph.weights is None else [graph.weights[keep]]), mark or b"\t")


def called_of(graph: Graph, vertices: np.ndarray, mark: bytes, sink: Sink) -> Any:
    """Return what vertices are called, as an array of numbers or a list of words, in quotes where that is needed."""
    names = name_column(graph, sink)
    if names is None or isinstance(names, np.ndarray):
        return vertices if names is None else names[vertices]
    words = [_quote(name, mark.decode(), sink) for name in names]
    return [words[v] for v in vertices.tolist()]


def _quote(word: str, mark: str, sink: Sink) -> str:
    """Put a word in quotes if it would not be read as one field."""
    odd = not word or word[0] in "#%" or word != word.strip() or any(c in word for c in (mark or " \t,;|"))
    if any(c in word for c in '"\n\r\0') or not word:
        raise sink.error(f"the name {word!r} cannot be told in a line of text. Write .npz, or rename the vertex.")
    return f'"{word}"' if odd else word


FORMAT = Format(
    name="edges",
    summary="edge lists (SNAP, CSV, TSV): tail head [weight] a line, names or numbers",
    endings=(".txt", ".csv", ".tsv", ".tab", ".edges", ".edgelist", ".edge", ".el", ".wel", ".ncol", ".snap"),
    matches=_matches,
    read=read,
    write=write,
    keeps=("directed", "weights", "floats", "negative", "names", "parallel"),
)
