"""Arrays of other libraries: what speaks DLPack, and what lies on a GPU, stood in for by classes with their methods."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import nearfar
from helpers.damage import same
from helpers.strategies import cases
from nearfar import Graph
from nearfar.errors import GraphError, InputTypeError, VertexError
from nearfar.graph.arrays import on_host


class Exchanged:
    """An array that only speaks DLPack; ``device`` is where it says that it is, as DLPack counts."""

    def __init__(self, values, device=1):
        self.array, self.device = np.asarray(values), device

    def __dlpack__(self, **wanted):
        if self.device != 1 and wanted.get("dl_device") != (1, 0):
            raise BufferError("the array is not on the CPU")
        return self.array.__dlpack__(**{name: value for name, value in wanted.items() if name != "dl_device"})

    def __dlpack_device__(self):
        return self.device, 0


class OnGpu(Exchanged):
    """An array as CuPy has it: NumPy may not take it silently, ``get`` copies it."""

    __cuda_array_interface__ = {"version": 3}  # noqa: RUF012

    def __init__(self, values):
        super().__init__(values, device=2)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def __iter__(self):
        return iter([OnGpu(value) for value in self.array])

    def __len__(self):
        return len(self.array)

    def get(self):
        return self.array.copy()


def far(values):
    """Return an array on a device that has no methods but DLPack's."""
    return Exchanged(values, device=2)


MAKERS = [Exchanged, OnGpu, far]


@pytest.mark.parametrize("make", MAKERS)
@given(case=cases(max_n=6, max_m=10))
def test_arcs(make, case):
    tails, heads, weights = case.arrays()
    wanted = Graph.from_arcs(tails, heads, weights, case.n)
    taken = make(tails), make(heads), None if weights is None else make(weights)
    assert same(Graph.from_arcs(*taken, case.n), wanted)
    rows = make(wanted.offsets.copy()), make(wanted.heads.copy())
    bare = Graph.from_csr(*rows, None if weights is None else make(wanted.weights.copy()))
    assert bare.heads.tolist() == wanted.heads.tolist()
    if len(tails):
        assert same(wanted.with_weights(make(np.arange(len(tails)))), wanted.with_weights(np.arange(len(tails))))


@pytest.mark.parametrize("make", MAKERS)
def test_sources_targets_coordinates_and_matrices(make):
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], coordinates=make(np.arange(8.0).reshape(4, 2)))
    assert graph.coordinates[3].tolist() == [6, 7]
    assert nearfar.mssp(graph, make([2, 0])).source_indices.tolist() == [2, 0]
    assert nearfar.table(graph, make([0]), make([3, 1])).dist.tolist() == [[13, 5]]
    assert nearfar.nearest(graph, make([1, 3])).source.tolist() == [-1, 1, 1, 3]
    assert nearfar.metrics.closeness(graph, make([1])).vertex_indices.tolist() == [1]
    ids = Graph.from_arcs([10, 20], [20, 30], names=True)
    assert nearfar.mssp(ids, make(np.array([30, 10]))).sources.tolist() == [30, 10]
    assert same(Graph.from_arcs(make([10, 20]), make([20, 30]), names=True), ids)
    assert Graph.from_matrix(make([[0.0, 2.5], [np.inf, 0.0]])).m == 1
    with pytest.raises(VertexError, match="source 9"):
        nearfar.mssp(graph, make([9]))
    with pytest.raises(InputTypeError, match="tails holds float64"):
        Graph.from_arcs(make([0.5]), make([1]))
    with pytest.raises(GraphError, match="one dimension"):
        Graph.from_arcs(make([[0, 1]]), make([1]))
    with pytest.raises(GraphError, match="nan"):
        Graph.from_arcs(make([0]), make([1]), make([np.nan]))


@pytest.mark.parametrize("make", MAKERS)
def test_names_rasters_rows_pairs_and_amounts(make):
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], names=make([10, 20, 30, 40]))
    assert graph.names[3] == 40
    assert graph.close(make([2])).m == 2
    prepared = nearfar.prepare(graph)
    assert prepared.distances(make([[10, 30], [20, 40]])).tolist() == [12, 8]
    assert nearfar.metrics.accessibility(graph, make([1, 2, 3, 4]), cutoffs=6)[10] == {6: 3}
    trips = np.array([[10.0, 30.0, 2.0]])
    assert nearfar.metrics.flows(graph, make(trips)).by_row().tolist() == [2, 2, 0]
    assert nearfar.metrics.select_link(graph, make(trips), make([1])).demand.tolist() == [2]
    raster = Graph.from_raster(make(np.ones((2, 2))))
    assert same(raster, Graph.from_raster(np.ones((2, 2))))
    assert raster.to_raster(make(np.arange(4))).tolist() == [[0, 1], [2, 3]]


def test_columns_of_arrow_are_vertices():
    words = Graph.from_arcs(["a", "b"], ["b", "c"], [5, 7], names=True)
    for column in (pa.array(["a", "b"]), pa.chunked_array([["a"], ["b"]]), pa.array(["a", "b"]).dictionary_encode()):
        assert nearfar.table(words, column, pa.array(["c"])).dist.tolist() == [[12], [7]]
    ids = Graph.from_arcs([10, 20], [20, 30], names=True)
    assert nearfar.mssp(ids, pa.array([30, 10])).sources.tolist() == [30, 10]
    with pytest.raises(VertexError, match="source None"):
        nearfar.mssp(words, pa.array(["a", None]))


def test_words_that_do_not_say_where_they_are():
    class Words:  # as in pyarrow 16
        def __dlpack_device__(self):
            raise TypeError("DataType is not compatible with DLPack spec: string")

    words = Words()
    assert on_host(words) is words


def test_integers_of_several_types_stay_exact():
    graph = Graph.from_arcs([0, 1], [1, 2], [2**60 + 1, np.uint64(5)])
    assert graph.weights.tolist() == [2**60 + 1, 5]


def test_arrays_that_cannot_be_read():
    class Recording(Exchanged):
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("Can't call numpy() on Tensor that requires grad")

    with pytest.raises(InputTypeError, match=r"weights is a Recording.*requires grad.*Convert"):
        Graph.from_arcs([0], [1], Recording([1.0]))


def test_other_values_stay_as_they_are():
    assert Graph.from_arcs(range(2), (1, 2), iter_free := [3, 4]).weights.tolist() == iter_free
    assert Graph.from_arcs(memoryview(np.array([0])), np.array([1])).m == 1
