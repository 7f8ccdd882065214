"""Text output for people: a heading, facts in two columns, small tables, a path shortened to the line.

Distances and vertices are printed without separators, so that they can be copied; counts have separators. In a pipe
there are no colours and lines have 80 characters.
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
from .places import place_facts

if TYPE_CHECKING:
    from rich.console import Console

    from ..graph import Graph
    from ..store.written import Written
    from .summary import Row
    from .work import Loaded

Fact = tuple[str, str]
SHOWN = 10  # rows of a table
SHOWN_ROWS = 4  # closed rows of the file that are named
LOADING = 0.05  # seconds of loading kernels from which they are mentioned


def console() -> Console:
    """Return standard output as a console of rich."""
    from .console import Plain

    return Plain()


def note(text: str) -> None:
    """Print a remark that is not part of the answer on standard error."""
    print(f"nearfar: {text}", file=sys.stderr)


def show(heading: str, facts: Sequence[Fact], *tables: Any) -> None:
    """Print a heading, then facts, then tables, with empty lines between them."""
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
    """Print without trailing spaces: rich pads lines with them, and files would keep them."""
    if out.is_terminal:
        out.print(part)
        return
    with out.capture() as text:
        out.print(part)
    print("\n".join(line.rstrip() for line in text.get().splitlines()))


def table_of(columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[Any]]) -> Any:
    """Return a table without rules; a column is a heading and "left" or "right"."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="cyan")
    for heading, side in columns:
        table.add_column(heading, justify="right" if side == "right" else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    return table


def row_table(graph: Graph, rows: Sequence[Row], counted: str, direction: str) -> Any:
    """Return a table of the first sources: the number of vertices of each, and the farthest of these."""
    side = side_of(graph)
    lines = [(graph.name(row.source), format_count(row.reached), *_farthest(graph, row)) for row in rows[:SHOWN]]
    if len(rows) > SHOWN:
        lines.append((f"{format_count(len(rows) - SHOWN)} more", "", "", ""))
    columns = [
        ("source" if direction == "from" else "target", side),
        (counted, "right"),
        ("farthest", side),
        (distance_heading(graph), "right"),
    ]
    return table_of(columns, lines)


def distance_heading(graph: Graph) -> str:
    """Return the heading of a column of distances, with their unit if it is known."""
    return "distance" if graph.units.weights is None else f"distance ({graph.units.weights})"


def _farthest(graph: Graph, row: Row) -> tuple[str, str]:
    """Return the farthest vertex of a row and its distance, or nothing."""
    return ("", "") if row.farthest is None else (str(graph.name(row.farthest[0])), number(row.farthest[1]))


def graph_fact(graph: Graph) -> Fact:
    """Describe a graph in one line."""
    return "graph", f"{count(graph.n, 'vertex', 'vertices')}, {count(graph.m, 'arc')}, {weights_of(graph)}"


def weights_of(graph: Graph) -> str:
    """Describe the weights in a few words."""
    if graph.weight_dtype is None:
        return "unweighted"
    style = "d" if graph.weight_dtype.kind == "i" else "g"
    span = f" {graph.min_weight:{style}} to {graph.max_weight:{style}}" if graph.m else ""
    return graph.units.behind(f"{graph.weight_dtype} weights{span}") if span else f"{graph.weight_dtype} weights"


def run_facts(
    loaded: Loaded, answer: nearfar.Distances | nearfar.Nearest | nearfar.KNearest | nearfar.Table | Written
) -> list[Fact]:
    """Describe the graph, what ran, why, and how long it took."""
    distances = answer.distances if isinstance(answer, nearfar.Nearest) else answer
    plan, stats = distances.plan, distances.stats or {}
    spent = f"read {format_seconds(loaded.seconds)}, solved {format_seconds(stats['seconds'])}"
    if (loading := stats.get("compile_seconds", 0.0)) > LOADING:
        spent += f", loading kernels {format_seconds(loading)}"
    return [
        graph_fact(loaded.graph),
        ("method", f"{plan.method} on {plan.device}" + ("" if plan.devices else f", {count(plan.threads, 'thread')}")),
        ("why", plan.why),
        ("time", spent),
        *([("cutoff", f"{distances.cutoff}")] if distances.cutoff is not None else []),
        *([("closed", closed_rows(loaded))] if loaded.closed else []),
        *place_facts(loaded.graph),
    ]


def closed_rows(loaded: Loaded) -> str:
    """Name the arcs of the rows that were left out, the first ones if they are many."""
    whole = loaded.graph.opened
    arcs = [whole.rows.tolist().index(row) for row in loaded.closed[:SHOWN_ROWS]]
    ends = [(whole.name(int(whole.tails[e])), whole.name(int(whole.heads[e]))) for e in arcs]
    shown = [f"row {row}, {tail} → {head}" for row, (tail, head) in zip(loaded.closed, ends, strict=False)]
    more = len(loaded.closed) - SHOWN_ROWS
    return "; ".join(shown) + (f"; and {format_count(more)} more" if more > 0 else "")


def reached_fact(reached: int, n: int, one: str = "vertex", several: str = "vertices") -> Fact:
    """Return how many vertices or pairs have a distance, and how many have none."""
    return "reached", f"{count(reached, one, several)}, {format_count(n - reached)} unreached"


def output_fact(path: str | None) -> list[Fact]:
    """Return where the answer was written, and how large the file is."""
    return [] if path is None else [("written", f"{path}, {format_bytes(os.path.getsize(path))}")]


def count(number: int, one: str, several: str | None = None) -> str:
    """Write a number of things."""
    return f"{format_count(number)} {one if number == 1 else several or one + 's'}"


def number(value: float) -> str:
    """Write a weight or a distance without separators; fractions with nine digits, which is enough for reading."""
    return str(value) if isinstance(value, int) else f"{value:.9g}"


def side_of(graph: Graph) -> str:
    """Return how a column of vertices is aligned: numbers to the right, words to the left."""
    return "right" if graph.names is None or (graph.n and isinstance(graph.names[0], int)) else "left"


def arrow() -> str:
    """Return the arrow between two vertices, in ASCII if standard output cannot write the better one."""
    try:
        "→".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return " -> "
    return " → "


def whole_path(vertices: Sequence[Any]) -> str:
    """Return all vertices of a path, in one line."""
    return arrow().join(str(vertex) for vertex in vertices)


def short_path(vertices: Sequence[Any], width: int) -> str:
    """Return a path that fits in one line: both ends, as much of the middle as fits, and its number of arcs."""
    arcs = f", {count(len(vertices) - 1, 'arc')}"
    whole = whole_path(vertices) + arcs if len(vertices) <= width else ""
    if whole and (len(whole) <= width or len(vertices) < 3):  # between two ends there is nothing to leave out
        return whole
    front, back, link = [str(vertices[0])], [str(vertices[-1])], arrow()
    for i in range(1, len(vertices) // 2):
        more_front, more_back = [*front, str(vertices[i])], [str(vertices[-1 - i]), *back]
        if len(link.join([*more_front, "...", *more_back])) + len(arcs) > width:
            break
        front, back = more_front, more_back
    return link.join([*front, "...", *back]) + arcs
