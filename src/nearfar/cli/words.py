"""Vertices as a person types them.

A word is a number where the vertices of the graph are numbers, and itself where they are words. Lists are separated by
commas, unless the whole word is a vertex; ``@file`` stands for the lines of a file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import FileError, FormatError, MissingFileError, VertexError
from .choices import shorten

if TYPE_CHECKING:
    from ..graph import Graph


def find_vertex(graph: Graph, word: str, role: str) -> Any:
    """Return the vertex that a word means, as the graph calls it; the graph itself refuses what it does not have."""
    found = _known(graph, word)
    if found is not None:
        return found
    number = _as_number(word)
    numbers = graph.names is None or (graph.n > 0 and isinstance(graph.names[0], int))
    meant: Any = number if numbers and number is not None else word
    try:
        return graph.name(graph.index(meant, role))
    except ValueError:  # digits without end, which Python does not take for a number
        raise VertexError(f"{role} '{shorten(word)}' is not a vertex, nor any number that one could have.") from None


def find_vertices(graph: Graph, words: Sequence[str], role: str) -> list[Any]:
    """Return the vertices that words, comma lists and @files mean, in their order; words that mean none are refused."""
    found = [find_vertex(graph, word, role) for word in _spread(graph, words)]
    if words and not found:
        raise click.UsageError(f"No {role}s were given: name them as a,b,c or @FILE with one a line", _context())
    return found


def _spread(graph: Graph, words: Iterable[str]) -> Iterator[str]:
    """Yield one word a vertex."""
    for word in words:
        if _known(graph, word) is not None:
            yield word
        elif word.startswith("@"):
            yield from lines_of(word[1:])
        else:
            yield from (part.strip() for part in word.split(",") if part.strip())


def _known(graph: Graph, word: str) -> Any:
    """Return the vertex that is called like this, or None."""
    number = _as_number(word)
    if graph.names is None:
        return number if number is not None and 0 <= number < graph.n else None
    for name in (word, number):
        if name is not None and graph.is_vertex(name):
            return name
    if graph.n and not isinstance(graph.names[0], str | int):  # pairs and the like: as they are printed
        return next((name for name in graph.names if str(name) == word), None)
    return None


def _as_number(word: str) -> int | None:
    """Return a word as a whole number, or None if it is none, or has more digits than Python takes."""
    with suppress(ValueError):
        return int(word) if word.removeprefix("-").isdecimal() else None
    return None


def lines_of(path: str) -> Iterator[str]:
    """Yield the lines of a file but for empty ones and what follows a # at the start or after a space."""
    if path == "-" and sys.stdin is None:
        raise FileError("standard input is closed, but one vertex a line is needed. Open it, or name a file.")
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise MissingFileError(f"{path} does not exist: a file with one vertex a line is needed.") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not text (byte {error.start}): one vertex a line is needed.", path) from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}.") from error
    for line in text.splitlines():
        word = "" if line.startswith("#") else line.partition(" #")[0].strip()
        if word:
            yield word


def find_sources(graph: Graph, given: dict[str, Any]) -> list[Any]:
    """Return the sources named by --sources and --sources-from."""
    words = list(given["sources"])
    if given["sources_from"] is not None:
        words += [f"@{given['sources_from']}"]
    return find_vertices(graph, words, "source")


def check_given(given: dict[str, Any]) -> None:
    """Refuse a command without sources before its file is read."""
    if not given["sources"] and given["sources_from"] is None:
        raise click.UsageError("Missing option '--sources' (or '--sources-from')", _context())


def _context() -> click.Context | None:
    """Return the command that is running, for its name in a message."""
    return click.get_current_context(silent=True)
