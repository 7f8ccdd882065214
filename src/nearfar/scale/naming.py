"""The vertices of a graph that is being converted: found while arcs are spooled, then indexed, then named in files.

Three rules, those of the readers: the format counts the vertices; or vertices are the ids that occur, in ascending
order; or they are words, in order of appearance.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError
from ..formats.streams import ArcBlock
from ..formats.text.words import SPAN, Words
from ..graph.arrays import Array, shorten
from .columns import Column, write_all
from .identity import Identity, Ids
from .inputs import Facts, Inputs
from .journal import Entry
from .room import Room
from .segments import damaged

_STEP = 1 << 16  # words that are turned into names at a time


class Vertices:
    """The vertices seen so far.

    Parameters
    ----------
    inputs : Inputs
        What is read; what is known of all files is asked for when the first is open.
    room : Room
    folder : Path
        Where words are kept, so that they need not be read again.
    """

    def __init__(self, inputs: Inputs, room: Room, folder: Path) -> None:
        self.inputs, self.room, self.folder = inputs, room, folder
        self.words, self.ids = Words(), Ids(room)  # one of them may stay empty
        self._kept = 0  # words that are in the file

    @property
    def facts(self) -> Facts:
        """What is known of all files."""
        assert self.inputs.facts is not None, "a file was opened"
        return self.inputs.facts

    @property
    def needs_ids(self) -> bool:
        """Whether vertices are the ids that occur."""
        return self.facts.n is None and not self.facts.are_words

    def add(self, blocks: list[ArcBlock]) -> None:
        """Take the ends of some arcs."""
        if self.needs_ids:
            for tails, heads, _ in blocks:
                self.ids.add(tails)
                self.ids.add(heads)

    def keep(self) -> Entry:
        """Append new words to the file of words; return what the journal has to know of them."""
        if not self.facts.are_words:
            return {}
        text, ends = self.words.since(self._kept)
        self._kept = self.words.count
        self.room.take(2 * self.words.nbytes, f"{self.words.count:,} names")
        with open(self.folder / "words", "ab", buffering=0) as file:
            crc = zlib.crc32(write_all(file, text))
            crc = zlib.crc32(write_all(file, ends), crc)
        return {"words": [len(text), len(ends), crc]}

    def restore(self, kept: list[list[int]]) -> None:
        """Read words that were kept."""
        if not self.facts.are_words:
            return
        path = self.folder / "words"
        path.touch()
        with open(path, "r+b", buffering=0) as file:
            for size, count, crc in kept:
                text, ends = np.fromfile(file, np.uint8, size), np.fromfile(file, np.int64, count)
                if zlib.crc32(ends.view(np.uint8).data, zlib.crc32(text.data)) != crc or len(ends) != count:
                    raise damaged(path)
                self.words.indices(text, np.r_[0, ends[:-1]] << SPAN | np.diff(ends, prepend=0))
            file.truncate()
        self._kept = self.words.count

    def identity(self) -> Identity:
        """Return how many vertices there are, and their indices and names."""
        facts = self.facts
        if facts.n is not None:
            first, n = facts.first, facts.n
            names = range(first, first + n) if first else None
            return Identity(n, lambda ends: (ends - first if first else ends).astype(np.int32), names)
        if facts.are_words:
            return Identity(self.words.count, lambda ends: ends, None, 2 * self.words.nbytes)
        return self.ids.identity()

    def write_names(self, identity: Identity, target: Path) -> None:
        """Write the names as formats/name_parts.py has them."""
        if not self.facts.named:
            return
        if self.facts.are_words:
            _write_words(self.words, target)
        elif isinstance(identity.names, range):
            np.save(target / "names_from.npy", np.int64(identity.names.start))
        elif identity.names is not None:
            with Column(target / "names.npy", np.int64, identity.n) as column:
                for piece in identity.names():
                    column.append(piece)


def _write_words(words: Words, target: Path) -> None:
    """Write words as one text, and where each of them ends in it, counted in characters."""
    text, ends = words.since(0)
    _check_text(text, ends)
    done = 0
    with Column(target / "names_text.npy", np.uint8, len(text)) as column:
        column.append(text)
    with Column(target / "names_ends.npy", np.int64, len(ends)) as column:
        for low in range(0, len(ends), _STEP):
            first, part = int(ends[low - 1]) if low else 0, ends[low : low + _STEP]
            begins = (text[first : part[-1]] & 0xC0) != 0x80  # bytes that begin a character
            found = np.r_[0, np.cumsum(begins)][part - first] + done
            column.append(found)
            done = int(found[-1])


def _check_text(text: Array, ends: Array) -> None:
    """Refuse words that are not UTF-8."""
    for low in range(0, len(ends), _STEP):
        first, part = int(ends[low - 1]) if low else 0, ends[low : low + _STEP]
        try:
            text[first : part[-1]].tobytes().decode()
            bad: Any = None
        except UnicodeDecodeError as error:
            bad = shorten(error.object[error.start : error.start + 40], 40)
        if bad is not None:
            raise FormatError(f"the name {bad} is not UTF-8 text. Convert the file, for example with iconv.")
