"""The self-test: passes where all is well, and tells what is wrong where something is."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import nearfar
from helpers.marks import needs_jit
from nearfar.devices import DEVICES, opencl
from nearfar.errors import DeviceError, KernelBuildError, NegativeCycleError, OptionError
from nearfar.selftest import checks as selftest
from nearfar.selftest import graphs as selftest_graphs
from nearfar.selftest.graphs import samples
from nearfar.selftest.report import FAILED, PASSED, SKIPPED

pytestmark = needs_jit
needs_opencl = pytest.mark.skipif(opencl.missing() is not None, reason=str(opencl.missing()))


@pytest.fixture
def few(monkeypatch):
    """Leave out all graphs but three of one type."""
    names = {"R-MAT", "negative cycle", "one vertex"}
    chosen = [sample for sample in samples("quick") if sample.name in names and sample.dtype == "float64"]
    monkeypatch.setattr(selftest, "samples", lambda level: iter(chosen))


def test_cpu(few):
    report = selftest.run("cpu", "quick")
    assert report.ok and [tested.name for tested in report.devices] == ["cpu"]
    tested = report.devices[0]
    assert {outcome.method for outcome in tested.outcomes} == set(nearfar.methods.METHODS)
    assert {outcome.layout for outcome in tested.outcomes} == {"resident"}
    assert str(report).startswith("nearfar selftest, quick: all passed\n") and "numpy" in report.versions


@needs_opencl
def test_opencl(few):
    seen = []
    report = selftest.run(["opencl:0"], "quick", lambda done, total: seen.append((done, total)))
    assert report.ok, str(report)
    tested = report.devices[0]
    asked = {(o.method, o.query, o.layout) for o in tested.outcomes}
    for query in ("one", "some", "all"):
        assert ("delta", query, "resident") in asked and ("delta", query, "batched") not in asked
        for method in ("edge", "frontier"):
            assert {(method, query, "resident"), (method, query, "batched")} <= asked
    assert "driver" in tested.facts and tested.count(PASSED) == len(tested.outcomes)
    assert seen == sorted(seen) and seen[-1][0] == seen[-1][1] >= len(tested.outcomes)
    text = str(report)
    assert re.search(r"^frontier +float64 +3/3 +3/3 +3/3 +1/1", text, re.M) and "FAILED" not in text
    answer = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert answer["ok"] and answer["devices"][0]["passed"] == len(tested.outcomes)


def test_every_level_has_its_graphs():
    for level in ("quick", "usual"):
        found = list(samples(level))
        names = {sample.name for sample in found}
        assert len(names) == 10 and {sample.dtype for sample in found} >= {"int32", "float64", "none"}
        for sample in found:
            negative = sample.graph.min_weight < 0
            assert negative == sample.name.startswith("negative")
            if sample.dtype == "int64" and sample.name == "road grid":
                assert nearfar.sssp(sample.graph, 0).dist.dtype == np.int64


@needs_opencl
@pytest.mark.parametrize("damage", ["value", "type", "cycle", "no cycle", "long cycle"])
def test_wrong_answers_are_told(few, monkeypatch, damage):
    """A device that errs, played by one that does not."""
    ask = selftest._ask

    def spoiled(graph, query, options):
        if options["device"] == "cpu" or options["method"] != "edge" or query != "one":
            return ask(graph, query, options)
        if damage == "cycle":
            raise NegativeCycleError("of no length", [0, 1])
        try:
            result = ask(graph, query, options)
        except NegativeCycleError:
            if damage == "long cycle":
                raise NegativeCycleError("not negative", [0, 1]) from None
            return ask(nearfar.Graph.from_arcs([], [], n=graph.n), query, options) if damage == "no cycle" else None
        if damage == "value":
            result.rows[0, -1] += 1
        if damage == "type":
            result.rows = result.rows.astype(np.float32)
        return result

    monkeypatch.setattr(selftest, "_ask", spoiled)
    report = selftest.run("opencl", "quick")
    assert not report.ok
    text = str(report)
    said = {
        "value": "distances differ from the CPU's, the first:",
        "type": "distances are float32 instead of float64",
        "cycle": "a negative cycle was reported where there is none: [0, 1]",
        "no cycle": "the negative cycle was not found",
        "long cycle": "the cycle [0, 1] has",
    }
    assert "FAILED: edge, float64, one, resident" in text and said[damage] in text
    assert {o.query for o in report.devices[0].outcomes if o.status == FAILED} == {"one"}
    if damage == "value":
        assert "NOT exact:" in text and "FAILED" in next(line for line in text.splitlines() if line.startswith("edge"))


@needs_opencl
def test_errors_are_told(few, monkeypatch):
    """All of what the compiler said, and no traceback; a device that only fails is given up."""
    monkeypatch.setattr(selftest, "HOPELESS", 3)

    def fail(*args):
        raise KernelBuildError("edge.cl could not be built", "line 1: a long log") from ValueError("why")

    monkeypatch.setattr(opencl, "_opened", {})
    monkeypatch.setattr(opencl.OpenCL, "build", fail)
    report = selftest.run("opencl", "quick")
    text = str(report)
    assert not report.ok and "line 1: a long log" in text and "caused by ValueError: why" in text
    assert "stopped after 3 queries that ended with an error" in text
    json.dumps(report.as_dict(), allow_nan=False)


def test_a_device_that_does_not_open(few):
    report = selftest.run("opencl:99", "quick")
    assert not report.ok and "opencl:99" in report.devices[0].error and "ERROR" in str(report)


@needs_opencl
def test_a_device_without_wide_atomics(monkeypatch, few):
    device = opencl.open_device(0)
    monkeypatch.setattr(device, "_facts", replace(device._facts, wide_atomics=False))
    report = selftest.run("opencl", "quick")
    assert {outcome.status for outcome in report.devices[0].outcomes} == {SKIPPED}
    assert "skipped: opencl:0 has no atomic minimum of 64 bits" in str(report)
    assert not report.ok, "nothing was tested"


def test_what_is_tested_unless_said(monkeypatch, few):
    with pytest.raises(OptionError, match="'quick', 'usual', 'full'"):
        selftest.run("cpu", "slow")
    for kind in ("opencl", "cuda"):
        monkeypatch.setattr(DEVICES[kind], "found", list)
    with pytest.raises(DeviceError, match="no device to test but the CPU"):
        selftest.run(None, "quick")
    with pytest.raises(DeviceError, match="no device to test but the CPU"):
        selftest.run("auto", "quick")


@needs_opencl
def test_full_adds_figures(monkeypatch):
    """With graphs that are not that large."""
    monkeypatch.setattr(selftest_graphs, "BIG_SIDE", 40)
    monkeypatch.setattr(selftest_graphs, "BIG_SCALE", 8)
    small = {"R-MAT": selftest_graphs._families(9)["R-MAT"]}
    monkeypatch.setattr(selftest_graphs, "_families", lambda side: small)
    monkeypatch.setitem(selftest_graphs.TYPES, "full", ("int32",))
    report = selftest.run("opencl", "full")
    assert report.ok, str(report)
    figures = report.devices[0].figures
    assert {f.graph for f in figures} == {"grid 40 x 40", "R-MAT 8"} and {f.query for f in figures} == {"one", "some"}
    rounds = {name for name, method in nearfar.methods.METHODS.items() if method.rounds}  # may sweep few arcs
    assert all(f.relaxations > (0 if f.method in rounds else 0.5) for f in figures)
    assert all(f.launches > 0 and f.moved > 0 and f.seconds > 0 for f in figures)
    assert "relaxations per arc" in str(report)
