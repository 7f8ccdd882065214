"""A graph in parts on a real cluster: processes of Dask on this machine, of which one is killed."""

from __future__ import annotations

import os

import pytest

import nearfar
from nearfar.graph import generate

distributed = pytest.importorskip("distributed")


def test_processes_have_their_parts_and_one_may_die(tmp_path):
    graph = generate.road_grid(60, 60, seed=1)
    path = tmp_path / "g.nearfar"
    nearfar.write(graph, path)
    nearfar.write_parts(path, nearfar.partition(graph, 4, how="coordinates"))
    expected = nearfar.sssp(graph, 5).dist
    with nearfar.connect("local:2", spool=tmp_path) as cluster:
        there = nearfar.PartitionedGraph.open(path, cluster)
        found = there.sssp(5)
        assert (found.gather().dist == expected).all()
        assert len(found.stats["held_bytes"]) == 2
        victim = next(iter(cluster.workers()))
        cluster.client.run(os._exit, 1, workers=[victim], wait=False, on_error="ignore")
        for method in ("phases", "rounds"):
            again = there.sssp(5, method=method)
            assert (again.gather().dist == expected).all()
        near = there.nearest([5, 900, 3000])
        assert (near.gather().dist == nearfar.nearest(graph, [5, 900, 3000]).dist).all()
        assert found.sum() == expected.sum()  # of a result whose writer has gone
