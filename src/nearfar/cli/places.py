"""Places as they are typed: ``7.42,43.73``, longitude and latitude, stands for the vertex that is nearest to it.

A word is a place if it is two numbers with a comma between, at least one of them with a decimal point, the graph has
coordinates, and no vertex is called so. So ``3,4`` remains a list of two vertices; the place is ``3.0,4.0``. A file of
vertices may be a table of places: its first line names the columns lon and lat, and perhaps name.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..errors import clip

if TYPE_CHECKING:
    from ..graph import Graph

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)"
_PAIR = re.compile(rf"\s*({_NUMBER})\s*,\s*({_NUMBER})\s*", re.ASCII)
_COLUMN_ENDS = re.compile(r"[,;\t|]")  # tables of places have commas; others are recognized to be refused
_AXES = (("lon", "lat"), ("longitude", "latitude"), ("lng", "lat"), ("x", "y"))
_SHOWN = 4  # places on the screen
_FAR = 1000  # metres from which a place is worth a remark


class Place(str):
    """A word that is a place; ``label`` is what the user calls it."""

    label: str


class Found(NamedTuple):
    """A place, the vertex that is nearest, how far that is, and in which unit."""

    label: str
    vertex: Any
    distance: float
    unit: str | None


def as_place(graph: Graph, word: str) -> Place | None:
    """Return a word as a place, or None; whether a vertex is called so is asked before."""
    if isinstance(word, Place):
        return word
    return None if graph.coordinates is None or not is_pair(word) else _named(word, word.strip())


def is_pair(word: str) -> bool:
    """Return whether a word is written as longitude and latitude."""
    return "." in word and _PAIR.fullmatch(word) is not None


def _named(word: str, label: str) -> Place:
    """Return a place that is called ``label``."""
    place = Place(word)
    place.label = label
    return place


def find_places(graph: Graph, places: Sequence[Place], role: str) -> list[Any]:
    """Return the names of the vertices nearest to places, and keep for the output which these are."""
    pairs = [[float(number) for number in _numbers(place)] for place in places]
    labels = [place.label for place in places]
    return snap_places(graph, [lon for lon, _ in pairs], [lat for _, lat in pairs], labels, role)


def snap_places(
    graph: Graph, lon: Sequence[float], lat: Sequence[float], labels: Sequence[str], role: str
) -> list[Any]:
    """Return the names of the vertices nearest to coordinates, and keep for the output which these are."""
    if not labels:
        return []
    from ..geo import snap
    from ..results.lookup import list_names

    found = snap(graph, lon, lat)
    names = list_names(graph, found.indices)
    kept: list[Found] = graph.memo.setdefault("typed places", [])
    for label, name, far in zip(labels, names, found.distance.tolist(), strict=True):
        kept.append(Found(label, name, far, found.unit))
        if far > _FAR and found.unit == "m":
            from .screen import note

            note(f"{role} {label} is {_length(far, 'm')} from the nearest vertex, {name}")
    return names


def _numbers(place: Place) -> tuple[str, str]:
    """Return both numbers of a place."""
    match = _PAIR.fullmatch(place)
    assert match is not None
    return match[1], match[2]


def table_of_places(lines: list[str], path: str) -> Iterator[Place] | None:
    """Return the places of a table, or None if the first line does not name the columns of one."""
    columns = [name.strip().lower() for name in next(csv.reader(lines[:1]), [])]
    axes = axes_of(columns)
    return None if axes is None else _places_of(lines, columns, axes, path)


def axes_of(columns: Sequence[str]) -> tuple[str, str] | None:
    """Return which columns, in small letters, are longitude and latitude; None if none are."""
    return next((axes for axes in _AXES if set(axes) <= set(columns)), None)


def refuse_columns(lines: list[str], path: str) -> None:
    """Refuse a table of other columns than places have; its first line is no vertex.

    That line names columns if one of them is that of a coordinate, or if two numbers stand in the line below.
    """
    columns, below = ([part.strip() for part in _COLUMN_ENDS.split(line)] for line in (*lines[:2], "")[:2])
    axes = {axis for axes in _AXES for axis in axes}
    named = any(name.lower() in axes for name in columns) or sum(map(_is_number, below)) > 1
    if len(columns) < 2 or any(map(_is_number, columns)) or not named:
        return
    if "," in lines[0]:
        found = f"its columns are {clip(', '.join(columns))}. Call those of the coordinates lon and lat"
    else:
        found = f"its first line is '{clip(lines[0])}'. Put commas between the columns, and name them lon,lat"
    raise click.UsageError(
        f"{path} has no columns lon and lat: {found}",
        click.get_current_context(silent=True),
    )


def _is_number(text: str) -> bool:
    """Return whether a text is one number, as places have them."""
    return re.fullmatch(_NUMBER, text, re.ASCII) is not None


def _places_of(lines: list[str], columns: list[str], axes: tuple[str, str], path: str) -> Iterator[Place]:
    """Yield the places of a table."""
    x, y = (columns.index(axis) for axis in axes)
    name = columns.index("name") if "name" in columns else None
    for number, row in enumerate(csv.reader(lines[1:]), 1):
        word = f"{row[x]},{row[y]}" if len(row) == len(columns) else ""
        if not _PAIR.fullmatch(word):
            raise click.UsageError(
                f"{path}, place {number}: '{clip(','.join(row), 40)}' has no numbers for {axes[0]} and {axes[1]}; "
                f"write a line like the first one, {clip(lines[0], 40)}",
                click.get_current_context(silent=True),
            )
        yield _named(word, word if name is None else row[name])


def place_facts(graph: Graph) -> list[tuple[str, str]]:
    """Return for the screen which vertices the places of the command stand for."""
    kept: list[Found] = list(dict.fromkeys(graph.memo.get("typed places", [])))
    shown = [
        f"{found.label} is at {found.vertex}, {_length(found.distance, found.unit)} away" for found in kept[:_SHOWN]
    ]
    more = [f"and {len(kept) - _SHOWN:,} more"] if len(kept) > _SHOWN else []
    return [("places", "; ".join([*shown, *more]))] if kept else []


def places_document(graph: Graph) -> dict[str, Any]:
    """Return for JSON which vertices the places of the command stand for; nothing if there are none."""
    from .documents import as_json

    kept: list[Found] = list(dict.fromkeys(graph.memo.get("typed places", [])))
    listed = [
        {"place": found.label, "vertex": as_json(found.vertex), "distance": found.distance, "unit": found.unit}
        for found in kept
    ]
    return {"places": listed} if kept else {}


def _length(length: float, unit: str | None) -> str:
    """Write how far a place is."""
    if unit == "m" and length >= _FAR:
        return f"{length / 1000:.3g} km"
    return f"{length:.3g}" + (f" {unit}" if unit else "")
