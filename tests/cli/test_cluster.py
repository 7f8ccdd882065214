"""--scheduler and --workers: what they stand for, and what is refused before a file is read."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

import nearfar
from nearfar.cli.command import Command
from nearfar.cli.options import on_cluster
from nearfar.scale import cluster


@click.command(cls=Command)
@on_cluster
def shown(client):
    click.echo(f"client {client}")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("", "None"), ("--scheduler tcp://10.0.0.1:8786", "tcp://10.0.0.1:8786"), ("--workers 4", "local:4")],
)
def test_what_is_meant(typed, meant):
    assert CliRunner().invoke(shown, typed.split()).output == f"client {meant}\n"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--scheduler 10.0.0.1", "'10.0.0.1' is no address; write it like tcp://"),
        ("--workers 0", "'0' is not a number of workers"),
        ("--workers 2 --scheduler tcp://10.0.0.1:8786", "--scheduler names a cluster, --workers starts one here"),
    ],
)
def test_mistakes(typed, said):
    found = CliRunner().invoke(shown, typed.split())
    assert found.exit_code == 2
    assert said in found.output


@pytest.fixture(scope="module")
def address():
    """One process, which all commands use."""
    pytest.importorskip("distributed")
    with nearfar.connect("local:1") as made:
        yield made.client.scheduler.address


@pytest.mark.parametrize(
    ("asked", "ending"),
    [
        *(("apsp FILE", ending) for ending in ("csv", "npy", "parquet")),
        *(("mssp FILE --sources 1,5,2", ending) for ending in ("csv.gz", "npy")),
        ("mssp FILE --sources 1,5 --to 4,2", "csv"),
    ],
)
def test_files_are_the_same(run, roads, address, asked, ending, tmp_path):
    words = asked.replace("FILE", roads).split()
    here = run(*words, "-o", f"here.{ending}").ok()
    there = run(*words, "-o", f"there.{ending}", "--scheduler", address).ok()
    assert (tmp_path / f"here.{ending}").read_bytes() == (tmp_path / f"there.{ending}").read_bytes()
    assert "reached" in here.out
    assert "reached" in there.out


def test_stores_are_the_same(run, roads, address):
    pytest.importorskip("zarr")
    run("apsp", roads, "-o", "here.zarr").ok()
    run("apsp", roads, "-o", "there.zarr", "--scheduler", address).ok()
    run("apsp", roads, "-o", "there.zarr", "--resume", "--scheduler", address).ok()
    here, there = (nearfar.open_matrix(name) for name in ("here.zarr", "there.zarr"))
    assert (here[:] == there[:]).all()
    assert there.status()["finished"]


def test_the_screen(run, roads, address):
    here, there = (
        run("mssp", roads, "--sources", 1, "--to", "2,5", "-q", *more).ok().out
        for more in ((), ("--scheduler", address))
    )
    assert here == there == "5\nunreached\n"
    run("sssp", roads, "--source", 1, "--scheduler", address).error("No such option", "--scheduler")


def test_no_scheduler(run, roads, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "ANSWER", 1.0)  # seconds of patience
    run("apsp", roads, "--scheduler", "tcp://127.0.0.1:1").error("there is no scheduler of Dask at tcp://127.0.0.1:1")
