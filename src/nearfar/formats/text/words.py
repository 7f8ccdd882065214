"""Vertices whose names are words: an index for each word in order of appearance (kernels/cpu/words.py)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...graph.arrays import Array, shorten
from ..io.files import Source

SPAN = 31  # a word of a text is where it begins, shifted by this, and its length (kernels/cpu/text.py)
ENTRY = np.dtype([("code", np.int64), ("begin", np.int64)])


class Words:
    """A growing set of words, each with its index."""

    def __init__(self) -> None:
        self.count = 0
        self._table = _empty_table(1 << 12)
        self._ends = np.zeros(1, np.int64)
        self._arena = np.empty(0, np.uint8)

    def indices(self, text: Array, spans: Array) -> Array:
        """Return the indices of the words at ``spans`` of the text, as int32."""
        from ...kernels.cpu.words import intern_words

        self._make_room(len(spans), int((spans & (2**31 - 1)).sum()))
        out, hashes = np.empty(len(spans), np.int32), np.empty(len(spans), np.uint64)
        with np.errstate(over="ignore"):  # hashes wrap, also when kernels run as plain Python
            self.count = intern_words(text, spans, hashes, self._table, self._ends, self._arena, self.count, out)
        return out

    def __contains__(self, word: bytes) -> bool:
        """Tell whether a word was seen: it is added for a moment, and the entry that was added last can go again."""
        count = self.count
        text = np.array(list(word), np.uint8)
        index = int(self.indices(text, np.array([len(word)], np.int64))[0])
        if self.count == count:
            return True
        self.count = count
        self._table[self._table["code"] & (2**31 - 1) == index] = _empty_table(1)[0]
        return False

    def since(self, count: int) -> tuple[Array, Array]:
        """Return the bytes of the words from index ``count`` on, and where each of them ends in these."""
        ends = self._ends[count : self.count + 1]
        return self._arena[ends[0] : ends[-1]], ends[1:] - ends[0]

    @property
    def nbytes(self) -> int:
        """The memory of all words, in bytes."""
        return self._table.nbytes + self._ends.nbytes + self._arena.nbytes

    def _make_room(self, words: int, size: int) -> None:
        """Grow the arrays, by at least a half, until ``words`` new words of ``size`` bytes fit."""
        from ...kernels.cpu.words import move_words

        most = self.count + words
        self._ends = _grow(self._ends, most + 1)
        self._arena = _grow(self._arena, int(self._ends[self.count]) + size)
        if 3 * most > 2 * len(self._table):
            old, self._table = self._table, _empty_table(1 << (3 * most // 2).bit_length())
            with np.errstate(over="ignore"):
                move_words(old, self._arena, self._ends, self._table)

    def listed(self, source: Source) -> list[str]:
        """Return the words in order of their indices."""
        data, ends = self._arena.tobytes(), self._ends[: self.count + 1].tolist()
        try:
            return [data[low:high].decode() for low, high in pairwise(ends)]
        except UnicodeDecodeError as error:
            bad = shorten(error.object, 40)
            raise source.error(f"the name {bad} is not UTF-8 text. Convert the file, for example with iconv.") from None


def _empty_table(size: int) -> Array:
    """Return a hash table of empty entries; ``size`` is a power of two."""
    table = np.zeros(size, ENTRY)
    table["code"] = -1
    return table


def _grow(array: Array, size: int) -> Array:
    """Return the array, or a longer copy if it is too short."""
    if len(array) >= size:
        return array
    longer = np.empty(max(size, len(array) * 3 // 2), array.dtype)
    longer[: len(array)] = array
    return longer
