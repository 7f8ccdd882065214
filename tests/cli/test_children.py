"""The real command in child processes: what a shell sees, Ctrl-C, a closed pipe, a terminal, real files."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from helpers.data import TRUTH, real
from helpers.marks import HANG, child_environment
from nearfar import generate, write

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals, pipes and terminals of POSIX")


def start(args, folder, **streams):
    return start_process([sys.executable, "-m", "nearfar", *map(str, args)], folder, **streams)


def start_process(command, folder, **streams):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.Popen(command, cwd=folder, env=child_environment(), **pipes)


def finish(process):
    """Wait for a process to end; return what it printed."""
    try:
        return process.communicate(timeout=HANG)
    finally:
        process.kill()
        process.communicate()


def test_exit_codes(child, roads, tmp_path):
    assert child("sssp", roads, "--source", 1, "--to", 4, "--quiet").ok().out == "6\n"
    assert child("sssp", roads, "--source", 1, "-o", "a.npz", "-q").ok().out == ""
    assert child("verify", roads, "a.npz").ok().out.startswith("exact: 1 row of 5 distances")
    (tmp_path / "b.csv").write_text("source,target,distance\n1,1,0\n1,2,4\n", encoding="utf8")
    wrong = child("verify", roads, "b.csv")
    assert wrong.code == 1 and wrong.err == "" and wrong.out.startswith("NOT exact")
    child("sssp", "missing.gr", "--source", 1).error("missing.gr does not exist")
    child("sspp").error("Did you mean 'sssp'?")


def test_screen(child, roads):
    text = child("sssp", roads, "--source", 1, COLUMNS=None).ok().out
    assert "\x1b" not in text and all(len(line) <= 80 for line in text.splitlines())
    assert "1 unreached" in text
    plain = child("path", roads, 1, 4, PYTHONIOENCODING="ascii").ok().out
    assert "1 -> 3 -> 2 -> 4" in plain


# The real command, with a hand on its threads: what is asked of them first does what HOOK says.
HELD = """
import runpy, sys
from helpers.pressing import Keyboard, at_work
keyboard = Keyboard()
{hook}
sys.argv = {argv!r}
runpy.run_module("nearfar", run_name="__main__", alter_sys=True)
"""


def start_held(hook, args, folder, **streams):
    """Start a command whose threads do something before their work."""
    argv = ["nearfar", *map(str, args)]
    command = [sys.executable, "-c", HELD.format(hook=hook, argv=argv)]
    return start_process(command, folder, **streams)


PRESS_AT_THE_FIRST_ROW = """
from nearfar.engine import run
compile_first = run._compile
def compile_then_press(*arguments):
    seconds = compile_first(*arguments)
    keyboard.before_work = at_work()
    return seconds
run._compile = compile_then_press
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Write a graph that is not solved on the thread of the caller."""
    path = tmp_path_factory.mktemp("large") / "large.gr"
    write(generate.road_grid(100, 100), path)
    return path


@posix
@pytest.mark.parametrize(
    "query",
    [["apsp", "-o", "all.npy"], ["mssp", "--sources", ",".join(map(str, range(1, 401))), "-o", "some.csv"]],
    ids=["npy", "csv"],
)
def test_interrupt(large, tmp_path, query):
    """In the middle of the work: one line, and no file, not even a part of one.

    A .npy file is filled while rows are solved, a table is written when all are. The thread that is to solve the first
    row presses Ctrl-C, and goes on when it is told to stop.
    """
    process = start_held(PRESS_AT_THE_FIRST_ROW, [query[0], large, *query[1:]], tmp_path)
    assert finish(process) == (b"", b"nearfar: interrupted\n")
    assert process.returncode == 130 and list(tmp_path.iterdir()) == []


@posix
def test_closed_pipe(roads, large, tmp_path):
    """``nearfar ... | head``: no complaint. There is more to write than any pipe holds."""
    sources = ",".join(map(str, range(1, 200)))
    process = start(["mssp", large, "--sources", sources, "-o", "-"], tmp_path)
    assert process.stdout.readline() == b"source,target,distance\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(HANG) == 141


@posix
@pytest.mark.parametrize(
    "args",
    [
        ["info", "ROADS"],
        ["sssp", "ROADS", "-s", "1"],
        ["sssp", "ROADS", "-s", "1", "--json"],
        ["--help"],
        ["info", "-q"],
    ],
    ids=["info", "sssp", "json", "help", "error"],
)
def test_reader_that_never_reads(roads, tmp_path, args):
    """``nearfar ... | true``: 141 whatever is printed; 1 would mean a wrong answer. An error stays one."""
    read, write = os.pipe()
    os.close(read)
    failing = args[-1] == "-q"
    process = start(
        [roads if arg == "ROADS" else arg for arg in args],
        tmp_path,
        stdout=write,
        stderr=write if failing else subprocess.PIPE,
    )
    os.close(write)
    assert process.wait(HANG) == (2 if failing else 141)
    if not failing:
        assert process.stderr.read() == b""
        process.stderr.close()


@posix
def test_closed_streams(roads, tmp_path):
    """``>&-``: an error if there is something to print, and only then. Nor does anything else need a stream."""

    def close(command, redirections):
        words = [sys.executable, "-m", "nearfar", *command]
        shell = ["sh", "-c", f'exec "$@" {redirections}', "sh", *words]
        done = subprocess.run(
            shell, cwd=tmp_path, env=child_environment(), capture_output=True, timeout=HANG, check=False
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    closed = (2, "", "nearfar: error: standard output: Bad file descriptor\n")
    one = ["sssp", roads, "-s", "1"]
    for command in (["info", roads], [*one, "--json"], [*one, "-o", "-"], ["--help"]):
        assert close(command, ">&-") == closed
    assert close([*one, "-o", "a.npz", "-q"], ">&-") == (0, "", "")
    assert close(["verify", roads, "a.npz", "-q"], ">&- <&-") == (0, "", "")
    assert close([*one, "-t", "4", "-q"], "2>&-") == (0, "6\n", "")
    assert close(["info", "missing.gr"], "2>&-") == (2, "", "")
    assert close(["info", "missing.gr"], ">&- 2>&- <&-") == (2, "", "")
    code, out, err = close(["mssp", roads, "-s", "@-"], "<&-")
    assert (code, out) == (2, "") and "standard input is closed" in err


# The bar waits for no time to pass: however quick the machine is, there is one to see.
IMPATIENT = """
from nearfar.cli import work
work.PATIENCE = 0
"""


@posix
def test_terminal(large, tmp_path):
    """A person at a terminal sees a bar while rows are solved; --quiet and pipes see none."""
    import pty

    sources = ",".join(map(str, range(1, 100)))
    query = ["mssp", large, "--sources", sources, "--to", ",".join(map(str, range(500, 700)))]
    for options in ([], ["--quiet"]):
        master, slave = pty.openpty()
        process = start_held(IMPATIENT, [*query, *options], tmp_path, stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        shown = read_all(master)
        assert process.wait(HANG) == 0
        assert (not shown) if options else (b"/99" in shown)


def read_all(terminal):
    """Return what comes from a terminal until its other end is closed."""
    shown = b""
    try:
        while block := os.read(terminal, 1 << 16):
            shown += block
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(terminal)
    return shown


def test_new_york(child):
    roads = real("USA-road-d.NY.gr.gz")
    text = child("sssp", roads, "--source", 1, "--to", 1000).ok().out
    assert "28939" in text and "path      1 →" in text and "→ 1000, " in text
    answer = child("path", roads, 1, 1000, "--json").ok().json
    assert answer["distance"] == 28939
    assert answer["path"][0] == 1 and answer["path"][-1] == 1000 and len(answer["path"]) == answer["arcs"] + 1


def test_rome(child, tmp_path):
    roads, truth = real("rome99.gr"), TRUTH["reference"]["rome99.gr"]
    known = truth["runs"][0]
    answer = child("sssp", roads, "--source", known["source"] + 1, "--json", "-o", "rome.npz").ok().json
    assert (answer["reached"], answer["farthest"]["distance"]) == (known["reached"], known["max"])
    assert answer["farthest"]["vertex"] == known["argmax"] + 1
    assert child("verify", roads, "rome.npz", "--quiet").ok().out == ""
    info = child("info", roads, "--json").ok().json
    assert (info["vertices"], info["arcs"], info["first"], info["last"]) == (3353, 8870, 1, 3353)
