"""TNTP traffic networks: ``<NUMBER OF NODES> n`` and more, ``<END OF METADATA>``, one link per line, ended by ``;``.

A link has two nodes, capacity, length, free_flow_time and more; ``weight`` names the column of the weights. Nodes count
from 1. Coordinates are in a separate file, ``node X Y``.

In traffic models no trip passes through nodes below ``<FIRST THRU NODE>``: they stand for zones where trips begin and
end. By default they are ordinary vertices; their links often cost nothing, so a shortest path may pass through them.
With ``zones="closed"`` no path does: trips to zone 7 end at vertex 7, which no arc leaves, and trips from it begin at
a vertex of its own, called -7.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..errors import OptionError, option
from ..graph import Graph
from ..graph.arrays import Array, shorten
from ..graph.names import ZonedNames
from .coordinates import coordinates_only, read_coordinates
from .format import Format
from .io.files import Source
from .pieces import Pieces
from .text.headers import check_count, count_of, read_triples, size_of
from .text.reader import BOM, LineLayout, Text

STANDARD = (
    "init_node", "term_node", "capacity", "length", "free_flow_time", "b", "power", "speed", "toll", "link_type",
)  # fmt: skip
_FACT = re.compile(rb"<([^>]*)>\s*(\S*)")
_FIRST = ("init_node", "from_node", "a_node", "tail", "source", "from")  # possible names of the first column
_SAME = {"speed_limit": "speed", "type": "link_type"}  # other names of standard columns
_SPACED = re.compile(r"\b(init|term|from|to|free|flow|speed|link) +(?=(node|flow|time|limit|type)\b)", re.IGNORECASE)
_BLANKS = b" \t\r\v\f;"


def read(
    source: Source,
    *,
    weight: str | int | bool = "free_flow_time",
    coordinates: Any = None,
    undirected: bool = False,
    strict: bool = True,
    zones: str = "open",
) -> Graph:
    """Read links; ``weight`` is a column by name or index from 0, or False; ``coordinates`` is a file of nodes.

    ``zones``: "closed" lets no path lead through a zone; trips from zone 7 then begin at vertex -7.
    """
    _check_zones(zones, undirected)
    text = Text(source)
    n, m, first = _metadata(text)
    names, width = _columns(text)
    field = None if weight is False else _field(source, names, max(width, len(names)), weight)
    pieces = Pieces(text.rows(_layout(names, field, n)))
    check_count(text, pieces.count, m, "links", strict)
    points = None if coordinates is None else read_coordinates(coordinates, range(1, n + 1))
    if zones == "open":
        return pieces.graph(n, 1, undirected, coordinates=points)
    closed = np.arange(1, min(first, n + 1))
    pieces.move_tails(first, n)
    ids = ZonedNames(np.concatenate([np.arange(1, n + 1), -closed]))
    places = None if points is None else np.concatenate([points, np.asarray(points)[: len(closed)]])
    return pieces.graph(n + len(closed), 1, names=ids, coordinates=places)


def _check_zones(zones: Any, undirected: bool) -> None:
    """Refuse another word than open or closed, and zones that are closed in both directions."""
    if zones not in ("open", "closed"):
        raise OptionError(f"zones is {zones!r:.60}, but must be 'open' or 'closed'.")
    if zones == "closed" and undirected:
        raise OptionError("zones are closed only in directed networks. Leave undirected out.")


def _metadata(text: Text) -> tuple[int, int, int]:
    """Read up to <END OF METADATA>; return the numbers of nodes and links, and the first node that is no zone."""
    sizes: dict[bytes, int] = {}
    first = 1
    while (line := text.line()) is not None:
        found = _FACT.match(line.strip())
        if not found:
            if line.strip() and not line.strip().startswith(b"~"):
                break
            continue
        fact = b" ".join(found[1].upper().split())
        if fact == b"END OF METADATA":
            break
        if fact == b"FIRST THRU NODE" and re.fullmatch(rb"\d{1,18}", found[2]):
            first = int(found[2])
        if fact in (b"NUMBER OF NODES", b"NUMBER OF LINKS"):
            if not re.fullmatch(rb"\d+", found[2]):
                shown = shorten(found[2][:300].decode("utf8", "replace"), 40)
                raise text.error(f"{shown} was found where a whole number is needed. Correct the line.")
            size = size_of(text, found[2]) if fact.endswith(b"NODES") else count_of(text, found[2], "links")
            if sizes.setdefault(fact, size) != size:
                raise text.error(f"<{fact.decode()}> is {size} here, but was {sizes[fact]} before. Remove one line.")
    if len(sizes) < 2:
        raise text.source.error(
            "the lines '<NUMBER OF NODES> n' and '<NUMBER OF LINKS> m' are missing, with which a network begins. Give "
            f"a file of nodes with {option('coordinates')}; files of trips and flows hold no links."
        )
    if line is None or not line.strip().startswith(b"<"):
        raise text.source.error("the line <END OF METADATA> is missing before the links. Add it.", text.number)
    return sizes[b"NUMBER OF NODES"], sizes[b"NUMBER OF LINKS"], first


def _columns(text: Text) -> tuple[list[str], int]:
    """Read up to the first link; return the names of the columns, and the number of fields of that link.

    The names are in a line that begins with ~, as remarks do: the line that begins with a name of the first column,
    else the last one. Without such lines the columns are the standard ones.
    """
    lines: list[list[str]] = []
    while (line := text.line()) is not None:
        words = line.strip()
        if words and not words.startswith(b"~"):
            break
        if words:
            lines.append(_words(words[1:].decode("utf8", "replace")))
    if line is not None:
        text.back()
    named = [words for words in lines if words]
    last = named[-1] if named else list(STANDARD)
    names = next((words for name in _FIRST for words in named if words[0] == name), last)
    for position, name in enumerate(STANDARD[:2]):
        if name in names and names.index(name) != position:
            raise text.source.error(
                f"the column {name} has index {names.index(name)}, but {position} is needed. Move it there."
            )
    return names, len((line or b"").replace(b";", b" ").split())


def _words(line: str) -> list[str]:
    """Return the names in a line; they may contain blanks if tabs separate them, or if they are known."""
    words = line.split("\t") if "\t" in line.strip() else _SPACED.sub(r"\1_", line).split()
    return [word for word in map(_plain, words) if word not in ("", ";")]


def _plain(word: str) -> str:
    """Return a column's name without units, in lower case: "Free Flow Time (min)" is free_flow_time."""
    return "_".join(re.sub(r"\(.*?\)", " ", word).replace("_", " ").lower().split())


def _field(source: Source, names: list[str], width: int, weight: Any) -> int:
    """Return the index of the column of the weights, which is given by name or by index."""
    wanted = int(weight) if isinstance(weight, str) and re.fullmatch(r"[0-9]{1,4}", weight) else weight
    if isinstance(wanted, str):
        plain, same = _plain(wanted), [_SAME.get(name, name) for name in names]
        pairs = ((names, plain), (same, _SAME.get(plain, plain)))
        wanted = next((known.index(name) for known, name in pairs if name in known), -1)
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 2 <= wanted < width:
        return wanted
    raise OptionError(
        f"{option('weight', weight)} is not a column of {source.name} after the two nodes, which has "
        f"{shorten(', '.join(names[2:]), 200)} (2 to {width - 1}). Use {option('weight')} with one of them, or "
        f"{option('weight', False)}."
    )


def _layout(names: list[str], field: int | None, n: int) -> LineLayout:
    """Return the line layout of the links."""
    wanted = {0: 0, 1: 1} | ({} if field is None else {field: 2})
    fields = [wanted.get(f, -1) for f in range(max(wanted) + 1)]
    like = shorten(" ".join(names[: len(fields)]), 120) + " ... ;"
    return LineLayout(fields, "ii" if field is None else "iin", like, comments=b"~", blanks=_BLANKS, bounds=(1, n))


def read_coordinate_list(source: Source) -> tuple[Array, Array]:
    """Read a file of nodes: the vertices and their coordinates; a header may come first."""
    text = Text(source)
    if re.match(rb"\s*[A-Za-z]", source.head().removeprefix(BOM)):
        text.line()
    layout = LineLayout((0, 1, 2), "inn", "node X Y ;", comments=b"~", blanks=_BLANKS)
    return read_triples(text, layout)


def _matches(head: bytes) -> bool:
    """Return whether a file has the metadata of a network."""
    upper = head.upper()
    return b"<NUMBER OF NODES>" in upper and b"<END OF METADATA>" in upper


FORMAT = Format(
    name="tntp",
    summary="TNTP traffic networks: links with free_flow_time, length, ...; vertices from 1",
    endings=(".tntp",),
    matches=_matches,
    read=read,
)

NODES = Format(
    name="tntp-nodes",
    summary="TNTP coordinates: node X Y; goes with a network",
    endings=("_node.tntp", "_nodes.tntp"),
    matches=lambda head: re.match(rb"\s*~?\s*node\s+x\s+y\b", head.removeprefix(BOM), re.IGNORECASE) is not None,
    read=coordinates_only("links", "the network"),
)
