"""Each mistake in the five pseudocodes (shared/seeds/ERRATA.md) as a case that our GPU methods must get right."""

from __future__ import annotations

import numpy as np
import pytest

import nearfar
from helpers.reach import ALL, DEVICE, NEGATIVE, STREAMING, memory_for, streaming
from nearfar import Graph
from nearfar.devices import opencl
from nearfar.errors import NegativeCycleError
from nearfar.gpu import planning as gpu_plan
from nearfar.gpu import row_blocks

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)

TOP = np.iinfo(np.int32).max
every_method = pytest.mark.parametrize("method", ALL)
negative_methods = pytest.mark.parametrize("method", NEGATIVE)
streaming_methods = pytest.mark.parametrize("method", STREAMING)


def both(graph, source, method, **options):
    """Return the row of one source, and the same row asked for among others: other kernels settle it then."""
    one = nearfar.sssp(graph, source, method=method, device=DEVICE, **options).dist
    several = nearfar.mssp(graph, [source] * 3, method=method, device=DEVICE, **options).dist
    assert (several == one).all()
    return one


@every_method
def test_an_arc_leads_one_way(method):
    """000, 001: every edge was relaxed in both directions."""
    assert both(Graph.from_arcs([1, 2], [0, 1], [3, 4]), 1, method).tolist() == [3, 0, TOP]


@every_method
def test_every_source_of_a_group_is_settled(method, monkeypatch):
    """001, 003: the flag was armed once, so a group's second source stopped at once."""
    monkeypatch.setattr(gpu_plan, "HOST_GROUPS", 1)
    monkeypatch.setattr(row_blocks, "LAUNCH_SECONDS", 1e9)  # blocks of rows grow, however slow the machine is
    graph = nearfar.generate.rmat(8, seed=1)
    result = nearfar.apsp(graph, method=method, device=DEVICE)
    assert result.plan.layouts[0].groups < graph.n // 16
    assert result.stats["launches_of_rows"] * result.plan.layouts[0].groups < graph.n  # so some groups had several
    assert result.dist.tobytes() == nearfar.apsp(graph, device="cpu").dist.tobytes()


@negative_methods
def test_an_unreached_tail_offers_nothing(method):
    """000, 001: infinity plus a negative weight was below infinity."""
    graph = Graph.from_arcs([0, 2, 3], [1, 1, 2], [5, -7, -1])
    assert both(graph, 0, method).tolist() == [0, 5, TOP, TOP]
    floats = Graph.from_arcs([0, 2, 3], [1, 1, 2], [5.0, -7.0, -1.0])
    assert both(floats, 0, method).tolist() == [0, 5, np.inf, np.inf]


@every_method
def test_a_late_reset_loses_no_change(method):
    """000, 001, 003: a flag tested and reset without barriers ended rounds too early; here every round changes one."""
    n = 400
    path = Graph.from_arcs(np.arange(n - 1, 0, -1), np.arange(n - 2, -1, -1), np.ones(n - 1, np.int32))
    assert both(path, n - 1, method).tolist() == list(range(n - 1, -1, -1))


@pytest.mark.parametrize("width", (None, 1, 10**6))
def test_the_source_is_in_the_first_bucket(width):
    """002: buckets were counted from 1, and the source was in none."""
    graph = Graph.from_arcs([0, 1, 0], [1, 2, 2], [0, 0, 1])
    assert both(graph, 0, "delta", delta=width).tolist() == [0, 0, 0]


def test_empty_buckets_are_jumped_over():
    """002: they were scanned one by one, here a thousand million of them."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [10**9, 1, 10**9])
    result = nearfar.sssp(graph, 0, method="delta", device=DEVICE, delta=1)
    assert result.dist.tolist() == [0, 10**9, 10**9 + 1, 2 * 10**9 + 1]
    assert result.stats["stages"] < 30
    assert both(graph, 0, "delta", delta=1).tolist() == result.dist.tolist()


@every_method
@pytest.mark.parametrize("weight", (0, 0.0, np.float32(0)))
def test_arcs_and_cycles_of_weight_zero_come_to_an_end(method, weight):
    """002, 003: vertices were never taken out of their bucket, a skipped one never passed."""
    ring = np.arange(50)
    graph = Graph.from_arcs(ring, np.roll(ring, -1), np.full(50, weight))
    assert not both(graph, 3, method).any()
    result = nearfar.sssp(graph, 3, method=method, device=DEVICE)
    assert nearfar.verify(graph, result) and len(result.path(2)) == 50


def fan(degrees, seed=5):
    """A graph whose vertices have these numbers of arcs, to random heads."""
    rng = np.random.default_rng(seed)
    tails = np.repeat(np.arange(len(degrees)), degrees)
    return Graph.from_arcs(
        tails, rng.integers(0, len(degrees), len(tails)), rng.integers(1, 9, len(tails)), len(degrees)
    )


@streaming_methods
@pytest.mark.parametrize(
    ("degrees", "batch"),
    [([2, 3, 3, 3, 2, 3], 4), ([1, 14, 1, 3, 1], 5), ([4] * 6, 4), ([8, 0, 0, 4, 0, 4], 4), ([0, 0, 16, 0], 4)],
    ids=("cut", "over three batches", "on bounds", "on bounds with gaps", "one vertex"),
)
def test_batch_bounds(method, degrees, batch):
    """004: the test of ranges was inverted, and indices were not relative to the batch."""
    graph = fan(degrees)
    with streaming(batch):
        for sources in (None, *([v] for v in range(graph.n))):
            wanted = graph.m // batch
            memory = memory_for(wanted, graph, sources, method=method)
            asked = {"method": method, "device": DEVICE, "memory": memory}
            result = nearfar.apsp(graph, **asked) if sources is None else nearfar.mssp(graph, sources, **asked)
            layout = result.plan.layouts[0]
            assert (layout.batches, layout.batch) == (wanted, -(-graph.m // wanted))
            assert result.rows.tobytes() == nearfar.mssp(graph, result.sources, device="cpu").rows.tobytes()


@streaming_methods
def test_batches_come_again_until_nothing_changes(method):
    """004: the flag was neither cleared nor copied back. Here the path goes back through the batches, arc by arc."""
    n = 40
    graph = Graph.from_arcs(np.arange(1, n), np.arange(n - 1), np.ones(n - 1, np.int32))
    with streaming(4):
        memory = memory_for(9, graph, 0, method=method)
        result = nearfar.sssp(graph, n - 1, method=method, device=DEVICE, memory=memory)
        assert result.plan.arc_batches > 4
        rows = nearfar.apsp(graph, method=method, device=DEVICE, memory=memory_for(9, graph, method=method))
    assert result.dist.tolist() == list(range(n - 1, -1, -1))
    assert rows.dist[n - 1].tolist() == result.dist.tolist() and (rows.dist[0, 1:] == TOP).all()


@every_method
def test_a_single_source_has_the_whole_device(method):
    """All: one block did all the work of a single source."""
    graph = nearfar.generate.rmat(12, seed=3)
    plan = nearfar.plan(graph, 0, method=method, device=DEVICE)
    assert plan.together and plan.layouts[0].groups >= 2
    groups, call = [], opencl.Kernel.__call__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opencl.Kernel, "__call__", lambda kernel, *args: (groups.append(args[0]), call(kernel, *args)))
        assert nearfar.verify(graph, nearfar.sssp(graph, 0, method=method, device=DEVICE))
    assert max(groups) >= plan.layouts[0].groups


@every_method
def test_sums_do_not_overflow(method):
    """All: two weights of 1.5e9 made a negative distance."""
    graph = Graph.from_arcs([0, 1], [1, 2], np.array([1_500_000_000] * 2, np.int32))
    dist = both(graph, 0, method)
    assert dist.dtype == np.int64 and dist.tolist() == [0, 1_500_000_000, 3_000_000_000]


@every_method
def test_many_vertices_times_large_sources(method):
    """All: s * n overflowed past 46,340 vertices."""
    n = 50_000
    tails = np.arange(n)
    graph = Graph.from_arcs(tails, (tails + 1) % n, tails % 7 + 1, n)
    sources = [46_341, 49_998, 0]
    result = nearfar.mssp(graph, sources, method=method, device=DEVICE, cutoff=40)
    assert result.dist.tobytes() == nearfar.mssp(graph, sources, device="cpu", cutoff=40).dist.tobytes()
    assert result.dist[1, n - 1] == 49_998 % 7 + 1


@negative_methods
@pytest.mark.parametrize("sources", ([0], [0, 1, 0]), ids=("one", "some"))
def test_negative_cycles_are_found(method, sources):
    """All: negative weights were accepted and gave nonsense, or never ended."""
    graph = Graph.from_arcs([0, 1, 2, 3], [1, 2, 3, 1], [1, 2, -5, 2])
    with pytest.raises(NegativeCycleError) as caught:
        nearfar.mssp(graph, sources, method=method, device=DEVICE)
    assert sorted(caught.value.cycle) == [1, 2, 3]


@every_method
def test_results_are_k_by_n(method):
    """SParry gave flat arrays."""
    graph = nearfar.generate.rmat(5, seed=2)
    assert nearfar.sssp(graph, 0, method=method, device=DEVICE).dist.shape == (graph.n,)
    assert nearfar.mssp(graph, [3], method=method, device=DEVICE).dist.shape == (1, graph.n)
    assert nearfar.mssp(graph, [3, 4, 3], method=method, device=DEVICE).dist.shape == (3, graph.n)
    assert nearfar.apsp(graph, method=method, device=DEVICE).dist.shape == (graph.n, graph.n)


@streaming_methods
def test_division_is_right_for_many_sources(method):
    """SParry's division of a graph was only right for one."""
    graph = fan([3] * 30)
    with streaming(8):
        memory = memory_for(5, graph, method=method)
        result = nearfar.apsp(graph, method=method, device=DEVICE, memory=memory)
    assert result.plan.arc_batches > 1
    assert result.dist.tobytes() == nearfar.apsp(graph, device="cpu").dist.tobytes()


@every_method
def test_predecessors_with_arcs_of_weight_zero(method):
    """SParry's were wrong: they went round in circles."""
    graph = Graph.from_arcs([0, 1, 2, 1, 3], [1, 2, 1, 3, 2], [2, 0, 0, 0, 0])
    result = nearfar.sssp(graph, 0, method=method, device=DEVICE)
    assert result.predecessors.tolist() == [-1, 0, 1, 1] and result.path(3) == [0, 1, 3]


@every_method
def test_the_smallest_graphs(method):
    single, loop = Graph.from_arcs([], [], [], 1), Graph.from_arcs([0], [0], [4])
    for graph in (single, loop):
        assert both(graph, 0, method).tolist() == [0]
    pair = Graph.from_arcs([0], [1], n=3)
    assert both(pair, 2, method).tolist() == [TOP, TOP, 0]  # nothing leads out of the source
    assert both(Graph.from_arcs([], [], [], 3), 1, method).tolist()[1] == 0
    empty = nearfar.apsp(Graph.from_arcs([], [], [], 0), method=method, device=DEVICE)
    assert empty.dist.shape == (0, 0)
    assert nearfar.nearest(pair, [0, 0, 2], method=method, device=DEVICE).dist.tolist() == [0, 1, 0]
