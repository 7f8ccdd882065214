"""Read text files: single lines for headers, and rows of numbers with a compiled loop (kernels/cpu/text.py).

The text is read block by block, each cut after its last newline, so memory does not grow with the file. A line that
does not fit the layout gives an error with the file, the line number, what was found and what to do; the kernel counts
the lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ...errors import FormatError, option
from ...graph.arrays import Array, shorten
from ..io.files import Source
from .faults import PLAIN_NUMBER, explain, wrong_number

BLANKS = b" \t\r\v\f"
BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # how UTF-16 and UTF-32 files begin
_LONGEST_LINE = 1 << 30
LEAST_ROWS, MOST_ROWS = 1 << 10, 1 << 19  # that are parsed at a time
_FREE = (-(2**63), 2**63 - 1)


@dataclass(frozen=True)
class LineLayout:
    """What the lines of a format look like.

    Attributes
    ----------
    columns : sequence of int
        The column of each field of a line, or -1 for fields that are skipped.
    kinds : str
        What each column holds: "i" whole numbers, "n" numbers, "w" words.
    like : str
        What a line should look like, for errors: "a tail head weight".
    comments, prefix, blanks, delimiter : bytes
        The bytes that begin a comment line; the byte that begins every other line; the bytes that separate or surround
        fields; the byte that separates fields which may be empty.
    bounds : pair of int
        The least and the greatest whole number allowed.
    exact, most : bool, int or None
        Whether more fields than ``columns`` are an error, or the greatest number of fields allowed.
    advice : str
        What to do about a vertex that is not a whole number.
    """

    columns: Sequence[int]
    kinds: str
    like: str
    comments: bytes = b""
    prefix: bytes = b""
    blanks: bytes = BLANKS
    delimiter: bytes = b""
    bounds: tuple[int, int] = _FREE
    exact: bool = False
    most: int | None = None
    advice: str = ""


@dataclass
class Rows:
    """The columns of some rows: whole numbers, or floats if the kind is `"n"` and one of the numbers is not whole."""

    columns: list[Array]
    count: int
    text: Array  # the block of the rows, which contains the words


class Text:
    """A text file, read once from beginning to end."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.number = 0  # of the line that was read last
        self._blocks = self._clean(source)
        self._buffer = b""
        self._at = self._before = 0
        self._passed = 0  # bytes before the buffer

    @property
    def position(self) -> int:
        """How many bytes of the text were read, without a byte-order mark."""
        return self._passed + self._at

    def go_to(self, position: int, number: int) -> None:
        """Go on to a position further down, which is at the end of line ``number``."""
        while self._passed + len(self._buffer) < position:
            self._at = len(self._buffer)
            if not self._extend():
                raise self.source.error("it is shorter than it was. Convert it from the beginning.")
        self._at, self.number = position - self._passed, number

    def line(self) -> bytes | None:
        """Return the next line without its line end, or None at the end of the file."""
        while (end := self._buffer.find(b"\n", self._at)) < 0:
            if not self._extend():
                return None
        line = self._buffer[self._at : end]
        self._before, self._at = self._at, end + 1
        self.number += 1
        return line.rstrip(b"\r")

    def back(self) -> None:
        """Go back before the line that was read last."""
        self._at = self._before
        self.number -= 1

    def rows(self, layout: LineLayout, limit: int | None = None) -> Iterator[Rows]:
        """Yield the rows that follow, block by block, and at most ``limit`` rows."""
        parser = _Parser(layout)
        left = 2**62 if limit is None else limit
        while left > 0 and (self._at < len(self._buffer) or self._extend()):
            end = self._whole_lines()
            text = np.frombuffer(self._buffer, np.uint8, end)
            while self._at < end and left > 0:
                rows, lines, self._at = self._parse(parser, text, left)
                self.number += lines
                left -= rows.count
                if rows.count:
                    yield rows
            self._passed += self._at
            self._buffer, self._at = self._buffer[self._at :], 0

    def lists(self, comments: bytes) -> Iterator[tuple[Array, Array]]:
        """Yield lines of whole numbers, block by block: all values, and for each line where its values end."""
        from ...kernels.cpu import text as kernels

        while self._at < len(self._buffer) or self._extend():
            end = self._whole_lines()
            text = np.frombuffer(self._buffer, np.uint8, end)[self._at :]
            values, ends = np.empty(len(text) // 2 + 1, np.int64), np.empty(self._buffer.count(b"\n") + 1, np.int64)
            state = np.zeros(8, np.int64)
            with np.errstate(over="ignore"):
                kernels.parse_lists(text, _classes(BLANKS), _marks(comments), values, ends, state)
            if state[kernels.STATUS] != kernels.DONE:
                raise self._wrong_list(text, state)
            self.number += int(state[kernels.LINES])
            self._passed += end
            self._buffer, self._at = self._buffer[end:], 0
            yield values[: state[kernels.HARD]], ends[: state[kernels.ROWS]]

    def error(self, what: str, line: int | None = None) -> FormatError:
        """Return an error about the line that was read last, or another one."""
        return self.source.error(what, self.number if line is None else line)

    def _clean(self, source: Source) -> Iterator[bytes]:
        """Yield the blocks of the file without a byte-order mark; refuse files that are not text."""
        head = source.head()
        if head.startswith(_WIDE):
            raise source.error("the text is UTF-16 or UTF-32, but only UTF-8 is read. Save it as UTF-8.", 1)
        old_mac = b"\r" in head[:-1] and b"\n" not in head  # the last byte may be half of a Windows line end
        position, last = 0, b""
        for number, block in enumerate(source.blocks()):
            if b"\0" in block:
                where = position + block.index(b"\0")
                raise source.error(
                    f"byte {where} is zero, so this is no text file. Use {option('format')} if it is another kind."
                )
            if (odd := _odd_end(last, block, old_mac)) is not None:
                raise source.error(
                    f"the text has line ends of two kinds, as byte {position + odd} shows. Convert it, for example "
                    f"with dos2unix or mac2unix."
                )
            position, last = position + len(block), block[-1:]
            text = block[len(BOM) :] if number == 0 and block.startswith(BOM) else block
            if text:
                yield text.replace(b"\r", b"\n") if old_mac else text

    def _extend(self) -> bool:
        """Read more of the file, at least to the end of a line; return whether there was more."""
        parts = [self._buffer[self._at :]]
        size = len(parts[0])
        for block in self._blocks:
            parts.append(block)
            size += len(block)
            if b"\n" in block:
                break
            if size > _LONGEST_LINE:
                raise self.error(
                    f"a line is longer than 1 GB, which no text format has. Use {option('format')} if it is not text."
                )
        else:
            if size and not parts[-1].endswith(b"\n"):
                parts.append(b"\n")
        self._passed += self._at
        self._buffer, self._at = b"".join(parts), 0
        return len(parts) > 1

    def _whole_lines(self) -> int:
        """Return the end of the last complete line in the buffer; read on until there is one."""
        while (end := self._buffer.rfind(b"\n") + 1) <= self._at:
            more = self._extend()
            assert more, "a buffer that is not used up ends with a newline, or can be extended by one"
        return end

    def _parse(self, parser: _Parser, text: Array, limit: int) -> tuple[Rows, int, int]:
        """Parse up to ``limit`` rows; return them, the number of lines passed, and the position after them."""
        from ...kernels.cpu import text as kernels

        state = parser.run(text, self._at, limit)
        lines = int(state[kernels.LINES])
        if (bad := parser.settle(text, state)) is not None:
            start, end = bad
            number = self.number + 1 + self._buffer.count(b"\n", self._at, start)
            token = text[start:end].tobytes()
            raise self.error(wrong_number(token, parser.layout), number)
        if state[kernels.STATUS] not in (kernels.DONE, kernels.FULL):
            raise self._wrong(parser.layout, text, state)
        return parser.rows(int(state[kernels.ROWS]), text), lines, int(state[kernels.POSITION])

    def _wrong(self, layout: LineLayout, text: Array, state: Array) -> FormatError:
        """Return an error about the line at which parsing stopped."""
        from ...kernels.cpu import text as kernels

        position, number = int(state[kernels.POSITION]), self.number + int(state[kernels.LINES]) + 1
        line = self._line_at(position)
        message = explain(int(state[kernels.STATUS]), layout, self._token(layout, position), line)
        return self.source.error(message, number)

    def _line_at(self, position: int) -> str:
        """Return the line around a position of the buffer, shortened."""
        start, end = self._buffer.rfind(b"\n", 0, position) + 1, self._buffer.find(b"\n", position)
        return shorten(self._buffer[start : min(end, start + 300)].decode("utf8", "replace").strip(), 60)

    def _token(self, layout: LineLayout, position: int) -> str:
        """Return the field at a position, shortened."""
        field = re.compile(rb"[^" + re.escape(layout.delimiter + layout.blanks) + rb"\n]*")
        found = field.match(self._buffer, position)
        return shorten(found[0][:300].decode("utf8", "replace") if found else "", 40)

    def _wrong_list(self, text: Array, state: Array) -> FormatError:
        """Return an error about the list of whole numbers at which parsing stopped."""
        from ...kernels.cpu import text as kernels

        position = int(state[kernels.POSITION])
        match = re.compile(rb"\S*").match(text[position : position + 300].tobytes())
        token = shorten(match[0].decode("utf8", "replace") if match else "", 40)
        number = self.number + int(state[kernels.LINES]) + 1
        large = state[kernels.STATUS] == kernels.TOO_LARGE
        rule = "whole numbers end at 2**63 - 1" if large else "a whole number is needed here"
        return self.source.error(f"{token} was found, but {rule}. Correct the line.", number)


class _Parser:
    """The tables of a layout for the kernel, and the columns that the kernel fills."""

    def __init__(self, layout: LineLayout) -> None:
        self.layout = layout
        quotes = b"" if layout.prefix else b'"'
        classes = _classes(layout.blanks, layout.delimiter, quotes)
        kinds = np.array(["inw".index(kind) for kind in layout.kinds], np.int64)
        most = layout.most or (len(layout.columns) if layout.exact else 2**62)
        prefix, delimited = ord(layout.prefix or b"\0"), bool(layout.delimiter)
        fields, bounds = np.array(layout.columns, np.int64), np.array(layout.bounds, np.int64)
        self.tables = (classes, _marks(layout.comments), prefix, delimited, fields, kinds, bounds, most)
        self.capacity = 0

    def run(self, text: Array, begin: int, limit: int) -> Array:
        """Run the kernel from a position on; return its state."""
        from ...kernels.cpu import text as kernels

        if not self.capacity:
            self._allocate(text)
        state = np.zeros(8, np.int64)
        with np.errstate(over="ignore"):  # digits beyond 2**64, when kernels run as plain Python
            kernels.parse_rows(text, begin, limit, self.tables, (self.integers, self.numbers, self.hard), state)
        return state

    def _allocate(self, text: Array) -> None:
        """Allocate columns for the rows of a block, whose number is estimated from the first block."""
        lines = int(np.count_nonzero(text == 10)) * (1 << 20) // max(1, len(text))
        self.capacity = max(LEAST_ROWS, min(lines + lines // 4, MOST_ROWS))
        count = len(self.layout.kinds)
        self.integers = np.empty((count, self.capacity), np.int64)
        self.numbers = np.empty((count, self.capacity if "n" in self.layout.kinds else 0), np.float64)
        self.hard = np.empty((self.capacity * self.layout.kinds.count("n"), 4), np.int64)

    def settle(self, text: Array, state: Array) -> tuple[int, int] | None:
        """Convert the numbers that are not whole; return (start, end) of a field that is not a number, or None."""
        from ...kernels.cpu import text as kernels

        rows, hard = int(state[kernels.ROWS]), self.hard[: state[kernels.HARD]]
        self.floats = {c for c in range(len(self.layout.kinds)) if ((hard[:, 0] == c) & (hard[:, 1] < rows)).any()}
        if not len(hard):
            return None
        from ...kernels.cpu.decimals import convert

        with np.errstate(over="ignore"):
            left = convert(text, hard, self.numbers)
        for column, row, start, end in hard[:left].tolist():
            token = text[start:end].tobytes()
            number = float(token) if PLAIN_NUMBER.fullmatch(token) else np.nan
            too_large = np.isinf(number) and token.lstrip(b"+").lower() not in (b"inf", b"infinity")  # 1e400, -inf
            if np.isnan(number) or too_large or token.strip(b"+-").isdigit():
                return start, end  # reported first, even if the line has another fault
            self.numbers[column, row] = number
        return None

    def rows(self, count: int, text: Array) -> Rows:
        """Return the rows that were parsed last; the next rows overwrite their columns."""
        columns = [
            self.numbers[c, :count] if c in self.floats else self.integers[c, :count]
            for c, kind in enumerate(self.layout.kinds)
        ]
        return Rows(columns, count, text)


def _odd_end(last: bytes, block: bytes, old_mac: bool) -> int | None:
    """Return where a block breaks the rule for line ends, or None; ``last`` is the byte before the block.

    Old Macs end lines with a carriage return; all others with a newline, and a carriage return may stand only before it
    or at the end of the file.
    """
    if old_mac:
        return block.index(b"\n") if b"\n" in block else None
    if last == b"\r" and not block.startswith(b"\n"):
        return -1
    if b"\r" not in block:
        return None
    data = np.frombuffer(block, np.uint8)
    odd = (data[:-1] == ord("\r")) & (data[1:] != ord("\n"))
    return int(odd.argmax()) if odd.any() else None


@cache
def _classes(blanks: bytes, delimiter: bytes = b"", quotes: bytes = b"") -> Array:
    """Return the role of each byte."""
    from ...kernels.cpu import text as kernels

    classes = np.full(256, kernels.OTHER, np.uint8)
    for marks, kind in ((blanks, kernels.BLANK), (delimiter, kernels.DELIMITER), (quotes, kernels.QUOTE)):
        classes[list(marks)] = kind
    classes[ord("\n")] = kernels.NEWLINE
    return classes


@cache
def _marks(comments: bytes) -> Array:
    """Return for each byte whether it begins a comment line."""
    marks = np.zeros(256, np.uint8)
    marks[list(comments)] = 1
    return marks
