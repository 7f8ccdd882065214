"""Devices for tests: PoCL as it is, and PoCL behind the calls that devices/cuda.py makes of CuPy."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from nearfar.devices import cuda, opencl, text

TOY = """// needs: halves.cl
KERNEL void add(GLOBAL i32 *a, GLOBAL const i32 *b, i32 count)
{
    for (i64 i = (i64)GROUP_ID * LOCAL_SIZE + LOCAL_ID; i < count; i += (i64)GROUPS * LOCAL_SIZE)
        a[i] += halved(b[i]) + STEP;
}

KERNEL void scale(GLOBAL f64 *a, f32 small, f64 large, i64 shift)
{
    a[0] = small * large + (f64)shift;
}

KERNEL void spin(GLOBAL i32 *a, i32 rounds)
{
    volatile i32 sink = 0;
    for (i32 i = 0; i < rounds; ++i)
        sink += i;
    ATOMIC_ADD(a, 1);
}
"""
HALVES = """DEVICE i32 halved(i32 x) { return x / 2; }
"""
TYPES = {"DIST": 1, "WEIGHT": 1, "OFFSET": 1, "STEP": 1}
NO_DEVICE = opencl.missing()
needs_opencl = pytest.mark.skipif(NO_DEVICE is not None, reason=str(NO_DEVICE))


def pytest_collection_modifyitems(items):
    """Skip, visibly, what cannot run without an OpenCL driver."""
    for item in items:
        if {"device", "kinds"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(needs_opencl)


def standin():
    """Load the stand-in for CuPy."""
    spec = importlib.util.spec_from_file_location("standin", Path(__file__).parent.parent / "helpers" / "standin.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.make()


@pytest.fixture
def texts(tmp_path, monkeypatch):
    """Put toy kernels where programs are read from."""
    for name in ("opencl.h", "cuda.h", "types.h", "fill.cl"):
        shutil.copy(text.FOLDER / name, tmp_path)
    (tmp_path / "toy.cl").write_text(TOY)
    (tmp_path / "halves.cl").write_text(HALVES)
    (tmp_path / "broken.cl").write_text("KERNEL void broken(GLOBAL i32 *a) { a[0] = nothing; }\n")
    monkeypatch.setattr(text, "FOLDER", tmp_path)
    return tmp_path


@pytest.fixture
def cupy(monkeypatch):
    """Let ``import cupy`` find the stand-in."""
    module = standin()
    monkeypatch.setitem(sys.modules, "cupy", module)
    monkeypatch.setattr(cuda, "_opened", {})
    return module


@pytest.fixture(params=["opencl", "cuda"])
def device(request, texts, monkeypatch):
    """Open a fresh device."""
    monkeypatch.setattr(opencl, "_opened", {})
    if request.param == "cuda":
        request.getfixturevalue("cupy")
    return {"opencl": opencl, "cuda": cuda}[request.param].open_device(0)
