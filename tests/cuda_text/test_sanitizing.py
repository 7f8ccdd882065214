"""Reports of sanitizers are read as they are written."""

from __future__ import annotations

from helpers.cuda_text.sanitizing import Outcome, split_reports

LOG = """==================
WARNING: ThreadSanitizer: data race (pid=1)
  Write of size 4
SUMMARY: ThreadSanitizer: data race
==================
==================
WARNING: ThreadSanitizer: data race (pid=1)
==================
program.cpp:7:9: runtime error: signed integer overflow: 1 + 2147483647
"""


def test_each_report_counts_once():
    first, second, third = split_reports(LOG)
    assert first.splitlines()[1:] == ["  Write of size 4", "SUMMARY: ThreadSanitizer: data race"]
    assert "data race" in second and third.startswith("runtime error: signed integer overflow")
    assert split_reports("12.1 s: edge, random, int32\n") == []


def test_whatever_is_wrong_is_a_problem():
    clean = {"checks": 1, "launches": 9, "kernels": frozenset(), "wrong": (), "reports": (), "failure": ""}
    assert Outcome(**clean).problems == []
    for name, value in (("wrong", ("1 instead of 2",)), ("reports", ("a race",)), ("failure", "exit code 1")):
        assert len(Outcome(**{**clean, name: value}).problems) == 1
