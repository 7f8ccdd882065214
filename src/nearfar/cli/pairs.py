"""Distances between two lists of vertices, an origin-destination table: ``nearfar mssp --sources LIST --to LIST``.

One line per pair, in the order of the sources, then of the targets.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

import click
import numpy as np

import nearfar

from ..results.limits import unreached
from ..store.writing import save
from . import documents, screen
from .work import Loaded, given, solve

SHOWN = 40  # lines of the table on the screen


def answer_pairs(
    loaded: Loaded,
    starts: list[Any],
    ends: list[Any],
    direction: str,
    solving: dict[str, Any],
    output: str | None,
    json: bool,
    quiet: bool,
    there: dict[str, Any],
) -> None:
    """Solve, and write or print the table; ``there``: the option of a cluster."""
    graph, options = loaded.graph, given(solving) | there
    pairs = solve(partial(nearfar.mssp, graph, starts, targets=ends, direction=direction, **options), quiet)
    if output is not None:
        save(pairs, output, False)
    if output == "-":
        return
    if json:
        _print_document(loaded, pairs, output)
    elif quiet:
        click.echo("".join(f"{'unreached' if far is None else far}\n" for _, _, far in _lines(pairs)), nl=False)
    else:
        _print_screen(loaded, pairs, output)


def _lines(pairs: nearfar.Table) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the source and the target of travel and the distance of each pair, None where there is no path."""
    name, mark = pairs.graph.name, unreached(pairs.rows.dtype)
    ends = [name(int(v)) for v in pairs.target_indices]
    for source, row in zip(pairs.source_indices, pairs.rows, strict=True):
        start = name(int(source))
        for end, distance in zip(ends, row.tolist(), strict=True):
            first, last = (start, end) if pairs.direction == "from" else (end, start)
            yield first, last, None if distance == mark else distance


def _print_document(loaded: Loaded, pairs: nearfar.Table, output: str | None) -> None:
    """Print the answer as JSON; what a table cannot tell is null."""
    documents.show(
        "mssp",
        **documents.run_of(loaded, pairs),
        rows=None,
        distances=[
            {"source": documents.as_json(source), "target": documents.as_json(target), "distance": distance}
            for source, target, distance in _lines(pairs)
        ],
        bytes=pairs.rows.nbytes,
        output=output,
    )


def _print_screen(loaded: Loaded, pairs: nearfar.Table, output: str | None) -> None:
    """Print the answer as text: the first lines, and how to get the others."""
    graph, (k, t) = loaded.graph, pairs.rows.shape
    reached = int(np.count_nonzero(pairs.rows != unreached(pairs.rows.dtype)))
    facts = [
        *screen.run_facts(loaded, pairs),
        screen.reached_fact(reached, k * t, "pair", "pairs"),
        *screen.output_fact(output),
    ]
    side = screen.side_of(graph)
    lines = [
        (source, target, "unreached" if distance is None else screen.number(distance))
        for source, target, distance in islice(_lines(pairs), SHOWN)
    ]
    table = screen.table_of([("source", side), ("target", side), (screen.distance_heading(graph), "right")], lines)
    more = []
    if k * t > SHOWN:
        more = [f"{screen.format_count(k * t - SHOWN)} more pairs; -o FILE.csv writes all reached pairs."]
    first, last = (k, t) if pairs.direction == "from" else (t, k)
    heading = f"Distances from {screen.count(first, 'source')} to {screen.count(last, 'target')} in {loaded.file}"
    screen.show(heading, facts, table, *more)
