"""A cluster on which things go wrong: the answer is the same, or an error says what is wrong; nothing hangs.

Faults come when something has happened (rows were found, a task has begun), never after a time.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import nearfar
from helpers.marks import HANG, child_environment, needs_jit
from nearfar import errors, generate, metrics
from nearfar.scale import cluster as room
from nearfar.scale import sizing
from nearfar.scale.driver import Patience, Task, run_tasks
from nearfar.store.matrix import form

distributed = pytest.importorskip("distributed")
import dask  # noqa: E402 - after what may be missing

pytestmark = needs_jit

HASTY = Patience(first=2.0, least=0.5, silent=1.0, empty=HANG)
BLOCK = 20


@pytest.fixture(scope="module")
def graph():
    return generate.road_grid(50, 50, seed=1)


@pytest.fixture(scope="module")
def truth(graph):
    return nearfar.apsp(graph).dist


@pytest.fixture
def cluster():
    """Three processes of which a nanny each starts another one when it dies."""
    with nearfar.connect("local:3") as made:
        yield made


def processes(cluster):
    """Return the numbers of the processes that work now."""
    return [nanny.pid for nanny in cluster.client.cluster.workers.values() if nanny.pid]


def streamed(graph, cluster, fault):
    """Return all rows, found in many tasks, with a fault after each block."""
    rows = np.empty((graph.n, graph.n), np.int32)
    first = 0
    for found in nearfar.stream(graph, block=BLOCK, client=cluster):
        rows[first : first + len(found.dist)] = found.dist
        first += len(found.dist)
        fault(first)
    assert first == graph.n
    return rows


def test_workers_that_are_killed_at_random(graph, truth, cluster):
    """After some blocks, a worker is killed, whatever it does then."""
    chance, killed = random.Random(7), []
    moments = set(chance.sample(range(BLOCK, graph.n, BLOCK), 6))

    def kill(done):
        if done in moments and (alive := processes(cluster)):
            killed.append(chance.choice(alive))
            with suppress(ProcessLookupError):
                os.kill(killed[-1], signal.SIGKILL)

    assert np.array_equal(streamed(graph, cluster, kill), truth)
    assert killed


def test_all_workers_are_killed_at_once(graph, truth, cluster):
    done = []

    def kill(rows):
        if not done:
            done.extend(processes(cluster))
            for pid in done:
                os.kill(pid, signal.SIGKILL)

    assert np.array_equal(streamed(graph, cluster, kill), truth)
    assert len(done) == 3


def test_workers_that_die_while_they_start(graph, truth):
    """Dask gives such a worker up; another one is started in its place."""
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "10ms"}), nearfar.connect("local:2") as cluster:
        local = cluster.client.cluster
        first = set(local.workers.values())
        for pid in processes(cluster):
            os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + HANG
        while first & set(local.workers.values()):  # until Dask has given up both
            assert time.monotonic() < end
            time.sleep(0.01)
        assert np.array_equal(streamed(graph, cluster, lambda rows: None), truth)


def test_workers_that_hang(graph, truth, cluster):
    """Two of three workers stop, and never go on: what they were given is done by the third one."""
    cluster.patience, stopped = HASTY, []

    def stop(rows):
        if len(stopped) < 2 and rows >= 10 * BLOCK * (1 + len(stopped)):
            stopped.append(next(pid for pid in processes(cluster) if pid not in stopped))
            os.kill(stopped[-1], signal.SIGSTOP)

    try:
        assert np.array_equal(streamed(graph, cluster, stop), truth)
        assert len(stopped) == 2
        assert metrics.closeness(graph, client=cluster).values.shape == (graph.n,)  # and so is the next call
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGKILL)


def test_a_worker_that_hangs_and_goes_on(graph, truth, cluster):
    """Answers that come twice count once."""
    cluster.patience, stopped = HASTY, []

    def pause(rows):
        if not stopped and rows >= 10 * BLOCK:
            stopped.append(processes(cluster)[0])
            os.kill(stopped[0], signal.SIGSTOP)
        elif stopped and rows >= graph.n - 20 * BLOCK:
            os.kill(stopped[0], signal.SIGCONT)

    assert np.array_equal(streamed(graph, cluster, pause), truth)


def test_all_workers_are_restarted(graph, truth, cluster):
    """Somebody presses the button: Dask forgets all tasks, and ends all workers in good order."""
    pressed = []

    def restart(rows):
        if not pressed:
            pressed.append(rows)
            cluster.client.restart(timeout=HANG)

    assert np.array_equal(streamed(graph, cluster, restart), truth)


def die_some_times(folder, times):
    """Kill this worker, unless that was done so many times."""
    for i in range(times):
        with suppress(FileExistsError):
            (Path(folder) / str(i)).touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)
    return times


def test_more_deaths_than_dask_allows(cluster, tmp_path):
    """Dask gives up a task after the fourth worker that died on it; the driver does not."""
    assert list(run_tasks(cluster, [Task("dies", die_some_times, (str(tmp_path), 6))])) == [6]


def test_a_task_that_ends_every_worker(cluster, tmp_path):
    task = Task("dies", die_some_times, (str(tmp_path), 10**6))
    with pytest.raises(errors.ClusterError, match=r"lost 2 times, at last because KilledWorker.*memory="):
        list(run_tasks(cluster, [task], patience=Patience(losses=1)))


def fill(some):
    """Take all memory."""
    held = []
    while True:
        held.append(np.ones(1 << 22))


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of workers is measured on Linux only")
def test_a_worker_that_fills_its_memory():
    """Its nanny kills it; in the end the error says so, and small tasks are done all the same."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="700MB", dashboard_address=":0", silence_logs=50
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
        nearfar.connect(client) as cluster,
    ):
        with pytest.raises(errors.ClusterError, match="more memory than a worker has"):
            list(run_tasks(cluster, [Task("fills", fill, (0,))], patience=Patience(losses=0)))
        small = generate.road_grid(20, 20, seed=1)
        assert np.array_equal(nearfar.apsp(small, client=cluster).dist, nearfar.apsp(small).dist)


def test_a_worker_without_room(graph):
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, memory_limit="200MB", dashboard_address=":0", silence_logs=50
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
        pytest.raises(errors.MemoryLimitError, match="Start workers with more memory"),
    ):
        nearfar.apsp(graph, client=client)


LACKING = ("workers without nearfar", "all without nearfar")
WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name == "nearfar":
            raise ModuleNotFoundError("No module named 'nearfar'", name=name)

sys.meta_path.insert(0, Absent())
"""


@pytest.fixture
def remote(request, tmp_path):
    """A scheduler and two workers, each a process of its own; the address and the scheduler.

    As a parameter: one of `LACKING`, or what the workers say is their version of nearfar.
    """
    settings, found = {}, getattr(request, "param", None)
    if found is not None:
        later = f"import nearfar; nearfar.__version__ = {found!r}"
        (tmp_path / "sitecustomize.py").write_text(WITHOUT if found in LACKING else later)
        settings = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    made, file = [], tmp_path / "scheduler.json"

    def start(*command):
        log = open(tmp_path / f"{len(made)}.log", "w")  # noqa: SIM115 - closed with the test's process
        has_another = "worker" in command[0] or found == LACKING[1]
        environment = child_environment(**settings if has_another else {})
        made.append(subprocess.Popen([sys.executable, "-m", *command], env=environment, stdout=log, stderr=log))
        log.close()
        return made[-1]

    scheduler = start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
                      "--dashboard-address", ":0", "--scheduler-file", str(file))  # fmt: skip
    for _ in range(2):
        start("distributed.cli.dask_worker", "--scheduler-file", str(file), "--nthreads", "1", "--dashboard-address",
              ":0", "--local-directory", str(tmp_path))  # fmt: skip
    try:
        end = time.monotonic() + HANG
        while not file.exists() or not file.read_text().endswith("}"):
            assert scheduler.poll() is None and time.monotonic() < end, (tmp_path / "0.log").read_text()
            time.sleep(0.01)
        yield json.loads(file.read_text())["address"], scheduler
    finally:
        for process in made:
            process.kill()
            process.wait()


@pytest.mark.parametrize(
    ("remote", "message"),
    [
        (LACKING[0], r"cannot load nearfar .* \(No module named 'nearfar'\). Install the same one"),
        (LACKING[1], r"cannot load nearfar|the scheduler cannot read tasks: .* Install the same ones"),
        ("0.0.7", r"has nearfar 0.0.7, the caller"),
    ],
    indirect=["remote"],
)
def test_workers_with_another_nearfar_or_none(graph, remote, message):
    """An error before anything runs: a worker that cannot read its task would be started again for ever."""
    with nearfar.connect(remote[0]) as cluster:
        for _ in range(2):
            with pytest.raises(errors.ClusterError, match=message):
                nearfar.mssp(graph, range(20), client=cluster)


def test_the_scheduler_is_killed(graph, truth, remote, monkeypatch):
    """A clear error, and no hang: at once where somebody waits, and for every later call."""
    address, scheduler = remote
    monkeypatch.setattr(room, "ANSWER", 2.0)

    def kill(rows):
        scheduler.kill()

    with nearfar.connect(address) as cluster:
        cluster.patience = HASTY
        assert np.array_equal(nearfar.mssp(graph, range(20), client=cluster).dist, truth[:20])
        for _ in range(2):
            with pytest.raises(errors.ClusterError, match=r"is lost: its scheduler does not answer"):
                streamed(graph, cluster, kill)
    with pytest.raises(errors.ClusterError, match="there is no scheduler of Dask at"):
        nearfar.connect(address)


def test_a_store_goes_on_after_the_scheduler_was_killed(graph, truth, remote, tmp_path, monkeypatch):
    """What was written is kept, and the next call writes the rest."""
    pytest.importorskip("zarr")
    address, scheduler = remote
    monkeypatch.setattr(room, "ANSWER", 2.0)
    monkeypatch.setattr(form, "ROWS", 16)
    monkeypatch.setattr(form, "LEAST_BYTES", 0)
    monkeypatch.setattr(sizing, "LEAST", 0.0)
    folder = tmp_path / "d.zarr"

    def kill(done, total):
        if done:
            scheduler.kill()

    with nearfar.connect(address) as cluster:
        cluster.patience = HASTY
        with pytest.raises(errors.ClusterError, match="a store goes on where it was"):
            nearfar.apsp(graph, out=folder, client=cluster, progress=kill)
    kept = {path: path.stat().st_mtime_ns for path in (folder / "distance").glob("c.*")}
    assert kept
    assert np.array_equal(nearfar.apsp(graph, out=folder)[:], truth)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


UNGUARDED = """
import nearfar
with nearfar.connect("local:1"):
    pass
"""


def test_a_program_without_a_guard(tmp_path):
    """Each process imports the program: the error says what is missing."""
    script = tmp_path / "unguarded.py"
    script.write_text(UNGUARDED)
    done = subprocess.run(
        [sys.executable, str(script)], env=child_environment(), capture_output=True, text=True, timeout=HANG
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("nearfar.errors.ClusterError: processes could not be started")
    assert "if __name__ == '__main__':" in done.stderr.splitlines()[-1]


CALLER = """
import os, signal, sys
import nearfar
from nearfar import generate

def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has its background jobs ignore Ctrl-C
    graph = generate.road_grid(50, 50, seed=1)
    with nearfar.connect("local:2", spool=sys.argv[1]) as cluster:
        pids = [nanny.pid for nanny in cluster.client.cluster.workers.values()]
        rows = nearfar.stream(graph, block=20, client=cluster)
        next(rows)
        try:
            print(*pids, flush=True)
            for block in nearfar.stream(graph, block=20, client=cluster):
                pass
            while True:  # until somebody ends it
                nearfar.apsp(graph, client=cluster)
        except KeyboardInterrupt:
            print("interrupted", flush=True)

if __name__ == "__main__":
    main()
"""


@pytest.fixture
def caller(tmp_path):
    """A script that uses a cluster until it is ended; the process, the numbers of its workers, its folder."""
    script, folder = tmp_path / "caller.py", tmp_path / "spool"
    script.write_text(CALLER)
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, str(script), str(folder)],
        env=child_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process, [int(pid) for pid in process.stdout.readline().split()], folder
        finally:
            process.kill()


def wait_for_ends(pids):
    """Wait until some processes are gone."""
    end = time.monotonic() + HANG
    for pid in pids:
        while Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
            assert time.monotonic() < end
            time.sleep(0.01)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
@pytest.mark.parametrize("to", ["the caller", "its terminal"])
def test_ctrl_c(caller, to):
    """Of a terminal, the workers hear it, too."""
    process, pids, folder = caller
    assert len(pids) == 2
    (os.kill if to == "the caller" else os.killpg)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=HANG)
    assert (out, err, process.returncode) == ("interrupted\n", "", 0)
    wait_for_ends(pids)
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
def test_a_caller_that_is_killed(caller, graph, tmp_path):
    """Its workers end by themselves; its files are removed by the next caller who writes some there."""
    process, pids, folder = caller
    process.kill()
    process.wait()
    wait_for_ends(pids)
    assert len(list(folder.iterdir())) == 1
    with nearfar.connect("local:1", spool=folder) as cluster:
        nearfar.mssp(graph, [0], client=cluster)
        assert [os.fspath(made) for made in folder.iterdir()] == [cluster.spool.path]
    assert list(folder.iterdir()) == []
