"""``nearfar selftest``: prints the report, saves it, and tells by its exit code whether all passed."""

from __future__ import annotations

import json

import pytest

from helpers.marks import needs_jit
from nearfar.selftest import checks as selftest
from nearfar.selftest.report import FAILED, PASSED, Findings, Outcome, Report

pytestmark = needs_jit


@pytest.fixture
def made(monkeypatch):
    """Let the self-test find what a test wants it to."""
    asked = []

    def put(status):
        outcome = Outcome("edge", "int32", "one", "resident", "chain", status, "" if status == PASSED else "3 != 4")
        report = Report("quick", {"nearfar": "0"}, [Findings("cuda:0", {"device": "a card"}, [outcome])], 1.5)
        monkeypatch.setattr(selftest, "run", lambda *given: asked.append(given) or report)
        return asked

    return put


def test_cpu_for_real(run):
    text = run("selftest", "--device", "cpu", "--quick").ok().out
    assert text.startswith("nearfar selftest, quick: all passed\n") and " passed, 0 failed in " in text


def test_options(run, made):
    asked = made(PASSED)
    assert "edge     int32   1/1" in run("selftest").ok().out
    run("selftest", "--device", "cuda,opencl:1", "--full").ok()
    run("selftest", "--quick", "--quiet").ok()
    assert [given[:2] for given in asked] == [(None, "usual"), (["cuda:0", "opencl:1"], "full"), (None, "quick")]
    run("selftest", "--quick", "--full").error("--quick and --full contradict each other")
    run("selftest", "--device", "gpu").error("there is no device 'gpu'", "Did you mean 'auto' or 'opencl' or 'cuda'?")


def test_failure(run, made, tmp_path):
    made(FAILED)
    failed = run("selftest")
    assert failed.code == 1 and "FAILED: edge, int32, one, resident, chain\n  3 != 4\n" in failed.out
    answer = run("selftest", "--json")
    assert answer.code == 1 and json.loads(answer.out)["devices"][0]["failures"][0]["message"] == "3 != 4"


def test_output(run, made, tmp_path):
    made(PASSED)
    said = run("selftest", "-o", "report.txt")
    assert said.code == 0 and said.err == "nearfar: wrote report.txt\n"
    assert (tmp_path / "report.txt").read_text(encoding="utf8") == said.out
    assert run("selftest", "-o", "report.json", "--json", "--quiet").code == 0
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf8"))["ok"] is True
    run("selftest", "-o", "no/report.txt").error("there is no folder no")
