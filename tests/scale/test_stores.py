"""Stores, tables and lazy arrays from a cluster of processes: what they hold is what one process makes, to the byte."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from pathlib import Path

import numpy as np
import pytest

import nearfar
from nearfar import Graph, generate
from nearfar.errors import ClusterError, InputTypeError, OptionError, StoreError
from nearfar.scale import sizing, stores
from nearfar.store.matrix import form
from nearfar.store.matrix.places import ASIDE, Folder

pytest.importorskip("distributed")
pytest.importorskip("zarr")


@pytest.fixture(scope="module")
def cluster():
    with nearfar.connect("local:2") as connected:
        yield connected


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Small blocks, and small tasks: the form of blocks is decided here, and sent to the workers."""
    monkeypatch.setattr(form, "ROWS", 16)
    monkeypatch.setattr(form, "LEAST_BYTES", 0)
    monkeypatch.setattr(form, "PART_BYTES", 4096)
    monkeypatch.setattr(sizing, "LEAST", 0.0)


@pytest.fixture(scope="module")
def graph():
    return generate.road_grid(18, 18, seed=1)


@pytest.fixture(scope="module")
def floats(graph):
    weights = np.random.default_rng(1).random(graph.m)
    names = [f"v{v}" for v in range(graph.n)]
    return Graph.from_arcs(graph.tails, graph.heads, weights, graph.n, names=names)


def files_of(folder):
    """Return the bytes of all files of a store but its lock."""
    root = Path(folder)
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file() and p.name != "lock"}


ASKED = {
    "all pairs": {},
    "prepared": {"method": "prepared"},
    "cutoff": {"cutoff": 7000, "method": "dijkstra"},
    "floyd": {"method": "floyd"},
    "columns": {"targets": "many"},
    "few columns": {"targets": "few"},
    "backwards": {"direction": "to"},
}


@pytest.mark.parametrize("kind", ["integers", "floats"])
@pytest.mark.parametrize("name", ASKED)
def test_a_store_has_the_same_bytes(graph, floats, cluster, tmp_path, kind, name):
    asked, g = dict(ASKED[name]), {"integers": graph, "floats": floats}[kind]
    sources = [g.name(v) for v in np.random.default_rng(2).permutation(g.n)[:150].tolist()]
    if name == "cutoff" and kind == "floats":
        asked["cutoff"] = 2.5
    if "targets" in asked:
        asked["targets"] = sources[::-1] + sources if asked["targets"] == "many" else sources[:7]
    made = [tmp_path / "here.zarr", tmp_path / "there.zarr"]
    nearfar.mssp(g, sources, out=made[0], **asked)
    matrix = nearfar.mssp(g, sources, out=made[1], client=cluster, **asked)
    assert matrix.status()["finished"]
    assert files_of(made[1]) == files_of(made[0])
    assert os.listdir(made[1] / ASIDE) == ["lock"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("columns", [None, "some"])
def test_a_table_in_a_file_has_the_same_bytes(floats, cluster, tmp_path, ending, columns):
    pytest.importorskip("pyarrow")
    sources, more = floats.names[:90], {} if columns is None else {"targets": floats.names[100:140]}
    made = [tmp_path / f"here.{ending}", tmp_path / f"there.{ending}"]
    nearfar.mssp(floats, sources, out=made[0], memory="40MB", **more)
    nearfar.mssp(floats, sources, out=made[1], memory="40MB", client=cluster, **more)
    assert made[1].read_bytes() == made[0].read_bytes()


@pytest.mark.parametrize("kind", ["integers", "floats"])
@pytest.mark.parametrize(("k", "count"), [(90, 20), (20, 90), (3, 4)])
@pytest.mark.parametrize("asked", [{}, {"method": "prepared"}, {"direction": "to", "method": "dijkstra"}])
def test_tables_in_memory(graph, floats, cluster, kind, k, count, asked):
    g = {"integers": graph, "floats": floats}[kind]
    vertices = [g.name(v) for v in np.random.default_rng(3).integers(0, g.n, k + count).tolist()]
    given = {"targets": vertices[k:], **asked}
    here, there = nearfar.mssp(g, vertices[:k], **given), nearfar.mssp(g, vertices[:k], client=cluster, **given)
    assert there.dist.dtype == here.dist.dtype
    assert np.array_equal(there.dist, here.dist)
    assert there.rounded == here.rounded
    assert there.stats["workers"] == 2


def test_wide_distances_and_an_array_to_fill(cluster):
    path = Graph.from_arcs([0, 1, 2], [1, 2, 3], [2_000_000_000] * 3)
    found = nearfar.table(path, [0, 1, 2], [3, 3, 1], client=cluster)
    assert found.dist.tolist() == nearfar.table(path, [0, 1, 2], [3, 3, 1]).dist.tolist()
    assert found.dist.dtype == np.int64
    filled = np.zeros((1, 3), np.int64)
    nearfar.table(path, [0], [3, 2, 1], client=cluster, out=filled)
    assert filled.tolist() == [[6_000_000_000, 4_000_000_000, 2_000_000_000]]


def test_a_job_goes_on_and_is_repaired(graph, cluster, tmp_path):
    folder = tmp_path / "d.zarr"
    nearfar.apsp(graph, out=folder)
    wanted = files_of(folder)
    first = folder / "distance" / "c.0.0"
    times = {path.name: path.stat().st_mtime_ns for path in (folder / "distance").glob("c.*")}
    (folder / "distance" / "c.3.0").unlink()
    nearfar.apsp(graph, out=folder, client=cluster)
    assert files_of(folder) == wanted
    kept = {path.name: path.stat().st_mtime_ns for path in (folder / "distance").glob("c.*")}
    assert {name for name in times if kept[name] != times[name]} == {"c.3.0"}
    data = bytearray(first.read_bytes())
    data[9] ^= 1
    first.write_bytes(data)
    nearfar.apsp(graph, out=folder, existing="repair", client=cluster, join=True)
    assert files_of(folder) == wanted
    with pytest.raises(StoreError, match="differs in: the cutoff"):
        nearfar.apsp(graph, out=folder, cutoff=5, client=cluster)
    nearfar.apsp(graph, out=folder, cutoff=5, existing="restart", client=cluster)
    assert nearfar.open_matrix(folder).cutoff == 5


def test_ctrl_c_leaves_a_store_that_goes_on(graph, cluster, tmp_path):
    folder = tmp_path / "d.zarr"

    def stop(done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nearfar.apsp(graph, out=folder, client=cluster, progress=stop)
    assert os.listdir(folder / ASIDE) == ["lock"]
    matrix = nearfar.apsp(graph, out=folder)
    assert np.array_equal(matrix[:], nearfar.apsp(graph).dist)


def test_a_worker_is_killed(graph, cluster, tmp_path):
    folder, killed = tmp_path / "d.zarr", threading.Event()

    def kill(done, total):
        if not killed.is_set():
            killed.set()
            os.kill(next(iter(cluster.client.run(os.getpid).values())), signal.SIGKILL)

    matrix = nearfar.apsp(graph, out=folder, client=cluster, progress=kill)
    assert killed.is_set()
    assert np.array_equal(matrix[:], nearfar.apsp(graph).dist)
    cluster.client.wait_for_workers(2)


def test_whoever_comes_late_writes_nothing(graph, tmp_path):
    """What a worker begins to write while the call ends does not get its name."""
    place = Folder(tmp_path / "d.zarr")
    fence = place.fence()
    late = stores.Site(str(place.path), fence, "").open()
    late.write("distance/c.0.0", b"in time")
    place.remove_fence(fence)
    with pytest.raises(OSError, match=r"c\.1\.0 cannot be written"):
        late.write("distance/c.1.0", b"too late")
    assert sorted(p.name for p in (tmp_path / "d.zarr/distance").iterdir()) == [".nearfar", "c.0.0"]
    with pytest.raises(ClusterError, match="does not see the store"):
        stores.Site(str(place.path), fence, "").open()


def test_what_a_killed_caller_left_is_removed(graph, tmp_path):
    folder = tmp_path / "d.zarr"
    fence = Folder(folder).fence()
    (folder / fence / "x.part").write_bytes(b"x")
    nearfar.apsp(graph, out=folder)
    assert os.listdir(folder / ASIDE) == ["lock"]


def test_a_store_that_workers_do_not_see(graph, cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(Folder, "fence", lambda self: f"{ASIDE}/elsewhere")
    with pytest.raises(ClusterError, match=r"does not see the store .*d\.zarr"):
        nearfar.apsp(graph, out=tmp_path / "d.zarr", client=cluster)
    pytest.importorskip("fsspec")
    with pytest.raises(ClusterError, match=r"does not see the store memory://d\.zarr"):
        nearfar.apsp(graph, out="memory://d.zarr", client=cluster)


def test_object_stores_that_cannot_be_sent(graph, cluster):
    memory = pytest.importorskip("obstore.store").MemoryStore()
    with pytest.raises(ClusterError, match="cannot be sent to workers"):
        nearfar.apsp(graph, out=memory, client=cluster)


def test_lazy_rows(graph, floats, cluster):
    for g in (graph, floats):
        wanted = nearfar.apsp(g).dist
        rows = nearfar.apsp(g, lazy=True)
        assert rows.shape == wanted.shape
        assert rows.dtype == wanted.dtype
        assert len(rows.chunks[0]) > 2
        for scheduler in ("threads", "synchronous"):
            assert np.array_equal(rows.compute(scheduler=scheduler), wanted)
        there = nearfar.apsp(g, lazy=True, client=cluster)
        assert np.array_equal(there.compute(scheduler=cluster.client), wanted)


def test_a_lazy_slice_finds_its_block_only(graph, monkeypatch):
    from nearfar.scale import rows

    rows_found = []
    solve = rows.solve
    monkeypatch.setattr(rows, "solve", lambda query: rows_found.extend(query.sources.tolist()) or solve(query))
    found = nearfar.apsp(graph, lazy=True)
    size = found.chunks[0][0]
    assert np.array_equal(found[1:3].compute(scheduler="synchronous"), nearfar.mssp(graph, [1, 2]).dist)
    assert rows_found == list(range(size))


def test_lazy_tables_and_directions(graph, floats):
    for g in (graph, floats):
        names = [g.name(v) for v in range(g.n)]
        for direction in ("from", "to"):
            asked = {"direction": direction, "method": "dijkstra"}
            found = nearfar.mssp(g, names[:90], targets=names[80:99], lazy=True, **asked)
            assert np.array_equal(found.compute(), nearfar.mssp(g, names[:90], targets=names[80:99], **asked).dist)


def test_lazy_graphs_at_the_edges():
    assert nearfar.apsp(Graph.from_arcs([], []), lazy=True).compute().shape == (0, 0)
    assert nearfar.apsp(Graph.from_arcs([], [], n=1), lazy=True).compute().tolist() == [[0]]
    apart = nearfar.apsp(Graph.from_arcs([0], [1], [2.5]), lazy=True).compute()
    assert apart.tolist() == [[0, 2.5], [np.inf, 0]]


def test_lazy_mistakes(graph, tmp_path):
    for given, said in {
        "client": ({"client": "local:2"}, "Connect first"),
        "progress": ({"progress": True}, "ProgressBar"),
        "array": ({"out": np.empty((graph.n, graph.n), np.int32)}, "out="),
        "store": ({"out": tmp_path / "d.zarr"}, "a store is written at once"),
        "join": ({"join": True}, "is for stores"),
    }.values():
        with pytest.raises(OptionError, match=said):
            nearfar.apsp(graph, lazy=True, **given)
    for query in (nearfar.sssp, nearfar.nearest):
        with pytest.raises(InputTypeError, match="Only mssp, apsp, table, stream and functions of"):
            query(graph, 0 if query is nearfar.sssp else [0], client="local:2")
        with pytest.raises(InputTypeError, match="Only mssp, apsp and table take lazy"):
            query(graph, 0 if query is nearfar.sssp else [0], lazy=True)


def test_stored_graphs_are_not_written_again(graph, tmp_path):
    stored = nearfar.Graph.open(nearfar.write(graph, tmp_path / "g.nearfar") or tmp_path / "g.nearfar")
    found = nearfar.apsp(stored, lazy=True)
    shutil.rmtree(tmp_path / "g.nearfar")
    with pytest.raises(ClusterError, match="does not see"):
        found.compute(scheduler="synchronous")
