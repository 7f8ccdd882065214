"""Jobs that go on: what was done stays, what is asked must be the same, and one process writes unless they share."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import nearfar
from helpers.marks import child_environment
from nearfar import Graph, generate
from nearfar.errors import (
    FileError,
    InputTypeError,
    MemoryLimitError,
    MissingDependencyError,
    OptionError,
    StoreError,
    VertexError,
)
from nearfar.store.matrix import form, job, places

pytest.importorskip("zarr")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(form, "ROWS", 16)
    monkeypatch.setattr(form, "LEAST_BYTES", 0)
    monkeypatch.setattr(form, "PART_BYTES", 4096)


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "d.zarr")


@pytest.fixture(scope="module")
def graph():
    return generate.road_grid(18, 18, seed=1)


@pytest.fixture(scope="module")
def wanted(graph):
    return nearfar.apsp(graph).dist


def blocks(folder):
    """Return the files of the blocks, and when each was written."""
    return {path.name: path.stat().st_mtime_ns for path in Path(folder, "distance").glob("c.*")}


def test_only_what_is_missing_is_written(graph, wanted, folder):
    nearfar.apsp(graph, out=folder)
    before = blocks(folder)
    assert len(before) == 21
    for name in ("c.0.0", "c.7.0", "c.20.0"):
        Path(folder, "distance", name).unlink()
    opened = nearfar.open_matrix(folder)
    assert opened.status()["rows_done"] == 324 - 16 - 16 - 4 and opened.status()["finished"] is False
    assert np.array_equal(nearfar.apsp(graph, out=folder)[:], wanted)
    after = blocks(folder)
    assert {name for name in after if after[name] != before.get(name)} == {"c.0.0", "c.7.0", "c.20.0"}


def test_a_missing_block_is_named(graph, folder):
    matrix = nearfar.apsp(graph, out=folder)
    Path(folder, "distance", "c.3.0").unlink()
    with pytest.raises(StoreError, match=r"c\.3\.0 is not there yet: the job was stopped"):
        matrix[:]


def test_ctrl_c_leaves_a_store_that_goes_on(graph, wanted, folder):
    def stop(done, total):
        if done >= 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nearfar.apsp(graph, out=folder, progress=stop, threads=1, method="dijkstra")
    assert threading.active_count() < 20
    seen = []
    matrix = nearfar.apsp(graph, out=folder, progress=lambda *at: seen.append(at), threads=1, method="dijkstra")
    assert np.array_equal(matrix[:], wanted)
    assert seen[-1][0] == seen[-1][1] <= 324


@pytest.mark.parametrize("change, named", [
    ({"cutoff": 5}, "the cutoff (None there, 5 here)"),
    ({"dtype": "int64"}, "the type of the distances"),
])  # fmt: skip
def test_another_call_is_refused(graph, folder, change, named):
    nearfar.apsp(graph, out=folder)
    with pytest.raises(StoreError) as caught:
        nearfar.apsp(graph, out=folder, **change)
    assert named in str(caught.value) and "existing='restart'" in str(caught.value)


def test_other_sources_names_and_graphs_are_refused(graph, folder):
    nearfar.mssp(graph, [1, 2, 3], out=folder)
    with pytest.raises(StoreError, match="differs in: the sources"):
        nearfar.mssp(graph, [1, 3, 2], out=folder)
    with pytest.raises(StoreError, match="the direction"):
        nearfar.mssp(graph, [1, 2, 3], direction="to", out=folder)
    with pytest.raises(StoreError, match="the targets"):
        nearfar.table(graph, [1, 2, 3], [4], out=folder)
    with pytest.raises(StoreError, match="the graph"):
        nearfar.mssp(generate.road_grid(18, 18, seed=2), [1, 2, 3], out=folder)
    with pytest.raises(StoreError, match="the names"):
        named = Graph.from_arcs(graph.tails, graph.heads, graph.weights, graph.n, names=range(1, 325), keep_rows=False)
        nearfar.mssp(named, [2, 3, 4], out=folder)


def test_whole_numbers_go_on_with_any_method(graph, wanted, folder):
    nearfar.apsp(graph, method="dijkstra", out=folder)
    Path(folder, "distance", "c.3.0").unlink()
    assert np.array_equal(nearfar.apsp(graph, method="frontier", threads=1, out=folder)[:], wanted)


def test_floats_go_on_with_the_same_sums(graph, folder):
    floats = Graph.from_arcs(graph.tails, graph.heads, graph.weights / 7, graph.n, keep_rows=False)
    before = nearfar.apsp(floats, method="prepared", out=folder)[:]
    for name in ("c.3.0", "c.11.0"):
        Path(folder, "distance", name).unlink()
    assert np.array_equal(nearfar.apsp(floats, method="prepared", out=folder)[:], before)
    Path(folder, "distance", "c.3.0").unlink()
    with pytest.raises(StoreError, match="the method"):
        nearfar.apsp(floats, method="dijkstra", out=folder)
    other = nearfar.prepare(floats, order="dissection")
    with pytest.raises(StoreError, match="the prepared graph, whose sums"):
        nearfar.apsp(other, out=folder, method="prepared")


def test_another_version_is_refused(graph, folder, monkeypatch):
    nearfar.apsp(graph, out=folder)
    from nearfar.store.matrix import asked

    monkeypatch.setattr(asked, "__version__", "9.9")
    with pytest.raises(StoreError, match=r"differs in: nearfar.s version"):
        nearfar.apsp(graph, out=folder)


def test_restart_begins_anew(graph, wanted, folder):
    named = Graph.from_arcs(graph.tails, graph.heads, graph.weights, graph.n, names=[f"v{v}" for v in range(graph.n)])
    nearfar.mssp(named, ["v1", "v2"], out=folder)
    assert np.array_equal(nearfar.apsp(graph, out=folder, existing="restart")[:], wanted)
    assert sorted(os.listdir(folder)) == ["asked", "distance", "source", "target", "zarr.json"]


@pytest.mark.parametrize("existing", ["resume", "restart"])
def test_blocks_of_a_store_that_was_removed_in_part_are_not_kept(graph, folder, existing):
    """As `restart` leaves them when it is killed: they are distances of another graph, of the same form."""
    nearfar.apsp(graph, out=folder)
    Path(folder, "zarr.json").unlink()
    double = Graph.from_arcs(graph.tails, graph.heads, graph.weights * 2, graph.n)
    assert np.array_equal(nearfar.apsp(double, out=folder, existing=existing)[:], nearfar.apsp(double).dist)


def test_a_restart_that_is_refused_removes_nothing(graph, wanted, folder):
    nearfar.apsp(graph, out=folder)
    with pytest.raises(MemoryLimitError):
        nearfar.apsp(graph, out=folder, existing="restart", memory="1kB")
    assert np.array_equal(nearfar.open_matrix(folder)[:], wanted)


def test_restart_removes_only_what_nearfar_wrote(graph, wanted, folder):
    nearfar.apsp(graph, out=folder)
    Path(folder, "notes.txt").write_text("mine")
    Path(folder, "distance", "c").mkdir()
    assert np.array_equal(nearfar.apsp(graph, out=folder, existing="restart")[:], wanted)
    assert Path(folder, "notes.txt").read_text() == "mine"


def test_an_array_of_others_is_left_alone(graph, tmp_path):
    """It has the name of ours, in a folder that is no group."""
    array = tmp_path / "d.zarr" / "distance" / "zarr.json"
    array.parent.mkdir(parents=True)
    array.write_text("{}")
    with pytest.raises(StoreError, match="holds other files"):
        nearfar.apsp(graph, out=tmp_path / "d.zarr")
    assert array.read_text() == "{}"


def test_coordinates_that_are_missing_are_named(graph, wanted, folder):
    nearfar.apsp(graph, out=folder)
    Path(folder, "source", "zarr.json").unlink()
    for read in (nearfar.open_matrix, lambda out: nearfar.apsp(graph, out=out)):
        with pytest.raises(StoreError, match=r"damaged: there is no file .*source/zarr.json\. .*existing='restart'"):
            read(folder)
    assert np.array_equal(nearfar.apsp(graph, out=folder, existing="restart")[:], wanted)


@pytest.mark.parametrize("existing", ["resume", "restart", "repair"])
def test_other_peoples_files_are_left_alone(graph, tmp_path, existing):
    folder = tmp_path / "mine.zarr"
    folder.mkdir()
    (folder / "thesis.txt").write_text("do not lose")
    with pytest.raises(StoreError, match="holds other files"):
        nearfar.apsp(graph, out=folder, existing=existing)
    (folder / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    with pytest.raises(StoreError, match="is no matrix of nearfar"):
        nearfar.apsp(graph, out=folder, existing=existing)
    assert sorted(path.name for path in folder.iterdir()) == ["thesis.txt", "zarr.json"]
    (tmp_path / "file.zarr").write_text("a file")
    with pytest.raises(StoreError, match="holds other files, or is one"):
        nearfar.apsp(graph, out=tmp_path / "file.zarr", existing=existing)
    with pytest.raises(FileError, match="is no stored matrix"):
        nearfar.open_matrix(tmp_path / "file.zarr")


def test_repair_replaces_what_is_damaged(graph, wanted, folder):
    nearfar.apsp(graph, out=folder)
    before = blocks(folder)
    for name, at in (("c.2.0", 40), ("c.9.0", -3)):
        damage(Path(folder, "distance", name), at)
    Path(folder, "distance", "c.5.0").write_bytes(Path(folder, "distance", "c.6.0").read_bytes())
    with pytest.raises(StoreError, match=r"1 damaged block, c\.9\.0.*existing='repair'"):
        nearfar.apsp(graph, out=folder)
    with pytest.raises(StoreError, match=r"c\.5\.0 is damaged: a source in it is not at distance 0"):
        nearfar.open_matrix(folder).rows(stored_sources(folder, 5))
    assert np.array_equal(nearfar.apsp(graph, out=folder, existing="repair")[:], wanted)
    after = blocks(folder)
    assert {name for name in after if after[name] != before[name]} == {"c.2.0", "c.5.0", "c.9.0"}


def stored_sources(folder, block):
    """Return the sources of a block."""
    return nearfar.open_matrix(folder)._coordinates["source"][16 * block : 16 * block + 16].tolist()


def damage(path, at):
    """Flip a bit."""
    data = bytearray(path.read_bytes())
    data[at] ^= 4
    path.write_bytes(data)


def test_every_byte_flipped(tmp_path):
    """Of a small store, every byte of every file, one at a time: an error, or the right numbers."""
    graph = Graph.from_arcs([0, 1, 2, 1], [1, 2, 0, 3], [5, 7, 20, 1], names=["Ulm", "Bonn", "Kiel", "Oslo"])
    folder = tmp_path / "d.zarr"
    wanted = nearfar.apsp(graph, out=folder)[:]
    names = ["Ulm", "Bonn", "Kiel", "Oslo"]
    refused = 0
    for path in [path for path in folder.rglob("*") if path.is_file() and ".nearfar" not in path.parts]:
        whole = path.read_bytes()
        for at in range(len(whole)):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
            try:
                matrix = nearfar.open_matrix(folder)
                assert np.array_equal(matrix.rows(names), wanted) and matrix.sources == names == matrix.targets
                assert matrix["Ulm", "Oslo"] == 6
            except nearfar.NearfarError:
                refused += 1
        path.write_bytes(whole)
    assert refused > 3000
    assert np.array_equal(nearfar.open_matrix(folder)[:], wanted)


def test_truncated_files(graph, folder):
    nearfar.apsp(graph, out=folder)
    path = Path(folder, "distance", "c.4.0")
    whole = path.read_bytes()
    for size in (0, 1, 3, 20, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(StoreError, match="damaged"):
            nearfar.open_matrix(folder)[:]
        with pytest.raises(StoreError, match="damaged block"):
            nearfar.apsp(graph, out=folder)


def test_a_full_disk(graph, wanted, folder, monkeypatch):
    real, count = os.write, []

    def full(handle, data):
        count.append(1)
        if len(count) > 12:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, data)

    monkeypatch.setattr(places.os, "write", full)
    with pytest.raises(FileError, match=r"distance/c\.\d+\.0 cannot be written: No space left on device"):
        nearfar.apsp(graph, out=folder)
    monkeypatch.setattr(places.os, "write", real)
    assert not list(Path(folder).rglob("*.part"))
    assert 0 < len(blocks(folder)) < 21
    assert np.array_equal(nearfar.apsp(graph, out=folder)[:], wanted)


def test_a_folder_that_vanishes(graph, folder, monkeypatch):
    real = job.Job.encode

    def encode(self, group, watch=None):
        if 10 in group:
            shutil.rmtree(folder)
            Path(folder).write_text("in the way")
        return real(self, group, watch)

    monkeypatch.setattr(job.Job, "encode", encode)
    with pytest.raises(FileError, match="cannot be written"):
        nearfar.apsp(graph, out=folder)


PROGRAM = """
import os, signal, sys
import nearfar
from nearfar.store.matrix import form, places
form.ROWS, form.LEAST_BYTES, form.PART_BYTES = 16, 0, 4096
point, count = sys.argv[2], int(sys.argv[3])
seen = 0

def deadly(real):
    def call(*given, **more):
        global seen
        seen += 1
        if seen == count:
            if point == "write":
                real(given[0], bytes(given[1])[: len(given[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **more)
    return call

if point in ("mkdir", "open", "write", "fsync", "replace", "unlink"):
    setattr(os, point, deadly(getattr(os, point)))
graph = nearfar.generate.road_grid(18, 18, seed=1)
nearfar.apsp(graph, out=sys.argv[1], **eval(sys.argv[4]))
print("ended")
"""


def run_child(folder, point="", count=0, options="{}", **more):
    command = [sys.executable, "-c", PROGRAM, folder, point, str(count), options]
    return subprocess.run(command, env=child_environment(), capture_output=True, text=True, **more)


@pytest.mark.skipif(sys.platform == "win32", reason="a process is killed by a signal")
@pytest.mark.parametrize("point", ["open", "write", "fsync", "replace"])
def test_killed_at_any_point(graph, wanted, folder, point):
    """SIGKILL while a store is begun, while blocks are written, and while a job goes on: nothing is lost or wrong."""
    for count in (1, 4, 8, 15):
        done = run_child(folder, point, count)
        assert done.returncode == -9 or (done.returncode == 0 and count > 8), done.stderr
        names = blocks(folder)
        if (Path(folder) / "zarr.json").exists():
            stored = nearfar.open_matrix(folder)
            for name in names:
                some = stored_sources(folder, int(name.split(".")[1]))
                assert np.array_equal(stored.rows(some), wanted[some])
    assert run_child(folder).stdout == "ended\n"
    assert np.array_equal(nearfar.open_matrix(folder)[:], wanted)
    assert not list(Path(folder).rglob("*.part"))


@pytest.mark.skipif(sys.platform == "win32", reason="a process is killed by a signal")
@pytest.mark.parametrize("count", [1, 2, 12])
def test_killed_while_a_store_is_removed(graph, wanted, folder, count):
    """It is whole, or was never begun: no block of it appears in the next."""
    double = Graph.from_arcs(graph.tails, graph.heads, graph.weights * 2, graph.n)
    before = nearfar.apsp(double, out=folder)[:]
    assert run_child(folder, "unlink", count, "{'existing': 'restart'}").returncode == -9
    if count == 1:
        assert np.array_equal(nearfar.open_matrix(folder)[:], before)
        return
    assert not Path(folder, "zarr.json").exists() and blocks(folder)
    assert np.array_equal(nearfar.apsp(graph, out=folder)[:], wanted)


HOLDING = """
import sys, nearfar
from nearfar.store.matrix.locks import Writers
from nearfar.store.matrix.places import open_place
with Writers(open_place(sys.argv[1]), sys.argv[2] == "shared") as writers:
    writers.looked()
    claimed = writers.claim(0)
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(graph, folder, request):
    """Run a process that holds a store, which has no blocks yet, until the test lets it go."""
    nearfar.apsp(graph, out=folder)
    for name in blocks(folder):
        Path(folder, "distance", name).unlink()
    shared = "shared" if request.param else "alone"
    command = [sys.executable, "-c", HOLDING, folder, shared]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=child_environment(), **pipes) as held:
        assert held.stdout.readline() == "held\n"
        yield held
        held.kill()


@pytest.mark.parametrize("holder", [False, True], indirect=True)
def test_a_second_process_is_refused(graph, folder, holder):
    with pytest.raises(StoreError, match=r"is being written by another process.*join=True"):
        nearfar.apsp(graph, out=folder)


@pytest.mark.parametrize("holder", [False], indirect=True)
def test_one_that_does_not_share_refuses_those_who_do(graph, folder, holder, monkeypatch):
    from nearfar.store.matrix import locks

    monkeypatch.setattr(locks, "PATIENCE", 0.1)
    with pytest.raises(StoreError, match="which does not share it"):
        nearfar.apsp(graph, out=folder, join=True)


@pytest.mark.parametrize("holder", [True], indirect=True)
def test_a_store_that_others_write_is_not_begun_anew(graph, folder, holder):
    """Their blocks would appear in it."""
    for existing in ("restart", "resume"):
        with pytest.raises(StoreError, match=r"is being written by other processes, so it cannot be begun anew"):
            nearfar.apsp(graph, out=folder, existing=existing, join=True)
        Path(folder, "zarr.json").unlink(missing_ok=True)  # as if it had been removed meanwhile


def test_those_who_look_at_a_store_are_waited_for(folder, monkeypatch):
    """However long it takes to begin: they share."""
    from nearfar.store.matrix import locks

    answers = {0: [False, False, True], locks.OWN: [True, True]}
    monkeypatch.setattr(locks, "PATIENCE", -1)
    monkeypatch.setattr(locks, "_lock", lambda file, start, length: answers.get(start, [True]).pop(0))
    monkeypatch.setattr(locks, "_unlock", lambda file, start, length: answers.setdefault(start, [True]))
    with locks.Writers(places.open_place(folder), shared=True) as writers:
        assert writers.alone and not answers[0]


def test_a_file_system_without_locks(graph, folder, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuse(*given):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "lockf", refuse)
    with pytest.raises(FileError, match="cannot be locked: No locks available"):
        nearfar.apsp(graph, out=folder)


def test_writes_aside_never_meet(tmp_path):
    """Processes of two machines or containers may have one number, and one that died leaves its files."""
    first, second = (places.Folder(tmp_path / "d.zarr") for _ in range(2))
    assert first._mark != second._mark


@pytest.mark.parametrize("holder", [True], indirect=True)
def test_a_block_of_a_process_that_died_is_taken_over(graph, wanted, folder, holder):
    """It claims block 0 and never writes it: the other waits, and takes it when the process is dead."""

    def kill(done, total):
        if done == total - 16:
            holder.kill()

    matrix = nearfar.apsp(graph, out=folder, join=True, progress=kill)
    assert np.array_equal(matrix[:], wanted)


def test_two_calls_of_one_process(graph, folder):
    failures = []

    def meanwhile(done, total):
        if not failures:
            try:
                nearfar.apsp(graph, out=folder, join=True)
            except StoreError as error:
                failures.append(str(error))

    nearfar.apsp(graph, out=folder, join=True, progress=meanwhile)
    assert "another call of this process" in failures[0]


@pytest.mark.skipif(sys.platform == "win32", reason="as above")
def test_processes_share_the_work(graph, wanted, folder):
    command = [sys.executable, "-c", PROGRAM, folder, "", "0", "{'join': True, 'method': 'dijkstra', 'threads': 1}"]
    running = [subprocess.Popen(command, env=child_environment(), stderr=subprocess.PIPE) for _ in range(3)]
    for child in running:
        assert child.wait() == 0, child.stderr.read()
        child.stderr.close()
    assert np.array_equal(nearfar.open_matrix(folder)[:], wanted)


def test_wrong_inputs(graph, tmp_path):
    with pytest.raises(OptionError, match=r"the name of a store ends in \.zarr"):
        nearfar.apsp(graph, out=tmp_path / "d.npy")
    with pytest.raises(OptionError, match="existing is 'again'; give one of 'resume', 'restart', 'repair'"):
        nearfar.apsp(graph, out=tmp_path / "d.zarr", existing="again")
    with pytest.raises(OptionError, match=r"is for stores; name one: out='d\.zarr'"):
        nearfar.apsp(graph, existing="restart")
    with pytest.raises(OptionError, match="join= is for stores"):
        nearfar.mssp(graph, [1], join=True)
    with pytest.raises(InputTypeError, match="out is a list"):
        nearfar.apsp(graph, out=[])
    with pytest.raises(InputTypeError, match="out is a str"):
        nearfar.sssp(graph, 1, out="d.zarr")
    assert not list(tmp_path.iterdir())


def test_without_zarr(graph, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "numcodecs", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'nearfar\[store\]'"):
        nearfar.apsp(graph, out=tmp_path / "d.zarr")
    assert not list(tmp_path.iterdir())


def test_objects_of_fsspec(graph, wanted):
    fsspec = pytest.importorskip("fsspec")
    matrix = nearfar.apsp(graph, out="memory://job/d.zarr")
    assert np.array_equal(matrix[:], wanted)
    system = fsspec.filesystem("memory")
    system.rm("/job/d.zarr/distance/c.3.0")
    assert np.array_equal(nearfar.apsp(graph, out="memory://job/d.zarr")[:], wanted)
    mapper = fsspec.get_mapper("memory://job/d.zarr")
    assert nearfar.open_matrix(mapper)[3, 5] == wanted[3, 5]
    assert nearfar.apsp(graph, out="memory://job/d.zarr", existing="restart").status()["finished"] is True
    system.rm("/job", recursive=True)


def test_stores_of_obstore(graph, wanted):
    obstore = pytest.importorskip("obstore.store")
    bucket = obstore.MemoryStore()
    matrix = nearfar.apsp(graph, out=bucket)
    assert np.array_equal(matrix[:], wanted)
    bucket.delete("distance/c.3.0")
    assert matrix.status()["finished"] is False
    assert np.array_equal(nearfar.apsp(graph, out=bucket)[:], wanted)
    data = bytes(bucket.get("distance/c.4.0").bytes())
    bucket.put("distance/c.4.0", data[:-5])
    with pytest.raises(StoreError, match=r"c\.4\.0.*existing='repair'"):
        nearfar.apsp(graph, out=bucket)
    assert np.array_equal(nearfar.apsp(graph, out=bucket, existing="repair")[:], wanted)
    nearfar.mssp(graph, [1], out=bucket, existing="restart")
    assert nearfar.open_matrix(bucket).shape == (1, graph.n)


def test_a_disk_that_is_too_small(graph, folder, monkeypatch):
    """It is refused when a sample of the blocks says so, not when it is full."""
    monkeypatch.setattr(places.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**6, 10**6, 2000))
    with pytest.raises(FileError, match=r"should take .* more on the disk, by a sample of its blocks, but 2"):
        nearfar.apsp(graph, out=folder)


def test_addresses_of_this_machine_are_folders(graph, wanted, tmp_path):
    """So that they are locked and synced, and what others wrote is left alone."""
    fsspec = pytest.importorskip("fsspec")
    url = (tmp_path / "d.zarr").as_uri()
    assert np.array_equal(nearfar.apsp(graph, out=url)[:], wanted)
    for where in (url, fsspec.get_mapper(url)):
        assert isinstance(places.open_place(where), places.Folder)


def test_no_rows(folder):
    """Of a graph without vertices: everything but a name is answered."""
    empty = Graph.from_arcs([], [], [], 0)
    assert nearfar.plan(empty, out=folder).stored_bytes == 0
    matrix = nearfar.apsp(empty, out=folder)
    assert matrix.shape == (0, 0) and matrix.verify(empty) and matrix.status()["finished"]
    with pytest.raises(VertexError, match="0 is no source of this matrix, which has no sources"):
        matrix[0]


def test_names_that_are_no_text(folder):
    broken = Graph.from_arcs(["a", "\ud800"], ["\ud800", "a"], [1, 2], names=True)
    with pytest.raises(OptionError, match="cannot be stored: its name"):
        nearfar.apsp(broken, out=folder)


def test_what_differs_is_not_said_twice(graph, folder):
    nearfar.table(graph, [1, 2], [3, 4], out=folder)
    with pytest.raises(StoreError, match=r"differs in: the targets\. "):
        nearfar.table(graph, [1, 2], [3, 5], out=folder)


def test_a_relative_path_stays_where_it_was(graph, wanted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matrix = nearfar.apsp(graph, out="d.zarr")
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    assert np.array_equal(matrix[:], wanted) and matrix.status()["store"] == "d.zarr"


def test_plans_of_stores(graph, folder):
    plan = nearfar.plan(graph, out=folder)
    matrix = nearfar.apsp(graph, out=folder)
    assert plan.stored_bytes == matrix.status()["bytes"] and plan.method == matrix.status()["method"]
    assert "stored bytes" in str(plan)
    assert nearfar.plan(graph, [1, 2], targets=[3], out=folder).rows == 2
