"""Work on threads: who does it, who is waited for, and what becomes of failures."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from helpers.marks import HANG
from nearfar.devices import cpu


@pytest.fixture
def stop():
    return np.zeros(1, np.int64)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_caller_joins_in(stop, threads):
    seen, together = {}, threading.Barrier(threads)  # a thread that is gone may pass its identity on

    def work(t):
        seen[t] = threading.get_ident()
        together.wait(HANG)

    cpu.run(work, threads, stop, join=True)
    assert sorted(seen) == list(range(threads))
    assert seen[0] == threading.get_ident() and len(set(seen.values())) == threads


def test_the_caller_stays_out(stop):
    seen = []
    cpu.run(lambda t: seen.append(threading.get_ident()), 1, stop)
    assert seen != [threading.get_ident()]


def test_who_says_that_all_is_done_ends_the_wait(stop):
    """The other thread is held until the wait is over: it cannot have been waited for."""
    held, left = threading.Event(), threading.Event()

    def work(t):
        if t == 0:
            return True
        held.wait(HANG)
        left.set()
        return None

    cpu.run(work, 2, stop, join=True)
    assert not left.is_set()
    held.set()
    assert left.wait(HANG)


@pytest.mark.parametrize("join", [False, True])
@pytest.mark.parametrize("failing", [0, 1])
def test_failures_stop_the_others_and_are_raised(stop, join, failing):
    def work(t):
        if t == failing:
            raise KeyError("broken")
        while not stop[0]:
            time.sleep(0.001)

    with pytest.raises(KeyError, match="broken"):
        cpu.run(work, 2, stop, join=join)


@pytest.mark.parametrize("threads", [0, 1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 7, 100])
def test_sharing_out(stop, threads, count):
    workers, done = [], []

    def new_worker():
        workers.append(threading.get_ident())
        return done.append

    cpu.share_out(new_worker, count, threads, stop)
    assert sorted(done) == list(range(count))
    assert len(workers) == max(1, min(threads, count))
    assert (threads == 0) == (workers == [threading.get_ident()])


def test_sharing_stops(stop):
    done = []

    def new_worker():
        def do(i):
            done.append(i)
            if i == 3:
                stop[0] = 1

        return do

    cpu.share_out(new_worker, 1000, 1, stop)
    assert done == [0, 1, 2, 3]
