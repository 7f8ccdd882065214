"""The fast parser of lines against a slow one: whatever the layout, blocks and blanks, the same rows, the same line."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers.marks import JIT
from nearfar.errors import FormatError
from nearfar.formats.io import files
from nearfar.formats.io.files import Source
from nearfar.formats.text.reader import BLANKS, LineLayout, Text
from nearfar.formats.text.words import Words

NUMBERS = st.sampled_from(
    ["0", "7", "-3", "+12", "007", "9223372036854775807", "1.5", "-2e3", ".25", "4.", "1e-7", "inf"]
)
WORDS = st.sampled_from(["Ulm", "7", "x y", "Ärzte", "a,b", "-", "1.5"])
GAPS = st.sampled_from([" ", "\t", "  ", " \t "])


def rows_of(data, layout, limit=None):
    """Return the rows as lists of Python values, words as bytes."""
    with Source(io.BytesIO(data)) as source:
        found = []
        for rows in Text(source).rows(layout, limit):
            columns = []
            for kind, column in zip(layout.kinds, rows.columns, strict=True):
                if kind == "w":
                    spans = [(span >> 31, span & (2**31 - 1)) for span in column.tolist()]
                    columns.append([rows.text[start : start + size].tobytes() for start, size in spans])
                else:
                    columns.append(column.tolist())
            found += zip(*columns, strict=True)
        return found


@st.composite
def blank_lines(draw):
    """Return lines of a whole number, a number and a skipped word, and the rows they hold."""
    text, rows = "", []
    for _ in range(draw(st.integers(0, 8))):
        kind = draw(st.integers(0, 5))
        if kind == 0:
            text += draw(st.sampled_from(["", "  ", "\t", "# 1 2 3", "  # x"])) + "\n"
            continue
        first, number = draw(st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(0, 99)), draw(NUMBERS)
        rows.append((first, float(number)))
        lead, gap, tail = draw(st.sampled_from(["", " ", "\t"])), draw(GAPS), draw(st.sampled_from(["", " ", "\r"]))
        text += f"{lead}{first}{gap}skip{gap}{number}{gap}more{tail}\n"
    return text[:-1] if draw(st.booleans()) and rows and not text.endswith("\n\n") else text, rows


@given(blank_lines(), st.integers(1, 40))
def test_blanks_part_fields(case, block):
    text, rows = case
    layout = LineLayout((0, -1, 1), "in", "a skip b", comments=b"#")
    with pytest.MonkeyPatch.context() as patch:  # tiny blocks: lines are cut anywhere
        patch.setattr(files, "HEAD", block)
        patch.setattr(files, "BLOCK", block)
        found = rows_of(text.encode(), layout)
    assert [(a, float(b)) for a, b in found] == rows


@given(st.lists(st.tuples(WORDS, NUMBERS, st.booleans()), max_size=6), st.sampled_from([",", ";", "\t"]))
@example([("Ulm", "1.5", True)], ",")
def test_delimiters_part_fields(cells, mark):
    lines = [
        f'"{word}"{mark} {number} {mark}x' if quoted or mark in word else f"{word} {mark}{number}{mark}"
        for word, number, quoted in cells
    ]
    layout = LineLayout((0, 1), "wn", "word,number", delimiter=mark.encode(), blanks=BLANKS.replace(mark.encode(), b""))
    found = rows_of("\r\n".join(lines).encode(), layout)
    assert [(word.decode(), float(number)) for word, number in found] == [(word, float(n)) for word, n, _ in cells]


def test_limit_leaves_the_rest():
    with Source(io.BytesIO(b"1 2\n3 4\n5 6\nlast\n")) as source:
        text = Text(source)
        layout = LineLayout((0, 1), "ii", "a b")
        assert [rows.count for rows in text.rows(layout, 2)] == [2] and text.number == 2
        assert text.line() == b"5 6" and text.line() == b"last" and text.line() is None


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("5", "too few fields"),
        ("5 6 7 8", "too many fields"),
        ("5 6 x", "'x' was found where a number is needed"),
        ("5 6 nan", "'nan' was found"),
        ("5 6 -inf", "'-inf' was found"),
        ("5 6 1_000", "'1_000' was found"),
        ("5 6 99999999999999999999", "whole numbers end at 2\\*\\*63 - 1"),
        ("5 9223372036854775808 6", "whole numbers end at 2\\*\\*63 - 1"),
        ("5 6.0 7", "'6.0' was found where a whole number is needed"),
        ("5 x 7", "'x' was found where a whole number is needed"),
        ("5 - 7", "'-' was found where a whole number is needed"),
        ("5 100 7", "vertex 100 does not exist: vertices are 0 to 99"),
        ("5 -1 7", "vertex -1 does not exist"),
    ],
)
def test_wrong_lines(line, what):
    data = "# first\n1 2 3\n\n1 2 2.5\n" + line + "\n1 2 3\n"
    layout = LineLayout((0, 1, 2), "iin", "tail head weight", comments=b"#", bounds=(0, 99), exact=True)
    if "9223372036854775808" in line:
        layout = LineLayout((0, 1, 2), "iin", "tail head weight", comments=b"#")
    with pytest.raises(FormatError, match=what) as caught:
        rows_of(data.encode(), layout)
    assert caught.value.line == 5 and "line 5" in str(caught.value)


@pytest.mark.parametrize(
    ("line", "what"),
    [(",2", "empty field"), ('"1,2', "quote"), ('"1"x,2', "after a field"), ('1,"2" 3', "after a field")],
)
def test_wrong_delimited_lines(line, what):
    with pytest.raises(FormatError, match=what) as caught:
        rows_of(f"1,2\n{line}\n".encode(), LineLayout((0, 1), "ii", "a,b", delimiter=b","))
    assert caught.value.line == 2


def test_prefix():
    layout = LineLayout((0,), "i", "a vertex", comments=b"c", prefix=b"a")
    assert rows_of(b"c\nc text\na 1\n  a  2\n\na\t3 x\n", layout) == [(1,), (2,), (3,)]
    for wrong in (b"b 1\n", b"a1\n", b"cat 1\n", b"1\n"):
        with pytest.raises(FormatError, match="a line should be: a vertex"):
            rows_of(b"a 1\n" + wrong, layout)


def test_line_ends_and_marks():
    layout = LineLayout((0, 1), "ii", "a b")
    wanted = [(1, 2), (3, 4)]
    for data in (b"\xef\xbb\xbf1 2\n3 4\n", b"1 2\r\n3 4\r\n", b"1 2\r3 4\r", b"1 2\n\n\n3 4", b"1\t2 \n 3  4\n\n"):
        assert rows_of(data, layout) == wanted, data
    for data in ("1 2\n".encode("utf-16"), b"1 2\n\0\n"):
        with pytest.raises(FormatError):
            rows_of(data, layout)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 64])
@pytest.mark.parametrize(
    "data", [b"1 2\r3 4\r5 6\n7 8", b"1 2\r\n3 4\r5 6\r\n", b"1 2\n3 4\r5 6", b"1 2\n3 4\r\r\n5 6\n", b"1 2\r3 4\r\n"]
)
def test_line_ends_of_two_kinds(monkeypatch, data, size):
    monkeypatch.setattr(files, "HEAD", size)
    monkeypatch.setattr(files, "BLOCK", size)
    with pytest.raises(FormatError, match=r"line ends of two kinds.*dos2unix"):
        rows_of(data, LineLayout((0, 1), "ii", "a b"))
    for end in (b"\r\n", b"\n"):  # whatever the blocks, ends of one kind are fine; so is the half of one at the end
        assert rows_of(b"1 2" + end + b"3 4" + end[:1], LineLayout((0, 1), "ii", "a b")) == [(1, 2), (3, 4)]


@pytest.mark.parametrize(("one", "other"), [(b"\n", b"\r"), (b"\r\n", b"\r"), (b"\r", b"\n")])
def test_line_ends_of_two_kinds_far_apart(one, other):
    data = (b"1 2" + one) * 40_000 + b"5 6" + other + b"7 8" + one
    with pytest.raises(FormatError, match="line ends of two kinds"):
        rows_of(data, LineLayout((0, 1), "ii", "a b"))


def test_a_line_is_taken_back():
    with Source(io.BytesIO(b"one\n1 2\n3 4")) as source:
        text = Text(source)
        assert [text.line(), text.line(), text.number] == [b"one", b"1 2", 2]
        text.back()
        assert text.number == 1 and [rows.columns[0].tolist() for rows in text.rows(LineLayout((0, 1), "ii", "a b"))]
        assert text.number == 3 and text.line() is None


def test_lists():
    with Source(io.BytesIO(b"% comment\n1 2 3\n\n% x\n4\n5 6")) as source:
        blocks = list(Text(source).lists(b"%"))  # the last line, which has no end, comes by itself
    assert [values.tolist() for values, _ in blocks] == [[1, 2, 3, 4], [5, 6]]
    assert [ends.tolist() for _, ends in blocks] == [[3, 3, 4], [2]]
    with Source(io.BytesIO(b"1 2\n% x\n3 four\n")) as source, pytest.raises(FormatError, match="'four'") as caught:
        list(Text(source).lists(b"%"))
    assert caught.value.line == 3


@given(st.lists(st.lists(st.text(alphabet="abcä", min_size=1, max_size=6), max_size=30), max_size=4))
def test_words_are_numbered_in_order(blocks):
    words, seen = Words(), {}
    for block in blocks:
        encoded = [word.encode() for word in block]
        starts = np.cumsum([0, *map(len, encoded)])[:-1]
        spans = np.array(
            [start << 31 | len(word) for start, word in zip(starts.tolist(), encoded, strict=True)], np.int64
        )
        found = words.indices(np.frombuffer(b"".join(encoded), np.uint8), spans)
        assert found.tolist() == [seen.setdefault(word, len(seen)) for word in block]
    with Source(io.BytesIO(b"x")) as source:
        assert words.listed(source) == list(seen)


def test_many_words_make_the_table_grow():
    words, count = Words(), 30_000 if JIT else 4_000
    for _ in range(2):  # the second time all are known
        encoded = [f"word {i}".encode() for i in range(count)]
        starts = np.cumsum([0, *map(len, encoded)])[:-1]
        spans = np.array([start << 31 | len(word) for start, word in zip(starts.tolist(), encoded, strict=True)])
        for low in range(0, count, 1000):
            found = words.indices(np.frombuffer(b"".join(encoded), np.uint8), spans[low : low + 1000])
            assert (found == np.arange(low, low + 1000)).all()
    with Source(io.BytesIO(b"x")) as source:
        assert words.listed(source) == [word.decode() for word in encoded]
