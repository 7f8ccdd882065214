"""Graphs that are generated straight to disk are those that are generated in memory, to the bit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.tiny import assert_same, in_folder
from nearfar.errors import FileError, MemoryLimitError, OptionError
from nearfar.graph import generate
from nearfar.scale import rmat


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
