"""Parquet and Arrow edge tables: which columns, what becomes of ids and words, and broken files."""

from __future__ import annotations

import io
import sys

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.damage import BROKEN, broken, damaged, named_arcs, read_bytes, refused, same, survives, write_bytes
from helpers.strategies import cases
from nearfar.errors import FileError, MissingDependencyError, OptionError
from nearfar.formats import columns as columns_module
from nearfar.graph import Graph
from nearfar.graph.names import NumberNames

ENDINGS = {"parquet": "parquet", "arrow": "arrow"}
WORDS = {"from": ["Ulm", "Bonn", "Ulm"], "to": ["Bonn", "Kiel", "Kiel"], "km": [390, 530, 700]}


def saved(table, kind, **options):
    """Return a table as the bytes of a file: parquet, arrow, feather or a stream."""
    table = table if isinstance(table, pa.Table) else pa.table(table)
    file = io.BytesIO()
    if kind == "parquet":
        pq.write_table(table, file, **options)
    elif kind == "feather":
        pyarrow.feather.write_feather(table, file, **options)
    else:
        with (pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream)(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    return file.getvalue()


def read_table(table, kind="parquet", **options):
    return read_bytes(saved(table, kind), f"a.{ENDINGS.get(kind, 'arrow')}", **options)


@pytest.fixture(params=["parquet", "arrow", "feather", "stream"])
def kind(request):
    return request.param


# which columns


def test_words_become_names_in_order_of_appearance(kind):
    graph = read_table(WORDS, kind)
    assert graph.names == ("Ulm", "Bonn", "Kiel")
    assert named_arcs(graph) == [("Bonn", "Kiel", 530), ("Ulm", "Bonn", 390), ("Ulm", "Kiel", 700)]
    encoded = {name: pa.array(values).dictionary_encode() for name, values in WORDS.items() if name != "km"}
    assert same(read_table(encoded | {"km": WORDS["km"]}, kind), graph)


@pytest.mark.parametrize(
    ("names", "tail", "head", "weight"),
    [
        (["Source", "TARGET", "Weight"], 0, 1, 2),
        (["weight", "dst", "src"], 2, 1, 0),
        (["id", "u", "v", "Length"], 1, 2, 3),
        (["a", "b", "c"], 0, 1, 2),
        (["a", "b"], 0, 1, None),
        (["from", "to", "flow", "cost"], 0, 1, 3),
        (["to", "from", "flow"], 1, 0, 2),
        (["from", "to", "lanes", "km"], 0, 1, 3),
        (["source", "to", "x"], 0, 1, 2),
    ],
)
def test_columns_are_found(kind, names, tail, head, weight):
    values = [[0, 1, 2], [1, 2, 0], [2, 2, 1], [0, 0, 1]]
    graph = read_table(dict(zip(names, values, strict=False)), kind)
    assert same(graph, Graph.from_arcs(values[tail], values[head], None if weight is None else values[weight]))


def test_an_unclear_weight_is_refused(kind):
    with refused("not clear which column is the weight", "'id', 'lanes'", "weight=False"):
        read_table({"id": [7], "u": [0], "v": [1], "lanes": [2], "note": ["x"]}, kind)
    assert read_table({"id": [7], "u": [0], "v": [1]}, kind, weight=False).weights is None
    with refused("'weight' is string", "weight=False"):
        read_table({"u": [0], "v": [1], "weight": ["7 km"]}, kind)


def test_a_third_column_of_words_is_no_weight(kind):
    assert read_table({"a": [0], "b": [1], "c": ["x"], "w": [3]}, kind).max_weight == 3
    assert read_table({"a": [0], "b": [1], "c": ["x"]}, kind).weights is None


def test_columns_are_asked_for(kind):
    table = {"source": [0, 1], "target": [1, 0], "weight": [1.5, 2.5], "other": [0, 0], "3": [7, 8]}
    assert read_table(table, kind, weight=False).weights is None
    assert read_table(table, kind, weight="other").max_weight == 0
    assert read_table(table, kind, weight=3).max_weight == 0
    assert read_table(table, kind, weight="3").max_weight == 8
    assert read_table(table, kind, weight="2").max_weight == 2.5
    assert named_arcs(read_table(table, kind, tail="target", head=0, weight=False)) == [(0, 1, 1), (1, 0, 1)]
    assert read_table(table, kind, undirected=True).m == 4
    for options in ({"tail": "x"}, {"head": 5}, {"weight": "y"}, {"weight": -1}, {"head": True}):
        with refused("a.", "'source', 'target'", error=OptionError):
            read_table(table, kind, **options)


def test_only_the_needed_columns_are_read(kind):
    """A column that cannot be read does no harm as long as nobody asks for it."""
    table = pa.table({"source": [0], "target": [1], "blob": pa.array([b"x" * 100_000])})
    assert read_table(table, kind).m == 1


# vertices


def test_numbers_and_ids(kind):
    assert read_table({"u": [0, 2], "v": [1, 0]}, kind).names is None
    sparse = read_table({"u": [30, 10], "v": [10**12, 30]}, kind)
    assert isinstance(sparse.names, NumberNames) and tuple(sparse.names) == (10, 30, 10**12)
    assert tuple(read_table({"u": [1, 2], "v": [2, 3]}, kind).names) == (1, 2, 3)
    small = read_table({"u": pa.array([0, 255], pa.uint8()), "v": pa.array([-1, 0], pa.int16())}, kind)
    assert tuple(small.names) == (-1, 0, 255)
    assert read_table({"u": pa.array([], pa.int64()), "v": pa.array([], pa.int64())}, kind).n == 0
    assert read_table({"u": pa.array([], pa.string()), "v": pa.array([], pa.string())}, kind).n == 0
    assert read_table({"u": pa.array([], pa.null()), "v": pa.array([], pa.null())}, kind).n == 0


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"u": [0.5], "v": [1.5]}, ["double", "whole numbers or words"]),
        ({"u": [True], "v": [False]}, ["bool"]),
        ({"u": [[0]], "v": [[1]]}, ["list"]),
        ({"u": ["a"], "v": [1]}, ["both words"]),
        ({"u": [0, None], "v": [1, 2]}, ["'u' has no value in row 1"]),
        ({"u": ["a", "b"], "v": [None, "a"]}, ["'v' has no value in row 0"]),
        ({"u": [0, 1], "v": [1, 0], "w": [None, 3]}, ["'w' has no value in row 0"]),
        ({"u": [0, 1], "v": [1, 0], "w": [float("nan"), 3]}, ["nan"]),
        ({"u": pa.array([2**63], pa.uint64()), "v": [0]}, ["2**63 - 1"]),
        ({"only": [0]}, ["tail and a head"]),
        ({}, ["tail and a head"]),
    ],
)
def test_tables_that_are_no_graph(kind, table, words):
    with refused("a.", *words):
        read_table(table, kind)


def test_weights_that_are_no_numbers(kind):
    with refused("a.", "string", "weight=False"):
        read_table({"u": [0], "v": [1], "w": ["heavy"]}, kind, weight="w")


def test_two_columns_of_one_name():
    table = pa.Table.from_arrays([pa.array([0]), pa.array([1]), pa.array([2])], names=["u", "v", "v"])
    with refused("a.arrow", "two columns", "'v'"):
        read_bytes(saved(table, "arrow"), "a.arrow")


# writing


@pytest.mark.parametrize("format", ["parquet", "arrow"])
@given(cases(min_n=0), st.sampled_from([None, "words", "ids"]))
def test_what_is_written_is_read(format, case, naming):
    names = {"words": [f"v{i}" for i in range(case.n)], "ids": np.arange(case.n) * 10 + 7}.get(naming)
    graph = Graph.from_arcs(*case.arrays(), n=case.n, names=names)
    again = read_bytes(write_bytes(graph, format), f"a.{format}")
    assert named_arcs(again) == named_arcs(graph)
    assert again.weight_dtype == graph.weight_dtype
    if naming is None:
        assert same(again, graph)  # also vertices without arcs


@pytest.mark.parametrize("ending", ["parquet", "pq", "arrow", "feather", "ipc", "parquet.gz", "arrow.zst"])
def test_endings(tmp_path, ending):
    graph = Graph.from_arcs([0, 1], [1, 2], [0.5, 2])
    nearfar.write(graph, tmp_path / f"g.{ending}")
    assert same(nearfar.read(tmp_path / f"g.{ending}"), graph)


def test_others_read_what_is_written(monkeypatch):
    monkeypatch.setattr(columns_module, "BLOCK", 2)  # several batches
    graph = Graph.from_arcs([0, 1, 1, 2, 2], [1, 2, 0, 2, 1], [1, 2, 3, 4, 5], names=["a", "b", "c"])
    table = pq.read_table(io.BytesIO(write_bytes(graph, "parquet")))
    assert table.to_pydict() == {
        "source": ["a", "b", "b", "c", "c"],
        "target": ["b", "c", "a", "c", "b"],
        "weight": [1, 2, 3, 4, 5],
    }
    table = pa.ipc.open_file(write_bytes(graph, "arrow")).read_all()
    assert table["weight"].to_pylist() == [1, 2, 3, 4, 5] and table["source"].num_chunks == 3


def test_mixed_names_are_refused():
    with refused("all str", error=FileError):
        write_bytes(Graph.from_arcs([0], [1], names=["a", 1]), "parquet")


def test_a_false_count_of_vertices_is_noticed():
    table = pa.table({"u": [0, 5], "v": [1, 2]}).replace_schema_metadata({"nearfar_vertices": "3"})
    with refused("a.parquet", "promises 3 vertices"):
        read_table(table)
    table = table.replace_schema_metadata({"nearfar_vertices": "many"})
    assert tuple(read_table(table).names) == (0, 1, 2, 5)


# broken files


@pytest.mark.parametrize("accident", BROKEN)
@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_broken_files(format, accident):
    with refused("a."):
        read_bytes(broken(saved(WORDS, format))[accident], f"a.{format}", format=format)


def test_feather_of_version_one():
    with refused("a.feather", "version 1"):
        read_bytes(b"FEA1" + bytes(100), "a.feather")


FILES = {name: saved(WORDS, name) for name in ("parquet", "arrow", "feather", "stream")}
FILES["numbers"] = saved({"u": [0, 1], "v": [1, 0], "w": [0.5, 1]}, "parquet", compression="none")


@pytest.mark.parametrize("name", FILES)
@given(st.data())
def test_damaged_files(name, data):
    format = "parquet" if FILES[name].startswith(b"PAR1") else "arrow"
    survives(data.draw(damaged(FILES[name])), f"a.{format}", format=format)


def test_without_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with refused("pyarrow", "nearfar[formats]", error=MissingDependencyError):
        read_bytes(FILES["parquet"], "a.parquet")
