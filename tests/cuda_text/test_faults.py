"""Mistakes planted in the CUDA text are caught: a check that cannot fail would be worth nothing."""

from __future__ import annotations

import pytest

from helpers.cuda_text import compiler, sanitizing
from helpers.cuda_text.faults import LAUNCHES, SANITIZED
from helpers.cuda_text.standin import WrongLaunchError, as_value
from helpers.marks import needs_jit
from helpers.shrinking import shrink
from helpers.small_queries import BATCH, checks


def name_of(fault):
    return fault.name


@needs_jit
@pytest.mark.parametrize("fault", [None, *LAUNCHES], ids=lambda fault: fault.name if fault else "none")
def test_launches(cupy, fault, monkeypatch):
    """The stand-in compares arguments with the kernel's, and all threads of a block must reach a barrier."""
    shrink(monkeypatch, MIN_BATCH=BATCH)
    (check,) = [c for c in checks("cuda") if (c.graph, c.method, c.dtype, c.size) == ("random", "edge", "int32", 4)]
    if fault is None:
        assert check.run() == []
        return
    cupy.options.faults = ((fault.old, fault.new),)
    with pytest.raises(WrongLaunchError, match=fault.caught):
        check.run()


def test_arguments_have_a_size():
    """What CuPy would pass as it thinks fit is refused."""
    with pytest.raises(WrongLaunchError, match="not a number of NumPy"):
        as_value(3)


@pytest.mark.thorough
@pytest.mark.skipif(compiler.missing() is not None, reason=str(compiler.missing()))
@pytest.mark.parametrize("fault", SANITIZED, ids=name_of)
def test_sanitizers(fault):
    if compiler.runtime(fault.mode) is None:
        pytest.skip(f"{compiler.RUNTIMES[fault.mode]} is not installed")
    outcome = sanitizing.run(fault.mode, fault)
    assert any(fault.caught in report for report in outcome.reports), outcome
