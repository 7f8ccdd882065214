"""Arcs that pass through buckets become the rows that `Graph.from_arcs` makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import cases
from nearfar.errors import FileError
from nearfar.graph import Graph
from nearfar.scale import sorting
from nearfar.scale.journal import Journal
from nearfar.scale.room import Room
from nearfar.scale.sorting import Shape, Sorter


def blocks_of(case, step, rows):
    """Yield the arcs of a case in blocks."""
    tails, heads, weights = case.arrays()
    for low in range(0, len(tails), step):
        part = slice(low, low + step)
        origin = np.arange(low, low + len(tails[part])) if rows else None
        yield tails[part], heads[part], None if weights is None else weights[part], origin


def sorted_files(folder, case, both, rows, step=5, window=64, bucket=40, stop=None):
    """Sort a case through tiny buckets; return offsets, arcs, and rows."""
    weight = Graph.from_arcs(*case.arrays(), n=case.n).weight_dtype
    shape = Shape(case.n, len(case.arcs), weight, both, rows)
    folder.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch, Journal(folder / "journal", "it") as journal:
        patch.setattr(sorting, "BUCKET", bucket)
        patch.setattr(Room, "window", lambda self: window)
        sorter = Sorter(shape, folder, journal, "arcs")
        if not sorter.is_spooled:
            sorter.spool(blocks_of(case, step, rows))
        sorter.sort(folder, Room(1), stop or (lambda done: None))
    return [np.load(folder / f"{name}.npy") for name in ["offsets", "arcs"] + ["rows"] * rows]


@given(cases(), st.booleans(), st.booleans(), st.sampled_from([1, 5, 1000]), st.sampled_from([1, 64, 10**6]))
def test_rows_are_those_of_from_arcs(tmp_path_factory, case, both, rows, step, window):
    graph = Graph.from_arcs(*case.arrays(), n=case.n, undirected=both)
    found = sorted_files(tmp_path_factory.mktemp("it"), case, both, rows, step, window)
    assert (found[0] == graph.offsets).all() and found[0].dtype == graph.offsets.dtype
    assert found[1].dtype == graph.arcs.dtype and (found[1] == graph.arcs).all()
    if rows:
        assert (found[2] == graph.rows).all() and found[2].dtype == graph.rows.dtype


@given(cases(), st.integers(0, 20))
def test_a_sort_that_was_stopped_goes_on(tmp_path_factory, case, when):
    folder, told = tmp_path_factory.mktemp("it"), []

    def stop(done):
        told.append(done)
        if len(told) == when:
            raise KeyboardInterrupt

    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    try:
        found = sorted_files(folder, case, False, True, stop=stop)
    except KeyboardInterrupt:
        found = sorted_files(folder, case, False, True)
    assert (found[0] == graph.offsets).all() and (found[1] == graph.arcs).all() and (found[2] == graph.rows).all()


def test_one_vertex_with_more_arcs_than_memory(tmp_path):
    rng = np.random.default_rng(0)
    tails, heads = np.where(rng.random(5000) < 0.9, 3, rng.integers(0, 9, 5000)), rng.integers(0, 9, 5000)
    shape = Shape(9, 5000, np.dtype(np.int64), False, True)
    graph = Graph.from_arcs(tails, heads, np.arange(5000) + 2**40)
    with Journal(tmp_path / "journal", "it") as journal:
        sorter = Sorter(shape, tmp_path, journal, "arcs")
        sorter.spool(iter([(tails, heads, np.arange(5000) + 2**40, np.arange(5000))]))
        told = []
        sorter.sort(tmp_path, Room(1 << 18), told.append)
    assert len(told) == -(-5000 * shape.record // (1 << 16))
    assert (np.load(tmp_path / "arcs.npy") == graph.arcs).all() and (np.load(tmp_path / "rows.npy") == graph.rows).all()


@pytest.mark.parametrize("harm", ["flip", "cut", "remove"])
def test_a_damaged_bucket_is_found(tmp_path, harm):
    shape = Shape(9, 50, None, False, False)
    ends = np.arange(50) % 9
    with Journal(tmp_path / "journal", "it") as journal:
        sorter = Sorter(shape, tmp_path, journal, "arcs")
        sorter.spool(iter([(ends, ends, None, None)]))
        path = sorter.path(0)
        data = bytearray(path.read_bytes())
        data[17] ^= 1
        if harm == "remove":
            path.unlink()
        else:
            path.write_bytes(data if harm == "flip" else data[:-8])
        with pytest.raises(FileError, match=r"is not as it was written.*existing='restart'"):
            sorter.sort(tmp_path, Room(1 << 20), lambda done: None)
