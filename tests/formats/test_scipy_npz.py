"""SciPy's sparse matrices in files: all five formats, matrices and arrays, in and out."""

from __future__ import annotations

import io

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from helpers.damage import BROKEN, broken, damaged, named_arcs, read_bytes, refused, same, survives, write_bytes
from helpers.strategies import cases
from nearfar.errors import OptionError
from nearfar.formats import FORMATS
from nearfar.graph import Graph

TABLE = np.array([[0, 7, 0, 0], [0, 0, -2, 0], [3, 0, 0, 0], [0, 0, 5, 1]])


def saved(matrix, compressed=True):
    """Return the bytes of SciPy's own file."""
    file = io.BytesIO()
    sp.save_npz(file, matrix, compressed=compressed)
    return file.getvalue()


def parts(matrix, **changes):
    """Return SciPy's file with other arrays under some keys; None drops one."""
    arrays = dict(np.load(io.BytesIO(saved(matrix)))) | changes
    file = io.BytesIO()
    np.savez(file, **{key: array for key, array in arrays.items() if array is not None})
    return file.getvalue()


CSR = sp.csr_array(TABLE)
WHOLE = saved(CSR, compressed=False)


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("kind", [sp.coo_array, sp.coo_matrix, sp.csr_array, sp.csc_array, sp.csc_matrix, sp.dia_array])
def test_all_formats(kind, compressed):
    data = saved(kind(TABLE), compressed)
    want = Graph.from_scipy(kind(TABLE))
    assert same(read_bytes(data, "m.npz"), want)
    assert same(read_bytes(data, "m.npz", format="scipy"), want)
    assert FORMATS["scipy"].matches(data) and FORMATS["npz"].matches(data)


@pytest.mark.parametrize("kind", [sp.bsr_array, sp.bsr_matrix])
def test_blocks(kind):
    matrix = kind(TABLE, blocksize=(2, 2))
    assert same(read_bytes(saved(matrix), "m.npz"), Graph.from_scipy(matrix))


@pytest.mark.parametrize("kind", [sp.coo_array, sp.csr_array, sp.csc_array])
def test_entries_given_twice_are_parallel_arcs_and_zeros_are_arcs(kind):
    entries = sp.coo_array(([5, 4, 0], ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    if kind is not sp.coo_array:
        where = (entries.col, [0, 2, 3, 3]) if kind is sp.csr_array else (entries.row, [0, 0, 2, 3])
        entries = kind((entries.data, *where), shape=(3, 3))
    assert named_arcs(read_bytes(saved(entries), "m.npz")) == [(0, 1, 4), (0, 1, 5), (1, 2, 0)]


def test_options():
    data = saved(sp.triu(sp.csr_array(np.ones((3, 3), int)), 1))
    assert named_arcs(read_bytes(data, "m.npz", undirected=True)) == [
        (u, v, 1) for u in range(3) for v in range(3) if u != v
    ]
    assert read_bytes(data, "m.npz", weight=False).weights is None
    with refused("m.npz", "weight='w'", error=OptionError):
        read_bytes(data, "m.npz", weight="w")


@given(cases(min_n=0))
def test_scipy_reads_what_we_write(case):
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    data = write_bytes(graph, "scipy", lossy=True)
    matrix = sp.load_npz(io.BytesIO(data))
    assert isinstance(matrix, sp.csr_array) and (matrix != graph.to_scipy()).nnz == 0
    assert named_arcs(read_bytes(data, "m.npz")) == named_arcs(Graph.from_scipy(graph.to_scipy()))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"indptr": np.array([0, 1, 2])}, ["3 entries, but 5"]),
        ({"indptr": np.array([0, 9, 2, 3, 5])}, ["offsets fall"]),
        ({"indptr": np.array([0.5, 1, 2, 3, 5])}, ["offsets"]),
        ({"indptr": None}, ["needs the array indptr"]),
        ({"indices": np.array([0, 1, 2, 3, 4])}, ["heads[4] is 4"]),
        ({"indices": np.array(7)}, ["indices is a single value"]),
        ({"data": np.array([1.0, np.nan, 1, 1, 1])}, ["nan"]),
        ({"data": np.array([1, 2])}, ["Lengths disagree"]),
        ({"data": np.array(["a"] * 5)}, ["weights are"]),
        ({"data": np.ones(5, bool)}, ["bool"]),
        ({"shape": np.array([4, 5])}, ["[4, 5]", "n x n"]),
        ({"shape": np.array([4])}, ["n x n"]),
        ({"shape": np.array([2**40, 2**40])}, ["5 entries"]),
        ({"format": np.array("lil")}, ["'lil'", "tocsr"]),
        ({"format": np.array([b"csr", b"csc"])}, ["format is"]),
    ],
)
def test_parts_that_are_no_matrix(changes, words):
    with refused("m.npz", *words):
        read_bytes(parts(CSR, **changes), "m.npz")


@pytest.mark.parametrize(
    ("matrix", "changes"),
    [
        (sp.coo_array(TABLE), {"row": np.array([0, 1, 2, 3, 9])}),
        (sp.coo_array(TABLE), {"col": None}),
        (sp.coo_array(TABLE), {"shape": np.array([2**40, 2**40])}),
        (sp.dia_array(TABLE), {"offsets": np.array([[1]])}),
        (sp.dia_array(TABLE), {"offsets": np.array([0, 0, 0])}),
        (sp.bsr_array(TABLE), {"indptr": np.array([0, 99])}),
        (sp.bsr_array(TABLE, blocksize=(2, 2)), {"data": np.array([1])}),
        (sp.bsr_array(TABLE, blocksize=(2, 2)), {"indices": np.array([0, 0, 9, 9])}),
    ],
)
def test_parts_of_other_formats_that_are_no_matrix(matrix, changes):
    with refused("m.npz"):
        read_bytes(parts(matrix, **changes), "m.npz")


@pytest.mark.parametrize("accident", BROKEN)
def test_broken_files(accident):
    with refused("m.npz"):
        read_bytes(broken(WHOLE)[accident], "m.npz", format="scipy")


@given(st.sampled_from([WHOLE, saved(sp.coo_array(TABLE)), saved(sp.dia_array(TABLE))]).flatmap(damaged))
def test_damaged_files(data):
    survives(data, "m.npz", format="scipy")
