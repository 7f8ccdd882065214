"""Rasters: the arcs and weights of every kind of step, what walls do, and values back in their cells."""

from __future__ import annotations

import heapq
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nearfar
from nearfar.errors import GraphError, InputTypeError, OptionError
from nearfar.graph import Graph, grid

INF = math.inf
MOVES = {
    4: [(d, r) for d, r in product((-1, 0, 1), repeat=2) if abs(d) + abs(r) == 1],
    8: [(d, r) for d, r in product((-1, 0, 1), repeat=2) if d or r],
}
MOVES[16] = MOVES[8] + [(d, r) for d, r in product((-2, -1, 1, 2), repeat=2) if abs(d) != abs(r)]


def crossed(row, column, down, right):
    """Return the cells whose inside the segment between two centres passes, by sampling it."""
    points = [(row + down * t / 64, column + right * t / 64) for t in range(65)]
    inside = [(math.floor(y + 0.5), math.floor(x + 0.5)) for y, x in points if (y % 1 != 0.5) and (x % 1 != 0.5)]
    return list(dict.fromkeys(inside))


def slow_arcs(costs, neighbours, cost, size, lengths, corners):
    """Return {(from, to): weight}, one cell and one step at a time; costs are {cell: cost} without walls."""
    arcs = {}
    for (row, column), (down, right) in product(costs, MOVES[neighbours]):
        end, cells = (row + down, column + right), crossed(row, column, down, right)
        if not set(cells) <= set(costs):
            continue
        if (
            not corners
            and abs(down) == abs(right) == 1
            and not {(row + down, column), (row, column + right)} <= set(costs)
        ):
            continue
        kind = abs(down) + abs(right) - 1
        length = math.hypot(down * size[0], right * size[1]) if lengths is None else lengths[kind] * size[0]
        each = [costs[cell] for cell in cells]
        price = {"mean": sum(each) / len(each), "sum": each[0] + each[-1], "enter": each[-1]}[cost]
        arcs[(row, column), end] = price * length
    return arcs


def arcs_of(graph):
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets)).tolist()
    pairs = zip(tails, graph.heads.tolist(), strict=True)
    found = {(graph.name(u), graph.name(v)): w for (u, v), w in zip(pairs, graph.weights.tolist(), strict=True)}
    assert len(found) == graph.m
    return found


SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, max_side=5)


@st.composite
def rasters(draw):
    """Return a raster of costs, as it is given, and {cell: cost} without walls."""
    shape = draw(SHAPES)
    dtype = draw(st.sampled_from([np.uint8, np.int64, np.float32, np.float64]))
    elements = st.integers(0, 100) if np.dtype(dtype).kind != "f" else st.sampled_from([0.0, 0.125, 1.5, 7.0, INF])
    costs = draw(hnp.arrays(dtype, shape, elements=elements))
    mask = draw(hnp.arrays(bool, shape)) if draw(st.booleans()) else np.zeros(shape, bool)
    plain = {cell: costs[cell].item() for cell in np.ndindex(*shape) if costs[cell] < INF and not mask[cell]}
    if mask.any():
        costs[mask] = draw(st.sampled_from([0, 77] if np.dtype(dtype).kind != "f" else [0, np.nan, -5, 3e38]))
        costs = np.ma.array(costs, mask=mask)
    return costs, plain


@given(
    rasters(),
    st.sampled_from([4, 8, 16]),
    st.sampled_from(["mean", "sum", "enter"]),
    st.sampled_from([(1, None), (2.5, None), ((3, 4), None), (1, 1), (2, (5, 7, 11)), (0.5, (1, 1.5, 2))]),
    st.booleans(),
    st.sampled_from([1, 7, 1 << 16]),
)
def test_arcs_are_those_of_a_slow_builder(raster, neighbours, cost, sizes, corners, cells):
    costs, plain = raster
    cell, lengths = sizes
    count = {4: 1, 8: 2, 16: 3}[neighbours]
    if isinstance(lengths, tuple):
        lengths = lengths[:count]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "_CELLS", cells)
        graph = Graph.from_raster(costs, neighbours, cost=cost, cell=cell, lengths=lengths, corners=corners)
    pair = cell if isinstance(cell, tuple) else (cell, cell)
    three = (lengths,) * 3 if isinstance(lengths, int) else lengths
    want = slow_arcs(plain, neighbours, cost, pair, three, corners)
    found = arcs_of(graph)
    assert list(graph.names) == sorted(plain) and found.keys() == want.keys()
    whole = costs.dtype.kind in "iu" and cost != "mean" and (neighbours == 4 or lengths is not None)
    whole = whole and cell != 0.5 and cell != 2.5
    kind = np.int32 if whole else np.float32 if costs.dtype == np.float32 else np.float64
    assert graph.weight_dtype == kind and graph.undirected == (cost != "enter")
    rough = {"rel": 1e-6} if kind == np.float32 else {"rel": 1e-14}
    for arc, weight in found.items():
        assert weight == want[arc] if whole else weight == pytest.approx(want[arc], **rough)
    if cost != "enter":
        assert all(found[v, u] == weight for (u, v), weight in found.items())  # to the bit


def minimum_cost_paths(costs, start, diagonal=True):
    """Return cumulative costs as scikit-image's MCP_Geometric defines them, by a heap over cells."""
    best, heap = {}, [(0.0, start)]
    while heap:
        length, (row, column) = heapq.heappop(heap)
        if (row, column) in best:
            continue
        best[row, column] = length
        for down, right in MOVES[8 if diagonal else 4]:
            there = (row + down, column + right)
            if 0 <= there[0] < costs.shape[0] and 0 <= there[1] < costs.shape[1] and costs[there] < INF:
                step = 0.5 * math.sqrt(down**2 + right**2) * (costs[row, column] + costs[there])
                heapq.heappush(heap, (length + step, there))
    out = np.full(costs.shape, INF)
    for cell, length in best.items():
        out[cell] = length
    return out


@given(hnp.arrays(float, SHAPES, elements=st.sampled_from([0.0, 0.3, 1.0, 9.0, INF])), st.booleans(), st.data())
def test_distances_are_those_of_mcp_geometric(costs, diagonal, data):
    free = [cell for cell in np.ndindex(*costs.shape) if costs[cell] < INF]
    if free:
        start = data.draw(st.sampled_from(free))
        graph = Graph.from_raster(costs, 8 if diagonal else 4)
        found = nearfar.sssp(graph, start).to_raster()
        np.testing.assert_allclose(found, minimum_cost_paths(costs, start, diagonal), rtol=1e-13)


def test_known_costs():
    """The example in scikit-image's documentation of route_through_array."""
    graph = Graph.from_raster([[1, 3], [10, 12]])
    assert nearfar.distance(graph, (0, 0), (1, 1)) == pytest.approx(9.19238815542512)
    straight = Graph.from_raster([[1, 3], [10, 12]], neighbours=4)
    assert nearfar.path(straight, (0, 0), (1, 1)) == [(0, 0), (0, 1), (1, 1)]
    assert nearfar.distance(straight, (0, 0), (1, 1)) == 9.5


def test_corners():
    pinch = [[1, INF], [INF, 1]]
    assert Graph.from_raster(pinch).m == 2 and Graph.from_raster(pinch, corners=False).m == 0
    bend = [[1, 1], [INF, 1]]
    assert Graph.from_raster(bend).m == 6 and Graph.from_raster(bend, corners=False).m == 4


def test_knights_do_not_jump_over_walls():
    row = [[1, 1, 1], [INF, INF, INF], [1, 1, 1]]
    assert nearfar.distance(Graph.from_raster(row, 16), (0, 0), (2, 1)) == INF
    assert nearfar.distance(Graph.from_raster(np.ones((3, 3)), 16), (0, 0), (2, 1)) == pytest.approx(5**0.5)
    costly = [[1, 1], [8, 4], [1, 1]]  # the move from (0, 0) to (2, 1) passes 8 and 4
    assert arcs_of(Graph.from_raster(costly, 16))[(0, 0), (2, 1)] == pytest.approx(5**0.5 * (1 + 8 + 4 + 1) / 4)


def test_weights_stay_whole():
    costs = np.array([[1, 200], [255, 3]], np.uint8)
    whole = Graph.from_raster(costs, 4, cost="sum")
    assert whole.weight_dtype == np.int32 and whole.max_weight == 258
    assert Graph.from_raster(costs, 8, cost="sum").weight_dtype == np.float64
    assert Graph.from_raster(costs, 8, cost="enter", lengths=1).weight_dtype == np.int32
    assert Graph.from_raster(costs, 4, cost="enter", cell=1.0).weight_dtype == np.float64
    assert Graph.from_raster(costs, 4, cost="enter", cell=np.int16(30)).max_weight == 30 * 255
    assert Graph.from_raster(np.array([[2**40, 1]]), 4, cost="enter").weight_dtype == np.int64
    assert Graph.from_raster(costs.astype(np.float16)).weight_dtype == np.float32


@pytest.mark.parametrize("top", [2**63 - 1, 2**64 - 1])
def test_too_large_integers(top):
    with pytest.raises(GraphError, match=f"{top}.*coarser unit"):
        Graph.from_raster(np.array([[top, 1]], np.uint64), 4, cost="sum")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_too_large_floats(dtype):
    with pytest.raises(GraphError, match=r"more than float.*coarser unit"):
        Graph.from_raster(np.full((2, 2), np.finfo(dtype).max, dtype))
    assert np.isfinite(Graph.from_raster(np.full((5, 5), np.finfo(dtype).max / 16, dtype), 16).weights).all()


@pytest.mark.parametrize(
    ("costs", "error", "words"),
    [
        ([[1.0, np.nan]], GraphError, ("costs[0, 1] is nan", "np.ma.masked_invalid(costs)", "inf")),
        ([[1], [-9999]], GraphError, ("costs[1, 0] is -9999", "np.ma.masked_equal(costs, -9999)")),
        ([[1.0, -INF]], GraphError, ("-inf",)),
        (np.vstack([np.ones((700, 2)), [[1, -3]]]), GraphError, ("costs[700, 1] is -3.0",)),
        ([1, 2], GraphError, ("(2,)", "rows and columns")),
        (np.ones((1, 2, 2)), GraphError, ("(1, 2, 2)", "costs[0]")),
        ([[1], [1, 2]], GraphError, ("ragged",)),
        ([[True, False]], InputTypeError, ("bool", "np.where(costs, 1.0, np.inf)")),
        ([["a"]], InputTypeError, ("<U1", "integers or floats")),
        ([[1j]], InputTypeError, ("complex128",)),
        (np.array([[None]]), InputTypeError, ("object",)),
    ],
)
def test_bad_costs(costs, error, words):
    with pytest.raises(error) as caught:
        Graph.from_raster(costs)
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"neighbours": 6},
        {"neighbours": 8.0},
        {"neighbours": True},
        {"neighbours": [8]},
        {"cost": "max"},
        {"cost": None},
        {"cell": 0},
        {"cell": -1},
        {"cell": INF},
        {"cell": math.nan},
        {"cell": True},
        {"cell": "1"},
        {"cell": (1, 2, 3)},
        {"cell": (1, 0)},
        {"lengths": "steps"},
        {"lengths": (1,)},
        {"lengths": (1, 2, 3)},
        {"lengths": 0},
        {"corners": 1},
    ],
)
def test_bad_options(options):
    (name,) = options
    with pytest.raises(OptionError, match=rf"{name}=.* is not possible\. Give"):
        Graph.from_raster([[1, 2]], **options)


def test_two_sizes():
    with pytest.raises(OptionError, match=r"cell=\(1, 2\) gives two sizes.*lengths=1"):
        Graph.from_raster([[1, 2]], cell=(1, 2), lengths=1)


# values back in their cells


@given(rasters(), st.integers(1, 3))
def test_values_return_to_their_cells(raster, k):
    costs, plain = raster
    graph = Graph.from_raster(costs, 4)
    values = np.arange(k * graph.n).reshape(k, graph.n)
    many = graph.to_raster(values, fill=-1)
    assert many.shape == (k, *costs.shape) and many.dtype == values.dtype
    for r, cell in product(range(k), np.ndindex(*costs.shape)):
        assert many[(r, *cell)] == (values[r, graph.index(cell)] if cell in plain else -1)
    assert (graph.to_raster(values[0], -1) == many[0]).all()


def test_types_of_values():
    graph = Graph.from_raster([[1, INF], [1, 1]])
    assert graph.to_raster([1, 2, 3]).dtype == np.float64 and np.isnan(graph.to_raster([1, 2, 3])[0, 1])
    assert graph.to_raster(np.ones(3, np.float32)).dtype == np.float32
    assert graph.to_raster(np.ones(3, bool), fill=False).dtype == bool
    assert graph.to_raster(np.ones(3, np.uint8), fill=-1)[0, 1] == -1
    for bad in ([1, 2], np.ones((2, 2, 3)), 5):
        with pytest.raises(GraphError, match="3 cells that are not walls"):
            graph.to_raster(bad)


def test_results_as_rasters():
    costs = np.array([[1, INF, 1], [1, INF, 1]])
    graph = Graph.from_raster(costs, 4)
    one = nearfar.sssp(graph, (0, 0))
    assert one.to_raster().tolist() == [[0, INF, INF], [1, INF, INF]]
    both = nearfar.mssp(graph, [(0, 0), (1, 2)])
    assert both.to_raster().shape == (2, 2, 3) and both.to_raster()[1].tolist() == [[INF, INF, 1], [INF, INF, 0]]
    assert nearfar.nearest(graph, [(0, 0), (1, 2)]).to_raster().tolist() == [[0, INF, 1], [1, INF, 0]]
    whole = Graph.from_raster(np.ma.masked_equal([[1, 9, 1]], 9), 4, cost="enter")
    found = nearfar.sssp(whole, (0, 0))
    assert found.dist.dtype == np.int32 and found.to_raster().tolist() == [[0, INF, INF]]
    narrow = Graph.from_raster(costs.astype(np.float32))
    assert nearfar.sssp(narrow, (0, 0)).to_raster().dtype == np.float32


def test_graphs_without_cells():
    plain = Graph.from_arcs([0], [1])
    for attempt in (lambda: plain.to_raster([1, 2]), nearfar.sssp(plain, 0).to_raster):
        with pytest.raises(GraphError, match=r"Graph\.from_raster"):
            attempt()


def test_what_keeps_the_cells():
    graph = Graph.from_raster([[1, 2], [3, INF]], cost="enter")
    for other in (graph.reverse(), graph.with_weights(None), graph.with_weights(graph.weights)):
        assert other.names == graph.names
    assert nearfar.prepare(graph).sssp((0, 1)).path((1, 0)) == [(0, 1), (0, 0), (1, 0)]
