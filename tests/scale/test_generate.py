"""Graphs that are generated straight to disk are those that are generated in memory, to the bit."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.marks import child_environment
from helpers.tiny import assert_same, in_folder
from nearfar.errors import FileError, MemoryLimitError, NearfarError, OptionError
from nearfar.graph import generate
from nearfar.kernels.cpu import grid_streets, grid_tiles
from nearfar.scale import grid_tree, rmat, road_grid


@given(
    st.integers(0, 9),
    st.integers(0, 20),
    st.integers(0, 5),
    st.sampled_from([None, 1, 255, 2**31 - 1, 2**40]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([(1, 7), (40, 100), (10**6, 10**6)]),
)
def test_rmat(tmp_path_factory, scale, edge_factor, seed, most, undirected, keep_rows, sizes):
    folder = tmp_path_factory.mktemp("it")
    options = {"max_weight": most, "undirected": undirected, "keep_rows": keep_rows}
    wanted = in_folder(generate.rmat(scale, edge_factor, seed, **options), folder / "wanted.nearfar")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rmat, "BUCKET", sizes[0])
        patch.setattr(rmat, "CHUNK", sizes[1])
        found = generate.rmat(scale, edge_factor, seed, **options, out=folder / "found.nearfar", memory="100 MB")
    assert_same(found, wanted)
    assert not list(folder.glob(".*"))


def test_rmat_with_many_edges(tmp_path):
    wanted = in_folder(generate.rmat(15, 20, seed=3), tmp_path / "wanted.nearfar")
    assert_same(generate.rmat(15, 20, seed=3, out=tmp_path / "found.nearfar"), wanted)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"out": "g.npz"}, OptionError, "must end in .nearfar"),
        ({"out": "g.nearfar", "memory": "1 MB"}, MemoryLimitError, "memory is 1.00 MB"),
        ({"out": "g.nearfar", "memory": "100 MB", "scale": 26}, MemoryLimitError, "the vertices"),
        ({"out": "mine/other.nearfar"}, FileError, "Create it first"),
        ({"memory": "1 GB"}, OptionError, "Give out="),
    ],
)
def test_refusals(tmp_path, monkeypatch, options, error, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        generate.rmat(**{"scale": 4} | options)
    assert not list(tmp_path.iterdir())


@given(
    st.integers(1, 12),
    st.integers(1, 12),
    st.integers(0, 5),
    st.sampled_from([0, 0.3, 0.7, 1]),
    st.sampled_from([0, 1, 1000]),
    st.sampled_from([(1, 1, 1, 1), (2, 4, 7, 1), (3, 6, 50, 30), (4, 4, 10**6, 10**6), (128, 4096, 10**6, 10**6)]),
)
def test_road_grid(tmp_path_factory, rows, cols, seed, keep, spacing, sizes):
    folder = tmp_path_factory.mktemp("it")
    given = {"rows": rows, "cols": cols, "seed": seed, "keep": keep, "spacing": spacing}
    wanted = in_folder(generate.road_grid(**given), folder / "wanted.nearfar")
    with pytest.MonkeyPatch.context() as patch:
        for module, name, size in zip(
            (grid_tree, grid_tree, road_grid, road_grid), ("SIDE", "WIDE", "CHUNK", "CROSSINGS"), sizes, strict=True
        ):
            patch.setattr(module, name, size)
        found = generate.road_grid(**given, out=folder / "found.nearfar", memory="100 MB")
    assert_same(found, wanted)
    assert not list(folder.glob(".*"))


def test_streets_of_the_same_luck_are_chosen_in_order():
    """As in memory, where the sort is stable; so few bits are drawn in no graph that fits here."""
    rng = np.random.default_rng(1)
    luck, streets = 1 + rng.integers(0, 50, 5000) / 2**10, rng.permutation(5000)
    records = np.stack(((luck * 2**52).astype(np.int64), streets), axis=1)
    wanted = records[np.lexsort((streets, luck))]
    low, scratch = int(records[:, 0].min()), np.empty_like(records)
    grid_streets.sort_streets(records, scratch, low, 26, np.empty(1 << grid_streets.DIGIT, np.int64))
    assert (records == wanted).all()


def test_luck_that_is_rounded_to_2_is_in_the_last_group():
    greatest = np.nextafter(1.0, 0.0)  # 1 more than this is 2 in 53 bits
    assert grid_tiles.luck_of(0.0) == 0 and grid_tiles.group_of(0) == 0
    assert grid_tiles.luck_of(greatest) == grid_tiles.WHOLE
    assert grid_tiles.group_of(grid_tiles.WHOLE) == grid_tiles.group_of(grid_tiles.WHOLE - 1) == grid_tiles.GROUPS - 1


@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.sampled_from([0.0, 0.4, 0.7, 0.9, 1.0]),
    st.integers(1, 4),
    st.integers(0, 2**32 - 1),
)
def test_streets_of_few_lucks_are_chosen_as_in_memory(rows, cols, keep, values, seed):
    """Luck is the same for many streets here, also of different tiles, and some of it is rounded to 2."""
    asked = road_grid.RoadGrid(rows, cols, keep, 1000.0)
    drawn = np.random.default_rng(seed).choice([0.0, 0.25, 0.75, np.nextafter(1.0, 0.0)][:values], asked.streets)
    ids = np.arange(rows * cols).reshape(rows, cols)
    ends = [np.concatenate((a.ravel(), b.ravel())) for a, b in ((ids[:, :-1], ids[:-1]), (ids[:, 1:], ids[1:]))]
    wanted = generate._build_streets(*ends, rows * cols, keep, Drawn(drawn))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid_tree, "SIDE", 3)
        patch.setattr(grid_tree, "WIDE", 6)
        built = grid_tree.Tree(asked, lambda street: Drawn(drawn[street:])).choose(2).reshape(rows, cols)
    found = np.concatenate((built[:, :-1].ravel() & 1, built[:-1].ravel() & 2)).astype(bool)
    assert (found == wanted).all()
    assert not (built[:, -1] & 1).any() and not (built[-1] & 2).any(), "no street leads out of the grid"


class Drawn:
    """Stands in for a generator: gives numbers that are there."""

    def __init__(self, numbers):
        self.numbers = numbers

    def random(self, size=None, out=None):
        if out is None:
            return self.numbers[: np.prod(size)].reshape(size).copy()
        out[:] = self.numbers[: len(out)]
        return out


def test_road_grid_of_many_streets(tmp_path):
    """Of several tiles; and of several pieces of a row, as those that are wider than 4,096."""
    wanted = in_folder(generate.road_grid(300, 500, seed=3), tmp_path / "wanted.nearfar")
    assert_same(generate.road_grid(300, 500, seed=3, out=tmp_path / "found.nearfar"), wanted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid_tree, "WIDE", 128)
        assert_same(generate.road_grid(300, 500, seed=3, out=tmp_path / "pieces.nearfar"), wanted)


def test_road_grid_refusals(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError, match="must end in"):
        generate.road_grid(3, 3, out="g.npz")
    with pytest.raises(MemoryLimitError, match="the crossings"):
        generate.road_grid(8000, 8000, out="g.nearfar", memory="100 MB")
    with pytest.raises(OptionError, match="Give out="):
        generate.road_grid(3, 3, memory="1 GB")
    with pytest.raises(NearfarError, match="n is 2500000000"):
        generate.road_grid(50_000, 50_000, out="g.nearfar")
    assert not list(tmp_path.iterdir())


KILLED = """
import os, signal, sys
from nearfar.graph import generate
from nearfar.scale import generate as to_disk

def end(*_):
    os.kill(os.getpid(), signal.SIGKILL)

to_disk.finish_folder = end
getattr(generate, sys.argv[1])(*map(int, sys.argv[2:4]), out=sys.argv[4])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be asked for there")
@pytest.mark.parametrize(("kind", "sizes"), [("rmat", (8, 8)), ("road_grid", (20, 20))])
def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path, kind, sizes):
    target = tmp_path / "g.nearfar"
    arguments = [sys.executable, "-c", KILLED, kind, *map(str, sizes), str(target)]
    killed = subprocess.run(arguments, env=child_environment(), check=False, timeout=300)
    (left,) = tmp_path.iterdir()
    assert killed.returncode == -9 and left.name.endswith(".part") and list(left.iterdir())
    pid = left.name.split("-")[-1].split(".")[0]
    others = [tmp_path / left.name.replace(pid, str(os.getppid())), tmp_path / f".other{left.name}"]
    for other in others:  # of a process that runs, and of another graph
        other.mkdir()
    old = left.with_suffix(".old")
    old.mkdir()
    wanted = in_folder(getattr(generate, kind)(*sizes), tmp_path / "wanted.nearfar")
    assert_same(getattr(generate, kind)(*sizes, out=target), wanted)
    assert set(tmp_path.iterdir()) == {target, tmp_path / "wanted.nearfar", *others, old}
    nearfar.write(wanted, target)
    assert not old.exists(), "what was there before is removed when something is in its place"
