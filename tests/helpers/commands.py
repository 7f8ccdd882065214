"""How tests run a command: in a child process, as a person does, or in this one, which is quicker."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import dataclass

import pytest

from helpers.marks import child_environment
from nearfar.cli import run as run_command

ROADS = """c five crossings, the last one out of reach
p sp 5 6
a 1 2 7
a 1 3 2
a 3 2 3
a 2 4 1
a 3 4 8
a 5 4 1
"""
FRIENDS = """from,to,days
Ann,Bob,2
Bob,"Cid, the elder",3
Bob,Dora,9
"Cid, the elder",Dora,4
"""


@dataclass
class Answer:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """The one document that was printed; NaN and Infinity are no JSON."""

        def refuse(token):
            raise AssertionError(f"{token} is not JSON")

        assert self.out.count("\n") == 1
        return json.loads(self.out, parse_constant=refuse)

    def ok(self):
        """Check that all went well and nothing was said beside the answer."""
        assert (self.code, self.err) == (0, ""), self
        return self

    def error(self, *words):
        """Check that there is one line of error with these words in it, and nothing on standard output."""
        assert self.code == 2 and self.out == "", self
        assert self.err.startswith("nearfar: error: ") and self.err.count("\n") == 1, self.err
        for word in words:
            assert word in self.err
        return self


@pytest.fixture
def child(tmp_path):
    """Run a command in a child process, in the folder of the test."""

    def run_child(*args, stdin="", **environment):
        command = [sys.executable, "-m", "nearfar", *map(str, args)]
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            encoding="utf8",
            cwd=tmp_path,
            env=child_environment(**environment),
            timeout=300,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    return run_child


@pytest.fixture
def run(tmp_path, monkeypatch, capfdbinary):
    """Run a command in this process, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run_here(*args):
        capfdbinary.readouterr()
        code = run_command([str(arg) for arg in args])
        out, err = capfdbinary.readouterr()
        return Answer(code, out.decode("utf8"), err.decode("utf8"))

    return run_here


class Terminal(io.StringIO):
    """Standard error as a person sees it."""

    def isatty(self):
        return True


def use_terminal(monkeypatch):
    """Let standard error be a terminal; return it."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return terminal


@pytest.fixture
def roads(tmp_path):
    """Write a small DIMACS file: vertices 1 to 5, the last one out of reach."""
    path = tmp_path / "roads.gr"
    path.write_text(ROADS, encoding="utf8")
    return path.name


@pytest.fixture
def friends(tmp_path):
    """Write a small table of named vertices, one of them with a comma in its name."""
    path = tmp_path / "friends.csv"
    path.write_text(FRIENDS, encoding="utf8")
    return path.name
