"""Real graphs on a GPU, with all arcs there and in batches: the CPU's bits, and the certificate.

Florida is left out for `edge` in batches: hundreds of rounds of 2.7 million arcs take a quarter of a minute.
"""

from __future__ import annotations

import numpy as np
import pytest

import nearfar
from helpers import data
from helpers.marks import needs_jit
from helpers.reach import ALL, DEVICE, NEGATIVE, STREAMING, memory_for
from nearfar.devices import opencl
from nearfar.errors import NegativeCycleError

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)
data.require()

ONE = [
    ("rome99.gr", ALL, 0),
    ("USA-road-d.NY.gr", ALL, 0),
    ("pace16-FLA.gr", ALL, 0),
    ("snap-ego-twitter-undirected.npz", ALL, 0),
    ("sc-us_freeway.npz", ALL, 0),
    ("andorra-energy.npz", NEGATIVE, 0),
]


def cases():
    for name, methods, source in ONE:
        marks = [] if name == "rome99.gr" else needs_jit
        for method in methods:
            slow = (name, method) == ("pace16-FLA.gr", "edge")
            for way in ("resident", "batched") if method in STREAMING and not slow else ("resident",):
                yield pytest.param(name, method, way, source, marks=marks, id=f"{name}-{method}-{way}")


@pytest.mark.parametrize(("name", "method", "way", "source"), list(cases()))
def test_one_source(name, method, way, source):
    _, graph = data.load(name)
    memory = memory_for(6, graph, source, method=method) if way == "batched" else None
    result = nearfar.sssp(graph, source, method=method, device=DEVICE, memory=memory)
    assert (result.stats["batches"] > 1) is (way == "batched")
    assert result.dist.tobytes() == nearfar.sssp(graph, source, device="cpu").dist.tobytes()
    certificate = nearfar.verify(graph, result)
    assert certificate, certificate


@pytest.mark.parametrize("method", ("delta", "frontier"))
def test_all_pairs_of_rome(method):
    _, graph = data.load("rome99.gr")
    result = nearfar.apsp(graph, method=method, device=DEVICE)
    assert result.dist.tobytes() == nearfar.apsp(graph, device="cpu").dist.tobytes()


@needs_jit
@pytest.mark.parametrize("method", ALL)
def test_some_sources_of_rome_in_batches(method):
    _, graph = data.load("rome99.gr")
    sources = range(0, graph.n, 101)
    memory = memory_for(9, graph, sources, method=method) if method in STREAMING else None
    result = nearfar.mssp(graph, sources, method=method, device=DEVICE, memory=memory)
    assert (result.plan.arc_batches > 1) is (memory is not None)
    assert result.dist.tobytes() == nearfar.mssp(graph, sources, device="cpu").dist.tobytes()


@needs_jit
def test_new_york_takes_few_stages():
    """It took 2,450 before work-items followed paths; one group runs all of them, and each takes some microseconds."""
    _, graph = data.load("USA-road-d.NY.gr")
    stats = nearfar.sssp(graph, 0, method="delta", device=DEVICE).stats
    assert 0 < stats["stages_alone"] <= 2450 * 2 / 3


@needs_jit
def test_florida_is_deep():
    """Hop counts without weights: no round trip to the host for each of 1,920 rounds."""
    _, graph = data.load("pace16-FLA.gr")
    stats = nearfar.sssp(graph, 0, method="frontier", device=DEVICE).stats
    assert stats["rounds"] > 1000 and stats["looks"] < stats["rounds"] / 10


@needs_jit
@pytest.mark.parametrize("method", NEGATIVE)
@pytest.mark.parametrize("way", ("resident", "batched"))
def test_some_sources_with_negative_weights(method, way):
    _, graph = data.load("andorra-energy.npz")
    sources = [0, 8000, 16_000]
    memory = memory_for(6, graph, sources, method=method) if way == "batched" else None
    result = nearfar.mssp(graph, sources, method=method, device=DEVICE, memory=memory)
    assert (result.plan.arc_batches > 1) is (way == "batched")
    assert result.dist.tobytes() == nearfar.mssp(graph, sources, device="cpu").dist.tobytes()


@needs_jit
@pytest.mark.parametrize("method", NEGATIVE)
@pytest.mark.parametrize("way", ("resident", "batched"))
@pytest.mark.parametrize("sources", ([0], [0, 1, 2]), ids=("one", "some"))
def test_bitcoin_has_a_negative_cycle(method, way, sources):
    raw, graph = data.load("soc-sign-bitcoinotc.csv")
    memory = memory_for(6, graph, sources, method=method) if way == "batched" else None
    with pytest.raises(NegativeCycleError) as caught:
        nearfar.mssp(graph, sources, method=method, device=DEVICE, memory=memory)
    cycle, lightest = np.array(caught.value.cycle), {}
    for tail, head, weight in zip(raw["src"].tolist(), raw["dst"].tolist(), raw["w"].tolist(), strict=True):
        lightest[tail, head] = min(weight, lightest.get((tail, head), weight))
    assert sum(lightest[step] for step in zip(cycle.tolist(), np.roll(cycle, -1).tolist(), strict=True)) < 0
