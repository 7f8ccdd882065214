"""SParry's calls: every combination of parameters against the oracle, all kinds of input, its errors, its picture."""

from __future__ import annotations

import inspect
import itertools
import re
import sys

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import nearfar
from helpers.oracle import dijkstra, predecessors
from nearfar import errors
from nearfar.adapters import sparry
from nearfar.adapters.sparry import INF, calc, device, drawing, read
from nearfar.devices import DEVICES

METHODS = ("dij", "spfa", "delta", "edge", "fw")
N = 8
ARCS = [(0, 1, 4), (0, 2, 0), (2, 1, 3), (1, 3, 2), (3, 3, 5), (3, 4, 7), (2, 4, 9), (4, 0, 1), (1, 3, 6), (5, 6, 2)]
ARCS += [(6, 5, 0), (4, 7, 0), (7, 4, 0)]
EDGES = tuple(np.array(part) for part in zip(*ARCS, strict=True))
SOURCES = (3, np.int32(0), np.array(6), [5], [4, 0, 4], (1, 2), np.array([7, 3]), range(2), None)
NO_OPENCL = DEVICES["opencl"].missing()


def rows_of_arcs(n, arcs):
    """Return (V, E, W)."""
    arcs = sorted(arcs, key=lambda arc: arc[0])
    offsets = np.concatenate(([0], np.cumsum(np.bincount([u for u, _, _ in arcs], minlength=n))))
    return [offsets, np.array([v for _, v, _ in arcs]), np.array([w for _, _, w in arcs])]


def matrix_of(n, arcs):
    matrix = np.full((n, n), INF)
    for u, v, w in arcs:
        matrix[u, v] = min(matrix[u, v], w)
    return matrix


def text_of(n, arcs):
    return f"{n} {len(arcs)}\n" + "".join(f"{u} {v} {w}\n" for u, v, w in arcs)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "graph.txt"
    path.write_text(text_of(N, ARCS))
    return path


@pytest.fixture
def inputs(file):
    """The same arcs in every kind of input; the file also as edges."""
    return {
        "CSR": ({"CSR": rows_of_arcs(N, ARCS)}, ARCS),
        "matrix": ({"matrix": matrix_of(N, ARCS)}, ARCS),
        "edgeSet": ({"edgeSet": EDGES}, ARCS),
        "file of arcs": ({"filename": str(file), "directed": True}, ARCS),
        "file of edges": ({"filename": file}, ARCS + [(v, u, w) for u, v, w in ARCS]),
    }


def listed(sources):
    return list(range(N)) if sources is None else np.atleast_1d(sources).tolist()


def flat_answer(n, arcs, sources):
    """Return the distances and the predecessors as SParry lays them out."""
    rows = [dijkstra(n, arcs, [s]) for s in sources]
    dist = [INF if d is None else d for row in rows for d in row]
    return dist, [p for s, row in zip(sources, rows, strict=True) for p in predecessors(n, arcs, row, [s])]


@pytest.mark.parametrize("kind", ["CSR", "matrix", "edgeSet", "file of arcs", "file of edges"])
@pytest.mark.parametrize("method", METHODS)
def test_all_combinations(inputs, method, kind):
    given, arcs = inputs[kind]
    graph = read(**given, method=method)
    for sources, cuda, several, record in itertools.product(SOURCES, (None, False), (False, True), (False, True)):
        result = calc(graph, cuda, several, record, sources, (1024, 1, 1), (1, 1))
        dist, path = flat_answer(N, arcs, listed(sources))
        assert result.dist.dtype == np.int32 and result.dist.tolist() == dist
        assert (result.path is not None) == record
        result.calcPath()
        assert result.path.dtype == np.int64 and result.path.tolist() == path
        assert result.graph is graph and result.memoryCost is None
        assert re.fullmatch(r"\d+\.\d+ sec", result.timeCost) and result.timeCostNum >= 0


@hypothesis.given(st.data())
def test_random_graphs(data):
    n = data.draw(st.integers(1, 7))
    vertex, weight = st.integers(0, n - 1), st.sampled_from([0, 0, 1, 2, 5, 1000, INF])
    arcs = data.draw(st.lists(st.tuples(vertex, vertex, weight), max_size=15))
    method, sources = data.draw(st.sampled_from(METHODS)), data.draw(st.lists(vertex, min_size=1, max_size=3))
    kind = data.draw(st.sampled_from(["CSR", "matrix"]))
    graph = read(**{kind: rows_of_arcs(n, arcs) if kind == "CSR" else matrix_of(n, arcs)}, method=method)
    result = calc(graph, srclist=sources, pathRecordBool=True)
    dist, path = flat_answer(n, [arc for arc in arcs if arc[2] < INF], sources)
    assert (result.dist.tolist(), result.path.tolist()) == (dist, path)


def test_signatures():
    """SParry's parameters come first, in its order, so that positions stay what they were."""
    wanted = ["CSR", "matrix", "edgeSet", "filename", "method", "detail", "directed", "delta"]
    assert list(inspect.signature(read).parameters) == wanted
    wanted = ["graph", "useCUDA", "useMultiPro", "pathRecordBool", "srclist", "block", "grid", "namename"]
    assert list(inspect.signature(calc).parameters)[:8] == wanted
    assert inspect.signature(read).parameters["method"].default == "dij"


def test_public_names():
    assert sparry.getINF() == sparry.INF == 2139045759
    for name in sparry.__all__:
        assert getattr(sparry, name) is not None


@pytest.mark.parametrize("method", METHODS)
def test_early_versions(file, method):
    """They gave calc a file or arrays, with the kind and the method."""
    dist, _ = flat_answer(N, ARCS, [0])
    arrays = {"CSR": rows_of_arcs(N, ARCS), "matrix": matrix_of(N, ARCS), "edgeSet": [part.tolist() for part in EDGES]}
    for kind, given in arrays.items():
        assert calc(given, graphType=kind, method=method, useCUDA=False, srclist=0).dist.tolist() == dist
    assert calc(arrays["CSR"], srclist=0).dist.tolist() == dist
    assert calc(str(file), method=method, directed=True, srclist=0).dist.tolist() == dist
    assert calc(str(file), method=method, srclist=0).dist.tolist() != dist


def test_method_and_delta_may_change():
    graph = read(edgeSet=EDGES, method="delta", delta=3)
    assert graph.delta == 3 and calc(graph, srclist=0).distances.plan.method == "delta"
    graph.delta = 50
    assert calc(graph, srclist=0).dist.tolist() == flat_answer(N, ARCS, [0])[0]
    graph.method = "edge"
    assert calc(graph, srclist=0).distances.plan.method == "edge"
    assert calc(graph, srclist=0, method="spfa", threads=1).distances.plan.method == "frontier"
    assert read(edgeSet=EDGES, method="auto").method == "auto"


@pytest.mark.parametrize("method", METHODS)
def test_statistics(inputs, method):
    graph = read(**inputs["edgeSet"][0], method=method, directed=True)
    assert (graph.n, graph.m, graph.MAXW, graph.MINW) == (N, 13, 9, 0)
    assert (graph.MAXD, graph.MAXU, graph.MIND, graph.MINU) == (2, 0, 1, 5)
    assert graph.degree.tolist() == [2, 2, 2, 2, 2, 1, 1, 1] and graph.avgDegree == 13 / 8
    wanted = EDGES if method == "edge" else rows_of_arcs(N, ARCS)
    assert all(np.array_equal(a, b) and a.dtype == np.int32 for a, b in zip(graph.graph, wanted, strict=True))
    assert (
        "degree(5) = 1,\n" in graph.msg and "directed = True,\n" in graph.msg and f"method = {method}.\n" in graph.msg
    )
    assert repr(graph) == f"Graph(n=8, m=13, method={method!r})"


def test_both_arcs_of_an_edge_follow_each_other(inputs):
    graph = read(**inputs["file of edges"][0], method="edge")
    assert graph.m == 26 and graph.directed is False  # a loop counts twice, as in SParry
    assert [part[:4].tolist() for part in graph.graph] == [[0, 1, 0, 2], [1, 0, 2, 0], [4, 4, 0, 0]]


def test_the_diagonal_of_a_matrix_counts():
    graph = read(matrix=[[0, 1], [2, 0]])
    assert (graph.m, graph.MINW) == (4, 0) and calc(graph, srclist=0, pathRecordBool=True).path.tolist() == [-1, 0]


def test_display():
    text = calc(read(edgeSet=EDGES), srclist=0).display()
    lines = [re.sub(r"\s+", " ", line) for line in text.splitlines()]
    assert lines[:3] == [
        "",
        "[+] the number of vertices in the Graph: n = 8,",
        "[+] the number of edges(directed) in the Graph: m = 13,",
    ]
    assert re.fullmatch(r"\[\+\] calc the shortest path timeCost = \d+\.\d+ sec", lines[-1])
    columns = {line.expandtabs().index(line.split("\t")[-1]) for line in text.splitlines()[1:10]}
    assert columns == {56}


def test_values_of_one_array_of_all_numbers():
    """In np.array(edgeSet) vertices become floats if weights are; in an array of objects all are objects."""
    graph = read(edgeSet=np.array([[0, 1], [1, 2], [0.5, 2]]))
    result = calc(graph, srclist=[0, 2])
    assert result.dist.dtype == np.float64 and result.dist.tolist() == [0, 0.5, 2.5, INF, INF, 0]
    ragged = np.empty(3, object)
    ragged[:] = [[0, 1, 2, 2], [1, 2], [3, 4]]
    assert calc(read(CSR=ragged), srclist=0).dist.tolist() == [0, 3, 7]
    square = np.array([[0, 1, 1], [1, 2, 0], [3, 4, 5]], object)
    assert calc(read(edgeSet=square), srclist=0).dist.tolist() == [0, 3, 7]


def test_whole_floats_are_integers():
    matrix = np.array([[0, 3, np.inf], [np.inf, 0, 4], [np.inf, np.inf, 0]])
    result = calc(read(matrix=matrix), srclist=[0, 1])
    assert result.dist.dtype == np.int32 and result.dist.tolist() == [0, 3, 7, INF, 0, 4]
    assert read(CSR=([0, 1, 2, 2], [1, 2], [3.0, np.inf])).m == 1


def test_arcs_of_weight_inf_are_none():
    assert calc(read(edgeSet=[[0, 1], [1, 2], [3, INF]]), srclist=0).dist.tolist() == [0, 3, INF]
    assert calc(read(CSR=[[0, 1, 2, 2], [1, 2], [INF, 3]]), srclist=0).dist.tolist() == [0, INF, INF]
    assert calc(read(matrix=[[0, 2**31 - 1], [INF, 0]]), srclist=0).dist.tolist() == [0, INF]


def test_no_arcs():
    graph = read(matrix=np.full((3, 3), INF))
    assert (graph.m, graph.MAXW, graph.MINW, graph.MAXD) == (0, -1, INF, 0)
    assert calc(graph).dist.tolist() == [0, INF, INF, INF, 0, INF, INF, INF, 0]
    empty = read(edgeSet=[[], [], []])
    assert (empty.n, empty.MAXU, empty.MIND, empty.avgDegree) == (0, -1, INF, 0) and calc(empty).dist.shape == (0,)


def test_all_sums_fit_or_are_refused():
    """SParry adds 1.5e9 twice in 32 bits."""
    graph = read(edgeSet=[[0, 1], [1, 2], [1_500_000_000, 1_500_000_000]])
    assert calc(graph, srclist=1).dist.tolist() == [INF, 0, 1_500_000_000]
    with pytest.raises(errors.DistanceOverflowError, match=r"from 0 to 2 is 3000000000.*to_nearfar"):
        calc(graph, srclist=[1, 0])
    assert nearfar.distance(graph.to_nearfar(), 0, 2) == 3_000_000_000
    long = read(edgeSet=[[0], [1], [2**40]])
    assert long.graph[2].dtype == np.int64 and long.MAXW == 2**40
    with pytest.raises(errors.DistanceOverflowError):
        calc(long, srclist=0)


@pytest.mark.parametrize("method", ["spfa", "edge", "fw"])
def test_negative_weights(method):
    given = [[0, 0, 1], [1, 2, 2], [4, 1, -5]]
    result = calc(read(edgeSet=given, method=method), srclist=0, pathRecordBool=True)
    assert (result.dist.tolist(), result.path.tolist()) == ([0, 4, -1], [-1, 0, 1])
    with pytest.raises(errors.NegativeCycleError):
        calc(read(edgeSet=[[0, 1], [1, 0], [1, -2]], method=method), srclist=0)
    for refused in ("dij", "delta"):
        with pytest.raises(errors.MethodError, match="needs weights >= 0"):
            calc(read(edgeSet=given, method=refused), srclist=0)


def test_a_view_if_all_are_reached():
    """No copy of the rows unless some of them need INF."""
    whole, partly = calc(read(edgeSet=[[0, 1], [1, 0], [1, 2]])), calc(read(edgeSet=[[0], [1], [1]]))
    assert np.shares_memory(whole.dist, whole.distances.rows)
    assert not np.shares_memory(partly.dist, partly.distances.rows)


def test_a_file_without_a_last_newline(tmp_path):
    path = tmp_path / "graph.txt"
    for ending in ("\n", "\r\n"):
        path.write_bytes(text_of(N, ARCS).strip().replace("\n", ending).encode())
        assert read(filename=path).m == 26


WRONG = [
    ({}, errors.OptionError, "there is no graph to read"),
    ({"matrix": [[0]], "edgeSet": EDGES}, errors.OptionError, "both matrix and edgeSet"),
    ({"CSR": "graph.txt"}, errors.InputTypeError, "filename="),
    ({"filename": 7}, errors.InputTypeError, "filename is 7"),
    ({"CSR": 5}, errors.InputTypeError, r"give CSR=\(V, E, W\)"),
    ({"CSR": [[0, 1], [0]]}, errors.GraphError, "CSR has 2 parts"),
    ({"CSR": [[0, 1, 1], [5], [1]]}, errors.GraphError, "5"),
    ({"CSR": [[0, 1, 1], [1], [1, 2]]}, errors.GraphError, "2"),
    ({"edgeSet": ARCS}, errors.GraphError, r"edgeSet has 13 parts.*zip\(\*edges\)"),
    ({"edgeSet": [[0], [1], [1, 2]]}, errors.GraphError, "1 tails, 1 heads and 2 weights"),
    ({"edgeSet": [[0], [-1], [1]]}, errors.GraphError, "-1"),
    ({"edgeSet": [[0.5], [1], [1]]}, errors.InputTypeError, "0.5|float"),
    ({"edgeSet": [[0], [1], [np.nan]]}, errors.GraphError, "(?i)nan"),
    ({"edgeSet": [[0], [1], ["x"]]}, errors.NearfarError, "weights are <U1"),
    ({"edgeSet": [["a"], ["b"], [1]]}, errors.InputTypeError, "names"),
    ({"matrix": [[0, 1]]}, errors.GraphError, r"shape \(1, 2\); give a square one"),
    ({"matrix": [0, 1]}, errors.GraphError, r"shape \(2,\)"),
    ({"filename": "no such file.txt"}, FileNotFoundError, "no such file"),
    ({"edgeSet": EDGES, "method": "dijk"}, errors.OptionError, "'dij', 'spfa', 'delta', 'edge', 'fw'"),
    ({"edgeSet": EDGES, "method": 3}, errors.InputTypeError, "method is 3"),
    ({"edgeSet": EDGES, "method": "delta", "delta": 0}, errors.OptionError, "delta is 0"),
]


@pytest.mark.parametrize(("given", "error", "words"), WRONG, ids=[words for _, _, words in WRONG])
def test_wrong_graphs(given, error, words):
    with pytest.raises(error, match=words):
        read(**given)


def test_a_wrong_file(tmp_path):
    (tmp_path / "graph.txt").write_text("3 2\n0 1 1\n")
    with pytest.raises(errors.FormatError, match="2 edges"):
        read(filename=tmp_path / "graph.txt")


def test_rows_come_before_other_inputs(file):
    assert read(CSR=rows_of_arcs(2, [(0, 1, 3)]), edgeSet=EDGES, matrix=[[0]], filename=file).m == 1
    assert read(edgeSet=EDGES, filename=file).m == 13


WRONG_CALLS = [
    ({"graph": None}, errors.InputTypeError, r"graph is None.*read\("),
    ({"graph": 7}, errors.InputTypeError, "graph is 7"),
    ({"graphType": "CSR"}, errors.OptionError, "read before"),
    ({"graph": EDGES, "graphType": "edges"}, errors.OptionError, "'CSR', 'matrix', 'edgeSet'"),
    ({"useCUDA": "CSR"}, errors.InputTypeError, "graphType= and method= by name"),
    ({"useCUDA": 2}, errors.InputTypeError, "useCUDA is 2"),
    ({"useCUDA": True, "device": "cpu"}, errors.OptionError, "give one of them"),
    ({"useMultiPro": "yes"}, errors.InputTypeError, "useMultiPro is 'yes'"),
    ({"pathRecordBool": None}, errors.InputTypeError, "pathRecordBool is None"),
    ({"srclist": "0"}, errors.InputTypeError, "srclist is '0'"),
    ({"srclist": 0.0}, errors.InputTypeError, "srclist is 0.0"),
    ({"srclist": True}, errors.InputTypeError, "True"),
    ({"srclist": 8}, errors.VertexError, "8"),
    ({"srclist": -1}, errors.VertexError, "-1"),
    ({"srclist": [0, 8]}, errors.VertexError, "8"),
    ({"srclist": []}, errors.VertexError, "empty"),
    ({"block": (1024, 1)}, errors.OptionError, "block is .* 3 positive"),
    ({"grid": (0, 1)}, errors.OptionError, "grid is .* 2 positive"),
    ({"grid": 64}, errors.OptionError, "grid is 64"),
    ({"method": "astar"}, errors.OptionError, "'astar'"),
    ({"device": "gpu"}, errors.OptionError, "'gpu'"),
]


@pytest.mark.parametrize(("given", "error", "words"), WRONG_CALLS, ids=[words for _, _, words in WRONG_CALLS])
def test_wrong_calls(given, error, words):
    with pytest.raises(error, match=words):
        calc(**{"graph": read(edgeSet=EDGES), **given})


def test_no_gpu(monkeypatch):
    monkeypatch.setattr(device, "gpus", list)
    for ask in (lambda: calc(read(edgeSet=EDGES), useCUDA=True), sparry.deviceinfo):
        with pytest.raises(errors.MissingDeviceError, match=r"there is no GPU.*Use useCUDA=False"):
            ask()
    assert calc(read(edgeSet=EDGES), useCUDA=0).distances.plan.device == "cpu"


@pytest.mark.skipif(NO_OPENCL is not None, reason=str(NO_OPENCL))
@pytest.mark.parametrize("method", METHODS)
def test_on_a_gpu(monkeypatch, method):
    """Any OpenCL device stands in for the GPU."""
    monkeypatch.setattr(device, "gpus", DEVICES["opencl"].found)
    graph = read(edgeSet=EDGES, method=method)
    for sources in (0, [4, 0, 5], None):
        result = calc(graph, useCUDA=True, srclist=sources, block=(256, 1, 1), pathRecordBool=True)
        assert (result.dist.tolist(), result.path.tolist()) == flat_answer(N, ARCS, listed(sources))
        ran = result.distances.plan
        assert ran.device == "opencl:0" and ran.method == {"dij": "frontier", "spfa": "frontier", "fw": "floyd"}.get(
            method, method
        )
    assert calc(graph, device="opencl:0", srclist=0).distances.plan.device == "opencl:0"
    found = sparry.Device()
    assert found.get_number_of_device() == len(found.deviceType) == found.deviceNum >= 1
    assert found.get_device_type() == found.deviceType[0] and found.free > 0 and found.get_driver_version()


def test_check(capsys):
    """SParry compares printed arrays, whose middle is left out."""
    long = np.arange(5000)
    other = long.copy()
    other[2500] = 0
    assert sparry.check(long, long.reshape(50, 100)) == "data1 and data2 are EQUAL"
    assert sparry.check(long, other, "a", "b") == "a and b are NOT EQUAL" and not sparry.checkBool(long, other)
    assert not sparry.checkBool([1, 2], [1, 2, 3])
    assert capsys.readouterr().out == "data1 and data2 are EQUAL\na and b are NOT EQUAL\n"


def test_generators(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sparry.generate("a.txt", n=50, m=90, l=3, r=5, seed=2)
    graph = read(filename="./data/a.txt")
    assert (graph.n, graph.m, graph.MINW, graph.MAXW) == (50, 180, 3, 5)
    assert (calc(graph, srclist=0).dist < INF).all()
    sparry.gen(tmp_path / "b.txt", n=50, chain=0.5, flower=0.5, seed=2)
    tree = read(filename=tmp_path / "b.txt")
    assert (tree.m, tree.MAXD, tree.MAXU) == (98, 25, 0)
    sparry.generate(tmp_path / "c.txt", n=1, m=0)
    assert read(filename=tmp_path / "c.txt").n == 1
    for make, wrong in (
        (sparry.generate, {"n": 5, "m": 3}),
        (sparry.generate, {"l": 5, "r": 3}),
        (sparry.gen, {"chain": 0.9}),
        (sparry.gen, {"n": 0}),
    ):
        with pytest.raises(errors.OptionError):
            make(tmp_path / "d.txt", **wrong)


def red_arcs(axes):
    """Return the arcs drawn in red, as pairs of the vertices at their ends."""
    points = drawing.place(N)
    patches = [patch for patch in axes.patches if patch.get_edgecolor()[:3] == (1, 0, 0)]
    ends = [patch._posA_posB for patch in patches]
    return {tuple(int(np.abs(points - end).sum(axis=1).argmin()) for end in pair) for pair in ends}


@pytest.mark.parametrize("sources", [0, [3, 0], None])
def test_picture(tmp_path, sources):
    pytest.importorskip("matplotlib")
    from matplotlib.image import imread

    result = calc(read(edgeSet=EDGES), srclist=sources)
    result.drawPath(tmp_path / "paths.png")
    assert imread(tmp_path / "paths.png").shape == (1300, 1300, 4) and result.path is not None
    sparry.draw(result.path, 0, result.graph, filename=tmp_path / "paths.svg")
    assert "<svg" in (tmp_path / "paths.svg").read_text()


def test_picture_shows_the_paths(monkeypatch):
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt

    shown = []
    monkeypatch.setattr(plt, "figure", lambda **size: shown.append(make(size)) or shown[-1])
    monkeypatch.setattr(plt, "show", lambda: shown.append("shown"))
    monkeypatch.setattr(plt, "get_backend", lambda: "TkAgg")
    result = calc(read(edgeSet=EDGES), srclist=[1, 0])
    result.drawPath()
    assert len(shown) == 2 and shown[1] == "shown"
    axes = shown[0].axes[0]
    assert red_arcs(axes) == {(int(u), v) for v, u in enumerate(result.path[:N]) if u >= 0}
    words = [text.get_text() for text in axes.texts]
    lightest = {(u, v): min(w for *ends, w in ARCS if ends == [u, v]) for u, v, _ in ARCS if u != v}
    both = sum(lightest.get((v, u)) == w for (u, v), w in lightest.items()) // 2
    assert sorted(words)[-1] == "9" and len(words) == N + len(lightest) - both


def make(size):
    from matplotlib.figure import Figure

    return Figure(**size)


def test_wrong_pictures():
    result = calc(read(edgeSet=EDGES), srclist=0, pathRecordBool=True)
    with pytest.raises(errors.InputTypeError, match=r"give what read\(...\) returns"):
        sparry.draw(result.path, 0, None)
    with pytest.raises(errors.InputTypeError, match="one predecessor per vertex"):
        sparry.draw(None, 0, result.graph)
    with pytest.raises(errors.VertexError, match="source 9"):
        sparry.draw(result.path, 9, result.graph)
    with pytest.raises(errors.VertexError, match="no vertices"):
        calc(read(edgeSet=[[], [], []])).drawPath("paths.png")


def test_picture_without_a_window(monkeypatch):
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt

    monkeypatch.setattr(plt, "get_backend", lambda: "agg")
    with pytest.warns(UserWarning, match=r"no window.*drawPath\('paths.png'\)"):
        calc(read(edgeSet=EDGES), srclist=0).drawPath()


def test_picture_without_matplotlib(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(errors.MissingDependencyError, match=r"nearfar\[plot\]"):
        calc(read(edgeSet=EDGES), srclist=0).drawPath()
