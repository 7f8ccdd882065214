"""What is released: sdist and wheel hold what they should, and the wheel works in an empty environment of its own.

The environment has the core dependencies and nothing else, and its programs run outside the working copy, so that they
find neither the sources nor what the other tests installed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from helpers.pythons import PATIENCE, pip
from nearfar.version import __version__

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "nearfar"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BESIDE = ("LICENSE", "METADATA", "RECORD", "WHEEL", "entry_points.txt")
OPTIONAL = {"matplotlib", "networkx", "pandas", "polars", "pyarrow", "pyopencl", "zarr", "dask", "osmium", "geopandas"}
JUNK = re.compile(r"(^|/)(\.venv|\.git|__pycache__|build|dist|data|shared)(/|$)|\.(pyc|nbi|nbc|egg-info)$|~$")

PROGRAM = """
import json, sys
import nearfar
early = {module.partition(".")[0] for module in sys.modules}
graph = nearfar.generate.city(5, 6, seed=1)
with nearfar.explore(graph, browser=False) as page:
    from urllib.request import urlopen
    pages = [urlopen(page.url + name, timeout=60).read().decode() for name in ("", "start.js", "style.css")]
try:
    nearfar.sssp(graph, graph.names[0]).plot()
except nearfar.NearfarError as error:
    refused = str(error)
print(json.dumps({"file": nearfar.__file__, "early": sorted(early), "pages": pages, "refused": refused,
                  "modules": sorted({module.partition(".")[0] for module in sys.modules})}))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The paths of an sdist and of a wheel, both made from the tree, and of a wheel made from the sdist."""
    pytest.importorskip("build", reason="build is not installed")
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    pytest.importorskip("hatch_fancy_pypi_readme", reason="hatch-fancy-pypi-readme is not installed")
    straight, through = tmp_path_factory.mktemp("straight"), tmp_path_factory.mktemp("through")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir"]
    for arguments in ([straight, "--wheel", ROOT], [through, ROOT]):
        run([*build, *arguments], cwd=straight)
    (sdist,), (wheel,), (again,) = through.glob("*.tar.gz"), straight.glob("*.whl"), through.glob("*.whl")
    return SimpleNamespace(sdist=sdist, wheel=wheel, again=again)


@pytest.fixture(scope="module")
def home(built, tmp_path_factory):
    """A folder with an environment, `venv`, that has the wheel and the core dependencies."""
    home = tmp_path_factory.mktemp("empty")
    run([sys.executable, "-m", "venv", "--without-pip", home / "venv"])
    install = [*pip(sys.executable), "--python", scripts(home) / "python", "install", "--no-compile"]
    try:
        found = subprocess.run([*install, *PROJECT["dependencies"]], capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        pytest.skip("the core dependencies could not be had in time")
    if found.returncode:
        pytest.skip(f"the core dependencies could not be installed: {found.stderr.strip()[-300:]}")
    run([*install, "--no-index", built.wheel])  # which fails if it needs anything else
    return home


def run(command, **options):
    """Run a program to its end; return what it printed."""
    found = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=PATIENCE, **options)
    assert found.returncode == 0, (command, found.stdout, found.stderr)
    return found.stdout


def scripts(home):
    return home / "venv" / ("Scripts" if os.name == "nt" else "bin")


def run_there(home, program, *arguments):
    """Run a program of the empty environment, in a folder of its own, without this one's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_", "VIRTUAL_ENV"))}
    return run([scripts(home) / program, *arguments], cwd=home, env=kept)


def sources():
    """Return the files of the package as they are in the tree, but for what Python wrote beside them."""
    files = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {f"nearfar/{path.relative_to(PACKAGE).as_posix()}": path for path in files}


def test_a_wheel_has_the_package_and_nothing_else(built):
    with zipfile.ZipFile(built.wheel) as wheel:
        held = {name: wheel.read(name) for name in wheel.namelist()}
    ours = {name: text for name, text in held.items() if name.startswith("nearfar/")}
    assert ours == {name: path.read_bytes() for name, path in sources().items()}
    assert {Path(name).suffix for name in ours} >= {".py", ".cl", ".h", ".js", ".css", ".html", ".typed"}
    assert sorted(Path(name).name for name in held.keys() - ours.keys()) == sorted(BESIDE)


def test_a_wheel_made_from_the_sdist_is_the_same(built):
    with zipfile.ZipFile(built.wheel) as one, zipfile.ZipFile(built.again) as other:
        assert {name: one.read(name) for name in one.namelist()} == {n: other.read(n) for n in other.namelist()}


def test_an_sdist_has_what_it_takes_to_test_it(built):
    with tarfile.open(built.sdist) as sdist:
        held = {member.name.partition("/")[2] for member in sdist.getmembers() if member.isfile()}
    assert held >= {f"src/{name}" for name in sources()}
    assert held >= {"Makefile", "LICENSE", "README.md", "pyproject.toml", "tests/conftest.py", "docs/index.md"}
    assert [name for name in held if JUNK.search(name)] == []
    assert built.sdist.stat().st_size < 10_000_000


def test_what_a_wheel_says_of_itself(built):
    with zipfile.ZipFile(built.wheel) as wheel:
        text = wheel.read(f"nearfar-{__version__}.dist-info/METADATA").decode()
    head, _, description = text.partition("\n\n")
    assert f"Version: {__version__}\n" in head and f"Requires-Python: {PROJECT['requires-python']}\n" in head
    assert set(re.findall(r"^Provides-Extra: (.+)$", head, re.M)) == set(PROJECT["optional-dependencies"])
    assert "](https://github.com/nearfar/nearfar/blob/main/docs/methods.md)" in description
    assert re.findall(r"\]\((?!https://|#).*?\)", description) == []  # a page of PyPI has no files beside it


def test_a_citation_names_this_version():
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_commands_of_an_installed_wheel(home):
    assert run_there(home, "nearfar", "--version").split() == ["nearfar", __version__]
    run_there(home, "nearfar", "generate", "road_grid", "--rows", "8", "--cols", "9", "-o", "roads.gr.gz")
    facts = json.loads(run_there(home, "nearfar", "info", "roads.gr.gz", "--json"))
    assert (facts["format"], facts["vertices"]) == ("dimacs", 72)
    run_there(home, "nearfar", "sssp", "roads.gr.gz", "--source", "1", "-o", "d.npz")
    assert "exact" in run_there(home, "nearfar", "verify", "roads.gr.gz", "d.npz")


def test_the_selftest_of_an_installed_wheel(home):
    said = run_there(home, "nearfar", "selftest", "--quick", "--device", "cpu", "--only", "dijkstra")
    assert "all passed" in said


def test_an_installed_wheel_without_optional_libraries(home):
    found = json.loads(run_there(home, "python", "-I", "-c", PROGRAM))
    assert Path(found["file"]).is_relative_to(home / "venv")
    assert not {"numpy", "numba", "scipy", "click", "rich"} & set(found["early"])
    assert not OPTIONAL & set(found["modules"])
    assert "<html" in found["pages"][0] and all(found["pages"])
    assert "nearfar[plot]" in found["refused"]
