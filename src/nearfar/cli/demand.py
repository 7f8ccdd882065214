"""Tables of demand, whose vertices are written as words."""

from __future__ import annotations

from typing import Any


def read_trips(graph: Any, path: str) -> list[tuple[Any, Any, float]]:
    """Return (origin, destination, amount) of every line of a table."""
    from ..errors import FormatError
    from ..metrics.demand import AMOUNTS, ORIGINS, TARGETS
    from ..store.columns import read_columns
    from .words import find_vertex

    table = read_columns(path)
    names = {name.lower(): name for name in table}
    chosen = [next((names[word] for word in words if word in names), None) for words in (ORIGINS, TARGETS, AMOUNTS)]
    if None in chosen:
        raise FormatError(
            f"{path} has the columns {', '.join(table)}, but origin, destination and demand are needed.", path
        )
    columns = [table[name] for name in chosen if name is not None]
    known: dict[Any, Any] = {}

    def vertex(word: Any, role: str) -> Any:
        if word not in known:
            known[word] = find_vertex(graph, str(word), role)
        return known[word]

    if any(isinstance(amount, str) for amount in columns[2]):
        raise FormatError(f"{path} has words in the column {chosen[2]}, but demand is a number.", path)
    return [(vertex(o, "origin"), vertex(d, "destination"), float(a)) for o, d, a in zip(*columns, strict=True)]
