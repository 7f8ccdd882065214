"""Conversions that were stopped, at any moment and in any way, go on, and end with the same graph."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import nearfar
from helpers.tiny import assert_same, in_folder, shrink
from nearfar.errors import FileError
from nearfar.graph import Graph
from nearfar.scale.journal import Journal


def write_input(folder, kind, m=120):
    """Write files of arcs; return what to convert, and the graph."""
    rng = np.random.default_rng(0)
    name = "ä{}" if kind == "words" else "{}"
    ends = rng.integers(0, 25, (2, m)) * (10**9 if kind == "wide" else 3)
    lines = [f"{name.format(u)} {name.format(v)} {w}\n" for u, v, w in zip(*ends, rng.random(m), strict=True)]
    (folder / "all.txt").write_text("".join(lines))
    graph = in_folder(nearfar.read(folder / "all.txt"), folder / "wanted.nearfar", reversed=True)
    if kind != "files":
        return folder / "all.txt", graph
    (folder / "files").mkdir()
    for low in range(0, m, 40):
        (folder / "files" / f"{low:03}.txt").write_text("".join(lines[low : low + 40]))
    return folder / "files", graph


def convert(source, folder):
    nearfar.convert(source, folder / "found.nearfar", "100 MB", reversed=True)


def stopping(real, when, before):
    """Return `Journal.note`, which stops the process at a call, before or after it wrote."""
    calls = []

    def note(self, **entry):
        calls.append(entry)
        if len(calls) == when and before:
            raise KeyboardInterrupt
        real(self, **entry)
        if len(calls) == when:
            raise KeyboardInterrupt

    return note, calls


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("kind", ["ids", "wide", "words", "files"])
def test_stopped_at_every_step(tmp_path, monkeypatch, kind, before):
    shrink(monkeypatch, arcs=20, window=200, bucket=400)
    source, wanted = write_input(tmp_path, kind)
    real, when = Journal.note, 0
    while True:
        when += 1
        note, calls = stopping(real, when, before)
        monkeypatch.setattr(Journal, "note", note)
        try:
            convert(source, tmp_path)
        except KeyboardInterrupt:
            assert not (tmp_path / "found.nearfar").exists()
            monkeypatch.setattr(Journal, "note", real)
            convert(source, tmp_path)
        found = Graph.open(tmp_path / "found.nearfar")
        assert_same(found, wanted)
        assert_same(found.reversed, wanted.reversed)
        assert not list(tmp_path.glob(".*"))
        (tmp_path / "found.nearfar").rename(tmp_path / f"{when}.nearfar")
        if len(calls) < when:
            break
    assert when > 10


def test_what_is_done_is_not_done_again(tmp_path, monkeypatch):
    shrink(monkeypatch, arcs=20, window=200, bucket=400)
    source, _ = write_input(tmp_path, "ids")
    real, steps = Journal.note, []
    for _ in range(100):  # each attempt gets one step further
        note, calls = stopping(real, 2, before=True)
        monkeypatch.setattr(Journal, "note", note)
        with contextlib.suppress(KeyboardInterrupt):
            convert(source, tmp_path)
        steps.append(calls[0] if calls else {})
        if (tmp_path / "found.nearfar").exists():
            break
    assert [step["segment"] for step in steps if "segment" in step] == list(range(6))


KILLED = """
    import itertools, os, signal, sys
    import pytest
    sys.path.insert(0, sys.argv[1])
    from helpers.tiny import shrink
    import nearfar
    from nearfar.scale.journal import Journal
    shrink(pytest.MonkeyPatch(), arcs=20, window=200, bucket=400)
    real, calls, when = Journal.note, itertools.count(1), int(sys.argv[4])
    def note(self, **entry):
        if next(calls) == when:
            self._file.write(b"01234567 half a li")
            os.kill(os.getpid(), signal.SIGKILL)
        real(self, **entry)
    Journal.note = note
    nearfar.convert(sys.argv[2], sys.argv[3], "100 MB", reversed=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="processes are killed by signals")
def test_killed_several_times(tmp_path, monkeypatch):
    source, wanted = write_input(tmp_path, "words")
    tests = os.path.dirname(os.path.dirname(__file__))
    for when in (4, 5, 4, 3):  # while arcs are read, twice; spooled; sorted
        arguments = [tests, str(source), str(tmp_path / "found.nearfar"), str(when)]
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(KILLED), *arguments], timeout=300)
        assert done.returncode == -signal.SIGKILL
    convert(source, tmp_path)
    assert_same(Graph.open(tmp_path / "found.nearfar"), wanted)


def stopped(tmp_path, monkeypatch, when):
    """Begin a conversion and stop it."""
    shrink(monkeypatch, arcs=20, window=200, bucket=400)
    source, wanted = write_input(tmp_path, "words")
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "note", stopping(Journal.note, when, before=False)[0])
        with pytest.raises(KeyboardInterrupt):
            convert(source, tmp_path)
    return source, wanted


def test_a_changed_input_is_refused_or_read_anew(tmp_path, monkeypatch):
    source, _ = stopped(tmp_path, monkeypatch, 4)
    source.write_text(source.read_text() + "ä1 ä2 7\n")
    with pytest.raises(FileError, match=r"the input was changed.*existing='restart'"):
        convert(source, tmp_path)
    nearfar.convert(source, tmp_path / "found.nearfar", existing="restart")
    wanted = in_folder(nearfar.read(source), tmp_path / "again.nearfar")
    assert_same(Graph.open(tmp_path / "found.nearfar"), wanted)


def test_other_options_are_refused(tmp_path, monkeypatch):
    source, _ = stopped(tmp_path, monkeypatch, 4)
    with pytest.raises(FileError, match="the options are others"):
        nearfar.convert(source, tmp_path / "found.nearfar", undirected=True)


@pytest.mark.parametrize(("when", "damaged"), [(4, "words"), (4, "000001.segment"), (6, "000001.segment")])
@pytest.mark.parametrize("harm", ["flip", "cut", "remove"])
def test_a_damaged_file_of_an_unfinished_conversion_is_found(tmp_path, monkeypatch, when, damaged, harm):
    source, _ = stopped(tmp_path, monkeypatch, when)
    path = tmp_path / ".found.nearfar.convert" / damaged
    data = bytearray(path.read_bytes())
    data[3] ^= 1
    if harm == "remove":
        path.unlink()
    else:
        path.write_bytes(data if harm == "flip" else data[:-1])
    with pytest.raises(FileError, match="is not as it was written"):
        convert(source, tmp_path)


def test_two_at_once(tmp_path, monkeypatch):
    source, _ = stopped(tmp_path, monkeypatch, 4)
    with (
        Journal(tmp_path / ".found.nearfar.convert" / "journal", "it"),
        pytest.raises(FileError, match="by another process"),
    ):
        convert(source, tmp_path)
