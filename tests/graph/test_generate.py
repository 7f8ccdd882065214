"""The seeded generators: what they promise about shape, weights, coordinates and repetition."""

from __future__ import annotations

import dataclasses
import hashlib
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearfar.devices import cpu
from nearfar.errors import InputTypeError, OptionError
from nearfar.graph import generate
from nearfar.graph import rmat as rmat_edges
from nearfar.graph import rows as layout
from nearfar.graph.generate import complete, geometric, rmat, road_grid


def tails_of(graph):
    return np.repeat(np.arange(graph.n), np.diff(graph.offsets))


def straight_lines(graph):
    x, y = (graph.coordinates[tails_of(graph)] - graph.coordinates[graph.heads]).T
    return np.hypot(x, y)


def assert_simple_and_symmetric(graph):
    pairs = set(zip(tails_of(graph).tolist(), graph.heads.tolist(), strict=True))
    assert len(pairs) == graph.m, "parallel arcs"
    assert all(u != v for u, v in pairs), "loops"
    if graph.undirected:
        assert all((v, u) in pairs for u, v in pairs)
        matrix = graph.to_scipy()
        assert (matrix != matrix.T).nnz == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: road_grid(7, 9, seed),
        lambda seed: rmat(6, seed=seed),
        lambda seed: geometric(60, seed=seed),
        lambda seed: complete(9, seed),
    ],
)
def test_the_seed_decides(make):
    first, again, other = make(3), make(3), make(4)
    assert first.arcs.tobytes() == again.arcs.tobytes()
    assert first.offsets.tolist() == again.offsets.tolist()
    assert first.arcs.tobytes() != other.arcs.tobytes()
    if first.coordinates is not None:
        assert first.coordinates.tolist() == again.coordinates.tolist()


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 8), (8, 1), (2, 2), (20, 31)])
@pytest.mark.parametrize("keep", [0, 0.3, 0.7, 1.0])
def test_road_grids_are_connected_and_planar_grids(rows, cols, keep):
    graph = road_grid(rows, cols, seed=5, keep=keep)
    assert graph.n == rows * cols
    assert graph.describe()["components"] == 1
    assert_simple_and_symmetric(graph)
    (r, c), (s, d) = np.divmod(tails_of(graph), cols), np.divmod(graph.heads, cols)
    assert (abs(r - s) + abs(c - d) == 1).all()
    streets = rows * (cols - 1) + (rows - 1) * cols
    assert graph.m == 2 * max(graph.n - 1, round(keep * streets))


def test_road_grids_look_like_roads():
    graph = road_grid(60, 60, seed=1)
    assert 2.5 < graph.m / graph.n < 3.0
    assert graph.max_degree <= 4
    assert graph.weight_dtype == np.int32
    assert graph.min_weight >= 1
    assert graph.max_weight > 4 * graph.mean_weight
    assert len(np.unique(graph.weights)) > 1000
    assert (graph.weights >= straight_lines(graph) - 0.5).all()
    assert 0.5 < graph.mean_weight / 1000 < 3
    assert road_grid(60, 60, seed=1, spacing=10).mean_weight < 30


def test_streets_do_not_cross():
    graph = road_grid(12, 12, seed=2, keep=1.0)
    ends = [(u, v) for u, v in zip(tails_of(graph).tolist(), graph.heads.tolist(), strict=True) if u < v]
    place = graph.coordinates

    def side(a, b, c):
        return (place[b][0] - place[a][0]) * (place[c][1] - place[a][1]) - (place[b][1] - place[a][1]) * (
            place[c][0] - place[a][0]
        )

    for i, (a, b) in enumerate(ends):
        for c, d in ends[:i]:
            if len({a, b, c, d}) == 4 and abs(a - c) < 40:  # far streets cannot meet
                assert side(a, b, c) * side(a, b, d) > 0 or side(c, d, a) * side(c, d, b) > 0


@pytest.mark.parametrize("undirected", [True, False])
def test_rmat_is_simple_skewed_and_permuted(undirected):
    graph = rmat(9, seed=2, undirected=undirected)
    assert graph.n == 512
    assert graph.undirected is undirected
    assert_simple_and_symmetric(graph)
    drawn = 16 * 512 * (2 if undirected else 1)
    assert 0.4 * drawn < graph.m < drawn
    assert (graph.min_weight, graph.max_weight) == (1, 255)
    degrees = np.diff(graph.offsets)
    assert degrees.max() > 6 * degrees.mean()
    assert degrees.argmax() != 0, "labels are not permuted"
    if not undirected:
        assert (graph.to_scipy() != graph.to_scipy().T).nnz > 0


def test_rmat_weights_and_sizes_are_options():
    assert rmat(5, max_weight=None).weights is None
    assert rmat(5, max_weight=1).max_weight == 1
    assert rmat(5, max_weight=2**40).weight_dtype == np.int64
    assert rmat(5, edge_factor=0).m == 0
    assert (rmat(0).n, rmat(0).m) == (1, 0)


def test_rmat_quadrants_have_their_shares():
    graph = rmat(1, edge_factor=1, seed=0)  # two vertices, at most one edge: the smallest that can be drawn
    assert graph.m in (0, 2)
    heavy = np.sort(np.diff(rmat(10, edge_factor=4, seed=0, undirected=False).offsets))[::-1]
    assert heavy[:103].sum() > 0.4 * heavy.sum()  # the top tenth has most arcs: .76 ** 10 at the corner


def test_geometric_joins_exactly_the_near_pairs():
    graph = geometric(80, radius=0.17, seed=3)
    assert_simple_and_symmetric(graph)
    gap = graph.coordinates[:, None] - graph.coordinates[None]
    near = np.hypot(gap[..., 0], gap[..., 1]) <= 0.17
    np.fill_diagonal(near, False)
    assert sorted(zip(*np.nonzero(near), strict=True)) == sorted(zip(tails_of(graph), graph.heads, strict=True))
    assert graph.weight_dtype == np.float64
    assert np.allclose(graph.weights, straight_lines(graph), rtol=1e-15)


def test_geometric_aims_at_a_mean_degree():
    graph = geometric(4000, degree=12, seed=1)
    assert 10 < graph.m / graph.n < 12.5
    assert geometric(0).n == 0
    assert (geometric(1).n, geometric(1).m) == (1, 0)
    assert geometric(30, radius=math.inf).m == 30 * 29


@pytest.mark.parametrize("undirected", [True, False])
@pytest.mark.parametrize("n", [0, 1, 2, 17])
def test_complete_has_every_pair_once(n, undirected):
    graph = complete(n, seed=1, max_weight=9, undirected=undirected)
    assert (graph.n, graph.m, graph.undirected) == (n, n * (n - 1), undirected)
    assert_simple_and_symmetric(graph)
    if n == 17:
        assert (graph.min_weight, graph.max_weight) == (1, 9)
    assert complete(4, max_weight=None).weights is None


def test_a_large_graph_goes_through_the_kernels():
    graph = complete(600, seed=1)
    assert graph.m // 2 > layout.FEW
    assert_simple_and_symmetric(graph)
    assert graph.heads[:5].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: road_grid(0, 5), OptionError, ("rows is 0", "at least 1")),
        (lambda: road_grid(5, 2.0), InputTypeError, ("cols is 2.0", "float", "int")),
        (lambda: road_grid(5, 5, keep=1.5), OptionError, ("keep is 1.5", "0 to 1")),
        (lambda: road_grid(5, 5, keep=math.nan), OptionError, ("keep is nan", "0 to 1")),
        (lambda: road_grid(5, 5, keep="all"), InputTypeError, ("keep is 'all'", "str")),
        (lambda: road_grid(5, 5, keep=None), InputTypeError, ("keep is None", "number")),
        (lambda: road_grid(5, 5, spacing=-1), OptionError, ("spacing is -1",)),
        (lambda: road_grid(5, 5, seed=-1), OptionError, ("seed is -1", "at least 0")),
        (lambda: road_grid(True, 5), InputTypeError, ("rows is True", "bool")),
        (lambda: rmat(31), OptionError, ("scale is 31", "0 to 30")),
        (lambda: rmat(4, max_weight=0), OptionError, ("max_weight is 0", "1 to")),
        (lambda: rmat(4, edge_factor=-1), OptionError, ("edge_factor is -1",)),
        (lambda: geometric(5, degree=-2), OptionError, ("degree is -2",)),
        (lambda: geometric(5, radius="wide"), InputTypeError, ("radius is 'wide'",)),
        (lambda: complete("3"), InputTypeError, ("n is '3'", "str")),
    ],
)
def test_bad_options(call, error, words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


@given(
    scale=st.integers(0, 9),
    m=st.integers(0, 600),
    sizes=st.tuples(st.integers(1, 700), st.integers(1, 300), st.integers(1, 4)),
    undirected=st.booleans(),
    seed=st.integers(0, 2**70),
)
@settings(deadline=None)  # the first example compiles
def test_kernels_on_any_number_of_threads_draw_the_edges_that_numpy_draws(scale, m, sizes, undirected, seed):
    batch, chunk, threads = sizes
    slow, fast = (np.random.Generator(np.random.PCG64(seed)) for _ in range(2))
    expected = generate._rmat_pairs(slow, scale, m, undirected, few=10**6, batch=batch)
    with pytest.MonkeyPatch.context() as patch:
        facts = dataclasses.replace(cpu.facts(), cores=threads)
        patch.setattr(cpu, "facts", lambda: facts)
        patch.setattr(rmat_edges, "CHUNK", chunk)
        found = generate._rmat_pairs(fast, scale, m, undirected, few=-1, batch=batch)
    for pair in zip(found, expected, strict=True):
        assert pair[0].dtype == pair[1].dtype == np.int32
        assert pair[0].tolist() == pair[1].tolist()
    assert fast.bit_generator.state == slow.bit_generator.state, "the weights would be others"


@pytest.mark.parametrize(
    ("arguments", "digest"),
    [((5, 3, 7), "2f5f6b3e78afd857"), ((14, 12, 1, 255, False), "47f336642999096e")],
)
def test_rmat_graphs_stay_what_they_are(arguments, digest):
    graph = rmat(*arguments)
    found = hashlib.sha256(np.ascontiguousarray(graph.arcs).astype([("head", "<i4"), ("weight", "<i4")]).tobytes())
    assert found.hexdigest()[:16] == digest, "figures in the docs were measured on these graphs"
