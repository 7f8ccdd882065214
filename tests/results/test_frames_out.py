"""Results and graphs as tables: pandas, polars and Arrow hold the same, in batches, and other libraries take them."""

from __future__ import annotations

import sys

import duckdb
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.strategies import cases
from nearfar import Graph, metrics
from nearfar.errors import InputTypeError, MissingDependencyError, OptionError
from nearfar.graph import arrow

WORDS = ["Ulm", "Bonn", "Kiel", "Aue", "Hof", "Graz", "Linz", "Wien", "Bern", "Genf", "Riga", "Oslo"]
RESULTS = {
    "graph": lambda g, some: g,
    "sssp": lambda g, some: nearfar.sssp(g, some[0]),
    "to": lambda g, some: nearfar.mssp(g, some, direction="to"),
    "apsp": lambda g, some: nearfar.apsp(g),
    "starts": lambda g, some: nearfar.sssp(g, dict.fromkeys(some, 2)),
    "table": lambda g, some: nearfar.table(g, some, some[::-1]),
    "table from starts": lambda g, some: nearfar.sssp(g, dict.fromkeys(some, 2), targets=some[::-1]),
    "nearest": lambda g, some: nearfar.nearest(g, some),
    "nearest to": lambda g, some: nearfar.nearest(g, some, direction="to"),
    "k nearest": lambda g, some: nearfar.nearest(g, some, k=2),
    "measure": lambda g, some: metrics.eccentricity(g),
    "columns": lambda g, some: metrics.accessibility(g, np.ones((g.n, 2)), cutoffs=[3, 9]),
    "arcs": lambda g, some: metrics.edge_betweenness(g, hops=True),
    "flows": lambda g, some: metrics.flows(g, [(some[0], some[-1], 2.5)]),
    "within": lambda g, some: metrics.within(g, 4),
    "within to": lambda g, some: metrics.within(g, 4, some, direction="to"),
}


def plain(value):
    """Return a value of any library as a Python value; the parts of a cell as a tuple."""
    if isinstance(value, dict):
        return tuple(value.values())
    return tuple(value) if isinstance(value, list) else value


def lines(frame) -> tuple[list[str], list[tuple]]:
    """Return the columns and the lines of a frame of any kind."""
    if isinstance(frame, pd.DataFrame):
        return list(frame.columns), list(zip(*(frame.iloc[:, i].tolist() for i in range(frame.shape[1])), strict=True))
    columns = frame.to_pydict() if isinstance(frame, pa.Table) else frame.to_dict(as_series=False)
    return list(columns), list(zip(*(map(plain, column) for column in columns.values()), strict=True))


def agree(result) -> None:
    """Check that a result is the same table in every library."""
    wanted = repr(lines(result.to_frame()))  # repr: nan is nan
    for kind in ("polars", "arrow"):
        assert repr(lines(result.to_frame(kind=kind))) == wanted
    assert repr(lines(pl.DataFrame(result))) == wanted
    assert repr(lines(pa.table(result))) == wanted
    assert repr(lines(pl.from_arrow(pa.RecordBatchReader.from_stream(result).read_all()))) == wanted


@pytest.mark.parametrize("kind", RESULTS)
@settings(max_examples=20)
@given(
    case=cases(dtypes=("int32", "float64", None), max_n=8, max_m=14),
    called=st.sampled_from([None, WORDS, range(100, 120)]),
    undirected=st.booleans(),
    batch=st.sampled_from([1, 3, 7, 1 << 20]),
)
def test_all_kinds_hold_the_same(kind, case, called, undirected, batch):
    names = None if called is None else list(called[: case.n])
    graph = Graph.from_arcs(*case.arrays(), case.n, undirected, names=names)
    some = [graph.name(v) for v in range(0, graph.n, 2)][::-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow, "BATCH", batch)
        agree(RESULTS[kind](graph, some))


CELLS = Graph.from_raster([[1, 1, 2], [1, np.inf, 2]])
TUPLES = Graph.from_arcs([0, 1], [1, 2], [5, 7], names=[(0, "a"), (0, "b"), (1, "a")])


@pytest.mark.parametrize("kind", RESULTS)
def test_cells(kind):
    agree(RESULTS[kind](CELLS, [(0, 0), (1, 2)]))


def test_words_are_dictionaries_and_numbers_stay_numbers():
    words = Graph.from_arcs([0, 1], [1, 2], [5, 7], names=["Ulm", "Bonn", "Kiel"])
    found = pa.table(nearfar.sssp(words, "Ulm"))
    assert str(found.schema.field("target").type) == "dictionary<values=string, indices=int32, ordered=0>"
    assert pl.DataFrame(nearfar.sssp(words, "Ulm")).schema["target"] == pl.Categorical
    assert found.schema.field("distance").type == pa.int32()
    assert pa.table(nearfar.sssp(words.without_names(), 0)).schema.field("target").type == pa.int32()
    ids = Graph.from_arcs([10, 20], [20, 30], [0.5, 1], names=True)
    assert pa.table(nearfar.apsp(ids)).schema.field("source").type == pa.int64()
    assert pa.table(CELLS).schema.field("tail").type == pa.struct([("row", pa.int32()), ("column", pa.int32())])


def test_a_large_result_comes_in_batches():
    rows = nearfar.apsp(nearfar.generate.road_grid(40, 40, seed=1))
    batches = list(pa.RecordBatchReader.from_stream(rows))
    assert len(batches) == -(-rows.rows.size // arrow.BATCH) > 2
    assert max(batch.num_rows for batch in batches) <= arrow.BATCH
    assert sum(batch.num_rows for batch in batches) == np.count_nonzero(rows.reached)
    reader = pa.RecordBatchReader.from_stream(rows)
    assert reader.read_next_batch().num_rows == arrow.BATCH  # and nobody asked for more
    turned = nearfar.Table(rows.graph, rows.source_indices, rows.source_indices, np.asfortranarray(rows.rows))
    assert pa.table(turned).num_rows == rows.rows.size


def test_duckdb_reads_results():
    roads = Graph.from_arcs([0, 1, 0], [1, 2, 2], [5, 7, 20], names=["Ulm", "Bonn", "Kiel"])
    result = nearfar.apsp(roads)  # noqa: F841 - DuckDB finds it by its name
    assert duckdb.sql("select source, max(distance) from result group by source order by source").fetchall() == [
        ("Bonn", 7),
        ("Kiel", 0),
        ("Ulm", 12),
    ]
    near = metrics.within(roads, 6)  # noqa: F841
    query = "select count(*) from near join roads on near.source = roads.tail and near.target = roads.head"
    assert duckdb.sql(query).fetchall() == [(1,)]
    cells = nearfar.sssp(CELLS, (0, 0))  # noqa: F841
    assert duckdb.sql("select distance from cells where target.row = 0 order by all").fetchall() == [(0,), (1,), (2.5,)]


def test_a_graph_goes_through_duckdb_and_back():
    roads = Graph.from_arcs([10, 20, 10], [20, 30, 30], [5, 7, 20], names=True)
    assert repr(lines(Graph.from_frame(duckdb.sql("select * from roads")).to_frame())) == repr(lines(roads.to_frame()))
    for made in (pa.RecordBatchReader.from_stream(roads), pl.DataFrame(roads), roads):
        assert Graph.from_frame(made).row_weights.tolist() == [5, 7, 20]


def test_a_schema_that_is_asked_for():
    result = nearfar.sssp(Graph.from_arcs([0, 1], [1, 2], [5, 7]), 0)
    wanted = pa.schema([("source", pa.int64()), ("target", pa.int64()), ("distance", pa.float64())])
    assert pa.table(result, schema=wanted).schema == wanted


def test_wide_tables():
    graph = Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])
    table = nearfar.table(graph, ["Ulm", "Bonn"], ["Kiel", "Ulm"])
    wanted = {"source": ["Ulm", "Bonn"], "Kiel": [7.0, 3.0], "Ulm": [0.0, np.inf]}
    assert table.to_frame("polars", wide=True).to_dict(as_series=False) == wanted
    assert table.to_frame("arrow", wide=True).to_pydict() == wanted
    assert table.to_frame(wide=True).loc["Ulm", "Kiel"] == 7
    back = nearfar.mssp(graph, ["Kiel"], direction="to", targets=["Ulm"]).to_frame("polars", wide=True)
    assert back.columns == ["target", "Ulm"] and back.row(0) == ("Kiel", 7)
    twice = nearfar.table(graph, ["Ulm"], ["Kiel", "Kiel"])
    assert twice.to_frame(wide=True).shape == (1, 2)
    with pytest.raises(OptionError, match=r"'Kiel'.*kind='pandas'"):
        twice.to_frame("polars", wide=True)


def test_names_of_other_types():
    assert lines(nearfar.sssp(TUPLES, (0, "a")).to_frame())[1][1] == ((0, "a"), (0, "b"), 5)
    with pytest.raises(InputTypeError, match=r"type tuple.*without_names"):
        pa.table(nearfar.sssp(TUPLES, (0, "a")))
    agree(nearfar.sssp(Graph.from_arcs([0], [1], names=[1.5, 2.5]), 1.5))
    agree(nearfar.sssp(Graph.from_arcs([0], [1], names=[(0, 1), (2, 3)]), (0, 1)))


def test_keys_of_several_types():
    streets = nx.MultiDiGraph([("a", "b", "x", {"weight": 3}), ("a", "b", 0, {"weight": 2})])
    graph = Graph.from_networkx(streets)
    assert graph.to_frame()["key"].tolist() == ["x", 0]
    with pytest.raises(InputTypeError, match=r"keys of edges are of type int, str.*pandas\.$"):
        pa.table(graph)


def test_empty_tables():
    for kind in ("pandas", "polars", "arrow"):
        assert Graph.from_arcs([], []).to_frame(kind).shape[0] == 0
        assert metrics.edge_betweenness(Graph.from_arcs([], [], n=2)).to_frame(kind).shape == (0, 3)
    assert pa.table(Graph.from_arcs([], [], names=[])).num_rows == 0


def test_keys_are_a_column():
    networkx = pytest.importorskip("networkx")
    roads = networkx.MultiDiGraph()
    roads.add_edge("a", "b", "slow", weight=5)
    roads.add_edge("a", "b", "fast", weight=3)
    agree(Graph.from_networkx(roads))
    agree(Graph.from_networkx(roads).close([0]))


@pytest.mark.parametrize("kind", RESULTS)
def test_a_kind_that_does_not_exist(kind):
    result = RESULTS[kind](Graph.from_arcs([0, 1], [1, 2], [5, 7]), [0, 1])
    with pytest.raises(OptionError, match=r"kind is 'excel'.*'pandas', 'polars', 'arrow'"):
        result.to_frame(kind="excel")


@pytest.mark.parametrize(("kind", "library"), [("pandas", "pandas"), ("polars", "polars"), ("arrow", "pyarrow")])
def test_a_library_that_is_missing(kind, library, monkeypatch):
    result = nearfar.sssp(Graph.from_arcs([0, 1], [1, 2], [5, 7]), 0)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingDependencyError, match=f"pip install {library}"):
        result.to_frame(kind=kind)
    if kind == "arrow":
        with pytest.raises(MissingDependencyError, match="pip install pyarrow"):
            result.__arrow_c_stream__()


# tables as opportunities and demand

MAKERS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "reader": lambda columns: pa.table(columns).to_reader(),
    "duckdb": lambda columns: duckdb.from_arrow(pa.table(columns)),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("ids", [["Ulm", "Bonn", "Kiel"], [10, 20, 30]])
def test_tables_of_opportunities_and_demand(make, ids):
    graph = Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], undirected=True, names=ids)
    jobs = {ids[1]: 100, ids[2]: 20}
    wanted = metrics.accessibility(graph, jobs, cutoffs=[5, 10]).values
    table = make({"vertex": list(jobs), "jobs": list(jobs.values())})
    forms = [table, table.set_index("vertex")] if isinstance(table, pd.DataFrame) else [table]
    for form in forms:
        assert np.array_equal(metrics.accessibility(graph, form, cutoffs=[5, 10]).values, wanted)
    demand = make({"origin": [ids[0], ids[1]], "destination": [ids[2], ids[0]], "trips": [5.0, 2.5]})
    wanted = metrics.flows(graph, [(ids[0], ids[2], 5), (ids[1], ids[0], 2.5)]).values
    assert np.array_equal(metrics.flows(graph, demand).values, wanted)
    demand = make({"origin": [ids[0]], "destination": [ids[2]], "trips": [5]})
    assert len(metrics.select_link(graph, demand, graph.find_rows(ids[1], ids[2]))) == 1


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_tables_of_places_are_no_opportunities(make):
    """The index of a frame would be taken for vertices, and longitudes for amounts."""
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7])
    columns = {"lon": [1.5, 2.5], "lat": [3.0, 4.0], "jobs": [7, 8]}
    with pytest.raises(OptionError, match=r"'lon' and 'lat'.*geo\.snap"):
        metrics.accessibility(graph, make(columns), cutoffs=5)
    named = make({"vertex": [0, 2], **columns})
    assert metrics.accessibility(graph, named, cutoffs=5)[0] == {("lon", 5): 1.5, ("lat", 5): 3, ("jobs", 5): 7}


def test_tables_that_cannot_be_opportunities_or_demand():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7])
    amounts = pl.DataFrame({"vertex": [0, 1], "jobs": [1, 2]})
    with pytest.raises(InputTypeError, match=r"LazyFrame.*\.collect\(\)"):
        metrics.accessibility(graph, amounts.lazy(), cutoffs=5)
    with pytest.raises(InputTypeError, match=r"LazyFrame.*\.collect\(\)"):
        metrics.flows(graph, amounts.lazy())
    with pytest.raises(OptionError, match="no column 'vertex'"):
        metrics.accessibility(graph, pa.table({"node": [1]}), cutoffs=5)
    with pytest.raises(ValueError, match="'jobs' has no value in row 1"):
        metrics.accessibility(graph, pl.DataFrame({"vertex": [0, 1], "jobs": [1, None]}), cutoffs=5)
    with pytest.raises(OptionError, match="a, b, c; call them origin"):
        metrics.flows(graph, pa.table({"a": [1, 1], "b": [2, 2], "c": [3, 3]}))
    with pytest.raises(OptionError, match="no columns origin, destination and demand"):
        metrics.flows(graph, pa.table({"a": [1, 1], "b": [2, 2]}))


def test_one_column_is_one_amount_per_vertex():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7])
    for column in (pl.Series([1, 2, 3]), pa.chunked_array([[1, 2, 3]]), pa.array([1, 2, 3])):
        assert metrics.accessibility(graph, column, cutoffs=5).values.ravel().tolist() == [3, 2, 3]


def test_a_measure_is_a_table_of_amounts():
    for graph in (Graph.from_arcs([0, 1], [1, 2], [5, 7], names=["a", "b", "c"]), CELLS):
        reach = metrics.reach(graph, [5])
        found = metrics.accessibility(graph, reach, cutoffs=9)
        framed = metrics.accessibility(graph, reach.to_frame(), cutoffs=9)
        wanted = metrics.accessibility(graph, {v: row[5] for v, row in reach.to_dict().items()}, cutoffs=9)
        assert np.array_equal(found.values, wanted.values) and np.array_equal(framed.values, wanted.values)
