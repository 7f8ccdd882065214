"""Edge lists as people have them: separators, headers, comments, names, ids with gaps."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import nearfar
from helpers.strategies import cases
from nearfar.errors import FormatError, OptionError

NAMES = st.sampled_from(
    ["u", "v", "i", "Nan", "1", "007", "a b", "a,b", "x;y", "#1", "ä", 'q"q', "from", "to", "1.5", "-"]
)


def read(text, **options):
    data = text if isinstance(text, bytes) else text.encode()
    return nearfar.read(io.BytesIO(data), format="edges", **options)


def arcs(graph):
    """Return the arcs as the file calls them."""
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    weights = [None] * graph.m if graph.weights is None else graph.weights.tolist()
    return [
        (graph.name(u), graph.name(v), *([] if w is None else [w]))
        for u, v, w in zip(tails.tolist(), graph.heads.tolist(), weights, strict=True)
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0 1\n1 2\n", [(0, 1), (1, 2)]),
        ("0 1 5\n1 2 7\n", [(0, 1, 5), (1, 2, 7)]),
        ("0\t1\t5\n1 \t 2  7\n", [(0, 1, 5), (1, 2, 7)]),
        ("0,1,5\n1, 2 ,7\n", [(0, 1, 5), (1, 2, 7)]),
        ("0;1;5\n1;2;7", [(0, 1, 5), (1, 2, 7)]),
        ("# Directed graph\n% more\n\n10 30\n30 20\n", [(10, 30), (30, 20)]),
        ("source,target,weight\n3,4,1.5\n4,3,2\n", [(3, 4, 1.5), (4, 3, 2.0)]),
        ('"source","target"\n"3","4"\n', [(3, 4)]),
        ("weight,to,from\n5,b,a\n", [("a", "b", 5)]),
        ("time from to length\n9 a b 5\n", [("a", "b", 5)]),
        ("x y z\n1 2 3\n", [(1, 2, 3)]),
        ("Ulm Bonn 390\nBonn Kiel 530\n", [("Ulm", "Bonn", 390), ("Bonn", "Kiel", 530)]),
        ('"New York" Ulm\n', [("New York", "Ulm")]),
        ('"1" "2" 5\n', [(1, 2, 5)]),
        ("New York\tUlm\t7\nUlm\tBad Ems\t8\n", [("New York", "Ulm", 7), ("Ulm", "Bad Ems", 8)]),
        ("São Paulo,Köln,7\n", [("São Paulo", "Köln", 7)]),
        ("1 2 friend\n2 3 foe\n", [(1, 2), (2, 3)]),
        ("1,2,4,1289241911.72836\n2,1,-3,1289241941.5\n", [(1, 2, 4), (2, 1, -3)]),
        ("-5 3\n3 -5\n", [(-5, 3), (3, -5)]),
        ("7000000000 1\n", [(7000000000, 1)]),
        ("1 2 inf\n2 1 3\n", [(2, 1, 3.0)]),
        ("from to\na b\n", [("a", "b")]),
    ],
)
def test_what_is_guessed(text, wanted):
    assert sorted(arcs(read(text))) == sorted(wanted)


@pytest.mark.parametrize(
    ("text", "options", "wanted"),
    [
        ("9 1 2 5\n", {"tail": 1, "head": 2, "weight": 3}, [(1, 2, 5)]),
        ("a,b,km,h\n1,2,5,6\n", {"weight": "h"}, [(1, 2, 6)]),
        ("a,b,km\n1,2,5\n", {"tail": "b", "head": "a"}, [(2, 1, 5)]),
        ("1 2 5\n", {"weight": False}, [(1, 2)]),
        ("1 2\n2 3\n", {"names": True}, [("1", "2"), ("2", "3")]),
        ("007 8\n", {"names": True}, [("007", "8")]),
        ("1|2|5\n", {"separator": "|"}, [(1, 2, 5)]),
        ("1|2|5\n", {"separator": "bar"}, [(1, 2, 5)]),
        ("a b\n", {"header": False}, [("a", "b")]),
        ("p q\na b\n", {"header": True}, [("a", "b")]),
        ("1 2\n", {"undirected": True}, [(1, 2), (2, 1)]),
        ("# Undirected graph: x.txt\n1 2\n", {}, [(1, 2), (2, 1)]),
        ("# Undirected graph\n1 2\n", {"undirected": False}, [(1, 2)]),
    ],
)
def test_what_is_said(text, options, wanted):
    graph = read(text, **options)
    assert sorted(arcs(graph)) == sorted(wanted)
    assert graph.undirected == (len(wanted) == 2 and wanted[0][:2] == wanted[1][1::-1])


def test_ids_are_numbered_ascending_and_kept():
    graph = read("30 10\n20 30\n")
    assert graph.names == (10, 20, 30) and graph.n == 3
    assert read("2 1\n1 3\n").names == (1, 2, 3) and read("2 1\n1 0\n").names is None
    assert read("b a\na c\n").names == ("b", "a", "c")  # words: in order of appearance


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("1 2\n" * 300 + "1 x\n", 301, "names=True"),
        ("1 2 3\n2 3\n", 2, "too few fields"),
        ("1 2 3\n2 3 abc\n", 2, "'abc' was found where a number is needed"),
        ("1,2,3\n2,,3\n", 2, "empty field"),
        ("a b {'weight': 3}\n", None, "NetworkX"),
        ("lonely\n", None, "a tail and a head"),
        ("# nothing\n\n", None, "no arcs"),
        (b"a\xff b\n", None, "not UTF-8"),
        ('a,b\n"c""d",e\n', 2, "quote"),
    ],
)
def test_wrong_files(text, line, what):
    with pytest.raises(FormatError, match=what) as caught:
        read(text)
    assert caught.value.line == line and "the open file" in str(caught.value)


@pytest.mark.parametrize(
    "options", [{"weight": "km"}, {"tail": 7}, {"head": "x"}, {"separator": "ab"}, {"separator": "a"}, {"weight": True}]
)
def test_wrong_options(options):
    with pytest.raises(OptionError):
        read("a,b,w\n1,2,3\n", **options)


@pytest.mark.parametrize("options", [{"tail": "a", "head": "a"}, {"weight": "b"}, {"head": 0, "names": True}])
def test_no_column_counts_twice(options):
    """Two roles for one column would leave the other role's column unset."""
    with pytest.raises(OptionError, match="share a column"):
        read("a,b,w\n1,2,3\n", **options)


@given(cases(), st.sampled_from([".csv", ".tsv", ".txt", ".edges"]), st.booleans(), st.booleans())
def test_written_is_read(tmp_path_factory, case, ending, words, undirected):
    """Everything comes back but vertices without arcs, which an edge list does not hold."""
    path = tmp_path_factory.mktemp("edges") / f"graph{ending}"
    names = [f"vertex, {v}" if v % 2 else f"#{v}" for v in range(case.n)] if words else None
    graph = nearfar.Graph.from_arcs(*case.arrays(), case.n, undirected, names=names)
    nearfar.write(graph, path)
    if graph.m:
        again = nearfar.read(path)
        assert sorted(arcs(again)) == sorted(arcs(graph))
        assert again.undirected == (undirected and ending in (".txt", ".edges"))


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("1;2;1,5\n2;3;2,5\n", "decimal comma"),
        ("Ann;Bob;1,5\nBob;Cid;2,5\n", "decimal comma"),
        ("1 2 3,5\n2 3 4,5\n", "decimal comma"),
        ("3 3\n1 2 5\n2 3 6\n3 1 7\n", "format="),
        ("1,2,\n2,3,5\n", "weight=False"),
        ("1,2,NA\n2,3,5\n", "weight=False"),
        ('1,2,"1,000"\n2,3,"2,000"\n', "weight=False"),
        ("1,2,1,000\n2,3,2,500\n", "weight=False"),
        ("1 2 5km\n2 3 6km\n", "weight=False"),
        ("1 2 $5\n2 3 $6\n", "weight=False"),
        ("1,2\n3 4\n5 6\n", "a tail and a head"),
        ("1,2 # c\n2,3\n", "tail= and head="),
        ("1,2\n2 # c,3 # d\n", "names=True"),
        ("1.0,2.0,5\n2.0,1,6\n", "names=True"),
        ("source,target\na,b\nsource,target\nc,d\n", "header=False"),
        ("0 1 2 0.5\n1 2 3 0.5\n2 3 4 0.5\n", "tail= and head="),
        ("a -> b\nb -> c\n", "tail= and head="),
        ("this is prose\nand not a graph at all\n", "format="),
        ("source,target,weight,weight\n1,2,3,4\n", "two columns are called 'weight'"),
        ("minutes;operator;nach;von\n55;DB;Ulm;Bonn\n62;DB;Bonn;Kiel\n", "tail= and head="),
        ("km;operator;to;from;minutes\n5;DB;b;a;7\n6;DB;c;b;8\n", "which column is the weight"),
        ("id,from,to\n9,1,2\n8,2,3\n", "which column is the weight"),
        ("1\t2\tx\n3\t\t7\n", "weight=False"),
        ("1,2,5\n2,3,6,7\n", "different numbers of fields"),
        ("1,2,5\n" * 300 + "2,3,6,7\n", "too many fields"),
    ],
)
def test_what_is_not_guessed(text, way):
    """Whatever may mean two things is an error that says which option decides."""
    with pytest.raises(FormatError) as caught:
        read(text)
    assert way in str(caught.value), str(caught.value)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "Washington, D.C.\tBoston\t5\nNew York, NY\tUlm\t6\n",
            [("Washington, D.C.", "Boston", 5), ("New York, NY", "Ulm", 6)],
        ),
        ("Ann,Bob\nNan,Cid\n", [("Ann", "Bob"), ("Nan", "Cid")]),
        ("u v\nv w\nw x\n", [("u", "v"), ("v", "w"), ("w", "x")]),
        ("i,j\nj,k\n", [("i", "j"), ("j", "k")]),
        ("# Directed graph\nu v 5\nx y 6\n", [("u", "v", 5), ("x", "y", 6)]),
        ("% sym weighted\n1 2 5\n", [(1, 2, 5), (2, 1, 5)]),
        ("km;to;from\n5;b;a\n", [("a", "b", 5)]),
        ("from,to,operator,km\na,b,DB,5\n", [("a", "b", 5)]),
        ("12 12a 5\n12a 13 6\n", [("12", "12a", 5), ("12a", "13", 6)]),
    ],
)
def test_what_looks_odd_and_is_right(text, wanted):
    assert sorted(arcs(read(text))) == sorted(wanted)


def test_the_header_again_far_down():
    text = "source,target\n" + "a,b\n" * 300 + "source,target\nc,d\n"
    with pytest.raises(FormatError, match="header occurs again"):
        read(text)


@given(
    st.lists(st.tuples(NAMES, NAMES, st.integers(0, 9)), min_size=1, max_size=8),
    st.sampled_from([".csv", ".tsv", ".txt"]),
)
def test_any_names_come_back(tmp_path_factory, edges, ending):
    """Names of any kind are written and read back, or refused; none is changed on the way."""
    path = tmp_path_factory.mktemp("names") / f"graph{ending}"
    names = sorted({end for edge in edges for end in edge[:2]})
    numbers = {name: v for v, name in enumerate(names)}
    graph = nearfar.Graph.from_arcs(*zip(*[(numbers[u], numbers[v], w) for u, v, w in edges], strict=True), names=names)
    try:
        nearfar.write(graph, path)
        again = nearfar.read(path, names=True)
    except nearfar.NearfarError as error:
        assert str(path) in str(error)
    else:
        assert sorted(arcs(again)) == sorted(arcs(graph))


def strict(text):
    """Return the arcs of three columns between commas, or None if any row is anything else."""
    found = []
    for row in csv.reader(io.StringIO(text)):
        fields = [field.strip() for field in row]
        if not any(fields) and len(fields) < 2:
            continue
        if len(fields) != 3 or not all(fields) or not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", fields[2]):
            return None
        found.append((*fields[:2], float(fields[2])))
    whole = all(re.fullmatch(r"[+-]?\d+", end) for arc in found for end in arc[:2])
    return sorted((int(u), int(v), w) if whole else (u, v, w) for u, v, w in found)


ROWS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 30), st.sampled_from(["5", "0.5", "12"])), min_size=3, max_size=6
)
EDITS = st.lists(st.tuples(st.integers(0, 60), st.sampled_from([*",; .x5-\n\te", ""]), st.integers(0, 1)), max_size=2)


@settings(max_examples=300)
@given(ROWS, EDITS)
def test_no_edit_is_misread(rows, edits):
    """Change a character or two of a good file: what is read is what a strict parser reads, or it is an error."""
    text = "".join(f"{u},{v},{w}\n" for u, v, w in rows)
    for place, new, drop in edits:
        place %= len(text)
        text = text[:place] + new + text[place + drop :]
    assume(len(text.split()) > 1)  # one row alone may have any number of columns
    try:
        graph = read(text)
    except FormatError:
        return
    wanted = strict(text)
    assert wanted is not None, f"{text!r} was read as {arcs(graph)}"
    assert sorted((u, v, float(w)) for u, v, w in arcs(graph)) == wanted
