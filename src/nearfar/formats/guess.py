"""What the first lines of an edge list tell: how fields are parted, what the header is, which columns to take."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

from ..arrays import shorten
from ..errors import OptionError
from .files import HEAD, Source
from .text import BOM

COMMENTS = b"#%"
PAIRS = (
    ("source", "target"), ("src", "dst"), ("tail", "head"), ("from", "to"), ("u", "v"), ("i", "j"), ("start", "end"),
    ("fromnodeid", "tonodeid"), ("from_node_id", "to_node_id"), ("source_id", "target_id"), ("origin", "destination"),
    ("node1", "node2"), ("init_node", "term_node"),
)  # fmt: skip
WEIGHTS = ("weight", "w", "length", "distance", "dist", "cost", "travel_time", "duration")
SEPARATORS = {"comma": b",", "semicolon": b";", "tab": b"\t", "bar": b"|", "space": b"", "blank": b"", " ": b""}
_INTEGER = re.compile(rb"[+-]?\d+")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE)


@dataclass(frozen=True)
class Guess:
    """How to read an edge list: the delimiter (b"" for blanks), the header's names or None, and the fields to take."""

    delimiter: bytes
    header: tuple[str, ...] | None
    tail: int
    head: int
    weight: int | None
    words: bool
    undirected: bool


def guess(source: Source, options: dict[str, Any]) -> Guess:
    """Decide how to read a file from its first lines and what the user said."""
    lines = first_lines(source.head())
    if not lines:
        raise source.error("there are no arcs in the file, only blank lines or comments. Nothing can be read.")
    delimiter = _delimiter(lines, options.get("separator"), os.path.splitext(source.plain_name)[1])
    rows = [split(line, delimiter) for line in lines]
    header = _header(rows, options.get("header"))
    rows = rows[1:] if header else rows
    tail, head = _ends(source, header, rows, options)
    weight = _weight(source, header, rows, options, (tail, head))
    if tail == head or weight in (tail, head):
        raise OptionError(
            f"tail={tail}, head={head} and weight={weight} share a column of {source.name}. Give each one."
        )
    words = options.get("names")
    if words is None:
        words = any(not _INTEGER.fullmatch(row[f]) for row in rows for f in (tail, head) if f < len(row))
    undirected = options.get("undirected")
    if undirected is None:
        undirected = re.search(rb"^#\s*Undirected graph", source.head(), re.MULTILINE | re.IGNORECASE) is not None
    return Guess(delimiter, header, tail, head, weight, bool(words), bool(undirected))


def first_lines(head: bytes, most: int = 200) -> list[bytes]:
    """Return the first lines that are neither blank nor comments."""
    text = head.removeprefix(BOM)
    if len(head) >= HEAD and b"\n" in text:
        text = text[: text.rindex(b"\n")]  # the last line may go on
    lines = (line.strip(b" \r\v\f") for line in re.split(rb"\r\n|\n|\r", text))
    return [line for line in lines if line.strip() and line.strip()[:1] not in (b"#", b"%")][:most]


def split(line: bytes, delimiter: bytes) -> list[bytes]:
    """Return the fields of a line; quotes are taken off, and keep delimiters from counting."""
    if not delimiter:
        return [quoted or plain for quoted, plain in re.findall(rb'"([^"]*)"|(\S+)', line)]
    fields: list[bytes] = []
    parts: list[bytes] = []
    for part in line.split(delimiter):
        parts.append(part)
        if part.count(b'"') % 2 == (len(parts) > 1):  # no quote is open, or the open one is closed
            fields.append(delimiter.join(parts))
            parts = []
    fields += [delimiter.join(parts)] if parts else []
    return [field.strip().removeprefix(b'"').removesuffix(b'"') for field in fields]


def _delimiter(lines: list[bytes], separator: Any, ending: str) -> bytes:
    """Return what parts fields: as the user says, else what parts all lines into as many fields, else blanks."""
    if separator is not None:
        text = separator if isinstance(separator, str) else str(separator)
        found = SEPARATORS.get(text, text.encode())
        if len(found) > 1 or found in (b'"', b"\n", b"\r") or found.isalnum():
            raise OptionError(
                f"separator is {shorten(separator)}, but one character that is no letter, digit or quote is needed, "
                f"or one of {', '.join(name for name in SEPARATORS if name.strip())}."
            )
        return found
    body = lines[1:] or lines  # the first may be a header
    if all(len(fields := line.split()) > 1 and all(map(_INTEGER.fullmatch, fields[:2])) for line in body):
        return b""
    first = {".csv": b",", ".tsv": b"\t", ".tab": b"\t"}.get(ending, b"")
    marks = sorted((b",", b";", b"\t", b"|"), key=lambda mark: mark != first)
    for mark in marks:
        counts = {len(split(line, mark)) for line in lines}
        if len(counts) == 1 and counts != {1}:
            return mark
    bare = re.sub(rb'"[^"]*"', b"", lines[-1])
    return next((mark for mark in marks if mark in bare), b"")


def _header(rows: list[list[bytes]], wanted: Any) -> tuple[str, ...] | None:
    """Return the names of the columns, if the first line holds them."""
    first = [field.decode("utf8", "replace") for field in rows[0]]
    if wanted is not None:
        return tuple(first) if wanted else None
    if any(_NUMBER.fullmatch(field) for field in rows[0]):
        return None
    known = {name for pair in PAIRS for name in pair} | set(WEIGHTS)
    if sum(name.strip().lower() in known for name in first) >= 2:
        return tuple(first)
    numeric = len(rows) > 1 and any(_NUMBER.fullmatch(field) for field in rows[1])
    return tuple(first) if numeric else None


def _ends(
    source: Source, header: tuple[str, ...] | None, rows: list[list[bytes]], options: dict[str, Any]
) -> tuple[int, int]:
    """Return the fields of tail and head."""
    lower = [name.strip().lower() for name in header or ()]
    pair = next(((a, b) for a, b in PAIRS if a in lower and b in lower), None)
    tail, head = (lower.index(pair[0]), lower.index(pair[1])) if pair else (0, 1)
    tail = tail if options.get("tail") is None else _field(source, header, rows, "tail", options["tail"])
    head = head if options.get("head") is None else _field(source, header, rows, "head", options["head"])
    if rows and max(tail, head) >= len(rows[0]):
        raise source.error(
            f"the first row has {len(rows[0])} field(s), but a tail and a head are needed. "
            f"Say separator= if fields are parted by something else than blanks, commas, semicolons or tabs."
        )
    return tail, head


def _weight(
    source: Source,
    header: tuple[str, ...] | None,
    rows: list[list[bytes]],
    options: dict[str, Any],
    ends: tuple[int, int],
) -> int | None:
    """Return the field of the weight: the one asked for, one called so, the third if it is a number, or none."""
    wanted = options.get("weight")
    if wanted is False:
        return None
    if wanted is not None:
        return _field(source, header, rows, "weight", wanted)
    lower = [name.strip().lower() for name in header or ()]
    called = next((lower.index(name) for name in WEIGHTS if name in lower and lower.index(name) not in ends), None)
    if called is not None:
        return called
    if not rows or len(rows[0]) < 3 or max(ends) > 1:
        return None
    if rows[0][2].startswith(b"{"):
        raise source.error(
            "the rows end in attributes {...}, as NetworkX writes them. Write them with "
            "networkx.write_weighted_edgelist, or say weight=False to leave them out."
        )
    return 2 if _NUMBER.fullmatch(rows[0][2]) else None


def _field(source: Source, header: tuple[str, ...] | None, rows: list[list[bytes]], role: str, wanted: Any) -> int:
    """Return the number of a field that the user gave by name or number."""
    count = max((len(row) for row in rows[:1]), default=len(header or ()))
    if header is not None and wanted in header:
        return header.index(wanted)
    if isinstance(wanted, str) and wanted.isdecimal():
        wanted = int(wanted)
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < count:
        return wanted
    there = f"columns {', '.join(map(repr, header))}" if header else f"{count} columns without names, 0 to {count - 1}"
    raise OptionError(f"{role}={wanted!r} is not a column of {source.name}, which has {there}. Name one of them.")
