"""The demonstration runs from end to end and proves what it shows."""

from __future__ import annotations

from nearfar import demo


def test_demo(capsys):
    assert demo.main(400) == 0
    out = capsys.readouterr().out
    assert "exact: 1 row of 400 distances" in out
    assert all(len(line) <= 80 for line in out.splitlines())
