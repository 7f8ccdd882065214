"""The partition of many arcs on all threads: the same rows as NumPy's stable sort, for all sizes of its parts."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearfar.devices import cpu
from nearfar.graph import arrays, blocks, partition
from nearfar.graph import rows as layout
from nearfar.graph.arrays import Weights
from nearfar.graph.graph import Graph

WEIGHTS = (None, np.int32, np.int64, np.float32, np.float64)


@st.composite
def cases(draw):
    """Draw n, tails, heads and weights; ends of several types, sometimes in order, backwards or read-only."""
    n, m = draw(st.integers(1, 40)), draw(st.integers(1, 60))
    ends = [draw(st.lists(st.integers(0, n - 1), min_size=m, max_size=m)) for _ in range(2)]
    tails, heads = (np.array(end, draw(st.sampled_from(["i4", "i8", "u2", ">i4"]))) for end in ends)
    tails = np.sort(tails) if draw(st.booleans()) else tails
    if draw(st.booleans()):
        tails.flags.writeable = False
    heads = heads[::-1] if draw(st.booleans()) else heads
    kind = draw(st.sampled_from(WEIGHTS))
    values = np.arange(1, m + 1) * 3
    return n, tails, heads, None if kind is None else Weights(values.astype(kind), np.dtype(kind), False)


SIZES = st.tuples(st.integers(1, 4), st.integers(1, 20), st.integers(1, 20), st.integers(1, 3))


def make_tiny(patch, threads, block, buckets, parts):
    """Let all graphs take the partition, with tiny blocks, few buckets and parts."""
    facts = dataclasses.replace(cpu.facts(), cores=threads)
    patch.setattr(cpu, "facts", lambda: facts)
    for module, name, value in (
        (layout, "MANY", 1),
        (layout, "MANY_ROWS", 1),
        (blocks, "BLOCK", block),
        (partition, "MOST_BUCKETS", buckets),
        (partition, "BUCKET", 1),
        (partition, "PARTS", parts),
    ):
        patch.setattr(module, name, value)


def assert_same(found, expected):
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()


@given(cases(), st.booleans(), st.booleans(), SIZES)
@settings(deadline=None)  # the first example compiles
def test_the_partition_and_numpy_lay_out_alike(case, both, keep, given_sizes):
    n, *arcs = case
    slow = layout.arcs_to_rows(n, *arcs, both, keep=keep)
    with pytest.MonkeyPatch.context() as patch:
        make_tiny(patch, *given_sizes)
        fast = layout.arcs_to_rows(n, *arcs, both, few=-1, keep=keep)
        assert_same(fast.offsets, slow.offsets)
        assert_same(fast.arcs, slow.arcs)
        assert fast.input_rows.known == slow.input_rows.known == keep
        if keep:
            assert fast.input_rows.in_order == slow.input_rows.in_order
            ends = slow.offsets, slow.arcs["head"]
            assert_same(fast.input_rows.of(*ends), slow.input_rows.of(*ends))


@given(cases(), st.booleans(), SIZES)
@settings(deadline=None, max_examples=30)
def test_offsets_of_64_bits_count_the_same(case, both, given_sizes):
    n, *arcs = case
    slow = layout.arcs_to_rows(n, *arcs, both)
    with pytest.MonkeyPatch.context() as patch:
        make_tiny(patch, *given_sizes)
        patch.setattr(partition, "offset_type", lambda m: np.int64)  # as from 2**31 arcs on
        fast = layout.arcs_to_rows(n, *arcs, both, few=-1)
        turned = layout.reverse_rows(fast.offsets, fast.arcs, few=-1)
    assert fast.offsets.dtype == turned[0].dtype == np.int64
    assert fast.offsets.tolist() == slow.offsets.tolist()
    assert fast.arcs.tolist() == slow.arcs.tolist()
    assert turned[1].tolist() == layout.reverse_rows(slow.offsets, slow.arcs)[1].tolist()


@given(cases(), SIZES)
@settings(deadline=None)
def test_the_partition_and_numpy_reverse_alike(case, given_sizes):
    n, *arcs = case
    graph = layout.arcs_to_rows(n, *arcs)
    slow = layout.reverse_rows(graph.offsets, graph.arcs)
    with pytest.MonkeyPatch.context() as patch:
        make_tiny(patch, *given_sizes)
        fast = layout.reverse_rows(graph.offsets, graph.arcs, few=-1)
    assert_same(fast[0], slow[0])
    assert_same(fast[1], slow[1])


@given(st.lists(st.floats(width=32), min_size=1, max_size=40), st.integers(1, 4), st.sampled_from(["f4", "f8", ">f4"]))
@settings(deadline=None)
def test_threads_find_the_extremes_that_numpy_finds(values, threads, dtype):
    array = np.array(values, dtype)
    with pytest.MonkeyPatch.context() as patch:
        facts = dataclasses.replace(cpu.facts(), cores=threads)
        patch.setattr(cpu, "facts", lambda: facts)
        patch.setattr(arrays, "PART", 7)
        patch.setattr(arrays, "FEW_PARTS", 0)
        found = arrays.extremes(array)
    assert np.array_equal(found, (array.min(), array.max()), equal_nan=True)


@pytest.mark.parametrize("n", [1, 2, 255, 256, 257, 65_536, 2**24 + 1, 2**31 - 1])
@pytest.mark.parametrize("m", [1, 10**6, 10**9])
def test_buckets_hold_all_rows_and_low_bits_fit(n, m):
    shift = partition.choose_shift(n, m)
    assert 0 <= shift <= partition.LOW_BITS
    buckets = (n - 1 >> shift) + 1
    assert buckets <= max(partition.MOST_BUCKETS, -(-n >> partition.LOW_BITS) + 1)


def test_many_arcs_go_through_the_partition():
    rng = np.random.default_rng(0)
    m, n = layout.MANY, layout.MANY_ROWS
    tails, heads = rng.integers(0, n, (2, m), dtype=np.int32)
    pieces = [(tails[: m // 3].copy(), heads[: m // 3], None), (tails[m // 3 :], heads[m // 3 :], None)]
    order = np.argsort(tails, kind="stable")
    rows = layout.pieces_to_rows(n, pieces)
    assert pieces == []
    assert (rows.arcs["head"] == heads[order]).all()
    assert (np.diff(rows.offsets) == np.bincount(tails, minlength=n)).all()
    assert (rows.input_rows.of(rows.offsets, rows.arcs["head"]) == order).all()
    graph = Graph.from_arcs(tails, heads, n=n)
    assert (graph.reverse().reverse().offsets == graph.offsets).all()


def test_an_interrupt_ends_the_partition(monkeypatch):
    def interrupted(self, i, out):
        raise KeyboardInterrupt

    monkeypatch.setattr(blocks.PieceBlocks, "take", interrupted)
    monkeypatch.setattr(layout, "MANY", 1)
    monkeypatch.setattr(layout, "MANY_ROWS", 1)
    ends = np.array([2, 0, 1], np.int32)
    with pytest.raises(KeyboardInterrupt):
        layout.arcs_to_rows(3, ends, ends, None, few=-1)


@pytest.mark.parametrize("step", ["ends", "take"])
@pytest.mark.parametrize("ascending", [False, True])
def test_a_raised_flag_ends_a_part_at_the_next_block(monkeypatch, step, ascending):
    """A part of a large graph takes longer than an interrupted caller waits for its threads."""
    flags, seen, share_out, do = [], [], cpu.share_out, getattr(blocks.PieceBlocks, step)

    def noting(new_worker, count, threads, stop, watch=None):
        flags.append(stop)
        share_out(new_worker, count, 1, stop, watch)

    def raising(self, i, *rest):
        seen.append(i)
        flags[-1][0] = 1
        return do(self, i, *rest)

    monkeypatch.setattr(cpu, "share_out", noting)
    monkeypatch.setattr(blocks, "BLOCK", 4)
    monkeypatch.setattr(partition, "PARTS", 1)
    monkeypatch.setattr(partition, "_sort_buckets", lambda *unsorted: None)
    tails = np.arange(40, dtype=np.int32)[:: 1 if ascending else -1]
    counted = partition.count(40, blocks.PieceBlocks([(tails, tails, None)]), both=False)
    monkeypatch.setattr(blocks.PieceBlocks, step, raising)
    if step == "ends":
        partition.count(40, counted.blocks, both=False)
    else:
        partition.sort(counted)
    assert seen == [0]
