"""Which columns of a table hold the tails, the heads and the weights of arcs.

One rule for all doors: `Graph.from_frame`, edge lists, Parquet and Arrow files. A column that is given decides. Else
tails and heads are the columns with usual names, else the first two. The weight is the column called weight or w, else
the only one with another usual name, else the only one called like a unit, else the third if it alone holds numbers and
the first two are the ends. If several columns could be the weight, an error names them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import GraphError, OptionError, option
from .arrays import shorten

PAIRS = (
    ("source", "target"), ("src", "dst"), ("tail", "head"), ("from", "to"), ("u", "v"), ("i", "j"), ("start", "end"),
    ("fromnodeid", "tonodeid"), ("from_node_id", "to_node_id"), ("source_id", "target_id"), ("origin", "destination"),
    ("node1", "node2"), ("init_node", "term_node"),
)  # fmt: skip
WEIGHTS = ("weight", "w", "length", "distance", "dist", "cost", "travel_time", "duration")
UNITS = (
    "km", "kilometers", "kilometres", "miles", "m", "meters", "metres", "h", "hours", "min", "minutes", "s", "seconds",
)  # fmt: skip


class Roles(NamedTuple):
    """The indices of the columns to read; ``weight`` is None in an unweighted graph."""

    tail: int
    head: int
    weight: int | None


@dataclass(frozen=True)
class Header:
    """The columns of a table, as far as their roles depend on them.

    Attributes
    ----------
    where : str
        What an error calls the table.
    names : sequence
        The names of the columns; empty if they have none.
    count : int
        The number of columns.
    is_numeric : function
        Returns whether the column with an index holds numbers.
    error : function
        Makes the error for a table that allows no decision.
    """

    where: str
    names: Sequence[Any]
    count: int
    is_numeric: Callable[[int], bool]
    error: Callable[[str], Exception] = GraphError

    def roles(self, tail: Any, head: Any, weight: Any) -> Roles:
        """Return the columns of tails, heads and weights; the arguments are what the caller has given."""
        ends = self.ends(tail, head)
        if max(ends) >= self.count:
            raise self.error(
                f"the table has the columns {shorten(list(self.names), 200)}, but an arc needs a tail and a head. "
                f"Add a column."
            )
        return Roles(*ends, self.weight(weight, ends))

    def called(self, field: int) -> Any:
        """Return the name of a column, else its index."""
        return self.names[field] if field < len(self.names) else field

    @property
    def _lower(self) -> list[Any]:
        """The names in lower case."""
        return [name.lower() if isinstance(name, str) else name for name in self.names]

    @property
    def usual_ends(self) -> tuple[str, str] | None:
        """The usual names of tails and heads that occur."""
        lower = self._lower
        return next(((a, b) for a, b in PAIRS if a in lower and b in lower), None)

    def ends(self, tail: Any, head: Any) -> tuple[int, int]:
        """Return the columns of tails and heads: the given ones, else those with usual names, else the first two."""
        pair = None if tail is not None and head is not None else self.usual_ends
        first, second = (self._only(pair[0]), self._only(pair[1])) if pair else (0, 1)
        first = first if tail is None else self.field("tail", tail)
        second = second if head is None else self.field("head", head)
        if first == second:
            raise self._shared("tail", "head", first)
        return first, second

    def weight(self, wanted: Any, ends: tuple[int, int], is_third: Callable[[], bool] | None = None) -> int | None:
        """Return the column of the weights, or None; ``is_third`` decides whether the third column is one."""
        if wanted is False:
            return None
        if wanted is not None:
            field = self.field("weight", wanted)
            if field in ends:
                raise self._shared(("tail", "head")[ends.index(field)], "weight", field)
            return field
        lower = self._lower
        for usual in (WEIGHTS[:2], WEIGHTS[2:], UNITS):
            called = [name for name in usual if name in lower and lower.index(name) not in ends]
            if len(called) == 1 or (called and usual[0] == "weight"):
                return self._only(called[0])
            if called:
                raise self._unclear([self._only(name) for name in called])
        numeric = [f for f in range(self.count) if f not in ends and self.is_numeric(f)]
        third = set(ends) == {0, 1} and (is_third() if is_third else 2 in numeric)
        if third and (not self.names or numeric in ([], [2])):
            return 2
        if numeric and self.names:
            raise self._unclear(numeric)
        return None

    def _unclear(self, fields: list[int]) -> Exception:
        """Return the error for several columns that could be the weight."""
        return self.error(
            f"it is not clear which column is the weight. Use {option('weight')} with one of "
            f"{', '.join(repr(self.called(f)) for f in fields)}, or {option('weight', False)}."
        )

    def _shared(self, one: str, other: str, field: int) -> OptionError:
        """Return the error for two roles of one column."""
        name = self.called(field)
        return OptionError(
            f"{option(one, name)} and {option(other, name)} share a column of {self.where}. Give each its own column."
        )

    def _only(self, name: str) -> int:
        """Return the column with a usual name; refuse two of them."""
        if self._lower.count(name) > 1:
            raise self.error(f"two columns are called {name!r}. Rename one, or give columns by index.")
        return self._lower.index(name)

    def field(self, role: str, wanted: Any) -> int:
        """Return the index of a column that is given by name or by index."""
        names = list(self.names)
        if not isinstance(wanted, bool) and wanted in names:
            if names.count(wanted) > 1:
                raise self.error(f"two columns are called {wanted!r}. Rename one, or give columns by index.")
            return names.index(wanted)
        if isinstance(wanted, str) and wanted.isdecimal() and wanted.isascii() and len(wanted) < 6:
            wanted = int(wanted)
        if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < self.count:
            return wanted
        there = f"the columns {shorten(names, 200)}" if names else f"{self.count} columns, 0 to {self.count - 1}"
        raise OptionError(
            f"{option(role, wanted)} is not a column of {self.where}, which has {there}. "
            f"Give one of them, or its index from 0."
        )
