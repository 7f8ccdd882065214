"""What the query commands print: for people, for machines, and quietly."""

from __future__ import annotations

from dataclasses import replace

import pytest

import nearfar
from nearfar.devices import opencl

needs_opencl = pytest.mark.skipif(opencl.missing() is not None, reason=str(opencl.missing()))
RUN = {
    "nearfar", "command", "file", "graph", "method", "device", "threads", "why", "dtype", "cutoff", "direction",
    "seconds", "output",
}  # fmt: skip
KEYS = {
    "sssp": RUN | {"source", "reached", "unreached", "nearest", "farthest", "targets"},
    "mssp": RUN | {"rows", "distances", "bytes"},
    "apsp": RUN | {"pairs", "reached", "unreached", "farthest", "bytes"},
    "path": (RUN | {"source", "target", "distance", "arcs", "path", "rows"}) - {"output"},
    "nearest": RUN | {"reached", "unreached", "sources", "targets"},
}


def narrow(screen):
    """Check that a screen fits 80 columns, has no escapes and no trailing spaces; return its words."""
    assert "\x1b" not in screen
    for line in screen.splitlines():
        assert len(line) <= 80 and line == line.rstrip()
    return " ".join(screen.split())


def test_sssp_screen(run, roads):
    text = narrow(run("sssp", roads, "--source", 1).ok().out)
    assert "Distances from 1 in roads.gr" in text
    assert "graph 5 vertices, 6 arcs, int32 weights 1 to 8" in text
    assert "method dijkstra on cpu, 1 thread why" in text
    assert "time read" in text and "solved" in text
    assert "reached 4 vertices, 1 unreached" in text
    assert "nearest 3 2 2 5 4 6 farthest 4 6" in text


def test_sssp_targets(run, roads):
    text = narrow(run("sssp", roads, "-s", "1", "--to", "4").ok().out)
    assert "From 1 to 4 in roads.gr" in text
    assert "distance 6 path 1 → 3 → 2 → 4, 3 arcs" in text
    text = narrow(run("sssp", roads, "-s", "1", "--to", "4,5", "-t", "1").ok().out)
    assert "4 6 1 → 3 → 2 → 4, 3 arcs 5 unreached 1 0 1, 0 arcs" in text
    assert "distance unreached" in narrow(run("sssp", roads, "-s", "1", "--to", "5").ok().out)


def test_sssp_quiet(run, roads):
    assert run("sssp", roads, "-s", 1, "--to", 4, "--quiet").ok().out == "6\n"
    assert run("sssp", roads, "-s", 1, "--to", "4,5,3", "-q").ok().out == "6\nunreached\n2\n"


@pytest.mark.parametrize("command", [["sssp", "-s", "1"], ["mssp", "-s", "1,2"], ["apsp"], ["nearest", "-s", "1,2"]])
def test_quiet_prints_something(run, command):
    """A query whose answer nobody would see is a mistake, found before its file is read."""
    to = "-o or --json" if command[0] == "apsp" else "--to, -o or --json"
    run(command[0], "missing.gr", *command[1:], "-q").error(f"--quiet without {to} would print nothing")


def test_quiet_facts(run, roads):
    """The facts are the answer of info and plan: --quiet leaves them, and help says so."""
    for command in ("info", "plan"):
        shown = run(command, roads, "-q").ok().out
        assert "vertices" in shown
        assert "the facts are the answer" in " ".join(run(command, "--help").ok().out.split())


def test_sssp_json(run, roads):
    answer = run("sssp", roads, "-s", 1, "--json").ok().json
    assert set(answer) == KEYS["sssp"]
    assert answer["graph"] == {"vertices": 5, "arcs": 6, "undirected": False, "weight_type": "int32"}
    assert answer["command"] == "sssp" and answer["nearfar"] == nearfar.__version__
    assert (answer["source"], answer["reached"], answer["unreached"]) == (1, 4, 1)
    assert answer["nearest"][0] == {"vertex": 3, "distance": 2}
    assert answer["farthest"] == {"vertex": 4, "distance": 6}
    assert answer["targets"] == [] and answer["output"] is None and answer["cutoff"] is None
    assert set(answer["seconds"]) == {"read", "solve", "compile"}
    answer = run("sssp", roads, "-s", 1, "--to", "4,5", "--json", "--quiet").ok().json
    assert set(answer) == KEYS["sssp"]
    assert answer["targets"] == [
        {"vertex": 4, "distance": 6, "path": [1, 3, 2, 4]},
        {"vertex": 5, "distance": None, "path": None},
    ]
    assert answer["reached"] is None and answer["farthest"] is None


def test_sssp_options(run, roads):
    options = ("--method", "edge", "--threads", 1, "--dtype", "int64", "--cutoff", 5, "--memory", "1GB")
    answer = run("sssp", roads, "-s", 1, "--json", *options).ok().json
    assert (answer["method"], answer["threads"], answer["dtype"], answer["cutoff"]) == ("edge", 1, "int64", 5)
    assert answer["reached"] == 3
    assert "cutoff 5.5" in narrow(run("sssp", roads, "-s", 1, "--cutoff", 5.5, "--delta", 2).ok().out)
    assert run("sssp", roads, "-s", 1, "-t", 5, "-q", "--undirected").ok().out == "7\n"


def test_negative_weights(run, tmp_path):
    (tmp_path / "debts.txt").write_text("# a b w\na b 4\nb c -3\nc d -5\nd e 9\n", encoding="utf8")
    assert run("sssp", "debts.txt", "-s", "a", "-t", "d", "-q").ok().out == "-4\n"
    assert run("path", "debts.txt", "a", "c", "-q").ok().out == "a\nb\nc\n"
    run("sssp", "debts.txt", "-s", "a", "--method", "dijkstra").error("dijkstra", "--method frontier")


def test_path(run, roads, friends):
    text = narrow(run("path", roads, 1, 4).ok().out)
    assert "distance 6, over 3 arcs path 1 → 3 → 2 → 4" in text
    answer = run("path", friends, "Ann", "Dora", "--json").ok().json
    assert set(answer) == KEYS["path"]
    assert (answer["distance"], answer["arcs"]) == (9, 3)
    assert answer["path"] == ["Ann", "Bob", "Cid, the elder", "Dora"]
    run("path", roads, 1, 5).error("no path from 1 to 5")
    run("path", roads, 1, 4, "--cutoff", 3).error("no path from 1 to 4 within the cutoff 3")


def test_path_by_options(run, roads):
    """--source and --to, as in sssp, instead of two arguments; not half of each."""
    assert run("path", roads, "--source", 1, "--to", 4, "-q").ok().out == "1\n3\n2\n4\n"
    assert run("path", roads, "-s", 1, "-t", 2, "-q").ok().out == "1\n3\n2\n"
    needed = "Two vertices are needed, as SOURCE TARGET or as --source SOURCE --to TARGET; given: "
    for given, told in (
        ([], "none"),
        ([1], "1"),
        ([1, 2, 3], "1, 2, 3"),
        ([1, 2, "--to", 4], "1, 2, --to 4"),
        ([1, 2, "--source", 1, "--to", 4], "1, 2, --source 1, --to 4"),
        (["--source", 1], "--source 1"),
        (["--to", 4], "--to 4"),
    ):
        run("path", "missing.gr", *given).error(f"{needed}{told}.")


def test_long_ways(run, tmp_path):
    n = 400
    lines = [f"p sp {n} {n - 1}", *(f"a {v} {v + 1} 2" for v in range(1, n))]
    (tmp_path / "line.gr").write_text("\n".join(lines), encoding="utf8")
    text = narrow(run("sssp", "line.gr", "-s", 1, "-t", n).ok().out)
    assert "path 1 → 2 → 3" in text and "→ ... →" in text and "→ 400, 399 arcs" in text
    assert len(run("sssp", "line.gr", "-s", 1, "-t", n, "--json").ok().json["targets"][0]["path"]) == n
    assert narrow(run("path", "line.gr", 1, n).ok().out).count("→") == n - 1
    text = narrow(run("sssp", "line.gr", "-s", 1, "-t", "400,2").ok().out)
    assert "400 798 1 →" in text and "2 2 1 → 2, 1 arc" in text


def test_mssp(run, roads, tmp_path):
    text = narrow(run("mssp", roads, "--sources", "1,5").ok().out)
    assert "Distances from 2 sources in roads.gr" in text
    assert "answer 2 x 5 int32, 40 bytes reached 6 pairs, 4 unreached farthest 1 → 4, distance 6" in text
    assert "1 4 4 6 5 2 4 1" in text
    (tmp_path / "list.txt").write_text("# sources\n3\n\n5 # far off\n", encoding="utf8")
    for given in (["--sources", "@list.txt"], ["--sources-from", "list.txt"], ["-s", "3", "-s", "5"]):
        answer = run("mssp", roads, *given, "--json").ok().json
        assert set(answer) == KEYS["mssp"] and answer["distances"] is None
        assert [row["source"] for row in answer["rows"]] == [3, 5]
        assert answer["rows"][1] == {
            "source": 5,
            "reached": 2,
            "unreached": 3,
            "farthest": {"vertex": 4, "distance": 1},
        }
    assert "2 more" in narrow(run("mssp", roads, "-s", ",".join("123451234512")).ok().out)


def test_pairs(run, roads):
    text = narrow(run("mssp", roads, "-s", "1,5", "--to", "4,2", "-t", "5").ok().out)
    assert "Distances from 2 sources to 3 targets in roads.gr" in text
    assert "reached 4 pairs, 2 unreached" in text
    assert "source target distance 1 4 6 1 2 5 1 5 unreached 5 4 1 5 2 unreached 5 5 0" in text
    answer = run("mssp", roads, "-s", "5,1", "--to", "4,5", "--json").ok().json
    assert set(answer) == KEYS["mssp"] and answer["rows"] is None and answer["bytes"] == 16
    assert answer["distances"] == [
        {"source": 5, "target": 4, "distance": 1},
        {"source": 5, "target": 5, "distance": 0},
        {"source": 1, "target": 4, "distance": 6},
        {"source": 1, "target": 5, "distance": None},
    ]
    assert run("mssp", roads, "-s", "5,1", "--to", "4,5", "-q").ok().out == "1\n0\n6\nunreached\n"
    assert run("mssp", roads, "-s", "1", "--to", "4", "-q", "--cutoff", 5).ok().out == "unreached\n"


def test_many_pairs(run, tmp_path):
    """Forty lines are shown, and how many are not; the pairs are those of whole rows."""
    run("generate", "road_grid", "--rows", 5, "--cols", 6, "-o", "grid.gr", "-q").ok()
    some = ",".join(map(str, range(1, 8)))
    text = run("mssp", "grid.gr", "-s", some, "--to", some).ok().out
    assert text.endswith("\n\n9 more pairs; -o FILE.csv writes all reached pairs.\n")
    lines = text.partition("source   target   distance\n")[2].splitlines()
    assert len(lines) == 42 and lines[39].split()[:2] == ["6", "5"]
    assert "more pairs" not in run("mssp", "grid.gr", "-s", "1,2,3,4", "--to", "1,2,3,4,5,6,7,8,9,10").ok().out
    rows = nearfar.apsp(nearfar.read(tmp_path / "grid.gr")).dist
    answer = run("mssp", "grid.gr", "-s", some, "--to", some, "--json").ok().json
    for pair in answer["distances"]:
        assert pair["distance"] == rows[pair["source"] - 1, pair["target"] - 1]


def test_pairs_over_negative_weights(run, tmp_path):
    (tmp_path / "debts.txt").write_text("a b 4\nb c -3\na c 2\nc d -5\nd e 9\n", encoding="utf8")
    assert run("mssp", "debts.txt", "-s", "a,b", "-t", "c,e", "-q").ok().out == "1\n5\n-3\n1\n"


def test_apsp(run, roads):
    text = narrow(run("apsp", roads).ok().out)
    assert "Distances between all pairs in roads.gr" in text
    assert "reached 12 pairs, 13 unreached farthest 1 → 4, distance 6" in text
    answer = run("apsp", roads, "--json").ok().json
    assert set(answer) == KEYS["apsp"]
    assert (answer["pairs"], answer["reached"], answer["unreached"], answer["bytes"]) == (25, 12, 13, 100)
    assert answer["farthest"] == {"source": 1, "vertex": 4, "distance": 6}


def test_nearest(run, roads, friends):
    text = narrow(run("nearest", roads, "--sources", "3,5").ok().out)
    assert "The nearest of 2 sources in roads.gr" in text and "reached 4 vertices, 1 unreached" in text
    assert "3 2 2 3 5 2 4 1" in text
    assert "4 5 1 1 unreached" in narrow(run("nearest", roads, "-s", "3,5", "--to", "4,1").ok().out)
    assert run("nearest", roads, "-s", "3,5", "--to", "4,1", "-q").ok().out == "1\nunreached\n"
    answer = run("nearest", friends, "-s", "Ann", "-s", "Cid, the elder", "-t", "Dora", "--json").ok().json
    assert set(answer) == KEYS["nearest"]
    assert answer["sources"] == [
        {"source": "Ann", "vertices": 2, "farthest": {"vertex": "Bob", "distance": 2}},
        {"source": "Cid, the elder", "vertices": 2, "farthest": {"vertex": "Dora", "distance": 4}},
    ]
    target = {"source": "Cid, the elder", "vertex": "Dora", "distance": 4, "path": ["Cid, the elder", "Dora"]}
    assert answer["targets"] == [target]


def test_names(run, friends):
    text = narrow(run("sssp", friends, "--source", "Ann").ok().out)
    assert "nearest Bob 2 Cid, the elder 5 Dora 9 farthest Dora 9" in text
    assert run("sssp", friends, "-s", "Ann", "-t", "Cid, the elder", "-q").ok().out == "5\n"
    assert run("sssp", friends, "-s", "Ann", "-t", "Bob,Dora", "-q").ok().out == "2\n9\n"
    assert run("sssp", friends, "-s", "Ann", "-t", "Dora", "-q", "--weight", "none").ok().out == "2\n"
    run("sssp", friends, "-s", "Anne").error("source 'Anne' is not a vertex", "Did you mean 'Ann'?")
    run("sssp", friends, "-s", "Ann", "-t", "Bob,Zoe").error("target 'Zoe' is not a vertex")


def test_floats(run, tmp_path):
    (tmp_path / "f.csv").write_text("a,b,0.1\nb,c,0.2\n", encoding="utf8")
    assert run("sssp", "f.csv", "-s", "a", "-t", "c", "-q").ok().out == f"{0.1 + 0.2}\n"
    assert "distance 0.3 path" in narrow(run("sssp", "f.csv", "-s", "a", "-t", "c").ok().out)
    assert run("sssp", "f.csv", "-s", "a", "--json").ok().json["farthest"]["distance"] == 0.1 + 0.2


def test_without_arrows(run, roads, monkeypatch):
    """Where standard output cannot write an arrow, it is made of two signs."""
    from nearfar.cli import screen

    class Plain:
        encoding = "ascii"

    monkeypatch.setattr(screen.sys, "stdout", Plain())
    assert screen.whole_path([1, 2]) == "1 -> 2"


@pytest.mark.parametrize("source", [[], ["--source", "1"], ["--sources", "1,2"]])
def test_plan(run, roads, source):
    text = narrow(run("plan", roads, *source).ok().out)
    assert "method dijkstra on cpu" in text and "that may be used" in text
    answer = run("plan", roads, *source, "--json").ok().json
    assert answer["rows"] == {0: 5, 1: 1, 2: 2}[len(source) and (1 if source[0] == "--source" else 2)]
    assert answer["fits"] and answer["bytes"] <= answer["available_bytes"]


def test_plan_that_does_not_fit(run, roads):
    assert "too much" in narrow(run("plan", roads, "--memory", "1kB").ok().out)
    assert run("plan", roads, "--memory", "1kB", "--json").ok().json["fits"] is False
    run("apsp", roads, "--memory", "1kB").error("1.00 kB may be used")
    run("plan", roads, "--source", 1, "--sources", "1,2").error("leave one out")


@needs_opencl
def test_plan_on_a_gpu(run, roads):
    """It says what the query would: batches, and the way out of a limit that is too small."""
    text = narrow(run("plan", roads, "--device", "opencl", "--method", "delta").ok().out)
    assert "method delta on opencl:0, one row per group why" in text and "may be used on opencl:0" in text
    answer = run("plan", roads, "--device", "opencl", "--method", "delta", "--json").ok().json
    assert (answer["arc_batches"], answer["row_batches"], answer["groups"]) == (1, 1, "one row per group")
    text = narrow(run("plan", roads, "--device", "opencl", "--source", 1, "--memory", "100").ok().out)
    assert "too much frontier" in text and "Allow more memory, or use --device cpu." in text


def test_plan_of_an_answer_that_the_machine_cannot_hold(run, roads, monkeypatch):
    """The rows of a GPU come home: they may fit there and not here."""
    decided = nearfar.plan(nearfar.read(roads))
    large = replace(decided, host_bytes=2 * 10**9, host_available=10**9)
    monkeypatch.setattr(nearfar, "plan", lambda *args, **options: large)
    assert "need 2.00 GB of the machine's memory" in narrow(run("plan", roads).ok().out)
    assert run("plan", roads, "--json").ok().json["fits"] is False


def test_directions(run, roads):
    text = narrow(run("sssp", roads, "-s", 4, "--direction", "to").ok().out)
    assert "Distances to 4 in roads.gr" in text and "farthest 1 6" in text
    text = narrow(run("sssp", roads, "-s", 4, "--to", 1, "--direction", "to").ok().out)
    assert "From 1 to 4 in roads.gr" in text and "distance 6 path 1 → 3 → 2 → 4, 3 arcs" in text
    answer = run("sssp", roads, "-s", 4, "--to", 1, "--direction", "to", "--json").ok().json
    assert answer["direction"] == "to" and answer["targets"][0]["path"] == [1, 3, 2, 4]
    text = narrow(run("mssp", roads, "-s", "4,2", "--direction", "to").ok().out)
    assert "Distances to 2 sources" in text and "1 → 4, distance 6" in text and "target reached farthest" in text
    text = narrow(run("mssp", roads, "-s", "4,2", "-t", 1, "--direction", "to").ok().out)
    assert "Distances from 1 source to 2 targets" in text and "source target distance 1 4 6 1 2 5" in text
    text = narrow(run("nearest", roads, "-s", "4,2", "-t", "1,5", "--direction", "to").ok().out)
    assert "target nearest distance 1 2 5 5 4 1" in text
    answer = run("nearest", roads, "-s", "4,2", "-t", 1, "--direction", "to", "--json").ok().json
    assert answer["targets"] == [{"source": 2, "vertex": 1, "distance": 5, "path": [1, 3, 2]}]
    run("apsp", roads, "--direction", "to").error("--direction")


def test_several_nearest(run, roads):
    text = narrow(run("nearest", roads, "-s", "1,3", "--k", 2).ok().out)
    assert "The 2 nearest of 2 sources" in text and "reached 4 vertices, 1 unreached" in text
    assert "source vertices farthest distance 1 4 4 6 3 3 4 4" in text
    text = narrow(run("nearest", roads, "-s", "1,3", "--k", 2, "--to", "4,5").ok().out)
    assert "target nearest distance 4 3 4 4 1 6 5 unreached" in text
    answer = run("nearest", roads, "-s", "1,3", "--k", 2, "--to", 4, "--json").ok().json
    assert set(answer) == KEYS["nearest"] and answer["reached"] == 4
    assert answer["targets"] == [
        {"source": 3, "vertex": 4, "distance": 4, "path": [3, 2, 4]},
        {"source": 1, "vertex": 4, "distance": 6, "path": [1, 3, 2, 4]},
    ]
    assert run("nearest", roads, "-s", "1,3", "--k", 2, "--to", "4,5", "-q").ok().out == "4\n6\nunreached\n"
    back = run("nearest", roads, "-s", "4,2", "--k", 2, "--to", 1, "--direction", "to", "--json").ok().json
    assert [(found["source"], found["path"]) for found in back["targets"]] == [(2, [1, 3, 2]), (4, [1, 3, 2, 4])]
    run("nearest", roads, "-s", 1, "--k", 0).error("'0' is not a count")
    run("nearest", roads, "-s", 1, "--k", 2, "-o", "a.npz", "--predecessors").error("--predecessors needs one source")


def test_rows_and_closed_rows(run, roads):
    """The path as rows of the file; without one of them it is another path."""
    whole = run("path", roads, 1, 4, "--json").ok().json
    graph = nearfar.read(roads)
    assert whole["rows"] == nearfar.sssp(graph, 1).path_rows(4).tolist()
    closed = run("path", roads, 1, 4, "--close", whole["rows"][0], "--json").ok().json
    assert closed["distance"] == nearfar.distance(graph.close(whole["rows"][:1]), 1, 4) > whole["distance"]
    assert closed["graph"]["arcs"] == graph.m - 1 and whole["rows"][0] not in closed["rows"]
    run("path", roads, 1, 4, "--close", "x").error("'x' is no row of the file")
    run("path", roads, 1, 4, "--close", "99").error("row 99 does not exist: the graph has 6 rows, 0 to 5")


def test_starts(run, roads):
    graph = nearfar.read(roads)
    answer = run("sssp", roads, "-s", 1, "--start", "2=1.5", "--to", "4", "--json").ok().json
    wanted = nearfar.sssp(graph, {1: 0, 2: 1.5})
    assert answer["source"] == [{"vertex": 1, "distance": 0}, {"vertex": 2, "distance": 1.5}]
    assert answer["targets"] == [{"vertex": 4, "distance": wanted[4], "path": wanted.path(4)}]
    assert "From 1 at 0, 2 at 1.5 to 4" in narrow(run("sssp", roads, "-s", 1, "--start", "2=1.5", "--to", 4).ok().out)
    late = run("sssp", roads, "-s", 1, "--start", "1=7", "--to", "1", "-q").ok().out
    assert late == "7\n"
    for word in ("2", "=3", "2=x", "2=-1", "2=inf"):
        run("sssp", roads, "-s", 1, "--start", word).error(f"'{word}' is no start: write VERTEX=DISTANCE")
