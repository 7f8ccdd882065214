"""The quick proof passes what is right by itself, and never what the slow proof refuses."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from nearfar.certificate import scan, verify
from nearfar.certificate.chains import Chains, Links
from nearfar.certificate.crew import Crew, threads_of
from nearfar.certificate.proof import Row, reach
from nearfar.graph import Graph
from nearfar.results import Distances, Nearest

TOP = 2**31 - 1
LIGHT = {"int32": [0, 0, 1, 2], "float64": [0.0, 1e-17, 0.5, 1.0]}  # zeros, and sums that rounding leaves as they are
ZEROS = {"int32": [0], "int64": [0], "float32": [0.0], "float64": [0.0]}


def ids(*vertices):
    return np.array(vertices, dtype=np.int32)


@contextmanager
def changed(block=None, threads=None, quick=True, slow=True):
    """Change how rows are proved: the size of blocks, the threads, and which of the two proofs there is."""
    with pytest.MonkeyPatch.context() as patch:
        if block is not None:
            patch.setattr(scan, "BLOCK", block)
        if threads is not None:
            patch.setattr(sys.modules["nearfar.certificate.verify"], "threads_of", lambda result: threads)
        if not quick:
            patch.setattr(scan.Scanner, "proves", lambda *given: False)
        if not slow:
            patch.setattr(Row, "supported", lambda *given: pytest.fail("the quick proof did not pass"))
        yield


@st.composite
def light_cases(draw, weights=LIGHT):
    """Graphs of many zeros and ties, with few vertices, so that cycles of equal distances are common."""
    dtype = draw(st.sampled_from(sorted(weights)))
    n = draw(st.integers(1, 8))
    ends = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(ends, ends, st.sampled_from(weights[dtype])), max_size=24))
    return strategies.Case(n, tuple(arcs), dtype)


CASES = strategies.cases() | light_cases() | light_cases(ZEROS)


@st.composite
def results(draw, graphs=CASES, limited=True):
    """Right results of every kind: in both directions, with limits, starts, trees, nearest sources, wider types."""
    case, sources = draw(strategies.queries(graphs, max_sources=3))
    graph = Graph.from_arcs(*case.arrays(), n=case.n, names=draw(st.none() | st.just([f"v{v}" for v in range(case.n)])))
    options = {"direction": draw(st.sampled_from(["from", "to"])), "threads": 1}
    options["cutoff"] = draw(st.none() | st.integers(0, 12) | st.floats(0, 12)) if limited else None
    if strategies.is_whole(case) and draw(st.booleans()):
        options["dtype"] = "int64"
    names = [graph.name(s) for s in sources]
    found = nearfar.nearest(graph, names, **options) if draw(st.booleans()) else nearfar.mssp(graph, names, **options)
    if draw(st.booleans()):
        assert (found.predecessors if found.direction == "from" else found.successors) is not None
    if isinstance(found, Nearest):
        assert found.source is not None  # from the right tree: following a damaged one would never end
    return graph, found


def damage(result, data):
    """Change one distance, one predecessor or one nearest source."""
    distances = result.distances if isinstance(result, Nearest) else result
    n, kinds = distances.rows.shape[1], ["distance"]
    trees = distances.known_trees()
    r = data.draw(st.integers(0, len(distances.rows) - 1))
    kinds += ["tree"] * (r in trees) + ["source"] * isinstance(result, Nearest)
    kind, v = data.draw(st.sampled_from(kinds)), data.draw(st.integers(0, n - 1))
    if kind == "distance":
        top = np.inf if distances.rows.dtype.kind == "f" else np.iinfo(distances.rows.dtype).max
        near = {distances.rows[r, v] + step for step in (-1, 1) if distances.rows[r, v] not in (top, -top)}
        distances.rows[r, v] = data.draw(st.sampled_from([0, 1, 2, top, top - 1, *distances.rows[r], *sorted(near)]))
    elif kind == "tree":
        trees[r][v] = data.draw(st.integers(-1, n))
    else:
        result.source[v] = data.draw(st.integers(-1, n))


@given(results(), st.integers(1, 12), st.integers(1, 3))
def test_right_results_need_no_slow_proof(made, block, threads):
    graph, found = made
    with changed(block, threads, slow=False):
        assert verify(graph, found).problems == []


@given(results(strategies.negative_cases(), limited=False), st.integers(1, 12), st.integers(1, 3))
def test_negative_weights_need_no_slow_proof(made, block, threads):
    graph, found = made
    with changed(block, threads, slow=False):
        assert verify(graph, found).problems == []


@given(results(CASES | strategies.negative_cases()), st.data(), st.integers(1, 12), st.integers(1, 3))
def test_damage_is_judged_as_by_the_slow_proof(made, data, block, threads):
    graph, found = made
    for _ in range(data.draw(st.integers(1, 3))):
        damage(found, data)
    with changed(quick=False):
        wanted = verify(graph, found).problems
    with changed(block, threads):
        assert verify(graph, found).problems == wanted


@given(
    st.sampled_from([np.int32, np.int64]),
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-2, 2)), min_size=4, max_size=4),
    st.integers(1, 5),
)
def test_negative_integers_near_the_end_of_their_type(dtype, weights, reached):
    """A path of which only the first vertices are marked as reached; its sums may be more than the type can hold."""
    end = int(np.iinfo(dtype).max)
    weights = [end // 4 * quarters + rest for quarters, rest in weights]
    lengths = np.cumsum([0, *weights], dtype=object)
    assume(min(weights) < 0 and all(abs(length) < end for length in lengths[:reached]) and max(weights) <= end)
    graph = Graph.from_arcs(range(4), range(1, 5), np.array(weights, dtype))
    row = np.full((1, 5), end, dtype)
    row[0, :reached] = lengths[:reached]
    found = Distances(graph, ids(0), row, single=True)
    with changed(quick=False):
        wanted = verify(graph, found).problems
    assert verify(graph, found).problems == wanted


@given(
    st.sampled_from([np.int32, np.int64]), st.lists(st.integers(1, 9), min_size=3, max_size=3), st.none() | st.just(0)
)
def test_integers_near_the_end_of_their_type(dtype, steps, limit):
    """An arc to an unreached vertex offers a sum that the type cannot hold, or just can."""
    end = int(np.iinfo(dtype).max)
    first, second = end - steps[0], steps[1]
    graph = Graph.from_arcs([0, 1], [1, 2], np.array([first, second], dtype))
    row = np.array([[0, first, end]], dtype)
    cutoff = None if limit is None else end - steps[2]
    found = Distances(graph, ids(0), row, cutoff=cutoff, single=True)
    with changed(quick=False):
        wanted = verify(graph, found).problems
    assert verify(graph, found).problems == wanted


def test_cycles_of_weight_zero_are_searched():
    """Vertices at equal distances that support each other, with and without an arc from a smaller distance."""
    graph = Graph.from_arcs([0, 1, 2, 3, 2], [1, 2, 3, 1, 4], [5, 0, 0, 0, 0], n=5)
    row = np.array([[0, 5, 5, 5, 5]], np.int32)
    with changed(slow=False):
        assert verify(graph, Distances(graph, ids(0), row, single=True))
    apart = Graph.from_arcs([1, 2, 3], [2, 3, 1], [0, 0, 0], n=4)
    assert not verify(apart, Distances(apart, ids(0), np.array([[0, 5, 5, 5]], np.int32), single=True))


@given(st.integers(1, 12), st.data(), st.integers(1, 7), st.booleans())
def test_chains_hold_what_can_be_reached(n, data, block, by_head):
    """Arcs in blocks, in any order, with blocks that end within the arcs of a vertex."""
    ends = st.integers(0, n - 1)
    arcs = sorted(data.draw(st.lists(st.tuples(ends, ends), max_size=30)))
    rows, others = np.array(arcs, np.int32).reshape(-1, 2).T
    held = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    chains = Chains(n, by_head)
    for first in data.draw(st.permutations(range(0, len(arcs), block))):
        part = rows[first : first + block]
        counts = np.bincount(part - part[0])
        chains.parts[first] = Links(part[0], counts, others[first : first + block])
    wanted = reach(held, *((others, rows) if by_head else (rows, others)))
    assert chains.hold_all(held) == wanted.all()
    assert (held == wanted).all()


def test_a_graph_of_zeros_is_searched_only():
    """Without weights to compare, the row is right if it has all that can be reached, and nothing else."""
    graph = Graph.from_arcs([0, 1, 3], [1, 2, 4], [0, 0, 0], n=5)
    row = np.array([[0, 0, 0, TOP, TOP]], np.int32)
    with changed(slow=False), pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan.Scan, "mark", lambda *given: pytest.fail("arcs were compared"))
        assert verify(graph, Distances(graph, ids(0), row, single=True))
        assert verify(graph, Distances(graph, ids(2), row, single=True, direction="to"))
    for v, distance in ((2, TOP), (2, 5), (4, 0)):
        wrong = row.copy()
        wrong[0, v] = distance
        assert not verify(graph, Distances(graph, ids(0), wrong, single=True))


def test_large_rows_on_several_threads():
    graph = nearfar.generate.road_grid(300, 300, seed=1)
    assert graph.m > 3 * scan.BLOCK
    found = nearfar.mssp(graph, [0, 777])
    with changed(threads=3, slow=False):
        assert verify(graph, found)
    found.rows[1, 5000] += 1
    with changed(threads=3):
        assert "vertex 5000" in verify(graph, found).problems[0]


def test_a_crew_does_every_item_once():
    with Crew(3) as crew:
        done = []
        assert crew.share(100, lambda item, t: done.append(item) is None)
        assert sorted(done) == list(range(100)) and crew.share(0, lambda item, t: False)
        assert not crew.share(5, lambda item, t: item != 3)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_crew_ends_with_the_callers_part(error):
    """Whatever ends the caller's part ends the loop: the others find nothing left to do."""
    done, raised, caller = [], threading.Event(), threading.current_thread()

    def work(item, t):
        if threading.current_thread() is caller:
            raised.set()
            raise error
        raised.wait()
        done.append(item)
        return True

    with pytest.raises(error), Crew(3) as crew:
        crew.share(10_000, work)
    assert len(set(done)) == len(done)


def test_threads_of_a_result():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7])
    assert threads_of(nearfar.sssp(graph, 0, threads=1)) == 1
    assert threads_of(Distances(graph, ids(0), np.array([[0, 5, 12]], np.int32))) >= 1
