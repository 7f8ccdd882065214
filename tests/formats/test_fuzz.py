"""Every text reader on files that are valid in all styles, damaged in all ways, or no files of graphs at all.

Valid ones give the graph they were made from; the others a graph or an error of ours that names the file, soon.
"""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.damage import Named, damaged, read_bytes, survives
from helpers.marks import JIT
from helpers.texts import FILES, STYLES, Style, cases, truth_of
from nearfar.formats import FORMATS, edges, recognise
from nearfar.formats.io.files import Source

EXAMPLES = settings(max_examples=60 if JIT else 15)
ODD = st.sampled_from(
    [
        *(
            "0",
            "-0",
            "00",
            "-1",
            "+1",
            "1.",
            ".5",
            ".",
            "-",
            "+",
            "1e5",
            "1e-400",
            "1e400",
            "nan",
            "-inf",
            "inf",
            "Infinity",
        ),
        *("1_000", "0x10", "1e", "99999999999999999999", "2147483648", "9223372036854775807", "9223372036854775808"),
        *(
            "-9223372036854775808",
            "4.9e-324",
            "1.7976931348623159e308",
            "0.10000000000000000555111512312578270211815834",
        ),
        *("x", "é", '"', '""', ";", ",", "#", "%", "c", "p", "a", "~", "<", ">", "<END OF METADATA>", "\x0b", "\x1c"),
    ]
)


def small(text):
    """Tell whether no whole number in a file asks for a graph of gigabytes, which a file may rightly do."""
    return not any(word.isdigit() and 10**6 < int(word[:30]) < 2**31 for word in text.split())


@st.composite
def edited(draw, data):
    """Return a strategy for a file after some edits: lines deleted, doubled, swapped, joined, fields replaced."""
    lines = data.split(b"\n")
    for _ in range(draw(st.integers(1, 3))):
        i, j = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        edit = draw(st.sampled_from(["delete", "double", "swap", "join", "field", "field", "field", "drop", "add"]))
        fields = lines[i].split()
        k = draw(st.integers(0, max(0, len(fields) - 1)))
        if edit == "delete" and len(lines) > 1:
            del lines[i]
        elif edit == "double":
            lines.insert(j, lines[i])
        elif edit == "swap":
            lines[i], lines[j] = lines[j], lines[i]
        elif edit == "join":
            lines[i] += draw(st.sampled_from([b" ", b"\r", b"\t", b"\0"])) + lines[j]
        elif edit == "field" and fields:
            lines[i] = b" ".join([*fields[:k], draw(ODD).encode(), *fields[k + 1 :]])
        elif edit == "drop":
            lines[i] = b" ".join(fields[:k] + fields[k + 1 :])
        elif edit == "add":
            lines[i] += b" " + draw(ODD).encode()
    return b"\n".join(lines)


@pytest.mark.parametrize("kind", FILES)
@EXAMPLES
@given(st.data())
def test_valid_files(kind, data):
    """A valid file in any style gives the graph that is in it, to the last bit of every weight."""
    file = FILES[kind]
    text, expected = file.render(data.draw(cases(file)), data.draw(STYLES))
    found = truth_of(read_bytes(text, "a" + file.ending, format=file.name))
    if kind == "csv":  # words are numbered in order of appearance
        found.names.sort()
    assert found == expected


@pytest.mark.parametrize("kind", FILES)
@EXAMPLES
@given(st.data())
def test_valid_files_are_recognised(kind, data):
    """The content and the usual ending tell the format, and no other format claims the file."""
    file = FILES[kind]
    text, _ = file.render(data.draw(cases(file)), data.draw(STYLES))
    with Source(Named(text, "a" + file.ending)) as source:
        assert recognise(source) is FORMATS[file.name]


@EXAMPLES
@given(st.data())
def test_edge_lists_stay_edge_lists(data):
    """An edge list without an ending that tells is not taken for another format, whatever its numbers."""
    rows = data.draw(st.lists(st.lists(st.integers(0, 12), min_size=2, max_size=3), min_size=1, max_size=30))
    width = data.draw(st.sampled_from([2, 3]))
    lines = [(row * 2)[:width] for row in rows]
    with Source(io.BytesIO(Style().text(lines, ""))) as source:
        assert recognise(source) is edges.FORMAT


@pytest.mark.parametrize("kind", FILES)
@EXAMPLES
@given(st.data())
def test_edited_files(kind, data):
    file = FILES[kind]
    text, _ = file.render(data.draw(cases(file)), data.draw(STYLES))
    text = data.draw(edited(text))
    if small(text):
        survives(text, "a" + file.ending, format=data.draw(st.sampled_from([file.name, None])))
        if "strict" in FORMATS[file.name].read_options:
            survives(text, "a" + file.ending, format=file.name, strict=False)


@pytest.mark.parametrize("kind", FILES)
@EXAMPLES
@given(st.data())
def test_damaged_files(kind, data):
    file = FILES[kind]
    text, _ = file.render(data.draw(cases(file)), data.draw(STYLES))
    text = data.draw(damaged(text))
    if small(text):
        survives(text, "a" + file.ending, format=file.name)


@pytest.mark.parametrize("name", sorted({file.name for file in FILES.values()}))
@EXAMPLES
@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf8", "replace")))
def test_anything(name, data):
    if small(data):
        survives(data, "a.txt", format=name)
