"""Whole numbers as names: the compact form must answer as a tuple of the same numbers would."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.marks import JIT
from nearfar.errors import GraphError, InputTypeError, VertexError
from nearfar.graph.names import IdTable, NumberNames, find_ids, index_ids

IDS = st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 20), unique=True, max_size=12)


@given(IDS, st.integers(-(2**63) - 5, 2**63 + 5) | st.integers(-6, 21))
def test_array_is_like_a_tuple(ids, wanted):
    names = NumberNames(np.array(ids, np.int64))
    assert names == tuple(ids) and len(names) == len(ids) and list(names) == ids
    assert names.get(wanted) == (ids.index(wanted) if wanted in ids else None)
    assert (wanted in names) == (wanted in ids)
    assert [names.get(i) for i in ids] == list(range(len(ids)))


@given(st.integers(-9, 9), st.integers(0, 9), st.sampled_from([1, 2, -1, -3]), st.integers(-30, 30))
def test_range_is_like_a_tuple(start, count, step, wanted):
    ids = range(start, start + step * count, step)
    names = NumberNames(ids)
    assert names == tuple(ids) and names.array.tolist() == list(ids)
    assert names.get(wanted) == (ids.index(wanted) if wanted in ids else None)
    numbers, known = names.find(np.array([*ids, wanted]))
    assert numbers[:count].tolist() == list(range(count)) and known[:count].all()
    assert known[count] == (wanted in ids)
    assert names.take(np.arange(count)).tolist() == list(ids)


@given(IDS.filter(bool), st.lists(st.integers(-6, 21), max_size=5))
def test_find_many(ids, others):
    names = NumberNames(np.array(ids, np.int64))
    numbers, known = names.find(np.array(ids + others, np.int64))
    assert numbers[: len(ids)].tolist() == list(range(len(ids)))
    assert known.tolist() == [True] * len(ids) + [other in ids for other in others]


def test_twice_is_refused():
    with pytest.raises(GraphError, match="hold 7 twice"):
        NumberNames(np.array([7, 3, 7]))


def test_looks():
    names = NumberNames(range(1, 1001))
    assert repr(names) == "NumberNames(1, 2, 3, ..., 1000; 1000 in all)"
    assert names[-1] == 1000 and names[1:3] == (2, 3) and NumberNames(np.array([5, 3, 9]))[:2] == (5, 3)
    assert names != ("a",) and names == NumberNames(np.arange(1, 1001)) and names != NumberNames(range(3))
    assert pickle.loads(pickle.dumps(names)) == names


@pytest.mark.parametrize("names", [range(1, 5), np.array([1, 2, 3, 4])], ids=["range", "array"])
def test_graph_counts_from_one(names):
    graph = nearfar.Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 6, 7], names=names)
    result = nearfar.sssp(graph, 1)
    assert result.path(4) == [1, 2, 3, 4] and graph.index(4) == 3 and graph.name(0) == 1
    assert graph.indices(np.array([4, 1])).tolist() == [3, 0] and graph.indices({3, 2}).tolist() == [1, 2]
    assert nearfar.mssp(graph, np.array([2, 1])).source_indices.tolist() == [1, 0]
    assert result.to_frame()["target"].tolist() == [1, 2, 3, 4]
    for wrong in (0, 5, -1):
        with pytest.raises(VertexError, match=f"{wrong} is not a vertex"):
            graph.index(wrong)
    with pytest.raises(VertexError, match="source 9 is not a vertex"):
        nearfar.mssp(graph, np.array([1, 9]))
    for wrong in (True, 2.0):
        with pytest.raises(InputTypeError):
            graph.index(wrong)
    with pytest.raises(VertexError, match="Did you mean 2"):
        graph.index("2")


def test_range_is_said_in_errors():
    graph = nearfar.Graph.from_arcs([0], [1], names=range(1, 3))
    with pytest.raises(VertexError) as caught:
        graph.index(0)
    assert str(caught.value) == "vertex 0 is not a vertex: the graph has 2 vertices, 1 to 2."


PAIRS = st.lists(st.tuples(st.integers(-3, 40), st.integers(0, 40)), max_size=30) | st.lists(
    st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**62)), max_size=10
)


@given(PAIRS, st.sampled_from([0, 1 << 17]))
def test_find_ids(pairs, few):
    """Whichever way ids are numbered, by a table, by sorting, by hashing: ascending, and the names lead back."""
    ends = [np.array([pair[i] for pair in pairs], np.int64) for i in (0, 1)]
    given_ids = [end.tolist() for end in ends]
    number, names, n = find_ids(ends, few)
    distinct = sorted({end for pair in pairs for end in pair})
    assert n == len(distinct) and tuple(range(n) if names is None else names) == tuple(distinct)
    for ids, end in zip(given_ids, ends, strict=True):
        assert [distinct[v] for v in number(end)] == ids and number(end).dtype == np.int32


def test_ids_that_need_no_names():
    assert index_ids(np.array([0, 1]), np.array([2, 0]))[2] is None
    names = index_ids(np.array([1, 2]), np.array([3, 1]))[2]
    assert names is not None and names.ids == range(1, 4)


@given(st.lists(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9), max_size=20), max_size=5))
def test_table_of_ids(blocks):
    table, seen = IdTable(), {}
    for block in blocks:
        found = table.indices(np.array(block, np.int64))
        assert found.tolist() == [seen.setdefault(name, len(seen)) for name in block]
    rank, ids = table.ranks()
    assert ids.tolist() == sorted(seen) and [ids[r] for r in rank] == list(seen)


def test_many_ids_make_the_table_grow():
    ids = np.arange(0, 3_000_000_000, 7919, dtype=np.int64)[::-1][: 300_000 if JIT else 9_000]
    table = IdTable()
    assert (table.indices(ids) == np.arange(len(ids))).all() and (
        table.indices(ids[::-1]) == np.arange(len(ids))[::-1]
    ).all()


def test_absurd_words_for_vertices():
    for graph in (
        nearfar.Graph.from_arcs([0], [1], names=range(1, 3)),
        nearfar.Graph.from_arcs([0], [1], names=["a", "b"]),
    ):
        for word in ("9" * 5000, "--5", "²"):
            with pytest.raises(VertexError):
                graph.index(word)
