"""Our readers against the plain one that comes with the real graphs, on every file that it reads."""

from __future__ import annotations

import re

import numpy as np
import pytest

import nearfar
from helpers.data import DATA, loader, require
from helpers.marks import JIT

require()

SLOW = 300_000  # bytes of a file from which on kernels in plain Python take minutes
OPTIONS = {
    "cal.cedge.gz": {"coordinates": DATA / "cal.cnode.gz"},
    "soc-sign-bitcoinotc.csv.gz": {"weight": "feature"},  # or it might be the time
}
NAMES = [
    path.name
    for path in sorted(DATA.iterdir())
    if any(re.search(pattern, path.name) for pattern, _ in loader().LOADERS)
    and not path.name.endswith((".scen", ".scen.gz"))
]
SIZES = {"ChicagoRegional_net.tntp.gz": (12_982, 39_018), "Philadelphia_net.tntp.gz": (13_389, 40_003)}


@pytest.mark.parametrize("name", NAMES)
def test_agrees(name):
    if not JIT and (DATA / name).stat().st_size > SLOW:
        pytest.skip("too large for kernels that run as plain Python (the JIT is off)")
    found = nearfar.read(DATA / name, **OPTIONS.get(name, {}))
    raw = loader().load(name)
    wanted = nearfar.Graph.from_arcs(raw["src"], raw["dst"], raw["w"], raw["n"], undirected=not raw["directed"])
    assert (found.n, found.m, found.undirected) == (wanted.n, wanted.m, wanted.undirected)
    assert found.arcs.dtype == wanted.arcs.dtype
    assert (found.offsets == wanted.offsets).all() and (found.arcs == wanted.arcs).all()
    for x, y in (("x", "y"), ("lon", "lat")):
        if x in raw:
            assert (found.coordinates == np.column_stack((raw[x], raw[y]))).all()
    if "ids" in raw:
        assert found.names == tuple(raw["ids"].tolist())


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name):
    graph = nearfar.read(DATA / name)
    assert (graph.n, graph.m) == SIZES[name] and graph.min_weight == 0


def test_new_york_by_its_own_names():
    if not JIT:
        pytest.skip("too large for kernels that run as plain Python (the JIT is off)")
    graph = nearfar.read(DATA / "USA-road-d.NY.gr.gz")
    assert nearfar.distance(graph, 1, 1000) == 28939
    path = nearfar.path(graph, 1, 1000)
    assert (path[0], path[-1]) == (1, 1000)
