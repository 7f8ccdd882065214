"""The public names: all load, none is hidden by a module, every one is documented."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nearfar
from nearfar.api import OPTIONS
from nearfar.engine.options import Options

ROOT = Path(__file__).parent.parent
PAGES = "\n".join(page.read_text(encoding="utf8") for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
PUBLIC = [name for name in nearfar.__all__ if not name.startswith("_")]
ERRORS = {
    name: value
    for name, value in vars(nearfar.errors).items()
    if inspect.isclass(value) and issubclass(value, nearfar.NearfarError)
}
QUERIES = ("sssp", "mssp", "apsp", "nearest", "distance", "path", "plan")


def test_all_names_load():
    assert len(set(nearfar.__all__)) == len(nearfar.__all__)
    for name in nearfar.__all__:
        assert getattr(nearfar, name) is not None
    assert dir(nearfar) == sorted(nearfar.__all__)
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", nearfar.__version__)


def test_star_import():
    scope = {}
    exec("from nearfar import *", scope)
    assert set(nearfar.__all__) <= set(scope)


def test_no_module_takes_the_place_of_a_name():
    """Importing nearfar.x binds x in the package: no module may be called like a public function or class."""
    modules = {module.name for module in pkgutil.iter_modules(nearfar.__path__)}
    assert modules & set(PUBLIC) == {"csgraph", "draw", "errors", "formats", "geo", "metrics"}


def test_names_stay_what_they_are_after_importing_every_module():
    """In a child, so that the order of imports is that of a user who imports modules first."""
    code = """
import importlib, inspect, pkgutil, nearfar
for module in pkgutil.walk_packages(nearfar.__path__, "nearfar."):
    if not module.name.endswith("demo"):
        importlib.import_module(module.name)
kinds = {name: type(getattr(nearfar, name)).__name__ for name in nearfar.__all__}
print(sorted(name for name, kind in kinds.items() if kind == "module"))
print(kinds["verify"], kinds["plan"], kinds["path"], kinds["Plan"])
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.splitlines() == [
        "['csgraph', 'draw', 'errors', 'formats', 'generate', 'geo', 'metrics']",
        "function function function type",
    ]


@pytest.mark.parametrize("name", PUBLIC)
def test_docstrings(name):
    value = getattr(nearfar, name)
    text = inspect.getdoc(value) or ""
    assert text
    if inspect.isfunction(value):
        for parameter in set(inspect.signature(value).parameters) - {"graph", "options"}:  # see nearfar.api
            assert re.search(rf"\b{parameter}\b", text), f"{name} does not say what {parameter} is"
    if not inspect.ismodule(value) and not (inspect.isclass(value) and issubclass(value, Exception)):
        assert ">>>" in text, f"{name} has no example"


def test_options_are_documented():
    """Each option has a type and a default, and stands in the text of nearfar.api and in the docs."""
    check = inspect.signature(importlib.import_module("nearfar.engine.query").check_options).parameters
    queries = (ROOT / "docs" / "queries.md").read_text(encoding="utf8")
    typed = {name: hint.__forward_arg__ for name, hint in Options.__annotations__.items()}
    assert typed == {name: parameter.annotation for name, parameter in OPTIONS.items()}
    for option in OPTIONS:
        assert re.search(rf"^{option} : ", importlib.import_module("nearfar.api").__doc__, re.M), option
        assert f"`{option}`" in queries and option in check
    assert set(check) - set(OPTIONS) == {"graph", "shape", "single", "direction", "starts"}


@pytest.mark.parametrize("query", QUERIES)
def test_signatures(query):
    parameters = list(inspect.signature(getattr(nearfar, query)).parameters.values())
    assert parameters[0].name == "graph"
    assert all(parameter.annotation is not parameter.empty for parameter in parameters)
    assert inspect.signature(getattr(nearfar, query)).return_annotation is not inspect.Signature.empty


@pytest.mark.parametrize("name", PUBLIC)
def test_docs_mention(name):
    assert re.search(rf"(?:`|\.|\b){name}\b", PAGES), f"README.md and docs/ do not mention {name}"


def test_docs_mention_every_error_method_and_device():
    from nearfar.devices import DEVICES
    from nearfar.methods import ALIASES, METHODS

    for name in (*ERRORS, *METHODS, *ALIASES, *DEVICES):
        assert f"`{name}`" in PAGES or f"errors.{name}`" in PAGES, f"README.md and docs/ do not mention {name}"


@pytest.mark.parametrize("name", [name for name in ERRORS if name != "NearfarError"])
def test_errors_have_builtin_kin(name):
    kin = (ValueError, LookupError, TypeError, OverflowError, MemoryError, RuntimeError, ImportError, OSError)
    assert issubclass(ERRORS[name], nearfar.NearfarError) and issubclass(ERRORS[name], kin)
    assert ERRORS[name].__doc__ and name in nearfar.errors.__doc__
