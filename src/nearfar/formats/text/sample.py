"""The first rows of an edge list: which columns are the tails, the heads and the weights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from ...errors import option
from ...graph.arrays import shorten
from ...graph.ids import mixed
from ...graph.roles import Header, Roles
from ..io.files import Source

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

    @cached_property
    def columns(self) -> Header:
        """The columns, as graph/roles.py looks at them; without rows nothing is known about their values."""
        count = max((len(row) for row in self.rows[:1]), default=len(self.header or ()))
        numeric = lambda field: bool(self.rows) and self.holds(field, NUMBER)  # noqa: E731
        return Header(self.source.name, self.header or (), count, numeric, self.source.error)

    def column(self, field: int) -> list[bytes]:
        """Return the values of a column; empty where a row is too short."""
        return [row[field] if field < len(row) else b"" for row in self.rows]

    def holds(self, field: int, kind: re.Pattern[bytes]) -> bool:
        """Return whether all values of a column match a pattern."""
        return all(map(kind.fullmatch, self.column(field)))

    def roles(self, tail: Any, head: Any, weight: Any) -> Roles:
        """Return the columns of tails, heads and weights; the arguments are what the caller has given."""
        ends = self.columns.ends(tail, head)
        if self.rows and max(ends) >= len(self.rows[0]):
            raise self.source.error(
                f"the first row has {len(self.rows[0])} field(s), but a tail and a head are needed. "
                f"Use {option('separator')} if fields are not separated by blanks, commas, semicolons or tabs."
            )
        if tail is None and head is None and self.columns.usual_ends is None and self.rows:
            self._check_ends(*ends)
        return Roles(*ends, self.columns.weight(weight, ends, self._third))

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
        """Return whether vertices are whole numbers; refuse values like 1.0, and numbers beside words."""
        whole = [self.holds(end, INTEGER) for end in ends]
        odd = [value for end in ends for value in self.column(end) if not INTEGER.fullmatch(value)]
        bad = next((value for value in odd if NUMBER.fullmatch(value) or _REMARK.fullmatch(value)), None)
        if bad is not None:
            raise self.source.error(
                f"the vertex {shorten(bad.decode('utf8', 'replace'))} is nearly a whole number. Correct such vertices, "
                f"or use {option('names', True)} to take all vertices as words."
            )
        if any(whole) and odd and all(odd):  # the parser reports an empty field
            numbers, words = (f"column {self.columns.called(ends[whole.index(kind)])!r}" for kind in (True, False))
            raise self.source.error(f"{mixed(numbers, words)} {option('names', True)} takes all vertices as words.")
        return not odd

    def _third(self) -> bool:
        """Return whether the third column is a weight; refuse one that holds neither numbers nor words."""
        values = self.column(2)
        if not values:
            return False
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
