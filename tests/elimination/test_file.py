"""Prepared graphs in files: what was saved comes back exactly; anything else is refused before a kernel sees it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from dataclasses import fields
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.damage import BROKEN, broken, damaged, refused
from helpers.marks import JIT, child_environment
from nearfar import Graph
from nearfar.elimination import build, core, file
from nearfar.elimination import eliminate as order
from nearfar.errors import FileError, FormatError, InputTypeError, MissingFileError, NearfarError


def road(weights="int32", side=8):
    """Return a small road network with weights of some type."""
    graph = nearfar.generate.road_grid(side, side, seed=4)
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    height = 5000 * (np.arange(graph.n) % 7)
    kinds = {
        "int32": lambda w: w,
        "int64": lambda w: w.astype(np.int64) << 36,
        "negative": lambda w: w + height[tails] - height[graph.heads],
        "none": lambda w: None,
    }
    changed = kinds.get(weights, lambda w: (w / 8).astype(weights))(graph.weights)
    return Graph.from_arcs(tails, graph.heads, changed, n=graph.n)


def tangle():
    """Return a graph that is pruned, and that has a core where elimination may not go far."""
    rng = np.random.default_rng(2)
    return Graph.from_arcs(*rng.integers(0, 60, (2, 900)), rng.integers(1, 1000, 900), n=60)


@pytest.fixture
def little_elimination(monkeypatch):
    """Leave a core in small graphs."""
    monkeypatch.setattr(order, "ELIMINATE_ALWAYS", 1)
    monkeypatch.setattr(build, "eliminate", lambda g, budget, *rest, **more: order.eliminate(g, 50, *rest, **more))
    monkeypatch.setattr(core, "CLOSED_CORE", 0)


GRAPHS = {kind: lambda kind=kind: road(kind) for kind in ("int32", "int64", "float32", "float64", "none")} | {
    "tangle": tangle,
    "undirected": lambda: Graph.from_arcs([0, 1, 2, 3], [1, 2, 3, 0], [1, 2, 3, 4], n=5, undirected=True),
    "no arcs": lambda: Graph.from_arcs([], [], n=3),
    "nothing": lambda: Graph.from_arcs([], [], n=0),
}


def saved(prepared):
    """Return the bytes of a prepared graph."""
    held = io.BytesIO()
    prepared.save(held)
    return held.getvalue()


def loaded(data, graph, name="held.prepared"):
    """Load a prepared graph from bytes."""
    held = io.BytesIO(data)
    held.name = name
    return nearfar.load_prepared(held, graph)


def fields_of(name, part):
    """Return the fields of a part, without caches."""
    return {f"{name} {field.name}": getattr(part, field.name) for field in fields(part) if field.compare}


def arrays_of(prepared):
    """Return everything that answers depend on, as bytes."""
    h = prepared.hierarchy
    parts = fields_of("layout", h.layout) | fields_of("structure", h.structure) | fields_of("shortcuts", h.shortcuts)
    parts |= {"arcs": h.graph.arcs, "offsets": h.graph.offsets}
    if isinstance(h.core, core.ClosedCore):
        parts |= {"matrix": h.core.matrix, "arcs of the core": len(h.core.heads)}
    elif h.core is not None:
        parts |= {f"core {k}": v for k, v in vars(h.core).items() if isinstance(v, np.ndarray)}
    facts = h.high, h.pruned, h.by_rows, h.shortcuts.symmetric, h.layout.core, h.layout.infinity, h.layout.limit
    return {key: (np.asarray(v).dtype, np.asarray(v).tobytes()) for key, v in parts.items()}, facts


@pytest.mark.parametrize("name", GRAPHS)
def test_there_and_back(name, tmp_path):
    graph = GRAPHS[name]()
    prepared = nearfar.prepare(graph)
    path = tmp_path / "graph.prepared"
    prepared.save(path)
    again = nearfar.load_prepared(path, graph)
    assert arrays_of(again) == arrays_of(prepared)
    if graph.n:
        assert again.apsp().dist.tobytes() == prepared.apsp().dist.tobytes()
        assert again.path(0, 0) == [0] and again.distance(0, graph.n - 1) == prepared.distance(0, graph.n - 1)
        assert again.table([0], range(graph.n)).rows.tobytes() == prepared.table([0], range(graph.n)).rows.tobytes()
    assert again.describe()["bytes"] == prepared.describe()["bytes"] and again.describe()["seconds"] > 0
    assert saved(again) == path.read_bytes()


def test_a_core_that_was_pruned(little_elimination):
    graph = tangle()
    prepared = nearfar.prepare(graph)
    assert prepared.hierarchy.pruned and prepared.hierarchy.core is not None
    again = loaded(saved(prepared), graph)
    assert arrays_of(again) == arrays_of(prepared)
    assert (again.apsp().dist == nearfar.apsp(graph, method="dijkstra").dist).all()
    assert again.path(0, 50) == prepared.path(0, 50)


@pytest.mark.parametrize("make", [tangle, lambda: road("none"), lambda: road("float32")])
def test_a_core_that_is_closed(make, little_elimination, monkeypatch):
    monkeypatch.setattr(core, "CLOSED_CORE", 4096)
    monkeypatch.setattr(core, "CLOSED_SHARE", 0)
    graph = make()
    prepared = nearfar.prepare(graph)
    assert isinstance(prepared.hierarchy.core, core.ClosedCore)
    data = saved(prepared)
    again = loaded(data, graph)
    assert arrays_of(again) == arrays_of(prepared)
    assert again.describe()["core_arcs"] == prepared.describe()["core_arcs"]
    assert again.apsp().dist.tobytes() == prepared.apsp().dist.tobytes()
    matrix = prepared.hierarchy.core.matrix
    for changes in ({"core_matrix": matrix[1:]}, {"core_matrix": matrix.astype("i1")}, {"core_arcs": np.int64(-1)}):
        with refused("no prepared graph"):
            loaded(changed(data, **changes), graph)


def test_negative_weights_and_reweighted():
    graph = road("negative").without_rows()
    assert graph.min_weight < 0
    prepared = nearfar.prepare(graph)
    again = loaded(saved(prepared), graph)
    assert arrays_of(again) == arrays_of(prepared)
    weights = graph.weights + 100
    assert not prepared.hierarchy.shortcuts.symmetric
    changed = again.reweight(weights)
    assert changed.apsp().dist.tobytes() == prepared.reweight(weights).apsp().dist.tobytes()
    assert arrays_of(loaded(saved(changed), changed.graph)) == arrays_of(changed)
    with refused("another graph"):
        loaded(saved(changed), graph)


def test_equal_graphs_give_equal_files_and_names_do_not_matter():
    graph = road()
    data = saved(nearfar.prepare(graph))
    assert data == saved(nearfar.prepare(road()))
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    named = Graph.from_arcs(tails, graph.heads, graph.weights, names=[f"v{v}" for v in range(graph.n)])
    assert loaded(data, named).distance("v0", "v9") == nearfar.distance(graph, 0, 9)


@pytest.mark.parametrize("ending", [".npz", ".prepared", "", ".gz", ".xz"])
def test_any_ending(ending, tmp_path):
    graph = road()
    prepared, path = nearfar.prepare(graph), tmp_path / f"file{ending}"
    prepared.save(str(path))
    assert arrays_of(nearfar.load_prepared(str(path), graph)) == arrays_of(prepared)


PROGRAM = """
import sys, nearfar
graph = nearfar.generate.road_grid(8, 8, seed=4)
if sys.argv[1] == "save":
    nearfar.prepare(graph).save(sys.argv[2])
else:
    print(nearfar.load_prepared(sys.argv[2], graph).row_sums().tolist())
"""


def test_between_processes(tmp_path):
    """What one process saves, another loads, in both directions."""
    graph, paths = road(), [str(tmp_path / name) for name in ("there", "back")]

    def run(*arguments):
        command = [sys.executable, "-c", PROGRAM, *arguments]
        return subprocess.run(
            command, env=child_environment(), check=True, capture_output=True, text=True, timeout=300
        ).stdout

    run("save", paths[0])
    here = nearfar.load_prepared(paths[0], graph)
    here.save(paths[1])
    assert eval(run("load", paths[1])) == here.row_sums().tolist() == nearfar.prepare(graph).row_sums().tolist()


def test_another_graph():
    graph = road()
    data = saved(nearfar.prepare(graph))
    weights = graph.weights.copy()
    weights[7] += 1
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    others = [
        Graph.from_arcs(tails, graph.heads, weights, n=graph.n),
        Graph.from_arcs(tails, graph.heads, graph.weights, n=graph.n + 1),
        Graph.from_arcs(tails, graph.heads, graph.weights.astype(float), n=graph.n),
        Graph.from_arcs(tails, graph.heads, None, n=graph.n),
        graph.reverse() if not np.array_equal(graph.reverse().arcs, graph.arcs) else road(side=9),
        Graph.from_arcs([], [], n=0),
    ]
    for other in others:
        with refused("held.prepared", "another graph", f"{other.n} vertices and {other.m} arcs", "prepare this one"):
            loaded(data, other)
    with pytest.raises(InputTypeError):
        nearfar.load_prepared(io.BytesIO(data), None)


def changed(data, fresh=True, **changes):
    """Return a file with other arrays (None: without), and a digest that is right again if ``fresh``."""
    with np.load(io.BytesIO(data)) as found:
        arrays = {key: found[key] for key in found.files}
    for key, value in changes.items():
        arrays[key] = value
    arrays = {key: value for key, value in arrays.items() if value is not None}
    if fresh:
        digest = arrays.pop("digest", None)
        arrays["digest"] = digest if "digest" in changes else file._digest(arrays)
    held = io.BytesIO()
    np.savez(held, **arrays)
    return held.getvalue()


@pytest.mark.parametrize("version", [np.int64(1), np.int64(3), np.array([2]), np.array("2"), np.float64(2)])
def test_other_versions(version):
    graph = road()
    data = saved(nearfar.prepare(graph))
    with refused("version", f"version {file.VERSION} is read here", "save it again"):
        loaded(changed(data, **{file.MARK: version}), graph)


def test_other_archives(tmp_path):
    graph = road()
    path = tmp_path / "graph.npz"
    nearfar.write(graph, path)
    with refused("graph.npz", "not of a prepared graph", "Prepared.save"):
        nearfar.load_prepared(path, graph)
    nearfar.prepare(graph).save(path)  # and the reverse
    with refused("graph.npz", "not those of a graph"):
        nearfar.read(path)


DIGEST = {
    "none": {"digest": None},
    "zeros": {"digest": np.zeros(32, np.uint8)},
    "short": {"digest": np.zeros(3, np.uint8)},
    "more": {"extra": np.arange(3)},
    "weight": {"outs": np.ones(3)},
    "key": {"ins": None, "inz": np.ones(3)},
}


@pytest.mark.parametrize("name", DIGEST)
def test_digest(name):
    graph = road("none")
    with refused("damaged", "digest"):
        loaded(changed(saved(nearfar.prepare(graph)), fresh=False, **DIGEST[name]), graph)


def forged(arrays):
    """Return changes that the digest does not reveal, since it is computed again; kernels could not cope with them."""
    n = len(arrays["ranks"])
    degrees, heads, ranks = (arrays[key] for key in ("degrees", "heads", "ranks"))
    last = np.flatnonzero(degrees > 1)[-1]
    at = int(np.cumsum(degrees)[last])  # where the heads of `last` end

    def put(array, where, value):
        out = array.copy()
        out[where] = value
        return out

    swapped = put(heads, [at - 2, at - 1], heads[[at - 1, at - 2]])
    yield from ({key: None} for key in ("core", "ranks", "degrees", "heads", "outs", "keep", "by_rows"))
    yield from ({key: arrays[key][:-1]} for key in ("ranks", "degrees", "heads", "outs", "ins", "keep"))
    yield from ({key: arrays[key].astype(float)} for key in ("ranks", "degrees", "heads", "outs", "keep", "core"))
    yield from ({key: arrays[key][None]} for key in ("core", "ranks", "heads", "outs", "fingerprint"))
    yield from ({"core": np.int64(core)} for core in (-1, n + 1))
    yield from ({"ranks": put(ranks, 3, value)} for value in (-1, n, ranks[4]))
    yield from ({"heads": put(heads, at - 1, value)} for value in (-1, n, last, heads[at - 2]))
    yield {"heads": swapped}
    yield {"degrees": put(degrees, [last, last - 1], [degrees[last] + 1, degrees[last - 1] - 1])}
    yield {"degrees": put(degrees, [2, last], [-1, degrees[last] + degrees[2] + 1])}
    yield {"keep": put(arrays["keep"], 5, 4)}
    yield {"ranks": ranks.astype(">i4")}
    yield {"heads": np.sort(heads)[::-1].copy()}


def test_forged():
    graph = road("negative")
    data = saved(nearfar.prepare(graph))
    with np.load(io.BytesIO(data)) as found:
        arrays = {key: found[key] for key in found.files}
    assert arrays_of(loaded(changed(data), graph)) == arrays_of(nearfar.prepare(graph))
    for changes in forged(arrays):
        with refused("held.prepared", "no prepared graph", "save it again"):
            loaded(changed(data, **changes), graph)


def test_forged_trees():
    """Heads that ascend but are no ancestors, and ranks that are no preorder."""
    graph = Graph.from_arcs([0, 1, 2, 3], [1, 2, 3, 4], [1, 1, 1, 1], n=5)
    data = saved(nearfar.prepare(graph))
    one, two = np.ones(4, np.int8), np.full(4, 3, np.uint8)
    mixed = {"degrees": np.array([0, 1, 1, 1, 1], np.int8), "heads": np.array([0, 0, 1, 2], np.int32)}
    strange = {"degrees": np.array([0, 1, 1, 2, 0], np.int8), "heads": np.array([0, 0, 1, 2], np.int32)}
    for tree in (mixed, strange):
        with refused("mixed up"):
            loaded(changed(data, **tree, outs=one, ins=one, keep=two), graph)


def test_forged_core(little_elimination):
    graph = tangle()
    data = saved(nearfar.prepare(graph))
    with np.load(io.BytesIO(data)) as found:
        arrays = {key: found[key] for key in found.files}
    for part, n in (("core", int(arrays["core"])), ("left", graph.n)):
        offsets, heads, weights = (f"{part}_{key}" for key in ("offsets", "heads", "weights"))
        many = arrays[heads].copy()
        many[0] = n
        fallen = arrays[offsets].copy()
        fallen[1] = fallen[-1] + 1
        for changes in (
            {heads: many}, {heads: many - n - 1}, {offsets: fallen}, {offsets: fallen[:-1]}, {weights: None},
            {offsets: arrays[offsets] + 1}, {weights: arrays[weights][:-1]}, {weights: arrays[weights].astype("f2")},
            {heads: None},
        ):  # fmt: skip
            with refused("no prepared graph"):
                loaded(changed(data, **changes), graph)
    with refused("no prepared graph"):
        loaded(changed(data, core_offsets=None), graph)


def survives(data, graph, wanted):
    """Load a damaged file: it is refused by an error that names it, or the damage changes nothing."""
    try:
        found = loaded(data, graph)
    except NearfarError as error:
        assert "held.prepared" in str(error)
        return False
    assert arrays_of(found) == wanted
    return True


@pytest.mark.parametrize("kind", BROKEN)
def test_broken(kind):
    graph = road(side=4)
    with pytest.raises(FormatError, match=r"held\.prepared"):
        loaded(broken(saved(nearfar.prepare(graph)))[kind], graph)


def test_cut_off_anywhere():
    graph = road(side=4)
    data = saved(nearfar.prepare(graph))
    for end in range(0, len(data), 1 + len(data) // 150):
        with pytest.raises(FormatError, match=r"held\.prepared"):
            loaded(data[:end], graph)


def test_a_byte_changed_anywhere():
    graph = road(side=3)
    prepared = nearfar.prepare(graph)
    data, wanted = bytearray(saved(prepared)), arrays_of(prepared)
    harmless = 0
    offsets = range(0, len(data), 3 if JIT else 23)
    for at in offsets:
        data[at] ^= 0x41
        harmless += survives(bytes(data), graph, wanted)
        data[at] ^= 0x41
    assert harmless < len(offsets) / 2  # times, permissions and the like


@lru_cache(maxsize=1)
def small():
    """Return a small graph, its file and what is in it."""
    graph = road(side=3)
    prepared = nearfar.prepare(graph)
    return graph, saved(prepared), arrays_of(prepared)


@settings(max_examples=100 if JIT else 25)
@given(data=st.data())
def test_accidents(data):
    graph, file, wanted = small()
    survives(data.draw(damaged(file)), graph, wanted)


@settings(max_examples=20)
@given(data=st.data())
def test_packed_again(data):
    """Compressed by another tool, and with its parts in another order, a file is refused or the same."""
    graph, file, wanted = small()
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    names = data.draw(st.permutations(list(members)))
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, members[name])
    survives(held.getvalue(), graph, wanted)


def test_missing_and_folders(tmp_path):
    graph = road()
    prepared = nearfar.prepare(graph)
    with refused("gone.prepared", "does not exist", error=MissingFileError):
        nearfar.load_prepared(tmp_path / "gone.prepared", graph)
    with refused("folder", error=FileError):
        nearfar.load_prepared(tmp_path, graph)
    with refused("folder", error=FileError):
        prepared.save(tmp_path)
    with refused("folder", error=MissingFileError):
        prepared.save(tmp_path / "none" / "x.prepared")
    for wrong in (None, 7, b"x"):
        with pytest.raises(InputTypeError):
            prepared.save(wrong)
        with pytest.raises(InputTypeError):
            nearfar.load_prepared(wrong, graph)


def test_overwriting(tmp_path):
    path = tmp_path / "x.prepared"
    for side in (8, 4):
        graph = road(side=side)
        nearfar.prepare(graph).save(path)
        assert nearfar.load_prepared(path, graph).graph is graph
    assert os.listdir(tmp_path) == ["x.prepared"]


@pytest.mark.parametrize("trouble", [KeyboardInterrupt(), OSError(28, "No space left on device")], ids=["stop", "full"])
def test_trouble_while_saving_leaves_the_old_file(trouble, tmp_path, monkeypatch):
    path, graph = tmp_path / "x.prepared", road()
    prepared = nearfar.prepare(graph)
    prepared.save(path)
    before, write, calls = path.read_bytes(), zipfile.ZipFile.open, []

    def fail(*arguments, **options):
        calls.append(1)
        if len(calls) == 5:
            raise trouble
        return write(*arguments, **options)

    monkeypatch.setattr(zipfile.ZipFile, "open", fail)
    with pytest.raises(KeyboardInterrupt if isinstance(trouble, KeyboardInterrupt) else FileError):
        prepared.save(path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["x.prepared"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device here that is always full")
def test_a_full_device():
    with refused("/dev/full", "No space left", error=FileError):
        nearfar.prepare(road()).save("/dev/full")
