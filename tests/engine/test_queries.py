"""The doors of the queries: what they take, what they refuse and in which words, and what comes back."""

from __future__ import annotations

import math
import pickle
from contextlib import contextmanager, suppress
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import nearfar
from helpers.able import able, takes
from helpers.marks import JIT
from helpers.stopping import stopping
from nearfar import Graph, errors
from nearfar.engine import planner, run
from nearfar.methods import ALIASES, METHODS

TOP32, TOP64 = np.iinfo(np.int32).max, np.iinfo(np.int64).max


@pytest.fixture
def graph():
    """0 -4-> 1 -3-> 2, 0 -9-> 2, and 3 apart."""
    return Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], n=4)


@pytest.fixture
def named():
    return Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])


QUERIES = {
    "sssp": lambda graph, **options: nearfar.sssp(graph, 0, **options),
    "mssp": lambda graph, **options: nearfar.mssp(graph, [0, 1], **options),
    "apsp": lambda graph, **options: nearfar.apsp(graph, **options),
    "nearest": lambda graph, **options: nearfar.nearest(graph, [0, 1], **options),
    "distance": lambda graph, **options: nearfar.distance(graph, 0, 1, **options),
    "path": lambda graph, **options: nearfar.path(graph, 0, 1, **options),
    "plan": lambda graph, **options: nearfar.plan(graph, 0, **options),
}


@contextmanager
def refused(kind, builtin, *words):
    """Expect an error of a class and its builtin kin whose message has all of the words: value, rule, way out."""
    with pytest.raises(kind) as caught:
        yield caught
    assert isinstance(caught.value, builtin) and isinstance(caught.value, errors.NearfarError)
    for word in words:
        assert word in str(caught.value)


# What is not a vertex.


@pytest.mark.parametrize(
    ("source", "kind", "builtin", "words"),
    [
        (4, errors.VertexError, LookupError, ("source 4", "4 vertices, 0 to 3", "count from 0")),
        (-1, errors.VertexError, LookupError, ("source -1", "0 to 3")),
        (10**30, errors.VertexError, LookupError, (str(10**30), "0 to 3")),
        (1.0, errors.InputTypeError, TypeError, ("source is 1.0", "float", "Give an int, 1")),
        (1.5, errors.InputTypeError, TypeError, ("source is 1.5", "whole numbers")),
        (np.float64(2), errors.InputTypeError, TypeError, ("float64", "Give an int")),
        (True, errors.InputTypeError, TypeError, ("source is True", "bool", "Give an int")),
        (np.True_, errors.InputTypeError, TypeError, ("bool", "Give an int")),
        (None, errors.InputTypeError, TypeError, ("source is None", "Give an int")),
        ("0", errors.InputTypeError, TypeError, ("source is '0'", "no names")),
    ],
    ids=repr,
)
def test_bad_sources(graph, source, kind, builtin, words):
    for ask in (
        lambda: nearfar.sssp(graph, source),
        lambda: nearfar.mssp(graph, [0, source]),
        lambda: nearfar.nearest(graph, [0, source]),
        lambda: nearfar.distance(graph, source, 0),
        lambda: nearfar.path(graph, source, 0),
        lambda: nearfar.plan(graph, [0, source]),
    ):
        with refused(kind, builtin, *words):
            ask()


@pytest.mark.parametrize("target", [4, -1, 1.0, True, "0"], ids=repr)
def test_bad_targets(graph, target):
    kind = errors.VertexError if type(target) is int else errors.InputTypeError
    for ask in (
        lambda: nearfar.distance(graph, 0, target),
        lambda: nearfar.path(graph, 0, target),
        lambda: nearfar.sssp(graph, 0, targets=[0, target]),
        lambda: nearfar.sssp(graph, 0).path(target),
    ):
        with pytest.raises(kind, match="target"):
            ask()


@pytest.mark.parametrize("source", [[0], (0,), {0}, range(1), np.array([0])], ids=repr)
def test_one_source_is_not_a_list(graph, source):
    for ask in (nearfar.sssp, lambda graph, source: nearfar.distance(graph, source, 1)):
        with refused(errors.InputTypeError, TypeError, "source is a", type(source).__name__, "Use mssp"):
            ask(graph, source)


@pytest.mark.parametrize(
    "sources", [[], (), set(), range(0), np.array([], int), np.array([]), pd.Series([], dtype=int)]
)
def test_no_sources(graph, sources):
    for ask in (nearfar.mssp, nearfar.nearest, nearfar.plan):
        with refused(errors.VertexError, LookupError, "list of sources is empty", "at least one"):
            ask(graph, sources)
    with refused(errors.VertexError, LookupError, "list of targets is empty", "at least one"):
        nearfar.sssp(graph, 0, targets=sources)


@pytest.mark.parametrize(
    "sources", [np.array([0.0, 1.0]), np.array([True, False, True, False]), np.zeros((2, 2), int), [[0], [1]], "01"]
)
def test_sources_of_the_wrong_kind(graph, sources):
    with refused(errors.InputTypeError, TypeError):
        nearfar.mssp(graph, sources)


def test_names_that_are_not_there(named):
    with refused(errors.VertexError, LookupError, "source 'Bon'", "Did you mean 'Bonn'?"):
        nearfar.sssp(named, "Bon")
    with refused(errors.VertexError, LookupError, "source 0", "graph.names"):
        nearfar.sssp(named, 0)
    with refused(errors.VertexError, LookupError, "target 'Graz'", "3 named vertices"):
        nearfar.distance(named, "Ulm", "Graz")


# Starting distances.


def test_starts(graph, named):
    result = nearfar.sssp(graph, {0: 3, 1: 0})
    assert result.dist.tolist() == [3, 0, 3, TOP32] and result.dist.dtype == np.int32
    assert result.seeds.tolist() == [0, 1] and result.starts.tolist() == [3, 0]
    assert result.path(2) == [1, 2] and result.path(0) == [0]
    assert result.to_frame().source.tolist() == [0, 1, 1]
    late = nearfar.nearest(named, {"Ulm": np.float32(0.5), "Bonn": Fraction(9, 2), "Kiel": np.int8(90)})
    assert late.dist.tolist() == [0.5, 4.5, 7.5] and late.dist.dtype == np.float64
    assert late.source.tolist() == [0, 1, 1]  # Bonn is reached from Ulm no sooner than it starts
    assert late.path("Kiel") == ["Bonn", "Kiel"]
    assert nearfar.distance(graph, {0: 3, 1: 1}, 2) == 4 and nearfar.path(graph, {0: 3, 1: 1}, 2) == [1, 2]
    assert nearfar.plan(graph, {0: 3, 1: 0.5}).dtype == np.float64


def test_starts_of_zero_are_sources(graph):
    """Also for methods that take no starting distances."""
    plain = Graph.from_arcs([0, 1], [1, 2])
    for method in METHODS:
        result = nearfar.sssp(plain, {0: 0, 1: 0.0}, method=method)
        assert result.dist.tolist() == [0, 0, 1] and result.starts is None and nearfar.verify(plain, result)
    assert nearfar.sssp(graph, {0: 0}).dist.tolist() == nearfar.sssp(graph, 0).dist.tolist()


def test_starts_in_the_type_of_the_distances(graph):
    assert nearfar.sssp(graph, {0: 3.0}).dist.dtype == np.int32
    assert nearfar.sssp(graph, {0: 3}, dtype="float64").dist.dtype == np.float64
    assert nearfar.sssp(graph, {0: 0.1}, out=np.empty(4)).dist[0] == 0.1
    singles = Graph.from_arcs([0], [1], np.array([0.5], np.float32))
    result = nearfar.sssp(singles, {0: 0.1})
    assert result.dist.dtype == np.float32 and result.dist[0] == np.float32(0.1) and nearfar.verify(singles, result)
    assert nearfar.sssp(singles, {0: 1e39}).dist.dtype == np.float64


@pytest.mark.parametrize(
    ("starts", "kind", "builtin", "words"),
    [
        ({}, errors.VertexError, LookupError, ("dict of sources is empty", "at least one")),
        ({0: True}, errors.InputTypeError, TypeError, ("distance of 0 is True", "bool", "give a number")),
        ({0: "3"}, errors.InputTypeError, TypeError, ("distance of 0 is '3'", "str", "give a number")),
        ({0: None}, errors.InputTypeError, TypeError, ("distance of 0 is None", "give a number")),
        ({0: 1j}, errors.InputTypeError, TypeError, ("complex", "give a number")),
        ({0: 0, 1: -1}, errors.OptionError, ValueError, ("distance of 1 is -1", "finite number from 0 on")),
        ({0: math.nan}, errors.OptionError, ValueError, ("is nan", "finite number", "leave the vertex out")),
        ({0: math.inf}, errors.OptionError, ValueError, ("is inf", "finite number", "leave the vertex out")),
        ({0: 10**400}, errors.OptionError, ValueError, ("finite number",)),
        ({9: 0}, errors.VertexError, LookupError, ("source 9", "0 to 3")),
        ({"a": 0}, errors.InputTypeError, TypeError, ("source is 'a'",)),
    ],
    ids=repr,
)
def test_bad_starts(graph, starts, kind, builtin, words):
    for ask in (nearfar.sssp, nearfar.nearest, nearfar.plan):
        with refused(kind, builtin, *words):
            ask(graph, starts)


def test_where_starts_do_not_belong(graph):
    for ask in (nearfar.mssp, lambda graph, starts: nearfar.sssp(graph, 0, targets=starts)):
        with refused(errors.InputTypeError, TypeError, "dict", "list of vertices", "use sssp(graph, {vertex: start"):
            ask(graph, {0: 3})
    with refused(errors.MethodError, ValueError, "'bfs' starts at distance 0", "is 3", "method='dijkstra'"):
        nearfar.sssp(Graph.from_arcs([0], [1]), {0: 3}, method="bfs")


def test_starts_that_a_type_cannot_hold(graph):
    with refused(errors.OptionError, ValueError, "int32", "starting distance 2.5", "whole numbers", "dtype='float64'"):
        nearfar.sssp(graph, {0: 2.5, 1: 0}, dtype="int32")
    with refused(errors.OptionError, ValueError, "out has type int32", "float64"):
        nearfar.sssp(graph, {0: 2.5}, out=np.empty(4, np.int32))
    with refused(errors.DistanceOverflowError, OverflowError, "int32", f"starts at {2**31}", "dtype='int64'"):
        nearfar.sssp(graph, {0: 2**31}, dtype="int32")
    with refused(errors.DistanceOverflowError, OverflowError, "int64", f"starts at {TOP64 - 5}", "dtype='float64'"):
        nearfar.sssp(graph, {0: TOP64 - 5})
    assert nearfar.sssp(graph, {0: TOP64 - 5}, dtype="float64").dist[0] == float(TOP64)


@pytest.mark.parametrize("query", (nearfar.sssp, nearfar.nearest))
def test_results_with_starts_can_be_pickled(graph, query):
    result = pickle.loads(pickle.dumps(query(graph, {0: 3, 1: 0})))
    assert result.path(2) == [1, 2] and nearfar.verify(graph, result)


# What is a vertex.


@pytest.mark.parametrize("kind", [int, np.int8, np.uint16, np.int32, np.uint64, np.int64])
def test_integers_of_any_kind(graph, kind):
    assert nearfar.sssp(graph, kind(1)).dist.tolist() == [TOP32, 0, 3, TOP32]
    assert nearfar.distance(graph, kind(0), kind(2)) == 7


@pytest.mark.parametrize(
    "sources",
    [
        [0, 1],
        (0, 1),
        {0, 1},
        frozenset({0, 1}),
        range(2),
        np.array([0, 1]),
        np.array([0, 1], ">i8"),
        np.array([0, 9, 1, 9], np.uint8)[::2],
        pd.Series([0, 1]),
        pd.Index([0, 1]),
        iter([0, 1]),
        [np.int64(0), 1],
    ],
    ids=lambda sources: type(sources).__name__,
)
def test_sources_in_any_container(graph, sources):
    result = nearfar.mssp(graph, sources)
    assert result.sources.tolist() == [0, 1]
    assert result.dist.tolist() == [[0, 4, 7, TOP32], [TOP32, 0, 3, TOP32]]


def test_one_vertex_where_several_are_taken(graph, named):
    assert nearfar.mssp(graph, 1).dist.tolist() == [[TOP32, 0, 3, TOP32]]
    assert nearfar.mssp(graph, np.array(1)).dist.shape == (1, 4)
    assert nearfar.nearest(graph, 1).dist.tolist() == [TOP32, 0, 3, TOP32]
    assert nearfar.mssp(named, "Bonn").dist.tolist() == [[TOP32, 0, 3]]
    assert nearfar.sssp(graph, 0, targets=1).dist.tolist() == [4]


def test_names_in_any_container(named):
    for sources in (["Kiel", "Ulm"], ("Kiel", "Ulm"), np.array(["Kiel", "Ulm"]), pd.Series(["Kiel", "Ulm"])):
        assert nearfar.mssp(named, sources).source_indices.tolist() == [2, 0]
    assert nearfar.mssp(named, {"Kiel", "Ulm"}).source_indices.tolist() == [0, 2]
    assert nearfar.sssp(named, "Ulm", targets=["Bonn"]).dist.tolist() == [4]


def test_a_tuple_that_is_a_name():
    graph = Graph.from_arcs([0], [1], [5], names=[(0, 0), (0, 1)])
    assert nearfar.mssp(graph, (0, 0)).dist.tolist() == [[0, 5]]
    assert nearfar.mssp(graph, [(0, 1), (0, 0)]).source_indices.tolist() == [1, 0]
    assert nearfar.path(graph, (0, 0), (0, 1)) == [(0, 0), (0, 1)]
    assert nearfar.distance(graph, (0, 0), (0, 1)) == 5


@pytest.mark.parametrize("method", METHODS)
def test_duplicate_sources(graph, method):
    """The same rows again; nearest counts a source once."""
    graph = graph if takes(method, graph) else Graph.from_arcs([0, 0, 1], [1, 2, 2], n=4)
    result = nearfar.mssp(graph, [1, 0, 1, 1], method=method)
    assert result.sources.tolist() == [1, 0, 1, 1]
    assert (result.dist[[0, 2, 3]] == result.dist[0]).all() and nearfar.verify(graph, result)
    near = nearfar.nearest(graph, [2, 1, 1, 2], method=method)
    assert near.dist.tolist() == [TOP32, 0, 0, TOP32] and near.sources.tolist() == [2, 1]


# Options that are refused.


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(
    ("options", "kind", "builtin", "words"),
    [
        ({"method": "dijkstar"}, errors.OptionError, ValueError, ("'dijkstar'", "'frontier'", "mean 'dijkstra'?")),
        ({"method": "xyz"}, errors.OptionError, ValueError, ("'xyz'", "does not exist", "'auto'")),
        ({"method": None}, errors.InputTypeError, TypeError, ("method is None", "give a name", "'delta'")),
        ({"device": "tpu"}, errors.OptionError, ValueError, ("'tpu'", "does not exist", "'cpu'")),
        ({"device": "gpu"}, errors.OptionError, ValueError, ("'gpu'", "mean 'auto' or 'opencl' or 'cuda'?")),
        ({"device": ["GPU:0"]}, errors.OptionError, ValueError, ("'GPU:0'", "'opencl'")),
        ({"device": "opncl:1"}, errors.OptionError, ValueError, ("'opncl:1'", "mean 'opencl'?")),
        ({"device": "cuda:x"}, errors.OptionError, ValueError, ("'cuda:x'", "counted from 0", "'cuda:0'")),
        ({"device": []}, errors.OptionError, ValueError, ("empty", "'auto'")),
        ({"device": 0}, errors.InputTypeError, TypeError, ("device is 0", "give a name")),
        ({"thread": 2}, errors.InputTypeError, TypeError, ("'thread'", "threads")),
        ({"threads": 0}, errors.OptionError, ValueError, ("threads is 0", "at least 1", "Leave it out")),
        ({"threads": -2}, errors.OptionError, ValueError, ("threads is -2", "at least 1")),
        ({"threads": 1.0}, errors.InputTypeError, TypeError, ("threads is 1.0", "whole number")),
        ({"threads": True}, errors.InputTypeError, TypeError, ("threads is True", "whole number")),
        ({"threads": "all"}, errors.InputTypeError, TypeError, ("threads is 'all'", "None for all cores")),
        ({"cutoff": math.nan}, errors.OptionError, ValueError, ("cutoff is NaN", "leave it out")),
        ({"cutoff": -1}, errors.OptionError, ValueError, ("cutoff is -1", "distance 0", "0 or more")),
        ({"cutoff": -math.inf}, errors.OptionError, ValueError, ("cutoff is -inf", "0 or more")),
        ({"cutoff": "5"}, errors.InputTypeError, TypeError, ("cutoff is '5'", "give a number")),
        ({"cutoff": True}, errors.InputTypeError, TypeError, ("cutoff is True", "give a number")),
        ({"cutoff": 1j}, errors.InputTypeError, TypeError, ("cutoff is 1j", "give a number")),
        ({"delta": 0}, errors.OptionError, ValueError, ("delta is 0", "above 0", "Leave it out")),
        ({"delta": -1.5}, errors.OptionError, ValueError, ("delta is -1.5", "above 0")),
        ({"delta": math.nan}, errors.OptionError, ValueError, ("delta is nan", "above 0")),
        ({"delta": math.inf}, errors.OptionError, ValueError, ("delta is inf",)),
        ({"delta": "wide"}, errors.InputTypeError, TypeError, ("delta is 'wide'", "give a number")),
        ({"delta": True}, errors.InputTypeError, TypeError, ("delta is True", "give a number")),
        ({"dtype": "int16"}, errors.OptionError, ValueError, ("int16", "'int32'", "'int64'", ".dist.astype")),
        ({"dtype": "float32"}, errors.OptionError, ValueError, ("float32", "'float64'")),
        ({"dtype": ">i4"}, errors.OptionError, ValueError, ("'int32'",)),
        ({"dtype": "number"}, errors.OptionError, ValueError, ("'number'", "'int32'")),
        ({"memory": "much"}, errors.OptionError, ValueError, ("memory is 'much'", "'2GiB'")),
        ({"memory": "1.2.3 MB"}, errors.OptionError, ValueError, ("'1.2.3 MB'", "'500 MB'")),
        ({"memory": "-1 MB"}, errors.OptionError, ValueError, ("'-1 MB'",)),
        ({"memory": 0}, errors.OptionError, ValueError, ("memory is 0", "above 0")),
        ({"memory": math.nan}, errors.OptionError, ValueError, ("memory is nan", "above 0")),
        ({"memory": True}, errors.InputTypeError, TypeError, ("memory is True", "bytes")),
        ({"memory": [1]}, errors.InputTypeError, TypeError, ("memory is [1]", "bytes")),
        ({"progress": 1}, errors.InputTypeError, TypeError, ("progress is 1", "True, False")),
        ({"progress": "yes"}, errors.InputTypeError, TypeError, ("progress is 'yes'", "function")),
        ({"out": [0] * 4}, errors.InputTypeError, TypeError, ("out is a list", "NumPy array")),
    ],
    ids=lambda value: repr(value) if isinstance(value, dict) else "",
)
def test_bad_options(graph, query, options, kind, builtin, words):
    with refused(kind, builtin, *words):
        QUERIES[query](graph, **options)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("dijkstra", "delta")])
def test_delta_for_a_method_without_buckets(graph, method):
    graph = graph if takes(method, graph) else Graph.from_arcs([0, 0, 1], [1, 2, 2], n=4)
    with refused(errors.OptionError, ValueError, "delta is 3", repr(method), "leave it out", "method='delta'"):
        nearfar.sssp(graph, 0, method=method, delta=3)


@pytest.mark.parametrize("query", ["distance", "path"])
def test_targets_of_a_pair(graph, query):
    with pytest.raises(errors.NearfarError, match="targets"):
        QUERIES[query](graph, targets=[2])


@pytest.mark.parametrize(
    "options", [{"cutoff": 10**400}, {"delta": 10**400}, {"memory": "9" * 400}, {"memory": 10**400}]
)
def test_numbers_beyond_float64(graph, options):
    with suppress(errors.OptionError):
        assert nearfar.sssp(graph, 0, **options).dist.tolist() == [0, 4, 7, TOP32]


@pytest.mark.parametrize(
    "what", [np.eye(3), [[0, 1]], None, "graph", pd.DataFrame({"a": [1]})], ids=lambda w: type(w).__name__
)
def test_what_is_not_a_graph(what):
    for query in QUERIES.values():
        with refused(errors.InputTypeError, TypeError, type(what).__name__, "nearfar.Graph", "Graph.from_"):
            query(what)


def test_what_is_not_a_graph_but_could_be_made_one():
    import networkx as nx
    from scipy.sparse import csr_array

    for what, maker in ((nx.Graph(), "from_networkx"), (csr_array((2, 2)), "from_scipy"), (np.eye(2), "from_matrix")):
        with refused(errors.InputTypeError, TypeError, maker):
            nearfar.apsp(what)


@pytest.mark.parametrize("method", ["dijkstra", "dij", "delta"])
@pytest.mark.parametrize("query", QUERIES)
def test_negative_weights_in_a_method_that_cannot(query, method):
    debts = Graph.from_arcs([0, 1, 2], [1, 2, 3], [4, 0, -2])
    full = ALIASES.get(method, method)
    with refused(
        errors.MethodError, ValueError, repr(full), "weights >= 0", "arc 2 (2 -> 3) has -2", "method='frontier'"
    ):
        QUERIES[query](debts, method=method)


def test_negative_arc_is_named():
    debts = Graph.from_arcs([0, 1], [1, 2], [4, -2], names=["Ulm", "Bonn", "Kiel"])
    with refused(errors.MethodError, ValueError, "'Bonn' -> 'Kiel'", "-2"):
        nearfar.sssp(debts, "Ulm", method="delta")


# Arrays to fill.


def test_out_is_filled(graph):
    row, rows = np.empty(4, np.int32), np.empty((2, 4), np.int64)
    assert np.shares_memory(nearfar.sssp(graph, 0, out=row).dist, row) and row.tolist() == [0, 4, 7, TOP32]
    nearfar.mssp(graph, [0, 2], out=rows)
    assert rows.tolist() == [[0, 4, 7, TOP64], [TOP64, TOP64, 0, TOP64]]
    square = np.empty((4, 4))
    assert nearfar.apsp(graph, out=square).dist.dtype == np.float64 and square[0, 3] == np.inf and square[0, 2] == 7
    assert nearfar.nearest(graph, [1, 2], out=row).dist.tolist() == [TOP32, 0, 0, TOP32] == row.tolist()
    assert nearfar.sssp(graph, 1, out=rows[:1]).dist.shape == (4,) and rows[0, 2] == 3


def read_only():
    array = np.empty(4, np.int32)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("out", "words"),
    [
        (np.empty(3, np.int32), ("shape (3,)", "(4,)")),
        (np.empty((4, 1), np.int32), ("shape (4, 1)", "(4,)")),
        (np.empty((2, 4), np.int32), ("shape (2, 4)", "(4,)")),
        (np.empty(4, np.int16), ("type int16", "'int32'")),
        (np.empty(4, np.float32), ("type float32", "'float64'")),
        (np.empty(4, ">i4"), ("type >i4", "'int32'")),
        (np.empty(8, np.int32)[::2], ("not contiguous", "C order", "np.empty((4,), 'int32')")),
        (read_only(), ("read-only", "np.empty((4,), 'int32')")),
    ],
    ids=["short", "column", "rows", "int16", "float32", "big-endian", "strided", "read-only"],
)
def test_bad_out(graph, out, words):
    with refused(errors.OptionError, ValueError, *words):
        nearfar.sssp(graph, 0, out=out)


def test_out_in_fortran_order(graph):
    with refused(errors.OptionError, ValueError, "not contiguous", "np.empty((4, 4), 'int64')"):
        nearfar.apsp(graph, out=np.empty((4, 4), np.int64, order="F"))


def test_out_and_dtype_must_agree(graph):
    with refused(errors.OptionError, ValueError, "type int32", "'int64'"):
        nearfar.sssp(graph, 0, out=np.empty(4, np.int32), dtype="int64")
    assert nearfar.sssp(graph, 0, out=np.empty(4, np.int64), dtype="int64").dist[2] == 7


# Types of distances.


@pytest.mark.parametrize(
    ("weights", "given", "dtype"),
    [
        (None, None, "int32"),
        ([1, 2], None, "int32"),
        ([1, 2], "int64", "int64"),
        ([1, 2], "float64", "float64"),
        ([1, 2], float, "float64"),
        ([1, 2**40], None, "int64"),
        (np.float32([1, 2]), None, "float32"),
        (np.float32([1, 2]), "float64", "float64"),
        ([1.5, 2.5], None, "float64"),
        ([1.5, 2.5], "float64", "float64"),
    ],
)
def test_types(weights, given, dtype):
    graph = Graph.from_arcs([0, 1], [1, 2], weights)
    assert nearfar.sssp(graph, 0, dtype=given).dist.dtype == dtype
    assert nearfar.apsp(graph, dtype=given).dist.dtype == dtype


@pytest.mark.parametrize("method", METHODS)
def test_sums_that_pass_int32(method):
    """Weights that fit and distances that do not: int64 by itself; int32 when asked for is an error, never wrapped."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [2**30] * 3)
    assert graph.weight_dtype == np.int32
    result = nearfar.sssp(graph, 0, method=method)
    assert result.dist.dtype == np.int64 and result.dist.tolist() == [0, 2**30, 2**31, 3 * 2**30]
    assert result.plan.dtype == np.int64 and nearfar.verify(graph, result)
    for options in ({"dtype": "int32"}, {"out": np.empty(4, np.int32)}):
        with refused(errors.DistanceOverflowError, OverflowError, "int32", str(2**30), "'int64'", "cutoff"):
            nearfar.sssp(graph, 0, method=method, **options)
    assert nearfar.sssp(graph, 0, method=method, dtype="int32", cutoff=2**30).dist.tolist() == [0, 2**30, TOP32, TOP32]
    assert stopping("sssp", graph, 0, method=method, targets=[1]).dist.tolist() == [0, 2**30, TOP32, TOP32]
    assert nearfar.sssp(graph, 0, method=method, targets=[1], dtype="int32").dist.tolist() == [2**30]
    mixed = nearfar.mssp(graph, [3, 0], method=method).dist
    assert mixed.dtype == np.int64 and mixed[0].tolist() == [TOP64, TOP64, TOP64, 0]


@pytest.mark.parametrize("method", METHODS)
def test_sums_that_pass_int64(method):
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [2**60] * 3)
    assert nearfar.sssp(graph, 0, method=method).dist[3] == 3 * 2**60
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [2**62] * 3)
    with refused(errors.DistanceOverflowError, OverflowError, "int64", str(2**62), "'float64'", "cutoff"):
        nearfar.sssp(graph, 0, method=method)
    assert nearfar.sssp(graph, 0, method=method, dtype="float64").dist.tolist() == [0, 2.0**62, 2.0**63, 3 * 2.0**62]


@pytest.mark.filterwarnings(*([] if JIT else ["ignore:overflow encountered in scalar add:RuntimeWarning"]))
@pytest.mark.parametrize("method", METHODS)
def test_sums_that_pass_floats(method):
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], np.full(3, 3e38, np.float32))
    assert nearfar.sssp(graph, 0, method=method).dist.dtype == np.float64
    with refused(errors.DistanceOverflowError, OverflowError, "float32", "'float64'"):
        nearfar.sssp(graph, 0, method=method, dtype="float32")
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [1.7e308] * 3)
    with refused(errors.DistanceOverflowError, OverflowError, "float64", "smaller weights"):
        nearfar.sssp(graph, 0, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_sums_in_the_type_of_the_distances(method):
    """Weights of float32 and distances of float64: nothing is rounded to float32 on the way, and nothing overflows."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], np.full(3, 0.1, np.float32))
    result = nearfar.mssp(graph, [0, 1], method=method, dtype="float64")
    step = float(np.float32(0.1))
    assert result.dist[0].tolist() == pytest.approx([0, step, 2 * step, 3 * step], rel=1e-15)
    assert nearfar.verify(graph, result)
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], np.full(3, 3e38, np.float32))
    assert nearfar.sssp(graph, 0, method=method).dist.tolist() == pytest.approx([0, 3e38, 6e38, 9e38], rel=1e-6)


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.negative_weights])
@pytest.mark.parametrize(
    ("weights", "options"),
    [
        ([-(2**62)] * 3, {}),
        ([2**62, 2**62, 2**62, -1], {}),
        ([-(2**30)] * 3, {"dtype": "int32"}),
        ([-(2**30)] * 3, {"out": np.empty(4, np.int32)}),
        ([2**30, 2**30, -(2**30)], {"dtype": "int32"}),
        (np.full(3, -3e38, np.float32), {"dtype": "float32"}),
        ([-1.7e308] * 3, {}),
        ([1.7e308, 1.7e308, -1], {}),
    ],
    ids=lambda value: "",
)
def test_negative_sums_that_do_not_fit(method, weights, options):
    graph = Graph.from_arcs(range(len(weights)), range(1, len(weights) + 1), weights)
    with pytest.raises(errors.DistanceOverflowError):
        nearfar.sssp(graph, 0, method=method, **options)


@pytest.mark.parametrize("weights", [[-3e38] * 3, [3e38, 3e38, -1]])
def test_negative_float32_widen(weights):
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], np.array(weights, np.float32))
    result = nearfar.sssp(graph, 0)
    assert result.dist.dtype == np.float64 and np.isfinite(result.dist).all()


@pytest.mark.parametrize("cutoff", [1e30, -1e30, -math.inf, 2**63])
def test_far_cutoffs_with_negative_weights(cutoff):
    graph = Graph.from_arcs([0, 1], [1, 2], [4, -3])
    assert nearfar.sssp(graph, 0, cutoff=cutoff).dist.tolist() == ([0, 4, 1] if cutoff > 0 else [TOP32] * 3)


@pytest.mark.parametrize("cutoff", [1e30, 2**63, 2**31, 1e300, math.inf])
def test_far_cutoffs(graph, cutoff):
    assert nearfar.sssp(graph, 0, cutoff=cutoff).dist.tolist() == [0, 4, 7, TOP32]


def test_cutoff_beyond_float32():
    graph = Graph.from_arcs([0, 1], [1, 2], np.float32([4, 3]))
    assert nearfar.sssp(graph, 0, cutoff=1e300).dist.tolist() == [0, 4, 7]


@pytest.mark.parametrize(("cutoff", "reached"), [(4, 2), (Fraction(9, 2), 2), (np.int8(7), 3), (np.float32(6.9), 2)])
def test_cutoffs_of_any_kind(graph, cutoff, reached):
    assert (nearfar.sssp(graph, 0, cutoff=cutoff).dist < TOP32).sum() == reached


# Memory.


def test_memory_is_refused_before_anything_is_allocated(graph, monkeypatch):
    def no_run(*arguments):
        raise AssertionError("something ran")

    monkeypatch.setattr("nearfar.engine.solve.run", no_run)
    for query in ("sssp", "mssp", "apsp", "nearest", "distance", "path"):
        way_out = "fewer sources" if query in ("mssp", "apsp") else "method='edge'"
        with refused(errors.MemoryLimitError, MemoryError, "1.00 kB", "bytes)", way_out) as caught:
            QUERIES[query](graph, memory="1 kB")
        assert caught.value.needed > caught.value.available == 1000


def test_a_matrix_larger_than_this_machine():
    graph = Graph.from_arcs([0], [1], n=2_000_000)
    with refused(errors.MemoryLimitError, MemoryError, "2,000,000 x 2,000,000", "int32", "16.0 TB", "mssp") as caught:
        nearfar.apsp(graph)
    for way_out in ("targets=", "out=numpy.lib.format.open_memmap", "prepare(graph).row_sums()"):
        assert way_out in str(caught.value)
    assert caught.value.needed > 16e12 > caught.value.available > 0


@pytest.mark.parametrize(
    ("memory", "available"),
    [
        ("1 GB", 10**9),
        ("1gb", 10**9),
        ("2GiB", 2**31),
        ("500 M", 5 * 10**8),
        ("1.5 kB", 1500),
        ("7", 7),
        (10**7, 10**7),
    ],
)
def test_memory_in_any_unit(graph, memory, available):
    assert nearfar.plan(graph, memory=memory).available == available


def test_memory_for_a_wider_type():
    """int32 would fit, int64 does not: refused when it shows, with the bytes of int64."""
    n = 20_000
    path = Graph.from_arcs(np.arange(n - 1), np.arange(1, n), np.full(n - 1, 2**20))
    plan = nearfar.plan(path, 0, threads=1)
    assert plan.dtype == np.int32 and plan.wider == np.int64
    with refused(errors.MemoryLimitError, MemoryError, "int64") as caught:
        nearfar.sssp(path, 0, threads=1, memory=plan.bytes)
    assert caught.value.needed == plan.bytes + 4 * n
    assert nearfar.sssp(path, 0, threads=1, memory=plan.bytes + 4 * n).dist[-1] == (n - 1) * 2**20


def test_out_needs_no_memory_for_the_answer(graph):
    whole = nearfar.plan(graph)
    assert whole.bytes - nearfar.plan(graph, out=np.empty((4, 4), np.int32)).bytes == 64


# Small graphs.


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_empty_graph(method):
    graph = Graph.from_arcs([], [])
    result = nearfar.apsp(graph, method=method)
    assert result.dist.shape == (0, 0) and result.predecessors.shape == (0, 0) and len(result.to_frame()) == 0
    assert nearfar.verify(graph, result)
    for ask in (nearfar.sssp, nearfar.mssp, nearfar.nearest):
        with refused(errors.VertexError, LookupError, "source 0", "no vertices"):
            ask(graph, 0, method=method)


@pytest.mark.parametrize("method", ["auto", *METHODS])
@pytest.mark.parametrize("weights", [None, [7], [0.5], np.float32([0])], ids=["none", "int", "float64", "float32"])
def test_one_vertex(method, weights):
    bare = Graph.from_arcs([], [], n=1)
    loop = Graph.from_arcs([0], [0], weights)
    for graph in (bare, loop):
        for result in (nearfar.sssp(graph, 0, method=method), nearfar.apsp(graph, method=method, threads=2)):
            assert result.dist.ravel().tolist() == [0] and result.path(0) == [0]
            assert nearfar.verify(graph, result)
        assert nearfar.distance(graph, 0, 0, method=method) == 0


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_no_arcs(method):
    graph = Graph.from_arcs([], [], np.array([], float), n=3)
    result = nearfar.apsp(graph, method=method)
    assert result.dist.tolist() == [[0 if u == v else math.inf for v in range(3)] for u in range(3)]
    assert (result.predecessors == -1).all() and nearfar.verify(graph, result)
    assert nearfar.distance(graph, 0, 2, method=method) == math.inf
    with refused(errors.NoPathError, LookupError, "from 0 to 2"):
        nearfar.path(graph, 0, 2, method=method)


# What comes back.


def test_results(graph):
    one, some, every = nearfar.sssp(graph, 0), nearfar.mssp(graph, [2, 0]), nearfar.apsp(graph)
    for result, shape in ((one, (4,)), (some, (2, 4)), (every, (4, 4))):
        assert isinstance(result, nearfar.Distances) and isinstance(result.plan, nearfar.Plan)
        assert result.dist.shape == result.predecessors.shape == shape
        assert result.graph is graph
        assert set(result.stats) >= {"method", "device", "threads", "seconds", "relaxations", "bytes"}
        facts = result.describe()
        assert facts["method"] == "dijkstra" and facts["device"] == "cpu" and facts["relaxations"] >= 0
        assert facts["seconds"] > 0 and facts["bytes"] > 0 and facts["why"]
    near = nearfar.nearest(graph, [1, 3])
    assert isinstance(near, nearfar.Nearest) and near.source.tolist() == [-1, 1, 1, 3]
    assert near.dist.tolist() == [TOP32, 0, 3, 0] and near.path(2) == [1, 2]


def test_distance_and_path(graph, named):
    assert nearfar.distance(graph, 0, 2) == 7 and type(nearfar.distance(graph, 0, 2)) is int
    assert nearfar.distance(graph, 2, 0) == math.inf
    assert type(nearfar.distance(Graph.from_arcs([0], [1], [1.5]), 0, 1)) is float
    assert nearfar.path(graph, 0, 2) == [0, 1, 2] and nearfar.path(graph, 0, 0) == [0]
    assert nearfar.distance(graph, 0, 2, cutoff=6) == math.inf
    with refused(errors.NoPathError, LookupError, "from 0 to 3", "cannot be reached"):
        nearfar.path(graph, 0, 3)
    with refused(errors.NoPathError, LookupError, "within the cutoff 6"):
        nearfar.path(graph, 0, 2, cutoff=6)
    for method in able(named):
        assert nearfar.distance(named, "Ulm", "Kiel", method=method) == 7
        assert nearfar.path(named, "Ulm", "Kiel", method=method) == ["Ulm", "Bonn", "Kiel"]
    debts = Graph.from_arcs([0, 1], [1, 2], [5, -7])
    assert nearfar.distance(debts, 0, 2) == -2 and nearfar.distance(debts, 2, 0) == math.inf


def test_aliases(graph):
    for alias, name in ALIASES.items():
        assert nearfar.sssp(graph, 0, method=alias).stats["method"] == name
    assert ALIASES == {"dij": "dijkstra", "spfa": "frontier", "fw": "floyd"}


def test_a_graph_cannot_change_behind_our_back():
    tails, heads, weights = np.array([0, 1]), np.array([1, 2]), np.array([4, 3], np.int32)
    graph = Graph.from_arcs(tails, heads, weights)
    weights[:], heads[:] = -9, 0
    assert nearfar.sssp(graph, 0).dist.tolist() == [0, 4, 7]
    for array in (graph.offsets, graph.heads, graph.weights, graph.arcs):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


# Plans.


@pytest.mark.parametrize(
    ("weights", "sources", "options", "method", "threads"),
    [
        ([1, 2], 0, {"threads": 1}, "dijkstra", 1),
        ([1, 2], 0, {"threads": 4}, "dijkstra", 1),
        ([1, 2], [0, 1], {"threads": 4}, "dijkstra", 2),
        ([1, 2], None, {"threads": 4}, "dijkstra", 3),
        ([1, -2], 0, {"threads": 4}, "frontier", 1),
        ([1, -2], [0, 1], {"threads": 4}, "johnson", 2),
        ([1, 2], 0, {"threads": 3, "method": "delta"}, "delta", 1),
        ([1, 2], [0, 1], {"threads": 1, "method": "edge"}, "edge", 1),
    ],
)
def test_plan_says_what_runs(weights, sources, options, method, threads):
    graph = Graph.from_arcs([0, 1], [1, 2], weights)
    options = {**options, "memory": "1 GB"}
    plan = nearfar.plan(graph, sources, **options)
    assert (plan.method, plan.threads, plan.device) == (method, threads, "cpu")
    ask = nearfar.sssp if isinstance(sources, int) else nearfar.mssp
    result = nearfar.apsp(graph, **options) if sources is None else ask(graph, sources, **options)
    assert result.plan == plan
    assert (result.stats["method"], result.stats["threads"], result.stats["bytes"]) == (method, threads, plan.bytes)
    assert result.rows.shape == (plan.rows, plan.n) and result.rows.dtype == plan.dtype
    facts = plan.describe()
    assert facts["method"] == method and facts["why"] == plan.why and str(facts)


@pytest.mark.parametrize(
    ("rows", "threads", "m", "early", "method"),
    [
        (1, 2, planner.PARALLEL_ARCS, False, "delta"),
        (1, 2, planner.PARALLEL_ARCS, True, "dijkstra"),
        (1, 1, planner.PARALLEL_ARCS, False, "dijkstra"),
        (1, 2, planner.PARALLEL_ARCS - 1, False, "dijkstra"),
        (2, 2, planner.PARALLEL_ARCS, False, "dijkstra"),
    ],
)
def test_choice_of_method(rows, threads, m, early, method):
    weights = {"min_weight": 1, "max_weight": 9, "weight_dtype": np.dtype(np.int32)}
    facts = SimpleNamespace(n=m // 3, m=m, leaf_count=0, undirected=True, memo={}, **weights)
    found, why = planner.choose_method(facts, rows, threads, early)
    assert found == method and why


def test_threads_that_share_a_row(graph, monkeypatch):
    """One more for every so many arcs, at most those asked for."""
    monkeypatch.setattr(planner, "PARALLEL_ARCS", 2)
    plan = nearfar.plan(graph, 0, threads=8)
    assert (plan.method, plan.threads, plan.together) == ("delta", 2, True)
    assert nearfar.plan(graph, 0, threads=1).method == "dijkstra"
    assert not nearfar.plan(graph, [0, 1], threads=2, method="delta").together


@pytest.mark.parametrize("weights", (None, [3, 3, 3], [0.0, 0.0, 0.0]))
def test_equal_weights_are_searched_breadth_first(weights, monkeypatch):
    """By all threads if there are enough arcs; not with a bucket width, other starts than 0, or many rows."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], weights)
    options = {"threads": 2, "memory": "1 GB"}
    assert nearfar.plan(graph, 0, **options).method == "dijkstra"  # which has less to set up
    graph.memo.clear()
    monkeypatch.setattr(planner, "BREADTH_FIRST", 0)
    assert nearfar.plan(graph, 0, **options).method == "dijkstra"  # a path has a level per vertex
    graph.memo.clear()
    monkeypatch.setattr(planner, "TREE_LIKE", 0)
    plan = nearfar.plan(graph, 0, **options)
    assert (plan.method, plan.threads, plan.together) == ("bfs", 1, False) and "equal weights" in plan.why
    assert nearfar.sssp(graph, 0, **options).plan == plan
    assert nearfar.plan(graph, 0, cutoff=2, **options).method == "bfs"
    assert nearfar.plan(graph, [0, 1, 2] * 5, **options).method == "bfs"
    assert nearfar.plan(graph, [0, 1, 2] * 6, **options).method == "dijkstra"
    assert nearfar.sssp(graph, {0: 2}, **options).plan.method == "dijkstra"
    assert nearfar.sssp(graph, {0: 0}, **options).plan.method == "bfs"
    assert nearfar.plan(graph, 0, delta=1, **options).method == "dijkstra"
    monkeypatch.setattr(planner, "PARALLEL_ARCS", 1)
    assert nearfar.plan(graph, 0, threads=3).method == "delta"  # no level is wide enough to be shared
    graph.memo.clear()
    monkeypatch.setattr(planner, "SHARED_STEPS", 0)
    plan = nearfar.plan(graph, 0, threads=3)
    assert (plan.method, plan.threads, plan.together) == ("bfs", 3, True)
    assert nearfar.sssp(graph, 0, threads=3).dist[3] == (3 if weights is None else sum(weights))


# Progress.


def test_progress_function(monkeypatch):
    """It is told rows done and all rows, in order, and at the end that all are done."""
    monkeypatch.setattr(run, "SMALL_WORK", 0)
    monkeypatch.setattr("nearfar.devices.cpu.TICK", 1e-4)
    graph, calls = nearfar.generate.road_grid(20, 20), []
    nearfar.mssp(graph, range(40), threads=2, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (40, 40) and calls == sorted(calls)


def test_progress_function_of_a_small_job(graph):
    calls = []
    nearfar.sssp(graph, 0, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (1, 1)


def test_progress_function_of_a_shared_row(graph, monkeypatch):
    monkeypatch.setattr(planner, "PARALLEL_ARCS", 1)
    calls = []
    result = nearfar.sssp(graph, 0, method="delta", threads=2, progress=lambda *rows: calls.append(rows))
    assert result.plan.together and calls[-1] == (1, 1)


def test_progress_function_that_fails(monkeypatch):
    """Its exception ends the query."""
    monkeypatch.setattr(run, "SMALL_WORK", 0)
    graph = nearfar.generate.road_grid(20, 20)

    def fail(done, total):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        nearfar.mssp(graph, range(40), threads=2, progress=fail)


def test_progress_bar(monkeypatch, capsys):
    monkeypatch.setattr(run, "SMALL_WORK", 0)
    graph = nearfar.generate.road_grid(20, 20)
    result = nearfar.mssp(graph, range(40), threads=2, progress=True)
    captured = capsys.readouterr()
    assert "40/40" in captured.err and not captured.out
    assert nearfar.verify(graph, result)


def test_progress_in_a_log(monkeypatch, capsys):
    """Where standard error is no terminal, there is a line now and then, with the rate and the time left."""
    from nearfar import progress

    monkeypatch.setattr(progress, "LOG_EVERY", 0.0)
    with progress.Bar("rows") as bar:
        bar(0, 2000)
        bar(1500, 2000)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("nearfar: rows: 0 of 2,000, 0/s")
    assert lines[1].startswith("nearfar: rows: 1,500 of 2,000, ") and lines[1].endswith(" left")


def test_a_cycle_that_only_rounding_makes_negative():
    """Its length is 0, but 1e16 + 0.75 + 0.75 - 1.5 is less than 1e16: the error blames rounding, not the cycle."""
    graph = Graph.from_arcs([0, 1, 2, 3, 4], [2, 2, 3, 4, 2], [0, 1e16, 0.75, 0.75, -1.5])
    for query in (lambda: nearfar.sssp(graph, 1), lambda: nearfar.mssp(graph, [0, 1])):
        with pytest.raises(errors.NegativeCycleError, match="rounding"):
            query()
    assert nearfar.sssp(graph, 0).dist.tolist() == [0, math.inf, 0, 0.75, 1.5]


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.negative_weights])
def test_a_heavy_negative_cycle_is_found_before_sums_wrap(method):
    graph = Graph.from_arcs([0, 1], [1, 0], [-(2**28), -(2**28)])
    with pytest.raises(errors.NegativeCycleError) as caught:
        nearfar.sssp(graph, 0, method=method)
    assert sorted(caught.value.cycle) == [0, 1]


def test_errors_can_be_pickled():
    graph = Graph.from_arcs([0, 1], [1, 0], [-1, -1])
    with pytest.raises(errors.NegativeCycleError) as caught:
        nearfar.sssp(graph, 0)
    assert pickle.loads(pickle.dumps(caught.value)).cycle == caught.value.cycle
    with pytest.raises(errors.MemoryLimitError) as refused_memory:
        nearfar.apsp(graph, memory=1, method="edge")
    assert pickle.loads(pickle.dumps(refused_memory.value)).needed == refused_memory.value.needed


def test_path_over_vertices_farther_than_its_end():
    """With negative weights a path may lead over vertices that are farther away than where it ends."""
    graph = Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, -3, 4])
    assert nearfar.distance(graph, 0, 2) == 2 and nearfar.path(graph, 0, 2) == [0, 1, 2]
