"""Real graphs: distances computed by others, lengths that were published, and what each graph is known for.

The files lie in shared/data beside the repository. They are read by their own plain reader, load.py, and not by code
of ours. Without them the tests are skipped.
"""

from __future__ import annotations

import hashlib
import random
from itertools import pairwise

import numpy as np
import pytest

import nearfar
from helpers.able import NEGATIVE, able, assert_rows
from helpers.data import DATA, TRUTH, load, loader, require, wide
from helpers.marks import needs_jit
from nearfar import Graph
from nearfar.errors import DistanceOverflowError, MethodError, NegativeCycleError

require()

SMALL = 200_000  # arcs up to which every method is tried


def runs():
    """Return every run of truth.json with the methods to try: all on small graphs, the fast ones on large."""
    for name, known in TRUTH["reference"].items():
        for run in known["runs"]:
            yield pytest.param(name, run, id=f"{name}-{run['source']}", marks=[] if name == "rome99.gr" else needs_jit)


@pytest.mark.parametrize(("name", "run"), list(runs()))
def test_truth(name, run):
    _, graph = load(name)
    known = TRUTH["reference"][name]
    assert graph.n == known["n"]
    mark = -1 if known["unreached"] == "-1" else np.iinfo(np.int64).max
    methods = able(graph) if graph.m <= SMALL or graph.min_weight < 0 else ["dijkstra", "delta"]
    for method in methods:
        for threads in (1, 2) if method == "delta" else (1,):
            dist = nearfar.sssp(graph, run["source"], method=method, threads=threads).dist
            reached = dist[dist != np.iinfo(dist.dtype).max].astype(np.int64)
            assert (len(reached), reached.sum()) == (run["reached"], run["sum"]), (method, threads)
            assert (reached.min(), reached.max()) == (run["min"], run["max"])
            assert np.argmax(wide(dist, np.iinfo(np.int64).min)) == run["argmax"]
            assert hashlib.sha256(wide(dist, mark).tobytes()).hexdigest() == run["sha256"]


@needs_jit
def test_new_york_published_distance():
    _, graph = load("USA-road-d.NY.gr")
    known = next(fact for fact in TRUTH["published"] if fact["kind"] == "distance")
    assert known["value"] == 28939
    path = nearfar.path(graph, 0, 999)
    assert (path[0], path[-1]) == (0, 999)
    for method in ("auto", "dijkstra", "delta"):
        assert nearfar.distance(graph, 0, 999, method=method) == 28939
    row = nearfar.sssp(graph, 0, targets=[999], threads=1)
    assert row.dist.tolist() == [28939] and nearfar.verify(graph, row)
    assert row.stats["relaxations"] < graph.m / 4  # it did stop early


@needs_jit
@pytest.mark.parametrize(("name", "diameter"), [("snap-facebook-combined.npz", 8), ("gt-power.npz", 46)])
def test_published_diameter(name, diameter):
    _, graph = load(name)
    result = nearfar.apsp(graph)
    assert result.dist.shape == (graph.n, graph.n) and result.dist.max() == diameter
    assert (result.dist == result.dist.T).all()


@needs_jit
@pytest.mark.parametrize("name", ["arena2.map", "Berlin_0_256.map", "Berlin_0_1024.map"])
def test_published_grid_lengths(name):
    """Random scenarios of each map: the optimal length as published, to the digits they are given with."""
    raw, graph = load(name)
    path = next(p for p in (DATA / f"{name}.scen", DATA / f"{name}.scen.gz") if p.exists())
    scenarios = [line.split("\t") for line in loader().text(str(path)).splitlines()[1:] if line.strip()]
    for line in random.Random(7).sample(scenarios, 36):
        x, y, goal_x, goal_y = map(int, line[4:8])
        digits = len(line[8].strip().partition(".")[2])
        found = nearfar.distance(graph, raw["id"][y, x], raw["id"][goal_y, goal_x])
        # Some files were computed in float32 or with another value of sqrt 2: seven digits are sure.
        assert found == pytest.approx(float(line[8]), rel=2e-7, abs=10.0**-digits), line


@needs_jit
@pytest.mark.parametrize("method", ["auto", *NEGATIVE])
def test_bitcoin_has_a_negative_cycle(method):
    raw, graph = load("soc-sign-bitcoinotc.csv")
    with pytest.raises(NegativeCycleError) as caught:
        nearfar.sssp(graph, 0, method=method)
    cycle, lightest = caught.value.cycle, {}
    for tail, head, weight in zip(raw["src"].tolist(), raw["dst"].tolist(), raw["w"].tolist(), strict=True):
        lightest[tail, head] = min(weight, lightest.get((tail, head), weight))
    assert sum(lightest[step] for step in pairwise([*cycle, cycle[0]])) < 0


@needs_jit
def test_andorra_energy():
    """Negative weights and no negative cycle: every method that takes them, one source and many."""
    _, graph = load("andorra-energy.npz")
    assert graph.min_weight < 0
    for method in ("dijkstra", "delta", "bfs"):
        with pytest.raises(MethodError, match=r"edge|frontier"):
            nearfar.sssp(graph, 0, method=method)
    sources = [0, 8000, 16000]
    results = [nearfar.mssp(graph, sources, method=method, threads=2) for method in able(graph)]
    assert len({result.rows.tobytes() for result in results}) == 1
    assert nearfar.verify(graph, results[0])
    assert nearfar.plan(graph, sources).method == "johnson"


@needs_jit
def test_mountain_needs_int64():
    """Walking times pass int32: the type widens by itself, and int32 is refused when it is asked for."""
    _, graph = load("N42E001.hgt.zip")
    result = nearfar.sssp(graph, 0, threads=2)
    assert result.dist.dtype == np.int64 and nearfar.verify(graph, result)
    assert result.dist.tobytes() == nearfar.sssp(graph, 0, threads=1, method="dijkstra").dist.tobytes()
    with pytest.raises(DistanceOverflowError, match="int64"):
        nearfar.sssp(graph, 0, dtype="int32")


@needs_jit
def test_world_highways():
    """Floats with zeros and loops, one source on two threads: exact to the bit."""
    _, graph = load("sc-world_highways.npz")
    result = nearfar.sssp(graph, 0, method="delta", threads=2)
    certificate = nearfar.verify(graph, result)
    assert certificate, certificate
    assert result.dist.tobytes() == nearfar.sssp(graph, 0, method="dijkstra", threads=1).dist.tobytes()


def tntp(name):
    """Read a traffic network: tails, heads and free-flow times of its links."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"shared/data has no {name}")
    text = loader().text(str(path))
    n = int(text.partition("<NUMBER OF NODES>")[2].split()[0])
    links = [
        line.split() for line in text.partition("<END OF METADATA>")[2].splitlines() if line.rstrip().endswith(";")
    ]
    links = np.array([link[:5] for link in links if link[0] != "~"], float)
    return Graph.from_arcs(links[:, 0].astype(int) - 1, links[:, 1].astype(int) - 1, links[:, 4], n)


@needs_jit
@pytest.mark.parametrize(
    ("name", "n", "m"), [("ChicagoRegional_net.tntp.gz", 12_982, 39_018), ("Philadelphia_net.tntp.gz", 13_389, 40_003)]
)
def test_traffic_networks(name, n, m):
    """Thousands of arcs of weight zero, some of them in circles: distances and trees are still proved."""
    graph = tntp(name)
    assert (graph.n, graph.m) == (n, m) and (graph.weights == 0).sum() > 1000
    results = {method: nearfar.mssp(graph, [0, 1, n - 1], method=method) for method in able(graph)}
    exact = results["dijkstra"]
    assert (exact.predecessors >= 0).any()
    for result in results.values():
        assert_rows(result, exact.rows)
        assert (result.predecessors == exact.predecessors).all()
        assert nearfar.verify(graph, result)


@needs_jit
def test_scattered_rows_are_renumbered():
    """New York's roads in a random order: many rows are solved in a better one and brought back."""
    _, graph = load("USA-road-d.NY.gr")
    shuffle = np.random.default_rng(3).permutation(graph.n).astype(np.int32)
    tails = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.offsets))
    mixed = Graph.from_arcs(shuffle[tails], shuffle[graph.heads], graph.weights, graph.n)
    sources = [0, 999] * 64
    result = nearfar.mssp(mixed, shuffle[sources], threads=2)
    assert result.plan.renumber
    truth = nearfar.mssp(graph, [0, 999]).dist
    assert (result.dist[:2][:, shuffle] == truth).all() and (result.dist[126:] == result.dist[:2]).all()
