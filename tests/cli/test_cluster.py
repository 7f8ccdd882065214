"""--scheduler and --workers: what they stand for, and what is refused before a file is read."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from nearfar.cli.command import Command
from nearfar.cli.options import on_cluster


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
