"""The bucket queue by itself: what goes in comes out, each entry at its level, whatever the window and the pool."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearfar.kernels.cpu import buckets as q
from nearfar.kernels.cpu.constants import CHUNK
from nearfar.methods import buckets as host


def new_queue(window, entries):
    """Return the arrays of an empty queue."""
    queue = host.Buckets(entries, window).queue
    q.open_queue(queue)
    return queue


def push(queue, current, dist, v):
    q.push_level(queue, np.int64(current), np.int64(dist[v]), np.uint32(v))


def drain(queue, dist, more=()):
    """Take everything out in order of level; vertices in ``more`` are pushed once when half is out."""
    current, out, more = np.int64(0), [], list(more)
    while (current := q.next_level(queue, np.int64(current), np.int64(0), dist)) != q.NOWHERE:
        chunk, size = q.take(queue, current & (len(queue.ends) - 2))
        queue.state[q.NEAR] -= size
        taken = queue.pool[chunk * CHUNK + 1 : chunk * CHUNK + 1 + size].tolist()
        q.release(queue, chunk)
        out += [(int(current), v) for v in taken]
        while more and dist[more[-1]] >= current:
            push(queue, current, dist, more.pop())
    return out


@given(st.lists(st.integers(0, 2000), max_size=400), st.sampled_from([16, 32, 1024]))
def test_entries_come_out_once_and_in_order(levels, window):
    dist = np.array(levels, np.int64)
    queue = new_queue(window, 1000)
    for v in range(len(dist)):
        push(queue, 0, dist, v)
    out = drain(queue, dist)
    assert [level for level, _ in out] == sorted(levels)
    assert sorted(v for _, v in out) == list(range(len(dist)))
    assert all(dist[v] == level for level, v in out)


@given(st.lists(st.integers(0, 500), min_size=1, max_size=300), st.lists(st.integers(500, 900), max_size=300))
def test_entries_pushed_meanwhile(first, later):
    dist = np.array(first + later, np.int64)
    queue = new_queue(16, 1000)
    for v in range(len(first)):
        push(queue, 0, dist, v)
    out = drain(queue, dist, range(len(first), len(dist)))
    assert sorted(v for _, v in out) == list(range(len(dist)))
    assert all(dist[v] == level for level, v in out)


def test_chunks_are_used_again():
    queue = new_queue(16, 200)
    dist = np.zeros(150, np.int64)
    for _ in range(50):
        for v in range(150):
            push(queue, 0, dist, v)
        assert len(drain(queue, dist)) == 150
    assert queue.state[q.FULL] == 0


def test_a_pool_that_is_used_up_says_so():
    queue = new_queue(16, 10)
    dist = np.zeros(10_000, np.int64)
    for v in range(len(dist)):
        push(queue, 0, dist, v)
    assert queue.state[q.FULL] == 1


def test_far_entries_that_improved_are_left_out():
    queue = new_queue(16, 100)
    dist = np.array([1000, 3], np.int64)
    push(queue, 0, dist, 0)  # far
    push(queue, 0, dist, 1)
    dist[0] = 5
    push(queue, 0, dist, 0)
    assert drain(queue, dist) == [(3, 1), (5, 0)]


def test_host_and_kernels_agree_on_the_state():
    assert (host.FULL, host.STATE_SIZE) == (q.FULL, q.STATE_SIZE)


@pytest.mark.parametrize("levels", [0, 1, 14, 15, 5000, np.inf])
def test_windows_are_powers_of_two_within_bounds(levels):
    window = host.window_for(100_000, levels)
    assert window & (window - 1) == 0
    assert 16 <= window <= 1024
    assert window >= min(levels + 2, 1024)
