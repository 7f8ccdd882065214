"""``nearfar row``: the distances of one source, from a stored matrix."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import click

from ..command import Command, Option
from ..options import JSON, QUIET, shared

SHOWN = 10  # targets on the screen


@click.command(
    cls=Command,
    examples=("nearfar row d.zarr --source 17", "nearfar row d.zarr --source 17 --to 3,99 --json"),
)
@click.argument("store", type=click.Path(), metavar="STORE")
@click.option("--source", required=True, cls=Option, metavar="VERTEX", help="The source, by name.")
@click.option("--to", "-t", multiple=True, cls=Option, metavar="LIST", help="Only these targets: a,b,c or @FILE.")
@shared(JSON, QUIET)
def row(store: str, source: str, to: tuple[str, ...], json: bool, quiet: bool) -> None:
    """Read the distances of one source from STORE, a matrix written with -o NAME.zarr; nothing is solved.

    With --quiet, there is one line per target, the target and its distance, without a heading.
    """
    import nearfar

    from .. import documents

    matrix = nearfar.open_matrix(store)
    start = _name_of(source, matrix.labels[0])
    names = [_name_of(word, matrix.labels[1]) for word in _split(to)] if to else _listed(matrix.targets)
    far = [matrix.distance(start, t) for t in names] if to else _numbers(matrix, start)
    lines = list(zip(names, far, strict=True))
    if json:
        pairs = [{"target": documents.as_json(t), "distance": documents.finite(d)} for t, d in lines]
        documents.show("row", store=store, direction=matrix.direction, source=documents.as_json(start), distances=pairs)
    elif quiet:
        click.echo("".join(f"{t}\t{'unreached' if d == math.inf else d}\n" for t, d in lines), nl=False)
    else:
        _print_screen(f"{matrix.direction.capitalize()} {start} in {store}", lines)


def _print_screen(title: str, lines: list[tuple[Any, Any]]) -> None:
    """Print the first distances, and which is the greatest."""
    from .. import screen

    reached = [(d, t) for t, d in lines if d != math.inf]
    facts = [screen.reached_fact(len(reached), len(lines), "target", "targets")]
    if reached:
        far, where = max(reached, key=lambda pair: pair[0])
        facts.append(("farthest", f"{where}, distance {screen.number(far)}"))
    shown = [(str(t), "unreached" if d == math.inf else screen.number(d)) for t, d in lines[:SHOWN]]
    if len(lines) > SHOWN:
        shown.append((f"{screen.format_count(len(lines) - SHOWN)} more", ""))
    screen.show(title, facts, screen.table_of([("target", "left"), ("distance", "right")], shown))


def _numbers(matrix: Any, start: Any) -> list[Any]:
    """Return the distances of a row, math.inf where there is no path."""
    from ...results.limits import unreached

    mark = unreached(matrix.dtype).item()
    return [math.inf if d == mark else d for d in matrix.row(start).tolist()]


def _split(words: tuple[str, ...]) -> Iterator[str]:
    """Yield the words of comma lists, and the lines of @files."""
    from ..words import lines_of

    for word in words:
        if word.startswith("@"):
            yield from lines_of(word[1:])
        elif word.startswith("("):
            yield word
        else:
            yield from (part.strip() for part in word.split(",") if part.strip())


def _listed(names: Any) -> list[Any]:
    """Return names as a list."""
    found: list[Any] = names.tolist() if hasattr(names, "tolist") else list(names)
    return found


def _name_of(word: str, labels: Any) -> Any:
    """Return the name that a word of the command line means: a number where names are numbers, a cell, or the word."""
    from ...store.matrix.labels import CELL, INDEX, NUMBER

    if labels.kind in (INDEX, NUMBER, CELL):
        numbers = [part.strip() for part in word.strip("()").split(",")]
        count = 2 if labels.kind == CELL else 1
        if len(numbers) == count and all(part.removeprefix("-").isdecimal() for part in numbers):
            return int(numbers[0]) if labels.kind != CELL else tuple(map(int, numbers))
    return word
