"""When the lines of a row are written, and rows that go past the caches: the same as those that do not."""

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

EXAMPLES = 6 if JIT else 2


def written_by(sheet, lines):
    """Play a sweep with vertices for distances; return what each column of the row would show."""
    place_of = {int(number): v for v, number in enumerate(sheet.places)}
    width = LINE_BYTES // sheet.dtype.itemsize
    slots = [-1] * (sheet.slots + len(lines.kept))
    row = [-1] * sheet.n
    for u in range(len(sheet.units) - 1):
        begin, end = int(sheet.units[u]), int(sheet.units[u + 1])
        for number in range(begin, end):
            slots[min(begin, sheet.tops) + number - begin] = place_of[number]
        for left in lines.lines[lines.line_starts[u] : lines.line_starts[u + 1]]:
            for column in range(left, left + width):
                assert row[column] == -1
                row[column] = slots[lines.columns[column]]
        for i in range(lines.keep_starts[u], lines.keep_starts[u + 1]):
            slots[sheet.slots + i] = slots[lines.kept[i]]
    for column in (*range(lines.first), *range(lines.rest, sheet.n)):
        assert row[column] == -1
        row[column] = slots[lines.columns[column]]
    return row


@pytest.mark.parametrize("unit", [1, 3, 16, 4096])
@pytest.mark.parametrize("kind", ["small", "float64"])
def test_every_column_is_written_once_with_its_vertex(unit, kind):
    graph = wild(4, kind)
    with shaped(unit=unit):
        sheet = nearfar.prepare(graph).hierarchy.sheet
    for shift in range(LINE_BYTES // sheet.dtype.itemsize):
        lines = make_lines(sheet, shift)
        assert lines.first == shift and (graph.n - shift) // (lines.rest - lines.first or graph.n) >= 1
        assert written_by(sheet, lines) == list(range(graph.n))


def test_short_rows_have_no_whole_line():
    sheet = nearfar.prepare(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])).hierarchy.sheet
    for shift in range(16):
        assert written_by(sheet, make_lines(sheet, shift)) == [0, 1, 2]


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
    """Rows of 49 entries begin at any place in a line; 16 of each kind make a batch, the others stay in the caches."""
    graph = nearfar.generate.road_grid(7, 7, seed=1)
    with shaped(unit=8, past=0):
        prepared = nearfar.prepare(graph)
        prepared.mssp([3] * 16 * 16, threads=1)
        assert sorted(prepared.hierarchy.sheet._lines) == list(range(16))
    with shaped(unit=8):
        prepared = nearfar.prepare(graph)
        prepared.mssp([3] * 16 * 16, threads=1)
        assert list(prepared.hierarchy.sheet._lines) == [0]
