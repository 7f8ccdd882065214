"""Several batches in one call give what single batches give, to the bit; and all rows are right whatever is asked."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.marks import JIT
from helpers.problems import problem_for
from helpers.shapes import KINDS, SHAPES, any_shape, rows_of, same, shaped, wild
from nearfar.elimination import sweep
from nearfar.elimination.folds import Wanted, new_folds
from nearfar.elimination.layout import new_lanes
from nearfar.elimination.sweep import EACH_ALONE, Sweeper, batches_per_call, in_lanes, words_of_marks
from nearfar.kernels.cpu.batches import sort_marked
from nearfar.kernels.cpu.constants import LANES
from nearfar.kernels.cpu.folds import sweep_folds
from nearfar.methods import prepared as method
from nearfar.results import limits
from nearfar.results.limits import unreached

EXAMPLES = 6 if JIT else 2
TYPES = {"int32": "int64", "int64": "int64", "float32": "float32", "float64": "float64"}  # that hold all distances
MARK = 77  # what rows hold before they are settled


@contextmanager
def calls_of(steps, each=1):
    """Settle rows with about so many steps per call, and at least ``each`` calls per thread; never all at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "CALL_STEPS", steps)
        patch.setattr(sweep, "CALLS_PER_THREAD", each)
        for module in (sweep, method):
            patch.setattr(module, "SMALL_WORK", 0)
        yield


@given(st.data(), st.sampled_from([1, 64, 65, 4096, 4097, 300_000]))
def test_sorting_by_marks(data, n):
    entries = data.draw(st.lists(st.integers(0, n - 1), unique=True, max_size=200))
    marks = np.zeros(words_of_marks(n), np.uint64)
    found = np.array([*entries, -5], np.int32)
    sort_marked(found, len(entries), marks, -(-n // 64))
    assert found.tolist() == [*sorted(entries), -5] and not marks.any()


@given(st.integers(1, 60), st.integers(1, LANES))
def test_entries_in_lanes(count, size):
    """Every batch has the next few entries, and its last entry in the lanes that are left."""
    lanes = in_lanes(100 + np.arange(count), size)
    assert lanes.flags.c_contiguous  # kernels are compiled for that
    for b, row in enumerate(lanes.tolist()):
        wanted = list(range(100 + b * size, 100 + min((b + 1) * size, count)))
        assert row == wanted + [wanted[-1]] * (LANES - len(wanted))


def test_batches_per_call():
    """About CALL_STEPS steps, but a few calls per thread; little work is done in one call."""
    small, large = (SimpleNamespace(n=n, down_arcs=range(3 * n)) for n in (1_000, 10**6))
    assert batches_per_call(small, 10**6, 2) == sweep.CALL_STEPS // 4_000
    assert batches_per_call(small, 12 * sweep.CALLS_PER_THREAD * 2, 2) == 12
    assert [batches_per_call(small, count, 2) for count in (0, 1, 3)] == [1, 1, 3]
    assert batches_per_call(large, 10**4, 2) == 1


def one_by_one(sweeper, seeds, out, bases, limit):
    """Settle batches as tables do, with a call per step."""
    for some, where in zip(seeds, bases, strict=True):
        sweeper.rows(some, EACH_ALONE, out, where, limit, unreached(out.dtype))


def sums_of(sweeper, seeds):
    """Add up the rows of several batches in one call."""
    folds = new_folds(Wanted(sums=True), None, None, len(seeds), sweeper.layout)
    sweeper.fold(seeds, None, folds, sweeper.layout.limit)
    return folds.sums


def sums_one_by_one(sweeper, seeds):
    """Add up rows with a call per step."""
    layout = sweeper.layout
    sums = new_lanes(len(seeds), np.dtype("float64" if layout.dtype.kind == "f" else "int64"))
    for b, some in enumerate(seeds):
        index, touched = sweeper.climb(some, EACH_ALONE)
        given = index, touched, sweeper.offers, b, sums, *[None] * 7, layout.limit, sweeper.stop
        sweep_folds(layout.down, layout.couples, None, sweeper.dist, *given)
    return sums


def check_space(sweeper):
    """Check what the next batch relies on: no mark is left, and just the vertices touched have offers."""
    touched = sweeper.touched[: sweeper.count]
    assert not sweeper.marks.any()
    assert np.array_equal(np.flatnonzero(sweeper.index >= 0), touched)
    assert sorted(sweeper.index[touched].tolist()) == list(range(sweeper.count))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES)
@given(
    seed=st.integers(0, 10**6),
    undirected=st.booleans(),
    shape=any_shape,
    batches=st.integers(1, 5),
    skip=st.integers(0, 16),
    past=st.sampled_from([0, 2**60]),
    share=st.floats(0, 1),
)
def test_batches_in_one_call(kind, seed, undirected, shape, batches, skip, past, share):
    graph, rng = wild(seed, kind, undirected), np.random.default_rng(seed)
    with shaped(**shape, past=past):
        hierarchy = nearfar.prepare(graph).hierarchy
        layout, stop = hierarchy.layout, np.zeros(1, np.int64)
        sweeper, other = (Sweeper(layout, hierarchy.core, stop) for _ in range(2))
        limit = min(layout.limit, layout.dtype.type(min(1e9, 300 * share)))
        for _ in range(2):  # the second time, the work space was used before
            seeds = layout.positions[rng.integers(0, graph.n, (batches, LANES))]
            bases = rng.permutation(batches * LANES).reshape(batches, LANES) * graph.n + skip
            found, wanted = (np.full(skip + batches * LANES * graph.n, MARK, layout.dtype) for _ in range(2))
            sweeper.batches(seeds, found, bases, limit, unreached(layout.dtype))
            one_by_one(other, seeds, wanted, bases, limit)
            assert np.array_equal(found, wanted) and (found[:skip] == MARK).all()
            check_space(sweeper)
            assert np.array_equal(sums_of(sweeper, seeds), sums_one_by_one(other, seeds))
            check_space(sweeper)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES)
@given(
    seed=st.integers(0, 10**6),
    shape=any_shape,
    count=st.integers(2, 400),
    threads=st.integers(1, 3),
    steps=st.sampled_from([1, 3000, 2**60]),
    cutoff=st.none() | st.integers(0, 400) | st.floats(0, 400),
    dtype=st.sampled_from([None, "int64", "float64"]),
    skip=st.none() | st.integers(0, 65),
)
def test_rows_of_any_query(kind, seed, shape, count, threads, steps, cutoff, dtype, skip):
    graph = wild(seed, kind)
    if kind.startswith("float"):
        dtype = None  # sums of another type are not what the other method gives
    sources = np.random.default_rng(seed).integers(0, graph.n, count)
    wanted = rows_of(graph)[sources]
    wanted[wanted > (np.inf if cutoff is None else cutoff)] = np.inf
    with shaped(**shape), calls_of(steps):
        prepared = nearfar.prepare(graph)
        out = room_for(skip, (count, graph.n), np.dtype(dtype or TYPES.get(kind, "int32")))
        found = prepared.mssp(
            sources, threads=threads, cutoff=cutoff, dtype=None if out is not None else dtype, out=out
        )
        assert same(found.dist, wanted)
        assert out is None or np.shares_memory(found.dist, out)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES)
@given(
    seed=st.integers(0, 10**6),
    cutoff=st.none() | st.integers(0, 400),
    wide=st.booleans(),
    marked=st.booleans(),
)
def test_rows_that_are_finished(kind, seed, cutoff, wide, marked):
    """Where it is said that nothing is left to do for settled rows, finishing them one by one changes none."""
    graph = wild(seed, kind)
    dtype = np.dtype(TYPES.get(kind, "int64" if wide else "int32"))
    prepared = nearfar.prepare(graph)
    rows = prepared.mssp(np.arange(20), cutoff=cutoff, out=np.zeros((20, graph.n), dtype)).dist
    ceiling, _ = limits.ceiling_and_zero(graph, cutoff, dtype)
    ends, longest = (graph, cutoff, None, ceiling), prepared.hierarchy.high
    said = limits.are_finished(*ends, dtype, longest, marked)
    assert not limits.are_finished(graph, cutoff, np.array([0]), ceiling, dtype, longest, marked)
    if marked and (cutoff is None or kind != "negative"):
        assert said
    if not marked:
        rows = np.where(rows == unreached(dtype), dtype.type(ceiling), rows)
    for row in rows if said else ():
        found = row.copy()
        assert limits.finish_row(*ends, found, longest) and np.array_equal(found, row)


def room_for(skip, shape, dtype):
    """Return an array that begins so many bytes into other memory, perhaps inside an entry; or None."""
    if skip is None:
        return None
    size = shape[0] * shape[1] * dtype.itemsize
    return np.zeros(size + skip, np.uint8)[skip:].view(dtype).reshape(shape)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_rows_that_are_not_contiguous(order, dtype):
    graph = nearfar.generate.road_grid(12, 12, seed=1)
    wanted = nearfar.apsp(graph, method="dijkstra").dist
    for count in (1, 50):
        problem, _, controls = problem_for(graph, np.arange(count), dtype)
        rows = np.zeros((2 * count, graph.n), dtype, order)[::2]
        with calls_of(2000):
            method.many(problem, rows, controls)
        assert np.array_equal(rows, wanted[:count])


@pytest.mark.parametrize("shape", ["usual", "small core", "closed core"])
@pytest.mark.parametrize("kind", ["int64", "float64", "negative"])
def test_sums_of_any_number_of_rows(kind, shape):
    graph = wild(3, kind)
    wanted = rows_of(graph)
    wanted = np.where(np.isinf(wanted), 0, wanted).sum(axis=1)
    with shaped(**SHAPES[shape]):
        prepared = nearfar.prepare(graph)
        for steps in (1, 2000, 2**60):
            with calls_of(steps):
                for count in (1, 16, 17, 100):
                    found = prepared.row_sums(np.arange(count) % graph.n, threads=2)
                    assert np.allclose(found, wanted[np.arange(count) % graph.n], rtol=1e-12, atol=0)


@pytest.mark.skipif(not JIT, reason="the flag is read from the memory that rows are written to")
@pytest.mark.parametrize("shape", ["usual", "small core", "closed core"])
def test_a_flag_raised_between_two_batches(shape):
    """The second of four batches raises the flag itself, by writing a distance over it: the third is not settled."""
    graph = wild(2, "int64", undirected=True)
    with shaped(**SHAPES[shape]):
        hierarchy = nearfar.prepare(graph).hierarchy
    layout = hierarchy.layout
    assert layout.dtype == np.int64
    sources = np.arange(4 * LANES) % graph.n
    seeds = layout.positions[sources].reshape(4, LANES)
    bases = np.arange(4 * LANES).reshape(4, LANES) * graph.n
    wanted = np.empty(4 * LANES * graph.n, np.int64)
    sweeper = Sweeper(layout, hierarchy.core, np.zeros(1, np.int64))
    sweeper.batches(seeds, wanted, bases, layout.limit, unreached(layout.dtype))
    found = np.zeros_like(wanted)
    at = LANES * graph.n + int(np.flatnonzero(wanted[LANES * graph.n :])[0])
    sweeper.stop = found[at : at + 1]
    sweeper.batches(seeds, found, bases, layout.limit, unreached(layout.dtype))
    half = 2 * LANES * graph.n
    assert found[at] and np.array_equal(found[: half // 2], wanted[: half // 2]) and not found[half:].any()
    before = sweeper.touched[: sweeper.count].copy()
    sums_of(sweeper, seeds)  # the flag is still raised: no batch is begun
    assert np.array_equal(sweeper.touched[: sweeper.count], before)
    check_space(sweeper)
    sweeper.stop = np.zeros(1, np.int64)
    sweeper.batches(seeds, found, bases, layout.limit, unreached(layout.dtype))
    assert np.array_equal(found, wanted)
    check_space(sweeper)


@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_a_run_that_ends_early(dtype):
    """When the first finished row raises the flag, no other row is finished and no other call is begun."""
    graph = nearfar.generate.road_grid(12, 12, seed=1)
    problem, rows, controls = problem_for(graph, np.arange(100), dtype)
    done = controls.done

    def finish(r):
        done.append(r)
        controls.stop[0] = 1

    controls.finish = finish
    with calls_of(1):
        relaxed = method.many(problem, rows, controls)
    assert len(done) == 1 and relaxed > 0
    settled = np.flatnonzero((rows != MARK).any(axis=1))
    assert len(settled) == LANES and done[0] in settled
    assert np.array_equal(rows[done[0]], nearfar.sssp(graph, done[0], method="dijkstra").dist)


def test_rows_are_finished_once():
    graph = nearfar.generate.road_grid(12, 12, seed=1)
    for count in (2, 16, 50, 144):
        for steps in (1, 2000, 2**60):
            problem, rows, controls = problem_for(graph, np.arange(count), threads=2)
            with calls_of(steps):
                method.many(problem, rows, controls)
            assert sorted(controls.done) == list(range(count))


@pytest.mark.parametrize("options", [{}, {"cutoff": 40}, {"dtype": "int64"}, {"dtype": "int64", "cutoff": 40}])
def test_progress_counts_every_row(options):
    graph, seen = nearfar.generate.road_grid(12, 12, seed=1), []
    with calls_of(3000):
        nearfar.prepare(graph).mssp(np.arange(100), progress=lambda now, of: seen.append((now, of)), **options)
    assert seen[-1] == (100, 100)


def test_a_distance_that_does_not_fit():
    """Rows of int32 are given up when one is too long, and settled as int64."""
    n = 40
    graph = nearfar.Graph.from_arcs(np.arange(n - 1), np.arange(1, n), np.full(n - 1, 2**27, np.int64), n=n)
    wanted = nearfar.apsp(graph, method="dijkstra").dist
    with calls_of(1):
        found = nearfar.prepare(graph).apsp(threads=2).dist
    assert found.dtype == wanted.dtype == np.int64 and np.array_equal(found, wanted)
    with pytest.raises(nearfar.errors.DistanceOverflowError):
        nearfar.prepare(graph).apsp(out=np.zeros((n, n), np.int32))
