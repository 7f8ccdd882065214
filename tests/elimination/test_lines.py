"""When the lines of a row are written; rows written past the caches are the same as those that are not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.marks import JIT
from helpers.shapes import KINDS, SHAPES, rows_of, same, shaped, wild
from nearfar.elimination.lines import make_lines, shifts_of
from nearfar.kernels.cpu.constants import LINE_BYTES
from nearfar.methods import prepared as method

EXAMPLES = 6 if JIT else 2


def written_by(layout, lines):
    """Run a sweep with vertices in place of distances; return the vertex that is written to each column."""
    vertex_at = {int(position): v for v, position in enumerate(layout.positions)}
    width = LINE_BYTES // layout.dtype.itemsize
    cells = [-1] * (layout.cells + len(lines.kept))
    row = [-1] * layout.n
    for u in range(len(layout.units) - 1):
        begin, end = int(layout.units[u]), int(layout.units[u + 1])
        for position in range(begin, end):
            cells[min(begin, layout.tops) + position - begin] = vertex_at[position]
        for left in lines.lines[lines.line_starts[u] : lines.line_starts[u + 1]]:
            for column in range(left, left + width):
                assert row[column] == -1
                row[column] = cells[lines.columns[column]]
        for i in range(lines.keep_starts[u], lines.keep_starts[u + 1]):
            cells[layout.cells + i] = cells[lines.kept[i]]
    for column in (*range(lines.first), *range(lines.rest, layout.n)):
        assert row[column] == -1
        row[column] = cells[lines.columns[column]]
    return row


@pytest.mark.parametrize("unit", [1, 3, 16, 4096])
@pytest.mark.parametrize("kind", ["small", "float64"])
def test_every_column_is_written_once_with_its_vertex(unit, kind):
    graph = wild(4, kind)
    with shaped(unit=unit):
        layout = nearfar.prepare(graph).hierarchy.layout
    for shift in range(LINE_BYTES // layout.dtype.itemsize):
        lines = make_lines(layout, shift)
        assert lines.first == shift and (graph.n - shift) // (lines.rest - lines.first or graph.n) >= 1
        assert written_by(layout, lines) == list(range(graph.n))


def test_short_rows_have_no_whole_line():
    layout = nearfar.prepare(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])).hierarchy.layout
    for shift in range(16):
        assert written_by(layout, make_lines(layout, shift)) == [0, 1, 2]


def test_where_rows_begin():
    room = np.empty(100, np.int32)
    at = -room.ctypes.data % LINE_BYTES // 4
    assert shifts_of(room, np.array([at, at + 1, at + 15, at + 16, at + 40])).tolist() == [0, 15, 1, 0, 8]
    odd = np.empty(101, np.uint8)[1:].view(np.int32)  # begins inside an entry
    assert shifts_of(odd, np.arange(3)).tolist() == [-1, -1, -1]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES)
@given(
    seed=st.integers(0, 10**6),
    undirected=st.booleans(),
    shape=st.sampled_from(list(SHAPES)).map(SHAPES.get),
    count=st.integers(30, 600),
    threads=st.integers(1, 2),
    skip=st.integers(0, 16),
)
def test_rows_past_the_caches(kind, seed, undirected, shape, count, threads, skip):
    graph = wild(seed, kind, undirected)
    sources = np.random.default_rng(seed).integers(0, graph.n, count)
    wanted = rows_of(graph)[sources]
    with shaped(**shape, past=0):
        prepared = nearfar.prepare(graph)
        found = prepared.mssp(sources, threads=threads).dist
        assert same(found, wanted)
        out = np.empty(count * graph.n + skip, found.dtype)[skip:].reshape(count, graph.n)
        prepared.mssp(sources, threads=threads, out=out)
        assert same(out, wanted)


def test_rows_that_begin_alike_go_past_together():
    """Rows of 49 entries begin anywhere in a line; 16 of each shift make a batch, the others stay in the caches."""
    graph = nearfar.generate.road_grid(7, 7, seed=1)
    with shaped(unit=8, past=0):
        prepared = nearfar.prepare(graph)
        prepared.mssp([3] * 16 * 16, threads=1)
        assert sorted(prepared.hierarchy.layout._lines) == list(range(16))
    with shaped(unit=8):
        prepared = nearfar.prepare(graph)
        prepared.mssp([3] * 16 * 16, threads=1)
        assert list(prepared.hierarchy.layout._lines) == [0]


def test_short_rows_stay_in_the_caches(monkeypatch):
    """Where rows are short, batches are not made of those that begin alike; unless all of them do."""
    for side, shifts in ((7, [0]), (8, [4])):
        graph = nearfar.generate.road_grid(side, side, seed=1)
        n = graph.n
        with shaped(unit=8, past=0):
            monkeypatch.setattr(method, "LONG_ROW", 4 * n + 1)
            prepared = nearfar.prepare(graph)
            room = np.zeros(256 * n + 32, np.int32)
            start = -room.ctypes.data % LINE_BYTES // 4 + 12
            prepared.mssp([3] * 256, threads=1, out=room[start : start + 256 * n].reshape(256, n))
            assert list(prepared.hierarchy.layout._lines) == shifts
