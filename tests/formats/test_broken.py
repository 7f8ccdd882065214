"""Broken text files of every kind: the class of the error, its line, and a message that says what to do.

A message names the file, the line where there is one, what was found, and the way out. What looks odd but is not wrong
(blanks, line ends, a byte-order mark) is read like the plain file.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tracemalloc

import pytest

import nearfar
from helpers.texts import truth_of
from nearfar.errors import FileError, FormatError, MissingFileError

LARGE = b"9" * 20
MTX = b"%%MatrixMarket matrix coordinate real general\n"
NET = b"<NUMBER OF NODES> 3\n<NUMBER OF LINKS> 2\n<END OF METADATA>\n"

# A small file of each format; the graph has 3 vertices and 2 edges or arcs.
GOOD = {
    "dimacs": b"p sp 3 2\na 1 2 7\na 2 3 5\n",
    "pace": b"p tw 3 2\n1 2\n2 3\n",
    "matrix-market": MTX + b"3 3 2\n1 2 7\n2 3 5\n",
    "metis": b"3 2 1\n2 7\n1 7 3 5\n2 5\n",
    "sparry": b"3 2\n0 1 7\n1 2 5\n",
    "princeton": b"3 2\n0 1 1\n1 4 5\n2 0 0\n0 1\n1 2\n",
    "cedge": b"0 0 1 7\n1 1 2 5\n",
    "tntp": NET + b"1 2 0 0 7 ;\n2 3 0 0 5 ;\n",
    "edges": b"1 2 7\n2 3 5\n",
}
ENDINGS = {
    "dimacs": ".gr",
    "pace": ".gr",
    "matrix-market": ".mtx",
    "metis": ".graph",
    "sparry": ".sparry",
    "princeton": ".txt",
    "cedge": ".cedge",
    "tntp": "_net.tntp",
    "edges": ".txt",
}
COMMENTS = {"dimacs": b"c", "pace": b"c", "matrix-market": b"%", "metis": b"%", "cedge": b"#", "edges": b"#"}
SIZED = ("dimacs", "pace", "matrix-market", "metis", "sparry", "princeton", "tntp")  # the header gives sizes


@pytest.fixture
def place(tmp_path):
    """Return a function that makes a file of a format and returns its path."""

    def make(name, data, more=""):
        path = tmp_path / f"broken{ENDINGS[name]}{more}"
        path.write_bytes(data)
        return path

    return make


def refuse(path, name, *words, line=None, **options):
    """Expect an error about a file: its line, and what its message says."""
    with pytest.raises(FormatError) as caught:
        nearfar.read(path, format=name, **options)
    error, message = caught.value, str(caught.value)
    assert (error.path, error.line) == (str(path), line), message
    assert message.startswith(f"{path}: " if line is None else f"{path}, line {line}: ")
    assert message.endswith(".") and "\n" not in message and len(message) < 500 + len(str(path))
    for word in words:
        assert word in message, f"{word!r} is not in {message!r}"


# What is odd but right.

ODD = {
    "tabs": lambda data: data.replace(b" ", b"\t") if not data.startswith((b"%%", b"<")) else data,
    "double blanks": lambda data: data.replace(b" ", b"  ") if not data.startswith(b"<") else data,
    "blanks around": lambda data: b"".join(b" " * i + line + b" \t\n" for i, line in enumerate(data.splitlines())),
    "Windows line ends": lambda data: data.replace(b"\n", b"\r\n"),
    "old Mac line ends": lambda data: data.replace(b"\n", b"\r"),
    "no last newline": lambda data: data.rstrip(),
    "blank lines at the end": lambda data: data + b"\n\n \n",
    "a byte-order mark": lambda data: b"\xef\xbb\xbf" + data,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "gzip in two members": lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:]),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", GOOD)
def test_odd_but_right(place, name, odd):
    plain = truth_of(nearfar.read(place(name, GOOD[name])))
    assert len(plain.names) == 3 and len(plain.arcs) == 2 * (1 + plain.undirected)
    assert truth_of(nearfar.read(place(name, ODD[odd](GOOD[name]), ".x"), format=name)) == plain


# What no format can be read from.


@pytest.mark.parametrize("name", GOOD)
def test_empty(place, name):
    for options in ({}, {"format": name}):
        with pytest.raises(FormatError, match=r"empty|no arcs|no edges|no lines|no line") as caught:
            nearfar.read(place(name, b""), **options)
        assert caught.value.line is None


@pytest.mark.parametrize("name", COMMENTS)
def test_only_comments(place, name):
    text = (MTX if name == "matrix-market" else b"") + COMMENTS[name] + b" nothing\n\n" + COMMENTS[name] + b" more\n"
    refuse(place(name, text), name)


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_cut_off_compressed(place, name, pack):
    data = pack(GOOD[name] + COMMENTS.get(name, b"\n") + b"\n" * 1000)
    for size in (len(data) // 2, len(data) - 1):
        refuse(place(name, data[:size], ".z"), name, "damaged or cut off", "nothing was read")


@pytest.mark.parametrize("name", GOOD)
def test_utf_16(place, name):
    for coding in ("utf-16-le", "utf-16-be"):
        data = f"\ufeff{GOOD[name].decode()}".encode(coding)
        refuse(place(name, data), name, "UTF-16", "Save it as UTF-8", line=1)


@pytest.mark.parametrize("name", GOOD)
def test_zero_bytes(place, name):
    at = GOOD[name].index(b"\n") + 1
    data = GOOD[name][:at] + b"\0\0" + GOOD[name][at:]
    refuse(place(name, data), name, f"byte {at} is zero", "format=")


@pytest.mark.parametrize("name", GOOD)
def test_junk(place, name):
    for data in (bytes(range(1, 256)) * 40, bytes(range(256)) * 40, b"\x89PNG\r\n\x1a\n" + bytes(500)):
        with pytest.raises(FormatError) as caught:
            nearfar.read(place(name, data), format=name)
        assert len(str(caught.value)) < 700


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("token", [b"x", b"7", b" ", b"7 "], ids=["x", "7", "blanks", "numbers"])
def test_a_very_long_line(place, name, token):
    if name in ("edges", "tntp") and token == b"7 ":
        assert nearfar.read(place(name, GOOD["edges"] + b"1 2 " + token * 300_000), format="edges").m == 3
        return  # further fields are not looked at
    with pytest.raises(FormatError) as caught:
        nearfar.read(place(name, GOOD[name] + b"1 2 " + token * 300_000 + b" y\n"), format=name)
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize("name", GOOD)
def test_a_folder(tmp_path, name):
    with pytest.raises(FileError, match="is a folder, but a file is needed"):
        nearfar.read(tmp_path, format=name)


@pytest.mark.parametrize("name", GOOD)
def test_a_file_that_is_not_there(tmp_path, name):
    with pytest.raises(MissingFileError, match="does not exist"):
        nearfar.read(tmp_path / "nothing", format=name)


# Sizes that the header gives.


def resize(name, n=b"3", m=b"2"):
    """Return a good file whose header gives other sizes."""
    old, new = {
        "dimacs": (b"p sp 3 2", b"p sp %s %s" % (n, m)),
        "pace": (b"p tw 3 2", b"p tw %s %s" % (n, m)),
        "matrix-market": (b"3 3 2", b"%s %s %s" % (n, n, m)),
        "metis": (b"3 2 1", b"%s %s 1" % (n, m)),
        "tntp": (NET, NET.replace(b" 3\n", b" %s\n" % n).replace(b" 2\n", b" %s\n" % m)),
    }.get(name, (b"3 2\n", b"%s %s\n" % (n, m)))
    return GOOD[name].replace(old, new, 1)


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("m", [b"1", b"3"])
def test_wrong_counts(place, name, m):
    path = place(name, resize(name, m=m))
    refuse(path, name, f"promises {m.decode()} ", "there are 2", "strict=False")
    assert nearfar.read(path, format=name, strict=False).n == 3


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("n", [b"-3", b"x", b"3.5", b"1" + b"0" * 30, b"%d" % 2**31, b"1" * 5000])
def test_absurd_sizes(place, name, n):
    shown = n[:20].decode()
    refuse(place(name, resize(name, n=n)), name, shown, line=2 if name == "matrix-market" else 1)


@pytest.mark.parametrize("name", SIZED)
def test_absurd_counts_are_not_allocated(place, name):
    path = place(name, resize(name, m=b"1" + b"0" * 17))
    nearfar.read(place(name, GOOD[name], ".good"), format=name)  # what is loaded once is not counted
    tracemalloc.start()
    refuse(path, name, "1" + "0" * 17)
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("digits", [18, 30, 5000])
def test_counts_beyond_int64(place, name, digits):
    with pytest.raises(FormatError):
        nearfar.read(place(name, resize(name, m=b"1" + b"0" * digits)), format=name)


@pytest.mark.parametrize("name", SIZED)
def test_header_only(place, name):
    lines = {"tntp": 3, "matrix-market": 2}.get(name, 1)
    text = b"".join(GOOD[name].splitlines(keepends=True)[:lines])
    refuse(place(name, text), name, "promises", "cut off")


@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("dimacs", 2, ("'p sp 3 2'", "a tail head weight")),
        ("pace", 2, ("'p'", "whole number")),
        ("matrix-market", None, ("2 entries", "there are 3")),  # the sizes look like an entry
        ("metis", 5, ("vertex 4", "promises 3 vertices")),  # and like a list
        ("sparry", 2, ("vertex 3", "0 to 2")),
        ("princeton", 2, ("vertex 3", "0 to 2")),
        ("tntp", 4, ("'<END'", "whole number")),
    ],
)
def test_header_twice(place, name, line, words):
    lines = GOOD[name].splitlines(keepends=True)
    row = {"tntp": 2, "matrix-market": 1}.get(name, 0)
    refuse(place(name, b"".join([*lines[: row + 1], *lines[row:]])), name, *words, line=line)


# Rows. {} is where the row goes; the first row of a file stays right.

ROWS = {
    "dimacs": (b"p sp 3 2\na 1 2 7\n{}\n", 3),
    "pace": (b"p tw 3 2\n1 2\n{}\n", 3),
    "matrix-market": (MTX + b"3 3 2\n1 2 7\n{}\n", 4),
    "sparry": (b"3 2\n0 1 7\n{}\n", 3),
    "princeton": (b"3 2\n0 1 1\n1 4 5\n2 0 0\n0 1\n{}\n", 6),
    "cedge": (b"0 0 1 7\n{}\n", 2),
    "tntp": (NET + b"1 2 0 0 7 ;\n{}\n", 5),
    "edges": (b"1 2 7\n{}\n", 2),
}
NUMBER, WHOLE, LIMIT = "where a number is needed", "where a whole number is needed", "whole numbers end at 2**63 - 1"
FEW, MANY, NONE = "too few fields", "too many fields", "does not exist: vertices are"

BROKEN_ROWS = {
    "dimacs": [
        (b"a 1 0 5", ("vertex 0", NONE, "1 to 3")),
        (b"a 1 4 5", ("vertex 4", NONE, "1 to 3")),
        (b"a 1 -1 5", ("vertex -1", NONE)),
        (b"a 1 x 5", ("'x'", WHOLE, "a tail head weight")),
        (b"a 1 1.5 5", ("'1.5'", WHOLE)),
        (b"a 1 %s 5" % LARGE, (LARGE.decode(), LIMIT)),
        (b"a 1 2", ("'a 1 2'", FEW)),
        (b"a 1 2 3 4", ("'a 1 2 3 4'", MANY)),
        (b"a 1 2 x", ("'x'", NUMBER)),
        (b"a 1 2 nan", ("'nan'", "a weight of inf means no arc")),
        (b"a 1 2 -inf", ("'-inf'", "a weight of inf means no arc")),
        (b"a 1 2 -nan", ("'-nan'", "a weight of inf means no arc")),
        (b"a 1 2 1e400", ("'1e400'", "must be finite")),  # would be taken for inf, and the arc left out
        (b"a 1 2 " + LARGE, (LARGE.decode(), LIMIT, "coarser unit")),
        (b"a 1 2 1_0", ("'1_0'", NUMBER)),
        (b"a 1 2 0x1F", ("'0x1F'", NUMBER)),
        (b"b 1 2 3", ("'b 1 2 3'", "a tail head weight")),
        (b"1 2 3", ("'1 2 3'", "a tail head weight")),
        (b"a1 2 3", ("'a1 2 3'", "a tail head weight")),
    ],
    "pace": [
        (b"0 1", ("vertex 0", NONE, "1 to 3")),
        (b"1 4", ("vertex 4", NONE, "1 to 3")),
        (b"1 -1", ("vertex -1", NONE)),
        (b"1 x", ("'x'", WHOLE)),
        (b"1", ("'1'", FEW)),
        (b"1 2 3", ("'1 2 3'", MANY)),
        (b"1 nan", ("'nan'", WHOLE)),
        (b"1 " + LARGE, (LARGE.decode(), LIMIT)),
        (b"e 1 2", ("'e'", WHOLE)),
    ],
    "matrix-market": [
        (b"0 1 5", ("vertex 0", NONE, "1 to 3")),
        (b"1 4 5", ("vertex 4", NONE, "1 to 3")),
        (b"1 2", ("'1 2'", FEW, "row column value")),
        (b"1 2 3 4", ("'1 2 3 4'", MANY)),
        (b"1 2 nan", ("'nan'", "a weight of inf means no arc")),
        (b"1 2 -Infinity", ("'-Infinity'", "a weight of inf means no arc")),
        (b"1 x 3", ("'x'", WHOLE)),
        (b"1 2 x", ("'x'", NUMBER)),
    ],
    "sparry": [
        (b"0 3 5", ("vertex 3", NONE, "0 to 2")),
        (b"-1 2 5", ("vertex -1", NONE)),
        (b"0 1", ("'0 1'", FEW, "tail head weight")),
        (b"0 1 5 5", ("'0 1 5 5'", MANY)),
        (b"0 1 five", ("'five'", NUMBER)),
        (b"0 1 NaN", ("'NaN'", "a weight of inf means no arc")),
        (b"0 1 " + LARGE, (LARGE.decode(), LIMIT)),
    ],
    "princeton": [
        (b"0 3", ("vertex 3", NONE, "0 to 2")),
        (b"0", ("'0'", FEW)),
        (b"0 1 7", ("'0 1 7'", MANY)),
        (b"0 one", ("'one'", WHOLE)),
    ],
    "cedge": [
        (b"1 0 -1 5", ("vertex -1", NONE)),
        (b"1 0 %d 5" % (2**31 - 1), ("vertex 2147483647", NONE)),
        (b"1 0 1", ("'1 0 1'", FEW, "edge vertex vertex length")),
        (b"1 0 1 5 5", ("'1 0 1 5 5'", MANY)),
        (b"1 0 1 x", ("'x'", NUMBER)),
        (b"1 0 1 nan", ("'nan'", "a weight of inf means no arc")),
    ],
    "tntp": [
        (b"0 1 0 0 5 ;", ("vertex 0", NONE, "1 to 3")),
        (b"1 4 0 0 5 ;", ("vertex 4", NONE, "1 to 3")),
        (b"1 2 0 0 ;", ("'1 2 0 0 ;'", FEW, "free_flow_time")),
        (b"1 2 0 0 x ;", ("'x'", NUMBER)),
        (b"1 2 0 0 nan ;", ("'nan'", "a weight of inf means no arc")),
        (b"1 2 0 0 %s ;" % LARGE, (LARGE.decode(), LIMIT)),
    ],
    "edges": [
        (b"1 2", ("'1 2'", FEW)),
        (b"1 2 x", ("'x'", NUMBER)),
        (b"1 2 nan", ("'nan'", "a weight of inf means no arc")),
        (b"1 2 -inf", ("'-inf'", "a weight of inf means no arc")),
        (b"1 2 +1.8e308", ("'+1.8e308'", "must be finite")),
        (b"1 2 " + LARGE, (LARGE.decode(), LIMIT)),
        (b"1 %s 3" % LARGE, (LARGE.decode(), LIMIT)),
    ],
}


@pytest.mark.parametrize(
    ("name", "row", "words"), [(name, row, words) for name in BROKEN_ROWS for row, words in BROKEN_ROWS[name]]
)
def test_broken_rows(place, name, row, words):
    text, line = ROWS[name]
    refuse(place(name, text.replace(b"{}", row)), name, *words, line=line)


@pytest.mark.parametrize("name", ["dimacs", "sparry", "matrix-market", "edges", "cedge"])
def test_the_line_is_right_far_down(place, name):
    """Lines are counted over blocks, blank lines and comments, and whether weights are whole or not."""
    good = {"dimacs": b"a 1 2 %s\n", "cedge": b"5 0 1 %s\n"}.get(name, b"1 2 %s\n")
    text, _ = ROWS[name]
    begin = text[: text.index(b"{}")]
    comment = COMMENTS.get(name, b"") + b"\n"
    body = b"".join(good % (b"7" if i % 3 else b"7.25") + (comment if i % 1000 == 0 else b"") for i in range(20_000))
    wrong = good % b"7" if name == "sparry" else good % b"seven"
    wrong = wrong.replace(b"7", b"seven")
    refuse(place(name, begin + body + wrong + body), name, "'seven'", line=(begin + body).count(b"\n") + 1)


# What only METIS can get wrong.

BROKEN_LISTS = [
    (b"3 2\n2\n1 3\n4\n", 4, ("vertex 3 lists 4", "1 to 3")),
    (b"3 2\n2\n1 3\n0\n", 4, ("vertex 3 lists 0", "1 to 3")),
    (b"3 2\n2\n1 3\n-2\n", 4, ("vertex 3 lists -2", "1 to 3")),
    (b"3 2\n2\n1 3\ntwo\n", 4, ("'two'", "whole number")),
    (b"3 2\n2\n1 3\n2.0\n", 4, ("'2.0'", "whole number")),
    (b"3 2\n2\n1 3\nnan\n", 4, ("'nan'", "whole number")),
    (b"3 2\n2\n1 3\n" + LARGE + b"\n", 4, (LARGE.decode(), "2**63 - 1")),
    (b"3 2 1\n2 7\n1 7 3\n2 5\n", 3, ("vertex 2", "3 numbers", "pairs of neighbour and weight", "fmt")),
    (b"3 2 1\n2 7\n1 8 3 5\n2 5\n", 2, ("vertex 1 lists 2 with weight 7", "strict=False")),
    (b"3 2 1\n2 -7\n1 -7 3 5\n2 5\n", 2, ("weight -7", "below 0")),
    (b"3 2 10\n1 2\n\n1 2\n", 3, ("vertex 2", "0 numbers", "1 number(s) of its own")),
    (b"3 2 11 99999999\n1\n1\n1\n", 2, ("vertex 1", "99999999 number(s) of its own")),
    (b"3 2 7\n2\n1 3\n2\n", 1, ("'3 2 7'", "fmt")),
    (b"3 2\n2\n1 3\n2\n1\n", 5, ("vertex 4", "promises 3 vertices")),
    (b"3 2\n2\n1 3\n", None, ("promises 3 vertices", "there are 2", "strict=False")),
    (b"3 2\n2\n1 3\n1\n", 4, ("vertex 3 lists 1, but 1 does not list 3", "strict=False")),
    (b"3 2\n1 2\n1 3\n2\n", 2, ("vertex 1 lists itself", "strict=False")),
]


@pytest.mark.parametrize(("text", "line", "words"), BROKEN_LISTS)
def test_broken_lists(place, text, line, words):
    refuse(place("metis", text), "metis", *words, line=line)
