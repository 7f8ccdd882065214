"""`nearfar.csgraph` gives what SciPy's csgraph gives: for every function, argument and kind of matrix."""

from __future__ import annotations

import gc
import math
import threading

import numpy as np
import pytest
import scipy.sparse as sparse
import scipy.sparse.csgraph as scipys
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from nearfar import csgraph
from nearfar.adapters.csgraph import functions, matrices


@pytest.fixture(autouse=True)
def however_small(monkeypatch):
    """Let ours run however small a matrix is, and begin with nothing in memory."""
    monkeypatch.setattr(functions, "SMALL", -1)
    matrices.forget()


@st.composite
def dense(draw, negative=False):
    """Draw a dense matrix of whole numbers or quarters, with zeros, inf and nan where no arc is."""
    n = draw(st.integers(1, 7))
    low = -2 if negative else 0
    arcs = st.sampled_from([0, 0, 0, math.inf, math.nan, *range(low, 9)])
    cells = draw(st.lists(arcs, min_size=n * n, max_size=n * n))
    return np.array(cells, float).reshape(n, n) / draw(st.sampled_from([1, 1, 4]))


FORMS = {
    "dense": lambda m: m,
    "list": lambda m: m.tolist(),
    "masked": lambda m: np.ma.masked_invalid(np.where(m == 0, np.nan, m)),
    "csr": lambda m: sparse.csr_array(np.where(np.isfinite(m), m, 0)),
    "csc": lambda m: sparse.csc_matrix(np.where(np.isfinite(m), m, 0)),
    "coo": lambda m: sparse.coo_array(np.where(np.isfinite(m), m, 0)),
    "lil": lambda m: sparse.lil_array(np.where(np.isfinite(m), m, 0)),
    "zeros stored": lambda m: sparse.csr_array(
        (np.where(np.isfinite(m), m, 1).ravel(), np.tile(np.arange(len(m)), len(m)), np.arange(0, m.size + 1, len(m)))
    ),
    "twice": lambda m: sparse.csr_array(
        (
            np.repeat(np.where(np.isfinite(m), m, 1).ravel(), 2) + np.tile([0, 1], m.size),
            np.repeat(np.tile(np.arange(len(m)), len(m)), 2),
            np.arange(0, 2 * m.size + 1, 2 * len(m)),
        )
    ),
    "integers": lambda m: sparse.csr_array(np.where(np.isfinite(m), m, 0).astype(np.int64)),
}
forms = st.sampled_from(sorted(FORMS))


def outcome(function, *args, **options):
    """Return what a function gives, or the type of its error."""
    try:
        return function(*args, **options)
    except (ValueError, scipys.NegativeCycleError) as error:
        return type(error)


def check_tree(matrix, directed, dist, before, sources):
    """Check that predecessors are a tree of shortest paths."""
    arcs = sparse.csr_array(csgraph.csgraph_from_dense(matrix) if isinstance(matrix, np.ndarray) else matrix)
    weights = {}
    for u in range(arcs.shape[0]):
        for v, w in zip(arcs.indices[arcs.indptr[u] : arcs.indptr[u + 1]], arcs.data[arcs.indptr[u] :], strict=False):
            for ends in ((u, int(v)), (int(v), u)) if not directed else ((u, int(v)),):
                weights[ends] = min(weights.get(ends, math.inf), w)
    for row, tree, s in zip(np.atleast_2d(dist), np.atleast_2d(before), np.atleast_1d(sources), strict=True):
        for v in range(len(row)):
            if v == s or math.isinf(row[v]):
                assert tree[v] == -9999
            else:
                assert math.isclose(row[tree[v]] + weights[int(tree[v]), v], row[v], rel_tol=1e-12, abs_tol=1e-12)


@settings(max_examples=200)
@given(matrix=dense(), form=forms, directed=st.booleans(), unweighted=st.booleans(), data=st.data())
def test_dijkstra(matrix, form, directed, unweighted, data):
    given_ = FORMS[form](matrix)
    n = len(matrix)
    one = st.integers(-n, n)
    indices = data.draw(st.one_of(st.none(), one, st.lists(one, max_size=4), st.just([[0, n - 1]])))
    limit = data.draw(st.sampled_from([np.inf, 0, 1, 3.5, 100, -1]))
    options = {"directed": directed, "indices": indices, "unweighted": unweighted, "limit": limit}
    wanted, found = outcome(scipys.dijkstra, given_, **options), outcome(csgraph.dijkstra, given_, **options)
    if isinstance(wanted, type):
        assert found is wanted
        return
    assert found.dtype == np.float64 and found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    dist, before = csgraph.dijkstra(given_, return_predecessors=True, **options)
    assert dist.tobytes() == found.tobytes() and before.dtype == np.int32 and before.shape == wanted.shape
    if not unweighted and form in ("csr", "zeros stored", "twice", "integers") and np.ndim(indices) < 2:
        sources = np.arange(n) if indices is None else np.mod(indices, n)
        if np.size(sources):
            check_tree(given_, directed, dist, before, sources)


@settings(max_examples=80)
@given(matrix=dense(), form=forms, directed=st.booleans(), data=st.data())
def test_the_nearest_of_several(matrix, form, directed, data):
    given_, n = FORMS[form](matrix), len(matrix)
    indices = data.draw(
        st.one_of(st.none(), st.integers(0, n - 1), st.lists(st.integers(-n, n - 1), min_size=1, max_size=4))
    )
    limit = data.draw(st.sampled_from([np.inf, 2]))
    options = {"directed": directed, "indices": indices, "min_only": True, "limit": limit}
    np.testing.assert_allclose(csgraph.dijkstra(given_, **options), scipys.dijkstra(given_, **options), rtol=1e-12)
    dist, before, sources = csgraph.dijkstra(given_, return_predecessors=True, **options)
    wanted, _, others = scipys.dijkstra(given_, return_predecessors=True, **options)
    np.testing.assert_allclose(dist, wanted, rtol=1e-12)
    assert ((sources == -9999) == (others == -9999)).all() and ((before == -9999) >= np.isinf(dist)).all()
    rows = csgraph.dijkstra(given_, directed=directed)
    for v in range(n):
        if sources[v] != -9999:
            assert math.isclose(rows[sources[v], v], dist[v], rel_tol=1e-12)


@settings(max_examples=100)
@given(matrix=dense(negative=True), form=forms, directed=st.booleans(), data=st.data())
def test_negative_weights(matrix, form, directed, data):
    given_, n = FORMS[form](matrix), len(matrix)
    indices = data.draw(st.one_of(st.none(), st.lists(st.integers(0, n - 1), min_size=1, max_size=3)))
    for name in ("bellman_ford", "johnson"):
        options = {"directed": directed, "indices": indices}
        wanted, found = (outcome(getattr(module, name), given_, **options) for module in (scipys, csgraph))
        if isinstance(wanted, type) or isinstance(found, type):
            assert found is wanted
        else:
            np.testing.assert_allclose(found, wanted, rtol=1e-12)
    given_ = given_.tocsr() if form == "coo" else given_
    wanted, found = (outcome(m.floyd_warshall, given_, directed) for m in (scipys, csgraph))
    if isinstance(wanted, type):
        assert found is wanted
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_a_cycle_that_no_source_reaches():
    """Johnson's method finds it, whatever rows are asked for; so do the functions that stand for it."""
    away = sparse.csr_array(([2.0, -1.0, -1.0, 1.0], ([0, 2, 3, 4], [1, 3, 4, 2])), shape=(5, 5))
    sound = away.copy()
    sound.data[3] = 2
    for call in (
        lambda m, given_: m.johnson(given_, indices=0),
        lambda m, given_: m.shortest_path(given_, indices=0),
        lambda m, given_: m.shortest_path(given_, "J", indices=0),
    ):
        assert outcome(call, csgraph, away) is outcome(call, scipys, away) is scipys.NegativeCycleError
        assert call(csgraph, sound).tolist() == call(csgraph, sound).tolist() == call(scipys, sound).tolist()
    assert csgraph.bellman_ford(away, indices=0).tolist() == scipys.bellman_ford(away, indices=0).tolist()


@pytest.mark.parametrize("method", ["auto", "FW", "D", "BF", "J"])
@settings(max_examples=25)
@given(matrix=dense(), form=forms, directed=st.booleans(), unweighted=st.booleans())
def test_every_method(method, matrix, form, directed, unweighted):
    given_ = FORMS[form](matrix)
    if form == "list":
        given_ = np.array(given_)
    options = {"method": method, "directed": directed, "unweighted": unweighted}
    wanted = outcome(scipys.shortest_path, given_.tocsr() if form == "coo" else given_, **options)  # FW takes no COO
    np.testing.assert_allclose(csgraph.shortest_path(given_, **options), wanted, rtol=1e-12)


@settings(max_examples=60)
@given(matrix=dense(), directed=st.booleans(), unweighted=st.booleans(), data=st.data())
def test_yen(matrix, directed, unweighted, data):
    given_, n = FORMS["csr"](matrix), len(matrix)
    source, sink = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    options = {"directed": directed, "unweighted": unweighted, "return_predecessors": True}
    wanted = outcome(scipys.yen, given_, source, sink, 4, **options)
    found = outcome(csgraph.yen, given_, source, sink, 4, **options)
    if isinstance(wanted, type):
        assert found is wanted
        return
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-12)
    assert found[1].shape == wanted[1].shape and found[1].dtype == wanted[1].dtype
    assert csgraph.yen(given_, source, sink, 4, directed=directed, unweighted=unweighted).tolist() == found[0].tolist()


# What SciPy says.


def test_errors_are_scipys():
    line = sparse.csr_array(([1.0, 2.0], ([0, 1], [1, 2])), shape=(3, 3))
    for call, message in (
        (lambda m: m.dijkstra(line, indices=[0, 7]), "indices out of range 0...N"),
        (lambda m: m.dijkstra(line, limit=-1), "limit must be >= 0"),
        (lambda m: m.shortest_path(line, method="X"), "unrecognized method 'X'"),
        (lambda m: m.shortest_path(line, method="FW", indices=[0]), "Cannot specify indices with method == 'FW'."),
        (lambda m: m.dijkstra(np.ones((2, 3))), "graph should be a square array"),
        (lambda m: m.dijkstra(sparse.csr_array(np.ones((2, 3)))), "compressed-sparse graph must be shape (N, N)"),
        (lambda m: m.dijkstra(np.ones(3)), ""),
    ):
        for module in (scipys, csgraph):
            with pytest.raises(ValueError) as found:
                call(module)
            assert message in str(found.value)
    assert csgraph.NegativeCycleError is scipys.NegativeCycleError
    cycle = sparse.csr_array(([1.0, -2.0], ([0, 1], [1, 0])), shape=(3, 3))
    with pytest.raises(scipys.NegativeCycleError, match="Negative cycle in nodes"):
        csgraph.bellman_ford(cycle)


def test_indices_that_are_odd():
    line = sparse.csr_array(([1.0, 2.0], ([0, 1], [1, 2])), shape=(3, 3))
    for module in (scipys, csgraph):
        with pytest.raises(ValueError, match="NaN"):
            module.dijkstra(line, indices=np.nan)
        assert module.dijkstra(line, indices=1.5).tolist() == [math.inf, 0, 2]
        dist, before, sources = module.dijkstra(line, indices=[], min_only=True, return_predecessors=True)
        assert np.isinf(dist).all() and before.tolist() == sources.tolist() == [-9999] * 3
        assert np.isinf(module.dijkstra(line, indices=[], min_only=True)).all()


def test_a_mask_that_hides_nothing():
    matrix = np.ma.array([[1.0, 2.0], [3.0, 4.0]])
    assert csgraph.floyd_warshall(matrix).tolist() == scipys.floyd_warshall(matrix).tolist() == [[0, 2], [3, 0]]
    assert csgraph.dijkstra(matrix).tolist() == [[0, 2], [3, 0]]


def test_negative_weights_are_warned_of_and_exact():
    matrix = sparse.csr_array(([5.0, 4.0, -3.0], ([0, 0, 1], [1, 2, 2])), shape=(3, 3))
    for call in (csgraph.dijkstra, lambda m: csgraph.shortest_path(m, "D")):
        with pytest.warns(UserWarning, match="Graph has negative weights"):
            assert call(matrix)[0].tolist() == [0, 5, 2]


def test_whole_numbers_stay_exact():
    """Sums that floats cannot tell apart do not appear: weights are added as SciPy adds them."""
    data = np.array([2.0**52, 1.0, 3.0, 0.5])
    for some in (data[:3], data):
        matrix = sparse.csr_array((some, (range(len(some)), range(1, len(some) + 1))), shape=(6, 6))
        assert csgraph.dijkstra(matrix).tolist() == scipys.dijkstra(matrix).tolist()


def test_a_dense_matrix_is_overwritten_if_asked():
    for predecessors in (False, True):
        matrix = np.array([[0, 1.0, 9], [0, 0, 1], [0, 0, 0]])
        found = csgraph.floyd_warshall(matrix, overwrite=True, return_predecessors=predecessors)
        assert (found[0] if predecessors else found) is matrix and matrix[0].tolist() == [0, 1, 2]
    whole = np.array([[0, 1, 9], [0, 0, 1], [0, 0, 0]])
    assert csgraph.floyd_warshall(whole, overwrite=True)[0].tolist() == [0, 1, 2] and whole[0, 2] == 9


def test_the_rest_is_scipys():
    assert set(csgraph.__all__) == set(scipys.__all__)
    ours = {"shortest_path", "dijkstra", "bellman_ford", "johnson", "floyd_warshall", "yen"}
    assert {name for name in scipys.__all__ if getattr(csgraph, name) is not getattr(scipys, name)} == ours
    from nearfar.csgraph import connected_components

    assert connected_components(sparse.eye_array(3))[0] == 3


def test_small_matrices_run_scipys_own(monkeypatch):
    monkeypatch.undo()
    calls = []
    monkeypatch.setattr(functions, "entry_of", lambda *given: calls.append(1) or matrices.entry_of(*given))
    small, large = nearfar.generate.road_grid(4, 4).to_scipy(), nearfar.generate.road_grid(80, 80).to_scipy()
    assert (csgraph.dijkstra(small) == scipys.dijkstra(small)).all() and not calls
    some = range(20)
    assert (csgraph.dijkstra(large, indices=some) == scipys.dijkstra(large, indices=some)).all() and len(calls) == 1
    near = csgraph.dijkstra(
        large, indices=some, limit=500
    )  # ends after a few vertices, so SciPy's searches are shorter
    assert (near == scipys.dijkstra(large, indices=some, limit=500)).all() and len(calls) == 1
    far = csgraph.dijkstra(large, indices=some, limit=10**6)
    assert (far == scipys.dijkstra(large, indices=some, limit=10**6)).all() and len(calls) == 2


def test_methods_of_many_rounds_run_here(monkeypatch):
    """SciPy relaxes all entries once per vertex, which takes seconds for matrices that are small for Dijkstra's."""
    monkeypatch.undo()
    calls = []
    monkeypatch.setattr(functions, "entry_of", lambda *given: calls.append(1) or matrices.entry_of(*given))
    small, large = nearfar.generate.road_grid(3, 3).to_scipy(), nearfar.generate.road_grid(30, 30).to_scipy()
    for call in (
        csgraph.bellman_ford,
        csgraph.johnson,
        lambda m, indices: csgraph.shortest_path(m, "BF", indices=indices),
        lambda m, indices: csgraph.shortest_path(m, "J", indices=indices),
    ):
        calls.clear()
        for matrix, ran in ((small, 0), (large, 1)):
            assert (call(matrix, indices=0) == scipys.dijkstra(matrix, indices=0)).all() and len(calls) == ran


# The memory.


def test_a_matrix_is_converted_once_until_it_changes(monkeypatch):
    made = []
    convert = matrices._convert
    monkeypatch.setattr(matrices, "_convert", lambda *given: [made.append(1), convert(*given)][1])
    matrix = nearfar.generate.road_grid(6, 6).to_scipy().astype(float)
    for _ in range(3):
        first = csgraph.dijkstra(matrix, indices=0)
    assert len(made) == 1
    matrix.data[3] += 1
    assert csgraph.dijkstra(matrix).tolist() == scipys.dijkstra(matrix).tolist() and len(made) == 2
    matrix.data[3] -= 1
    assert csgraph.dijkstra(matrix, indices=0).tolist() == first.tolist() and len(made) == 2  # known again
    csgraph.dijkstra(matrix, directed=False)
    csgraph.dijkstra(matrix, unweighted=True)
    assert len(made) == 4
    matrix.indices[:2] = matrix.indices[:2][::-1].copy()
    assert csgraph.dijkstra(matrix).tolist() == scipys.dijkstra(matrix).tolist() and len(made) == 5


def test_nothing_outlives_its_matrix():
    matrix = nearfar.generate.road_grid(6, 6).to_scipy()
    csgraph.dijkstra(matrix)
    assert len(matrices._kept) == 1
    del matrix
    gc.collect()
    assert not matrices._kept
    kept = [nearfar.generate.road_grid(5, 5, seed=i).to_scipy() for i in range(9)]
    for matrix in kept:
        csgraph.dijkstra(matrix)
    assert len(matrices._kept) == matrices.KEPT


def test_many_rows_prepare_the_matrix():
    matrix = nearfar.generate.road_grid(120, 120).to_scipy()
    wanted = scipys.dijkstra(matrix, indices=range(40))
    assert csgraph.dijkstra(matrix, indices=range(2)).tolist() == wanted[:2].tolist()
    (entry,) = matrices._kept.values()
    assert entry.prepared is None
    for _ in range(40):
        assert csgraph.dijkstra(matrix, indices=range(40)).tolist() == wanted.tolist()
    assert entry.prepared is not None


def test_threads_share_the_memory():
    matrix = nearfar.generate.road_grid(30, 30).to_scipy()
    wanted, found = scipys.dijkstra(matrix).tobytes(), []
    threads = [threading.Thread(target=lambda: found.append(csgraph.dijkstra(matrix).tobytes())) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 6
