"""All that is printed for people: a heading, facts in two columns, small tables, a way shortened to the width.

Distances and vertices are printed bare, so that they can be copied; counts have separators. In a pipe there are no
colours and lines are 80 wide.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import nearfar

from ..description import format_bytes as format_bytes
from ..description import format_count as format_count
from ..description import format_seconds as format_seconds

if TYPE_CHECKING:
    from rich.console import Console

    from ..graph import Graph
    from .summary import Row
    from .work import Loaded

Fact = tuple[str, str]
SHOWN = 10  # rows of a table
LOADING = 0.05  # seconds of loading kernels that are worth a word


def console() -> Console:
    """Return standard output as rich writes to it."""
    from .console import Plain

    return Plain()


def note(text: str) -> None:
    """Tell something that is not the answer."""
    print(f"nearfar: {text}", file=sys.stderr)


def show(heading: str, facts: Sequence[Fact], *tables: Any) -> None:
    """Print what was asked, then facts, then tables, with empty lines between."""
    from rich.table import Table
    from rich.text import Text

    out = console()
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in facts:
        grid.add_row(Text(label), Text(text))
    out.print(Text(heading, "bold"), soft_wrap=True)
    for part in (grid, *tables):
        out.print()
        print_stripped(out, part)


def print_stripped(out: Console, part: Any) -> None:
    """Print without the spaces that rich fills lines up with, which a terminal hides but a file keeps."""
    if out.is_terminal:
        out.print(part)
        return
    with out.capture() as text:
        out.print(part)
    print("\n".join(line.rstrip() for line in text.get().splitlines()))


def table_of(columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[Any]]) -> Any:
    """Return a table without lines; a column is a heading and "left" or "right"."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="cyan")
    for heading, side in columns:
        table.add_column(heading, justify="right" if side == "right" else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    return table


def row_table(graph: Graph, rows: Sequence[Row], counted: str) -> Any:
    """Return a table of sources, the first of them only: how many vertices they have, and which one is farthest."""
    side = side_of(graph)
    lines = [(graph.name(row.source), format_count(row.reached), *_farthest(graph, row)) for row in rows[:SHOWN]]
    if len(rows) > SHOWN:
        lines.append((f"{format_count(len(rows) - SHOWN)} more", "", "", ""))
    columns = [("source", side), (counted, "right"), ("farthest", side), ("distance", "right")]
    return table_of(columns, lines)


def _farthest(graph: Graph, row: Row) -> tuple[str, str]:
    """Return the farthest vertex of a row and its distance, or nothing."""
    return ("", "") if row.farthest is None else (str(graph.name(row.farthest[0])), number(row.farthest[1]))


def graph_fact(graph: Graph) -> Fact:
    """Describe a graph in a line."""
    return "graph", f"{count(graph.n, 'vertex', 'vertices')}, {count(graph.m, 'arc')}, {weights_of(graph)}"


def weights_of(graph: Graph) -> str:
    """Describe the weights in a few words."""
    if graph.weight_dtype is None:
        return "unweighted"
    style = "d" if graph.weight_dtype.kind == "i" else "g"
    span = f" {graph.min_weight:{style}} to {graph.max_weight:{style}}" if graph.m else ""
    return f"{graph.weight_dtype} weights{span}"


def run_facts(loaded: Loaded, answer: nearfar.Distances | nearfar.Nearest) -> list[Fact]:
    """Tell the graph, what ran, why, and how long it took."""
    distances = answer.distances if isinstance(answer, nearfar.Nearest) else answer
    plan, stats = distances.plan, distances.stats or {}
    spent = f"read {format_seconds(loaded.seconds)}, solved {format_seconds(stats['seconds'])}"
    if stats["compile_seconds"] > LOADING:
        spent += f", loading kernels {format_seconds(stats['compile_seconds'])}"
    return [
        graph_fact(loaded.graph),
        ("method", f"{plan.method} on {plan.device}" + ("" if plan.devices else f", {count(plan.threads, 'thread')}")),
        ("why", plan.why),
        ("time", spent),
        *([("cutoff", f"{distances.cutoff}")] if distances.cutoff is not None else []),
    ]


def reached_fact(reached: int, n: int, one: str = "vertex", several: str = "vertices") -> Fact:
    """Tell how many vertices or pairs have a distance, and how many have none."""
    return "reached", f"{count(reached, one, several)}, {format_count(n - reached)} unreached"


def output_fact(path: str | None) -> list[Fact]:
    """Tell where the answer was written, and how large the file is."""
    return [] if path is None else [("written", f"{path}, {format_bytes(os.path.getsize(path))}")]


def count(number: int, one: str, several: str | None = None) -> str:
    """Write a number of things."""
    return f"{format_count(number)} {one if number == 1 else several or one + 's'}"


def number(value: float) -> str:
    """Write a weight or a distance bare; fractions with nine digits, which is as far as a person compares them."""
    return str(value) if isinstance(value, int) else f"{value:.9g}"


def side_of(graph: Graph) -> str:
    """Return where vertices stand in their column: numbers at the right, words at the left."""
    return "right" if graph.names is None or (graph.n and isinstance(graph.names[0], int)) else "left"


def arrow() -> str:
    """Return the arrow between two vertices, as far as standard output can write it."""
    try:
        "→".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return " -> "
    return " → "


def whole_way(vertices: Sequence[Any]) -> str:
    """Return all vertices of a way."""
    return arrow().join(str(vertex) for vertex in vertices)


def short_way(vertices: Sequence[Any], width: int) -> str:
    """Return a way in one line: both ends, as much of the middle as there is room for, and how many arcs it has."""
    arcs = f", {count(len(vertices) - 1, 'arc')}"
    whole = whole_way(vertices) + arcs if len(vertices) <= width else ""
    if whole and (len(whole) <= width or len(vertices) < 3):  # two ends have nothing between them to leave out
        return whole
    front, back, link = [str(vertices[0])], [str(vertices[-1])], arrow()
    for i in range(1, len(vertices) // 2):
        more_front, more_back = [*front, str(vertices[i])], [str(vertices[-1 - i]), *back]
        if len(link.join([*more_front, "...", *more_back])) + len(arcs) > width:
            break
        front, back = more_front, more_back
    return link.join([*front, "...", *back]) + arcs
