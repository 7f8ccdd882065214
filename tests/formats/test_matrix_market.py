"""Matrix Market: fields and symmetries, as SciPy reads them, and back."""

from __future__ import annotations

import io

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from helpers.damage import named_arcs, read_bytes, refused, write_bytes
from helpers.strategies import cases, cycle_cases
from nearfar.errors import OptionError
from nearfar.graph import Graph

BANNER = b"%%MatrixMarket matrix coordinate "


def load(text, **options):
    return read_bytes(text, "a.mtx", **options)


def test_general():
    graph = load(BANNER + b"real general\n% made by hand\n\n3 3 3\n1 2 1.5\n2 3 4\n1 2 0\n")
    assert named_arcs(graph) == [(1, 2, 0.0), (1, 2, 1.5), (2, 3, 4.0)]
    assert graph.weights.dtype == np.float64 and not graph.undirected and list(graph.names) == [1, 2, 3]


def test_symmetric_is_undirected():
    graph = load(BANNER + b"integer symmetric\n3 3 3\n2 1 7\n3 3 1\n3 1 2\n")
    assert graph.undirected and graph.weights.dtype == np.int32
    assert named_arcs(graph) == [(1, 2, 7), (1, 3, 2), (2, 1, 7), (3, 1, 2), (3, 3, 1)]


def test_skew_symmetric_weighs_the_opposite_on_the_way_back():
    graph = load(BANNER + b"real skew-symmetric\n3 3 2\n2 1 7\n3 1 -2.5\n")
    assert not graph.undirected
    assert named_arcs(graph) == [(1, 2, -7.0), (1, 3, 2.5), (2, 1, 7.0), (3, 1, -2.5)]
    assert load(BANNER + b"real skew-symmetric\n3 3 2\n2 1 inf\n3 1 1\n").m == 2  # inf is no arc, either way


def test_pattern_has_no_weights():
    graph = load(BANNER.replace(b"matrix", b"MATRIX") + b"Pattern General\n2 2 1\n1 2\n")
    assert graph.weights is None and named_arcs(graph) == [(1, 2, 1)]


def test_undirected_overrules_the_symmetry():
    text = BANNER + b"integer general\n2 2 1\n1 2 3\n"
    assert load(text, undirected=True).m == 2
    assert load(text.replace(b"general", b"symmetric"), undirected=False).m == 1


def test_inf_is_no_arc_and_counts():
    assert load(BANNER + b"real general\n2 2 2\n1 2 inf\n2 1 3\n").m == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", ("dense", "Graph.from_matrix", "mmread")),
        (BANNER + b"complex general\n2 2 1\n1 2 3 4\n", ("complex", "abs(scipy.io.mmread(path))")),
        (BANNER + b"real hermitian\n2 2 1\n1 2 3\n", ("hermitian", "abs(")),
        (BANNER + b"pattern skew-symmetric\n2 2 1\n1 2\n", ("sign", "symmetric")),
        (BANNER + b"real general\n2 3 1\n1 2 3\n", ("2 x 3", "square", "line 2")),
    ],
)
def test_refused_kinds(text, words):
    with refused("a.mtx", *words):
        load(text)


@pytest.mark.parametrize("symmetry", [b"symmetric", b"skew-symmetric"])
@pytest.mark.parametrize("entries", [b"2 1 7\n1 2 -7\n", b"3 1 1\n2 2 0\n1 2 4\n", b"1 2 4\n3 2 9\n"])
def test_both_triangles(symmetry, entries):
    text = BANNER + b"real %s\n3 3 %d\n%s" % (symmetry, entries.count(b"\n"), entries)
    with refused("one of its triangles", "below the diagonal", "(1, 2)", "general", "strict=False"):
        load(text)
    loops = entries.count(b"2 2")
    assert load(text, strict=False).m == 4 + loops
    if symmetry == b"symmetric":
        assert load(text, undirected=False).m == 2 + loops
        with refused("one of its triangles"):
            load(text, undirected=True)


def test_one_triangle_is_enough():
    for entries in (b"1 2 7\n1 3 4\n", b"2 1 7\n3 1 4\n"):
        assert load(BANNER + b"real symmetric\n3 3 2\n" + entries).m == 4
        assert load(BANNER + b"real skew-symmetric\n3 3 2\n" + entries).m == 4


def test_skew_symmetric_with_a_diagonal():
    text = BANNER + b"real skew-symmetric\n3 3 2\n2 1 7\n3 3 1\n"
    with refused("entry (3, 3) is not 0", "strict=False"):
        load(text)
    assert load(text, strict=False).m == 3 and load(text.replace(b"3 1\n", b"3 0\n")).m == 3


def test_skew_symmetric_is_not_undirected():
    text = BANNER + b"real skew-symmetric\n2 2 1\n2 1 7\n"
    with refused("a.mtx", "undirected=True", "skew-symmetric", "strict=False", error=OptionError):
        load(text, undirected=True)
    assert load(text, undirected=False).m == 2 and load(text, undirected=True, strict=False).m == 4


def test_strict():
    text = BANNER + b"pattern general\n2 2 7\n1 2\n"
    with refused("7 entries", "there are 1", "strict=False"):
        load(text)
    assert load(text, strict=False).m == 1


@given(cases(dtypes=("int32", "int64", "float64", None), min_n=0) | cycle_cases(), st.booleans())
def test_written_graphs_read_back(case, undirected):
    graph = Graph.from_arcs(*case.arrays(), n=case.n, undirected=undirected, names=range(1, case.n + 1))
    again = load(write_bytes(graph, "matrix-market"))
    assert (again.n, again.undirected, named_arcs(again)) == (graph.n, undirected, named_arcs(graph))
    assert graph.m == 0 or again.weight_dtype == graph.weight_dtype or graph.weight_dtype == np.float32


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the sparse matrices that mmread still gives
@given(cases(dtypes=("int32", "float64")), st.booleans())
def test_scipy_reads_what_is_written(case, undirected):
    graph = Graph.from_arcs(*case.arrays(), n=case.n, undirected=undirected)
    matrix = sp.coo_array(scipy.io.mmread(io.BytesIO(write_bytes(graph, "matrix-market"))))
    entries = zip(*(end.tolist() for end in matrix.coords), matrix.data.tolist(), strict=True)
    assert sorted(entries, key=repr) == named_arcs(graph)


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("field", ["integer", "real"])
def test_what_scipy_writes(symmetry, field):
    rng = np.random.default_rng(5)
    table = np.triu(rng.integers(0, 5, (9, 9)), 1)
    table = table if symmetry == "general" else table + (table.T if symmetry == "symmetric" else -table.T)
    file = io.BytesIO()
    scipy.io.mmwrite(file, sp.coo_array(table), field=field, symmetry=symmetry)
    graph, (tails, heads) = load(file.getvalue()), np.nonzero(table)
    expected = zip((tails + 1).tolist(), (heads + 1).tolist(), table[tails, heads].tolist(), strict=True)
    assert named_arcs(graph) == sorted(((u, v, type(graph.min_weight)(w)) for u, v, w in expected), key=repr)
