"""The generated city: named crossings, all of which can be reached, and units that are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from nearfar.errors import InputTypeError, OptionError
from nearfar.graph.city import MAIN, SPEEDS, STOP, city
from nearfar.graph.sphere import distance


@given(rows=st.integers(1, 13), cols=st.integers(1, 13), seed=st.integers(0, 9))
@settings(deadline=None, max_examples=60)
def test_every_crossing_is_reached_from_every_other(rows, cols, seed):
    graph = city(rows, cols, seed)
    count, _ = connected_components(graph.to_scipy(), directed=True, connection="strong")
    assert count == 1 and graph.n == rows * cols
    assert len(set(graph.names)) == graph.n


def test_the_seed_decides():
    first, again, other = city(9, 8, 3), city(9, 8, 3), city(9, 8, 4)
    assert first.arcs.tobytes() == again.arcs.tobytes() and first.coordinates.tolist() == again.coordinates.tolist()
    assert first.coordinates.tolist() != other.coordinates.tolist()


def test_travel_times_follow_from_coordinates_and_speeds():
    graph = city(12, 14, 1)
    metres = distance(graph.coordinates[graph.tails], graph.coordinates[graph.heads])
    assert metres.min() > 50 and metres.max() < 250
    slow, fast = (np.rint(metres / speed + STOP) for speed in SPEEDS)
    assert ((graph.weights == slow) | (graph.weights == fast)).all()
    assert (graph.weights == slow).any() and (graph.weights == fast).any()
    assert graph.units == ("s", "degrees")


def test_the_river_has_few_bridges():
    graph = city(10, 23)
    south, north = graph.tails // 23, graph.heads // 23
    over = (south == 4) & (north == 5)
    assert (graph.tails[over] % 23).tolist() == list(range(0, 23, MAIN))


def test_one_ways_alternate():
    graph = city(11, 11)
    arcs = set(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True))
    single = [(u, v) for u, v in arcs if (v, u) not in arcs]
    assert {v - u for u, v in single} == {1, -1, 11, -11}


def test_the_corners_are_named_after_their_streets():
    graph = city(70, 23)
    assert graph.names[0] == "Main Street / 1st Avenue"
    assert graph.names[21] == "Main Street / 22nd Avenue" and graph.names[12] == "Main Street / 13th Avenue"
    assert graph.name(graph.index("Main Street North 2 / 1st Avenue")) == "Main Street North 2 / 1st Avenue"


def test_north_is_up_and_the_date_line_is_no_edge():
    graph = city(6, 9, centre=(180, -17))
    lon, lat = graph.coordinates.T
    assert ((lon >= -180) & (lon < 180)).all() and lon.min() < -179.9 and lon.max() > 179.9
    assert lat[-1] > lat[0]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [({"rows": 0}, OptionError), ({"cols": 2.5}, InputTypeError), ({"seed": -1}, OptionError),
     ({"centre": 7}, InputTypeError), ({"centre": (0, 89)}, OptionError), ({"centre": (float("nan"), 0)}, OptionError)],
)  # fmt: skip
def test_wrong_arguments(arguments, error):
    with pytest.raises(error):
        city(**arguments)
