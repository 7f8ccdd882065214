"""Layouts and plans for GPUs as functions of numbers: no device is touched, so every memory can be had."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import nearfar
from helpers.reach import ALL, DEVICE, STREAMING, least_memory
from nearfar import Graph
from nearfar.devices import opencl
from nearfar.devices.facts import Facts
from nearfar.engine.planner import make_gpu_plan
from nearfar.errors import DeviceError, MemoryLimitError, MethodError, NearfarError, OptionError
from nearfar.gpu import GPU_METHODS, planning
from nearfar.gpu.layout import MIN_BATCH, DeviceLayout, Sizes, group_bytes, make_layout, parts_of
from nearfar.gpu.model import busy_groups, groups_at_work, is_better_together, work_of_row
from nearfar.gpu.planning import choose_device, choose_gpu_method, require_gpu_method, wants_gpu
from nearfar.gpu.tuning import DEVICE_SHARE
from nearfar.methods import METHODS

INT32, INT64 = np.dtype("int32"), np.dtype("int64")


@st.composite
def all_sizes(draw, methods=ALL):
    """Return a strategy for the sizes of a query with one of the methods."""
    on_gpu = GPU_METHODS[draw(st.sampled_from(methods))]
    offset, n = draw(st.sampled_from([4, 8])), draw(st.integers(1, 100) | st.integers(1, 10**7))
    return Sizes(
        n=n,
        m=draw(st.integers(0, 2000) | st.integers(0, 10**8)),
        rows=draw(st.just(1) | st.integers(1, n)),
        arc=draw(st.sampled_from([4, 8, 12])),
        offset=offset,
        key=draw(st.sampled_from([4, 8])),
        vertex_extra=on_gpu.vertex_offsets * offset,
        arc_extra=on_gpu.arc_bytes,
        scratch=on_gpu.scratch,
        list_copies=on_gpu.lists,
        streams=on_gpu.streams,
        result=draw(st.sampled_from([0, 4, 8])),
    )


machines = st.fixed_dictionaries(
    {
        "cores": st.integers(1, 128),
        "group_size": st.sampled_from([16, 64, 256]),
        "groups_per_core": st.sampled_from([1, 4, 8]),
        "gpu": st.booleans(),
    }
)
memories = st.integers(1, 10**5) | st.integers(1, 10**9) | st.integers(1, 10**13)


@given(all_sizes(), machines, memories, st.integers(1, 4))
def test_a_layout_keeps_to_the_memory(sizes, machine, memory, quarters):
    largest = max(memory * quarters // 4, 1)
    layout = make_layout(sizes, memory=memory, largest=largest, **machine)
    if not isinstance(layout, DeviceLayout):
        assert layout > 0
        return
    assert layout.bytes <= memory
    assert 1 <= layout.rows <= sizes.rows and 1 <= layout.groups <= machine["cores"] * machine["groups_per_core"]
    assert layout.groups <= layout.rows or sizes.rows == 1
    assert layout.rows * sizes.n * sizes.key <= largest
    assert layout.batch * sizes.arc <= max(largest, sizes.arc)
    copies = 1 if sizes.rows == 1 else layout.groups
    own = copies * group_bytes(sizes, layout.parts)
    used = (sizes.n + 1) * sizes.offset + own + layout.rows * sizes.n * sizes.key
    used += sizes.arc * (layout.batch * 2 if layout.batches > 1 else sizes.m)
    assert used <= layout.bytes and own <= largest + group_bytes(sizes, layout.parts)


@given(all_sizes(), machines, memories)
def test_batches_cover_all_arcs_and_none_is_empty(sizes, machine, memory):
    layout = make_layout(sizes, memory=memory, largest=memory, **machine)
    assume(isinstance(layout, DeviceLayout))
    assert layout.batches * layout.batch >= sizes.m
    assert layout.batches == 1 or (layout.batches - 1) * layout.batch < sizes.m
    assert layout.batches == 1 or (sizes.streams and layout.batch >= min(MIN_BATCH, sizes.m) // 2)


@given(all_sizes(), machines, memories)
def test_more_memory_is_never_worse(sizes, machine, memory):
    first, second = (make_layout(sizes, memory=m, largest=m, **machine) for m in (memory, memory + memory // 3 + 1))
    if isinstance(first, DeviceLayout):
        assert isinstance(second, DeviceLayout) and second.batches <= first.batches
        return
    assert first > memory  # the bytes that are asked for suffice
    assert isinstance(make_layout(sizes, memory=first, largest=first, **machine), DeviceLayout)


@given(all_sizes(), machines)
def test_with_memory_enough_all_arcs_and_many_rows_are_there(sizes, machine):
    layout = make_layout(sizes, memory=2**62, largest=2**62, **machine)
    assert layout.batches == 1 and layout.batch == max(sizes.m, 1)
    assert layout.rows >= min(sizes.rows, machine["cores"] * machine["groups_per_core"])


@given(st.lists(st.integers(0, 5000), max_size=30), st.booleans())
def test_lists_have_room_for_the_parts_of_fat_vertices(degrees, gpu):
    """Whichever vertices are listed at once: as many parts as kernels/gpu/lists.cl makes of them."""
    from nearfar.gpu.work import tuning

    numbers = tuning(gpu)
    parts = sum(-(-degree // numbers["PART"]) for degree in degrees if degree > numbers["THIN"])
    assert parts <= parts_of(sum(degrees), gpu)


@given(all_sizes(), machines, memories, st.integers(1, 10**6))
def test_a_buffer_that_is_too_large_is_no_layout(sizes, machine, memory, largest):
    """Drivers limit single buffers, often to a quarter of the memory."""
    layout = make_layout(sizes, memory=memory, largest=largest, **machine)
    if sizes.n * sizes.key > largest or (sizes.m * sizes.arc > largest and not sizes.streams):
        assert not isinstance(layout, DeviceLayout)


def gpu(name="opencl:0", memory=10**9, **more):
    return Facts(name, more.pop("cores", 10), memory, gpu=True, group_size=256, **more)


@pytest.fixture
def graph():
    return nearfar.generate.rmat(10, seed=1)


def plan_for(graph, rows, method="auto", types=(INT32, INT64), facts=None, memory=None, host_free=10**12, **more):
    facts = facts or [gpu()]
    return make_gpu_plan(
        graph,
        rows,
        method=method,
        types=types,
        facts=facts,
        threads=3,
        memory=memory,
        host_free=host_free,
        **more,
    )


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("rows", (1, 50, 1024))
def test_plan_on_a_roomy_device(graph, method, rows):
    plan = plan_for(graph, rows, method)
    plan.require_memory()
    assert (plan.method, plan.device, plan.devices, plan.together) == (method, "opencl:0", ("opencl:0",), rows == 1)
    assert (plan.dtype, plan.wider, plan.arc_batches) == (INT32, INT64, 1)
    assert plan.bytes <= plan.available == int(DEVICE_SHARE * 10**9) and plan.host_bytes == 4 * rows * graph.n
    assert plan_for(graph, rows, method, filled=True).host_bytes == 0


@pytest.mark.parametrize("method", ALL)
def test_memory_given_is_an_upper_bound(graph, method):
    assert plan_for(graph, 9, method, memory=5 * 10**8).available == 5 * 10**8
    assert plan_for(graph, 9, method, memory=5 * 10**9).available == 10**9


@pytest.mark.parametrize("rows", (1, 1024))
def test_less_and_less_memory(graph, rows):
    """First rows come in batches, then arcs; then it is refused."""
    seen = set()
    for memory in np.geomspace(10**8, 10**4, 60).astype(int).tolist():
        plan = plan_for(graph, rows, "frontier", memory=memory)
        if not plan.layouts:
            with pytest.raises(MemoryLimitError, match=r"frontier with 1,024 vertices needs"):
                plan.require_memory()
            seen.add("refused")
            continue
        plan.require_memory()
        assert "refused" not in seen and plan.bytes <= memory
        seen |= {name for name, count in (("arcs", plan.arc_batches), ("rows", plan.row_batches)) if count > 1}
        assert (f"arcs in {plan.arc_batches} batches" in plan.why) is (plan.arc_batches > 1)
    assert seen == {"arcs", "refused"} | ({"rows"} if rows > 1 else set())


def test_auto_method(graph):
    assert plan_for(graph, 5).method == "delta"
    small = least_memory(lambda memory: bool(plan_for(graph, 1, "frontier", memory=memory).layouts))
    plan = plan_for(graph, 1, memory=small)
    assert plan.method == "frontier" and plan.arc_batches > 1 and "batches" in plan.why
    assert plan_for(Graph.from_arcs([0], [1], [-1]), 1).method == "frontier"
    assert choose_gpu_method(True, False)[0] == choose_gpu_method(False, False)[0] == "frontier"


def test_a_graph_larger_than_one_buffer(graph):
    """The memory would do, but no single buffer may be as large as the arcs: batches, or a refusal; never the CPU."""
    facts = [gpu(largest=graph.m * 4)]
    for method in STREAMING:
        plan = plan_for(graph, 1, method, facts=facts)
        plan.require_memory()
        assert plan.arc_batches > 1 and plan.layouts[0].batch * 8 <= facts[0].largest
    plan = plan_for(graph, 1, "delta", facts=facts)
    with pytest.raises(MemoryLimitError, match=r"method='frontier' or method='edge'") as caught:
        plan.require_memory()
    assert caught.value.available == facts[0].largest
    assert plan_for(graph, 1, facts=facts).method == "frontier"


def test_a_row_larger_than_one_buffer():
    graph = Graph.from_arcs([0], [1], n=10_000)
    for method in ALL:
        with pytest.raises(MemoryLimitError):
            plan_for(graph, 1, method, facts=[gpu(largest=9999)]).require_memory()


def test_devices_of_different_size(graph):
    """Each has a layout of its own; the one that is large enough for more does not make the other one too small."""
    facts = [gpu("opencl:0", 10**9), gpu("opencl:1", 10**6)]
    plan = plan_for(graph, 1024, "delta", facts=facts)
    plan.require_memory()
    large, small = plan.layouts
    assert large.rows > small.rows and large.bytes > plan.available >= plan.bytes == small.bytes
    assert plan.device == "opencl:0, opencl:1" and plan.threads == 3  # of the CPU, not the devices
    assert plan.row_batches == -(-1024 // (large.rows + small.rows))
    with pytest.raises(MemoryLimitError) as caught:
        plan_for(graph, 1024, "delta", facts=[facts[0], gpu("opencl:1", 10**5)]).require_memory()
    assert caught.value.available == int(DEVICE_SHARE * 10**5)


def test_the_answer_must_fit_into_the_machine(graph):
    with pytest.raises(MemoryLimitError, match=r"the machine's memory.*fewer sources"):
        plan_for(graph, 1024, host_free=4 * 1024**2 - 1).require_memory()
    plan_for(graph, 1024, host_free=4 * 1024**2).require_memory()


def test_a_wider_type_needs_more(graph):
    narrow, wide = (plan_for(graph, 100, "frontier", types=[dtype]) for dtype in (INT32, INT64))
    # Twice, since a GPU has two buffers for rows.
    assert wide.bytes - narrow.bytes == 2 * 4 * 100 * graph.n and wide.host_bytes == 2 * narrow.host_bytes
    tight = least_memory(lambda memory: plan_for(graph, 1, "frontier", types=[INT32], memory=memory).bytes <= memory)
    assert not plan_for(graph, 1, "frontier", types=[INT64], memory=tight).layouts


@pytest.mark.skipif(opencl.missing() is not None, reason=str(opencl.missing()))
def test_a_distance_that_does_not_fit_is_planned_again():
    """Memory for int32: as int64, the arcs come in batches, or it is refused where they cannot."""
    n = 1000
    tails = np.repeat(np.arange(n - 1), 20)
    graph = Graph.from_arcs(tails, tails + 1, np.full(len(tails), 2**22, np.int32))
    truth = nearfar.sssp(graph, 0, device="cpu").dist
    assert truth.dtype == INT64

    def narrow(method, memory):
        return nearfar.plan(graph, 0, method=method, device=DEVICE, memory=memory, dtype="int32")

    for method in ALL:

        def is_enough(memory, method=method):
            return bool(narrow(method, memory).layouts) and narrow(method, memory).arc_batches == 1

        options = {"method": method, "device": DEVICE, "memory": least_memory(is_enough)}
        if method in STREAMING:
            result = nearfar.sssp(graph, 0, **options)
            assert result.dist.tobytes() == truth.tobytes() and result.plan.dtype == INT64
            assert result.plan.arc_batches == result.stats["batches"] > 1
        else:
            with pytest.raises(MemoryLimitError):
                nearfar.sssp(graph, 0, **options)


def large(n, m, levels, arc="i4,i4"):
    """Return what plans read of a graph, for one that is too large to be made here."""
    return SimpleNamespace(
        n=n, m=m, usual_levels=levels, offsets=np.empty(0, np.int32), arcs=np.empty(0, arc), min_weight=1, max_weight=9
    )


RTX = Facts("cuda:0", 46, 8 << 30, gpu=True, group_size=1024)  # such as an RTX 3070
RMAT_18 = large(2**18, 7_611_032, 8)
MANY_VERTICES = {
    "random": large(20_000_000, 80_000_000, 24),
    "grid": large(20_000_000, 80_000_000, 510),
    "hubs": large(20_000_000, 300_000_000, 12),
}


def at_work(graph, rows, method, in_turn=None, facts=RTX):
    """Return the layout of a plan, and how many groups are at work in it, out of those that keep the device busy."""
    with pytest.MonkeyPatch.context() as patch:
        if in_turn is not None:
            patch.setattr(planning, "rows_in_turn", lambda *numbers: in_turn)
        layout = plan_for(graph, rows, method, facts=[facts]).layouts[0]
    return layout, groups_at_work(work_of_row(graph, GPU_METHODS[method]), layout, busy_groups(facts))


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize(
    ("graph", "rows"),
    [(RMAT_18, 5), (MANY_VERTICES["random"], 64), (MANY_VERTICES["hubs"], 64)],
    ids=("R-MAT 18", "random", "hubs"),
)
def test_few_sources_keep_the_device_busy(method, graph, rows):
    """At least four times the groups at work that one row per group has, in less memory.

    `edge` needs no memory per group: 64 rows have 64 groups, and all 92 that keep the device busy are at work in turn.
    """
    (before, few), (layout, many) = at_work(graph, rows, method, in_turn=False), at_work(graph, rows, method)
    assert layout.together and not before.together and many >= (4 if method != "edge" or rows < 64 else 1.4) * few
    assert layout.groups == 46 * 8 and layout.rows == 1 and layout.bytes < before.bytes


@pytest.mark.parametrize("method", ALL)
def test_rows_stay_apart_where_lists_are_short(method):
    """Road networks: a list of one row is work for a group or two, so that rows beside each other are better."""
    roads, few = large(264_346, 733_846, 510), 5
    layout, count = at_work(roads, few, method)
    assert count == (92 if method == "edge" else few) and layout.together is (method == "edge")
    assert not at_work(large(1_070_376, 2_712_798, 510), few, "delta")[0].together


def test_a_deep_graph_too_large_for_many_groups():
    """`delta` has memory for six rows at once. About as fast in turn, by the model, and in less memory."""
    before, few = at_work(MANY_VERTICES["grid"], 64, "delta", in_turn=False)
    layout, many = at_work(MANY_VERTICES["grid"], 64, "delta")
    assert layout.together and layout.groups == 46 * 8 and many > few == before.groups == 6


@pytest.mark.parametrize("method", ALL)
def test_many_rows_stay_apart(method):
    for graph in (RMAT_18, large(264_346, 733_846, 510)):
        layout, count = at_work(graph, 1000, method)
        assert not layout.together and count == 46 * 2


@pytest.mark.parametrize("method", ALL)
def test_the_cores_of_a_cpu_have_a_row_each(method):
    host = Facts("opencl:0", 2, 8 << 30, group_size=4096)
    for rows in (2, 3, 64):
        assert not at_work(RMAT_18, rows, method, facts=host)[0].together
    assert at_work(RMAT_18, 2, method, facts=replace(host, cores=16))[0].together


def test_rows_beside_each_other_share_the_copies_of_batches():
    """Copying every batch again for every row takes longer than rows beside each other, unless these are few."""
    together = DeviceLayout(368, 256, 1, 2 * 10**6, 4, 100, 10**8, together=True)
    work = work_of_row(RMAT_18, GPU_METHODS["frontier"])
    for groups, in_turn in ((2, True), (5, True), (16, False), (40, False)):
        apart = replace(together, groups=groups, rows=2 * groups, together=False)
        assert is_better_together(work, together, apart, 92) is in_turn
        assert is_better_together(work, replace(together, batches=1), replace(apart, batches=1), 92)


@given(st.integers(1, 10**8), st.integers(1, 10**9), st.integers(1, 600), st.integers(2, 500), st.integers(1, 200))
def test_rows_in_turn_never_idle_more(n, m, levels, rows, cores):
    """Whatever the numbers: more groups at work than apart, or one row per group; the memory is kept to."""
    graph, facts = large(n, m, levels), Facts("cuda:0", cores, 8 << 30, gpu=True, group_size=1024)
    for method in ALL:
        plan = plan_for(graph, rows, method, facts=[facts])
        if plan.layouts and plan.together:
            apart = at_work(graph, rows, method, in_turn=False, facts=facts)[1]
            assert at_work(graph, rows, method, facts=facts)[1] > apart and plan.bytes <= plan.available


def test_choice_of_a_device(graph):
    slow, fast = gpu(cores=5), gpu("opencl:1", cores=50)
    assert choose_device([slow, fast], graph, 1, "auto") is fast
    assert choose_device([slow, replace(fast, gpu=False)], graph, 1, "auto") is slow
    for flaw in ({"wide_atomics": False}, {"doubles": False}, {"memory": graph.nbytes}):
        assert choose_device([slow, replace(fast, **flaw)], graph, 1, "auto") is slow
    assert choose_device([replace(slow, gpu=False)], graph, 1, "auto") is None
    assert choose_device([], graph, 1, "auto") is None


def test_work_worth_a_gpu():
    assert wants_gpu(10**6, 10**6, "auto") and wants_gpu(10**6, 10**6, "frontier")
    assert not wants_gpu(1, 10**6, "auto") and not wants_gpu(10**6, 10**6, "dijkstra")


def test_methods_without_kernels_for_gpus():
    with pytest.raises(MethodError, match=r"'johnson' runs on the CPU only, not on 'opencl:1'; there, use 'delta'"):
        require_gpu_method("johnson", "opencl:1")
    with pytest.raises(MethodError, match=r"there, use 'frontier', 'edge', 'prepared', 'floyd' or 'auto'"):
        require_gpu_method("johnson", "opencl:1", negative=True)
    for method in (*ALL, "auto"):
        require_gpu_method(method, "opencl:0")


ADVISED = {
    "weights": Graph.from_arcs([0, 1], [1, 2], [1.5, 2.5]),
    "equal weights": Graph.from_arcs([0, 1], [1, 2], [3, 3]),
    "negative weights": Graph.from_arcs([0, 1], [1, 2], [1.5, -1.0]),
}


@pytest.mark.parametrize("method", [*METHODS, "dijkstar", "flyod", 7])
@pytest.mark.parametrize("weights", ADVISED)
@pytest.mark.parametrize("query", ["row", "starts", "k nearest", "delta"])
def test_errors_advise_methods_that_the_device_can_run(method, weights, query):
    """And with these weights. There is no such device, but that is found last."""
    graph, on = ADVISED[weights], {"method": method, "device": "opencl:99"}
    ask = {
        "row": lambda: nearfar.sssp(graph, 0, **on),
        "starts": lambda: nearfar.sssp(graph, {0: 3.0}, **on),
        "k nearest": lambda: nearfar.nearest(graph, [0, 1], k=2, **on),
        "delta": lambda: nearfar.sssp(graph, 0, delta=2.0, **on),
    }[query]
    with pytest.raises(NearfarError) as caught:
        ask()
    if isinstance(caught.value, DeviceError):
        return
    named = set(re.findall(r"'(\w+)'", str(caught.value))) & set(METHODS) - {method}
    assert named and named <= set(GPU_METHODS)
    if weights == "negative weights" and method in METHODS:
        assert all(METHODS[name].negative_weights for name in named)


def test_a_width_of_buckets_where_no_method_has_them():
    """With negative weights, `delta` cannot be advised; without, it can, also on a GPU."""
    with pytest.raises(OptionError, match=r"'frontier' has no buckets; leave it out\."):
        nearfar.sssp(ADVISED["negative weights"], 0, delta=2.0)
    with pytest.raises(OptionError, match=r"'edge' has no buckets; leave it out, or use method='delta'\."):
        nearfar.sssp(ADVISED["weights"], 0, delta=2.0, method="edge")


def test_a_row_by_itself_costs_launches():
    """With 64 rows, enough groups have work; each row by itself would take some 90 launches."""
    for rows, together in ((5, True), (64, False)):
        assert at_work(RMAT_18, rows, "delta")[0].together is together
