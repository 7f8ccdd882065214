"""Graph: what from_arcs and from_csr store, what they refuse, and how vertices are named.

The two ways of sorting arcs into rows (NumPy for few arcs, kernels for many) are held against one written with lists.
"""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearfar.errors import GraphError, InputTypeError, NearfarError, VertexError
from nearfar.graph import Graph
from nearfar.graph import rows as layout
from nearfar.graph.arrays import Weights
from nearfar.graph.reweigh import without_infinite
from nearfar.graph.vertices import Vertices


@contextmanager
def refused(error: type[NearfarError], *words: str) -> Iterator[None]:
    """Expect an error whose message holds each of the words: the value, the rule, the way out."""
    with pytest.raises(error) as caught:
        yield
    for word in words:
        assert word in str(caught.value), f"{word!r} is not in {str(caught.value)!r}"


def rows_of(graph: Graph) -> list[list[tuple]]:
    """Return each vertex's arcs as a list of (head,) or (head, weight)."""
    ends = zip(graph.offsets[:-1], graph.offsets[1:], strict=True)
    return [[tuple(arc) for arc in graph.arcs[low:high].tolist()] for low, high in ends]


def expected_rows(n, tails, heads, weights=None, undirected=False) -> list[list[tuple]]:
    """Do with lists what Graph does with arrays."""
    rows: list[list[tuple]] = [[] for _ in range(n)]
    for i, (u, v) in enumerate(zip(tails, heads, strict=True)):
        tail = () if weights is None else (weights[i],)
        if weights is not None and weights[i] == math.inf:
            continue
        rows[u].append((v, *tail))
        if undirected and u != v:
            rows[v].append((u, *tail))
    return rows


@st.composite
def arc_lists(draw):
    """Draw (n, tails, heads, weights) with loops, parallel arcs, isolated vertices, inf."""
    n = draw(st.integers(1, 8))
    ends = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=25))
    kind = draw(st.sampled_from([None, "small", "large", "float"]))
    values = {
        "small": st.integers(-(2**31) + 1, 2**31 - 1),
        "large": st.integers(-(2**63) + 1, 2**63 - 1),
        "float": st.just(math.inf) | st.floats(allow_nan=False, min_value=-1e300),
    }
    weights = None if kind is None else draw(st.lists(values[kind], min_size=len(ends), max_size=len(ends)))
    return n, [u for u, _ in ends], [v for _, v in ends], weights


# what is stored


@given(arc_lists(), st.booleans())
def test_rows_hold_the_arcs_in_input_order(case, undirected):
    n, tails, heads, weights = case
    graph = Graph.from_arcs(tails, heads, weights, n, undirected)
    assert rows_of(graph) == expected_rows(n, tails, heads, weights, undirected)
    assert graph.undirected is undirected
    assert graph.n == n
    assert graph.m == len(graph.arcs) == graph.offsets[-1]


@given(arc_lists(), st.booleans(), st.integers(1, 30))
@settings(deadline=None)  # the first example compiles
def test_kernels_and_numpy_lay_out_alike(case, undirected, block):
    n, tails, heads, weights = case
    plain = Graph.from_arcs(tails, heads, weights, n, undirected)
    ends = np.array(tails, np.int64), np.array(heads, np.int16)
    taken = None
    if weights is not None:
        values = np.array(weights, np.int64 if plain.weight_dtype.kind == "i" else np.float64)
        taken = Weights(values, plain.weight_dtype, math.inf in weights)
    before = layout.BLOCK
    try:
        layout.BLOCK = block
        rows = layout.arcs_to_rows(n, *ends, taken, undirected, few=-1)
    finally:
        layout.BLOCK = before
    built = without_infinite(rows, taken, Vertices(n), undirected=undirected)
    offsets, arcs = built.offsets, built.arcs
    assert built.rows.tolist() == plain.rows.tolist()
    assert offsets.dtype == plain.offsets.dtype
    assert offsets.tolist() == plain.offsets.tolist()
    assert arcs.dtype == plain.arcs.dtype
    assert arcs.tolist() == plain.arcs.tolist()


@given(arc_lists())
@settings(deadline=None)
def test_reverse_turns_every_arc_and_kernels_agree(case):
    n, tails, heads, weights = case
    graph = Graph.from_arcs(tails, heads, weights, n)
    back = graph.reverse()
    for u, row in enumerate(rows_of(back)):
        assert [arc[0] for arc in row] == sorted(arc[0] for arc in row)
        there = [(t, *arc[1:]) for t, arcs in enumerate(rows_of(graph)) for arc in arcs if arc[0] == u]
        assert row == there
    offsets, arcs = layout.reverse_rows(graph.offsets, graph.arcs, few=-1)
    assert offsets.tolist() == back.offsets.tolist()
    assert arcs.tolist() == back.arcs.tolist()


def test_reverse_keeps_names_and_coordinates_and_an_undirected_graph_is_its_own():
    graph = Graph.from_arcs([0], [1], [5], names=["a", "b"], coordinates=[(0, 0), (3, 4)])
    back = graph.reverse()
    assert rows_of(back) == [[], [(0, 5)]]
    assert back.names == ("a", "b")
    assert back.coordinates.tolist() == [[0, 0], [3, 4]]
    edge = Graph.from_arcs([0], [1], undirected=True)
    assert edge.reverse() is edge


@given(arc_lists())
def test_from_csr_gives_the_same_graph(case):
    n, tails, heads, weights = case
    order = sorted(range(len(tails)), key=lambda i: tails[i])
    offsets = [sum(t < u for t in tails) for u in range(n + 1)]
    chosen = None if weights is None else [weights[i] for i in order]
    graph = Graph.from_csr(offsets, [heads[i] for i in order], chosen)
    assert rows_of(graph) == expected_rows(n, tails, heads, weights)
    assert graph.undirected is False


def test_many_arcs_take_the_kernels(monkeypatch):
    monkeypatch.setattr(layout, "BLOCK", 40)
    rng = np.random.default_rng(0)
    tails, heads, weights = rng.integers(0, 20, (3, 100))
    kernels = layout.arcs_to_rows(20, tails, heads, Weights(weights, np.dtype(np.int32), False), few=10)
    plain = Graph.from_arcs(tails, heads, weights, 20)
    assert kernels[0].tolist() == plain.offsets.tolist()
    assert kernels[1].tolist() == plain.arcs.tolist()


def test_records_are_packed_and_heads_and_weights_are_views():
    graph = Graph.from_arcs([0, 1], [1, 0], [2.5, 3.5])
    assert graph.arcs.dtype == np.dtype([("head", np.int32), ("weight", np.float64)])
    assert graph.arcs.dtype.itemsize == 12
    assert graph.heads.base is not None
    assert np.shares_memory(graph.heads, graph.arcs)
    assert np.shares_memory(graph.weights, graph.arcs)
    assert Graph.from_arcs([0], [1]).arcs.dtype == np.dtype([("head", np.int32)])
    assert graph.offsets.dtype == np.int32
    assert graph.offsets.flags.c_contiguous


def test_offsets_have_64_bits_from_two_to_the_31_arcs_on():
    assert layout.offset_type(2**31 - 1) is np.int32
    assert layout.offset_type(2**31) is np.int64


@pytest.mark.parametrize(
    ("given_as", "stored"),
    [
        (np.int8, np.int32),
        (np.uint8, np.int32),
        (np.int16, np.int32),
        (np.uint16, np.int32),
        (np.int32, np.int32),
        (np.uint32, np.int32),
        (np.int64, np.int32),
        (np.uint64, np.int32),
        (np.float16, np.float32),
        (np.float32, np.float32),
        (np.float64, np.float64),
        (">i8", np.int32),
        (">f4", np.float32),
        (">f8", np.float64),
    ],
)
def test_weights_of_any_width_are_stored_as_one_of_four_types(given_as, stored):
    graph = Graph.from_arcs([0, 1], [1, 0], np.array([3, 7], given_as))
    assert graph.weight_dtype == stored
    assert graph.weights.tolist() == [3, 7]


@pytest.mark.parametrize("large", [2**31, -(2**31), 2**40, 2**63 - 1, -(2**63) + 1])
def test_integers_beyond_32_bits_are_stored_as_int64(large):
    graph = Graph.from_arcs([0, 1], [1, 0], [1, large])
    assert graph.weight_dtype == np.int64
    assert graph.weights.tolist() == [1, large]
    assert Graph.from_arcs([0], [1], [2**31 - 1]).weight_dtype == np.int32


def test_python_numbers_in_an_object_array_are_converted():
    assert Graph.from_arcs([0, 0], [1, 1], np.array([1, 2], object)).weight_dtype == np.int32
    assert Graph.from_arcs([0, 0], [1, 1], np.array([1, 2.5], object)).weight_dtype == np.float64
    assert Graph.from_arcs(np.array([0, 1], object), [1, 0]).m == 2
    assert Graph.from_arcs(pd.Series([0, 1], dtype="Int64"), [1, 0]).m == 2


def test_inf_means_no_arc():
    graph = Graph.from_arcs([0, 0, 1], [1, 2, 2], [math.inf, 2.0, math.inf])
    assert rows_of(graph) == [[(2, 2.0)], [], []]
    rows = Graph.from_csr([0, 2, 3, 3], [1, 2, 2], np.array([math.inf, 2.0, math.inf], np.float32))
    assert rows_of(rows) == [[(2, 2.0)], [], []]
    assert Graph.from_arcs([0], [1], [math.inf]).m == 0


def test_negative_zero_loops_and_parallel_arcs_are_kept():
    graph = Graph.from_arcs([0, 0, 0], [0, 1, 1], [-0.0, 2.0, 1.0])
    assert rows_of(graph) == [[(0, 0.0), (1, 2.0), (1, 1.0)], []]


# every kind of array


def test_lists_tuples_strided_readonly_and_big_endian_arrays_are_taken():
    want = [[(1, 4), (2, 9)], [(2, 3)], []]
    tails, heads, weights = [0, 0, 1], [1, 2, 2], [4, 9, 3]
    frozen = np.array(tails)
    frozen.flags.writeable = False
    strided = np.array([1, -9, 2, -9, 2])[::2]
    for t in (tails, tuple(tails), frozen, np.array(tails, ">i4"), np.array(tails, np.uint8), pd.Series(tails)):
        for h in (heads, strided, np.array(heads, ">i8"), np.asfortranarray(heads)):
            assert rows_of(Graph.from_arcs(t, h, np.array(weights, ">u2"))) == want
    assert rows_of(Graph.from_csr(np.array([0, 2, 3, 3], ">u8"), strided, np.array(weights)[::1])) == want


def test_nothing_is_shared_with_the_callers_arrays():
    tails, heads, weights = np.array([0, 1], np.int32), np.array([1, 0], np.int32), np.array([5, 6], np.int32)
    offsets = np.array([0, 1, 2], np.int32)
    places, names = np.zeros((2, 2)), ["a", "b"]
    graphs = [
        Graph.from_arcs(tails, heads, weights, names=names, coordinates=places),
        Graph.from_csr(offsets, heads, weights, names=names, coordinates=places),
    ]
    for array in (tails, heads, weights, offsets, places):
        array[:] = 0
    names[0] = "x"
    for graph in graphs:
        assert rows_of(graph) == [[(1, 5)], [(0, 6)]]
        assert graph.names == ("a", "b")
    places[:] = 7
    assert all(graph.coordinates.sum() == 0 for graph in graphs)


@pytest.mark.parametrize("attribute", ["offsets", "arcs", "heads", "weights", "coordinates"])
def test_our_arrays_cannot_be_written_to_nor_thawed(attribute):
    graph = Graph.from_arcs([0], [1], [5], coordinates=np.zeros((2, 2)))
    array = getattr(graph, attribute)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.flags.writeable = True


def test_attributes_cannot_be_set_or_deleted():
    graph = Graph.from_arcs([0], [1])
    with pytest.raises(AttributeError, match=r"frozen.*'arcs'.*from_arcs"):
        graph.arcs = None
    with pytest.raises(AttributeError, match="frozen"):
        del graph.offsets


def test_a_graph_is_not_built_from_raw_arrays():
    with refused(InputTypeError, "list", "from_arcs"):
        Graph(np.array([0, 1]), np.array([0]), [1])


def test_copies_and_pickles_are_the_same_and_frozen():
    graph = Graph.from_arcs([0], [1], [5], undirected=True, names=["a", (1, 2)], coordinates=[(0, 1), (2, 3)])
    for other in (pickle.loads(pickle.dumps(graph)), copy.copy(graph), copy.deepcopy(graph)):
        assert rows_of(other) == rows_of(graph)
        assert other.names == graph.names
        assert other.undirected
        assert other.index((1, 2)) == 1
        assert not other.arcs.flags.writeable
        assert other.coordinates.tolist() == [[0, 1], [2, 3]]
    assert graph != copy.copy(graph)
    assert len({graph, graph}) == 1


# small graphs and facts


def test_the_empty_graph():
    for graph in (Graph.from_arcs([], []), Graph.from_arcs([], [], []), Graph.from_csr([0], [])):
        assert (graph.n, graph.m) == (0, 0)
        assert (graph.min_weight, graph.max_weight, graph.mean_weight, graph.max_degree) == (0, 0, 0, 0)
        assert graph.indices([]).dtype == np.int32
        assert graph.reverse().m == 0
        assert graph.describe()["components"] == 0
        with refused(VertexError, "source 0", "no vertices"):
            graph.index(0, "source")


def test_one_vertex_and_no_arcs():
    one = Graph.from_arcs([], [], n=1)
    assert (one.n, one.m, one.index(0)) == (1, 0, 0)
    assert repr(one) == "Graph(n=1, m=0, unweighted)"
    with refused(VertexError, "vertex 1", "one vertex, 0"):
        one.index(1)
    many = Graph.from_csr(np.zeros(6, int), [], np.empty(0, np.float32))
    assert (many.n, many.m, many.weight_dtype) == (5, 0, np.float32)
    assert repr(many) == "Graph(n=5, m=0, float32 weights)"


def test_facts():
    graph = Graph.from_arcs([0, 0, 2], [1, 2, 2], [4, -2, 7], n=4)
    assert (graph.min_weight, graph.max_weight, graph.mean_weight, graph.max_degree) == (-2, 7, 3.0, 2)
    assert type(graph.min_weight) is int
    assert type(Graph.from_arcs([0], [1], [1.5]).max_weight) is float
    assert graph.nbytes == 5 * 4 + 3 * 8
    assert Graph.from_arcs([0], [1], coordinates=[(0, 0), (1, 1)]).nbytes == 3 * 4 + 4 + 32
    hops = Graph.from_arcs([0, 1], [1, 2])
    assert (hops.min_weight, hops.max_weight, hops.mean_weight, hops.weights, hops.weight_dtype) == (
        1,
        1,
        1,
        None,
        None,
    )


def test_a_mean_whose_sum_passes_the_floats():
    assert Graph.from_arcs([0, 0], [1, 1], [1e308, 1.5e308]).mean_weight == pytest.approx(1.25e308)


def test_repr_is_short():
    assert repr(Graph.from_arcs([0, 1], [1, 2], [1, 12711])) == "Graph(n=3, m=2, int32 weights 1..12711)"
    assert repr(Graph.from_arcs([0], [1], [0.1], undirected=True)) == "Graph(n=2, m=2, float64 weights 0.1..0.1)"
    assert repr(Graph.from_arcs([0], [1], names=range(1, 3354))) == "Graph(n=3353, m=1, unweighted, names 1..3353)"
    assert repr(Graph.from_arcs([0], [1], names=["Ulm", "Kiel"])) == "Graph(n=2, m=1, unweighted, names 'Ulm'..'Kiel')"
    assert repr(Graph.from_arcs([], [], names=[(0, 7)])) == "Graph(n=1, m=0, unweighted, names (0, 7))"
    assert repr(Graph.from_arcs([], [], names=[])) == "Graph(n=0, m=0, unweighted)"
    assert "names 'xxx" in (long := repr(Graph.from_arcs([0], [1], names=["x" * 99, "y"]))) and len(long) < 80
    assert repr(Graph.from_arcs([0], [1], [2**40])) == f"Graph(n=2, m=1, int64 weights {2**40}..{2**40})"


def test_arc_name_finds_the_tail_past_empty_rows():
    graph = Graph.from_arcs([1, 1, 4], [0, 2, 5])
    assert [graph.arc_name(e) for e in range(3)] == ["arc 0 (1 -> 0)", "arc 1 (1 -> 2)", "arc 2 (4 -> 5)"]
    assert Graph.from_arcs([0], [1], names=["Ulm", "Bonn"]).arc_name(0) == "arc 0 ('Ulm' -> 'Bonn')"


def test_importing_and_building_a_small_graph_loads_no_numba_and_no_scipy():
    code = (
        "import sys; from nearfar.graph import Graph; g = Graph.from_arcs([0], [1], [2], undirected=True).reverse();"
        "assert not {'numba', 'scipy', 'networkx', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


# bad arcs


@pytest.mark.parametrize("what", ["tails", "heads"])
@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        ([0.0, 1.0], InputTypeError, ("float64", "0.0", "whole numbers", ".astype(int)")),
        ([0, 1.5], InputTypeError, ("float64", "whole numbers")),
        (np.array([0, np.nan]), InputTypeError, ("float64", "whole numbers")),
        (np.array([True, False]), InputTypeError, ("bool", "True", "flatnonzero")),
        ([True, 1], InputTypeError, ("[0]", "True", "bool", "numbers", "0 or 1")),
        (["a", "b"], InputTypeError, ("'a'", "whole numbers", "from_frame")),
        (np.array([0, None], object), InputTypeError, ("[1]", "None", "NoneType", "leave that arc out")),
        (np.array([0, 0.5], object), InputTypeError, ("[1]", "0.5", "float")),
        (np.array([0, 1], "M8[s]"), InputTypeError, ("datetime64", "whole numbers")),
        ([1 + 0j, 0], InputTypeError, ("complex128", "whole numbers")),
        ([0, 2**70], GraphError, ("[1]", str(2**70), "2**63 - 1")),
        ([[0, 1], [1, 0]], GraphError, ("(2, 2)", "one dimension", ".ravel()")),
        ([[0], [1, 0]], GraphError, ("ragged", "flat")),
        (5, InputTypeError, ("5", "int", "list or array", "[...]")),
        ("ab", InputTypeError, ("'ab'", "str", "list or array")),
        ({0, 1}, InputTypeError, ("set", "list(...)")),
        (None, InputTypeError, ("None", "list or array")),
        (np.ma.array([0, 1], mask=[0, 1]), InputTypeError, ("1 masked", ".compressed()")),
        ([0, -1], GraphError, ("[1]", "-1", "count from 0")),
        (np.array([0, 2**40]), GraphError, (str(2**40), "2**31 - 2", "from_frame")),
        (np.array([0, 2**64 - 1], np.uint64), GraphError, (str(2**64 - 1), "2**31 - 2")),
    ],
)
def test_bad_vertex_arrays(what, bad, error, words):
    good = [0, 1]
    with refused(error, *words):
        Graph.from_arcs(*((bad, good) if what == "tails" else (good, bad)))


def test_heads_out_of_range_name_the_entry_and_the_range():
    with refused(GraphError, "heads[1] is 9", "5 vertices, 0 to 4", "n=10"):
        Graph.from_arcs([0, 1], [1, 9], n=5)
    with refused(GraphError, "tails[0] is 3", "3 vertices, 0 to 2", "n=4"):
        Graph.from_arcs([3], [1], n=3)
    with refused(GraphError, "heads[2] is 3", "3 vertices", "Correct"):
        Graph.from_csr([0, 1, 2, 3], [0, 1, 3])
    with refused(GraphError, "tails[0] is 0", "no vertices", "n=1"):
        Graph.from_arcs([0], [0], n=0)
    with refused(GraphError, "heads[0] is 1", "1 vertices"):
        Graph.from_arcs([0], [1], names=["only"])


def test_lengths_that_disagree_are_both_told():
    with refused(GraphError, "tails has 3", "heads has 2", "needs one in each"):
        Graph.from_arcs([0, 1, 2], [1, 2])
    with refused(GraphError, "2 arcs", "weights has 3", "one weight"):
        Graph.from_arcs([0, 1], [1, 2], [1, 2, 3])
    with refused(GraphError, "2 arcs", "weights has 1"):
        Graph.from_csr([0, 2, 2], [1, 1], [1])
    with refused(GraphError, "end at 3", "2 heads", "number of arcs"):
        Graph.from_csr([0, 1, 3], [1, 0])


def test_bad_offsets():
    with refused(GraphError, "fall from 2 to 1", "entry 2", "row 1", "from_arcs"):
        Graph.from_csr([0, 2, 1, 3], [0, 1, 2])
    with refused(GraphError, "fall from 2 to 0"):
        Graph.from_csr(np.array([0, 2, 0, 3], np.uint64), [0, 1, 2])
    with refused(GraphError, "offsets[0] is 1", "starts at 0", "Subtract 1"):
        Graph.from_csr([1, 2], [0])
    with refused(GraphError, "empty", "n + 1", "[0]"):
        Graph.from_csr([], [])
    with refused(InputTypeError, "offsets", "float64"):
        Graph.from_csr([0.0, 1.0], [0])


@pytest.mark.parametrize(
    ("n", "error", "words"),
    [
        (2.0, InputTypeError, ("2.0", "float", "int(n)")),
        (True, InputTypeError, ("True", "bool")),
        ("3", InputTypeError, ("'3'", "str")),
        (-1, GraphError, ("-1", "0 to 2**31 - 1")),
        (2**31, GraphError, (str(2**31), "2**31 - 1")),
    ],
)
def test_bad_n(n, error, words):
    with refused(error, "n is", *words):
        Graph.from_arcs([0], [1], n=n)


# bad weights


@pytest.mark.parametrize("bad", [math.nan, -math.inf])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f8"])
def test_nan_and_minus_inf_name_the_arc(bad, dtype):
    weights = np.array([1.0, math.inf, bad, bad], dtype)
    with refused(GraphError, "arc 2 (3 -> 5)", str(bad), "inf (no arc)", "Leave the arc out"):
        Graph.from_arcs([0, 1, 3, 3], [1, 1, 5, 4], weights)
    with refused(GraphError, "arc 2 (1 -> 0)", str(bad)):
        Graph.from_csr([0, 2, 4], [1, 1, 0, 1], weights)
    with refused(GraphError, "arc 2 ('d' -> 'f')", str(bad)):
        Graph.from_arcs([0, 1, 3, 3], [1, 1, 5, 4], weights, names=list("abcdef"))


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        (np.array([True, False]), InputTypeError, ("bool", "integers or floats", "leave the weights out")),
        ([True, 2], InputTypeError, ("weights[0]", "True", "0 or 1")),
        (["1", "2"], InputTypeError, ("<U1", "integers or floats", ".astype(float)")),
        ([1 + 2j, 1], InputTypeError, ("complex128", ".real")),
        (np.array([1, 2], "m8[s]"), InputTypeError, ("timedelta64", ".astype(np.int64)")),
        (np.array([1, 2], "M8[s]"), InputTypeError, ("datetime64", "differences")),
        ([1, None], InputTypeError, ("arc 1 (1 -> 0)", "None", "numbers")),
        ([[1], [2]], GraphError, ("(2, 1)", "one dimension")),
        ([[1], [2, 3]], GraphError, ("ragged",)),
        (3, InputTypeError, ("3", "list or array")),
        (np.array([1, 2**63], np.uint64), GraphError, (str(2**63), "2**63 - 1", "coarser")),
        ([1, 2**63], GraphError, ("2**63 - 1", "coarser")),
        ([-1, 2**63], GraphError, ("2**63 - 1", "coarser")),
        ([1, 2**70], GraphError, ("arc 1 (1 -> 0)", str(2**70), "2**63 - 1")),
        ([1, -(2**63)], GraphError, (str(-(2**63)), "2**63 - 1", "coarser")),
        (np.ma.array([1, 2], mask=[1, 0]), InputTypeError, ("1 masked", ".filled")),
    ],
)
def test_bad_weights(bad, error, words):
    with refused(error, *words):
        Graph.from_arcs([0, 1], [1, 0], bad)
    with pytest.raises(error):
        Graph.from_csr([0, 1, 2], [1, 0], bad)


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize <= 8, reason="long double is a double here")
def test_long_doubles_are_refused():
    with refused(InputTypeError, str(np.dtype(np.longdouble)), "64 bits", ".astype(np.float64)"):
        Graph.from_arcs([0], [1], np.array([1], np.longdouble))


# names and coordinates


def test_numbers_are_vertices_where_there_are_no_names():
    graph = Graph.from_arcs([0], [4])
    for vertex in (3, np.int8(3), np.uint64(3), np.array(3)):
        assert graph.index(vertex) == 3
        assert type(graph.index(vertex)) is int
    assert graph.name(np.int32(2)) == 2
    assert type(graph.name(np.int32(2))) is int


@pytest.mark.parametrize(
    ("vertex", "error", "words"),
    [
        (7, VertexError, ("source 7 is not a vertex: the graph has 5 vertices, 0 to 4.", "count from 0")),
        (5, VertexError, ("source 5", "0 to 4")),
        (-1, VertexError, ("source -1", "0 to 4")),
        (2**70, VertexError, (str(2**70),)),
        (True, InputTypeError, ("True", "bool", "Give an int")),
        (np.bool_(False), InputTypeError, ("False", "bool")),
        (3.0, InputTypeError, ("3.0", "float", "int, 3")),
        (np.float32(2.5), InputTypeError, ("2.5", "float32")),
        (math.nan, InputTypeError, ("nan", "float")),
        ("a", InputTypeError, ("'a'", "no names")),
        (None, InputTypeError, ("None", "NoneType")),
        ([1], InputTypeError, ("[1]", "list")),
    ],
)
def test_vertices_that_do_not_exist(vertex, error, words):
    graph = Graph.from_arcs([0], [4])
    with refused(error, "source", *words):
        graph.index(vertex, role="source")
    with pytest.raises(error):
        graph.indices([0, vertex])


@pytest.mark.parametrize(
    "several",
    [
        [3, 1, 3],
        (3, 1, 3),
        np.array([3, 1, 3]),
        np.array([3, 0, 1, 0, 3], ">i2")[::2],
        pd.Series([3, 1, 3]),
        iter([3, 1, 3]),
    ],
)
def test_indices_keep_order_and_duplicates(several):
    numbers = Graph.from_arcs([0], [4]).indices(several)
    assert numbers.dtype == np.int32
    assert numbers.flags.writeable
    assert numbers.tolist() == [3, 1, 3]


def test_indices_of_ranges_sets_and_nothing():
    graph = Graph.from_arcs([0], [4])
    assert graph.indices(range(4, 0, -2)).tolist() == [4, 2]
    assert graph.indices({4, 0, 2}).tolist() == [0, 2, 4]
    assert graph.indices(frozenset([1])).tolist() == [1]
    assert graph.indices({3: "x"}.keys()).tolist() == [3]
    for nothing in ([], (), set(), range(0), np.array([])):
        assert graph.indices(nothing).shape == (0,)
        assert graph.indices(nothing).dtype == np.int32
    assert graph.indices(pd.Series([1, 2], dtype="Int64")).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("several", "error", "words"),
    [
        (3, InputTypeError, ("3", "[3]", "list")),
        ("abc", InputTypeError, ("'abc'", "['abc']")),
        (None, InputTypeError, ("None",)),
        (np.array([0.0, 1.0]), InputTypeError, ("0.0", "float")),
        (np.array([True, False]), InputTypeError, ("bools", "flatnonzero")),
        (np.array([0, 9, -1]), VertexError, ("target 9", "0 to 4")),
        (np.array([2**64 - 1], np.uint64), VertexError, (str(2**64 - 1),)),
        (range(3, 7), VertexError, ("target 5",)),
        (np.zeros((2, 2), int), InputTypeError, ("(2, 2)", "one dimension", ".ravel()")),
        ([[0, 1]], InputTypeError, ("[0, 1]", "list")),
    ],
)
def test_bad_lists_of_vertices(several, error, words):
    with refused(error, "target", *words):
        Graph.from_arcs([0], [4]).indices(several, role="target")


def test_with_names_a_vertex_is_always_a_name():
    graph = Graph.from_arcs([0, 1], [1, 2], names=[10, 20, (0, 1)])
    assert graph.index(20) == 1
    assert graph.index(np.int64(20)) == 1
    assert graph.index((0, 1)) == 2
    assert graph.name(2) == (0, 1)
    assert graph.indices([(0, 1), 10]).tolist() == [2, 0]
    assert graph.indices({20, 10}).tolist() == [0, 1]
    assert graph.indices(np.array([20, 10])).tolist() == [1, 0]
    assert graph.indices(pd.Series([20])).tolist() == [1]
    with refused(VertexError, "vertex 0 is not a vertex", "3 named vertices", "graph.names"):
        graph.index(0)
    with refused(VertexError, "0 is not", "(0, 1) is itself a vertex", "[(0, 1)]"):
        graph.indices((0, 1))
    with refused(VertexError, "'no'", "graph.names"):
        graph.indices(("no", [1]))
    with refused(InputTypeError, "[1]", "not hashable"):
        graph.index([1])
    with refused(InputTypeError, "shape (1, 1)"):
        graph.indices(np.array([[10]]))
    with refused(VertexError, "vertex index 3", "0"):
        graph.name(3)


def test_names_given_as_an_array_are_python_objects():
    graph = Graph.from_arcs([0], [1], names=np.array(["a", "b"]))
    assert graph.names == ("a", "b")
    assert type(graph.names[0]) is str
    assert Graph.from_arcs([0], [1], names=iter("ab"), n=2).index("b") == 1


@pytest.mark.parametrize(
    ("unknown", "meant"),
    [("Bohn", "'Bonn'"), ("bonn", "'Bonn'"), (" Ulm", "'Ulm'"), ("7", "7"), (8, "'8'")],
)
def test_unknown_names_come_with_a_close_one(unknown, meant):
    graph = Graph.from_arcs([0], [1], n=4, names=["Bonn", "Ulm", 7, "8"])
    with refused(VertexError, f"source {unknown!r} is not a vertex", f"Did you mean {meant}?"):
        graph.index(unknown, "source")
    with refused(VertexError, "'Zwickau'", "graph.names"):
        graph.index("Zwickau")


def test_true_and_floats_are_not_the_names_they_equal():
    graph = Graph.from_arcs([0], [1], n=3, names=[1, 2, 2.5])
    with refused(InputTypeError, "True", "bool", "called 1", "name itself"):
        graph.index(True)
    with refused(InputTypeError, "2.0", "float", "called 2"):
        graph.index(2.0)
    assert graph.index(2.5) == 2
    with refused(VertexError, "3.5"):
        graph.index(3.5)


@pytest.mark.parametrize(
    ("names", "error", "words"),
    [
        (["a"], GraphError, ("1 names", "2 vertices", "in order")),
        (["a", "b", "c"], GraphError, ("3 names", "2 vertices")),
        (["a", "a"], GraphError, ("names[0] and names[1]", "'a'", "distinct")),
        (["a", ["b"]], InputTypeError, ("names[1]", "list", "tuple")),
        (["a", ("b", [])], InputTypeError, ("names[1]", "looked up")),
        ("ab", InputTypeError, ("'ab'", "str", "list of n names")),
        (5, InputTypeError, ("5", "int", "list of n names")),
    ],
)
def test_bad_names(names, error, words):
    with refused(error, *words):
        Graph.from_arcs([0], [1], n=2, names=names)


def test_coordinates_are_taken_as_rows_or_as_a_dict():
    assert Graph.from_arcs([0], [1], coordinates=[(0, 1), (2, 3)]).coordinates.dtype == np.float64
    assert Graph.from_arcs([0], [1], coordinates=np.zeros((4, 2), np.float32)).n == 4
    by_name = Graph.from_arcs([0], [1], names=["a", "b"], coordinates={"b": (2, 3), "a": (0, 1)})
    assert by_name.coordinates.tolist() == [[0, 1], [2, 3]]
    assert Graph.from_csr([0, 1, 1], [1], coordinates={1: (5, 6), 0: (7, 8)}).coordinates[0].tolist() == [7, 8]
    assert Graph.from_arcs([], [], coordinates=[]).coordinates.shape == (0, 2)
    assert Graph.from_arcs([0], [1]).coordinates is None


@pytest.mark.parametrize(
    ("places", "error", "words"),
    [
        ([(0, 1)], GraphError, ("(1, 2)", "(2, 2)", "pair per vertex")),
        ([(0, 1, 2), (3, 4, 5)], GraphError, ("(2, 3)", "(2, 2)")),
        ([0, 1], GraphError, ("(2,)", "(2, 2)")),
        ([(0, 1), (2, math.nan)], GraphError, ("vertex 1", "nan", "finite")),
        ([(0, 1), (2, "x")], InputTypeError, ("not numbers", "(x, y)")),
        ({0: (1, 2)}, GraphError, ("vertex 1", "1 missing", "leave coordinates out")),
    ],
)
def test_bad_coordinates(places, error, words):
    with refused(error, *words):
        Graph.from_arcs([0], [1], n=2, coordinates=places)


def test_other_weights():
    graph = Graph.from_arcs(
        [0, 0, 1], [1, 2, 2], [4, 9, 3], names=["a", "b", "c"], coordinates=[(0, 0), (1, 0), (1, 1)]
    )
    other = graph.with_weights([1.5, np.inf, 2.5])
    assert other.weights.tolist() == [1.5, 2.5] and other.offsets.tolist() == [0, 1, 2, 2]
    assert other.names == graph.names and other.coordinates.tolist() == graph.coordinates.tolist()
    assert graph.with_weights(np.array([1, 2, 3], np.int64)).weight_dtype == np.int32  # the narrowest that holds them
    with pytest.raises(GraphError, match="3 rows, but weights has 2"):
        graph.with_weights([1, 2])
    with pytest.raises(GraphError, match=r"row 1 \('a' -> 'c'\) has weight nan"):
        graph.with_weights([1, np.nan, 2])


def test_other_weights_of_edges():
    """One weight per edge keeps edges undirected; with one weight per arc they may differ by direction."""
    graph = Graph.from_arcs([0, 1], [1, 2], [4, 9], undirected=True)
    assert graph.with_weights([1, 2]).undirected and not graph.without_rows().with_weights([1, 2, 3, 4]).undirected
    assert not Graph.from_arcs([0, 1], [1, 2], [4, 9]).with_weights(None).undirected
    bare = graph.with_weights(None)
    assert bare.undirected and bare.weights is None and bare.heads.tolist() == graph.heads.tolist()


def test_without_names():
    graph = Graph.from_arcs([0], [1], [4], names=["a", "b"], undirected=True)
    assert (
        graph.without_names().names is None
        and graph.without_names().undirected
        and graph.without_names().arcs.base is graph.arcs.base
    )
    assert graph.without_names() is not graph and graph.without_names().index(1) == 1
    plain = Graph.from_arcs([0], [1], [4])
    assert plain.without_names() is plain
