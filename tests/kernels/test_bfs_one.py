"""Breadth-first search of single rows, by one thread and by several: against the oracle, and against `dijkstra`."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import oracle, strategies
from helpers.data import load
from helpers.marks import needs_jit
from helpers.problems import problem_for
from nearfar import Graph
from nearfar.kernels.cpu import bfs_one as kernels
from nearfar.methods import bfs, bfs_one
from nearfar.results import limits

PUSHED, PULLED = 0, 2**20  # settings by which every level is pushed, and nearly every level pulled


@pytest.fixture
def tune(monkeypatch):
    """Return a function that sets from how many steps threads share a level, and how much pulling is preferred."""

    def set_both(shared=0, preferred=bfs_one.PULLED_FOR_PUSHED):
        monkeypatch.setattr(bfs_one, "SHARED_STEPS", shared)
        monkeypatch.setattr(bfs_one, "PULLED_FOR_PUSHED", preferred)

    return set_both


def settle(graph, sources, dtype="int32", threads=1, **options):
    """Return the rows, each settled by all threads, with the ceiling where nothing is reached."""
    _, rows, controls = problem_for(graph, sources, dtype, threads=threads, **options)
    for r in range(len(rows)):
        one = problem_for(graph, sources[r : r + 1], dtype, threads=threads, **options)[0]
        bfs.METHOD.together(one, rows[r], controls)
    return rows


def expected(graph, seeds, dtype, cutoff=None):
    """Return the oracle's rows, with the ceiling where nothing is reached or the cutoff is passed."""
    ceiling, _ = limits.ceiling_and_zero(graph, cutoff, np.dtype(dtype))
    weights = [1] * graph.m if graph.weights is None else graph.weights.tolist()
    arcs = list(zip(graph.tails.tolist(), graph.heads.tolist(), weights, strict=True))
    add = oracle.add_float32 if dtype == "float32" else operator.add
    rows = [oracle.dijkstra(graph.n, arcs, row, add) for row in seeds]
    return np.array([[ceiling if d is None or d >= ceiling else d for d in row] for row in rows], dtype)


def assert_same(found, wanted):
    assert found.dtype == wanted.dtype
    assert found.tobytes() == wanted.tobytes(), np.argwhere(found != wanted)[:5]


def random_graph(n, m, seed=0, undirected=True, weights=None):
    rng = np.random.default_rng(seed)
    return Graph.from_arcs(rng.integers(0, n, m), rng.integers(0, n, m), weights, n=n, undirected=undirected)


def path(n, weight=None, undirected=True):
    weights = None if weight is None else np.full(n - 1, weight)
    return Graph.from_arcs(np.arange(n - 1), np.arange(1, n), weights, n=n, undirected=undirected)


@st.composite
def equal_graphs(draw):
    """Return a graph of equal weights, and the type of its distances; a directed one may have its reverse."""
    case = draw(strategies.cases(max_m=60))
    case = strategies.equal(case) if case.arcs else case
    graph = Graph.from_arcs(*case.arrays(), n=case.n, undirected=draw(st.booleans()))
    if draw(st.booleans()):
        assert graph.reversed.n == case.n
    return graph, case.dtype or draw(st.sampled_from(("int32", "int64", "float64")))


@pytest.mark.parametrize("preferred", (PUSHED, bfs_one.PULLED_FOR_PUSHED, PULLED))
@settings(max_examples=60)
@given(data=st.data(), threads=st.integers(1, 4))
def test_rows(data, threads, preferred):
    graph, dtype = data.draw(equal_graphs())
    seeds = data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=4, unique=True))
    cutoff = data.draw(st.none() | st.integers(0, 9))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bfs_one, "SHARED_STEPS", data.draw(st.sampled_from((0, 2**62))))
        patch.setattr(bfs_one, "PULLED_FOR_PUSHED", preferred)
        found = settle(graph, seeds, dtype, threads, cutoff=cutoff)
        from_all = settle(graph, seeds[:1], dtype, threads, cutoff=cutoff, seeds=seeds)
    assert_same(found, expected(graph, [[s] for s in seeds], dtype, cutoff))
    assert_same(from_all, expected(graph, [seeds], dtype, cutoff))


@settings(max_examples=60)
@given(data=st.data(), threads=st.integers(1, 3))
def test_targets(data, threads):
    """What is no farther than the farthest target is exact, also without weight; if one is not reached, all is."""
    graph, dtype = data.draw(equal_graphs())
    vertex = st.integers(0, graph.n - 1)
    source, targets = data.draw(vertex), data.draw(st.lists(vertex, min_size=1, max_size=4))
    wanted, ceiling = expected(graph, [[source]], dtype)[0], limits.ceiling_and_zero(graph, None, np.dtype(dtype))[0]
    farthest = wanted[targets].max()
    for method in (bfs.METHOD.together, bfs.in_passes):
        problem, rows, controls = problem_for(graph, [source], dtype, targets=targets, threads=threads)
        method(problem, rows[0] if method is bfs.METHOD.together else rows, controls)
        near = wanted <= farthest
        assert (rows[0][near] == wanted[near]).all()
        assert ((rows[0] == wanted) | (rows[0] == ceiling)).all()


@settings(max_examples=25)
@given(data=st.data(), threads=st.integers(1, 4))
def test_queries(data, threads):
    """Through the doors, by name and by "auto": sssp, mssp, nearest, direction and cutoff, as with `dijkstra`."""
    graph, _ = data.draw(equal_graphs())
    sources = data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=12))
    options = {
        "direction": data.draw(st.sampled_from(("from", "to"))),
        "cutoff": data.draw(st.none() | st.integers(0, 5)),
    }
    wanted = nearfar.mssp(graph, sources, method="dijkstra", **options).dist
    near = nearfar.nearest(graph, set(sources), method="dijkstra", **options)
    for method in ("bfs", "auto"):
        result = nearfar.mssp(graph, sources, method=method, threads=threads, **options)
        assert method == "auto" or result.plan.method == "bfs"
        assert_same(result.dist, wanted)
        assert_same(nearfar.sssp(graph, sources[0], method=method, threads=threads, **options).dist, wanted[0])
        found = nearfar.nearest(graph, set(sources), method=method, threads=threads, **options)
        assert_same(found.dist, near.dist)


@needs_jit
@pytest.mark.parametrize("preferred", (PUSHED, bfs_one.PULLED_FOR_PUSHED, PULLED))
@pytest.mark.parametrize("weights", (None, "int32", "int64", "float32", "float64"))
@pytest.mark.parametrize(("n", "m"), [(6000, 4000), (6000, 60_000), (64 * 1024, 300_000)])
def test_levels_of_many_chunks(n, m, weights, preferred, tune):
    """Levels shared by up to four threads, pushed and pulled, in pieces and in whole graphs."""
    tune(0, preferred)
    values = None if weights is None else np.full(m, 3, weights)
    if weights and weights[0] == "f":
        values /= np.array(10, weights)
    for undirected in (True, False):
        graph = random_graph(n, m, seed=m, undirected=undirected, weights=values)
        wanted = nearfar.sssp(graph, 5, method="dijkstra", threads=1).dist
        assert undirected or graph.reversed.m == m
        for threads in (1, 2, 4):
            found = settle(graph, [5], wanted.dtype, threads)[0]
            found[found == limits.ceiling_and_zero(graph, None, wanted.dtype)[0]] = limits.unreached(wanted.dtype)
            assert_same(found, wanted)


@pytest.mark.parametrize("weight", [0, 1, 7, 2**30, 2**31 - 2])
@pytest.mark.parametrize("dtype", ("int32", "int64"))
def test_equal_whole_weights_stay_below_the_ceiling(weight, dtype):
    graph = path(12, np.int64(weight), undirected=False)
    assert_same(settle(graph, [0, 3, 11], dtype), expected(graph, [[0], [3], [11]], dtype))


def test_sums_do_not_wrap():
    graph = path(300, np.int64(2**55))
    assert_same(settle(graph, [0, 150], "int64"), expected(graph, [[0], [150]], "int64"))


@pytest.mark.parametrize("weight", [0.0, 0.1, 0.25, 1e-3])
@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_floats_are_added_along_the_path(weight, dtype):
    graph = path(700, np.array(weight, dtype))
    assert_same(settle(graph, [0, 350], dtype), expected(graph, [[0], [350]], dtype))


def test_floats_beyond_the_type_are_unreached():
    with np.errstate(over="ignore"):  # kernels that run as plain Python would warn
        row = settle(path(9, np.float32(1e38)), [0], "float32")[0]
    assert np.isinf(row[4:]).all() and np.isfinite(row[:4]).all()


def test_single_vertex_loops_and_no_arcs():
    assert settle(Graph.from_arcs([], [], n=1), [0]).tolist() == [[0]]
    assert settle(Graph.from_arcs([0, 0], [0, 0]), [0], threads=2).tolist() == [[0]]
    top = 2**31 - 1
    assert settle(Graph.from_arcs([], [], n=3), [1], threads=3).tolist() == [[top, 0, top]]


def test_directions_change_to_and_fro(tune):
    """A star at each end of a path: one end is pulled, the path is pushed, and the other end is pulled again."""
    leaves, length = 3000, 40
    tails = np.concatenate([np.zeros(leaves, int), leaves + np.arange(length), np.full(leaves, leaves + length)])
    heads = np.concatenate(
        [1 + np.arange(leaves), leaves + 1 + np.arange(length), leaves + length + 1 + np.arange(leaves)]
    )
    graph = Graph.from_arcs(tails, heads, undirected=True)
    wanted = nearfar.sssp(graph, 7, method="dijkstra").dist
    for shared in (0, 2**62):
        tune(shared, 50)
        for threads in (1, 3):
            assert_same(settle(graph, [7], threads=threads)[0], wanted)


def test_figures_and_the_end_of_a_search():
    """Arcs examined and levels are told; a search ends when every vertex or every target is reached."""
    graph = path(2000)
    problem, rows, controls = problem_for(graph, [0], targets=[15, 40])
    assert bfs.METHOD.together(problem, rows[0], controls) <= 2 * 41
    assert controls.notes == {"levels": 40}
    assert (rows[0] == np.where(np.arange(2000) <= 40, np.arange(2000), problem.ceiling)).all()
    problem, rows, controls = problem_for(graph, [1000])
    bfs.many(problem, rows, controls)
    assert controls.notes == {"levels": 1000} and controls.done == [0]


@pytest.mark.parametrize("threads", (1, 3))
def test_nothing_is_written_after_a_raised_flag(threads):
    """A step of a large graph takes longer than an interrupted caller, whose array this may be, waits for threads."""
    problem, rows, controls = problem_for(path(5000), [0], threads=threads)
    controls.stop[0], rows[:] = 1, -9
    assert bfs.METHOD.together(problem, rows[0], controls) == 0
    assert (rows == -9).all()


def test_tickets_of_a_step_that_ended_are_void():
    """Whatever late threads add to the ticket of a step without chunks, the next step has all of its own."""
    control = np.zeros(kernels.CONTROL_SIZE, np.int64)
    for number, chunks in ((1, 3), (2, 2), (3, 0)):
        kernels.open_step(control, chunks)
        assert control[kernels.TICKET] == number << 32 and control[kernels.OPEN] == number << 32 | chunks
        control[kernels.TICKET] += chunks + 5


@needs_jit
@pytest.mark.parametrize("name", ("snap-ego-twitter-undirected.npz", "snap-arxiv-cit-hep-ph.npz", "pace16-FLA.gr"))
def test_real_graphs(name, tune):
    """The same as with `dijkstra`, to the bit, with more threads than cores, again and again, however they meet."""
    _, graph = load(name)
    graph = graph.with_weights(None)
    for source in np.random.default_rng(1).integers(0, graph.n, 3).tolist():
        wanted = nearfar.sssp(graph, source, method="dijkstra", threads=1).dist
        for shared in (0, 500, bfs_one.SHARED_STEPS):
            tune(shared)
            for threads in (1, 2, 4):
                assert_same(nearfar.sssp(graph, source, method="bfs", threads=threads).dist, wanted)


def test_memory_counts_what_a_search_allocates():
    graph = random_graph(1000, 3000)
    for threads in (1, 4):
        search = bfs_one.Search(problem_for(graph, [0])[0], None, threads)
        held = sum(array.nbytes for array in search.team)
        assert held <= bfs.memory(graph.n, graph.m, 1, threads, 4) <= held + 64
    assert bfs.memory(graph.n, graph.m, 6, 4, 4) == 4 * bfs_one.search_bytes(graph.n, 1)


def test_host_and_kernels_agree_on_numbers():
    for name in ("FILL_CHUNK", "BUFFER", "WORD", "OPEN", "TAIL", "MARKED", "EXAMINED", "LEVELS", "CONTROL_SIZE"):
        assert getattr(bfs_one, name) == getattr(kernels, name)
    assert [bfs_one.SETTINGS, bfs_one.SETTINGS + 1] == [kernels.SHARED_STEPS, kernels.PULLED_FOR_PUSHED]
    assert max(kernels.OFFSETS_AHEAD, kernels.ARCS_AHEAD, 1) <= bfs_one.AHEAD
