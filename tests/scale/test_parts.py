"""Parts of graphs: every arc is in one of them, and what is done with one part is right for any labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers import oracle
from helpers.cut import arcs_of, arcs_of_parts, cut_cases
from nearfar.errors import FileError, FormatError, MissingFileError, NearfarError
from nearfar.formats.folder.parts import load_part, open_parts
from nearfar.graph import Graph, generate
from nearfar.graph.parts import ARRAYS, split_in_memory
from nearfar.methods.part_steps import overlay_arcs, settle_part

STORED = generate.road_grid(6, 6, seed=3)


@given(cut_cases(min_n=0))
def test_every_arc_is_in_one_part(cut):
    case, labels, count = cut
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    parts = split_in_memory(graph, labels, count)
    assert arcs_of_parts(parts) == arcs_of(graph)
    assert parts.count == count
    assert parts.sizes.tolist() == np.bincount(labels, minlength=count).tolist()
    assert parts.arcs.sum() + parts.cuts.sum() == graph.m
    for p in range(count):
        part = parts.load(p)
        assert (part.vertices == np.flatnonzero(labels == p)).all()
        assert (parts.positions[part.vertices] == np.arange(part.n)).all()
        assert (parts.boundary[parts.starts[p] : parts.starts[p + 1]] == part.vertices[part.boundary]).all()
        assert part.first == parts.starts[p]
    cut_arcs = [arc for arc in case.arcs if labels[arc[0]] != labels[arc[1]]]
    assert sorted(parts.boundary.tolist()) == sorted({v for arc in cut_arcs for v in arc[:2]})


@given(cut_cases(min_n=0))
def test_parts_on_the_disk_are_those_in_memory(tmp_path_factory, cut):
    case, labels, count = cut
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    path = tmp_path_factory.mktemp("parts") / "g.nearfar"
    nearfar.write(graph, path)
    nearfar.write_parts(path, nearfar.partition(graph, count, how=labels.astype(int)))
    opened = Graph.open(path)
    here, there = split_in_memory(graph, labels, count), opened.parts
    for p in range(count):
        for name in ARRAYS:
            ours, theirs = getattr(here.load(p), name), getattr(there.load(p), name)
            assert ours.dtype == theirs.dtype
            assert (ours == theirs).all()
    assert "arcs" not in vars(opened)


@given(cut_cases(), st.data())
def test_a_part_is_settled_from_any_starts(cut, data):
    case, labels, count = cut
    part = split_in_memory(Graph.from_arcs(*case.arrays(), n=case.n), labels, count).load(int(labels[0]))
    chosen = data.draw(st.lists(st.tuples(st.integers(0, part.n - 1), st.integers(0, 9)), max_size=5))
    starts = {u: min(start for v, start in chosen if v == u) for u, _ in chosen}
    is_float = case.dtype is not None and case.dtype.startswith("float")
    dtype = np.dtype(case.dtype if is_float else "int64")
    seeds, values = np.array([u for u, _ in chosen], np.int32), np.array([s for _, s in chosen], dtype)
    found = settle_part(part, seeds, values)
    expected = oracle.dijkstra(part.n, arcs_of(part.graph), starts, case.add)
    assert oracle.as_floats(found).tolist() == [np.inf if d is None else d for d in expected]
    limit = dtype.type(7)
    below = settle_part(part, seeds, values, ceiling=limit)
    assert (below == np.minimum(found, limit)).all()


@given(cut_cases(dtypes=("int32", "int64", None, "float64")), st.booleans())
def test_overlay_arcs_keep_all_distances_between_boundary_vertices(cut, reduce):
    case, labels, count = cut
    parts = split_in_memory(Graph.from_arcs(*case.arrays(), n=case.n), labels, count)
    for p in range(count):
        part = parts.load(p)
        between = overlay_arcs(part, reduce=reduce)
        b = len(part.boundary)
        tails = np.repeat(np.arange(b), np.diff(between.offsets))
        arcs = list(zip(tails.tolist(), (between.heads - part.first).tolist(), between.weights.tolist(), strict=True))
        for x in range(b):
            inside = oracle.dijkstra(part.n, arcs_of(part.graph), [int(part.boundary[x])], case.add)
            over = oracle.dijkstra(b, arcs, [x])
            for y in range(b):
                exact = inside[part.boundary[y]]
                assert over[y] == (exact if exact is None else pytest.approx(exact, rel=1e-12))


def test_few_overlay_arcs_are_needed():
    graph = generate.road_grid(40, 40, seed=2)
    parts = split_in_memory(graph, nearfar.partition(graph, 4, how="coordinates").labels, 4)
    part = parts.load(0)
    needed, pairs = overlay_arcs(part), overlay_arcs(part, reduce=False)
    assert len(pairs.heads) > 20**2
    assert len(needed.heads) < len(pairs.heads) / 2


def test_distances_of_64_bits_do_not_wrap():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [2**62, 2**62, 5])
    part = split_in_memory(graph, np.zeros(4, np.uint8), 1).load(0)
    found = settle_part(part, np.array([0], np.int32), np.array([7]))
    assert found.tolist() == [7, 2**63 - 1, 2**63 - 1, 2**63 - 1]  # a sum that might wrap is refused


def write_stored(tmp_path, graph=STORED):
    """Write a graph in three parts; return its path."""
    path = tmp_path / "g.nearfar"
    nearfar.write(graph, path)
    nearfar.write_parts(path, nearfar.partition(graph, 3, how="ranges"))
    return path


def test_every_flipped_byte_is_an_error_or_harmless(tmp_path):
    path = write_stored(tmp_path)
    expected = arcs_of_parts(Graph.open(path).parts)
    refused = 0
    for file in sorted(path.glob("parts/**/*.*")):
        data = file.read_bytes()
        for i in range(0, len(data), 7):
            file.write_bytes(data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :])
            try:
                assert arcs_of_parts(open_parts(path)) == expected
            except NearfarError:
                refused += 1
        file.write_bytes(data)
    assert refused > 300
    assert arcs_of_parts(open_parts(path)) == expected


@pytest.mark.parametrize("lost", ["parts.json", "labels.npy", "starts.npy", "0001/part.json", "0001/cuts.npy"])
def test_missing_and_short_files(lost, tmp_path):
    path = write_stored(tmp_path)
    file = path / "parts" / lost
    data = file.read_bytes()
    file.write_bytes(data[:-2])
    with pytest.raises((FormatError, FileError)):
        arcs_of_parts(open_parts(path))
    file.unlink()
    with pytest.raises((FormatError, FileError)):
        arcs_of_parts(open_parts(path))


def test_parts_of_another_graph_are_refused(tmp_path):
    path = write_stored(tmp_path)
    (path / "parts").rename(tmp_path / "parts")
    nearfar.write(generate.road_grid(6, 6, seed=4), path)
    assert Graph.open(path).parts is None  # writing the graph again removed them
    (tmp_path / "parts").rename(path / "parts")
    with pytest.raises(FormatError, match="parts of another graph"):
        _ = Graph.open(path).parts
    with pytest.raises(FormatError, match="part of another graph"):
        load_part(path / "parts" / "0001", "00" * 32)
    assert load_part(path / "parts" / "0001").index == 1


def test_a_graph_without_parts_says_how_to_cut_it(tmp_path):
    nearfar.write(STORED, tmp_path / "g.nearfar")
    assert Graph.open(tmp_path / "g.nearfar").parts is None
    with pytest.raises(MissingFileError, match=r"not cut into parts.*nearfar\.partition"):
        open_parts(tmp_path / "g.nearfar")


def test_parts_are_replaced_as_a_whole(tmp_path):
    path = write_stored(tmp_path)
    graph = Graph.open(path)
    assert graph.parts.count == 3
    nearfar.write_parts(graph, nearfar.partition(graph, 2, how="ranges"))
    assert graph.parts.count == 2
    assert sorted(entry.name for entry in (path / "parts").iterdir() if entry.is_dir()) == ["0000", "0001"]
    assert not [entry for entry in path.iterdir() if entry.name.startswith(".")]
