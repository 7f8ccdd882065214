"""How far the host launches ahead of the device: with a clock of our own, so that no load changes it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearfar.gpu import launch_loop
from nearfar.gpu.launch_loop import LaunchLoop
from nearfar.gpu.tuning import LAUNCH_SECONDS, LAUNCHES_AHEAD


def run(durations):
    """Run a loop whose launches take these times, one after the other; return how many went before each look."""
    now, series, left = 0.0, [], list(durations)

    def launch(count, budget):
        nonlocal now
        series.append(min(count, len(left)))
        now += sum(left[:count])
        del left[:count]

    problem = SimpleNamespace(graph=SimpleNamespace(min_weight=0, n=1000))
    controls = SimpleNamespace(stop=np.zeros(1, np.int8))
    layout = SimpleNamespace(group_size=256)
    work = SimpleNamespace(problem=problem, controls=controls, layout=layout, meanwhile=lambda: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch_loop, "time", SimpleNamespace(perf_counter=lambda: now))
        LaunchLoop(work).go(launch, lambda: (not left, False), lambda rounds: None, None)
    return series


def test_short_launches_go_far_ahead():
    series = run([1e-5] * 100)
    assert series[:5] == [2, 4, 8, 16, 16] and max(series) == LAUNCHES_AHEAD


def test_long_launches_do_not():
    assert run([0.4 * LAUNCH_SECONDS] * 11) == [2, 2, 2, 2, 2, 1]
    assert run([10.0] * 4) == [2, 1, 1]
    long = run([1e-5] * 30 + [0.4 * LAUNCH_SECONDS] * 20)
    assert long[4:7] == [16, 2, 2], "found out at the first look that takes long"


@given(st.floats(1e-6, 2), st.integers(1, 200))
def test_never_more_than_a_moment_of_work_is_enqueued(seconds, count):
    series = run([seconds] * count)
    assert sum(series) == count
    assert all(some * seconds <= max(LAUNCH_SECONDS * 1.0001, seconds) for some in series[1:])
