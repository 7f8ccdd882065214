"""Help: quick, 80 columns wide, with an example for each command; completion as click gives it."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest

from helpers.marks import child_environment
from nearfar.cli.commands.generate import KINDS
from nearfar.cli.group import COMMANDS, nearfar
from nearfar.devices import DEVICES
from nearfar.formats import FORMATS
from nearfar.methods import ALIASES, METHODS

HEAVY = {"numpy", "numba", "scipy", "rich", "pandas", "pyarrow"}
PAGES = [[], *([name] for name in COMMANDS), *(["generate", kind] for kind in KINDS)]


@pytest.mark.parametrize("words", PAGES, ids=lambda words: "-".join(words) or "nearfar")
def test_page(run, words):
    page = run(*words, "--help").ok().out
    lines = page.splitlines()
    assert all(len(line) <= 80 for line in lines), max(lines, key=len)
    assert page.startswith("Usage: nearfar")
    heading = max(i for i, line in enumerate(lines) if line in ("Example:", "Examples:"))
    assert lines[heading + 1 :]
    for example in lines[heading + 1 :]:
        assert " ".join(["nearfar", *words]) in example


def test_commands_are_listed_and_load(run):
    page = run().ok().out
    assert page == run("--help").ok().out
    for name, (module, summary) in COMMANDS.items():
        assert f"  {name} " in page and summary in page
        command = nearfar.get_command(click.Context(nearfar), name)
        assert command is not None and command.name == name == module
    assert run("generate").ok().out == run("generate", "--help").ok().out


def test_help_lists_what_the_tables_hold(run):
    page = " ".join(run("sssp", "--help").ok().out.split())
    for name in (*METHODS, *ALIASES, *DEVICES, *(name for name, record in FORMATS.items() if record.read)):
        assert name in page
    page = " ".join(run("convert", "--help").ok().out.split())
    assert all(name in page for name, record in FORMATS.items() if record.write)


def test_version(run):
    from nearfar import __version__

    assert run("--version").ok().out == f"nearfar {__version__}\n"


def test_help_loads_nothing_heavy():
    code = """
import sys, json, contextlib, io
from nearfar.cli import run
with contextlib.redirect_stdout(io.StringIO()):
    codes = [run(["--help"]), run(["--version"]), run([])]
print(json.dumps([codes, sorted({name.partition(".")[0] for name in sys.modules})]))
"""
    done = subprocess.run([sys.executable, "-c", code], env=child_environment(), capture_output=True, check=True)
    codes, loaded = json.loads(done.stdout)
    assert codes == [0, 0, 0]
    assert not HEAVY & set(loaded)


def test_unknown_commands(run):
    run("sspp", "x.gr").error("'sspp'", "Did you mean 'sssp'?", "Try 'nearfar --help'")
    run("frobnicate").error("There are info, convert")
    run("--frobnicate").error("--frobnicate")
    run("generate", "tree").error("'tree'", "road_grid")


def complete(words):
    """Ask for completions as the shell does."""
    from click.shell_completion import ShellComplete

    *before, last = words
    found = ShellComplete(nearfar, {}, "nearfar", "_NEARFAR_COMPLETE").get_completions(before, last)
    return [item.value for item in found]


def test_completion(child):
    assert complete(["ss"]) == ["sssp"]
    assert complete([""]) == list(COMMANDS)
    assert complete(["sssp", "--method", "d"]) == [name for name in [*METHODS, *ALIASES] if name[0] == "d"]
    assert complete(["sssp", "--device", "c"]) == ["cpu", "cuda"]
    assert complete(["sssp", "--device", "cuda:0,cu"]) == ["cuda:0,cuda"]
    assert complete(["info", "--format", "dim"]) == [name for name in FORMATS if name.startswith("dim")]
    assert complete(["info", "--format", "edg"]) == ["edges"]
    assert complete(["info", "--profile", ""]) == ["car", "bike", "foot"]
    assert complete(["info", "--profile", "f"]) == ["foot"]
    assert complete(["generate", "r"]) == ["road_grid", "rmat"]
    assert "--cutoff" in complete(["apsp", "--c"])
    assert "_nearfar_completion" in child(_NEARFAR_COMPLETE="bash_source").out
