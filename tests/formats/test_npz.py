"""NumPy archives: our own graphs to the bit, arcs under usual keys, and files that lie about themselves."""

from __future__ import annotations

import io
import pickle
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nearfar
from helpers.damage import BROKEN, agrees, broken, damaged, read_bytes, refused, same, survives, write_bytes
from helpers.data import real
from helpers.marks import needs_jit
from helpers.strategies import cases
from nearfar.errors import FileError, OptionError
from nearfar.graph import Graph
from nearfar.graph.cells import CellNames
from nearfar.graph.vertices import Vertices

ARCS = {"n": 4, "src": [0, 1, 2], "dst": [1, 2, 0], "w": [5, 6, 7], "directed": True}


def archive(compressed=False, **arrays):
    """Return the bytes that NumPy writes."""
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **arrays)
    return file.getvalue()


def rewritten(data, **changes):
    """Return an archive with other arrays under some keys; None drops one."""
    arrays = dict(np.load(io.BytesIO(data), allow_pickle=False)) | changes
    return archive(**{key: array for key, array in arrays.items() if array is not None})


def keep_all(graph):
    """Write a graph and read it again."""
    return read_bytes(write_bytes(graph, "npz"), "graph.npz")


SMALL = Graph.from_arcs(
    [0, 1, 2], [1, 2, 2], [1.5, 2, 4], undirected=True, names=["Ulm", "", "ä\0"], coordinates=np.eye(3)[:, :2]
)
OWN = write_bytes(SMALL, "npz")

# our own


@given(cases(min_n=0), st.booleans(), st.data())
def test_everything_is_kept(case, undirected, data):
    kinds = {
        "none": st.none(),
        "words": st.lists(st.text(max_size=5), min_size=case.n, max_size=case.n, unique=True),
        "ids": st.lists(st.integers(-(2**63), 2**63 - 1), min_size=case.n, max_size=case.n, unique=True).map(
            lambda ids: np.array(ids, np.int64)
        ),
        "range": st.integers(-5, 2**40).map(lambda first: range(first, first + case.n)),
    }
    names = data.draw(kinds[data.draw(st.sampled_from(list(kinds)))])
    places = data.draw(st.none() | st.just(np.random.default_rng(1).normal(size=(case.n, 2))))
    graph = Graph.from_arcs(*case.arrays(), n=case.n, undirected=undirected, names=names, coordinates=places)
    again = keep_all(graph)
    assert same(graph, again)
    assert type(again.names) is type(graph.names)
    assert write_bytes(graph, "npz") == write_bytes(again, "npz")


@given(hnp.arrays(float, hnp.array_shapes(min_dims=2, max_dims=2), elements=st.sampled_from([1, 2.5, np.inf])))
def test_cells_are_kept(costs):
    raster = Graph.from_raster(costs)
    for xy in (False, True):
        names = CellNames(costs.shape, raster.names.free, xy)
        graph = Graph(raster.offsets, raster.arcs, Vertices(raster.n, names), undirected=True)
        again = keep_all(graph)
        assert same(graph, again) and again.names == names and isinstance(again.names, CellNames)
        assert again.undirected and write_bytes(graph, "npz") == write_bytes(again, "npz")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cells": [2, 2]}, ["rows, columns"]),
        ({"cells": [2.0, 2.0, 0.0]}, ["rows, columns"]),
        ({"cells": [-2, -2, 0]}, ["rows, columns"]),
        ({"cells": [2, 2, 7]}, ["rows, columns"]),
        ({"cells": [1, 2, 0]}, ["3 vertices"]),
        ({"cells": [2**40, 2**40, 0]}, ["3 vertices"]),
        ({"cells_free": None}, ["3 vertices"]),
        ({"cells_free": [0, 1]}, ["3 vertices"]),
        ({"cells_free": [0, 2, 1]}, ["ascending"]),
        ({"cells_free": [0, 1, 1]}, ["ascending"]),
        ({"cells_free": [-1, 0, 1]}, ["ascending"]),
        ({"cells_free": [[0, 1, 2]]}, ["ascending"]),
        ({"cells_free": [0.0, 1.0, 2.0]}, ["ascending"]),
        ({"cells_free": [0, 1, 4]}, ["3 vertices"]),
    ],
)
def test_edited_cells_are_checked_again(changes, words):
    whole = write_bytes(Graph.from_raster([[1, 2], [3, np.inf]]), "npz")
    changes = {key: None if value is None else np.asarray(value) for key, value in changes.items()}
    with refused("edited.npz", *words):
        read_bytes(rewritten(whole, **changes), "edited.npz")


@pytest.mark.parametrize("format", ["edges", "parquet", "arrow", "graphml", "dimacs"])
def test_other_formats_refuse_cells(format):
    graph = Graph.from_raster([[1, 2]])
    with refused(
        "the cells of a raster", f"{format!r} cannot hold", "Write 'npz', or use lossy=True", error=OptionError
    ):
        write_bytes(graph, format)
    again = read_bytes(write_bytes(graph, format, lossy=True), "graph", format=format)
    assert again.n == 2 and again.weights.tolist() == graph.weights.tolist()


def test_whole_numbers_in_a_tuple_come_back_as_numbers():
    graph = keep_all(Graph.from_arcs([0], [1], names=[30, -(2**63)]))
    assert tuple(graph.names) == (30, -(2**63)) and graph.index(30) == 0


@pytest.mark.parametrize("names", [["a", 1], [("x", 1), "b"], [2**63, 1], [1.5, "b"], [True, False]])
def test_other_names_are_refused(names):
    with refused("str", "names=[str(name)", error=FileError):
        write_bytes(Graph.from_arcs([0], [1], names=names), "npz")


def test_numpy_reads_our_files():
    with np.load(io.BytesIO(OWN)) as file:
        assert file["nearfar_graph"] == 1 and file["undirected"]
        assert file["heads"].tolist() == SMALL.heads.tolist() and file["weights"].dtype == np.float64


@pytest.mark.parametrize("ending", ["npz", "npz.gz", "npz.xz", "npz.zst", "npz.bz2"])
def test_files_may_be_compressed(tmp_path, ending):
    path = tmp_path / f"graph.{ending}"
    nearfar.write(SMALL, path)
    assert same(nearfar.read(path), SMALL)


def test_weights_may_be_left_out():
    assert read_bytes(OWN, "a.npz", weight=False).weights is None
    for options in ({"undirected": True}, {"weight": "w"}):
        with refused("a.npz", "do not apply", error=OptionError):
            read_bytes(OWN, "a.npz", **options)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"offsets": [0, 1, 2, 3]}, ["heads"]),
        ({"offsets": [0, 4, 1, 5]}, ["offsets fall"]),
        ({"offsets": [[0, 1]]}, ["offsets"]),
        ({"offsets": np.array([0.0, 1, 2, 5])}, ["offsets"]),
        ({"offsets": []}, ["offsets is empty"]),
        ({"offsets": None}, ["offsets is missing"]),
        ({"heads": [0, 1, 2, 3, 9]}, ["heads"]),
        ({"heads": None}, ["heads is missing"]),
        ({"heads": np.array([1, 0, 2, 1, -1])}, ["-1"]),
        ({"weights": [1.0, np.nan, 1, 1, 1]}, ["nan"]),
        ({"weights": [1.0]}, ["Lengths disagree"]),
        ({"weights": ["a"] * 5}, ["weights are"]),
        ({"weights": [9.5, 1.5, 2, 2, 4]}, ["undirected is True", "no reverse arc"]),
        ({"undirected": 7}, ["one bool"]),
        ({"undirected": None}, ["undirected is missing"]),
        ({"coordinates": np.zeros((3, 3))}, ["shape (3, 3)"]),
        ({"coordinates": np.full((3, 2), np.inf)}, ["finite"]),
        ({"coordinates": [["a", "b"]] * 3}, ["not numbers"]),
        ({"nearfar_graph": 2}, ["version 2", "newer"]),
        ({"nearfar_graph": "1"}, ["version '1'"]),
        ({"nearfar_graph": [1, 1]}, ["version [1, 1]"]),
        ({"names_ends": None}, ["names_ends"]),
        ({"names_ends": np.array([5, 3, 5])}, ["do not cut"]),
        ({"names_ends": np.array([1, 2, 3])}, ["do not cut"]),
        ({"names_ends": np.array([1, 5])}, ["2 names for 3"]),
        ({"names_text": np.array([255, 65], np.uint8)}, ["UTF-8"]),
        ({"names": np.array([1, 2, 2])}, ["twice"]),
        ({"names": np.array([1, 2])}, ["2 names for 3"]),
        ({"names": np.array([1.0, 2, 3])}, ["float64"]),
        ({"names": np.array([1, 2, 2**63], np.uint64)}, ["int64"]),
        ({"names_from": 2**63 - 2, "names_text": None}, ["beyond"]),
        ({"names_from": [1], "names_text": None}, ["one whole number"]),
    ],
)
def test_edited_files_are_checked_again(changes, words):
    changes = {key: None if value is None else np.asarray(value) for key, value in changes.items()}
    with refused("edited.npz", *words):
        read_bytes(rewritten(OWN, **changes), "edited.npz")


def test_parallel_edges_may_lie_in_another_order():
    graph = Graph.from_arcs([0, 0, 0], [1, 1, 1], [3, 1, 2], undirected=True)
    swapped = rewritten(write_bytes(graph.without_rows(), "npz"), weights=np.array([3, 1, 2, 1, 2, 3], np.int32))
    assert read_bytes(swapped, "a.npz").undirected
    plain = rewritten(write_bytes(Graph.from_arcs([0], [1], undirected=True), "npz"), heads=np.array([1, 1], np.int32))
    with refused("a.npz", "no reverse arc"):
        read_bytes(plain, "a.npz")


# arcs by key


@pytest.mark.parametrize("compressed", [False, True])
def test_arcs_under_usual_keys(compressed):
    graph = read_bytes(archive(compressed, **ARCS), "a.npz")
    assert same(graph, Graph.from_arcs([0, 1, 2], [1, 2, 0], [5, 6, 7], n=4))
    other = {"tails": ARCS["src"], "heads": ARCS["dst"], "weights": ARCS["w"]}
    assert same(read_bytes(archive(compressed, **other), "a.npz"), Graph.from_arcs([0, 1, 2], [1, 2, 0], [5, 6, 7]))


def test_options_of_arcs():
    data = archive(**ARCS | {"directed": False, "w2": [0.5, 0.25, 0.125]})
    assert read_bytes(data, "a.npz").undirected
    assert not read_bytes(data, "a.npz", undirected=False).undirected
    assert read_bytes(data, "a.npz", weight="w2").max_weight == 0.5
    assert read_bytes(data, "a.npz", weight=False).weights is None
    with refused("a.npz", "'w3'", "w2", error=OptionError):
        read_bytes(data, "a.npz", weight="w3")


def test_places_of_arcs():
    degrees = read_bytes(archive(**ARCS, lat=[1.0, 2, 3, 4], lon=[5.0, 6, 7, 8]), "a.npz")
    assert degrees.coordinates.tolist() == [[5, 1], [6, 2], [7, 3], [8, 4]]
    millionths = read_bytes(archive(**ARCS, lat_e6=[1, 2, 3, 4], lon_e6=[5, 6, 7, 8]), "a.npz")
    assert millionths.coordinates[0].tolist() == [5e-6, 1e-6]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"src": [0, 1]}, ["Lengths disagree"]),
        ({"src": [0, 1, 9]}, ["is 9", "4 vertices"]),
        ({"src": [0, 1, -1]}, ["is -1"]),
        ({"src": [0.0, 1, 2]}, ["whole numbers"]),
        ({"src": [[0, 1, 2]]}, ["one dimension"]),
        ({"w": [1, 2]}, ["Lengths disagree"]),
        ({"w": [1, np.nan, 2]}, ["nan"]),
        ({"w": [1j, 2, 3]}, ["complex"]),
        ({"n": [1, 2]}, ["n is", "one number"]),
        ({"n": 2**40}, ["2**31 - 1"]),
        ({"n": -1}, ["n is -1"]),
        ({"n": "4"}, ["one number"]),
        ({"directed": "no"}, ["directed is"]),
        ({"lat": [1.0, 2], "lon": [1.0, 2]}, ["coordinates have shape"]),
        ({"lat": [1.0, 2], "lon": [1.0]}, ["one per vertex"]),
        ({"lat": ["a"] * 4, "lon": [1.0, 2, 3, 4]}, ["must be numbers"]),
    ],
)
def test_arcs_that_are_no_graph(changes, words):
    with refused("a.npz", *words):
        read_bytes(archive(**ARCS | changes), "a.npz")


def test_other_keys_are_listed():
    with refused("a.npz", "'left', 'right'", "Save src and dst"):
        read_bytes(archive(left=[1], right=[2]), "a.npz")


# files that lie


def test_pickles_are_never_loaded():
    class Trap:
        def __reduce__(self):
            return pytest.fail, ("a pickle was loaded",)

    data = archive(**ARCS, extra=np.array([Trap()], object))
    with refused("a.npz", "pickled", "never loaded"):
        read_bytes(data, "a.npz")
    with refused("a.npz", error=nearfar.NearfarError):
        read_bytes(pickle.dumps([1, 2]), "a.npz")


def member(header, data=b"", **changes):
    """Return an archive with one member that says ``header`` of itself."""
    body = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", changes.get("method", zipfile.ZIP_STORED)) as packed:
        packed.writestr("src.npy", body)
    return file.getvalue()


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000,)}",
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (-1,)}",
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (10000000000000000000000,)}",
        b"{'descr': '|V0', 'fortran_order': False, 'shape': (10000000000000000000000,)}",
        b"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        b"{'descr': 'nonsense', 'fortran_order': False, 'shape': (1,)}",
        b"{'descr': [('a', '<i4'), ('b', '<i4')], 'fortran_order': False, 'shape': (0,)}",
        b"{'descr': '<i8'}",
        b"[[[[" * 900,
        b"\xff\xfe",
        b"",
    ],
)
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_headers_that_lie_allocate_nothing(header, method):
    tracemalloc.start()
    try:
        with refused("a.npz"):
            read_bytes(member(header, b"12345678", method=method), "a.npz")
        assert tracemalloc.get_traced_memory()[1] < 1e8
    finally:
        tracemalloc.stop()


def test_sizes_that_lie_allocate_nothing():
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (4000000000,)}"
    data = bytearray(member(header, b"1", method=zipfile.ZIP_DEFLATED))
    central = data.index(b"PK\x01\x02")
    data[central + 24 : central + 28] = (4_000_000_000 + 10 + len(header)).to_bytes(4, "little")
    with refused("a.npz", "claims"):
        read_bytes(bytes(data), "a.npz")


def test_archives_of_other_things():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("readme.txt", "hello")
    with refused("a.npz", "readme.txt", ".npy"):
        read_bytes(file.getvalue(), "a.npz")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as packed:
        packed.writestr("src.npy", "hello")
    with refused("a.npz", "numpy.savez"):
        read_bytes(file.getvalue(), "a.npz")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w"):
        pass
    with refused("a.npz", "keys []"):
        read_bytes(file.getvalue(), "a.npz")


@pytest.mark.parametrize("accident", BROKEN)
@pytest.mark.parametrize("whole", [OWN, archive(**ARCS), archive(True, **ARCS)], ids=["own", "arcs", "packed"])
def test_broken_files(accident, whole):
    with refused("a.npz"):
        read_bytes(broken(whole)[accident], "a.npz", format="npz")


@given(st.sampled_from([OWN, archive(**ARCS), archive(True, **ARCS)]).flatmap(damaged))
def test_damaged_files(data):
    survives(data, "a.npz", format="npz")


# real graphs

NAMES = ["osm-saopaulo", "sc-world_highways", "sc-us_freeway", "osm-andorra", "openflights", "andorra-energy"]
NAMES += ["snap-ego-twitter-undirected", "snap-arxiv-cit-hep-ph", "snap-facebook-combined", "snap-as-caida20071105"]
NAMES += ["gt-astro-ph", "gt-power"]


@needs_jit
@pytest.mark.parametrize("name", NAMES)
def test_real_graphs(name):
    graph, raw = agrees(f"{name}.npz")
    lon = raw["lon"] if "lon" in raw else raw["lon_e6"] / 1e6 if "lon_e6" in raw else None
    assert (graph.coordinates is None) == (lon is None)
    assert lon is None or (graph.coordinates[:, 0] == lon).all()
    assert same(keep_all(graph), graph)


def test_a_real_second_weight():
    seconds, metres = (nearfar.read(real("osm-andorra.npz"), weight=key) for key in ("w", "w2"))
    assert (metres.heads == seconds.heads).all() and (metres.weights > 2 * seconds.weights).all()
