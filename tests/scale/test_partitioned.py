"""`PartitionedGraph`: any cut, on workers that come and go, gives what the whole graph gives, to the bit."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.cut import cut_cases
from helpers.in_process import InProcess
from nearfar import errors
from nearfar.devices.cpu import Facts
from nearfar.graph import Graph, generate
from nearfar.graph.stored import ArcFile
from nearfar.scale.partitioned.shelf import PartPlace, Shelf

SMALL = {"max_n": 16, "max_m": 40, "dtypes": ("int32", "int64", None, "float32", "float64")}
METHODS = st.sampled_from(["auto", "rounds"])


def stored(folder, graph, labels, count):
    """Write a graph with its parts into a folder; return the path."""
    path = folder / "g.nearfar"
    nearfar.write(graph, path)
    nearfar.write_parts(path, nearfar.partition(graph, count, how=np.asarray(labels).astype(int)))
    return path


def opened(folder, graph, labels, count, **options):
    """Return a graph in parts, on a cluster in this process."""
    return nearfar.PartitionedGraph.open(stored(folder, graph, labels, count), InProcess(folder, **options))


@pytest.fixture
def roads(tmp_path):
    """A grid in 4 parts, and the graph as it is."""
    graph = generate.road_grid(20, 20, seed=1)
    labels = nearfar.partition(graph, 4, how="coordinates").labels
    with opened(tmp_path, graph, labels, 4) as found:
        yield found, graph
    found.cluster.close()


def same(found, expected):
    """Assert that distances in parts have the type and the bits of those of the whole graph."""
    there = found.gather()
    assert there.dist.dtype == expected.dist.dtype
    assert there.dist.tobytes() == expected.dist.tobytes()


@settings(max_examples=30)
@given(cut_cases(**SMALL), st.data())
def test_rows_are_those_of_the_whole_graph(tmp_path_factory, cut, data):
    case, labels, count = cut
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    method, cutoff = data.draw(METHODS), data.draw(st.none() | st.integers(0, 20))
    sources = data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=4))
    loses = data.draw(st.sampled_from([lambda number: False, lambda number: number % 2 == 1]))
    there = opened(tmp_path_factory.mktemp("parts"), graph, labels, count, loses=loses)
    same(there.mssp(sources, method=method, cutoff=cutoff), nearfar.mssp(graph, sources, cutoff=cutoff))
    one, alone = there.sssp(sources[0], method=method), nearfar.sssp(graph, sources[0])
    same(one, alone)
    reached = alone.dist[alone.reached]
    assert one.count() == len(reached)
    assert one.max() == reached.max()
    assert one.sum() == pytest.approx(reached.sum(dtype=np.float64), rel=1e-6)
    assert [one[v] for v in range(graph.n)] == [alone[v] for v in range(graph.n)]
    there.cluster.close()


@settings(max_examples=30)
@given(cut_cases(**SMALL), st.data())
def test_nearest_sources_are_at_the_least_distance(tmp_path_factory, cut, data):
    case, labels, count = cut
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    sources = data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=5, unique=True))
    there = opened(tmp_path_factory.mktemp("parts"), graph, labels, count)
    found = there.nearest(sources, method=data.draw(METHODS))
    same(found, nearfar.nearest(graph, sources))
    rows = nearfar.mssp(graph, sources)
    for v in range(graph.n):
        source, distance = found[v]
        expected = min(rows[s, v] for s in sources)
        assert distance == expected
        assert (source is None) == (expected == np.inf)
        assert source is None or rows[source, v] == expected
    for p in range(count):
        assert [None if s < 0 else s for s in found.source_of_part(p).tolist()] == [
            found[v][0] for v in found.part(p)[0].tolist()
        ]
    there.cluster.close()


@settings(max_examples=30)
@given(cut_cases(**SMALL), st.data())
def test_tables_and_pairs(tmp_path_factory, cut, data):
    case, labels, count = cut
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    some = st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=5)
    sources, targets, method = data.draw(some), data.draw(some), data.draw(METHODS)
    there = opened(tmp_path_factory.mktemp("parts"), graph, labels, count)
    expected = nearfar.table(graph, sources, targets)
    assert (there.table(sources, targets, method=method).dist == expected.dist).all()
    pairs = list(itertools.islice(zip(sources, targets, strict=False), 5))
    found = there.distances(*map(list, zip(*pairs, strict=True)), method=method)
    assert found.tolist() == [expected.rows[i, i] for i in range(len(pairs))]
    assert there.distance(sources[0], targets[0]) == expected[sources[0], targets[0]]
    there.cluster.close()


@settings(max_examples=40)
@given(cut_cases(**SMALL), st.data())
def test_paths_are_as_long_as_distances_say(tmp_path_factory, cut, data):
    case, labels, count = cut
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    source, target = (data.draw(st.integers(0, graph.n - 1)) for _ in "st")
    method = data.draw(METHODS)
    there = opened(tmp_path_factory.mktemp("parts"), graph, labels, count)
    row = nearfar.sssp(graph, source)
    if row[target] == np.inf:
        with pytest.raises(errors.NoPathError, match=f"no path leads from {source} to {target}"):
            there.path(source, target, method=method)
    else:
        path = there.path(source, target, method=method)
        assert (path[0], path[-1]) == (source, target)
        assert len(set(path)) == len(path)
        tight = tight_arcs(graph, row.dist)
        assert all(arc in tight for arc in itertools.pairwise(path))
    there.cluster.close()


def tight_arcs(graph, dist):
    """Return the arcs (u, v) whose weight is the difference of the distances of their ends."""
    weights = np.ones(graph.m, dist.dtype) if graph.weights is None else graph.weights
    wide = dist if dist.dtype.kind == "f" else dist.astype(np.int64)
    tight = wide[graph.tails] + weights == wide[graph.heads]
    return set(zip(graph.tails[tight].tolist(), graph.heads[tight].tolist(), strict=True))


def test_no_task_holds_arcs_and_no_process_loads_more_than_its_parts(roads):
    there, graph = roads
    found = there.sssp(0)
    assert found.stats["phases"] == 3
    assert there.cluster.largest < graph.nbytes / 10
    assert found.stats["sent_bytes"] + found.stats["received_bytes"] < graph.nbytes
    assert "arcs" not in vars(there.stored)


def test_parts_go_to_the_workers_that_had_them(roads):
    there, _ = roads
    there.sssp(0)
    wishes = dict(there.cluster.wishes)
    assert sorted(wishes.values()) == ["w0", "w0", "w1", "w1"]
    del there.cluster.people["w0"]
    there.cluster.people["w2"] = there.cluster.people["w1"]
    there.cluster.wishes.clear()
    there.sssp(0)
    later = dict(there.cluster.wishes)
    assert sorted(later.values()) == ["w1", "w1", "w2", "w2"]
    assert all(later[p] == "w1" for p in wishes if wishes[p] == "w1")


def test_what_was_prepared_is_not_done_again(roads):
    there, graph = roads
    seen = []
    facts = there.prepare(progress=lambda done, of: seen.append((done, of)))
    assert seen[-1] == (4, 4)
    assert facts["overlay_arcs"] > 0
    assert {name for name, _ in there.cluster.calls} == {"find_table"}
    there.cluster.calls.clear()
    same(there.sssp(7), nearfar.sssp(graph, 7))
    parts = there.parts.labels
    assert there.cluster.calls[0] == ("reach_boundary", parts[7])
    assert sorted(there.cluster.calls[1:]) == [("write_rows", p) for p in range(4)]
    with nearfar.PartitionedGraph.open(there.stored.path, there.cluster) as again:
        assert again.prepare()["tasks"] == 0


def test_pairs_need_the_parts_of_their_ends_only(roads):
    there, graph = roads
    there.prepare()
    there.cluster.calls.clear()
    labels = there.parts.labels
    source, target = (int(np.flatnonzero(labels == p)[0]) for p in (0, 2))
    assert there.distance(source, target) == nearfar.distance(graph, source, target)
    assert there.cluster.calls == [("reach_boundary", 0), ("read_values", 2)]


def test_distances_by_part_and_folded(roads):
    there, graph = roads
    found, alone = there.sssp(3), nearfar.sssp(graph, 3)
    for p in range(4):
        vertices, dist = found.part(p)
        assert (vertices == np.flatnonzero(there.parts.labels == p)).all()
        assert (dist == alone.dist[vertices]).all()
    assert found.reduce(len_of) == there.parts.sizes.tolist()
    assert (found.count(), found.max(), found.sum()) == (400, alone.dist.max(), alone.dist.sum())
    rows = there.mssp([3, 9])
    assert rows.part(0)[1].shape == (2, there.parts.sizes[0])
    assert rows[9, 17] == nearfar.distance(graph, 9, 17)
    assert "phases" in str(found.describe())
    assert repr(found) == "PartitionedDistances(rows=1, n=400, parts=4)"


def len_of(vertices, dist):
    assert len(vertices) == len(dist)
    return len(vertices)


def test_distances_as_a_table(roads, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    there, graph = roads
    for _ in range(2):  # the second one replaces the first
        there.mssp([3, 9], cutoff=5000).write(tmp_path / "d.parquet")
    lines = parquet.read_table(tmp_path / "d.parquet").to_pylist()
    rows = nearfar.mssp(graph, [3, 9], cutoff=5000)
    assert {(line["source"], line["target"], line["distance"]) for line in lines} == {
        (s, v, rows[s, v]) for s in (3, 9) for v in range(graph.n) if rows[s, v] < np.inf
    }
    assert len(list((tmp_path / "d.parquet").iterdir())) == 4
    near = there.nearest([9, 300])
    near.write(tmp_path / "n.parquet")
    lines = parquet.read_table(tmp_path / "n.parquet").to_pylist()
    assert {line["vertex"]: (line["source"], line["distance"]) for line in lines} == {v: near[v] for v in range(400)}


def test_files_are_removed_with_the_result_unless_they_were_asked_for(roads, tmp_path):
    there, _ = roads
    found = there.sssp(3)
    folder = Path(found.folder)
    assert len(list(folder.iterdir())) == 4
    del found
    assert not folder.exists()
    found = there.sssp(3, out=tmp_path / "kept")
    del found
    assert len(list((tmp_path / "kept").iterdir())) == 4
    (tmp_path / "kept" / "other").touch()
    with pytest.raises(errors.OptionError, match="has other files"):
        there.sssp(3, out=tmp_path / "kept")


def test_names(tmp_path):
    graph = Graph.from_arcs(list("abcae"), list("bcdde"), [3, 4, 1, 9, 1], names=True)
    with opened(tmp_path, graph, [0, 1, 0, 2, 2], 3) as there:
        found = there.sssp("a")
        assert [found[v] for v in "abcde"] == [0, 3, 7, 8, np.inf]
        assert found.sources == ["a"]
        assert there.nearest(["c", "b"])["d"] == ("c", 1)
        with pytest.raises(errors.VertexError, match="source 'z' is not a vertex"):
            there.sssp("z")
        found.write(tmp_path / "t.parquet")
    parquet = pytest.importorskip("pyarrow.parquet")
    assert parquet.read_table(tmp_path / "t.parquet").to_pydict()["target"] == ["a", "c", "b", "d"]


def test_a_lost_part_is_a_clear_error(roads):
    there, _ = roads
    shutil.rmtree(Path(there.parts.folder) / "0002")
    with pytest.raises(errors.MissingFileError, match=r"0002 is no part of a graph.*Write the parts again"):
        there.sssp(0)


def test_parts_that_were_cut_anew_are_refused(roads):
    there, _ = roads
    stored = Graph.open(there.stored.path)
    nearfar.write_parts(stored, nearfar.partition(stored, 4, how="ranges"))
    with pytest.raises(errors.FormatError, match="cut into other parts since it was opened"):
        there.sssp(0)


def test_a_lost_result_is_a_clear_error(roads):
    there, _ = roads
    found = there.sssp(0)
    for file in Path(found.folder).glob("*part-00001.npy"):
        file.unlink()
    assert found.part(0)[1].min() >= 0
    for ask in (lambda: found.part(1), found.gather, found.sum, lambda: found[int(np.argmax(there.parts.labels == 1))]):
        with pytest.raises(errors.MissingFileError, match="is gone or damaged"):
            ask()


def test_what_is_refused(roads, tmp_path):
    there, _ = roads
    with pytest.raises(errors.MethodError, match="solved in rounds, since 53 of 400 vertices"):
        there.sssp(0, method="phases", memory=1000)
    with pytest.raises(errors.OptionError, match="method is 'fast'; there are 'auto', 'phases', 'rounds'"):
        there.sssp(0, method="fast")
    with pytest.raises(errors.OptionError, match="2 sources and 1 targets"):
        there.distances([1, 2], [3])
    with pytest.raises(errors.OptionError, match="parts from 0 to 3"):
        there.sssp(0).part(4)
    with pytest.raises(errors.OptionError, match=r"ends in \.parquet"):
        there.sssp(0).write(tmp_path / "d.csv")
    with pytest.raises(errors.MemoryLimitError, match="Cut the graph into more parts"):
        nearfar.PartitionedGraph.open(there.stored.path, InProcess(tmp_path, memory=1 << 14)).sssp(0)
    with pytest.raises(errors.MissingFileError, match="not cut into parts"):
        nearfar.write(generate.road_grid(2, 2), tmp_path / "p.nearfar")
        nearfar.PartitionedGraph.open(tmp_path / "p.nearfar", there.cluster)
    with pytest.raises(errors.MethodError, match="weights >= 0; the least weight is -1"):
        opened(tmp_path, Graph.from_arcs([0], [1], [-1]), [0, 1], 2)


def test_distances_that_fit_no_memory_stay_in_parts(roads, monkeypatch):
    there, _ = roads
    found = there.sssp(0)
    monkeypatch.setattr("nearfar.scale.partitioned.results.cpu.facts", lambda: Facts("cpu", 1, 1000))
    with pytest.raises(errors.MemoryLimitError, match="Read them part by part"):
        found.gather()


def test_no_vertices_one_vertex_and_more_parts_than_vertices(tmp_path):
    for n in (0, 1, 3):
        (folder := tmp_path / str(n)).mkdir()
        with opened(folder, Graph.from_arcs([], [], n=n), np.arange(n), 5) as there:
            assert there.describe()["parts"] == 5
            if n:
                found = there.sssp(n - 1)
                assert (found.count(), found.max(), found.sum()) == (1, 0, 0)
                assert found.gather().dist.tolist() == nearfar.sssp(Graph.from_arcs([], [], n=n), n - 1).dist.tolist()
            else:
                with pytest.raises(errors.VertexError):
                    there.sssp(0)


def test_an_interrupted_query_ends_its_tasks(roads, monkeypatch):
    there, _ = roads

    def stop(*_):
        raise KeyboardInterrupt

    there.prepare()
    folder = Path(there.cluster.spool.folder_for("here")).parent
    monkeypatch.setattr(there.cluster, "submit", stop)
    with pytest.raises(KeyboardInterrupt):
        there.sssp(0)
    assert there.cluster.told[0][0] == "stop_run"
    assert not list(folder.glob("distances*"))


def test_an_edge_list_is_converted_and_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(ArcFile, "map", None)  # nobody has all arcs at any time
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    graph = generate.road_grid(12, 12, seed=2)
    (folder := tmp_path / "arcs").mkdir()
    for i, some in enumerate(np.array_split(np.arange(graph.m), 3)):
        columns = {"source": graph.tails[some], "target": graph.heads[some], "weight": graph.weights[some]}
        pq.write_table(pa.table(columns), folder / f"{i}.parquet")
    path, cluster = tmp_path / "g.nearfar", InProcess(tmp_path)
    for _ in range(2):  # the second call opens what is there
        with nearfar.PartitionedGraph.convert(folder, path, 3, cluster, memory="64 MB") as there:
            assert there.parts.count == 3
            assert there.distance(0, 143) == nearfar.distance(graph, 0, 143)


@pytest.mark.parametrize("weight", [2**30, np.float32(2e38), 2**59])
def test_wide_distances(tmp_path, weight):
    n = 12
    weights = np.full(n - 1, weight, np.float32 if isinstance(weight, np.float32) else np.int64)
    graph = Graph.from_arcs(range(n - 1), range(1, n), weights)
    with opened(tmp_path, graph, np.arange(n) // 3 % 2, 2) as there:
        for method in ("auto", "rounds"):
            same(there.sssp(0, method=method), nearfar.sssp(graph, 0))
            table, expected = there.table([0, 3], [2, 11], method=method), nearfar.table(graph, [0, 3], [2, 11])
            assert table.dist.dtype == expected.dist.dtype
            assert (table.dist == expected.dist).all()


def test_distances_that_fit_no_type(tmp_path):
    graph = Graph.from_arcs(range(5), range(1, 6), [2**61] * 5)
    with opened(tmp_path, graph, [0, 0, 0, 1, 1, 1], 2) as there:
        for ask in (lambda: there.sssp(0), lambda: there.distance(0, 5), lambda: there.distance(0, 4)):
            with pytest.raises(errors.DistanceOverflowError, match="may exceed int64"):
                ask()
        assert there.distance(4, 5) == 2**61
        same(there.sssp(0, cutoff=2**62), nearfar.sssp(graph, 0, cutoff=2**62))


def test_distances_to_a_vertex(roads, tmp_path):
    assert roads[0].reversed is roads[0]
    graph, path = generate.rmat(6, seed=1, undirected=False), tmp_path / "r.nearfar"
    nearfar.write(graph, path, reversed=True)
    nearfar.write_parts(path, nearfar.partition(graph, 3, how="ranges"))
    with nearfar.PartitionedGraph.open(path, roads[0].cluster) as there:
        same(there.reversed.sssp(5), nearfar.sssp(graph, 5, direction="to"))
    with (
        opened(tmp_path, graph, np.arange(graph.n) % 2, 2) as there,
        pytest.raises(errors.MissingFileError, match="no reversed graph in parts"),
    ):
        _ = there.reversed


def test_a_worker_keeps_no_more_than_its_share(roads):
    there, _ = roads
    there.sssp(0)
    places, shelf = [there.workers.place(p) for p in range(4)], Shelf()
    for place in places:
        part = shelf.get(place)
        assert part.nbytes == place.nbytes
        assert shelf.get(place) is part
        assert shelf.nbytes <= place.keep == max(sum(some) for some in homes_of(there))
    lonely = PartPlace(**vars(places[0]) | {"keep": 0})
    shelf.forget(lonely.folder)
    assert shelf.get(lonely).nbytes == shelf.nbytes == lonely.nbytes
    shelf.forget(lonely.folder)
    assert shelf.nbytes == 0


def homes_of(there):
    """Return the sizes of the parts of each worker."""
    homes = there.workers.homes
    return [[there.workers.sizes[p] for p in homes if homes[p] == home] for home in set(homes.values())]
