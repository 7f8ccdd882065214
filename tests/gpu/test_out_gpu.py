"""Rows that stay on the device, in an array of PyOpenCL: the same bits as in an array of NumPy, and the same errors."""

from __future__ import annotations

import gc
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.asking import build
from helpers.marks import needs_jit
from helpers.on_cuda import SOME, TYPES, make_graph
from helpers.on_device import FILLED, new_array, own_queue, queue
from helpers.reach import DEVICE, NEGATIVE, STREAMING, memory_for, rows_in_turn, streaming, tiny_tuning, two_buffers
from nearfar.devices import opencl
from nearfar.devices.arrays import DeviceArray
from nearfar.errors import (
    DistanceOverflowError,
    InputTypeError,
    MethodError,
    NegativeCycleError,
    NoPathError,
    OptionError,
)
from nearfar.gpu import GPU_METHODS
from nearfar.store.writing import save

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)

import pyopencl as cl
import pyopencl.array as cl_array

pytestmark = needs_jit
QUERIES = {"one": (nearfar.sssp, (5,)), "some": (nearfar.mssp, (SOME,)), "all": (nearfar.apsp, ())}


def same(query, graph, *args, dtype=None, **options):
    """Fill an array of NumPy and one on the device; return the result of the latter, which has the same bits."""
    host = query(graph, *args, device=DEVICE, dtype=dtype, **options)
    wanted = np.full(host.dist.shape, FILLED, host.dist.dtype)
    assert query(graph, *args, device=DEVICE, out=wanted, **options).dist.tobytes() == host.dist.tobytes()
    out = new_array("opencl", wanted.shape, wanted.dtype)
    found = query(graph, *args, device=DEVICE, out=out, **options)
    assert found.dist is out and out.get().tobytes() == wanted.tobytes()
    assert found.stats["downloaded"] < host.stats["downloaded"]
    return found


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("method", GPU_METHODS)
def test_methods_and_types(method, dtype, query):
    graph, (ask, args) = make_graph(dtype, m=400), QUERIES[query]
    middle = float(np.median(nearfar.apsp(graph, device="cpu").rows))
    for cutoff in (None, middle, 0):
        found = same(ask, graph, *args, method=method, cutoff=cutoff)
    assert found.stats["device"] == "opencl:0"
    if method == "edge":
        same(ask, graph, *args, method=method, dtype="float64")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("method", [*NEGATIVE, "prepared"])
def test_negative_weights(method, dtype):
    """A cutoff marks what is farther only afterwards; keys of negative floats have other bits."""
    graph = make_graph(dtype, negative=True, m=900)
    rows = nearfar.apsp(graph, device="cpu").rows
    assert (rows < 0).any()
    for cutoff in (None, float(np.median(rows)), float(rows.min()), 0, -0.0, -1e300, 1e300, -np.inf):
        same(nearfar.mssp, graph, SOME, method=method, cutoff=cutoff)


@settings(max_examples=60)
@given(data=st.data(), method=st.sampled_from(NEGATIVE), cutoff=st.none() | st.floats(-20, 200))
def test_any_graph(data, method, cutoff):
    graph = build(data.draw(strategies.negative_cases(dtypes=("int32", "float64"))))
    if cutoff is not None and graph.min_weight >= 0:
        cutoff = abs(cutoff)
    if graph.n:
        same_or_cycle(graph, method=method, cutoff=cutoff)


def same_or_cycle(graph, **options):
    """Compare all pairs; where there is a negative cycle, both raise."""
    try:
        nearfar.apsp(graph, device=DEVICE, **options)
    except NegativeCycleError as error:
        out = new_array("opencl", (graph.n, graph.n), "float64" if graph.weight_dtype.kind == "f" else "int64")
        with pytest.raises(NegativeCycleError, match=re.escape(str(error))):
            nearfar.apsp(graph, out=out, **options)
    else:
        found = nearfar.apsp(graph, device=DEVICE, **options)
        out = new_array("opencl", found.dist.shape, found.dist.dtype)
        assert nearfar.apsp(graph, out=out, **options).dist.get().tobytes() == found.dist.tobytes()


@pytest.mark.parametrize("method", STREAMING)
def test_arcs_in_batches(method):
    graph = make_graph("float64", m=400)
    with streaming(), tiny_tuning():
        memory = 2 * memory_for(3, graph, None, method=method)
        found = same(nearfar.apsp, graph, method=method, memory=memory)
    assert found.stats["batches"] > 1


def test_blocks_of_rows():
    """Several blocks, with one buffer of rows or with two; and rows one after the other."""
    graph = nearfar.generate.rmat(7, seed=1)
    for way in (tiny_tuning, two_buffers, rows_in_turn):
        with way():
            same(nearfar.apsp, graph, method="delta")


def test_starts_and_directions():
    graph = make_graph("int32", m=300)
    for starts in ({3: 5, 7: 900}, {3: 0.5, 9: 70.25}):
        same(nearfar.sssp, graph, starts, method="delta")
        same(nearfar.sssp, graph, starts, method="delta", cutoff=100)
    same(nearfar.mssp, graph, SOME, method="frontier", direction="to")


def test_nothing_starts_within_the_cutoff():
    graph, out = make_graph("int32", m=300), new_array("opencl", 60, "int32")
    found = nearfar.sssp(graph, {3: 50, 9: 70}, cutoff=10, out=out)
    assert (out.get() == np.iinfo(np.int32).max).all() and not found.reached.any()


def test_prepared_graphs():
    graph = make_graph("float32", m=300)
    found = same(nearfar.apsp, nearfar.prepare(graph))
    assert found.stats["method"] == "prepared"


def test_the_device_of_the_array_is_taken():
    graph, out = make_graph("int32", m=300), new_array("opencl", (60, 60), "int32")
    assert nearfar.plan(graph, out=out).device == "opencl:0"
    assert nearfar.apsp(graph, out=out).stats["device"] == "opencl:0"
    assert nearfar.apsp(graph, out=out, device=["opencl"]).dist is out


def test_a_second_call():
    """Also after another context, and in nearfar's own: what the graph keeps there is found, or made again."""
    graph = make_graph("int32", m=300)
    wanted = nearfar.mssp(graph, SOME, device="cpu").dist
    context = cl.Context(opencl._devices()[:1])
    for place in (queue(), cl.CommandQueue(context), queue(), own_queue(), queue()):
        for _ in range(2):
            out = cl_array.zeros(place, wanted.shape, np.int32)
            found = nearfar.mssp(graph, SOME, out=out)
            assert out.get().tobytes() == wanted.tobytes() and found.host_dist.tobytes() == wanted.tobytes()
        assert nearfar.mssp(graph, SOME, device=DEVICE).dist.tobytes() == wanted.tobytes()
    uploaded = nearfar.mssp(graph, SOME, out=out).stats["uploaded"]
    assert uploaded < graph.arc_bytes  # the arcs are there


def test_parts_of_arrays():
    """A part of a larger array is filled, and nothing beside it; any row is one."""
    graph, whole = make_graph("float32", m=300), new_array("opencl", (9, 60), "float32")
    wanted = nearfar.mssp(graph, SOME, device="cpu").dist
    nearfar.mssp(graph, SOME, out=whole[3:7])
    nearfar.sssp(graph, {3: 5, 4: 5}, cutoff=1, out=whole[8])
    found = whole.get()
    assert found[3:7].tobytes() == wanted.tobytes() and np.isinf(found[8]).all()
    assert (found[[0, 1, 2, 7]] == FILLED).all()
    part = nearfar.sssp(graph, SOME[1], out=whole[2])
    assert part.host_dist.tobytes() == part.dist.get().tobytes() == wanted[1].tobytes()


def test_kinds_of_arrays():
    """Without a queue, from a pool, with the axis of rows, and without elements."""
    graph, mark = make_graph("int32", m=300), np.iinfo(np.int32).max
    wanted = nearfar.sssp(graph, 5, device="cpu").dist
    pool = cl.tools.MemoryPool(cl.tools.ImmediateAllocator(queue()))
    for out in (
        cl_array.zeros(queue(), 60, np.int32).with_queue(None),
        cl_array.zeros(queue(), 60, np.int32, allocator=pool),
        cl_array.zeros(queue(), (1, 60), np.int32),
    ):
        found = nearfar.sssp(graph, 5, out=out)
        assert out.with_queue(queue()).get().tobytes() == wanted.tobytes()
        assert found.dist.shape == found.host_dist.shape == (60,) and found[5] == 0 and wanted.max() < mark
    nothing = nearfar.Graph.from_arcs([], [], n=0)
    assert nearfar.apsp(nothing, out=cl_array.empty(queue(), (0, 0), np.int32)).rows.shape == (0, 0)


def test_what_its_owner_enqueued_is_done_before():
    graph, out = make_graph("int32", m=300), cl_array.zeros(queue(), 60, np.int32)
    gate = cl.UserEvent(queue().context)
    wanted = nearfar.sssp(graph, 5, out=out).dist.get()
    late = cl.enqueue_fill_buffer(queue(), out.base_data, np.int32(FILLED), 0, out.nbytes, wait_for=[gate])
    gate.set_status(cl.command_execution_status.COMPLETE)
    nearfar.sssp(graph, 5, out=out)
    assert late.command_execution_status == cl.command_execution_status.COMPLETE
    assert out.get().tobytes() == wanted.tobytes()


def test_host_rows_are_loaded_once_and_only_if_needed(monkeypatch):
    loads, load = [], DeviceArray.load
    monkeypatch.setattr(DeviceArray, "load", lambda array: loads.append(array) or load(array))
    graph, out = make_graph("int32", m=120), new_array("opencl", (4, 60), "int32")
    found, wanted = nearfar.mssp(graph, SOME, out=out), nearfar.mssp(graph, SOME, device="cpu")
    assert repr(found) == repr(wanted).replace(wanted.stats["method"], found.stats["method"]).replace("cpu", "opencl:0")
    assert found.dist is out and not loads and found.sources.tolist() == SOME
    assert found.predecessors.tobytes() == wanted.predecessors.tobytes() and len(loads) == 1
    assert nearfar.verify(graph, found) and found.to_frame().equals(wanted.to_frame())
    assert (found.reached == wanted.reached).all() and (found.as_float() == wanted.as_float()).all()
    assert found.describe()["reached"] == wanted.describe()["reached"]
    target = int(np.flatnonzero(wanted.reached[1])[-1])
    assert found.path(3, target) == wanted.path(3, target) and found[3, target] == wanted[3, target]
    assert found.farthest(3, source=3) == wanted.farthest(3, source=3) and len(loads) == 1


def test_an_unreached_vertex_has_no_path():
    graph = nearfar.Graph.from_arcs([0], [1], [4], n=3)
    found = nearfar.sssp(graph, 0, out=new_array("opencl", 3, "int32"))
    assert found.path(1) == [0, 1]
    with pytest.raises(NoPathError):
        found.path(2)


def test_files(tmp_path):
    graph = make_graph("int32", m=300)
    found = nearfar.mssp(graph, SOME, out=new_array("opencl", (4, 60), "int32"))
    save(found, str(tmp_path / "rows.npy"), False)
    assert np.load(tmp_path / "rows.npy").tobytes() == found.host_dist.tobytes()


@pytest.mark.parametrize(("weight", "dtype"), [(2**29, "int32"), (2**61, "int64")])  # int64 keeps room for an arc
@pytest.mark.parametrize("method", ["delta", "frontier", "edge"])
def test_distances_that_do_not_fit(method, weight, dtype):
    """The same error, whether a distance is beyond the type or only might be; and none if all fit."""
    for arcs in range(1, 7):
        graph = nearfar.Graph.from_arcs(range(arcs), range(1, arcs + 1), np.full(arcs, weight), n=9)
        outs = np.empty((9, 9), dtype), new_array("opencl", (9, 9), dtype)
        said = []
        for out in outs:
            try:
                said.append(nearfar.apsp(graph, out=out, device=DEVICE, method=method).rows.tobytes())
            except DistanceOverflowError as error:
                said.append(str(error))
        assert said[0] == said[1]
        assert isinstance(said[0], str) == (arcs >= (3 if dtype == "int32" else 2))


def test_memory_is_given_back():
    graph, device = make_graph("int32", m=300), opencl.open_device(0)
    nearfar.mssp(graph, SOME, out=new_array("opencl", (4, 60), "int32"))
    gc.collect()
    before = sum(device.held.values())
    out = new_array("opencl", (4, 60), "int32")
    found = nearfar.mssp(graph, SOME, out=out)
    assert sum(device.held.values()) == before + out.nbytes  # it takes room on the card
    held = out.base_data.reference_count
    del found
    gc.collect()
    assert sum(device.held.values()) == before and out.base_data.reference_count == held - 1


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"device": "cpu"}, OptionError, "in the memory of 'opencl:0', but the query runs on 'cpu'.*device='opencl:0'"),
        ({"device": "cuda:1"}, OptionError, "the query runs on 'cuda:1'.*or one on 'cuda:1'"),
        ({"device": ["opencl:0", "opencl:1"]}, OptionError, "2 devices are to share.*Use device='opencl:0'"),
        ({"method": "dijkstra"}, MethodError, "runs on the CPU only, not on 'opencl:0'"),
        ({"shape": (60, 4)}, OptionError, r"out has shape \(60, 4\); this query fills \(4, 60\)"),
        ({"shape": 60}, OptionError, r"out has shape \(60,\)"),
        ({"dtype": "float32"}, OptionError, "out has type float32; these distances need one of 'int32', 'int64'"),
        ({"take": lambda out: out.T}, OptionError, r"out has shape \(60, 4\)"),
        ({"shape": (60, 4), "take": lambda out: out.T}, OptionError, r"not contiguous.*pyopencl.array.empty\(queue, "),
        ({"take": lambda out: [out]}, InputTypeError, "out is a list; give a NumPy array to fill, or one of CuPy or"),
    ],
)
def test_wrong_arrays(options, error, said):
    options = dict(options)
    out = new_array("opencl", options.pop("shape", (4, 60)), options.pop("dtype", "int32"))
    with pytest.raises(error, match=said):
        nearfar.mssp(make_graph("int32", m=300), SOME, out=options.pop("take", lambda out: out)(out), **options)


def test_queries_that_answer_on_the_host():
    graph, out = make_graph("int32", m=300), new_array("opencl", 60, "int32")
    asked = {
        "nearest": lambda: nearfar.nearest(graph, SOME, out=out),
        "a table": lambda: nearfar.table(graph, SOME, [1, 2], out=out),
        "a query for one target": lambda: nearfar.distance(graph, 0, 1, out=out),
    }
    for query, ask in asked.items():
        with pytest.raises(OptionError, match=f"but {query} makes its answer on the host. Give a NumPy array"):
            ask()
    with pytest.raises(OptionError, match="out was given"):
        nearfar.nearest(graph, SOME, k=2, out=out)


def test_a_cpu_needs_no_driver():
    """Neither a NumPy array nor something that cannot be filled loads PyOpenCL or CuPy."""
    script = (
        "import sys, numpy, nearfar\n"
        "graph = nearfar.Graph.from_arcs([0], [1], [4])\n"
        "nearfar.sssp(graph, 0, out=numpy.empty(2, 'int32'))\n"
        "try: nearfar.sssp(graph, 0, out=[0, 0])\n"
        "except TypeError: print(sorted({'cupy', 'pyopencl'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "[]\n"
