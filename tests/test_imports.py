"""Who imports whom: the contracts of pyproject.toml hold, and importing nearfar loads nothing heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = {"numpy", "numba", "llvmlite", "scipy", "pandas", "polars", "pyarrow", "networkx", "rich", "click"}


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_contracts(monkeypatch, capsys):
    cli = pytest.importorskip("importlinter.cli", reason="import-linter is not installed")
    monkeypatch.chdir(ROOT)
    status = cli.lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert status == 0, capsys.readouterr().out


def test_import_loads_nothing_heavy():
    loaded = json.loads(
        run("import sys, json, nearfar; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))")
    )
    assert not HEAVY & set(loaded)


def test_every_public_name_loads():
    code = "import nearfar; print(all(getattr(nearfar, name) is not None for name in nearfar.__all__))"
    assert run(code).strip() == "True"


def test_graph_needs_no_compiler():
    code = "import sys, nearfar; nearfar.Graph; print('numba' in sys.modules)"
    assert run(code).strip() == "False"


def test_unknown_name_is_an_attribute_error():
    import nearfar

    with pytest.raises(AttributeError, match="no_such_name"):
        nearfar.no_such_name  # noqa: B018
