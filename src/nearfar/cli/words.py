"""Vertices as they are typed.

A word means a number if the vertices of the graph are numbers, and itself if they are words. Lists are separated by
commas, unless the whole word is a vertex; ``@file`` stands for the lines of a file. A cell of a raster is written
``3,4`` or ``(3, 4)``, and several are ``3,4,5,6`` or ``(3, 4), (5, 6)``. Places on a map are in places.py.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import FileError, FormatError, InputTypeError, MissingFileError, VertexError, clip, option
from .places import Place, as_place, find_places, is_pair, refuse_columns, table_of_places

if TYPE_CHECKING:
    from ..graph import Graph


def find_vertex(graph: Graph, word: str, role: str) -> Any:
    """Return the name of the vertex that a word means; the graph raises the error if there is none."""
    found = _known(graph, word)
    if found is not None:
        return found
    if (place := as_place(graph, word)) is not None:
        return find_places(graph, [place], role)[0]
    if len(cells := _cells(graph, word)) == 1:
        return graph.name(graph.index(cells[0], role))
    number = _as_number(word)
    numbers = graph.names is None or (graph.n > 0 and isinstance(graph.names[0], int))
    meant: Any = number if numbers and number is not None else word
    try:
        return graph.name(graph.index(meant, role))
    except ValueError:  # more digits than Python converts
        raise VertexError(
            f"{role} '{clip(word, 40)}' is not a vertex: no vertex has such a large number. Check the name."
        ) from None
    except (VertexError, InputTypeError) as error:
        if graph.coordinates is not None or not is_pair(word):
            raise
        hint = " If it is a longitude and a latitude: the graph has no coordinates. Give a file of them by "
        raise type(error)(f"{error.marked}{hint}{option('coordinates')}.") from None


def find_vertices(graph: Graph, words: Sequence[str], role: str) -> list[Any]:
    """Return the vertices that words, comma lists and @files name, in order; an empty list is refused."""
    typed = list(_spread(graph, words))
    places = {i: place for i, word in enumerate(typed) if (place := _place(graph, word)) is not None}
    at = dict(zip(places, find_places(graph, list(places.values()), role), strict=True))
    found = [at[i] if i in at else _one_of(graph, word, role) for i, word in enumerate(typed)]
    if words and not found:
        raise click.UsageError(f"No {role}s were given; name them as a,b,c or as @FILE with one per line", _context())
    return found


def _place(graph: Graph, word: str) -> Place | None:
    """Return a word as a place, or None if it is none or a vertex is called so."""
    place = as_place(graph, word)
    return place if place is None or isinstance(word, Place) or _known(graph, word) is None else None


def _one_of(graph: Graph, word: str, role: str) -> Any:
    """Return the vertex that one word of a list means; the error hints at @FILE if the word is a file."""
    try:
        return find_vertex(graph, word, role)
    except (VertexError, InputTypeError) as error:
        with suppress(OSError, ValueError):  # a word may be too long for a file, or hold a null byte
            if Path(word).is_file():
                hint = f" There is a file {clip(word, 40)}: write @{clip(word, 40)} for the vertices in it."
                raise type(error)(error.marked + hint) from None
        raise


def _spread(graph: Graph, words: Iterable[str]) -> Iterator[str]:
    """Yield one word per vertex."""
    for word in words:
        if _known(graph, word) is not None:
            yield word
        elif word.startswith("@"):
            lines = list(lines_of(word[1:]))
            places = table_of_places(lines, word[1:])
            if places is None and lines and _known(graph, lines[0]) is None:
                refuse_columns(lines, word[1:])
            yield from places or lines
        elif as_place(graph, word) is not None or _lost_place(graph, word):
            yield word
        elif cells := _cells(graph, word):
            yield from map(str, cells)
        else:
            yield from (part.strip() for part in word.split(",") if part.strip())


def _lost_place(graph: Graph, word: str) -> bool:
    """Return whether a word would be a place if the graph had coordinates; the error names it as a whole."""
    return is_pair(word) and all(_known(graph, part.strip()) is None for part in word.split(","))


def _known(graph: Graph, word: str) -> Any:
    """Return the vertex with this name, or None."""
    number = _as_number(word)
    if graph.names is None:
        return number if number is not None and 0 <= number < graph.n else None
    for name in (word, number):
        if name is not None and graph.is_vertex(name):
            return name
    if _has_cells(graph):
        cells = _cells(graph, word)
        return cells[0] if len(cells) == 1 and graph.is_vertex(cells[0]) else None
    if graph.n and not isinstance(graph.names[0], str | int):  # tuples and the like, as they are printed
        return next((name for name in graph.names if str(name) == word), None)
    return None


def _has_cells(graph: Graph) -> bool:
    """Return whether the vertices are the cells of a raster."""
    from ..graph.cells import CellNames

    return isinstance(graph.names, CellNames)


def _cells(graph: Graph, word: str) -> list[tuple[int, int]]:
    """Return the cells that a word spells as pairs of numbers; none if the vertices are no cells."""
    if not _has_cells(graph) or not re.fullmatch(r"[-0-9\s,;()]*", word, re.ASCII):
        return []
    numbers = [_as_number(digits) for digits in re.findall(r"-?[0-9]+", word)]
    if len(numbers) % 2 or None in numbers:
        return []
    return list(zip(numbers[::2], numbers[1::2], strict=True))  # type: ignore[arg-type]


def _as_number(word: str) -> int | None:
    """Return a word as a whole number, or None if it is none or has more digits than Python converts."""
    with suppress(ValueError):
        return int(word) if word.removeprefix("-").isdecimal() else None
    return None


def lines_of(path: str) -> Iterator[str]:
    """Yield the lines of a file without empty lines and comments (a # at the start or after a space)."""
    if path == "-" and sys.stdin is None:
        raise FileError("standard input is closed, but one vertex per line is needed. Open it, or name a file.")
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise MissingFileError(f"{path} does not exist; name a file with one vertex per line.") from None
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path} is not text (byte {error.start} is not UTF-8); name a text file with one vertex per line.",
            path,
        ) from None
    except OSError as error:
        raise FileError(
            f"{path} cannot be read: {error.strerror or error}. Name a file with one vertex per line."
        ) from error
    for line in text.splitlines():
        word = "" if line.startswith("#") else line.partition(" #")[0].strip()
        if word:
            yield word


def find_rows(words: Iterable[str]) -> list[int]:
    """Return the rows that words, comma lists and @files name."""
    listed = (part for word in words for part in (lines_of(word[1:]) if word.startswith("@") else word.split(",")))
    found = []
    for part in filter(None, map(str.strip, listed)):
        if (row := _as_number(part)) is None or row < 0:
            raise click.UsageError(
                f"'{clip(part, 40)}' is no row of the file: give whole numbers from 0, as 17,18 or @FILE",
                _context(),
            )
        found.append(row)
    return found


def find_starts(graph: Graph, source: str | None, starts: Sequence[str]) -> Any:
    """Return the source, or a dict of it and of other starts with their distances, given as VERTEX=DISTANCE."""
    first = None if source is None else find_vertex(graph, source, "source")
    if not starts:
        return first
    found: dict[Any, float] = {} if source is None else {first: 0}
    for word in starts:
        name, equals, distance = word.rpartition("=")
        try:
            number = float(distance)
        except ValueError:
            number = -1.0
        if not equals or not name or not 0 <= number < float("inf"):
            raise click.UsageError(
                f"'{clip(word, 40)}' is no start: write VERTEX=DISTANCE, with a distance from 0 on", _context()
            )
        found[find_vertex(graph, name, "source")] = int(number) if number.is_integer() else number
    return found


def find_sources(graph: Graph, given: dict[str, Any]) -> list[Any]:
    """Return the sources that --sources and --sources-from name."""
    words = list(given["sources"])
    words += [f"@{given[name]}" for name in ("sources_from", "at") if given[name] is not None]
    return find_vertices(graph, words, "source")


def check_given(given: dict[str, Any]) -> None:
    """Refuse a command without sources before its file is read."""
    if not given["sources"] and given["sources_from"] is None and given["at"] is None:
        raise click.UsageError("Missing option '--sources' (or '--sources-from', or '--at')", _context())


def _context() -> click.Context | None:
    """Return the context of the running command, whose name a message shows."""
    return click.get_current_context(silent=True)
