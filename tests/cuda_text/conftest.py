"""The CUDA text executed on the CPU: helpers/cuda_text."""

from __future__ import annotations

import pytest

from helpers.cuda_text import compiler
from helpers.cuda_text.standin import install

NO_COMPILER = compiler.missing()
needs_compiler = pytest.mark.skipif(NO_COMPILER is not None, reason=str(NO_COMPILER))


def pytest_collection_modifyitems(items):
    """Skip, visibly, what cannot run without g++."""
    for item in items:
        if "cupy" in getattr(item, "fixturenames", ()):
            item.add_marker(needs_compiler)


@pytest.fixture
def cupy(monkeypatch):
    """Let ``import cupy`` find the stand-in; blocks of 32 threads, which yield now and then."""
    return install(monkeypatch, yields=50)
