"""The real command in child processes: what a shell sees, Ctrl-C, a closed pipe, a terminal, real files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.marks import child_environment
from nearfar import generate, write

DATA = Path(__file__).parent.parent.parent.parent / "shared" / "data"
SLACK = 2.0  # seconds; Ctrl-C ends a command at once, but the machine may be busy

needs_data = pytest.mark.skipif(
    not (DATA / "load.py").exists(), reason="the real graphs of shared/data are not beside the repository"
)
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals, pipes and terminals of POSIX")


def start(args, folder, **streams):
    command = [sys.executable, "-m", "nearfar", *map(str, args)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.Popen(command, cwd=folder, env=child_environment(), **pipes)


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


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Write a graph whose distance matrix takes many seconds."""
    path = tmp_path_factory.mktemp("large") / "large.gr"
    write(generate.road_grid(220, 220), path)
    return path


@posix
@pytest.mark.parametrize(
    "query",
    [["apsp", "-o", "all.npy"], ["mssp", "--sources", ",".join(map(str, range(1, 401))), "-o", "some.csv"]],
    ids=["npy", "csv"],
)
def test_interrupt(large, tmp_path, query):
    """In the middle of the work: over at once, one line, and no file, not even a part of one.

    A .npy file is filled while rows are solved, a table is written when all are.
    """
    process = start([query[0], large, *query[1:]], tmp_path)
    try:
        until = time.monotonic() + 60
        while not list(tmp_path.glob(".*.part")) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)  # the hidden file shows that the work has begun
        time.sleep(0.3)
        assert process.poll() is None, process.stderr.read()
        pressed = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert time.monotonic() - pressed < SLACK
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert (out, err) == (b"", b"nearfar: interrupted\n")
    assert list(tmp_path.iterdir()) == []


@posix
def test_closed_pipe(roads, large, tmp_path):
    """``nearfar ... | head``: no complaint."""
    process = start(["sssp", large, "--source", 1, "-o", "-"], tmp_path)
    assert process.stdout.readline() == b"source,target,distance\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


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
    assert process.wait(60) == (2 if failing else 141)
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
            shell, cwd=tmp_path, env=child_environment(), capture_output=True, timeout=60, check=False
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


@posix
def test_terminal(large, tmp_path):
    """A person at a terminal sees a bar while rows are solved; --quiet and pipes see none."""
    import pty

    for options, rows, expected in (([], 1500, True), (["--quiet"], 300, False)):
        master, slave = pty.openpty()
        sources = ",".join(map(str, range(1, rows)))
        process = start(
            ["mssp", large, "--sources", sources, "--to", 48400, *options],
            tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=slave,
        )
        os.close(slave)
        shown = b""
        while True:
            try:
                block = os.read(master, 1 << 16)
            except OSError:  # how Linux says that the other end is closed
                break
            if not block:
                break
            shown += block
        os.close(master)
        assert process.wait(60) == 0
        assert (b"/1499" in shown) if expected else not shown


@needs_data
def test_new_york(child):
    roads = DATA / "USA-road-d.NY.gr.gz"
    if not roads.exists():
        pytest.skip("shared/data has no USA-road-d.NY.gr.gz")
    text = child("sssp", roads, "--source", 1, "--to", 1000).ok().out
    assert "28939" in text and "way       1 →" in text and "→ 1000, " in text
    answer = child("path", roads, 1, 1000, "--json").ok().json
    assert answer["distance"] == 28939
    assert answer["path"][0] == 1 and answer["path"][-1] == 1000 and len(answer["path"]) == answer["arcs"] + 1


@needs_data
def test_rome(child, tmp_path):
    roads = DATA / "rome99.gr"
    truth = json.loads((DATA / "truth.json").read_text(encoding="utf8"))["reference"]["rome99.gr"]
    known = truth["runs"][0]
    answer = child("sssp", roads, "--source", known["source"] + 1, "--json", "-o", "rome.npz").ok().json
    assert (answer["reached"], answer["farthest"]["distance"]) == (known["reached"], known["max"])
    assert answer["farthest"]["vertex"] == known["argmax"] + 1
    assert child("verify", roads, "rome.npz", "--quiet").ok().out == ""
    info = child("info", roads, "--json").ok().json
    assert (info["vertices"], info["arcs"], info["first"], info["last"]) == (3353, 8870, 1, 3353)
