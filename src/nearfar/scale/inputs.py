"""The files that a conversion reads, one after the other, as one stream of arcs that can be left and taken up again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import FileError, FormatError, MissingFileError
from ..formats import open_stream
from ..formats.io.files import Source
from ..formats.io.library import blaming
from ..formats.streams import ArcBlock, ArcStream, Mark
from ..formats.text.words import Words

Place = tuple[int, Mark | None]
"""The number of a file, and where in it reading goes on; None: at its beginning."""


class Facts(NamedTuple):
    """What all files have in common.

    Attributes
    ----------
    undirected, weighted, are_words : bool
        Whether arcs are edges, have weights, and have words as their ends.
    n : int or None
        The number of vertices if they are counted from ``first``.
    first : int
    named : bool
        Whether the names of the vertices are wanted.
    """

    undirected: bool
    weighted: bool
    are_words: bool
    n: int | None
    first: int
    named: bool


class Inputs:
    """Files of one kind.

    Parameters
    ----------
    source : str, Path or open binary file
        A file, or a folder of files: those in folders below, too, in order of their paths.
    format : str, optional
    options : dict
        How they are read.
    """

    def __init__(self, source: Any, format: str | None, options: dict[str, Any]) -> None:
        self.files: list[Any] = _listed(Path(source)) if is_local_folder(source) else [source]
        self.format, self.options = format, options
        self.facts: Facts | None = None
        self.coordinates: Any = None

    @property
    def can_go_on(self) -> bool:
        """Whether the files can be read another time."""
        return all(isinstance(file, str | os.PathLike) and os.path.isfile(file) for file in self.files)

    def state(self) -> list[Any]:
        """Return what tells whether the files are the same another time: name, size, time of the last change."""
        if not self.can_go_on:
            return []
        stats = [(os.path.abspath(file), os.stat(file)) for file in self.files]
        return [[name, stat.st_size, stat.st_mtime_ns] for name, stat in stats]

    @property
    def size(self) -> int | None:
        """The bytes of all files, if they are known."""
        return sum(entry[1] for entry in self.state()) if self.can_go_on else None

    def open(self, i: int, stack: ExitStack, watch: Callable[[int, int | None], None] | None = None) -> _Opened | None:
        """Open a file until the stack is closed; return None if its format cannot be read in blocks."""
        source = stack.enter_context(Source(self.files[i], watch))
        stream = open_stream(source, self.format, self.options)
        return None if stream is None else _Opened(source, stream)

    def count(self) -> int | None:
        """Return how many arcs all files promise; None if one of them does not say. Refuse unlike files."""
        total: int | None = 0
        for i in range(len(self.files)):
            with ExitStack() as stack:
                opened = self.open(i, stack)
                if opened is None:
                    raise _unlike(self.files[i], self.files[0], "format")
                self.compare(opened)
                total = None if total is None or opened.stream.count is None else total + opened.stream.count
            if total is None:
                return None
        return total

    def blocks(
        self, start: Place, words: Words | None, tell: Callable[[int], None]
    ) -> Iterator[tuple[ArcBlock, Place]]:
        """Yield the blocks of all files from a place on, each with the place after it."""
        before = sum(os.path.getsize(file) for file in self.files[: start[0]]) if self.can_go_on else 0
        for i in range(start[0], len(self.files)):
            read = 0

            def watch(done: int, _: int | None, before: int = before) -> None:
                nonlocal read
                read = done
                tell(before + done)

            with ExitStack() as stack:
                opened = self.open(i, stack, watch)
                if opened is None and i == 0:
                    raise FormatError(f"{self.files[0]}: its format is read whole. Save it, and name the file.")
                if opened is None:
                    raise _unlike(self.files[i], self.files[0], "format")
                self.compare(opened)
                with blaming(opened.source):
                    for block in opened.stream.blocks(start[1] if i == start[0] else None, words):
                        yield block, (i, opened.stream.mark())
                before += opened.source.size or read

    def compare(self, opened: _Opened) -> None:
        """Take what is known of a file; refuse one that is unlike the first."""
        stream = opened.stream
        found = Facts(stream.undirected, stream.weighted, stream.are_words, stream.n, stream.first, stream.named)
        if self.facts is None:
            self.facts, self.coordinates = found, stream.coordinates
        for name, here, there in zip(Facts._fields, found, self.facts, strict=True):
            if here != there:
                raise _unlike(opened.source.name, self.files[0], _CALLED[name])


_CALLED = {
    "undirected": "direction of arcs",
    "weighted": "choice of weights",
    "are_words": "kind of vertices (numbers or words)",
    "n": "number of vertices",
    "first": "first vertex",
    "named": "choice of names",
}


class _Opened(NamedTuple):
    """An open file and its arcs."""

    source: Source
    stream: ArcStream


def is_local_folder(source: Any) -> bool:
    """Tell whether a source is a folder of this machine."""
    return isinstance(source, str | os.PathLike) and os.path.isdir(source)


def _listed(folder: Path) -> list[Path]:
    """Return the files in a folder and in those below it; names that begin with . or _ are not data."""
    found = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith((".", "_")) for part in inside):
            found.append(path)
    if not found:
        raise MissingFileError(f"{folder} is a folder without files. Name a file, or a folder of files of one kind.")
    if (twin := next((path for path in found if path.name == "graph.json"), None)) is not None:
        raise FileError(f"{twin} belongs to a graph that is converted already. Name its folder, or another one.")
    return found


def _unlike(name: Any, first: Any, what: str) -> FormatError:
    """Return the error for files of two kinds."""
    return FormatError(
        f"{name}: its {what} is not that of {first}, but files that are converted together must be alike. Convert them "
        f"one by one, or give the options that say how to read them.",
        str(name),
    )
