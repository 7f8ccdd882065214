"""Rows that stay on a GPU of CUDA, in arrays like CuPy's: the bits of an array of NumPy, over the stand-in for CuPy."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import nearfar
from helpers.marks import needs_jit
from helpers.on_cuda import METHODS_THERE, SOME, TYPES, make_graph
from helpers.on_device import FILLED, CupyArray, new_array
from nearfar.devices import cuda, opencl
from nearfar.errors import DistanceOverflowError, MissingDeviceError, OptionError

if opencl.missing():
    pytest.skip(f"the stand-in for CuPy runs on OpenCL: {opencl.missing()}", allow_module_level=True)

pytestmark = [needs_jit, pytest.mark.usefixtures("cupy")]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("method", METHODS_THERE)
def test_methods_and_types(cupy, method, dtype):
    graph = make_graph(dtype, m=400)
    middle = float(np.median(nearfar.apsp(graph, device="cpu").rows))
    for query, args in ((nearfar.sssp, (5,)), (nearfar.mssp, (SOME,)), (nearfar.apsp, ())):
        for cutoff in (None, middle):
            wanted = query(graph, *args, device="cuda", method=method, cutoff=cutoff)
            out = new_array("cuda", wanted.dist.shape, wanted.dist.dtype)
            found = query(graph, *args, method=method, cutoff=cutoff, out=out)
            assert found.dist is out and found.stats["device"] == "cuda:0"
            assert out.get().tobytes() == wanted.dist.tobytes()
            assert found.stats["downloaded"] < wanted.stats["downloaded"]
    assert nearfar.verify(graph, found)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("method", ["frontier", "prepared"])
def test_negative_weights(method, dtype):
    graph = make_graph(dtype, negative=True, m=900)
    for cutoff in (None, 50, -0.0, -100):
        wanted = nearfar.mssp(graph, SOME, device="cuda", method=method, cutoff=cutoff)
        out = new_array("cuda", wanted.dist.shape, wanted.dist.dtype)
        nearfar.mssp(graph, SOME, method=method, cutoff=cutoff, out=out)
        assert out.get().tobytes() == wanted.dist.tobytes()


def test_the_gpu_of_the_array_is_taken():
    """Of two GPUs, the second; its streams are waited for, and nothing is written beside a part of an array."""
    graph, whole = make_graph("int32", m=300), new_array("cuda:1", (8, 64), "int32")
    wanted = nearfar.sssp(graph, 5, device="cpu").dist
    part = CupyArray(whole.owner, whole[2].address, (60,), "int32", 1)
    log = sys.modules["cupy"].machine.calls
    assert nearfar.sssp(graph, 5, out=part).stats["device"] == "cuda:1"
    assert "device synchronize" in sys.modules["cupy"].machine.calls[len(log) :]
    found = whole.get()
    assert found[2, :60].tobytes() == wanted.tobytes()
    found[2, :60] = FILLED
    assert (found == FILLED).all()


def test_a_second_call():
    graph = make_graph("float64", m=300)
    for _ in range(2):
        out = new_array("cuda", (4, 60), "float64")
        found = nearfar.mssp(graph, SOME, device="cuda:0", out=out)
        assert found.rows.tobytes() == nearfar.mssp(graph, SOME, device="cpu").rows.tobytes()
    assert found.stats["uploaded"] < graph.arc_bytes


def test_nothing_starts_within_the_cutoff():
    graph, out = make_graph("int32", m=300), new_array("cuda", 60, "int32")
    nearfar.sssp(graph, {3: 50, 9: 70}, cutoff=10, out=out)
    assert (out.get() == np.iinfo(np.int32).max).all()


def test_distances_that_do_not_fit():
    graph = nearfar.Graph.from_arcs(range(4), range(1, 5), np.full(4, 2**29))
    with pytest.raises(DistanceOverflowError, match="Use an out of type 'int64'"):
        nearfar.apsp(graph, out=new_array("cuda", (5, 5), "int32"))
    out = new_array("cuda", (5, 5), "int64")
    assert nearfar.apsp(graph, out=out)[0, 4] == 2**31


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"device": "cpu"}, "in the memory of 'cuda:0', but the query runs on 'cpu'"),
        (
            {"device": "cuda:1"},
            "the query runs on 'cuda:1'.*Use device='cuda:0', or give a NumPy array, or one on 'cuda",
        ),
        ({"device": ["cuda:0", "cuda:1"]}, "2 devices are to share the rows"),
        ({"shape": (4, 59)}, r"out has shape \(4, 59\)"),
        ({"dtype": "float32"}, "out has type float32"),
        ({"dtype": ">i4"}, "out has type >i4"),
        ({"strides": (4, 16)}, r"not contiguous.*cupy.empty\(\(4, 60\), 'int32'\)"),
        ({"strides": (244, 4)}, "not contiguous"),
        ({"is_read_only": True}, "read-only"),
    ],
)
def test_wrong_arrays(options, said):
    given = {"shape": (4, 60), "dtype": "int32", "strides": None, "is_read_only": False} | options
    device = given.pop("device", "auto")
    memory = new_array("cuda", 400, "int32")
    with pytest.raises(OptionError, match=said):
        nearfar.mssp(make_graph("int32", m=300), SOME, device=device, out=CupyArray(memory, memory.address, **given))


def test_strides_that_say_nothing_new():
    """PyTorch gives strides, also of arrays without gaps; those of an axis of length 1 mean nothing."""
    graph, memory = make_graph("int32", m=300), new_array("cuda", 60, "int32")
    for shape, strides in (((60,), (4,)), ((1, 60), (999, 4))):
        out = CupyArray(memory, memory.address, shape, "int32", strides=strides)
        assert nearfar.sssp(graph, 5, out=out).host_dist.tobytes() == memory.get().tobytes()


def test_without_cupy(monkeypatch):
    """PyTorch's arrays are taken through CuPy; without it, the error says what to install."""
    out = new_array("cuda", 60, "int32")
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setattr(cuda, "_opened", {})
    with pytest.raises(MissingDeviceError, match="cupy is not installed"):
        nearfar.sssp(make_graph("int32", m=300), 5, out=out)
