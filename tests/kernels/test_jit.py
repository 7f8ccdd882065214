"""The kernel cache: stale code can never run, unchanged code is not compiled twice, and nobody else's cache is touched.

Each test runs child processes on a copy of the package with a cache folder of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numba
import pytest
from numba.core import caching

import nearfar
from helpers.marks import JIT, child_environment
from nearfar.kernels import jit

# One answer that depends on a helper of another file (the weight of an arc) and one on a constant (no predecessor).
PROGRAM = """
import json, sys
from numba.core import event

compiled = []

class Listener(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event):
        pass

event.register("numba:compile", Listener())
import nearfar
from nearfar.kernels import jit

graph = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
result = nearfar.sssp(graph, 0, method="edge")
print(json.dumps({
    "dist": result.dist.tolist(), "pred": result.predecessors.tolist(), "compiled": compiled,
    "folder": jit.cache_folder(jit.HERE / "cpu" / "edge.py"), "home": nearfar.__file__,
}))
"""
RIGHT = {"dist": [0, 5, 12], "pred": [-1, 0, 1]}
WORDS = "nearfar: compiling kernels"
EDGE = jit.HERE / "cpu" / "edge.py"


@pytest.fixture
def copy(tmp_path):
    """Return a folder with a copy of the package, and nothing compiled."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(nearfar.__file__).parent, tmp_path / "lib" / "nearfar", ignore=ignore)
    return tmp_path / "lib"


def start(copy, cache, program=PROGRAM, **pipes):
    """Start a child; it writes no bytecode, which would be taken for that of a file edited within the same second."""
    path = os.pathsep.join([str(copy), *sys.path])
    environment = child_environment(NEARFAR_CACHE_DIR=cache, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE=1)
    return subprocess.Popen([sys.executable, "-c", program], env=environment, text=True, **pipes)


def run(copy, cache, program=PROGRAM):
    """Run a child to its end; return what it printed, having said nothing on a standard error that is no terminal."""
    child = start(copy, cache, program, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = child.communicate(timeout=300)
    assert child.returncode == 0, err
    assert err == ""
    answer = json.loads(out)
    assert answer["home"].startswith(str(copy))
    return answer


def edit(path, old, new):
    text = path.read_text(encoding="utf8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf8")


def machine_code(cache):
    return {path: path.stat().st_mtime_ns for path in Path(cache).rglob("*.nbc")}


def test_stale_code_never_runs(copy, tmp_path):
    """A changed helper, then a changed constant: the answers change with them although the kernels' files do not."""
    cache = tmp_path / "cache"
    first = run(copy, cache)
    assert {key: first[key] for key in RIGHT} == RIGHT and first["compiled"]
    kept = machine_code(cache)
    assert kept and first["folder"].startswith(str(cache))

    again = run(copy, cache)
    assert {key: again[key] for key in RIGHT} == RIGHT
    assert again["compiled"] == [] and machine_code(cache) == kept

    helper = copy / "nearfar" / "kernels" / "cpu" / "arcs.py"
    edit(helper, 'return lambda arcs, e: arcs[e]["weight"]', 'return lambda arcs, e: arcs[e]["weight"] + 1')
    changed = run(copy, cache)
    assert changed["dist"] == [0, 6, 14] and changed["folder"] != first["folder"]
    assert "relax_rounds" in changed["compiled"]

    edit(helper, 'arcs[e]["weight"] + 1', 'arcs[e]["weight"]')
    edit(copy / "nearfar" / "kernels" / "cpu" / "constants.py", "NO_VERTEX = -1", "NO_VERTEX = -3")
    constant = run(copy, cache)
    assert (constant["dist"], constant["pred"]) == (RIGHT["dist"], [-3, 0, 1])
    assert "clear" in constant["compiled"]
    assert "relax_rounds" not in constant["compiled"]  # which does not read that file

    edit(copy / "nearfar" / "kernels" / "cpu" / "constants.py", "NO_VERTEX = -3", "NO_VERTEX = -1")
    back = run(copy, cache)
    assert {key: back[key] for key in RIGHT} == RIGHT and back["compiled"] == []


def test_fingerprint_covers_what_a_file_imports(copy, monkeypatch):
    """Every file that a kernel file imports, directly or not, and no other; the versions of what compiles it."""
    kernels = copy / "nearfar" / "kernels"
    cpu = kernels / "cpu"
    before = {path: jit.fingerprint(path, kernels) for path in cpu.glob("*.py")}
    assert before[cpu / "delta.py"] == jit.fingerprint(jit.HERE / "cpu" / "delta.py")
    for path in before:
        users = [user for user in before if path in jit.closure(user, kernels)]
        text = path.read_text(encoding="utf8")
        path.write_text(text + "\n", encoding="utf8")
        changed = [user for user in before if jit.fingerprint(user, kernels) != before[user]]
        path.write_text(text, encoding="utf8")
        assert sorted(changed) == sorted(users) and path in users
    assert cpu / "buckets.py" in jit.closure(cpu / "delta.py", kernels)
    assert cpu / "arcs.py" in jit.closure(cpu / "delta.py", kernels)  # imported by what it imports
    assert cpu / "delta.py" not in jit.closure(cpu / "edge.py", kernels)
    seen = set(before.values())
    for module in (numba, jit.llvmlite, jit.np):
        monkeypatch.setattr(module, "__version__", "0.0.1")
        seen.add(jit.fingerprint(cpu / "edge.py", kernels))
    assert len(seen) == len(before) + 3


def test_closures_hold_all_that_python_loads():
    """What an import of a kernel file loads of our kernels is what its fingerprint covers: nothing goes stale."""
    program = """
import json, sys
from importlib import import_module
from pathlib import Path
from nearfar.kernels import jit

path = Path(sys.argv[1])
import_module(f"nearfar.kernels.cpu.{path.stem}")
loaded = {module.__file__ for name, module in sys.modules.items() if name.startswith("nearfar.")}
covered = {str(member) for member in jit.closure(path)}
empty = {str(member) for name in ("__init__.py", "version.py") for member in jit.HERE.parent.rglob(name)}
print(json.dumps([sorted(loaded - covered - empty), sorted(Path(member).name for member in covered - loaded)]))
"""
    for name in ("sweep", "delta", "words", "floyd"):
        path = str(jit.HERE / "cpu" / f"{name}.py")
        command = [sys.executable, "-c", program, path]
        done = subprocess.run(command, env=child_environment(), capture_output=True, text=True, timeout=300)
        missing, more = json.loads(done.stdout)
        assert not missing and set(more) <= {"arguments.py"}, (name, missing, more, done.stderr)


def test_the_tuples_of_arguments_count_for_every_kernel():
    """Kernels read their fields without importing them: fields that changed places must not meet old machine code."""
    for path in (jit.HERE / "cpu").glob("*.py"):
        assert jit.HERE / "cpu" / "arguments.py" in jit.closure(path), path.name


@pytest.mark.parametrize(
    "line",
    [
        "from . import b  # why",
        "from . import (  # one (of them)\n    c,\n    b,\n)",
        "from .b import \\\n    x",
        "from .c import x; from .b import y",
        "try:\n    from .b import x\nexcept ImportError: pass",
        "def f():\n    from  .b import x",
        "from nearfar.kernels.cpu.b import x",
        "from nearfar.kernels.cpu import b",
        "import nearfar.kernels.cpu.b",
    ],
)
def test_imports_however_they_are_written(tmp_path, line):
    cpu = tmp_path / "cpu"
    cpu.mkdir()
    for name in ("arguments", "b", "c"):
        (cpu / f"{name}.py").write_text("", encoding="utf8")
    (tmp_path / "jit.py").write_text("", encoding="utf8")
    (cpu / "a.py").write_text(f"{line}\n", encoding="utf8")
    assert cpu / "b.py" in jit.closure(cpu / "a.py", tmp_path)


def test_a_kernel_from_elsewhere_depends_on_all(tmp_path):
    """It may import any kernel by its full name."""
    assert jit.closure(tmp_path / "mine.py") == sorted(jit.HERE.rglob("*.py"))


@pytest.fixture
def doubled(monkeypatch, tmp_path):
    """Return a way to make the same kernel again, as another process would, with one cache folder for all."""
    monkeypatch.setattr(jit, "cache_folder", lambda path: str(tmp_path / "ours"))

    def double(x):
        return 2 * x

    return lambda: jit.kernel(double)


@pytest.mark.skipif(not JIT, reason="nothing is compiled without the JIT")
def test_two_processes_that_compile_at_once(doubled, monkeypatch):
    """Neither sees what the other saves; with an index, both took the same number and one replaced the other."""
    first, second = doubled(), doubled()
    with monkeypatch.context() as patch:
        patch.setattr(caching.IndexDataCacheFile, "_load_index", lambda self: {})
        assert (first(3), second(1.5)) == (6, 3.0)
    third = doubled()
    assert (third(3), third(1.5)) == (6, 3.0)
    assert sum(third.stats.cache_hits.values()) == 2 and not third.stats.cache_misses


@pytest.mark.skipif(not JIT, reason="nothing is compiled without the JIT")
@pytest.mark.parametrize("damage", ["other", "short", "empty", "noise"])
def test_damaged_code_is_compiled_again(doubled, tmp_path, damage):
    """A file that holds the code of another type, or is cut short, is never run."""
    kernel = doubled()
    assert kernel(3) == 6
    (whole,) = (tmp_path / "ours").rglob("*.nbc")
    assert kernel(1.5) == 3.0
    (other,) = set((tmp_path / "ours").rglob("*.nbc")) - {whole}
    code = whole.read_bytes()
    other.write_bytes({"other": code, "short": other.read_bytes()[:-40], "empty": b"", "noise": b"\x93no code"}[damage])
    again = doubled()
    assert (again(1.5), again(3)) == (3.0, 6)
    assert (sum(again.stats.cache_hits.values()), sum(again.stats.cache_misses.values())) == (1, 1)
    mended = doubled()
    assert mended(1.5) == 3.0 and not mended.stats.cache_misses


def test_where_nothing_can_be_written(copy, tmp_path):
    """A cache folder below a regular file cannot be made, not even by root: kernels are compiled for this process."""
    (tmp_path / "file").write_text("", encoding="utf8")
    answer = run(copy, tmp_path / "file" / "cache")
    assert {key: answer[key] for key in RIGHT} == RIGHT
    assert answer["folder"] is None and answer["compiled"]


def test_read_only_install(copy, tmp_path):
    """Nothing is written beside the package."""
    for folder, _, files in os.walk(copy):
        for name in files:
            os.chmod(Path(folder, name), 0o444)
        os.chmod(folder, 0o555)
    before = sorted(copy.rglob("*"))
    try:
        answer = run(copy, tmp_path / "cache")
    finally:
        for folder, _, _ in os.walk(copy):
            os.chmod(folder, 0o755)
    assert {key: answer[key] for key in RIGHT} == RIGHT and machine_code(tmp_path / "cache")
    assert sorted(copy.rglob("*")) == before


def test_other_caches_stay_where_they_are(monkeypatch, tmp_path):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "theirs"))
    monkeypatch.setattr(jit, "cache_folder", lambda path: str(tmp_path / "ours"))

    def double(x):
        return 2 * x

    ours = jit.kernel(double)
    assert str(tmp_path / "theirs") == numba.config.CACHE_DIR
    assert ours(4) == 8

    def fail(*arguments, **options):
        raise RuntimeError("no compiler")

    monkeypatch.setattr(numba, "njit", fail)
    with pytest.raises(RuntimeError, match="no compiler"):
        jit.kernel(double)
    assert str(tmp_path / "theirs") == numba.config.CACHE_DIR


@pytest.mark.parametrize(
    ("platform", "variables", "wanted"),
    [
        ("linux", {"NEARFAR_CACHE_DIR": "/chosen"}, Path("/chosen")),
        ("linux", {"XDG_CACHE_HOME": "/xdg"}, Path("/xdg/nearfar")),
        ("linux", {}, Path("/home/someone/.cache/nearfar")),
        ("darwin", {}, Path("/home/someone/Library/Caches/nearfar")),
        ("win32", {"LOCALAPPDATA": "/local"}, Path("/local/nearfar")),
        ("win32", {}, Path("/home/someone/AppData/Local/nearfar")),
    ],
)
def test_user_cache(monkeypatch, platform, variables, wanted):
    for name in ("NEARFAR_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/someone"))
    monkeypatch.setattr(sys, "platform", platform)
    assert jit._user_cache() == wanted


def test_no_home(monkeypatch):
    """Where no home directory can be determined there is no cache, and no error."""

    def homeless():
        raise RuntimeError("no home")

    for name in ("NEARFAR_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert jit.cache_folder.__wrapped__(EDGE) is None


def test_old_versions_are_forgotten(monkeypatch, tmp_path):
    monkeypatch.setenv("NEARFAR_CACHE_DIR", str(tmp_path))
    for age in range(jit.KEPT_VERSIONS + 4):
        old = tmp_path / "kernels" / "edge" / f"old{age}"
        old.mkdir(parents=True)
        os.utime(old, (10**9 - age, 10**9 - age))
    folder = Path(jit.cache_folder.__wrapped__(EDGE))
    kept = {path.name for path in (tmp_path / "kernels" / "edge").iterdir()}
    assert kept == {folder.name, *(f"old{age}" for age in range(jit.KEPT_VERSIONS - 1))}
    assert Path(jit.cache_folder.__wrapped__(EDGE)) == folder  # and nothing is removed when it is there already


def on_terminal(copy, cache):
    """Run a child whose standard error is a terminal; return what it wrote there."""
    pty = pytest.importorskip("pty", reason="no pseudo-terminals on this system")
    ours, theirs = pty.openpty()
    child = start(copy, cache, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    written = b""
    try:
        while piece := os.read(ours, 4096):
            written += piece
    except OSError:  # Linux tells in this way that the other end is closed
        pass
    os.close(ours)
    assert child.wait(timeout=300) == 0, written
    return written.decode()


def test_announcement_on_a_terminal(copy, tmp_path):
    """Said once, although several kernels compile; not said when everything is in the cache."""
    assert on_terminal(copy, tmp_path / "cache").count(WORDS) == 1
    assert on_terminal(copy, tmp_path / "cache") == ""


def test_threads_do_not_see_the_folders_of_each_other(monkeypatch):
    """Of four threads that decorate at once, each has Numba's setting for itself."""
    inside, most, decorate = [], [], numba.njit

    def slow(**flags):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.05)  # in which the others come, unless they wait
        try:
            return decorate(**flags)
        finally:
            inside.pop()

    monkeypatch.setattr(numba, "njit", slow)
    threads = [threading.Thread(target=jit.kernel, args=(lambda x: x,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 4
