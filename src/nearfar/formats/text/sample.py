"""The first rows of an edge list: which columns are the tails, the heads and the weights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ...errors import OptionError, option
from ...graph.arrays import shorten
from ..io.files import Source
from .usual import PAIRS, UNITS, WEIGHTS

INTEGER = re.compile(rb"[+-]?\d+")
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INFINITE = re.compile(rb"[+-]?inf(inity)?", re.IGNORECASE)
_DIGITS = re.compile(rb"[^A-Za-z]*\d")
_MISSING = re.compile(rb"na|nan|null|none|-|", re.IGNORECASE)
_REMARK = re.compile(rb"[+-]?\d+\s*#.*")
_ARROW = re.compile(rb"[^\w\s]+")


@dataclass(frozen=True)
class Sample:
    """The first rows of a file, the names of their columns or None, and the delimiter (b"": blanks)."""

    source: Source
    header: tuple[str, ...] | None
    rows: list[list[bytes]]
    delimiter: bytes

    @property
    def _lower(self) -> list[str]:
        """The names of the columns in lower case."""
        return [name.lower() for name in self.header or ()]

    def column(self, field: int) -> list[bytes]:
        """Return the values of a column; empty where a row is too short."""
        return [row[field] if field < len(row) else b"" for row in self.rows]

    def holds(self, field: int, kind: re.Pattern[bytes]) -> bool:
        """Return whether all values of a column match a pattern."""
        return all(map(kind.fullmatch, self.column(field)))

    def ends(self, tail: Any, head: Any) -> tuple[int, int]:
        """Return the fields of tail and head: the given ones, those with usual names, else the first two."""
        lower = self._lower
        pair = next(((a, b) for a, b in PAIRS if a in lower and b in lower), None)
        first, second = (self._only(pair[0]), self._only(pair[1])) if pair else (0, 1)
        first = first if tail is None else self._field("tail", tail)
        second = second if head is None else self._field("head", head)
        if self.rows and max(first, second) >= len(self.rows[0]):
            raise self.source.error(
                f"the first row has {len(self.rows[0])} field(s), but a tail and a head are needed. "
                f"Use {option('separator')} if fields are not separated by blanks, commas, semicolons or tabs."
            )
        if tail is None and head is None and pair is None and self.rows:
            self._check_ends(first, second)
        return first, second

    def _check_ends(self, first: int, second: int) -> None:
        """Refuse to take the first two columns as tails and heads if they do not look like it."""
        tails, heads = self.column(first), self.column(second)
        known = all(tails) and all(heads)
        what = ""
        if known and self.holds(first, INTEGER) != self.holds(second, INTEGER):
            what = "one of the first two columns holds whole numbers and the other does not"
        elif len(tails) > 1 and len(set(heads)) == 1 and _ARROW.fullmatch(heads[0]):
            what = f"the second column is always {shorten(heads[0].decode('utf8', 'replace'))}"
        elif not self.are_alike():
            odd = next(row for row in self.rows if len(row) != len(self.rows[0]))
            shown = [
                shorten((self.delimiter or b" ").join(row).decode("utf8", "replace"), 40) for row in (self.rows[0], odd)
            ]
            what = f"the rows have different numbers of fields ({shown[0]}, {shown[1]})"
        elif self._counts(tails) and len(self.rows[0]) > 3 and self.holds(2, INTEGER) and not self.header:
            what = "the first column only counts the rows"
        if what:
            raise self.source.error(
                f"{what}, so the first two may not be the tails and heads of arcs. Use {option('tail')} and "
                f"{option('head')} (a column's name, or its index from 0), {option('header', True)} if the first line "
                f"holds the column names, or {option('format')} if it is another format."
            )

    def are_alike(self) -> bool:
        """Return whether all rows have equally many fields.

        If blanks separate fields, rows of numbers that are shorter than the first are left to the parser, which reports
        the line.
        """
        counts = {len(row) for row in self.rows}
        if self.delimiter:
            return len(counts) == 1
        numbers = self.holds(0, INTEGER) and self.holds(1, INTEGER)
        return len(counts) == 1 or (numbers and max(counts) == len(self.rows[0]))

    def _counts(self, values: list[bytes]) -> bool:
        """Return whether each value is the one before it plus one."""
        whole = [int(value) if INTEGER.fullmatch(value) and len(value) < 19 else None for value in values]
        return len(whole) > 2 and all(a is not None and b == a + 1 for a, b in pairwise(whole))

    def are_numbers(self, ends: tuple[int, int]) -> bool:
        """Return whether vertices are whole numbers; refuse values like 1.0, which look like whole numbers."""
        odd = [value for end in ends for value in self.column(end) if not INTEGER.fullmatch(value)]
        bad = next((value for value in odd if NUMBER.fullmatch(value) or _REMARK.fullmatch(value)), None)
        if bad is not None:
            raise self.source.error(
                f"the vertex {shorten(bad.decode('utf8', 'replace'))} is nearly a whole number. Correct such vertices, "
                f"or use {option('names', True)} to take all vertices as words."
            )
        return not odd

    def weight(self, wanted: Any, ends: tuple[int, int]) -> int | None:
        """Return the field of the weight: the given one, one with a usual name, the third if it is numeric, or None."""
        if wanted is False:
            return None
        if wanted is not None:
            return self._field("weight", wanted)
        called = next((name for name in WEIGHTS if name in self._lower and self._lower.index(name) not in ends), None)
        if called is not None:
            return self._only(called)
        if not self.rows:
            return None
        if set(ends) == {0, 1} and self._third():
            return 2
        return self._named_weight(ends) if self.header else None

    def _third(self) -> bool:
        """Return whether the third column is a weight; refuse one that holds neither numbers nor words."""
        values = self.column(2)
        if values[0].startswith(b"{"):
            raise self.source.error(
                "the rows end in attributes {...}, as NetworkX writes them. Write them with "
                f"networkx.write_weighted_edgelist, or use {option('weight', False)} to ignore them."
            )
        numbers = [bool(NUMBER.fullmatch(value) or _INFINITE.fullmatch(value)) for value in values]
        if numbers[0] and not self._has_thousands():
            return True  # if other rows have no number, the parser reports the line
        shown = values[0]
        if any(numbers) or _DIGITS.match(shown) or (shown and _MISSING.fullmatch(shown)):
            comma = " Write a decimal point, not a decimal comma." if re.fullmatch(rb"[+-]?\d+,\d+", shown) else ""
            raise self.source.error(
                f"the third column would be the weight, but {shorten(shown.decode('utf8', 'replace'))} is not a plain "
                f"number.{comma} Correct it, name another column with {option('weight')}, or use "
                f"{option('weight', False)}."
            )
        return False

    def _has_thousands(self) -> bool:
        """Return whether the fourth column looks like the end of numbers with commas, as in 1,000."""
        return self.delimiter == b"," and not self.header and self.holds(3, re.compile(rb"\d{3}"))

    def _named_weight(self, ends: tuple[int, int]) -> int | None:
        """Return the only other numeric column whose name is a unit; refuse to choose among several."""
        others = [f for f in range(len(self.rows[0])) if f not in ends and self.holds(f, NUMBER)]
        units = [f for f in others if f < len(self._lower) and self._lower[f] in UNITS]
        if len(units) == 1 or not others:
            return units[0] if units else None
        names = ", ".join(repr(self.header[f]) if self.header and f < len(self.header) else str(f) for f in others)
        raise self.source.error(
            f"it is not clear which column is the weight. Use {option('weight')} with one of {names}, or "
            f"{option('weight', False)}."
        )

    def _only(self, name: str) -> int:
        """Return the column with a name; refuse two of them."""
        if self._lower.count(name) > 1:
            raise self.source.error(f"two columns are called {name!r}. Rename one, or give columns by index.")
        return self._lower.index(name)

    def _field(self, role: str, wanted: Any) -> int:
        """Return the index of a field that is given by name or by index."""
        count = max((len(row) for row in self.rows[:1]), default=len(self.header or ()))
        if self.header is not None and wanted in self.header:
            return self.header.index(wanted)
        if isinstance(wanted, str) and wanted.isdecimal() and wanted.isascii() and len(wanted) < 6:
            wanted = int(wanted)
        if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < count:
            return wanted
        there = f"columns {', '.join(map(repr, self.header))}" if self.header else f"{count} columns, 0 to {count - 1}"
        raise OptionError(
            f"{option(role, wanted)} is not a column of {self.source.name}, which has {there}. Name one of them."
        )
