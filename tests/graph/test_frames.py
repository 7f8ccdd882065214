"""Tables: which column is what, what becomes of ids, and that every door gives the same graph of the same table."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.damage import same
from nearfar.errors import GraphError, InputTypeError, MissingDependencyError, NearfarError, OptionError
from nearfar.graph import Graph
from nearfar.graph.names import NumberNames


class Exported:
    """A table of another library, which only exports Arrow data."""

    def __init__(self, columns) -> None:
        self.table = pa.table(columns)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class Column(Exported):
    """A column of another library, which exports Arrow data, too, but no table."""

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.column(0).__arrow_c_stream__(requested_schema)


MAKERS = [pd.DataFrame, pl.DataFrame, pa.table, Exported]


@contextmanager
def refused(error: type[NearfarError], *words: str) -> Iterator[None]:
    """Expect an error whose message holds each of the words."""
    with pytest.raises(error) as caught:
        yield
    for word in words:
        assert word in str(caught.value), f"{word!r} is not in {str(caught.value)!r}"


def arcs_of(graph: Graph) -> list[tuple]:
    """Return the arcs as sorted (tail, head) or (tail, head, weight), with names."""
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets)).tolist()
    arcs = [(graph.name(u), graph.name(arc[0]), *arc[1:]) for u, arc in zip(tails, graph.arcs.tolist(), strict=True)]
    return sorted(arcs, key=repr)


# every door gives the same graph


def files_of(columns: dict) -> dict[str, bytes]:
    """Return a table as the bytes of files."""
    table, parquet, arrow = pa.table(columns), io.BytesIO(), io.BytesIO()
    pq.write_table(table, parquet)
    with pa.ipc.new_file(arrow, table.schema) as writer:
        writer.write_table(table)
    text = pd.DataFrame(columns).to_csv(index=False).encode()
    return {"edges": text, "parquet": parquet.getvalue(), "arrow": arrow.getvalue()}


WORDS = st.text("abcxyz", min_size=3, max_size=5).map("w".__add__)
ENDS = [("source", "target"), ("FROM", "To"), ("u", "v"), ("here", "there"), ("node1", "node2")]
THIRD = ["weight", "Length", "km", "strange", "cost"]


@st.composite
def tables(draw):
    """Draw the columns of a table by name, and the names of those that the first three should be."""
    rows = draw(st.integers(1, 12))
    ids = draw(st.sampled_from([st.integers(0, 5), st.integers(-3, 3), st.integers(-(10**12), 10**12), WORDS]))
    pool = st.sampled_from(draw(st.lists(ids, min_size=1, max_size=6)))
    weights = draw(st.sampled_from([None, st.integers(0, 9), st.integers(-(2**40), 2**40), st.floats(0, 9)]))
    ends = draw(st.sampled_from(ENDS))
    columns = {end: draw(st.lists(pool, min_size=rows, max_size=rows)) for end in ends}
    third = None if weights is None else draw(st.sampled_from(THIRD))
    if weights is not None:
        columns[third] = draw(st.lists(weights, min_size=rows, max_size=rows))
    usual = ends != ("here", "there") and third != "strange"  # then the order of the columns does not matter
    order = draw(st.permutations(list(columns))) if usual else list(columns)
    return {name: columns[name] for name in order}, (*ends, third)


@given(tables(), st.booleans())
def test_every_door_gives_the_same_graph(case, undirected):
    columns, (tail, head, weight) = case
    weights = None if weight is None else columns[weight]
    expected = Graph.from_arcs(columns[tail], columns[head], weights, undirected=undirected, names=True)
    ids = set(columns[tail]) | set(columns[head])
    called = range(expected.n) if expected.names is None else expected.names
    assert set(called) == ids and len(called) == len(ids)
    drawn = zip(columns[tail], columns[head], *([] if weights is None else [weights]), strict=True)
    if not undirected:
        assert arcs_of(expected) == sorted(drawn, key=repr)
    for make in MAKERS:
        assert same(Graph.from_frame(make(columns), undirected=undirected), expected)
    for kind, data in files_of(columns).items():
        options = {"header": True} if kind == "edges" else {}  # words below unusual names could be arcs
        assert same(nearfar.read(io.BytesIO(data), format=kind, undirected=undirected, **options), expected)


@given(tables())
def test_every_door_leaves_weights_out(case):
    columns, (tail, head, _) = case
    expected = Graph.from_arcs(columns[tail], columns[head], names=True)
    for make in MAKERS:
        assert same(Graph.from_frame(make(columns), tail, head, False), expected)
    for kind, data in files_of(columns).items():
        assert same(nearfar.read(io.BytesIO(data), format=kind, tail=tail, head=head, weight=False), expected)


def doors(columns: dict, **options):
    """Return every door to a table, as functions."""
    frames = [lambda make=make: Graph.from_frame(make(columns), **options) for make in MAKERS]
    files = [
        lambda kind=kind, data=data: nearfar.read(io.BytesIO(data), format=kind, **options)
        for kind, data in files_of(columns).items()
    ]
    return frames + files


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ({"u": [1], "v": ["x"]}, {}, ["both must be whole numbers, or both words", "'u'", "'v'"]),
        ({"id": [1], "u": [1], "v": [2], "lanes": [3]}, {}, ["not clear which column is the weight", "'id', 'lanes'"]),
        ({"a": [1], "b": [2], "km": [3], "min": [4]}, {}, ["not clear which column is the weight", "'km', 'min'"]),
        ({"a": [1], "b": [2], "cost": [3], "length": [4]}, {}, ["not clear which column", "'length', 'cost'"]),
        ({"a": [1], "b": [2], "lanes": [3], "speed": [4]}, {}, ["not clear which column", "'lanes', 'speed'"]),
        ({"a": [1], "b": [2], "km": ["far"]}, {}, ["km"]),
        ({"u": [1], "v": [2], "x": ["a"], "y": [3]}, {}, ["weight= with one of 'y', or weight=False"]),
        ({"u": [1], "v": [2]}, {"weight": "km"}, ["weight='km' is not a column of", "['u', 'v']", "index from 0"]),
        ({"u": [1], "v": [2]}, {"tail": 2}, ["tail=2 is not a column of", "['u', 'v']"]),
        ({"u": [1], "v": [2]}, {"head": True}, ["head=True is not a column of"]),
        ({"u": [1], "v": [2]}, {"weight": True}, ["weight=True is not a column of"]),
        ({"u": [1], "v": [2]}, {"tail": "v"}, ["tail='v' and head='v' share a column"]),
        ({"u": [1], "v": [2]}, {"weight": "u"}, ["tail='u' and weight='u' share a column"]),
        ({"U": [1], "u": [1], "v": [2]}, {}, ["two columns are called 'u'"]),
    ],
)
def test_every_door_refuses_the_same(columns, options, words):
    for door in doors(columns, **options):
        with refused(NearfarError, *words):
            door()


@pytest.mark.parametrize(
    ("columns", "weight"),
    [
        ({"a": [1], "b": [2], "lanes": [3], "km": [4]}, "km"),
        ({"a": [1], "b": [2], "km": [3], "weight": [4], "cost": [5]}, "weight"),
        ({"to": [1], "from": [2], "flow": [3]}, "flow"),
        ({"length": [1], "v": [2], "u": [3], "lanes": [4]}, "length"),
        ({"a": [1], "b": [2], "note": ["x"], "hours": [4]}, "hours"),
        ({"a": [1], "b": [2], "note": ["x"]}, None),
    ],
)
def test_every_door_finds_the_same_weight(columns, weight):
    for door in doors(columns):
        graph = door()
        assert (graph.weights is None) if weight is None else graph.max_weight == columns[weight][0]


def test_columns_by_index():
    columns = {"x": [9], "b": [2], "a": [1], "y": [5]}
    for door in doors(columns, tail=2, head="1", weight="3"):
        assert arcs_of(door()) == [(1, 2, 5)]


# ids


@pytest.mark.parametrize("make", MAKERS)
def test_words_become_names_in_order_of_appearance(make):
    table = make({"from": ["Ulm", "Bonn", "Ulm"], "to": ["Bonn", "Kiel", "Aue"], "km": [390, 530, 300]})
    graph = Graph.from_frame(table)
    assert graph.names == ("Ulm", "Bonn", "Kiel", "Aue")
    assert arcs_of(graph) == [("Bonn", "Kiel", 530), ("Ulm", "Aue", 300), ("Ulm", "Bonn", 390)]
    assert graph.undirected is False
    assert Graph.from_frame(table, weight=False).weights is None
    back = Graph.from_frame(table, "to", "from", "km", undirected=True)
    assert back.names == ("Bonn", "Ulm", "Kiel", "Aue")
    assert back.m == 6


@pytest.mark.parametrize("make", MAKERS)
def test_integers_are_ids(make):
    table = make({"w": np.array([1.5, 2.5], np.float32), "a": np.array([0, 3], np.uint16), "b": np.array([3, -1])})
    graph = Graph.from_frame(table, "a", "b", "w")
    assert isinstance(graph.names, NumberNames) and graph.names == (-1, 0, 3)
    assert graph.weight_dtype == np.float32
    assert arcs_of(graph) == [(0, 3, 1.5), (3, -1, 2.5)]
    assert Graph.from_frame(make({"a": [10, 20, 30], "b": [20, 30, 40]})).n == 4
    assert Graph.from_frame(make({"a": [0, 1], "b": [1, 2]})).names is None
    large = Graph.from_frame(make({"a": [10**10, 7, -5], "b": [7, -5, 7]}))
    assert large.names == (-5, 7, 10**10) and type(large.names[0]) is int
    with refused(GraphError, "'a'", str(2**63), "2**63 - 1"):
        Graph.from_frame(make({"a": np.array([2**63], np.uint64), "b": [1]}))


@pytest.mark.parametrize("make", MAKERS)
def test_tables_without_rows(make):
    assert Graph.from_frame(make({"a": np.array([], int), "b": np.array([], int)})).n == 0
    words = make({"a": np.array([], str), "b": np.array([], str)}) if make is not pa.table else make({"a": [], "b": []})
    assert Graph.from_frame(words).n == 0


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("hole", ["a", "b", "w"])
def test_missing_values_name_column_and_row(make, hole):
    columns = {"a": ["x", "y", "z"], "b": ["y", "z", "x"], "w": [1.0, 2.0, 3.0]}
    columns[hole] = [columns[hole][0], None, columns[hole][2]]
    with refused(GraphError, repr(hole), "row 1", "Drop or fill"):
        Graph.from_frame(make(columns))


def test_missing_integers_are_reported_as_missing():
    with refused(GraphError, "'a' has no value in row 1"):
        Graph.from_frame(pd.DataFrame({"a": [1, None], "b": [2, 3]}))


@pytest.mark.parametrize("make", MAKERS)
def test_bad_columns(make):
    table = make({"a": [0.0, 1.0], "b": [1, 0], "c": [True, False], "d": [1, 2]})
    with refused(InputTypeError, "'a'", "float64", "0.0", "integers or to strings"):
        Graph.from_frame(table, "a", "b", False)
    with refused(InputTypeError, "'c'", "vertices"):
        Graph.from_frame(table, "b", "c", "d")
    with refused(GraphError, "['a']", "a tail and a head"):
        Graph.from_frame(make({"a": [1]}))
    with refused(InputTypeError, "Column 'c' is bool", "weights are integers or floats", "weight=False"):
        Graph.from_frame(table, "b", "d", "c")
    with refused(InputTypeError, "Column 'cost' is str", "weights are integers or floats"):
        Graph.from_frame(make({"a": [1], "b": [2], "cost": ["7 km"]}))


def test_columns_of_pandas_own_types():
    table = pd.DataFrame(
        {
            "a": pd.array([5, 1], "Int64"),
            "b": pd.Categorical(["x", "y"]),
            "c": pd.array([1, 5], "UInt8"),
            "d": pd.array(["y", "x"], "string"),
            "e": pd.Categorical([1, 5]),
            "w": pd.array([1, 2], "Int32"),
        }
    )
    assert arcs_of(Graph.from_frame(table, "a", "c")) == [(1, 5, 2), (5, 1, 1)]
    assert arcs_of(Graph.from_frame(table, "a", "e")) == [(1, 5, 2), (5, 1, 1)]
    assert arcs_of(Graph.from_frame(table, "b", "d")) == [("x", "y", 1), ("y", "x", 2)]
    assert Graph.from_frame(pd.DataFrame({"a": [0, 1], "b": [1, 2]}, dtype=object)).names is None
    counted = pd.DataFrame([[0, 1, 5], [1, 2, 6]])
    assert arcs_of(Graph.from_frame(counted)) == [(0, 1, 5), (1, 2, 6)]
    labelled = pd.DataFrame([[0, 1, 5], [1, 2, 6]], columns=[7, 8, 9])
    assert arcs_of(Graph.from_frame(labelled, 8, 7, 9)) == [(1, 0, 5), (2, 1, 6)]
    assert arcs_of(Graph.from_frame(pd.DataFrame([[0, 1], [3, 4]], columns=["a", "a"]))) == [(0, 1), (3, 4)]
    times = pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "2020-01-02"]), "b": ["x", "y"]})
    with refused(InputTypeError, "'a'", "datetime64", "strings"):
        Graph.from_frame(times)
    with refused(InputTypeError, "'a'", "whole numbers and words (1 and 'x')", "strings"):
        Graph.from_frame(pd.DataFrame({"a": [1, "x"], "b": ["y", "z"]}, dtype=object))


def test_other_types_of_polars_and_arrow():
    table = pl.DataFrame(
        {"a": pl.Series(["x", "y"], dtype=pl.Categorical), "b": pl.Series(["y", "x"], dtype=pl.Enum(["x", "y"]))}
    )
    assert Graph.from_frame(table).names == ("x", "y")
    words = pa.table({"a": pa.array(["x", "y"]).dictionary_encode(), "b": pa.array(["y", "x"], pa.large_string())})
    assert Graph.from_frame(words).names == ("x", "y")
    ids = pa.table({"a": pa.array([7, 9]).dictionary_encode(), "b": pa.array([9, 7], pa.int8())})
    assert Graph.from_frame(ids).names == (7, 9)
    chunks = pa.chunked_array([[0], [1, 2]])
    assert Graph.from_frame(pa.table({"a": chunks, "b": pa.chunked_array([[1, 2], [0]])})).m == 3
    assert Graph.from_frame(pa.record_batch({"a": [0], "b": [1]})).m == 1


def test_what_is_no_table_is_refused(monkeypatch):
    for other in ({"a": [1]}, [(0, 1)], np.zeros((2, 2)), None, "table"):
        with refused(InputTypeError, type(other).__name__, "from_arcs"):
            Graph.from_frame(other)
    with refused(InputTypeError, "LazyFrame", ".collect()"):
        Graph.from_frame(pl.DataFrame({"a": [0], "b": [1]}).lazy())
    with refused(InputTypeError, "Column", "exports no table"):
        Graph.from_frame(Column({"a": [1, 2]}))
    exported = Exported({"a": [0], "b": [1]})
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with refused(MissingDependencyError, "Exported", "pyarrow"):
        Graph.from_frame(exported)


def test_a_reader_is_read_once():
    reader = pa.table({"u": [1, 2], "v": [2, 3], "w": [4, 5]}).to_reader()
    assert Graph.from_frame(reader).m == 2
    with refused(GraphError, "RecordBatchReader has no rows", "only once"):
        Graph.from_frame(reader)
    assert Graph.from_frame(pa.table({"u": [1], "v": [2]}).slice(0, 0)).n == 0


@pytest.mark.skipif(pl.__version__.startswith("1."), reason="polars 1 panics at integers of 128 bits, or has none")
def test_integers_that_numpy_does_not_have():
    wide = pl.DataFrame({"u": [1], "v": [2], "w": [3]}, schema_overrides={"u": pl.Int128})
    with refused(InputTypeError, "'u'", "64 bits"):
        Graph.from_frame(wide)


def test_types_that_numpy_does_not_have():
    money = pa.table({"u": [1], "v": [2], "w": pa.array(["1.5"]).cast(pa.decimal128(4, 2))})
    with refused(InputTypeError, "'w' is Decimal", "CAST(... AS DOUBLE)"):
        Graph.from_frame(money, weight="w")


# from_arcs of ids


def test_ids_of_arrays():
    graph = Graph.from_arcs(["b", "a"], ["a", "c"], [1, 2], names=True)
    assert graph.names == ("b", "a", "c") and arcs_of(graph) == [("a", "c", 2), ("b", "a", 1)]
    assert Graph.from_arcs(np.array(["b", "a"]), np.array(["a", "c"]), names=True).names == ("b", "a", "c")
    assert Graph.from_arcs(np.array([3, 1], np.uint8), [1, -(2**40)], names=True).names == (-(2**40), 1, 3)
    assert Graph.from_arcs([], [], names=True).n == 0
    assert Graph.from_arcs([2, 0], [1, 1], names=True).names is None
    placed = Graph.from_arcs([40, 10], [10, 40], names=True, coordinates={10: (1, 2), 40: (3, 4), 50: (0, 0)})
    assert placed.n == 2 and placed.coordinates.tolist() == [[1, 2], [3, 4]]
    plain = Graph.from_arcs([0, 1], [1, 0], names=True, coordinates={0: (1, 2), 1: (3, 4), 2: (0, 0)})
    assert plain.n == 2 and plain.names is None


@pytest.mark.parametrize(
    ("tails", "heads", "options", "error", "words"),
    [
        ([1], [2], {"n": 5}, OptionError, ["n is 5", "names=True", "Leave n out"]),
        ([1], [2], {"coordinates": [[0, 0], [1, 1]]}, InputTypeError, ["list", "dict from name to pair"]),
        ([1.0], [2], {}, InputTypeError, ["Tails", "1.0", "whole numbers or words"]),
        (np.array([1.0]), [2], {}, InputTypeError, ["Tails", "float64", "1.0"]),
        (["a", 1], [1, 2], {}, InputTypeError, ["Tails", "whole numbers and words (1 and 'a')"]),
        ([1, 2], ["a", "b"], {}, InputTypeError, ["Tails holds whole numbers and heads words"]),
        (["a", "b"], [1, 2], {}, InputTypeError, ["Heads holds whole numbers and tails words"]),
        ([True], [2], {}, InputTypeError, ["Tails", "True", "bool"]),
        ([(0, 1)], [(1, 1)], {}, InputTypeError, ["(0, 1)", "tuple"]),
        ([None, "a"], ["a", "b"], {}, InputTypeError, ["None", "row 0"]),
        ([2**63], [1], {}, GraphError, [str(2**63), "2**63 - 1"]),
        ([b"a"], [b"b"], {}, InputTypeError, ["bytes"]),
        (np.array([b"a"]), [b"b"], {}, InputTypeError, ["Decode"]),
        (["a"], ["b", "c"], {}, GraphError, ["tails has 1", "heads has 2"]),
        (5, [1], {}, InputTypeError, ["tails is 5"]),
        (np.zeros((1, 2), int), [1], {}, GraphError, ["(1, 2)"]),
    ],
)
def test_bad_ids(tails, heads, options, error, words):
    with refused(error, *words):
        Graph.from_arcs(tails, heads, names=True, **options)
