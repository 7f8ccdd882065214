"""The method `parts`: any cut of any graph gives the distances that the whole graph has, to the bit."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.cut import cut_cases
from helpers.data import load
from helpers.strategies import start_distances
from nearfar.errors import FormatError, MemoryLimitError, MethodError
from nearfar.graph import Graph, generate
from nearfar.graph.parts import split_in_memory
from nearfar.methods import part_run
from nearfar.methods import parts as method

each_way = pytest.mark.parametrize("way", ["phases", "rounds"])


@contextmanager
def solved_in(way):
    """Have graphs of whole numbers solved in three phases, or in rounds; floats are always solved in rounds."""
    chosen = method.phases

    def phases(graph, parts, memory):
        whole, why = chosen(graph, parts, memory)
        return whole and way == "phases", why

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(method, "phases", phases)
        yield


def cut_graph(cut):
    """Return the graph of a case, cut in memory."""
    case, labels, count = cut
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    graph.memo["parts"] = split_in_memory(graph, labels, count)
    return graph


def same(found, expected):
    """Assert that two results have the same type and bits."""
    assert found.dist.dtype == expected.dist.dtype
    assert found.dist.tobytes() == expected.dist.tobytes()


@each_way
@given(cut=cut_cases(max_n=20, max_m=60), data=st.data())
def test_rows_are_those_of_dijkstra(way, cut, data):
    graph = cut_graph(cut)
    sources = data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=4))
    threads, cutoff = data.draw(st.integers(1, 3)), data.draw(st.none() | st.integers(0, 20))
    options = {"threads": threads, "cutoff": cutoff}
    with solved_in(way):
        found = nearfar.mssp(graph, sources, method="parts", **options)
    same(found, nearfar.mssp(graph, sources, method="dijkstra", **options))


@each_way
@given(cut=cut_cases(max_n=20, max_m=60), data=st.data())
def test_starts_nearest_and_targets(way, cut, data):
    case, graph = cut[0], cut_graph(cut)
    number = start_distances(case.dtype)
    starts = data.draw(st.dictionaries(st.integers(0, graph.n - 1), number, min_size=1, max_size=4))
    targets = data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=3))

    def ask(name):
        return (
            nearfar.sssp(graph, starts, method=name),
            nearfar.nearest(graph, list(starts), method=name),
            nearfar.table(graph, list(starts), targets, method=name),
            nearfar.distance(graph, next(iter(starts)), targets[0], method=name),
        )

    with solved_in(way):
        here = ask("parts")
    there = ask("dijkstra")
    for ours, theirs in zip(here[:3], there[:3], strict=True):
        same(ours, theirs)
    assert (here[1].source == there[1].source).all()
    assert here[3] == there[3]


@given(cut_cases(max_n=12, dtypes=("int32", "float64", None)), st.integers(0, 100))
def test_stored_graphs_need_no_arcs(tmp_path_factory, cut, pick):
    case, labels, count = cut
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    path = tmp_path_factory.mktemp("parts") / "g.nearfar"
    nearfar.write(graph, path)
    nearfar.write_parts(path, nearfar.partition(graph, count, how=labels.astype(int)))
    source = pick % graph.n
    expected = nearfar.sssp(graph, source, method="dijkstra")
    for _ in range(2):  # the first query finds the overlay, the second one reads it
        opened = Graph.open(path)
        same(nearfar.sssp(opened, source, method="parts"), expected)
        same(nearfar.sssp(opened, source, method="parts"), expected)
        assert "arcs" not in vars(opened)


def test_a_graph_that_was_not_cut_is_cut_into_ranges():
    graph = generate.road_grid(20, 20, seed=5)
    found = nearfar.mssp(graph, [0, 7, 399], method="parts")
    same(found, nearfar.mssp(graph, [0, 7, 399], method="dijkstra"))
    assert found.stats["parts"] == 4
    assert "ranges of indices" in nearfar.plan(generate.road_grid(5, 5), 0, method="parts").why


def test_distances_that_do_not_fit_int32_are_found_with_int64():
    n = 40
    graph = Graph.from_arcs(range(n - 1), range(1, n), [2**30] * (n - 1))
    graph.memo["parts"] = split_in_memory(graph, (np.arange(n) // 7 % 3).astype(np.uint8), 3)
    for way in ("phases", "rounds"):
        with solved_in(way):
            found = nearfar.sssp(graph, 0, method="parts")
        assert found.dist.dtype == np.int64
        assert found.dist.tolist() == [i << 30 for i in range(n)]


def test_negative_weights_are_refused():
    graph = Graph.from_arcs([0, 1], [1, 2], [4, -1])
    with pytest.raises(MethodError, match="needs weights >= 0"):
        nearfar.sssp(graph, 0, method="parts")


def store(tmp_path, graph, count, **options):
    """Write a graph in parts and open it."""
    path = tmp_path / "g.nearfar"
    nearfar.write(graph, path)
    nearfar.write_parts(path, nearfar.partition(graph, count, **options))
    return Graph.open(path)


def test_the_planner_takes_parts_where_arcs_do_not_fit(tmp_path):
    graph = store(tmp_path, generate.road_grid(200, 200, seed=1), 16, how="metis")
    assert nearfar.plan(Graph.open(graph.path), 0).method != "parts"
    small = nearfar.plan(Graph.open(graph.path), 0, method="parts").bytes * 5 // 4
    plan = nearfar.plan(Graph.open(graph.path), 0, memory=small)
    assert plan.method == "parts"
    assert "16 parts, in three phases, since only" in plan.why
    assert plan.bytes <= small
    found = nearfar.sssp(graph, 0, memory=small)
    assert found.stats["method"] == "parts"
    assert found.stats["phases"] == 3
    assert "arcs" not in vars(graph)
    same(found, nearfar.sssp(nearfar.read(graph.path), 0))
    assert "the first of which is done" in nearfar.plan(Graph.open(graph.path), 0, memory=small).why


def test_the_plan_says_rounds_where_boundaries_are_large(tmp_path):
    graph = store(tmp_path, generate.rmat(10, seed=1), 4, how="ranges")
    why = nearfar.plan(graph, 0, method="parts", memory="1 MB").why
    assert "in rounds, since" in why
    assert "may be used for them" in why
    floats = Graph.from_csr(graph.offsets, graph.heads, graph.heads * 0.5)
    floats.memo["parts"] = graph.parts
    assert "weights are floats" in nearfar.plan(floats, 0, method="parts").why
    assert (
        method.choose_parts(graph, 1, graph.arc_file.nbytes, 4) is None
    )  # arcs do not fit, but parts would need rounds


def test_parts_that_are_too_large_are_refused(tmp_path):
    graph = store(tmp_path, generate.road_grid(60, 60, seed=1), 2, how="ranges")
    with pytest.raises(MemoryLimitError, match=r"more parts \(nearfar\.partition\)"):
        nearfar.sssp(graph, 0, method="parts", memory="100 kB")
    assert method.choose_parts(graph, 1, 100_000, 4) is None


def test_each_part_is_read_once_when_the_overlay_is_there(tmp_path, monkeypatch):
    graph = store(tmp_path, generate.road_grid(60, 60, seed=1), 9, how="coordinates")
    first = nearfar.sssp(graph, 17, method="parts").stats
    assert first["read_bytes"] >= sum(graph.parts.load(p).nbytes for p in range(9))
    monkeypatch.setattr(part_run.Shelf, "put_back", lambda shelf, p: shelf.taken.pop(p))  # as if there were no room
    second = nearfar.sssp(Graph.open(graph.path), 17, method="parts").stats
    assert second["parts_read"] == second["parts_settled"] == 10  # that of the source twice


def test_parts_beyond_the_cutoff_or_the_target_are_not_read(tmp_path):
    graph = store(tmp_path, generate.road_grid(60, 60, seed=1), 9, how="coordinates")
    nearfar.sssp(graph, 0, method="parts")
    assert nearfar.sssp(graph, 0, method="parts", cutoff=1000).stats["parts_read"] == 1
    near = int(np.argsort(nearfar.sssp(graph, 0, method="dijkstra").dist)[10])
    before = graph.parts.read_bytes
    assert nearfar.distance(graph, 0, near, method="parts") == nearfar.distance(graph, 0, near, method="dijkstra")
    assert graph.parts.read_bytes - before < sum(graph.parts.load(p).nbytes for p in range(9)) / 2


def test_parts_that_were_damaged_or_replaced_meanwhile(tmp_path):
    graph = store(tmp_path, generate.road_grid(20, 20, seed=1), 4, how="ranges")
    expected = nearfar.sssp(graph, 0, method="parts")
    overlay = graph.path / "parts" / "overlay" / "arcs.npy"
    data = overlay.read_bytes()
    overlay.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(FormatError, match="not as it was written"):
        nearfar.sssp(Graph.open(graph.path), 0, method="parts")
    overlay.write_bytes(data)
    file = graph.path / "parts" / "0002" / "arcs.npy"
    kept = file.read_bytes()
    file.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
    with pytest.raises(FormatError, match="not as it was written"):
        nearfar.sssp(Graph.open(graph.path), 0, method="parts")
    file.write_bytes(kept)
    (graph.path / "parts" / "overlay").rename(tmp_path / "overlay")
    nearfar.write_parts(graph.path, nearfar.partition(graph, 3, how="ranges"))
    (tmp_path / "overlay").rename(graph.path / "parts" / "overlay")  # of the parts that were here before
    same(nearfar.sssp(Graph.open(graph.path), 0, method="parts"), expected)


def test_a_folder_that_cannot_be_written_to_keeps_the_overlay_in_memory(tmp_path, monkeypatch):
    graph = store(tmp_path, generate.road_grid(20, 20, seed=1), 4, how="ranges")

    def refuse(*given):
        raise nearfar.errors.FileError("read-only")

    monkeypatch.setattr("nearfar.methods.overlay.write_overlay", refuse)
    expected = nearfar.sssp(graph, 0, method="dijkstra")
    same(nearfar.sssp(graph, 0, method="parts"), expected)
    assert "overlay" in graph.parts.memo
    same(nearfar.sssp(graph, 0, method="parts"), expected)


@each_way
@pytest.mark.parametrize("count", [4, 16, 64])
def test_new_york(way, count):
    _, graph = load("USA-road-d.NY.gr")
    cut = nearfar.partition(graph, count)
    graph.memo["parts"] = split_in_memory(graph, cut.labels, count)
    try:
        with solved_in(way):
            found = nearfar.sssp(graph, 1234, method="parts")
        assert found.stats["phases"] == (3 if way == "phases" else "rounds")
        same(found, nearfar.sssp(graph, 1234, method="dijkstra"))
    finally:
        del graph.memo["parts"]


def test_distances_to_a_source_need_the_reversed_graph_only(tmp_path):
    plain = generate.rmat(8, seed=1)
    graph = Graph.from_csr(plain.offsets, plain.heads, plain.weights * (plain.heads % 5 + 1))  # directed
    nearfar.write(graph, tmp_path / "g.nearfar", reversed=True)
    nearfar.write_parts(tmp_path / "g.nearfar", nearfar.partition(graph, 4, how="ranges"))
    opened = Graph.open(tmp_path / "g.nearfar")
    found = nearfar.sssp(opened, 3, direction="to", method="parts")
    same(found, nearfar.sssp(graph, 3, direction="to"))
    assert found.stats["parts"] == 4
    assert "arcs" not in vars(opened)
    assert "arcs" not in vars(opened.reversed)


def test_sums_that_may_exceed_64_bits_are_not_put_into_an_overlay():
    heavy = 2**61
    graph = Graph.from_arcs(range(6), range(1, 7), [heavy, heavy, 1, heavy, heavy, 1])
    graph.memo["parts"] = split_in_memory(graph, np.array([0, 0, 0, 1, 1, 1, 2], np.uint8), 3)
    found = nearfar.sssp(graph, 0, method="parts", cutoff=2 * heavy + 5)
    same(found, nearfar.sssp(graph, 0, method="dijkstra", cutoff=2 * heavy + 5))
    assert found.stats["phases"] == "rounds"
