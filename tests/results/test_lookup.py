"""Results by name: distances, sources, the nearest and the farthest; numbers that add up."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from nearfar.errors import InputTypeError, OptionError, VertexError
from nearfar.graph import Graph
from nearfar.results import lookup

TOP = 2**31 - 1


@pytest.fixture
def towns():
    """Ulm -5-> Bonn -7-> Kiel, and an island."""
    return Graph.from_arcs([0, 1], [1, 2], [5, 7], names=["Ulm", "Bonn", "Kiel", "Sylt"])


@pytest.fixture
def cells():
    """A row of cells (0, 0), (0, 1), (1, 0), called by pairs."""
    return Graph.from_arcs([0, 1], [1, 2], [5, 7], names=[(0, 0), (0, 1), (1, 0)])


def test_a_distance_by_name(towns):
    result = nearfar.sssp(towns, "Bonn")
    assert (result["Kiel"], result["Bonn"], result["Ulm"]) == (7, 0, math.inf)
    assert type(result["Kiel"]) is int
    rows = nearfar.mssp(towns, ["Kiel", "Ulm"])
    assert (rows["Ulm", "Kiel"], rows["Kiel", "Ulm"]) == (12, math.inf)
    assert nearfar.mssp(towns, ["Ulm"])["Ulm", "Bonn"] == 5
    assert nearfar.apsp(towns)["Bonn", "Kiel"] == 7
    floats = nearfar.sssp(Graph.from_arcs([0], [1], [0.5]), 0)
    assert floats[1] == 0.5 and type(floats[1]) is float


def test_names_that_are_numbers_are_not_indices():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7], names=range(1, 4))
    result = nearfar.sssp(graph, 1)
    assert [result[v] for v in (1, 2, 3)] == [0, 5, 12]
    assert result.farthest() == [(3, 12)]
    assert nearfar.distance(graph, 1, result.farthest()[0][0]) == 12
    with pytest.raises(VertexError):
        result[0]


def test_a_tuple_is_a_name(cells):
    assert nearfar.sssp(cells, (0, 0))[1, 0] == 12
    rows = nearfar.mssp(cells, [(0, 1), (0, 0)])
    assert rows[(0, 0), (1, 0)] == 12 and rows.path((0, 0), (1, 0)) == [(0, 0), (0, 1), (1, 0)]
    with pytest.raises(InputTypeError, match=r"one row per source. Write result\[source, vertex\]"):
        rows[1, 0]


def test_the_wrong_number_of_ends(towns):
    one, two = nearfar.sssp(towns, "Ulm"), nearfar.mssp(towns, ["Ulm", "Bonn"])
    with pytest.raises(InputTypeError, match=r"one row, which starts at 'Ulm'. Write result\[vertex\]"):
        one["Ulm", "Kiel"]
    for ends in ("Kiel", ("Ulm", "Bonn", "Kiel"), ()):
        with pytest.raises(InputTypeError, match=r"Write result\[source, vertex\]"):
            two[ends]
    with pytest.raises(OptionError, match="'Kiel' is not a source of this result"):
        two["Kiel", "Ulm"]
    with pytest.raises(VertexError, match=r"vertex 'Keil' is not a vertex.*'Kiel'"):
        two["Ulm", "Keil"]
    with pytest.raises(InputTypeError, match="cannot be a name"):
        two[["Ulm"], "Kiel"]
    with pytest.raises(InputTypeError, match=r"got 2 ends and source=. Write path\(source, target\)"):
        two.path("Ulm", "Kiel", source="Ulm")
    with pytest.raises(InputTypeError, match=r"got 0 ends. Write path\(target\)"):
        one.path()


def test_results_are_no_sequences(towns):
    for result in (nearfar.sssp(towns, "Ulm"), nearfar.nearest(towns, ["Ulm"])):
        with pytest.raises(TypeError):
            iter(result)
        with pytest.raises(TypeError):
            "Ulm" in result  # noqa: B015 - it is the error that matters


def test_paths_take_the_source_first(towns):
    two = nearfar.mssp(towns, ["Ulm", "Bonn"])
    assert two.path("Bonn", "Kiel") == two.path("Kiel", source="Bonn") == ["Bonn", "Kiel"]
    assert nearfar.sssp(towns, "Ulm").path("Ulm", "Bonn") == ["Ulm", "Bonn"]


def test_the_first_row_of_a_source_that_occurs_twice():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7])
    result = nearfar.mssp(graph, [1, 0, 1])
    result.rows[2] = 9
    assert result[1, 2] == 7


@pytest.mark.parametrize(
    ("names", "kind"),
    [(None, "int32"), (range(5, 9), "int64"), (np.array([4, 9, 2, 7]), "int64"), (list("abcd"), None)],
)
def test_sources_are_names_and_taken_again(names, kind):
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7], n=4, names=names)
    wanted = [graph.name(2), graph.name(0)]
    for result in (nearfar.mssp(graph, wanted), nearfar.mssp(graph, nearfar.mssp(graph, wanted).sources)):
        assert list(result.sources) == wanted and result.source_indices.tolist() == [2, 0]
        assert type(result.sources) is list if kind is None else result.sources.dtype == kind
    near = nearfar.nearest(graph, wanted)
    assert list(nearfar.nearest(graph, near.sources).sources) == wanted
    assert near.source_indices.tolist() == [0, 2] and near.source.tolist() == [0, 0, 2, -1]


def test_nearest_by_name(towns):
    near = nearfar.nearest(towns, ["Kiel", "Ulm"])
    assert [near[v] for v in ("Ulm", "Bonn", "Kiel", "Sylt")] == [("Ulm", 0), ("Ulm", 5), ("Kiel", 0), (None, math.inf)]
    assert near.farthest(2) == [("Bonn", 5), ("Ulm", 0)] and near.closest(9) == [("Bonn", 5)]
    assert near.as_float().tolist() == [0, 5, 0, math.inf]


def test_farthest_and_closest_of_many_rows(towns):
    rows = nearfar.mssp(towns, ["Ulm", "Kiel"])
    assert rows.farthest(source="Ulm") == [("Kiel", 12)] and rows.closest(5, source="Kiel") == []
    assert rows.farthest(5, source="Kiel") == [("Kiel", 0)]
    for ask in (rows.farthest, lambda: rows.closest(1)):
        with pytest.raises(OptionError, match=r"2 rows, and (farthest|closest)\(\) needs to know which. Give source="):
            ask()
    one = nearfar.sssp(towns, "Ulm")
    with pytest.raises(OptionError, match="k is 0; give at least 1"):
        one.farthest(0)
    with pytest.raises(InputTypeError, match=r"k is 1\.5, a float"):
        one.closest(1.5)


@given(
    st.sampled_from(["int32", "int64", "float32", "float64"]),
    st.lists(st.integers(-3, 5) | st.none(), min_size=1, max_size=20),
    st.integers(1, 22),
    st.data(),
)
def test_extremes_against_sorting(dtype, values, k, data):
    mark = lookup.unreached(np.dtype(dtype))
    row = np.array([mark if value is None else value for value in values], dtype)
    starts = np.array(data.draw(st.lists(st.integers(0, len(row) - 1), max_size=3)), np.int32)
    reached = [v for v, value in enumerate(values) if value is not None]
    far = sorted(reached, key=lambda v: (-values[v], v))[:k]
    near = sorted((v for v in reached if v not in starts), key=lambda v: (values[v], v))[:k]
    assert lookup.farthest(row, k) == [(v, values[v]) for v in far]
    assert lookup.closest(row, starts, k) == [(v, values[v]) for v in near]


@given(strategies.queries())
def test_floats_add_up(query):
    case, sources = query
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    result = nearfar.mssp(graph, sources)
    wanted = [[math.inf if d is None else d for d in case.distances([s])] for s in sources]
    assert result.as_float().dtype == np.float64 and np.array_equal(result.as_float(), np.array(wanted, np.float64))
    for r, s in enumerate(sources):
        assert [result[s, v] for v in range(case.n)] == list(result.as_float()[r])
