"""Ways for small graphs to reach what only large ones do: arcs and rows in batches, fat vertices, full stages."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import replace

import pytest

from helpers.stopping import planned
from nearfar.devices import opencl
from nearfar.engine import solve
from nearfar.gpu import GPU_METHODS, launch_loop
from nearfar.gpu import arc_batches as gpu_stream
from nearfar.gpu import delta as gpu_delta
from nearfar.gpu import edge as gpu_edge
from nearfar.gpu import layout as gpu_layout
from nearfar.gpu import planning as gpu_plan
from nearfar.gpu import run as gpu_run
from nearfar.gpu import work as gpu_work
from nearfar.methods import METHODS

DEVICE = "opencl"
ALL = tuple(name for name in GPU_METHODS if not METHODS[name].rounds)  # alike to the bit
STREAMING = tuple(name for name in ALL if GPU_METHODS[name].streams)
NEGATIVE = tuple(name for name in ALL if METHODS[name].negative_weights)


@contextmanager
def streaming(least=1):
    """Arcs never lie on the device all at once, and a batch may have so few arcs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu_layout, "_resident", lambda *sizes: 2**62)
        patch.setattr(gpu_layout, "MIN_BATCH", least)
        yield


@contextmanager
def few_pending():
    """What is pending is always little enough to be copied by itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu_stream, "FEW_WORTH", 0)
        patch.setattr(gpu_stream, "FEW_ARCS", 1)
        yield


@contextmanager
def tiny_tuning(size=3):
    """Groups of three, vertices fat from three arcs on, in parts of three; four entries in a stage; two are many.

    A vertex with more than four arcs is a hub, and a work-item takes two arcs in a row.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in (gpu_layout, gpu_work):
            for name, value in (("THIN", 2), ("PART", 3)):
                patch.setattr(module, f"HOST_{name}", value)
        patch.setattr(gpu_work, "tuning", lambda gpu: {"THIN": 2, "PART": 3, "STAGE": 4, "HUB": 4, "RUN": 2})
        patch.setattr(gpu_delta, "GPU_HUB", 4)
        patch.setattr(gpu_work, "LEAST_SMALL", 2)
        patch.setattr(gpu_work, "SMALL_ARCS", 0)
        patch.setattr(gpu_plan, "HOST_GROUP_SIZE", size)
        patch.setattr(gpu_plan, "HOST_ROW_GROUP_SIZE", size)
        patch.setattr(gpu_plan, "HOST_GROUPS", 1)  # a core, so that groups take several rows in one launch
        yield


@contextmanager
def short_launches(units, arcs=100):
    """A launch does at most so many units per group, and so many arcs in total; two entries are many."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (launch_loop, gpu_run):
            patch.setattr(module, "launch_units", lambda work: units)
        patch.setattr(launch_loop, "LAUNCH_SECONDS", 0)  # never more units than these
        for module in (gpu_edge, gpu_work):
            patch.setattr(module, "LAUNCH_ARCS", arcs)
        patch.setattr(gpu_work, "LEAST_SMALL", 2)
        patch.setattr(gpu_work, "SMALL_ARCS", 0)
        yield


@contextmanager
def rows_in_turn(in_turn=True):
    """All groups settle one row after the other, however small the graph is; or (False) never do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu_plan, "rows_in_turn", lambda *numbers: in_turn)
        yield


@contextmanager
def pretending(**facts):
    """Let the device say other things of itself, such as gpu=True."""
    given = opencl.OpenCL.facts.fget
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opencl.OpenCL, "facts", property(lambda device: replace(given(device), **facts)))
        yield


def let_auto_take_gpus(monkeypatch):
    """For any work, whatever the model expects."""
    monkeypatch.setattr(gpu_plan, "AUTO_GPU_WORK", 0)
    monkeypatch.setattr(solve, "GPU_MARGIN", math.inf)


@contextmanager
def two_buffers():
    """Where memory allows, rows are copied to the host while the next are settled, also if the device is a CPU."""
    row_buffers = gpu_layout._row_buffers
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gpu_layout, "_row_buffers", lambda *sizes: row_buffers(*sizes[:-1], True))
        yield


def least_memory(is_enough, most=2**40):
    """Return the fewest bytes with which something holds that holds with all larger figures."""
    low, high = 0, most
    assert is_enough(high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def memory_for(batches, graph, sources=None, **options):
    """Return bytes with which the arcs come in so many batches, or in fewer where no figure gives so many."""

    def is_enough(memory):
        plan = planned(graph, sources, device=DEVICE, memory=memory, **options)
        return bool(plan.layouts) and plan.arc_batches <= batches

    return least_memory(is_enough)
