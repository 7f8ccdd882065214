"""What the commands of metrics share: numbers per vertex as a table in a file, and their summary on the screen."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import numpy as np

if TYPE_CHECKING:
    from ..graph import Graph
    from .work import Loaded

Shown = tuple[str, np.ndarray, dict[str, Any]]
"""The heading of a column, its numbers, and the stats of the run that made it."""


def numbers_of(words: Sequence[str], what: str) -> list[float]:
    """Return the numbers of comma lists."""
    found: list[float] = []
    for word in (part.strip() for text in words for part in text.split(",") if part.strip()):
        try:
            found.append(int(word) if word.isdecimal() else float(word))
        except ValueError:
            raise click.UsageError(f"{what} are numbers such as 600,1200, but '{word[:40]}' was given") from None
    return found


def check_table_output(output: str | None, json: bool, quiet: bool) -> None:
    """Refuse outputs that contradict each other, or cannot be written."""
    from ..errors import OptionError
    from ..store.columns import check_table
    from .failures import as_typed
    from .outputs import check_output

    check_output(output, False, json, quiet)
    if output is not None:
        try:
            check_table(output)
        except OptionError as error:
            raise click.UsageError(as_typed(error)) from None


def values_of(columns: Sequence[Shown]) -> dict[str, np.ndarray]:
    """Return the numbers of every column by its heading, as a table is written."""
    return {name: values for name, values, _ in columns}


def summary_of(graph: Graph, vertices: np.ndarray, columns: Sequence[Shown]) -> list[dict[str, Any]]:
    """Return for every column the least, the mean and the greatest number, who has the greatest, and what ran."""
    from . import documents

    found = []
    for name, values, stats in columns:
        known = np.flatnonzero(~np.isnan(values)) if values.dtype.kind == "f" else np.arange(len(values))
        top = int(known[np.argmax(values[known])]) if len(known) else None
        finite = values[np.isfinite(values)]
        found.append(
            {
                "metric": name,
                "least": _plain(finite.min()) if len(finite) else None,
                "mean": float(finite.mean()) if len(finite) else None,
                "greatest": _plain(values[top]) if top is not None else None,
                "at": None if top is None else documents.name_of(graph, int(vertices[top])),
                "method": stats["method"],
                "device": stats["device"],
            }
        )
    return found


def _plain(value: Any) -> Any:
    """Return a number of NumPy for JSON: None where it is not finite."""
    number = value.item()
    return number if np.isfinite(number) else None


def show_measures(
    loaded: Loaded, heading: str, vertices: np.ndarray, columns: Sequence[Shown], facts: dict[str, Any], began: float,
    output: str | None,
) -> None:  # fmt: skip
    """Print the summary of every column."""
    from . import screen

    def text(value: Any) -> str:
        return "inf" if value is None else screen.number(value)

    lines = [
        (line["metric"], text(line["least"]), text(line["mean"]), text(line["greatest"]), line["at"])
        for line in summary_of(loaded.graph, vertices, columns)
    ]
    spent = screen.format_seconds(time.perf_counter() - began)
    shown = [
        screen.graph_fact(loaded.graph),
        ("time", f"read {screen.format_seconds(loaded.seconds)}, solved {spent}"),
        *((name, text(value) if isinstance(value, int | float) else str(value)) for name, value in facts.items()),
        *screen.output_fact(output),
    ]
    heads = [("", "left"), *((name, "right") for name in ("least", "mean", "greatest")), ("at", "left")]
    screen.show(heading, shown, *([screen.table_of(heads, lines)] if lines else []))
