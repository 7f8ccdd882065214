"""Description: a dict for programs, a table for people; and what Graph.describe puts into it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearfar.description import Description, format_bytes, format_count, format_seconds
from nearfar.graph import Graph


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1234567, "1,234,567"),
        (-1234, "-1,234"),
        (np.int64(5000), "5,000"),
        (2.5, "2.5"),
        (1234.5678, "1,234.57"),
        (12345678.9, "12,345,679"),
        (1e300, "1e+300"),
        (float("inf"), "inf"),
        (0.000012, "1.2e-05"),
    ],
)
def test_counts(n, text):
    assert format_count(n) == text


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.00 kB"),
        (999_499, "999 kB"),
        (999_500, "1.00 MB"),
        (84_000_004, "84.0 MB"),
        (3_200_000_000, "3.20 GB"),
        (5e12, "5.00 TB"),
        (2e18, "2000 PB"),
    ],
)
def test_bytes(n, text):
    assert format_bytes(n) == text


@pytest.mark.parametrize(
    ("t", "text"),
    [
        (0, "0 s"),
        (2.5e-6, "2.50 us"),
        (0.0101, "10.1 ms"),
        (0.9996, "1.00 s"),
        (0.00099996, "1.00 ms"),
        (59.96, "60.0 s"),
        (119.4, "119 s"),
        (119.6, "2 min 00 s"),
        (3599, "59 min 59 s"),
        (3600, "1 h 00 min"),
        (360000, "100 h 00 min"),
    ],
)
def test_seconds(t, text):
    assert format_seconds(t) == text


@given(st.floats(1e-6, 1e9))
def test_three_digits_are_never_four(value):
    for text in (format_bytes(max(value, 1000)), format_seconds(min(value, 119))):
        digits = text.split()[0].replace(".", "")
        assert len(digits) == 3 or text == "0.00 us"


def test_it_is_a_dict_with_bare_numbers():
    facts = Description(arcs=7, bytes=1500)
    assert facts == {"arcs": 7, "bytes": 1500}
    assert json.loads(json.dumps(facts)) == facts
    assert dict(facts, more=1)["more"] == 1


def test_it_prints_aligned_columns_with_units():
    facts = Description(
        method="dijkstra",
        result_bytes=np.int64(4_000_000),
        compile_seconds=0.25,
        exact=np.bool_(True),
        cut=False,
        cutoff=None,
        sources=[1, 20000],
        nothing=(),
        device={"name": "cpu", "threads": 2},
        other=frozenset(),
    )
    assert str(facts).split("\n") == [
        "method           dijkstra",
        "result bytes     4.00 MB",
        "compile seconds  250 ms",
        "exact            yes",
        "cut              no",
        "cutoff           -",
        "sources          1, 20,000",
        "nothing          -",
        "device",
        "  name           cpu",
        "  threads        2",
        "other            frozenset()",
    ]
    assert repr(facts) == str(facts)
    assert str(Description()) == ""


def test_a_graph_describes_itself():
    graph = Graph.from_arcs(
        [0, 1, 1, 3, 5], [1, 0, 2, 3, 4], [4, 0, -1, 2, 5], n=7, names=list("abcdefg"), coordinates=np.zeros((7, 2))
    )
    assert graph.describe() == {
        "vertices": 7,
        "arcs": 5,
        "undirected": False,
        "min_degree": 0,
        "mean_degree": 5 / 7,
        "max_degree": 2,
        "weight_type": "int32",
        "min_weight": -1,
        "mean_weight": 2.0,
        "max_weight": 5,
        "zero_weights": 1,
        "negative_weights": 1,
        "components": 4,
        "largest_component": 3,
        "self_loops": 1,
        "bytes": 8 * 4 + 5 * 8 + 7 * 16,
        "named": True,
        "coordinates": True,
    }
    assert "components         4" in str(graph.describe())


def test_unweighted_and_undirected_graphs_describe_themselves():
    facts = Graph.from_arcs([0, 1, 2], [1, 2, 2], undirected=True).describe()
    assert facts["undirected"] is True
    assert facts["weight_type"] == "unweighted"
    assert (facts["arcs"], facts["self_loops"], facts["min_weight"], facts["max_weight"]) == (5, 1, 1, 1)
    assert (facts["zero_weights"], facts["negative_weights"], facts["components"]) == (0, 0, 1)
    assert (facts["named"], facts["coordinates"]) == (False, False)


def test_components_ignore_the_direction_and_the_weight_of_arcs():
    facts = Graph.from_arcs([0, 2, 4], [1, 1, 3], [0.0, 0.0, 0.0]).describe()
    assert (facts["components"], facts["largest_component"], facts["zero_weights"]) == (2, 3, 3)


def test_the_empty_graph_describes_itself():
    facts = Graph.from_arcs([], []).describe()
    assert (facts["vertices"], facts["components"], facts["largest_component"], facts["mean_degree"]) == (0, 0, 0, 0.0)
    assert "vertices" in str(facts)
