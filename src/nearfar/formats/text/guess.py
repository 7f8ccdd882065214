"""Guess from the first lines of an edge list how fields are separated, what the header is, and which columns to read.

Edge lists have no rules, so everything is a guess, and a wrong guess would silently give wrong distances. So a guess is
made only if the first lines (200 of them, within 64 kB) allow no other reading. Anything unusual about them is an error
that says which option decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ...errors import OptionError, option
from ...graph.roles import PAIRS, WEIGHTS
from ..io.files import HEAD, Source
from .reader import BOM
from .sample import INTEGER, NUMBER, Sample

COMMENTS = b"#%"
SEPARATORS = {"comma": b",", "semicolon": b";", "tab": b"\t", "bar": b"|", "space": b"", "blank": b"", " ": b""}
_MARKS = (b"\t", b";", b"|", b",")  # in this order: commas also occur inside numbers and names
_UNDIRECTED = re.compile(rb"^(#\s*Undirected graph|%\s*(sym|bip)\b)", re.MULTILINE | re.IGNORECASE)
_DIRECTED = re.compile(rb"^#\s*(Und|D)irected graph", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True)
class Guess:
    """How to read an edge list: the delimiter (b"" for blanks), the header's names or None, and the fields to read."""

    delimiter: bytes
    header: tuple[str, ...] | None
    tail: int
    head: int
    weight: int | None
    words: bool
    undirected: bool
    width: int


def guess(source: Source, options: dict[str, Any]) -> Guess:
    """Decide how to read a file, from its first lines and the options."""
    if b"\0" in source.head():
        return Guess(b"", None, 0, 1, None, False, False, 2)  # not text: the parser raises the error
    lines = first_lines(source.head())
    if not lines:
        raise source.error("there are no arcs within the first 64 kB, only blank lines or comments. Remove these.")
    delimiter = _delimiter(lines, options.get("separator"))
    rows = [split(line, delimiter) for line in lines]
    header = _header(source, rows, options)
    sample = Sample(source, header, rows[1:] if header else rows, delimiter)
    tail, head, weight = sample.roles(options.get("tail"), options.get("head"), options.get("weight"))
    words = options.get("names")
    if words is None:
        words = not sample.are_numbers((tail, head))
    undirected = options.get("undirected")
    if undirected is None:
        undirected = _UNDIRECTED.search(source.head()) is not None
    return Guess(delimiter, header, tail, head, weight, bool(words), bool(undirected), len(rows[0]))


def first_lines(head: bytes, most: int = 200) -> list[bytes]:
    """Return the first lines that are neither blank nor comments."""
    text = head.removeprefix(BOM)
    if len(head) >= HEAD and b"\n" in text:
        text = text[: text.rindex(b"\n")]  # the last line may be cut
    lines = (line.strip(b" \r\v\f") for line in re.split(rb"\r\n|\n|\r", text))
    return [line for line in lines if line.strip() and line.strip()[:1] not in (b"#", b"%")][:most]


def split(line: bytes, delimiter: bytes) -> list[bytes]:
    """Return the fields of a line without their quotes; delimiters inside quotes do not count."""
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


def _delimiter(lines: list[bytes], separator: Any) -> bytes:
    """Return the delimiter: the given one, else one that splits all lines into equally many fields, else blanks."""
    if separator is not None:
        return _given(separator)
    blanks = {len(split(line, b"")) for line in lines}
    numbers = all(len(f := line.split()) > 1 and all(map(INTEGER.fullmatch, f[:2])) for line in lines[1:] or lines)
    for mark in _MARKS:
        counts = {len(split(line, mark)) for line in lines}
        if len(counts) != 1 or counts == {1}:
            continue
        if mark == b"\t" and numbers and len(blanks) == 1 and blanks != counts:
            return b""  # tabs and blanks are mixed, and only together they separate the numbers
        if mark == b"\t" or not numbers:
            return mark
    if numbers:
        return b""
    bare = [re.sub(rb'"[^"]*"', b"", line) for line in lines]
    return next((mark for mark in _MARKS if all(mark in line for line in bare)), b"")


def _given(separator: Any) -> bytes:
    """Return the given separator as a delimiter."""
    text = separator if isinstance(separator, str) else str(separator)
    found = SEPARATORS.get(text, text.encode())
    if len(found) > 1 or found in (b'"', b"\n", b"\r") or found.isalnum():
        raise OptionError(
            f"{option('separator', separator)} is no separator. Give one character that is no letter, digit or quote, "
            f"or one of {', '.join(name for name in SEPARATORS if name.strip())}."
        )
    return found


def _header(source: Source, rows: list[list[bytes]], options: dict[str, Any]) -> tuple[str, ...] | None:
    """Return the names of the columns if the first line is a header, else None."""
    first, body, wanted = rows[0], rows[1:], options.get("header")
    names = tuple(field.decode("utf8", "replace").strip() for field in first)
    if wanted is not None:
        return names if wanted else None
    given = {name for role in ("tail", "head", "weight") if isinstance(name := options.get(role), str)}
    if any(name in names and not name.isdecimal() for name in given):
        return names  # only a header holds the name of a column
    if _DIRECTED.search(source.head()) or not all(first) or any(map(NUMBER.fullmatch, first)):
        return None
    if body and len(body[0]) != len(first):
        return None
    known = {name for pair in PAIRS for name in pair} | set(WEIGHTS)
    usual = sum(name.lower() in known for name in names) >= 2
    if not usual and not (body and any(map(NUMBER.fullmatch, body[0]))):
        return None
    if any(field in first for row in body for field in row if row != first):
        return None  # a vertex of another line occurs here, so this is no header
    if first in body:
        raise source.error(
            f"the first line, which looks like a header, occurs again. Remove it, or use {option('header', False)}."
        )
    return names
