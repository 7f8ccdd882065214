"""All-or-nothing flows: the sum of demand along the paths of trees; and which pairs use an arc."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.marks import needs_jit
from helpers.networkx_graphs import both
from nearfar import Graph, generate, metrics


def walked(graph, demand):
    """Return the flow on every row of the input by walking along the path of every pair."""
    loads, lost = np.zeros(graph.input_rows.count), 0.0
    for origin, target, amount in demand:
        result = nearfar.sssp(graph, origin, method="dijkstra")
        if not result.reached[target]:
            lost += amount
        elif origin != target:
            np.add.at(loads, result.path_rows(target), amount)
    return loads, lost


pairs = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 9)), max_size=12)


@settings(max_examples=60)
@given(pair=both(), entries=pairs, zeros=st.booleans(), threads=st.integers(1, 2))
def test_flows(pair, entries, zeros, threads):
    _, here = pair
    if zeros and here.weight_dtype is not None:
        here = here.with_weights(np.where(np.arange(here.input_rows.count) % 2, here.row_weights, 0))
    demand = [(o % here.n, d % here.n, amount) for o, d, amount in entries]
    found = metrics.flows(here, demand, threads=threads)
    loads, lost = walked(here, demand)
    assert np.allclose(found.by_row(), loads) and found.unserved == lost


@settings(max_examples=30)
@given(pair=both(), entries=pairs, which=st.integers(0, 10**6))
def test_select_link(pair, entries, which):
    _, here = pair
    demand = [(o % here.n, d % here.n, amount + 1) for o, d, amount in entries]
    if not here.m:
        return
    row = which % here.input_rows.count
    found = metrics.select_link(here, demand, row)
    wanted = [(o, d, a) for o, d, a in demand if walked(here, [(o, d, a)])[0][row] > 0]
    assert sorted(map(tuple, found.itertuples(index=False))) == sorted(wanted)


def test_users_of_a_link_in_any_frame(monkeypatch):
    graph = Graph.from_arcs(["Ulm", "Bonn"], ["Bonn", "Kiel"], [4, 3], names=True)
    demand = [("Ulm", "Kiel", 2.5), ("Ulm", "Bonn", 1), ("Bonn", "Kiel", 7)]
    row = graph.find_rows("Bonn", "Kiel")
    wanted = {"origin": ["Ulm", "Bonn"], "destination": ["Kiel", "Kiel"], "demand": [2.5, 7.0]}
    assert metrics.select_link(graph, demand, row).to_dict("list") == wanted
    monkeypatch.setitem(sys.modules, "pandas", None)  # which the others do without
    assert metrics.select_link(graph, demand, row, kind="polars").to_dict(as_series=False) == wanted
    assert metrics.select_link(graph, demand, row, kind="arrow").to_pydict() == wanted


def test_forms_of_demand():
    graph = Graph.from_arcs(["Ulm", "Bonn", "Kiel"], ["Bonn", "Kiel", "Ulm"], [4, 3, 9], names=True, undirected=True)
    wanted = metrics.flows(graph, [("Ulm", "Kiel", 5), ("Bonn", "Ulm", 2)]).by_row()
    matrix = np.zeros((3, 3))
    matrix[0, 2], matrix[1, 0] = 5, 2
    frame = pd.DataFrame({"Origin": ["Ulm", "Bonn"], "Destination": ["Kiel", "Ulm"], "Trips": [5, 2]})
    square = pd.DataFrame([[5], [0]], index=["Ulm", "Bonn"], columns=["Kiel"])
    assert wanted.tolist() == [7, 5, 0]
    for demand in (matrix, sp.csr_array(matrix), frame, iter([("Ulm", "Kiel", 5), ("Bonn", "Ulm", 2)])):
        assert metrics.flows(graph, demand).by_row().tolist() == wanted.tolist()
    assert metrics.flows(graph, square).by_row().tolist() == [5, 5, 0]
    assert metrics.flows(graph, []).by_row().tolist() == [0, 0, 0]


@pytest.mark.parametrize("method", ["auto", "dijkstra", "prepared"])
def test_every_method_takes_the_same_paths(method):
    graph = generate.road_grid(20, 20, seed=2)
    rng = np.random.default_rng(1)
    demand = sp.random_array((graph.n, graph.n), density=0.05, rng=rng)
    wanted = metrics.flows(graph, demand, method="dijkstra", threads=1).values
    assert np.allclose(metrics.flows(graph, demand, method=method).values, wanted)
    assert np.allclose(metrics.flows(nearfar.prepare(graph), demand).values, wanted)


@pytest.mark.parametrize(
    ("demand", "message"),
    [
        (np.ones((4, 4)), "shape"),
        ([(0, 1, -1)], "0 or more"),
        ([(0, 1, "much")], "give numbers"),
        ([(0, 1)], "list of"),
        (7, "list of"),
        ([(0, 99, 1)], "99"),
        (pd.DataFrame({"a": [1, 1], "b": [2, 2], "c": [3, 3]}), "call them origin"),
    ],
)
def test_bad_demand(demand, message):
    with pytest.raises(nearfar.NearfarError, match=message):
        metrics.flows(generate.road_grid(3, 3), demand)


def test_bad_options():
    graph = generate.road_grid(3, 3)
    with pytest.raises(nearfar.errors.OptionError, match="no cutoff"):
        metrics.flows(graph, [(0, 1, 1)], cutoff=3)
    with pytest.raises(nearfar.errors.OptionError, match="8 rows, counted from 0"):
        metrics.select_link(graph, [(0, 1, 1)], 99)
    with pytest.raises(nearfar.errors.OptionError, match="a row is -1,"):
        metrics.select_link(graph, [(0, 1, 1)], [2, -1])
    with pytest.raises(nearfar.errors.OptionError, match="no kind of frame"):
        metrics.select_link(graph, [(0, 1, 1)], 2, kind="numpy")
    with pytest.raises(nearfar.errors.InputTypeError, match="find_rows"):
        metrics.select_link(graph, [(0, 1, 1)], "a")


@needs_jit
@pytest.mark.parametrize("name", ["flows", "select_link", "closeness"])
def test_many_blocks_stay_within_memory(name):
    """The memory of rows, trees and loads is used again by the next block."""
    graph, sources = generate.road_grid(100, 100, seed=1), range(0, 10_000, 10)
    demand = [(s, 9_999 - s, 1) for s in sources]
    some = {"vertices": sources, "method": "dijkstra", "threads": 1}
    ask = {
        "flows": lambda **memory: metrics.flows(graph, demand, method="dijkstra", threads=1, **memory).values,
        "select_link": lambda **memory: metrics.select_link(graph, demand, 5, method="dijkstra", threads=1, **memory),
        "closeness": lambda **memory: metrics.closeness(graph, **some, **memory).values,
    }[name]
    wanted = ask()
    memory = 8_000_000
    tracemalloc.start()
    try:
        found = ask(memory=memory)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.1 * memory  # what Python itself takes comes on top
    assert np.allclose(found, wanted)


def test_negative_names_are_ordinary_names():
    """Only networks whose zones were closed let demand depart elsewhere."""
    graph = Graph.from_arcs([-1, 0, -1], [0, 1, 2], [1, 1, 1], names=True)
    found = metrics.flows(graph, [(1, 0, 7), (1, 2, 5)])
    assert found.by_row().tolist() == [0, 0, 0] and found.unserved == 12 and "12 unserved" in repr(found)
