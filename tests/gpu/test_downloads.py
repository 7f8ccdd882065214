"""Rows that are copied to the host while the next are settled: the same bits as one block after the other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.asking import build
from helpers.reach import ALL, DEVICE, NEGATIVE, STREAMING, memory_for, streaming, tiny_tuning, two_buffers
from nearfar.devices import opencl
from nearfar.gpu import row_blocks
from nearfar.gpu.layout import DeviceLayout, make_layout
from nearfar.gpu.planning import GPU_METHODS

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)


@pytest.fixture
def fetches(monkeypatch):
    """Return a list that every fetch() of the device adds to."""
    seen, fetch = [], opencl.OpenCL.fetch
    monkeypatch.setattr(opencl.OpenCL, "fetch", lambda self, *args: seen.append(args) or fetch(self, *args))
    return seen


@pytest.mark.parametrize("method", ALL)
@settings(max_examples=6)
@given(data=st.data())
def test_two_buffers_give_the_same_bits(method, data):
    kind = strategies.negative_cases if method in NEGATIVE else strategies.cases
    graph = build(data.draw(kind(dtypes=("float64",))))
    one = nearfar.apsp(graph, device=DEVICE, method=method)
    with two_buffers(), tiny_tuning():
        two = nearfar.apsp(graph, device=DEVICE, method=method)
    assert one.rows.tobytes() == two.rows.tobytes()


@pytest.mark.parametrize("method", STREAMING)
@settings(max_examples=6)
@given(data=st.data())
def test_with_arc_batches(method, data):
    graph = build(data.draw(strategies.negative_cases(dtypes=("float64",))))
    assume(graph.m > 1)
    one = nearfar.apsp(graph, device=DEVICE, method=method)
    with two_buffers(), tiny_tuning(), streaming():
        memory = 2 * memory_for(3, graph, None, method=method)
        two = nearfar.apsp(graph, device=DEVICE, method=method, memory=memory)
    assert one.rows.tobytes() == two.rows.tobytes()


def test_a_cpu_has_one_buffer(fetches):
    graph = nearfar.generate.rmat(7, seed=1)
    nearfar.apsp(graph, device=DEVICE, method="delta")
    assert not fetches
    with two_buffers(), tiny_tuning():
        nearfar.apsp(graph, device=DEVICE, method="delta")
    buffers = [args[0] for args in fetches]
    assert len(buffers) > 2 and all(a is not b for a, b in itertools.pairwise(buffers))


def test_progress_counts_only_rows_that_are_there(monkeypatch):
    """A row is reported when it is on the host, not when it is settled."""
    graph, finish, early = nearfar.generate.rmat(7, seed=1), row_blocks.Downloads._finish, []
    expected = nearfar.apsp(graph, device="cpu").rows

    def check(downloads, block):
        if len(downloads.rows.dist) == graph.n:
            early.extend(r for r in block if not np.array_equal(downloads.rows.dist[r], expected[r]))
        finish(downloads, block)

    monkeypatch.setattr(row_blocks.Downloads, "_finish", check)
    with two_buffers(), tiny_tuning():
        nearfar.apsp(graph, device=DEVICE, method="delta")
    assert not early


def layout(memory, rows=1000, gpu=True, method="delta"):
    """Return the layout of a graph of 1,024 vertices on a GPU of ten compute units."""
    graph = nearfar.generate.rmat(10, seed=1)
    sizes = GPU_METHODS[method].sizes(graph, rows, np.dtype(np.int32))
    machine = {"cores": 10, "group_size": 256, "groups_per_core": 8}
    return make_layout(sizes, memory=memory, largest=memory, gpu=gpu, **machine)


def test_the_second_buffer_is_planned():
    assert layout(1 << 30).row_buffers == 2 and layout(1 << 30, gpu=False).row_buffers == 1
    assert layout(1 << 30, rows=1).row_buffers == 1
    plenty, alone = layout(1 << 30), layout(1 << 30, gpu=False)
    assert (plenty.rows, plenty.groups) == (alone.rows, alone.groups) == (1000, 80)
    assert plenty.bytes > 2 * 1000 * 1024 * 4
    for memory in range(200_000, 20_000_000, 97_000):
        found = layout(memory)
        if isinstance(found, DeviceLayout):
            assert found.bytes <= memory and found.rows >= found.groups
            assert found.row_buffers == 2 or found.rows < 2 * found.groups, "a second buffer wherever there is room"
