"""Atomics do what they say when threads fight over one element, for every type of distance."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from helpers.marks import needs_jit
from nearfar.kernels.cpu.atomics import add, load, store, swap_if
from nearfar.kernels.cpu.relax import lower
from nearfar.kernels.jit import kernel


@kernel
def count_up(counter, times):
    for _ in range(times):
        add(counter, 0, 1)


@kernel
def lower_all(cell, offers):
    won = 0
    for offer in offers:
        if lower(True, cell, 0, offer):
            won += 1
    return won


@kernel
def exchange(cell, expected, value):
    return swap_if(cell, 0, expected, value)


@kernel
def copy(source, target):
    store(target, 0, load(source, 0))


def in_threads(work, count=4):
    crew = [threading.Thread(target=work, args=(t,)) for t in range(count)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()


@needs_jit
def test_no_addition_is_lost():
    counter = np.zeros(1, np.int64)
    in_threads(lambda t: count_up(counter, 100_000))
    assert counter[0] == 400_000


@needs_jit
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_the_least_offer_wins(dtype):
    rng = np.random.default_rng(1)
    for _ in range(20):
        cell = np.array([np.iinfo(dtype).max if np.dtype(dtype).kind == "i" else np.inf], dtype)
        offers = rng.integers(0, 10**6, (4, 20_000)).astype(dtype)
        in_threads(lambda t, cell=cell, offers=offers: lower_all(cell, offers[t]))
        assert cell[0] == offers.min()


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_swap_only_what_was_expected(dtype):
    cell = np.array([5], dtype)
    assert not exchange(cell, dtype(4), dtype(3))
    assert cell[0] == 5
    assert exchange(cell, dtype(5), dtype(3))
    assert cell[0] == 3


def test_load_and_store():
    source, target = np.array([7], np.int64), np.zeros(1, np.int64)
    copy(source, target)
    assert target[0] == 7
