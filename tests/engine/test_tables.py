"""Tables: targets choose columns. Against rows of the plain queries, for every method, direction and side."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.marks import JIT
from nearfar import Graph, Table
from nearfar.engine import tables
from nearfar.errors import (
    DistanceOverflowError,
    InputTypeError,
    MemoryLimitError,
    NoPathError,
    OptionError,
    VertexError,
)
from nearfar.methods import METHODS
from nearfar.results.lookup import as_float

EXAMPLES = 40 if JIT else 5


@pytest.fixture
def towns():
    return Graph.from_arcs(["Ulm", "Ulm", "Bonn"], ["Bonn", "Kiel", "Kiel"], [4, 9, 3], names=True)


def takes(method, graph):
    """Tell whether a method can handle the weights."""
    if method == "bfs" and graph.min_weight != graph.max_weight:
        return False
    return graph.min_weight >= 0 or METHODS[method].negative_weights


@settings(max_examples=3 * EXAMPLES)
@given(data=st.data(), prepared=st.booleans(), block=st.sampled_from([1, 64, 1 << 28]))
def test_columns_of_plain_rows(data, prepared, block):
    case = data.draw(strategies.cases() | strategies.negative_cases())
    vertices = st.lists(st.integers(0, case.n - 1), min_size=1, max_size=7)
    sources, targets = data.draw(vertices), data.draw(vertices)
    direction, undirected = (
        data.draw(st.sampled_from(["from", "to"])),
        data.draw(st.booleans()) and min((arc[2] or 0 for arc in case.arcs), default=0) >= 0,
    )
    graph = Graph.from_arcs(*case.arrays(), n=case.n, undirected=undirected)
    method = data.draw(st.sampled_from(["auto", *(name for name in METHODS if takes(name, graph))]))
    asked = nearfar.prepare(graph) if prepared else graph
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "TABLE_BLOCK", block)
        patch.setattr(tables, "FEW_PAIRS", data.draw(st.sampled_from([0, 32])))
        table = nearfar.mssp(asked, sources, targets=targets, direction=direction, method=method)
    wanted = nearfar.mssp(graph, sources, direction=direction, method="auto").rows[:, targets]
    assert table.rows.shape == wanted.shape and isinstance(table, Table)
    assert agree(table.rows, wanted)
    certificate = nearfar.verify(graph, table)
    assert certificate, certificate
    assert_paths(graph, table)
    one = nearfar.sssp(asked, sources[0], targets=targets, direction=direction, method=method)
    assert one.dist.shape == (len(targets),) and agree(one.rows, table.rows[:1]) and nearfar.verify(graph, one)
    assert_paths(graph, one)
    again = pickle.loads(pickle.dumps(table))
    assert again.rows.tobytes() == table.rows.tobytes() and again.direction == direction


def agree(rows, wanted):
    """Compare distances, whatever their type: floats up to rounding."""
    return np.allclose(as_float(rows), as_float(wanted), rtol=1e-4, atol=1e-4)


def assert_paths(graph, table):
    """Every path joins its ends, and the weights of its rows add up to the distance."""
    weights = np.ones(graph.input_rows.count) if graph.weights is None else graph.to_frame()["weight"].to_numpy()
    for s in table.source_indices.tolist()[:2]:
        for t in table.target_indices.tolist()[:2]:
            ends = (t,) if table.single else (s, t)
            if table[ends if len(ends) > 1 else t] == math.inf:
                with pytest.raises(NoPathError):
                    table.path(*ends)
                continue
            path, rows = table.path(*ends), table.path_rows(*ends)
            assert (path[0], path[-1]) == ((s, t) if table.direction == "from" else (t, s))
            assert math.isclose(weights[rows].sum(dtype=np.float64), table[s, t], rel_tol=1e-4, abs_tol=1e-4)


@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_a_wrong_entry_is_found(data):
    case, sources = data.draw(strategies.queries(strategies.cases(dtypes=("int32", "int64"))))
    graph, targets = (
        Graph.from_arcs(*case.arrays(), n=case.n),
        data.draw(st.lists(st.integers(0, case.n - 1), min_size=1)),
    )
    table = nearfar.table(graph, sources, targets)
    r, c = data.draw(st.integers(0, len(sources) - 1)), data.draw(st.integers(0, len(targets) - 1))
    table.rows[r, c] = table.rows[r, c] - 1 if table.rows[r, c] else 5
    assert not nearfar.verify(graph, table)


def test_names_and_frames(towns):
    table = nearfar.table(towns, ["Ulm", "Bonn"], ["Kiel", "Ulm", "Kiel"])
    assert table.sources == ["Ulm", "Bonn"] and table.targets == ["Kiel", "Ulm", "Kiel"]
    assert table.dist.tolist() == [[7, 0, 7], [3, 2**31 - 1, 3]] == np.asarray(table).tolist()
    assert table["Ulm", "Kiel"] == 7 and table["Bonn", "Ulm"] == math.inf and table.reached.sum() == 5
    assert table.as_float().tolist() == [[7, 0, 7], [3, math.inf, 3]]
    frame = table.to_frame()
    assert frame.columns.tolist() == ["source", "target", "distance"] and frame["distance"].tolist() == [7, 0, 7, 3, 3]
    wide = table.to_frame(wide=True)
    assert wide.loc["Bonn", "Ulm"] == math.inf and wide.shape == (2, 3) and wide.mean(axis=None) == math.inf
    whole = nearfar.table(towns, ["Ulm"], ["Kiel", "Bonn"]).to_frame(wide=True)
    assert whole.to_numpy().tolist() == [[7, 4]] and whole.dtypes.tolist() == [np.int32] * 2
    back = nearfar.mssp(towns, ["Kiel"], targets=["Ulm", "Bonn"], direction="to")
    assert back.to_frame().columns.tolist() == ["target", "source", "distance"]
    assert back.path("Kiel", "Ulm") == ["Ulm", "Bonn", "Kiel"] and "to the sources" in repr(back)
    assert nearfar.mssp(towns, table.sources, targets=table.targets).dist.tolist() == table.dist.tolist()


def test_one_row(towns):
    table = nearfar.sssp(towns, "Ulm", targets=["Kiel", "Bonn"])
    assert table["Kiel"] == table["Ulm", "Kiel"] == 7 and table.path("Kiel") == table.path("Ulm", "Kiel")
    assert table.path_rows("Kiel").tolist() == [0, 2] and repr(table) == "Table(1 x 2, int32, dijkstra on cpu)"
    late = nearfar.sssp(towns, {"Ulm": 0, "Bonn": 2.5}, targets=["Kiel", "Ulm"])
    assert late.dist.tolist() == [5.5, 0] and late.path("Kiel") == ["Bonn", "Kiel"] and nearfar.verify(towns, late)
    assert nearfar.verify(towns, pickle.loads(pickle.dumps(late))) and late.sources == ["Ulm", "Bonn"]


def test_the_smaller_side_is_searched():
    graph = nearfar.generate.road_grid(9, 9, seed=1)
    many, few = range(40), [80, 3]
    table = nearfar.table(graph, many, few)
    assert "searched from the targets" in table.plan.why and table.stats["relaxations"] <= 4 * graph.m
    assert (table.rows == nearfar.mssp(graph, many).rows[:, few]).all() and not table.rounded
    floats = graph.with_weights(np.random.default_rng(1).random(graph.input_rows.count))
    assert nearfar.table(floats, many, few).rounded and nearfar.verify(floats, nearfar.table(floats, many, few))
    named = nearfar.table(floats, many, few, method="dijkstra")  # to the bit, as sums along the path
    assert not named.rounded and (named.rows == nearfar.mssp(floats, many, method="dijkstra").rows[:, few]).all()


def test_options(towns):
    out = np.zeros((2, 1), np.int64)
    table = nearfar.table(towns, ["Ulm", "Bonn"], ["Kiel"], out=out)
    assert (out.tolist() == [[7], [3]] and table.rows.base is out) or table.rows is out
    assert nearfar.table(towns, ["Ulm"], ["Kiel"], dtype="float64").rows.dtype == np.float64
    near = nearfar.table(towns, ["Ulm", "Bonn"], ["Kiel"], cutoff=6)
    assert near.dist.tolist() == [[2**31 - 1], [3]] and nearfar.verify(towns, near)
    with pytest.raises(NoPathError, match="within the cutoff 6"):
        near.path("Ulm", "Kiel")
    seen = []
    nearfar.table(
        towns, ["Ulm", "Bonn"], ["Kiel", "Ulm", "Bonn"], progress=lambda done, all_: seen.append((done, all_))
    )
    assert seen[-1] == (2, 2)
    plan = nearfar.plan(towns, ["Ulm", "Bonn"], targets=["Kiel"])
    assert (plan.rows, plan.n, plan.describe()["targets"]) == (2, 1, 1) and plan.bytes > 8
    with pytest.raises(OptionError, match=r"out has shape \(3,\); this query fills \(2, 1\)"):
        nearfar.table(towns, ["Ulm", "Bonn"], ["Kiel"], out=np.zeros(3, np.int32))
    with pytest.raises(MemoryLimitError, match="a table of 2 x 1 distances"):
        nearfar.table(towns, ["Ulm", "Bonn"], ["Kiel"], memory=4)


def test_wide_distances():
    """A block that needs a wider type widens the whole table, with its mark for the unreached."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [2**30] * 3, n=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "TABLE_BLOCK", 1)
        table = nearfar.mssp(graph, [3, 0], targets=[3, 0, 4], threads=1)
    assert table.rows.dtype == np.int64 and table.rows.tolist()[1][0] == 3 * 2**30
    assert table[3, 0] == table[0, 4] == math.inf and nearfar.verify(graph, table)


@pytest.mark.parametrize("flip", [False, True])
def test_blocks_of_different_types(flip):
    """A later block whose distances are short must not make the table narrow again."""
    graph = Graph.from_arcs([0, 1, 2, 3], [1, 2, 3, 4], [2**30] * 4)
    some, all_ = [0, 3, 4, 1], [4, 3, 2, 1, 0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "TABLE_BLOCK", 1)
        direction = {"direction": "to"} if flip else {}
        table = nearfar.mssp(graph, some, targets=all_, threads=1, method="dijkstra", **direction)
        swapped = nearfar.mssp(graph, all_, targets=some, threads=1, method="dijkstra", **direction)
    wanted = nearfar.mssp(graph, some, dtype="int64", **direction).rows[:, all_]
    assert table.rows.dtype == np.int64 and (table.rows == wanted).all()
    assert swapped.rows.tolist() == nearfar.mssp(graph, all_, dtype="int64", **direction).rows[:, some].tolist()


@pytest.mark.parametrize("few", [0, 32])
def test_a_prepared_table_that_does_not_fit_its_type(few):
    graph = Graph.from_arcs([0, 1, 2, 3, 4], [1, 2, 3, 4, 5], [2**30] * 5)
    prepared = nearfar.prepare(graph)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "FEW_PAIRS", few)
        assert nearfar.table(prepared, [0], [5, 1, 5]).dist.tolist() == [[5 * 2**30, 2**30, 5 * 2**30]]
        assert nearfar.table(prepared, [0, 3], [1, 4], dtype="int32", cutoff=2**30).as_float().tolist() == [
            [2**30, math.inf],
            [math.inf, 2**30],
        ]
        for options in ({"dtype": "int32"}, {"out": np.empty((1, 1), np.int32)}):
            with pytest.raises(DistanceOverflowError, match="int32"):
                nearfar.table(prepared, [0], [5], **options)
            with pytest.raises(DistanceOverflowError, match="int32"):
                nearfar.table(graph, [0], [5], method="prepared", **options)


@pytest.mark.parametrize("method", ["auto", "dijkstra", "prepared"])
def test_out_is_filled_directly(method):
    graph = nearfar.generate.road_grid(9, 9, seed=1)
    for sources, targets in ((range(40), [80, 3]), ([80, 3], range(40)), (range(50), range(60))):
        out = np.zeros((len(sources), len(targets)), np.int32)
        table = nearfar.table(graph, sources, targets, out=out, method=method)
        assert np.shares_memory(table.rows, out)
        assert (out == nearfar.mssp(graph, sources).rows[:, list(targets)]).all()


def test_refusals(towns):
    table = nearfar.table(towns, ["Ulm", "Bonn"], ["Kiel"])
    with pytest.raises(InputTypeError, match=r"table\[source, target\]"):
        table["Ulm"]
    with pytest.raises(OptionError, match="'Ulm' is not a target of this table"):
        table["Bonn", "Ulm"]
    with pytest.raises(OptionError, match="'Kiel' is not a source"):
        table["Kiel", "Kiel"]
    with pytest.raises(VertexError, match=r"target 'Kie' is not a vertex.*Did you mean 'Kiel'"):
        table["Ulm", "Kie"]
    with pytest.raises(InputTypeError, match=r"path\(source, target\)"):
        table.path("Kiel")
    with pytest.raises(InputTypeError, match="targets is None"):
        nearfar.table(towns, ["Ulm"], None)
    with pytest.raises(VertexError, match="list of targets is empty"):
        nearfar.table(towns, ["Ulm"], [])
    with pytest.raises(InputTypeError, match="Only sssp, mssp and table take targets"):
        nearfar.apsp(towns, targets=["Ulm"])
    with pytest.raises(TypeError):
        list(table)
