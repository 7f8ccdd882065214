"""The self-test: passes where all is well, and tells what is wrong where something is."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import nearfar
from helpers.builds import built_quickly
from helpers.marks import needs_jit
from nearfar.devices import DEVICES, opencl
from nearfar.devices.device import Probe
from nearfar.errors import DeviceError, KernelBuildError, NegativeCycleError, OptionError
from nearfar.selftest import cases, checks, graphs, runs
from nearfar.selftest.graphs import samples
from nearfar.selftest.report import PASSED, SKIPPED

pytestmark = needs_jit
needs_opencl = pytest.mark.skipif(opencl.missing() is not None, reason=str(opencl.missing()))


@pytest.fixture(scope="module", autouse=True)
def builds(request):
    """Build kernels without optimising them."""
    with built_quickly(request):
        yield


@pytest.fixture
def few(monkeypatch):
    """Leave out all graphs but three of one type."""
    names = {"R-MAT", "negative cycle", "one vertex"}
    chosen = [sample for sample in samples("quick") if sample.name in names and sample.dtype == "float64"]
    for module in (cases, checks):
        monkeypatch.setattr(module, "samples", lambda level: iter(chosen))


def run_here(devices, level="quick", write=None, **options):
    """Run the self-test in this process, where tests can change what it finds."""
    return runs.run(devices, level, write, isolate=False, **options)


def test_cpu(few):
    counted = []
    report = run_here("cpu", progress=lambda *counts: counted.append(counts))
    queries = len(cases.cases(("cpu",), "quick"))
    assert counted == [(done, queries) for done in range(queries)]
    assert report.ok and [tested.name for tested in report.devices] == ["cpu"]
    tested = report.devices[0]
    assert {outcome.method for outcome in tested.outcomes} == set(nearfar.methods.METHODS)
    assert {outcome.layout for outcome in tested.outcomes} == {"resident"}
    text = str(report)
    assert text.startswith("nearfar selftest, quick\n") and text.endswith("\nall passed") and "numpy" in report.versions


@needs_opencl
def test_opencl(few):
    pieces = []
    report = run_here(["opencl:0"], write=pieces.append)
    assert report.ok, str(report)
    tested = report.devices[0]
    asked = {(o.method, o.query, o.layout) for o in tested.outcomes}
    for query in ("one", "some", "all"):
        assert ("delta", query, "resident") in asked and ("delta", query, "batched") not in asked
        for method in ("edge", "frontier"):
            assert {(method, query, "resident"), (method, query, "batched")} <= asked
    assert {method for method, query, _ in asked if query == "sums"} == {"prepared"}
    assert "driver" in tested.facts and tested.count(PASSED) == len(tested.outcomes)
    text = str(report)
    written = "".join(pieces).splitlines()
    assert set(text.splitlines()) <= set(written), "all of the report was written as it came"
    assert any(re.fullmatch(r"R-MAT +float64 +delta +one some all +\S+ \w+", line) for line in written)
    assert re.search(r"^frontier +float64 +3/3 +3/3 +3/3 +- +1/1", text, re.M) and "FAILED" not in text
    answer = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert answer["ok"] and answer["devices"][0]["passed"] == len(tested.outcomes)


def test_every_level_has_its_graphs():
    for level in ("quick", "usual"):
        found = list(samples(level))
        names = {sample.name for sample in found}
        big = {"grid 512 x 512", "R-MAT 16", "hub 1,048,576", "R-MAT 16 all zero", "R-MAT 16 subnormal"}
        assert {sample.name for sample in found if sample.big} == (set() if level == "quick" else big)
        assert len(names - big) == 12 and {sample.dtype for sample in found} >= {"int32", "float64", "none"}
        for sample in (sample for sample in found if not sample.big):
            assert (sample.graph.min_weight < 0) == sample.negative == sample.name.startswith("negative")
            assert sample.equal == (sample.graph.min_weight == sample.graph.max_weight)
            if sample.dtype == "int64" and sample.name == "road grid":
                assert nearfar.sssp(sample.graph, 0).dist.dtype == np.int64


def test_graphs_for_kernels_that_are_easily_missed():
    tiny = np.finfo(np.float32).tiny
    zero, subnormal = (next(s.graph for s in samples("quick") if s.name == name) for name in ("all zero", "subnormal"))
    assert zero.max_weight == 0 and 0 < subnormal.min_weight < subnormal.max_weight < tiny
    assert zero.weights.dtype == subnormal.weights.dtype == np.float32
    hub = next(sample.graph for sample in samples("usual") if sample.name.startswith("hub"))
    assert np.diff(hub.offsets)[0] == 1 << 20


@needs_opencl
@pytest.mark.parametrize("damage", ["value", "type", "cycle", "no cycle", "long cycle"])
def test_wrong_answers_are_told(few, monkeypatch, damage):
    """A device that errs, played by one that does not."""
    ask = checks._ask

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

    monkeypatch.setattr(checks, "_ask", spoiled)
    report = run_here("opencl")
    assert not report.ok
    text = str(report)
    said = {
        "value": "distances differ from the CPU's, the first:",
        "type": "distances are float32 instead of float64",
        "cycle": "a negative cycle was reported where there is none: [0, 1]",
        "no cycle": "the negative cycle was not found",
        "long cycle": "the cycle [0, 1] has",
    }
    assert "WRONG: edge, float64, one, resident" in text and said[damage] in text
    assert 'again: nearfar selftest --quick --device opencl:0 --only "edge, float64, one, resident' in text
    assert {o.query for o in report.devices[0].failures} == {"one"}
    if damage == "value":
        assert "NOT exact:" in text and "FAILED" in next(line for line in text.splitlines() if line.startswith("edge"))


@needs_opencl
def test_errors_are_told(few, monkeypatch):
    """All of what the compiler said, and no traceback; a device that only fails is given up."""
    monkeypatch.setattr(runs, "HOPELESS", 3)

    def fail(*args):
        raise KernelBuildError("edge.cl could not be built", "line 1: a long log") from ValueError("why")

    monkeypatch.setattr(opencl, "_opened", {})
    monkeypatch.setattr(opencl.OpenCL, "build", fail)
    report = run_here("opencl")
    text = str(report)
    assert not report.ok and "line 1: a long log" in text and "caused by ValueError: why" in text
    assert "stopped after 3 queries that ended with an error" in text
    json.dumps(report.as_dict(), allow_nan=False)


def test_a_device_that_does_not_open(few):
    report = run_here("opencl:99")
    assert not report.ok and "opencl:99" in report.devices[0].error and "STOPPED" in str(report)
    assert "opencl:99" in report.missing


@needs_opencl
def test_a_device_that_is_there_but_cannot_be_used_failed(few, monkeypatch):
    monkeypatch.setattr(opencl, "_opened", {})
    monkeypatch.setattr(opencl, "_probe", lambda: Probe([], {"opencl:0": "it is on fire"}))
    report = run_here("opencl:0")
    assert "it is on fire" in report.devices[0].error and not report.missing and report.verdict == "FAILED"


@needs_opencl
def test_a_device_without_wide_atomics(monkeypatch, few):
    device = opencl.open_device(0)
    monkeypatch.setattr(device, "_facts", replace(device._facts, wide_atomics=False))
    report = run_here("opencl")
    assert {outcome.status for outcome in report.devices[0].outcomes} == {SKIPPED}
    assert "skipped: opencl:0 has no atomic minimum of 64 bits" in str(report)
    assert not report.ok, "nothing was tested"


def test_words_that_can_be_read_once_hold_for_every_device(monkeypatch):
    asked = []
    monkeypatch.setattr(runs, "cases", lambda names, level, words: asked.append(words) or [])
    monkeypatch.setattr(runs, "_test", lambda *given: None)
    run_here(["opencl:0", "opencl:1"], only=iter(["delta"]))
    assert asked == [("delta",)] * 3


def test_what_is_tested_unless_said(monkeypatch, few):
    with pytest.raises(OptionError, match="'quick', 'usual', 'full'"):
        run_here("cpu", "slow")
    with pytest.raises(OptionError, match="limit=0 is not a time"):
        run_here("cpu", limit=0)
    with pytest.raises(OptionError, match=r"no query of the self-test is called 'deltas'. The words are .*'edge'"):
        run_here("cpu", only=["deltas", "float64"])
    with pytest.raises(OptionError, match=r"all the words 'delta', 'batched'\. Leave some out"):
        run_here("opencl", only=["delta", "batched"])
    for kind in ("opencl", "cuda"):
        monkeypatch.setattr(DEVICES[kind], "found", list)
    with pytest.raises(DeviceError, match="no device to test but the CPU"):
        run_here(None)
    with pytest.raises(DeviceError, match="no device to test but the CPU"):
        run_here("auto")


@needs_opencl
def test_large_graphs_have_figures(monkeypatch):
    """With graphs that are not that large."""
    monkeypatch.setattr(graphs, "BIG_SIDE", 40)
    monkeypatch.setattr(graphs, "BIG_SCALE", 8)
    monkeypatch.setattr(graphs, "HUB_ARCS", 1 << 12)
    monkeypatch.setattr(graphs, "_families", lambda side: {})
    monkeypatch.setitem(graphs.BIG_TYPES, "full", ("int32",))
    chosen = [sample for sample in samples("full") if sample.big]
    for module in (cases, checks):
        monkeypatch.setattr(module, "samples", lambda level: iter(chosen))
    report = run_here("opencl", "full")
    assert report.ok, str(report)
    figures = report.devices[0].figures
    names = {"grid 40 x 40", "R-MAT 8", "hub 4,096", "R-MAT 8 all zero", "R-MAT 8 subnormal"}
    assert {f.graph for f in figures} == names and {f.query for f in figures} == {"one", "some"}
    assert all(f.launches > 0 and f.moved > 0 and f.seconds > 0 for f in figures)
    assert "relaxations per arc" in str(report)


@needs_opencl
@pytest.mark.parametrize("flushes", ["yes", "no"])
def test_a_device_that_flushes_subnormals(monkeypatch, flushes):
    """OpenCL allows it, so it is no failure there; of a device that says that it does not, it is one."""
    device, ask = opencl.open_device(0), checks._ask
    details = {**device.details(), "float32 subnormals": "no" if flushes == "yes" else "yes"}
    monkeypatch.setattr(device, "details", lambda: details)

    def flushed(graph, query, options):
        result = ask(graph, query, options)
        if options["device"] != "cpu":
            result.rows[result.rows < np.finfo(np.float32).tiny] = 0
        return result

    monkeypatch.setattr(checks, "_ask", flushed)
    tested = run_here("opencl", only=["subnormal", "edge", "one", "resident"]).devices[0]
    assert [outcome.status for outcome in tested.outcomes] == [SKIPPED if flushes == "yes" else "wrong"]


def test_which_types_come_in_batches():
    """All with --full; else two, since drivers that compile for a CPU take long."""
    for level, types in (("usual", {"int32", "float64"}), ("full", {"int32", "int64", "float32", "float64"})):
        batched = {case.dtype for case in cases.cases(("opencl:0",), level) if case.layout == "batched"}
        assert batched - {"none"} == types


@needs_opencl
def test_wrong_sums_are_seen(monkeypatch):
    graph = nearfar.generate.road_grid(9, 9, seed=1)
    rows = nearfar.mssp(graph, checks._sources(graph, "sums"), device="cpu").rows
    assert checks._compare_sums(graph, ("opencl:0",), rows) == ""
    assert "rows add up to" in checks._compare_sums(graph, ("opencl:0",), 2 * rows)
    sums = nearfar.Prepared.row_sums

    def wrong(prepared, sources, device):
        return sums(prepared, sources, device=device) + (device != "cpu")

    monkeypatch.setattr(nearfar.Prepared, "row_sums", wrong)
    assert "differ from the CPU's" in checks._compare_sums(graph, ("opencl:0",), rows)
