"""The certificate passes what is right and catches, by name, everything that can be wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers import strategies
from nearfar.certificate import proof
from nearfar.certificate.verify import LIMIT, Certificate, verify
from nearfar.errors import InputTypeError
from nearfar.graph import Graph
from nearfar.results import Distances, Nearest
from nearfar.results.forest import Forest

TOP = 2**31 - 1
ANY = strategies.cases() | strategies.negative_cases()


def ids(*vertices):
    return np.array(vertices, dtype=np.int32)


def mark(dtype):
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def right(case, sources):
    """Return the graph and the oracle's distances, one row per source."""
    return Graph.from_arcs(*case.arrays(), n=case.n), np.stack([case.row([s]) for s in sources])


def right_nearest(case, sources):
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    return graph, Nearest(Distances(graph, ids(*sources), case.row(sources)[None], seeds=ids(*sources), single=True))


def limited(row, radius):
    """Cut a row as a query with a limit does."""
    return row if radius is None else np.where(row <= radius, row, np.array(mark(row.dtype), dtype=row.dtype))


@pytest.fixture
def graph():
    """0 -5-> 1 -7-> 2 -0-> 3 -0-> 2, 0 -20-> 2, 4 -1-> 5, names a to f."""
    return Graph.from_arcs([0, 1, 2, 3, 0, 4], [1, 2, 3, 2, 2, 5], [5, 7, 0, 0, 20, 1], names=list("abcdef"))


@pytest.fixture
def result(graph):
    """The right distances from a, with predecessors."""
    result = Distances(graph, ids(0), np.array([[0, 5, 12, 12, TOP, TOP]], dtype=np.int32), single=True)
    assert result.predecessors.tolist() == [-1, 0, 1, 2, -1, -1]
    return result


@pytest.fixture
def near():
    """A line 0 -5- 1 -7- 2 -1- 3 with sources at both ends, and 4 apart."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], n=5, undirected=True)
    row = np.array([[0, 5, 1, 0, TOP]], dtype=np.int32)
    return Nearest(Distances(graph, ids(0), row, seeds=ids(0, 3), single=True))


@given(strategies.queries(ANY), st.integers(1, 50))
def test_right_results_pass(query, block):
    case, sources = query
    graph, rows = right(case, sources)
    result = Distances(graph, ids(*sources), rows)
    assert verify(graph, result).ok
    assert result.predecessors.shape == rows.shape
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "BLOCK", block)
        assert verify(graph, result).problems == []


@given(strategies.queries(ANY))
def test_right_nearest_results_pass(query):
    graph, near = right_nearest(*query)
    assert verify(graph, near).problems == []


@given(strategies.queries(ANY, max_sources=1), st.data())
def test_right_limited_results_pass_and_wrong_ones_do_not(query, data):
    case, sources = query
    graph, (full,) = right(case, sources)
    finite = full[full != mark(full.dtype)]
    cutoff = data.draw(st.none() | st.sampled_from(finite.tolist()) | st.integers(0, 10) | st.just(2.5))
    targets = data.draw(st.none() | st.lists(st.integers(0, case.n - 1), min_size=1, max_size=3))
    row = limited(full, cutoff).copy()
    if targets is not None and (row[targets] != mark(row.dtype)).all():
        row = limited(row, row[targets].max())
    options = {"cutoff": cutoff, "targets": None if targets is None else ids(*targets)}
    assert verify(graph, Distances(graph, ids(*sources), row[None], **options)).problems == []
    v = data.draw(st.sampled_from(np.flatnonzero(full != mark(full.dtype)).tolist()))
    row[v] = full[v] if row[v] == mark(row.dtype) else mark(row.dtype)
    assert not verify(graph, Distances(graph, ids(*sources), row[None], **options))


@given(strategies.queries(ANY), st.data())
def test_any_changed_distance_is_caught(query, data):
    case, sources = query
    graph, rows = right(case, sources)
    r, v = data.draw(st.integers(0, len(sources) - 1)), data.draw(st.integers(0, case.n - 1))
    old = rows[r, v]
    if data.draw(st.booleans()):
        up, down = (np.nextafter(old, np.inf), np.nextafter(old, -np.inf)) if old.dtype.kind == "f" else (old, old - 1)
        up = old + 1 if old.dtype.kind == "i" and old != mark(old.dtype) else up
        rows[r, v] = data.draw(st.sampled_from([up, down]))
    else:
        rows[r, v] = data.draw(st.sampled_from([0, 1, 5, mark(rows.dtype)]))
    assume(rows[r, v] != old)
    certificate = verify(graph, Distances(graph, ids(*sources), rows))
    assert not certificate
    assert 1 <= len(certificate.problems) <= LIMIT


@given(strategies.queries(strategies.cases(), max_sources=1), st.data())
def test_any_wrong_predecessor_is_caught(query, data):
    case, sources = query
    graph, rows = right(case, sources)
    result = Distances(graph, ids(*sources), rows)
    pred, dist = result.predecessors[0], case.distances(sources)
    v, u = data.draw(st.integers(0, case.n - 1)), data.draw(st.integers(-1, case.n - 1))
    tight = any(
        (a, b) == (u, v) and None not in (dist[a], dist[b]) and case.add(dist[a], w) == dist[b] for a, b, w in case.arcs
    )
    assume(u != pred[v] and not (tight and dist[u] < dist[v]))
    below = {v}
    for _ in range(case.n):
        below |= {x for x in range(case.n) if pred[x] in below}
    assume(not tight or u in below or v in sources)  # another tight arc from elsewhere is a tree as good
    pred[v] = u
    assert not verify(graph, result)


@given(
    strategies.queries(strategies.cycle_cases(), max_sources=1),
    st.lists(st.integers(-20, 20), min_size=12, max_size=12),
)
def test_no_distances_pass_on_a_negative_cycle(query, guess):
    case, sources = query
    assume(case.row(sources) is None)
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    row = np.array(guess[: case.n], dtype=case.dtype)
    row[sources[0]] = 0
    assert not verify(graph, Distances(graph, ids(*sources), row[None]))
    assert not verify(graph, Distances(graph, ids(*sources), row[None], cutoff=5))


def changed(result, *changes):
    for v, value in changes:
        result.rows[0, v] = value
    return verify(result.graph, result)


def test_right(graph, result):
    certificate = verify(graph, result)
    assert certificate
    assert str(certificate) == "exact: 1 row of 6 distances proved over 6 arcs"
    assert str(Certificate([], 1000, 2000, 5000)) == "exact: 1,000 rows of 2,000 distances proved over 5,000 arcs"


def test_one_too_small(result):
    certificate = changed(result, (1, 4))
    assert certificate.problems[0] == (
        "vertex 'b' has 4, but the distances on no path from the source add up to it: "
        "it should be greater or unreached, or one before it is wrong"
    )
    assert str(certificate).startswith("NOT exact:\n- vertex 'b' has 4")


def test_one_too_large(result):
    assert changed(result, (1, 6)).problems[0] == (
        "vertex 'b' has 6, but arc 0 ('a' -> 'b', weight 5) leads to it with 5: it should be at most 5"
    )


def test_a_vertex_is_told_of_once(result):
    assert len(changed(result, (3, 13)).problems) == 2  # too far, and its predecessor is not tight


def test_reached_marked_unreached(result):
    assert (
        changed(result, (3, TOP))
        .problems[0]
        .startswith("vertex 'd' has no distance (unreached), but arc 3 ('c' -> 'd'")
    )


def test_unreached_marked_reached(result):
    assert changed(result, (5, 9)).problems[0].startswith("vertex 'f' has 9, but the distances on no path")


def test_wrong_source(result):
    result.source_indices = ids(1)
    assert changed(result).problems == ["source 'b' has 5: a source is at distance 0"]


def test_another_source_at_zero(result):
    result._forest = Forest()
    result.source_indices = ids(4)
    assert changed(result, (4, 0), (5, 1)).problems[0] == (
        "vertex 'a' has 0, but the distances on no path from the source add up to it: "
        "it should be greater or unreached, or one before it is wrong"
    )


def test_zero_cycle_that_nothing_supports(result):
    assert changed(result, (2, 11), (3, 11)).problems[0].startswith("vertex 'c' has 11, but the distances on no path")


def test_cycle_of_negative_and_positive_arcs_that_nothing_supports():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 1], [5, 3, -3])
    assert verify(graph, Distances(graph, ids(0), np.array([[0, 5, 8]], dtype=np.int32)))
    certificate = verify(graph, Distances(graph, ids(0), np.array([[0, 4, 7]], dtype=np.int32)))
    assert certificate.problems[0].startswith("vertex 1 has 4, but the distances on no path")


def test_tiny_floats_in_a_circle_that_nothing_supports():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 1], [1e9, 1e-9, 1e-9])
    assert verify(graph, Distances(graph, ids(0), np.array([[0, 1e9, 1e9]])))
    low = np.nextafter(1e9, 0)
    assert not verify(graph, Distances(graph, ids(0), np.array([[0, low, low]])))


def test_negative_distance(result):
    assert changed(result, (5, -1)).problems == [
        "vertex 'f' has -1, but no weight is negative: it should be at least 0"
    ]


@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_no_number(value):
    graph = Graph.from_arcs([0, 1], [1, 0], [0.5, -0.5])
    certificate = verify(graph, Distances(graph, ids(0), np.array([[0, value]])))
    assert certificate.problems == [f"vertex 1 has {value}, which is not a distance"]


def test_wrong_shape(graph, result):
    result.rows = result.rows[:, :-1]
    assert verify(graph, result).problems == ["the distances have shape (1, 5); 1 sources and 6 vertices need (1, 6)"]


def test_rows_and_sources_that_disagree(graph, result):
    result.source_indices = ids(0, 1)
    assert "need (2, 6)" in verify(graph, result).problems[0]


@pytest.mark.parametrize("dtype", ["uint32", "int16", "float16", "object"])
def test_wrong_type(graph, result, dtype):
    result.rows = np.zeros((1, 6), dtype=dtype)
    assert verify(graph, result).problems == [
        f"the distances have type {dtype}; it must be int32, int64, float32 or float64"
    ]


def test_integers_cannot_hold_float_sums():
    graph = Graph.from_arcs([0], [1], [1.0])
    certificate = verify(graph, Distances(graph, ids(0), np.array([[0, 1]])))
    assert certificate.problems == ["the distances have type int64, which cannot hold sums of float64 weights"]


def test_vertices_out_of_range(graph, result):
    result.source_indices, result.targets = ids(9), ids(-1)
    assert [problem[:24] for problem in verify(graph, result).problems] == [
        "source 9 is not a vertex",
        "target -1 is not a verte",
    ]


def test_not_a_result(graph):
    with pytest.raises(InputTypeError, match="ndarray cannot be verified"):
        verify(graph, np.zeros(6))


def tree_changed(result, v, u):
    result.predecessors[v] = u
    return verify(result.graph, result).problems


def test_predecessor_that_is_not_tight(result):
    assert tree_changed(result, 2, 0) == ["vertex 'c' has predecessor 'a', but no arc from there is tight"]


def test_predecessor_cycle_through_zero_arcs(result):
    assert tree_changed(result, 2, 3) == [
        "vertex 'c' has predecessors that never lead to a source",
        "vertex 'd' has predecessors that never lead to a source",
    ]


def test_predecessors_missing_or_too_many(result):
    assert tree_changed(result, 1, -1)[0] == "vertex 'b' is reached, but has no predecessor"
    assert tree_changed(result, 1, 0) == []
    assert tree_changed(result, 0, 3) == ["vertex 'a' is a source, but has predecessor 'd': it should be -1"]
    assert tree_changed(result, 0, -1) == []
    assert tree_changed(result, 5, 4) == ["vertex 'f' is unreached, but has predecessor 'e': it should be -1"]


def test_predecessors_out_of_form(result):
    assert tree_changed(result, 1, 6) == ["the predecessors must be 6 int32 numbers from -1 to 5"]
    result._forest.whole = result._forest.whole.astype(np.int64)
    assert tree_changed(result, 1, 0) == ["the predecessors must be 6 int32 numbers from -1 to 5"]


def test_one_known_row_of_predecessors_is_checked(graph):
    rows = np.array([[0, 5, 12, 12, TOP, TOP], [TOP, 0, 7, 7, TOP, TOP]], dtype=np.int32)
    result = Distances(graph, ids(0, 1), rows)
    result.path("c", source="b")
    result.known_trees()[1][2] = 0
    assert verify(graph, result).problems[0] == (
        "row 1 (source 'b'): vertex 'c' has predecessor 'a', but no arc from there is tight"
    )


@pytest.mark.parametrize(
    ("v", "source", "problem"),
    [
        (1, 3, "vertex 1 has source 3, but no shortest path to it starts there"),
        (0, 3, "vertex 0 has source 3, but no shortest path to it starts there"),
        (2, 1, "vertex 2 has source 1, but no shortest path to it starts there"),
        (2, -1, "vertex 2 has source -1, but no shortest path to it starts there"),
        (4, 3, "vertex 4 is unreached, but has source 3: it should be -1"),
    ],
)
def test_wrong_nearest_source(near, v, source, problem):
    assert verify(near.graph, near)
    near.source[v] = source
    assert verify(near.graph, near).problems[0] == problem


def test_nearest_sources_out_of_form(near):
    near._source = near.source.astype(np.int64)
    assert verify(near.graph, near).problems == ["the nearest sources must be 5 int32 numbers"]


def test_nearest_misses_a_source(near):
    near.distances.rows[0, 3] = TOP
    assert verify(near.graph, near).problems[0].startswith("source 3 has no distance")


def test_nearest_sources_below_zero():
    graph = Graph.from_arcs([0, 1], [1, 2], [-2, 1])
    near = Nearest(Distances(graph, ids(0), np.array([[0, -2, -1]], dtype=np.int32), seeds=ids(0, 1), single=True))
    assert verify(graph, near).problems == []
    near.distances.rows[0] = [0, 0, 1]
    assert not verify(graph, near)


@pytest.fixture
def late():
    """The same line with the end 0 at once, and the vertices 2 and 3 after 4 and 6."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], n=5, undirected=True)
    row, starts = np.array([[0, 5, 4, 5, TOP]], np.int32), np.array([0, 4, 6], np.int32)
    return Nearest(Distances(graph, ids(0), row, seeds=ids(0, 2, 3), starts=starts, single=True))


def test_starts_pass(late):
    assert late.predecessors.tolist() == [-1, 0, -1, 2, -1] and late.source.tolist() == [0, 0, 2, 2, -1]
    assert verify(late.graph, late).problems == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ([0, 5, 6, 6, TOP], "source 2 has 6: it starts at 4"),
        ([0, 5, 4, 6, TOP], "vertex 3 has 6, but arc 4 (2 -> 3, weight 1) leads to it with 5: it should be at most 5"),
        ([0, 5, 3, 4, TOP], "vertex 2 has 3, but the distances on no path from the source add up to it"),
        ([0, 5, 0, 1, TOP], "vertex 2 has 0, but the distances on no path from the source add up to it"),
        ([0, 5, TOP, TOP, TOP], "source 2 has no distance (unreached): it starts at 4"),
    ],
)
def test_starts_that_are_wrong(late, change, problem):
    late.distances.rows[0] = change
    assert verify(late.graph, late).problems[0].startswith(problem)


@pytest.mark.parametrize("starts", [[0, 4], [0, 4, -1], [0.0, 4.0, 6.0], ["0", "4", "6"]], ids=str)
def test_starts_out_of_form(late, starts):
    late.distances.starts = np.array(starts) if isinstance(starts[1], str | float) else np.array(starts, np.int32)
    assert "starting distance" in verify(late.graph, late).problems[0]


def test_roots_and_sources_of_starts(late):
    assert late.source.tolist() == [0, 0, 2, 2, -1]
    late.distances._forest.single[0] = ids(-1, 0, -1, -1, -1)
    assert verify(late.graph, late).problems == ["vertex 3 is reached, but has no predecessor"]
    late.distances._forest.single[0] = ids(-1, 0, 1, 2, -1)
    assert "vertex 2 is a source, but has predecessor 1" in verify(late.graph, late).problems[0]
    late.distances._forest.single.clear()
    late._source = ids(0, 0, 2, 3, -1)
    assert verify(late.graph, late).problems == ["vertex 3 has source 3, but no shortest path to it starts there"]


@given(strategies.starting(ANY), st.data())
def test_any_change_of_a_row_with_starts_is_caught(query, data):
    case, starts = query
    starts = {v: int(start) if strategies.is_whole(case) else start for v, start in starts.items()}
    graph, row = Graph.from_arcs(*case.arrays(), n=case.n), case.row(starts)
    seeds, begins = ids(*starts), np.array(list(starts.values()), row.dtype)
    result = Distances(graph, seeds[:1], row[None].copy(), seeds=seeds, starts=begins, single=True)
    assert verify(graph, result).problems == []
    v = data.draw(st.integers(0, case.n - 1))
    result.rows[0, v] += 1 if result.rows[0, v] < mark(row.dtype) and data.draw(st.booleans()) else -1
    assume(result.rows[0, v] != row[v])
    assert not verify(graph, result)


def test_cutoff_is_inclusive_and_nothing_lies_beyond(graph):
    def check(row, cutoff):
        return verify(graph, Distances(graph, ids(0), np.array([row], dtype=np.int32), cutoff=cutoff)).problems

    assert check([0, 5, TOP, TOP, TOP, TOP], 5) == check([0, 5, TOP, TOP, TOP, TOP], 11.9) == []
    assert check([0, 5, 12, 12, TOP, TOP], np.inf) == check([0, 5, 12, 12, TOP, TOP], 10**30) == []
    assert check([TOP] * 6, -1) == []
    assert "should be at most 5" in check([0, TOP, TOP, TOP, TOP, TOP], 5)[0]
    assert check([0, 5, TOP, TOP, TOP, TOP], 4) == ["vertex 'b' has 5, beyond the limit 4: it should be unreached"]
    assert "should be at most 12" in check([0, 5, TOP, TOP, TOP, TOP], 12)[0]


def test_cutoff_in_the_type_of_the_distances():
    graph = Graph.from_arcs([0], [1], np.array([0.1], dtype=np.float32))
    rows = np.array([[0, 0.1]], dtype=np.float32)
    assert verify(graph, Distances(graph, ids(0), rows, cutoff=0.1))
    assert verify(graph, Distances(graph, ids(0), rows, cutoff=1e300))


def test_limits_with_negative_weights_are_computed_anew():
    graph = Graph.from_arcs([0, 1, 0], [1, 2, 3], [9, -8, 6])
    wanted = Distances(graph, ids(0), np.array([[0, TOP, 1, TOP]], dtype=np.int32), cutoff=5)
    assert verify(graph, wanted)
    assert wanted.predecessors.tolist() == [[-1, -1, -1, -1]]
    assert verify(graph, wanted)
    wanted.rows[0, 2] = 2
    assert verify(graph, wanted).problems == ["vertex 2 has 2: it should be 1"]
    wanted.rows[0, 2] = TOP
    assert verify(graph, wanted).problems == ["vertex 2 has no distance (unreached): it should be 1"]


@pytest.mark.parametrize("weights", [[2**62, 2**62, 7], [2**62, 2**62, 2**63 - 1]])
def test_sums_beyond_int64(weights):
    graph = Graph.from_arcs([0, 1, 0], [1, 2, 2], weights)
    rows = np.array([[0, 2**62, min(weights[2], 2**63 - 2)]])
    certificate = verify(graph, Distances(graph, ids(0), rows))
    assert certificate.ok == (weights[2] == 7)
    rows[0, 2] = 2**63 - 1
    assert not verify(graph, Distances(graph, ids(0), rows))


def test_sums_beyond_int64_under_a_limit():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [2**62, 2**62, -(2**62)])
    wanted = np.array([[0, 2**63 - 1, 2**63 - 1, 2**63 - 1]])
    assert verify(graph, Distances(graph, ids(0), wanted, cutoff=10))


def test_sums_beyond_float():
    graph = Graph.from_arcs([0, 1], [1, 2], [1e308, 1e308])
    assert verify(graph, Distances(graph, ids(0), np.array([[0, 1e308, np.inf]])))
    assert verify(graph, Distances(graph, ids(0), np.array([[0, np.inf, np.inf]], dtype=np.float32)))


@pytest.mark.parametrize("n", [0, 1])
def test_hardly_a_graph(n):
    graph = Graph.from_arcs([], [], n=n)
    assert verify(graph, Distances(graph, ids(*range(n)), np.zeros((n, n), dtype=np.int32)))


def test_at_most_a_few_sentences():
    n = 50
    graph = Graph.from_arcs(np.zeros(n - 1, int), np.arange(1, n), np.arange(1, n))
    row = np.full((1, n), 99, dtype=np.int32)
    row[0, 0] = 0
    problems = verify(graph, Distances(graph, ids(0), row)).problems
    assert len(problems) == LIMIT
    assert problems[0].endswith("it should be at most 1")
