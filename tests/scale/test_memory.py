"""Conversions and streamed queries take no more anonymous memory than ``memory=``, on graphs four times as large."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

import nearfar
from helpers.anonymous import on_linux, run_watched
from helpers.marks import needs_jit
from nearfar.graph import Graph, generate

pytestmark = [on_linux, needs_jit]

SEES = """
import numpy as np, time
with Peak() as peak:
    taken = np.ones(3_000_000)
    while peak.bytes < taken.nbytes:  # as long as it takes
        time.sleep(0.001)
print(json.dumps(peak.bytes))
"""


def test_the_watcher_sees_what_is_taken():
    [seen] = run_watched(SEES)
    assert 24_000_000 <= seen < 48_000_000


QUERY = """
import zlib
for name, memory in (("SMALL", 3_000_000), ("LARGE", BUDGET)):  # the first compiles kernels and starts threads
    graph = Graph.open(name)
    with Peak() as peak:
        found = nearfar.ASKED
        rows = found.dist if hasattr(found, "dist") else found.rows
    print(json.dumps({"peak": peak.bytes, "loaded": "arcs" in vars(graph), "rows": zlib.crc32(rows.tobytes())}))
"""


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    """Write a graph of 62 MB, and a smaller one."""
    folder = tmp_path_factory.mktemp("graphs")
    for name, scale in (("small", 12), ("large", 15)):
        generate.rmat(scale, 200, seed=1, out=folder / f"{name}.nearfar")
    return folder


@pytest.mark.parametrize(("query", "sources"), [("sssp", 7), ("mssp", list(range(20))), ("nearest", [1, 2, 3])])
def test_streamed_queries(graphs, query, sources):
    graph = Graph.open(graphs / "large.nearfar")
    budget = graph.arc_bytes // 4
    places = {"SMALL": graphs / "small.nearfar", "LARGE": graphs / "large.nearfar", "BUDGET": budget}
    asked = f"{query}(graph, {sources}, method='streamed', threads=2, memory=memory)"
    _, answer = run_watched(QUERY, ASKED=asked, **places)
    wanted = getattr(nearfar, query)(graph, sources)
    rows = wanted.rows if query == "mssp" else wanted.dist
    assert answer["rows"] == zlib.crc32(rows.tobytes())
    assert not answer["loaded"]
    assert answer["peak"] <= budget


CONVERSION = """
nearfar.convert("SMALL", "DONE", memory=50_500_000)  # the first loads pyarrow, and compiles kernels
with Peak() as peak:
    nearfar.convert("LARGE", "DONE", memory=BUDGET)
graph = Graph.open("DONE")
print(json.dumps({"peak": peak.bytes, "arcs": graph.m, "bytes": graph.arc_bytes}))
"""
BUDGET, PART, TIMES = 52_000_000, 1 << 17, 134


def write_text(small, large, ends, weights):
    """Write arcs as lines of text, and the same arcs many times."""
    block = "".join(f"{u} {v} {w}\n" for u, v, w in zip(*ends.tolist(), weights.tolist(), strict=True))
    small.write_text(block)
    with open(large, "w") as file:
        for _ in range(TIMES):
            file.write(block)


def write_parquet(small, large, ends, weights):
    """Write arcs as a table, and the same arcs many times in two files of a folder."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"source": ends[0], "target": ends[1], "weight": weights})
    parquet.write_table(table, small)
    large.mkdir()
    for i in range(2):
        with parquet.ParquetWriter(large / f"{i}.parquet", table.schema) as writer:
            for _ in range(TIMES // 2):
                writer.write_table(table)


@pytest.mark.parametrize(("write", "ending"), [(write_text, ".txt"), (write_parquet, ".parquet")])
def test_conversions(tmp_path, write, ending):
    rng = np.random.default_rng(1)
    small, large = tmp_path / f"small{ending}", tmp_path / f"large{ending}"
    write(small, large, rng.integers(0, 1 << 16, (2, PART)), rng.integers(0, 1000, PART) / 8)
    [answer] = run_watched(CONVERSION, SMALL=small, LARGE=large, DONE=tmp_path / "g.nearfar", BUDGET=BUDGET)
    assert answer["arcs"] == PART * TIMES and answer["bytes"] >= 4 * BUDGET
    assert answer["peak"] <= BUDGET
