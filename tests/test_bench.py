"""``nearfar bench``: verified before it is timed, and printed as Markdown that can be pasted."""

from __future__ import annotations

import json

import numpy as np
import pytest

import nearfar
from helpers.marks import needs_jit
from nearfar import bench
from nearfar.devices import opencl
from nearfar.errors import NearfarError, OptionError

pytestmark = needs_jit
needs_opencl = pytest.mark.skipif(opencl.missing() is not None, reason=str(opencl.missing()))


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """Few turns on graphs that are not that large."""
    monkeypatch.setattr(bench, "TURNS", 1)
    monkeypatch.setattr(bench, "ROWS", 3)
    monkeypatch.setattr(bench, "PREPARED_ROWS", 40)


def is_markdown(table):
    """Return whether all lines of a table have as many cells as its head."""
    lines = [line for line in str(table).splitlines() if line.startswith("|")]
    return {line.count("|") for line in lines} == {len(table.head) + 1} and len(lines) == len(table.rows) + 2


def test_cpu(run):
    answer = run("bench", "--device", "cpu", "--size", "small").ok().out
    assert answer.startswith("On cpu; ") and "\n\nOne source:\n\n| graph | method | " in answer
    assert "| road grid 64 x 64 | `delta` | " in answer and "batches:" not in answer


@needs_opencl
def test_opencl(run):
    seen, shown = [], []
    measured = bench.run("opencl", "small", lambda done, total: seen.append((done, total)), shown.append)
    assert seen == [(done, 6) for done in range(7)] and measured.device == "opencl:0"
    assert shown == [measured.heading, *map(str, measured.tables)] and not measured.interrupted
    assert measured.about["device"].startswith("opencl:0 (") and ", driver " in measured.about["device"]
    titles = ["One source", "One source, arcs in 4 batches", "3 sources", "Prepared, 40 rows"]
    assert [table.title for table in measured.tables] == titles and all(map(is_markdown, measured.tables))
    one = measured.tables[0]
    assert [row[:2] for row in one.rows[:3]] == [("road grid 64 x 64", f"`{m}`") for m in ("delta", "frontier", "edge")]
    launches = one.head.index("launches")
    assert all(int(row[launches].replace(",", "")) > 0 for row in one.rows)
    assert measured.tables[3].rows[0][:2] == ("road grid 64 x 64", "40")
    text = str(measured)
    assert all(str(table) in text for table in measured.tables)
    answer = json.loads(json.dumps(measured.as_dict(), allow_nan=False))
    assert answer["tables"][0]["rows"][0][0] == "road grid 64 x 64"


@needs_opencl
def test_a_wrong_answer_is_not_timed(monkeypatch):
    ask = nearfar.sssp

    def spoiled(graph, source, **options):
        result = ask(graph, source, **options)
        if options["device"] != "cpu" and options["method"] == "frontier":
            options["out"][-1] += 1
        return result

    monkeypatch.setattr(nearfar, "sssp", spoiled)
    with pytest.raises(NearfarError, match="frontier on the device does not give the CPU's answer"):
        bench.run("opencl", "small")


@needs_opencl
def test_all_pairs():
    table = bench.all_pairs("a grid", nearfar.generate.road_grid(8, 8, seed=1), "opencl:0")
    assert table.title.startswith("All pairs of a grid (64 vertices, ") and is_markdown(table)


def test_sources_are_vertices_with_arcs():
    graph = nearfar.Graph.from_arcs([1, 3, 5], [2, 4, 6], n=9)
    assert bench.spread(graph, 64).tolist() == [1, 3, 5]
    assert len(bench.spread(nearfar.generate.road_grid(20, 20, seed=1), 64)) == 64


def test_options(run, monkeypatch):
    with pytest.raises(OptionError, match="'small', 'usual', 'large'"):
        bench.run("cpu", "huge")
    with pytest.raises(OptionError, match="several devices"):
        bench.run(["opencl:0", "opencl:1"], "small")
    run("bench", "--device", "opencl:0,opencl:1").error("measure one at a time")
    asked = []
    measured = bench.Bench("cuda:0", {"device": "a card"}, [bench.Table("One source", ("graph", "ms"), [("a", "1")])])
    monkeypatch.setattr(bench, "run", lambda *given: asked.append(given) or measured)
    assert run("bench").ok().out == ""  # all that there is to print was shown before
    assert run("bench", "--device", "cuda", "--size", "large", "--json").ok().json["about"] == {"device": "a card"}
    assert [given[:2] for given in asked] == [("auto", "usual"), ("cuda:0", "large")]


def test_each_table_is_printed_when_it_is_complete(run, monkeypatch, capfdbinary):
    """So that Ctrl-C loses only the one that is being measured; JSON says that the rest is missing."""
    printed = []

    def interrupted(*given):
        printed.append(capfdbinary.readouterr().out.decode())
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "prepared_rows", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run("bench", "--device", "cpu", "--size", "small")
    (text,) = printed
    assert text.startswith("On cpu; ") and text.count("\n\nOne source:\n\n| graph | method | ") == 1
    assert text.count("\n\n3 sources:\n\n| graph | method | ") == 1 and text.endswith(" |\n")
    with pytest.raises(KeyboardInterrupt):
        run("bench", "--device", "cpu", "--size", "small", "--json")
    answer = json.loads(capfdbinary.readouterr().out)
    assert answer["interrupted"] is True
    assert [table["title"] for table in answer["tables"]] == ["One source", "3 sources"]


def test_runs_that_count_nothing_say_so():
    run = bench.Run("delta", lambda: None)
    assert (run.moved, run.count("launches"), run.per_arc(5)) == (bench.NONE,) * 3
    run.stats = {"uploaded": 1_000_000, "downloaded": 500_000, "launches": 1234, "relaxations": np.int64(10)}
    assert (run.moved, run.count("launches"), run.per_arc(5)) == ("1.50", "1,234", "2.00")
