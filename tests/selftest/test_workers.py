"""Queries that hang or crash: the worker is ended, the report names the launch, and the next query runs.

Nothing here depends on how fast the machine is: time passes for the watchdog only when a planted kernel hangs.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.marks import HANG, child_environment, needs_jit
from nearfar.devices import opencl
from nearfar.selftest import child, launches, runs
from nearfar.selftest.cases import Case
from nearfar.selftest.report import CRASHED, HUNG, PASSED, SKIPPED

pytestmark = [needs_jit, pytest.mark.skipif(opencl.missing() is not None, reason=str(opencl.missing()))]
FEW = ("R-MAT", "int32", "one", "resident")  # one query per method


@pytest.fixture
def planted(monkeypatch, tmp_path):
    """Return a function that plants a fault into workers; it returns the file in which the fault is noted."""

    def plant(kernel, fault, first_only=False):
        note = tmp_path / "note"
        note.touch()
        given = f"{kernel!r}, {fault!r}, {str(note)!r}, {first_only}"
        monkeypatch.setattr(child, "PROGRAM", f"from helpers import faulty; faulty.plant({given}); {child.PROGRAM}")
        passes = fault == "hang"  # else a process that takes long to die, or to go on, would seem to hang
        monkeypatch.setattr(child, "clock", lambda: 1e6 * note.stat().st_size * passes)
        for name, value in child_environment().items():
            monkeypatch.setenv(name, value)
        return note

    return plant


def statuses(report):
    """Return the status of every query by its method."""
    return {outcome.method: outcome.status for outcome in report.devices[0].outcomes}


def test_a_device_that_does_not_exist_is_described_once(run):
    """It is a mistake of the caller: exit code 2, as from other commands."""
    said = run("selftest", "--quick", "--device", "opencl:99")
    assert said.code == 2 and re.fullmatch(r"nearfar: error: there .*opencl:99 does not exist\.\n", said.err)
    assert said.out.count("opencl:99 does not exist.") == 1
    assert said.out.endswith("\nnot tested: a device is missing\n")


def test_a_kernel_that_hangs_is_named(planted):
    planted("edge_round", "hang")
    pieces = []
    report = runs.run("opencl", "quick", pieces.append, only=FEW)
    assert not report.ok
    right = dict.fromkeys(("delta", "frontier", "prepared", "floyd"), PASSED)
    assert statuses(report) == {**right, "edge": HUNG}
    message = report.devices[0].failures[0].message
    assert "the query took longer than 2 min 00 s, and was ended." in message
    assert re.search(r"kernel edge_round, launch \d+ of the query, \d+ x \d+ work-items", message)
    assert "Asked again, with a wait after every launch" in message and "all launches before were done" in message
    text = "".join(pieces)
    assert (
        re.search(r"^R-MAT +int32 +edge +one HUNG", text, re.M) and "\nHUNG: edge, int32, one, resident, R-MAT" in text
    )
    assert "5 queries: 4 right, 0 wrong, 1 hung, in " in text and text.endswith("\nFAILED\n")
    assert report.as_dict()["devices"][0]["hung"] == 1


def test_a_kernel_that_hangs_only_when_launches_overlap(planted):
    planted("edge_round", "hang", first_only=True)
    report = runs.run("opencl", "quick", only=(*FEW, "edge"))
    message = report.devices[0].failures[0].message
    assert "The last of its launches, which nothing waited for, was kernel edge_round" in message
    assert "it passed: the order of copies and launches matters" in message


def test_a_worker_that_dies_is_reported(planted):
    planted("floyd_fill", "abort")
    report = runs.run("opencl", "quick", only=FEW)
    assert statuses(report)["floyd"] == CRASHED and set(statuses(report).values()) == {PASSED, CRASHED}
    message = report.devices[0].failures[0].message
    assert "kernel floyd_fill, launch 1 of the query" in message
    if os.name == "posix":
        assert "signal 6 (SIGABRT)" in message and "faulty.py" in message, "where it was, by its standard error"


def test_a_method_that_only_crashes_is_given_up(planted):
    planted("edge_rows", "abort")
    report = runs.run("opencl", "quick", only=("int32", "some", "resident", "edge"))
    found = [outcome.status for outcome in report.devices[0].outcomes]
    assert found[: runs.PATIENCE] == [CRASHED] * runs.PATIENCE and set(found[runs.PATIENCE :]) == {SKIPPED}
    assert f"skipped: edge hung or crashed {runs.PATIENCE} times" in str(report)


def test_a_worker_that_does_not_start(monkeypatch):
    monkeypatch.setattr(child, "PROGRAM", "raise SystemExit(3)")
    report = runs.run("opencl", "quick", only=FEW)
    assert not report.ok and "during opening the device, the process ended with exit code 3" in report.devices[0].error


def test_all_is_well(monkeypatch):
    report = runs.run("opencl", "quick", only=FEW)
    tested = report.devices[0]
    assert report.ok and tested.count(PASSED) == 5
    assert tested.launches["edge_round"] > 0 and "delta_rows" in tested.unlaunched
    assert "never launched: " in str(report)


def test_words_are_there_before_queries_begin(planted):
    """While a kernel is at work, its query is the last word of the report."""
    note = planted("edge_round", "wait")
    pieces = []

    def write(text):
        pieces.append(text)
        if note.stat().st_size == 0 and pieces[-1] == " one" and "edge " in pieces[-2]:
            Path(f"{note}.go").touch()  # only now the kernel can go on

    assert runs.run("opencl", "quick", write, only=FEW).ok


def test_interrupt(planted):
    """Ctrl-C in the second query: the report has the first, and the worker is gone."""
    planted("frontier_start", "hang")
    asked, ask = [], child.Child.ask

    def interrupted(self, case):
        asked.append(self)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return ask(self, case)

    pieces = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child.Child, "ask", interrupted)
        report = runs.run("opencl", "quick", pieces.append, only=FEW)
    assert report.interrupted and not report.ok and asked[0]._process is None
    text = "".join(pieces)
    assert "1 query: 1 right" in text and text.endswith("\ninterrupted: the rest was not tested\n")


@pytest.mark.skipif(os.name != "posix", reason="no signals")
def test_ctrl_c_at_the_command_line(tmp_path):
    """With a real signal, while a kernel hangs."""
    note = tmp_path / "note"
    note.touch()
    program = f"""
from nearfar import cli
from nearfar.selftest import child
child.PROGRAM = "from helpers import faulty; faulty.plant('edge_round', 'hang', {str(note)!r}); " + child.PROGRAM
cli.main()
"""
    command = [sys.executable, "-c", program, "selftest", "--quick", "--device", "opencl", "--only", ",".join(FEW)]
    worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=child_environment())
    try:
        while not note.stat().st_size and worker.poll() is None:
            pass
        worker.send_signal(signal.SIGINT)
        out, err = worker.communicate(timeout=HANG)
    finally:
        worker.kill()
    assert worker.returncode == 130 and err.endswith(b"nearfar: interrupted\n"), (out, err)
    assert b"2 queries: 2 right, 0 wrong, in " in out and b"interrupted: the rest was not tested" in out


class Plain:
    """A kernel that is a function."""

    most = 256

    def __init__(self, function):
        self.function = function

    def __call__(self, *args):
        self.function(*args)


def test_the_record(tmp_path):
    path = tmp_path / "record"
    launches.make_record(path)
    assert launches.where(list(launches.read_record(path))) == (
        "No kernel was launched yet: it was building programs, copying, or working on the CPU."
    )
    watch = launches.Watch(path)

    class Device:
        finished = 0
        watch = None

        def finish(self):
            self.finished += 1

    first, second = Device(), Device()
    for device in (first, second):
        watch.attach(device)
    seen = []
    kernel = first.watch("edge_round", Plain(lambda *args: seen.extend(launches.read_record(path))))
    kernel(46, 256, 1, 2)
    assert (seen[0].kernel, seen[0].number, seen[0].groups, seen[0].size) == ("edge_round", 1, 46, 256)
    assert not seen[0].done and not seen[0].waiting and first.finished == 0
    watch.begin(True)
    second.watch("delta_wide", Plain(lambda *args: None))(1, 32)
    found = list(launches.read_record(path))
    assert len(found) == 1 and found[0].done and found[0].waiting and second.finished == 1
    assert "was done: it was copying" in launches.where(found) and watch.counts == {"delta_wide": 1}
    assert [launch.kernel for launch in watch.slowest] == ["delta_wide"]


def test_case_is_what_only_takes():
    case = Case("delta", "int32", "one", "resident", "R-MAT 16", True)
    assert str(case) == "delta, int32, one, resident, R-MAT 16"
