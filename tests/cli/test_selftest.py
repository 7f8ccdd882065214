"""``nearfar selftest``: prints the report, saves it, and tells by its exit code whether all passed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.commands import use_terminal
from helpers.marks import needs_jit
from nearfar.cli import work
from nearfar.selftest import runs
from nearfar.selftest.report import PASSED, WRONG, Findings, Outcome, Report

pytestmark = needs_jit


@pytest.fixture
def made(monkeypatch):
    """Let the self-test find what a test wants it to."""
    asked = []

    def put(status, interrupted=False, while_it_runs=lambda text: None, missing=""):
        outcome = Outcome("edge", "int32", "one", "resident", "chain", status, "" if status == PASSED else "3 != 4")
        tested = [Findings("cuda:0", "quick", {"device": "a card"}, [outcome])]
        if missing:
            tested.append(Findings("cuda:7", "quick", error=f"MissingDeviceError: {missing}", missing=missing))
        report = Report("quick", {"nearfar": "0"}, tested, 1.5, interrupted)

        def run(device, level, write, **options):
            asked.append((device, level, options))
            for text in ("the first line\n", "a word", f"\n{report}\n"):
                write(text)
                while_it_runs(text)
            if options["progress"] is not None:
                options["progress"](1, 2)
            return report

        monkeypatch.setattr(runs, "run", run)
        return asked

    return put


def test_cpu_for_real(run):
    text = run("selftest", "--device", "cpu", "--quick").ok().out
    assert text.startswith("nearfar selftest, quick\n") and text.endswith("\nall passed\n")
    assert " right, 0 wrong, in " in text


def test_options(run, made):
    asked = made(PASSED)
    assert "edge     int32   1/1" in run("selftest").ok().out
    run("selftest", "--device", "cuda,opencl:1", "--full").ok()
    assert run("selftest", "--quick", "--quiet").ok().out == "all passed\n"
    run("selftest", "--limit", "7.5", "--only", "delta, R-MAT 16").ok()
    usual = {"limit": 120.0, "only": [], "progress": None}
    assert asked == [
        (None, "usual", usual),
        (["cuda:0", "opencl:1"], "full", usual),
        (None, "quick", usual),
        (None, "usual", {"limit": 7.5, "only": ["delta", "R-MAT 16"], "progress": None}),
    ]
    run("selftest", "--limit", "0").error("0.0 is not in the range x>0")
    run("selftest", "--quick", "--full").error("--quick and --full contradict each other")
    run("selftest", "--device", "gpu").error("there is no device 'gpu'", "Did you mean 'auto' or 'opencl' or 'cuda'?")


def test_failure(run, made, tmp_path):
    made(WRONG)
    failed = run("selftest")
    assert failed.code == 1 and "WRONG: edge, int32, one, resident, chain\n  3 != 4\n" in failed.out
    assert run("selftest", "--quiet").out == "FAILED\n"
    answer = run("selftest", "--json")
    assert answer.code == 1 and json.loads(answer.out)["devices"][0]["failures"][0]["message"] == "3 != 4"


def test_progress_of_a_document(run, made, monkeypatch):
    """A person who waits for JSON sees a bar, which is not part of it."""
    made(PASSED)
    terminal = use_terminal(monkeypatch)
    monkeypatch.setattr(work, "PATIENCE", 0)
    assert run("selftest", "--json").json["ok"] and "1/2" in terminal.getvalue()
    terminal.truncate(0)
    assert run("selftest", "--json", "--quiet").json["ok"] and run("selftest").out.startswith("the first line\n")
    assert terminal.getvalue() == ""


def test_missing_device(run, made):
    """A mistake in the command line, unless another device gives wrong answers."""
    made(PASSED, missing="cuda:7 does not exist.")
    for options, out in (([], "not tested: a device is missing\n"), (["--quiet"], ""), (["--json"], '"ok": false')):
        said = run("selftest", *options)
        assert (said.code, said.err) == (2, "nearfar: error: cuda:7 does not exist.\n") and out in said.out
    made(WRONG, missing="cuda:7 does not exist.")
    said = run("selftest", "--quiet")
    assert (said.code, said.out, said.err) == (1, "FAILED\n", "")


def test_output(run, made, tmp_path):
    made(PASSED)
    said = run("selftest", "-o", "report.txt")
    assert said.code == 0 and said.err == "nearfar: wrote report.txt\n"
    assert (tmp_path / "report.txt").read_text(encoding="utf8") == said.out
    assert run("selftest", "-o", "report.json", "--json", "--quiet").code == 0
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf8"))["ok"] is True
    run("selftest", "-o", "no/report.txt").error("there is no folder no")
    run("selftest", "-o", "no/report.json", "--json").error("there is no folder no")
    run("selftest", "-o", "-").error("goes to standard output anyway")
    if Path("/dev/full").exists():
        assert run("selftest", "-o", "/dev/full").err == "nearfar: error: /dev/full: No space left on device\n"


def test_every_piece_is_flushed(run, made, tmp_path, capfdbinary):
    """A card that freezes the machine leaves all that was written before."""
    said, saved = [], []

    def look(text):
        said.append(capfdbinary.readouterr().out.decode())
        saved.append((tmp_path / "report.txt").read_text(encoding="utf8"))

    made(PASSED, while_it_runs=look)
    run("selftest", "-o", "report.txt")
    assert said[:2] == ["the first line\n", "a word"] and saved[:2] == ["the first line\n", "the first line\na word"]


def test_interrupted(run, made):
    made(PASSED, interrupted=True)
    with pytest.raises(KeyboardInterrupt):
        run("selftest")
