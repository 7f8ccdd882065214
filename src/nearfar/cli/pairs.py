"""Distances between two lists of vertices, an origin-destination table: ``nearfar mssp --sources LIST --to LIST``.

The search from a source stops when all targets are settled. So the rows behind the table are incomplete, and only
their columns for the targets leave this module.
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
from ..store.writing import Pairs, save
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
) -> None:
    """Solve, and write or print the table."""
    graph, options = loaded.graph, given(solving)
    if graph.min_weight >= 0:  # with negative weights a path may exceed the limit and come back
        options["targets"] = ends
    result = solve(partial(nearfar.mssp, graph, starts, direction=direction, **options), quiet)
    pairs = Pairs(result, graph.indices(ends, "target"))
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


def _lines(pairs: Pairs) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the source and the target of travel and the distance of each pair, None where there is no path."""
    name, mark = pairs.graph.name, unreached(pairs.rows.dtype)
    ends = [name(int(v)) for v in pairs.targets]
    for source, row in zip(pairs.distances.source_indices, pairs.rows, strict=True):
        start = name(int(source))
        for end, distance in zip(ends, row.tolist(), strict=True):
            first, last = (start, end) if pairs.distances.direction == "from" else (end, start)
            yield first, last, None if distance == mark else distance


def _print_document(loaded: Loaded, pairs: Pairs, output: str | None) -> None:
    """Print the answer as JSON; what incomplete rows cannot tell is null."""
    documents.show(
        "mssp",
        **documents.run_of(loaded, pairs.distances),
        rows=None,
        distances=[
            {"source": documents.as_json(source), "target": documents.as_json(target), "distance": distance}
            for source, target, distance in _lines(pairs)
        ],
        bytes=pairs.rows.nbytes,
        output=output,
    )


def _print_screen(loaded: Loaded, pairs: Pairs, output: str | None) -> None:
    """Print the answer as text: the first lines, and how to get the others."""
    graph, (k, t) = loaded.graph, pairs.rows.shape
    reached = int(np.count_nonzero(pairs.rows != unreached(pairs.rows.dtype)))
    facts = [
        *screen.run_facts(loaded, pairs.distances),
        screen.reached_fact(reached, k * t, "pair", "pairs"),
        *screen.output_fact(output),
    ]
    side = screen.side_of(graph)
    lines = [
        (source, target, "unreached" if distance is None else screen.number(distance))
        for source, target, distance in islice(_lines(pairs), SHOWN)
    ]
    table = screen.table_of([("source", side), ("target", side), ("distance", "right")], lines)
    more = []
    if k * t > SHOWN:
        more = [f"{screen.format_count(k * t - SHOWN)} more pairs; -o FILE.csv writes all reached pairs."]
    first, last = (k, t) if pairs.distances.direction == "from" else (t, k)
    heading = f"Distances from {screen.count(first, 'source')} to {screen.count(last, 'target')} in {loaded.file}"
    screen.show(heading, facts, table, *more)
