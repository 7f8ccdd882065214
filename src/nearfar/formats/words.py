"""Vertices called by words: their numbers in order of appearance (kernels/words.py), and the words at the end."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..arrays import Array, shorten
from .files import Source


class Words:
    """A growing set of words, each with its number."""

    def __init__(self) -> None:
        self.count = 0
        self._table = np.full(1 << 12, -1, np.int64)
        self._hashes = np.empty(0, np.uint64)
        self._ends = np.zeros(1, np.int64)
        self._arena = np.empty(0, np.uint8)

    def number(self, text: Array, spans: Array) -> Array:
        """Return the numbers of the words that lie at ``spans`` of the text, as int32."""
        from ..kernels.words import intern_words

        self._make_room(len(spans), int((spans & (2**31 - 1)).sum()))
        out = np.empty(len(spans), np.int32)
        with np.errstate(over="ignore"):  # hashes wrap, also when kernels run as plain Python
            self.count = intern_words(text, spans, self._table, self._hashes, self._ends, self._arena, self.count, out)
        return out

    def _make_room(self, words: int, size: int) -> None:
        """Let the arrays grow, by half at least, until so many new words of so many bytes fit."""
        from ..kernels.words import fill_table

        most = self.count + words
        self._hashes, self._ends = _grow(self._hashes, most), _grow(self._ends, most + 1)
        self._arena = _grow(self._arena, int(self._ends[self.count]) + size)
        if 2 * most > len(self._table):
            self._table = np.full(1 << (2 * most).bit_length(), -1, np.int64)
            fill_table(self._hashes, self.count, self._table)

    def listed(self, source: Source) -> list[str]:
        """Return the words in order of their numbers."""
        data, ends = self._arena.tobytes(), self._ends[: self.count + 1].tolist()
        try:
            return [data[low:high].decode() for low, high in pairwise(ends)]
        except UnicodeDecodeError as error:
            bad = shorten(error.object, 40)
            raise source.error(f"the name {bad} is not UTF-8 text. Convert the file, for example with iconv.") from None


def _grow(array: Array, size: int) -> Array:
    """Return the array, or a longer copy if it is too short."""
    if len(array) >= size:
        return array
    longer = np.empty(max(size, len(array) * 3 // 2), array.dtype)
    longer[: len(array)] = array
    return longer
