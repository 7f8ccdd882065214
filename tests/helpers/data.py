"""The real graphs of shared/data, read by their own plain reader, load.py, and not by code of ours.

Where the folder is not beside the repository, `require` skips the module that calls it, and `load` the test, visibly.
"""

from __future__ import annotations

import importlib.util
import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from nearfar import Graph

DATA = Path(__file__).parent.parent.parent.parent / "shared" / "data"
IS_THERE = (DATA / "load.py").exists()
TRUTH = json.loads((DATA / "truth.json").read_text(encoding="utf8")) if IS_THERE else {}


def require():
    """Skip the module, or the test, that needs the real graphs, where they are missing."""
    if not IS_THERE:
        pytest.skip("the real graphs of shared/data are not beside the repository", allow_module_level=True)


def real(name):
    """Return the path of a real graph; a missing file is a visible skip."""
    require()
    if not (DATA / name).exists():
        pytest.skip(f"shared/data has no {name}")
    return DATA / name


@lru_cache(maxsize=1)
def loader():
    """Return the module that reads the real graphs plainly, with code that is not ours."""
    spec = importlib.util.spec_from_file_location("shared_data_load", real("load.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@lru_cache(maxsize=2)  # the tests of one graph follow each other
def load(name):
    """Return what the reader gives and the graph made of it; a missing file is a visible skip."""
    require()
    found = next((path for path in (name, name + ".gz", name + ".xz") if (DATA / path).exists()), None)
    if found is None:
        pytest.skip(f"shared/data has no {name}")
    raw = loader().load(found)
    return raw, Graph.from_arcs(raw["src"], raw["dst"], raw["w"], raw["n"], undirected=not raw["directed"])


def wide(dist, unreached):
    """Return integer distances as int64, with another mark for unreached."""
    return np.where(dist == np.iinfo(dist.dtype).max, unreached, dist).astype("<i8")
