"""float32 as CuPy has it compiled, with -ftz=true: plain operations flush subnormal numbers to 0, answers stay right.

The shim flushes what the text computes plainly, and carries out the instructions that cuda.h names as PTX defines them.
"""

from __future__ import annotations

import numpy as np
import pytest

import nearfar
from helpers.cuda_text.faults import FLUSHED
from helpers.cuda_text.standin import WrongLaunchError, install
from helpers.marks import needs_jit
from helpers.on_cuda import METHODS_THERE, SOME, STREAMING, asked, check_same, make_graph, memory_for_batches
from helpers.oracle import add_float32, bellman_ford
from helpers.shrinking import shrink

pytestmark = needs_jit
TINY = np.finfo(np.float32).smallest_subnormal  # all below are whole multiples of it, so that sums are exact
NORMAL = np.finfo(np.float32).tiny
N, M = 30, 200


@pytest.fixture
def cupy(monkeypatch):
    """Let ``import cupy`` find the stand-in that flushes, with small tuned numbers."""
    shrink(monkeypatch, MIN_BATCH=16)
    return install(monkeypatch, mode="flush", yields=50, most_launches=20_000)


def graph_of(kind):
    """Return a graph with weights of a kind."""
    if kind == "usual":
        return make_graph("float32", n=N, m=M)
    rng = np.random.default_rng(11)
    tails, heads = rng.integers(0, N, M), rng.integers(0, N, M)
    height = rng.integers(0, 1000, N)
    weights = {
        "zero": np.zeros(M),
        "subnormal": rng.integers(0, 5000, M) * float(TINY),
        "around the least normal": rng.integers(1, 5, M) * float(NORMAL) / 2,
        "negative": (rng.integers(0, 100, M) + height[heads] - height[tails]) * float(TINY),
        "normal with subnormal sums": NORMAL * ((rng.integers(0, 9, M) + height[heads] - height[tails]) / 64),
    }[kind]
    return nearfar.Graph.from_arcs(tails, heads, weights.astype(np.float32), n=N)


KINDS = ("usual", "zero", "subnormal", "around the least normal", "negative", "normal with subnormal sums")
CASES = [
    (method, kind)
    for method in METHODS_THERE
    for kind in KINDS
    if method != "delta" or kind not in ("negative", "normal with subnormal sums")
]


def exact_rows(graph, sources):
    """Return the rows of the oracle."""
    arcs = list(zip(graph.tails.tolist(), graph.heads.tolist(), map(float, graph.weights), strict=True))
    rows = [bellman_ford(graph.n, arcs, [source], add_float32) for source in sources]
    return np.array([[np.inf if length is None else length for length in row] for row in rows], np.float32)


@pytest.mark.parametrize(("method", "kind"), CASES)
def test_float32(cupy, method, kind):
    graph = graph_of(kind)
    found = asked(graph, device="cuda", method=method)
    check_same(graph, found)
    if kind != "usual":
        assert found[1].rows.tobytes() == exact_rows(graph, SOME).tobytes()


@pytest.mark.parametrize("method", STREAMING)
@pytest.mark.parametrize("kind", ["subnormal", "negative"])
def test_batched(cupy, method, kind):
    graph = graph_of(kind)
    check_same(graph, asked(graph, device="cuda", method=method, memory=memory_for_batches(graph, method)), batches=3)


@pytest.mark.parametrize("method", METHODS_THERE)
def test_wider_distances(cupy, method):
    """float32 weights become float64 without being flushed."""
    graph = graph_of("subnormal")
    found = nearfar.mssp(graph, SOME, device="cuda", method=method, dtype="float64")
    assert found.rows.tobytes() == nearfar.mssp(graph, SOME, device="cpu", dtype="float64").rows.tobytes()
    assert 0 < found.rows[found.rows > 0].min() < NORMAL


@pytest.mark.parametrize("method", STREAMING)
def test_negative_cycle(cupy, method):
    """A cycle whose weight is the least negative number there is."""
    weights = np.array([1, 2, -4, 1], np.float32) * TINY
    graph = nearfar.Graph.from_arcs([0, 1, 2, 3], [1, 2, 3, 1], weights)
    with pytest.raises(nearfar.errors.NegativeCycleError):
        nearfar.sssp(graph, 0, device="cuda", method=method)


@pytest.mark.parametrize("fault", FLUSHED, ids=lambda fault: f"{fault.name}-{fault.method}")
def test_flushing_is_seen(cupy, fault):
    """With one operation that flushes, answers are wrong, or there is none."""
    cupy.options.faults = ((fault.old, fault.new),)
    graph = graph_of("subnormal" if fault.method == "delta" or fault.dtype == "float64" else "negative")
    try:
        found = nearfar.mssp(graph, SOME, device="cuda", method=fault.method, dtype=fault.dtype)
        is_right = (found.rows == exact_rows(graph, SOME)).all()
    except (WrongLaunchError, nearfar.errors.NegativeCycleError):
        is_right = False
    assert cupy.planted[fault.old], f"correct the text of {fault.name!r} in helpers/cuda_text/faults.py"
    assert not is_right
