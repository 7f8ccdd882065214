"""Launches that are short by count, whatever the graph: of sweeps, and of units of equal size."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nearfar.gpu import launch_budget
from nearfar.gpu.launch_budget import Sweep, parts_of
from nearfar.gpu.tuning import LAUNCH_SECONDS, SLOW_BYTES

BUDGET = LAUNCH_SECONDS * SLOW_BYTES


def sweep(sizes, degrees, blocks=1, narrow=4, teams=8, cores=1, lanes=128):
    """Return a sweep over levels of these sizes, whose vertices have these many arcs each."""
    begins = np.concatenate(([0], np.cumsum(sizes)))
    starts = np.concatenate(([0], np.cumsum(np.repeat(degrees, sizes))))
    waves, arc = -(-blocks // cores), blocks * (lanes + 8)
    return Sweep(begins, starts, np.array(degrees), narrow, teams, waves, arc, blocks * 2 * lanes)


def spans(found):
    """Return (is_wide, first, last) of all steps."""
    return [(step.is_wide, step.first, step.last) for step in found.steps()]


def test_steps():
    """Wide levels alone, by positions; short ones together, by levels."""
    sizes = [3, 1, 2, 9, 9, 1, 1, 8]
    assert spans(sweep(sizes, [1] * 8)) == [
        (False, 0, 3), (True, 6, 15), (True, 15, 24), (False, 5, 7), (True, 26, 34),
    ]  # fmt: skip
    assert spans(sweep([5], [0])) == [(True, 0, 5)] and spans(sweep([5], [0], narrow=9)) == [(False, 0, 1)]


def assert_covered(found):
    """Every level is settled once, after all earlier ones, and no launch takes too long, except for one vertex."""
    place = 0
    for step in found.steps():
        first, last = (step.first, step.last) if step.is_wide else found.begins[[step.first, step.last]]
        assert first == place and last > first
        place = last
        if step.is_wide:
            level = np.searchsorted(found.begins, first, "right") - 1
            moved = (found.starts[last] - found.starts[first]) * found.arc_bytes + (last - first) * found.vertex_bytes
            assert last <= found.begins[level + 1] and (moved <= BUDGET or last == first + 1)
        else:
            assert found.seconds_alone()[step.first : step.last].sum() <= LAUNCH_SECONDS * (1 + 1e-9)
    assert place == found.begins[-1]


level = st.tuples(st.integers(1, 300), st.integers(0, 5000))


@given(levels=st.lists(level, min_size=1, max_size=30), blocks=st.integers(1, 3000), narrow=st.sampled_from([0, 64]))
def test_no_launch_takes_long(levels, blocks, narrow):
    sizes, degrees = zip(*levels, strict=True)
    assert_covered(sweep(sizes, degrees, blocks, narrow, cores=4))


def test_a_large_graph():
    """Twenty million vertices in a few levels: 60 million arcs times 128 bytes are eight gigabytes per block."""
    found = sweep([40, 10**6, 19 * 10**6], [50, 3, 3], blocks=2, narrow=64)
    assert_covered(found)
    assert len(found.steps()) == 1 + 1 + 13


def test_many_short_levels():
    """A long path is a hundred thousand levels of one vertex: they come in few launches, none of which is long."""
    found = sweep([1] * 10**5, [2] * 10**5)
    assert_covered(found)
    assert 4 <= len(found.steps()) <= 8
    assert len(sweep([1] * 10**5, [2] * 10**5, blocks=8, cores=2).steps()) > 16  # groups that wait for each other


def test_a_short_level_that_is_slow_for_one_group():
    """Sixty vertices of 50,000 arcs each: all groups settle them, in parts."""
    found = sweep([1, 60], [0, 50_000], blocks=64, narrow=64, cores=8)
    assert spans(found)[0] == (False, 0, 1) and all(step.is_wide for step in found.steps()[1:])
    assert_covered(found)
    assert len(found.steps()) > 10


@given(count=st.integers(0, 10**6), nbytes=st.integers(0, 10**10))
def test_parts(count, nbytes):
    count = min(count, 50) if nbytes > 10**5 else count
    parts = list(parts_of(count, nbytes))
    assert [0, *(last for _, last in parts)] == [*(first for first, _ in parts), count]
    assert all((last - first) * nbytes <= BUDGET or last == first + 1 for first, last in parts)
    assert all(last > first for first, last in parts) and all(b[0] == a[1] for a, b in pairwise(parts))


def test_constants(monkeypatch):
    """A launch is a tenth of a second, by the model of a slow device."""
    assert LAUNCH_SECONDS <= 0.1 and SLOW_BYTES <= 20e9
    monkeypatch.setattr(launch_budget, "LAUNCH_SECONDS", 1e-6)
    assert len(sweep([3, 1, 2], [1, 1, 1]).steps()) > len(sweep([3, 1, 2], [1, 1, 1], blocks=0).steps())
    assert list(parts_of(3, 10**5)) == [(0, 1), (1, 2), (2, 3)]
