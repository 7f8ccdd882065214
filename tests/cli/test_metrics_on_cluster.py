"""metrics, access and flows with --scheduler and --workers: the files are the same as without."""

from __future__ import annotations

import socket

import pytest

import nearfar
from nearfar import generate

pytest.importorskip("distributed")

JOBS = "vertex,jobs,shops\n" + "".join(f"{v},{v % 7},{v % 3}\n" for v in range(1, 65))
TRIPS = "origin,destination,trips\n" + "".join(f"{v},{65 - v},{v}\n" for v in range(1, 65))
COMMANDS = {
    "metrics": ("metrics", "roads.gr", "--closeness", "--betweenness", "--reach", "500,2000", "--diameter"),
    "access": ("access", "roads.gr", "--opportunities", "jobs.csv", "--cutoffs", "900,1500"),
    "decay": ("access", "roads.gr", "--opportunities", "jobs.csv", "--decay", "linear", "--scale", "900"),
    "flows": ("flows", "roads.gr", "--demand", "trips.csv"),
}


@pytest.fixture(scope="module")
def address():
    with nearfar.connect("local:2") as cluster:
        yield cluster.client.scheduler.address


@pytest.fixture
def files(tmp_path):
    """Write a graph, opportunities and demand."""
    nearfar.write(generate.road_grid(8, 8, seed=1), tmp_path / "roads.gr")
    (tmp_path / "jobs.csv").write_text(JOBS)
    (tmp_path / "trips.csv").write_text(TRIPS)


@pytest.mark.parametrize("name", COMMANDS)
def test_files(run, files, tmp_path, address, name):
    run(*COMMANDS[name], "-o", "here.csv").ok()
    run(*COMMANDS[name], "-o", "there.csv", "--scheduler", address).ok()
    assert (tmp_path / "there.csv").read_text() == (tmp_path / "here.csv").read_text()


def test_the_screen_and_json(run, files, address):
    page = run(*COMMANDS["metrics"], "--scheduler", address).ok().out
    assert "closeness" in page and "diameter" in page
    here, there = (run(*COMMANDS["flows"], "--json", *more).ok().json for more in ((), ("--scheduler", address)))
    assert {name for name in here if here[name] != there[name]} <= {"seconds"}


def test_processes_of_its_own(child, files):
    """With --workers, in a process as a shell starts it: it ends, and so do its workers."""
    assert child(*COMMANDS["access"], "-o", "-", "--workers", 2).ok().out == child(*COMMANDS["access"], "-o", "-").out


def test_nobody_answers(run, files, monkeypatch):
    monkeypatch.setattr("nearfar.scale.cluster.ANSWER", 0.3)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    run(*COMMANDS["metrics"], "--scheduler", address).error(f"no scheduler of Dask at {address}")
