"""Breadth-first search from many sources, one bit per source: its parts, and its rows against the oracle."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import oracle, strategies
from helpers.problems import problem_for
from nearfar import Graph
from nearfar.graph import order
from nearfar.kernels.cpu import bfs as kernels
from nearfar.kernels.cpu import bits
from nearfar.kernels.jit import kernel
from nearfar.methods import bfs, bfs_cost
from nearfar.results import limits

WIDTHS = (1, 2, 4, 8)


def solve(graph, sources, dtype="int32", **options):
    """Return the rows, with the ceiling where nothing is reached."""
    problem, rows, controls = problem_for(graph, sources, dtype, **options)
    bfs.in_passes(problem, rows, controls)
    assert sorted(controls.done) == list(range(len(sources)))
    return rows


def expected(graph, seeds, dtype, cutoff=None, add=operator.add):
    """Return the oracle's rows, with the ceiling where nothing is reached or the cutoff is passed."""
    ceiling, _ = limits.ceiling_and_zero(graph, cutoff, np.dtype(dtype))
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets)).tolist()
    weights = [1] * graph.m if graph.weights is None else graph.weights.tolist()
    arcs = list(zip(tails, graph.heads.tolist(), weights, strict=True))
    rows = [oracle.dijkstra(graph.n, arcs, row, add) for row in seeds]
    return np.array([[ceiling if d is None or d >= ceiling else d for d in row] for row in rows], dtype)


def assert_same(found, wanted):
    assert found.dtype == wanted.dtype
    assert found.tobytes() == wanted.tobytes(), np.argwhere(found != wanted)[:5]


def path(n, weight=None, undirected=True):
    weights = None if weight is None else np.full(n - 1, weight)
    return Graph.from_arcs(np.arange(n - 1), np.arange(1, n), weights, n=n, undirected=undirected)


def random_graph(n, m, seed=0, undirected=True):
    rng = np.random.default_rng(seed)
    return Graph.from_arcs(rng.integers(0, n, m), rng.integers(0, n, m), n=n, undirected=undirected)


@kernel
def combine(lines, out):
    """Write union, common part and difference of two lines, the empty set, and what has members."""
    left, right = bits.load(lines, 0), bits.load(lines, 1)
    bits.prefetch(lines, 1)
    bits.store(out, 0, bits.union(left, right))
    bits.store(out, 1, bits.common(left, right))
    bits.store(out, 2, bits.without(left, right))
    bits.store(out, 3, bits.empty(lines))
    return bits.has_any(left), bits.has_any(bits.without(left, left))


@pytest.mark.parametrize("words", WIDTHS)
def test_sets(words):
    lines, out = bits.new_lines(2, words), bits.new_lines(4, words)
    numbers = np.random.default_rng(words).integers(0, 2**64, (2, words), np.uint64)
    lines.reshape(2, words)[:] = numbers
    assert combine(lines, out) == (True, False)
    left, right = numbers
    assert (out.reshape(4, words) == [left | right, left & right, left & ~right, 0 * left]).all()
    for word in range(words):  # one member, anywhere
        lines[:] = 0
        lines.reshape(2, words)[0, word] = 1 << 63
        assert combine(lines, out)[0]


def test_lines_do_not_straddle_cache_lines():
    for words in WIDTHS:
        for count in (1, 7, 100):
            lines = bits.new_lines(count, words)
            assert lines.ctypes.data % 64 == 0
            assert lines.nbytes == count * words * 8


def write_out(codes, words, values, straight=True):
    """Return the rows that planes of these codes [vertex][source] stand for."""
    n, k = codes.shape
    padded = -(-n // bits.GROUP) * bits.GROUP
    planes = bits.new_lines(kernels.PLANES * padded, words)
    room = np.zeros((n, words * 64), np.uint8)
    for plane in range(kernels.PLANES):
        room[:, :k] = codes >> plane & 1
        packed = np.packbits(room, axis=1, bitorder="little").view(np.uint64)
        planes[plane * padded : plane * padded + n].reshape(n, words)[:] = packed
    rows = np.full((k, n), 5, values.dtype)
    step = values[2] - values[1]
    kernels.write_rows(
        planes, np.int64(kernels.PLANES), np.empty(kernels.PLANES * kernels.BLOCK * words * 8, np.uint8),
        np.empty(bits.COLUMNS, np.uint8), values, values[1] - step, step, straight, np.arange(k)[::-1].copy(),
        np.int64(n), rows.reshape(-1), np.zeros(1, np.int64),
    )  # fmt: skip
    return rows[::-1]


@pytest.mark.parametrize("straight", (True, False))
@pytest.mark.parametrize("dtype", ("int32", "int64", "float32", "float64"))
@pytest.mark.parametrize(("n", "words", "k"), [(1, 1, 3), (31, 1, 64), (300, 2, 100), (270, 8, 512), (288, 4, 256)])
def test_codes_become_distances(n, words, k, dtype, straight):
    codes = np.random.default_rng(n).integers(0, 256, (n, k), np.uint8)
    values = np.arange(-3, 3 * 255, 3).astype(dtype)
    values[0] = 2**30
    assert (write_out(codes, words, values, straight) == values[codes].T).all()


@kernel
def lowest_of(word):
    return bits.lowest(word)


@given(st.integers(1, 2**64 - 1))
def test_lowest(word):
    assert int(lowest_of(np.uint64(word))) == (word & -word).bit_length() - 1


@settings(max_examples=60)
@given(data=st.data(), undirected=st.booleans(), threads=st.integers(1, 2))
def test_rows_without_weights(data, undirected, threads):
    case, sources = data.draw(strategies.queries(strategies.cases(dtypes=(None,)), max_sources=20))
    tails, heads, _ = case.arrays()
    graph = Graph.from_arcs(tails, heads, n=case.n, undirected=undirected)
    cutoff = data.draw(st.none() | st.integers(0, 4))
    for dtype in ("int32", "float64"):
        found = solve(graph, sources, dtype, cutoff=cutoff, threads=threads)
        assert_same(found, expected(graph, [[s] for s in sources], dtype, cutoff))


@pytest.mark.parametrize("weight", [0, 1, 7, 2**30, 2**31 - 2])
@pytest.mark.parametrize("dtype", ("int32", "int64"))
def test_equal_whole_weights_stay_below_the_ceiling(weight, dtype):
    graph = path(12, np.int64(weight), undirected=False)
    assert_same(solve(graph, [0, 3, 11], dtype), expected(graph, [[0], [3], [11]], dtype))


def test_sums_do_not_wrap():
    graph = path(300, np.int64(2**55))
    assert_same(solve(graph, [0, 150], "int64"), expected(graph, [[0], [150]], "int64"))


@pytest.mark.parametrize("weight", [0.0, 0.1, 1.0, 0.25, 1e-3])
@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_floats_are_added_along_the_path(weight, dtype):
    graph = path(700, np.array(weight, dtype))
    add = oracle.add_float32 if dtype == "float32" else operator.add
    assert_same(solve(graph, [0, 350, 699], dtype), expected(graph, [[0], [350], [699]], dtype, add=add))


def test_floats_beyond_the_type_are_unreached():
    graph = path(9, np.float32(1e38))
    rows = solve(graph, [0], "float32")
    assert np.isinf(rows[0, 4:]).all() and np.isfinite(rows[0, :4]).all()


@pytest.mark.parametrize("k", [1, 7, 8, 63, 64, 65, 129, 257, 511, 512, 513, 1100])
@pytest.mark.parametrize("undirected", (True, False))
def test_any_number_of_rows(k, undirected):
    graph = random_graph(90, 150, seed=k, undirected=undirected)
    sources = np.random.default_rng(k).integers(0, graph.n, k)  # some repeat
    every = expected(graph, [[v] for v in range(graph.n)], "int32")
    for threads in (1, 2, 3):
        assert_same(solve(graph, sources, threads=threads), every[sources])


@pytest.mark.parametrize("n", [255, 256, 257, 600])
@pytest.mark.parametrize("k", [3, 70])
def test_more_levels_than_codes(n, k):
    """Codes stand for 255 levels; what lies deeper is written a distance at a time."""
    graph = path(n)
    sources = np.arange(k) * (n - 1) // (k - 1)
    wanted = np.abs(sources[:, None] - np.arange(n)).astype(np.int32)
    problem, rows, controls = problem_for(graph, sources)
    bfs.in_passes(problem, rows, controls)
    assert_same(rows, wanted)
    assert controls.notes["levels"] == n - 1


def test_one_row_from_several_seeds():
    graph = random_graph(60, 80, seed=3)
    assert_same(solve(graph, [0], seeds=[5, 9, 9, 30]), expected(graph, [[5, 9, 30]], "int32"))


def test_single_vertex_loops_and_no_arcs():
    assert solve(Graph.from_arcs([], [], n=1), [0, 0]).tolist() == [[0], [0]]
    assert solve(Graph.from_arcs([0, 0], [0, 0]), [0]).tolist() == [[0]]
    top = 2**31 - 1
    assert solve(Graph.from_arcs([], [], n=3), [1]).tolist() == [[top, 0, top]]


def test_targets_end_the_search_when_all_rows_have_seen_them():
    graph = path(2000)
    problem, rows, controls = problem_for(graph, [0, 10], targets=[15, 40])
    bfs.in_passes(problem, rows, controls)
    assert controls.notes["levels"] == 40
    wanted = np.abs(np.array([[0], [10]]) - np.arange(2000))
    assert (rows == np.where(wanted <= 40, wanted, problem.ceiling)).all()


def test_pulled_and_pushed_levels_agree():
    graph = random_graph(500, 4000, seed=5, undirected=False)
    few = solve(graph, np.arange(bfs.REVERSE_ROWS - 1))  # too few for reversing the graph: all levels are pushed
    many = solve(graph, np.arange(100))
    assert_same(many[: len(few)].copy(), few)


def test_figures():
    problem, rows, controls = problem_for(path(5), [0, 4])
    assert 0 < bfs.in_passes(problem, rows, controls) <= 5 * 8
    assert controls.notes == {"levels": 4}


def test_a_raised_flag_stops_it():
    problem, rows, controls = problem_for(random_graph(3000, 9000), np.arange(600), threads=2)
    controls.stop[0] = 1
    bfs.in_passes(problem, rows, controls)
    assert controls.done == []


def test_a_flag_raised_meanwhile_stops_it(monkeypatch):
    """Levels beyond the codes are searched one at a time: none more, once the flag is raised."""
    graph, search, searched = path(2000), bfs._Pass._search, []
    problem, rows, controls = problem_for(graph, [0, 1])

    def raise_flag_meanwhile(one, last):
        search(one, last)
        searched.append(last)
        controls.stop[0] = len(searched) == 10

    monkeypatch.setattr(bfs._Pass, "_search", raise_flag_meanwhile)
    bfs.in_passes(problem, rows, controls)
    assert len(searched) == 10 and controls.done == []
    assert 255 < controls.notes["levels"] < graph.n - 1


@given(st.integers(1, 5000), st.integers(1, 9))
def test_sharing_out(rows, threads):
    sources = np.random.default_rng(rows).integers(0, 100, rows)
    batches = bfs.share_out(sources, threads)
    assert sorted(np.concatenate(batches).tolist()) == list(range(rows))
    sizes = [len(batch) for batch in batches]
    assert max(sizes) <= 512 and max(sizes) - min(sizes) <= 1
    assert len(batches) >= min(rows, threads)
    assert bfs.words_for(sizes[0]) in WIDTHS and 64 * bfs.words_for(sizes[0]) >= sizes[0]


def test_memory_counts_what_a_pass_allocates():
    graph = random_graph(1000, 3000)
    one = bfs._Pass(*problem_for(graph, np.arange(600)), 8, graph.heads, graph.offsets, graph.heads)
    held = sum(a.nbytes for name, a in vars(one).items() if isinstance(a, np.ndarray) and name != "rows")
    told = bfs.memory(graph.n, graph.m, 600, 1, 4)
    assert held <= told <= held + 8 * (graph.m + graph.n) + 4096
    assert bfs.memory(1, 0, 1, 8, 4) > 0


def test_levels_are_estimated():
    assert order.usual_levels(path(100).offsets, path(100).arcs, 1) >= 60
    star = Graph.from_arcs(np.zeros(50, int), np.arange(1, 51), undirected=True)
    assert order.usual_levels(star.offsets, star.arcs, 0) <= 4
    assert order.usual_levels(np.zeros(2, np.int32), star.arcs[:0], 0) == 0


def test_host_and_kernels_agree_on_numbers():
    names = ("SIZE", "CODE", "SIDE", "ARCS", "LOOKED", "PULLED", "LEVELS", "TARGET", "STATE_SIZE")
    for name in (*names, "PLANES", "LAST_CODE", "BLOCK"):
        assert getattr(bfs, name) == getattr(kernels, name)
    for module, name in ((bfs_cost, "WORD"), (bfs_cost, "MOST_WORDS"), (bfs, "GROUP"), (bfs, "COLUMNS")):
        assert getattr(module, name) == getattr(bits, name)
