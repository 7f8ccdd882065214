"""Tables that are written while they are found: the same lines as in memory, whole or absent, in bounded memory."""

from __future__ import annotations

import csv
import errno
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.marks import HANG, child_environment
from nearfar.errors import MemoryLimitError, OptionError
from nearfar.store import lines as pieces
from nearfar.store import sheets, streams
from nearfar.store.sheets import SHEETS

pq = pytest.importorskip("pyarrow.parquet")
pandas = pytest.importorskip("pandas")

NAMES = {
    "indices": lambda n: None,
    "numbers": lambda n: [10 * v + 3 for v in range(n)],
    "words": lambda n: [f"stop {v}, north" for v in range(n)],
    "tuples": lambda n: [("line", v) for v in range(n)],
    "mixed": lambda n: [v + 0.5 if v % 2 else f"v{v}" for v in range(n)],
}


def named(case, kind):
    """Return the graph of a case, with names of some kind."""
    return nearfar.Graph.from_arcs(*case.arrays(), n=case.n, names=NAMES[kind](case.n))


def expected(answer):
    """Return the lines of an answer in memory, as files call them."""
    frame = answer.to_frame()
    names = answer.graph.names
    words = names is not None and not all(isinstance(name, int) for name in names)
    ends = [list(map(str, frame[name])) if words else frame[name].tolist() for name in frame.columns[:2]]
    return list(frame.columns), list(zip(*ends, frame["distance"].tolist(), strict=True))


def found(path, dtype=np.int64):
    """Return the lines of a file; text does not say of which type distances are."""
    if str(path).endswith(".parquet"):
        table = pq.read_table(path)
        return table.column_names, [tuple(line.values()) for line in table.to_pylist()]
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    columns, *lines = csv.reader(io.StringIO(data.decode(), newline=""))
    return columns, [(*map(called, ends), np.dtype(dtype).type(word).item()) for *ends, word in lines]


def called(word):
    """Return a name as a frame has it."""
    return int(word) if word.isdecimal() else word


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Make groups and pieces so small that small answers have several."""
    monkeypatch.setattr(pieces, "PIECE", 16)
    monkeypatch.setattr(streams, "GROUP", 20)


@given(
    strategies.queries(),
    st.sampled_from(sorted(NAMES)),
    st.sampled_from(["from", "to"]),
    st.sampled_from([None, 0, 3]),
    st.sampled_from([*SHEETS, ".parquet"]),
)
def test_rows_have_the_lines_of_the_frame(tmp_path_factory, query, kind, direction, cutoff, ending):
    case, sources = query
    graph = named(case, kind)
    names = [graph.name(v) for v in sources]
    path = tmp_path_factory.mktemp("t") / f"t{ending}"
    answer = nearfar.mssp(graph, names, direction=direction, cutoff=cutoff)
    written = nearfar.mssp(graph, names, direction=direction, cutoff=cutoff, out=path)
    assert found(path, answer.rows.dtype) == expected(answer)
    assert (written.rows, written.columns, written.lines) == (*answer.rows.shape, len(answer.to_frame()))
    assert written.bytes == os.path.getsize(path) and written.dtype == answer.rows.dtype


@given(strategies.queries(), st.data(), st.sampled_from(["from", "to"]), st.booleans())
def test_tables_have_the_lines_of_the_frame(tmp_path_factory, query, data, direction, divided):
    """Also with repeated targets, searched from either side, in one part or in several."""
    case, sources = query
    graph = named(case, "words")
    ends = data.draw(st.lists(st.integers(0, case.n - 1), min_size=1, max_size=5))
    path = tmp_path_factory.mktemp("t") / "t.parquet"
    sides = [[graph.name(v) for v in some] for some in (sources, ends)]
    with pytest.MonkeyPatch.context() as patch:
        if divided:
            parts = streams._parts
            patch.setattr(streams, "_parts", lambda *given: (parts(*given)[0], 1))
        nearfar.mssp(graph, sides[0], targets=sides[1], direction=direction, out=path)
    answer = nearfar.mssp(graph, sides[0], targets=sides[1], direction=direction)
    columns, lines = expected(answer)
    assert found(path)[0] == columns
    for ours, theirs in zip(found(path)[1], lines, strict=True):
        assert ours[:2] == theirs[:2] and ours[2] == pytest.approx(theirs[2], rel=1e-6)


@given(strategies.cases(min_n=0))
def test_all_pairs_in_blocks(tmp_path_factory, case):
    """Every block is one row; the type is that of all blocks."""
    graph = nearfar.Graph.from_arcs(*case.arrays(), n=case.n)
    path = tmp_path_factory.mktemp("t") / "t.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nearfar.engine.blocks.RowBlocks._rows_of", lambda *given: 1)
        written = nearfar.apsp(graph, out=str(path))
    answer = nearfar.apsp(graph)
    assert found(path) == expected(answer)
    assert written.dtype.itemsize >= answer.rows.dtype.itemsize or graph.n < 2


def test_cells(tmp_path):
    graph = nearfar.Graph.from_raster(np.ones((3, 4)))
    nearfar.mssp(graph, [(0, 0), (2, 3)], out=tmp_path / "t.parquet")
    nearfar.mssp(graph, [(0, 0), (2, 3)], out=tmp_path / "t.csv")
    lines = expected(nearfar.mssp(graph, [(0, 0), (2, 3)]))
    assert found(tmp_path / "t.parquet") == found(tmp_path / "t.csv", np.float64) == lines


def test_wide_distances_from_the_first_block_on(tmp_path, monkeypatch):
    """A block whose distances are short has the type of the block whose distances are long."""
    graph = nearfar.Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 2_000_000_000, 2_000_000_000])
    monkeypatch.setattr("nearfar.engine.blocks.RowBlocks._rows_of", lambda *given: 1)
    written = nearfar.mssp(graph, [3, 2, 0], out=tmp_path / "t.parquet")
    assert written.dtype == np.int64
    assert found(tmp_path / "t.parquet")[1][-1] == (0, 3, 4_000_000_005)
    short = nearfar.mssp(graph, [3, 2, 0], cutoff=100, out=tmp_path / "t.parquet")
    assert short.dtype == np.int32 and short.lines == 4


def test_row_groups_hold_whole_sources(tmp_path):
    graph = nearfar.generate.road_grid(3, 3, seed=1)  # rows of 9 lines: two to a group of 20
    nearfar.apsp(graph, out=tmp_path / "t.parquet")
    file = pq.ParquetFile(tmp_path / "t.parquet")
    assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [18, 18, 18, 18, 9]
    groups = [set(file.read_row_group(i)["source"].to_pylist()) for i in range(file.num_row_groups)]
    assert groups == [{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8}]
    wide = nearfar.generate.road_grid(5, 5, seed=1)  # rows of 25 lines: larger than a group
    nearfar.mssp(wide, [3, 4], out=tmp_path / "t.parquet")
    metadata = pq.ParquetFile(tmp_path / "t.parquet").metadata
    assert sum(metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)) == 50
    assert max(metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)) <= 20


def test_what_the_file_says_of_itself(tmp_path):
    graph = nearfar.Graph.from_arcs(["a", "b"], ["b", "c"], [1.5, 2.5], names=True)
    written = nearfar.mssp(graph, ["c"], direction="to", cutoff=3, out=tmp_path / "t.parquet")
    schema = pq.read_schema(tmp_path / "t.parquet")
    said = {key.decode(): value.decode() for key, value in schema.metadata.items()}
    assert {key: said[f"nearfar_{key}"] for key in ("direction", "cutoff", "dtype", "unreached", "rounded")} == {
        "direction": "to", "cutoff": "3", "dtype": "float64", "unreached": "no line", "rounded": "false",
    }  # fmt: skip
    assert [str(kind) for kind in schema.types[:2]] == ["dictionary<values=string, indices=int32, ordered=0>"] * 2
    assert schema.names == ["target", "source", "distance"]
    assert pq.ParquetFile(tmp_path / "t.parquet").metadata.row_group(0).column(0).compression == "ZSTD"
    assert written.open().count_rows() == written.lines == 2
    assert written.describe()["direction"] == "to" and os.fspath(written) == str(tmp_path / "t.parquet")


def test_readers(tmp_path):
    """What has several row groups, words and whole numbers is read by pandas, polars and DuckDB."""
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    words = nearfar.Graph.from_arcs(
        *np.array([(v, (v + 1) % 30) for v in range(30)]).T, [*range(30)], names=[f"v{v}" for v in range(30)]
    )
    for graph in (words, words.without_names()):
        path = str(tmp_path / "t.parquet")
        nearfar.apsp(graph, out=path)
        lines = expected(nearfar.apsp(graph))[1]
        assert [tuple(line) for line in pandas.read_parquet(path).to_numpy().tolist()] == lines
        assert polars.read_parquet(path).rows() == lines
        assert duckdb.sql(f"select * from '{path}'").fetchall() == lines
        assert polars.scan_parquet(path).filter(polars.col("distance") == 29).collect().height == sum(
            line[2] == 29 for line in lines
        )


def test_equal_answers_give_equal_bytes(tmp_path):
    graph = nearfar.generate.road_grid(6, 6, seed=1)
    for ending in SHEETS:
        files = [tmp_path / f"{name}{ending}" for name in "ab"]
        for file in files:
            nearfar.apsp(graph, out=file)
        assert files[0].read_bytes() == files[1].read_bytes()
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()) == (tmp_path / "a.csv").read_bytes()


def test_refused(tmp_path):
    graph = nearfar.Graph.from_arcs([0], [1])
    for given_options in ({"existing": "restart"}, {"join": True}):
        with pytest.raises(OptionError, match=r"is for stores"):
            nearfar.apsp(graph, out=tmp_path / "t.parquet", **given_options)
    with pytest.raises(OptionError, match=r"\.zarr.*\.csv, \.csv\.gz or \.parquet"):
        nearfar.apsp(graph, out=tmp_path / "t.txt")
    with pytest.raises(nearfar.errors.FileError, match="no folder"):
        nearfar.apsp(graph, out=tmp_path / "no" / "t.csv")
    large = nearfar.generate.road_grid(200, 200, seed=1)
    with pytest.raises(MemoryLimitError, match="may be used"):
        nearfar.apsp(large, out=tmp_path / "t.csv", memory=10_000)
    assert list(tmp_path.iterdir()) == []


def test_plan(tmp_path):
    graph = nearfar.generate.road_grid(100, 100, seed=1)
    plan = nearfar.plan(graph, out=tmp_path / "t.parquet", memory="60MB")
    assert plan.bytes <= 60_000_000 and plan.rows == graph.n
    table = nearfar.plan(graph, list(range(5000)), targets=list(range(5000)), out="t.csv", memory="60MB")
    assert table.bytes <= 60_000_000 and (table.rows, table.n) == (5000, 5000)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing(tmp_path, monkeypatch):
    graph = nearfar.generate.road_grid(6, 6, seed=1)
    (tmp_path / "t.parquet").write_bytes(b"before")

    def full(*given):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sheets.Parquet, "_write", full)
    with pytest.raises(nearfar.errors.FileError, match="No space left on device"):
        nearfar.apsp(graph, out=tmp_path / "t.parquet")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("t.parquet", b"before")]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("ending", SHEETS)
def test_a_device_that_is_full(tmp_path, ending):
    """What really fails while the file is written, or when it is ended, is an error of ours."""
    (tmp_path / f"t{ending}").symlink_to("/dev/full")
    with pytest.raises(nearfar.errors.FileError):
        nearfar.apsp(nearfar.generate.road_grid(30, 30, seed=1), out=tmp_path / f"t{ending}")


@pytest.mark.parametrize("ending", SHEETS)
def test_interrupted(tmp_path, monkeypatch, ending):
    """Ctrl-C between two pieces leaves nothing, and no thread goes on."""
    graph, count = nearfar.generate.road_grid(9, 9, seed=1), 0

    def progress(done, total):
        nonlocal count
        count += 1
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nearfar.apsp(graph, out=tmp_path / f"t{ending}", progress=progress)
    assert list(tmp_path.iterdir()) == [] and count


@pytest.mark.parametrize(
    "query", [["apsp"], ["mssp", "-s", "5,1,4"], ["mssp", "-s", "5,1,4", "--direction", "to"]], ids=str
)
@pytest.mark.parametrize("ending", SHEETS)
def test_commands_say_what_they_said(run, roads, monkeypatch, query, ending):
    """What is printed is folded from blocks of one row; nothing but the size of the file differs."""
    options = [query[0], roads, *query[1:], "-o"]
    whole = run(*options, "a.npz").ok().out, run(*options, "a.npz", "--json").ok().json
    monkeypatch.setattr("nearfar.engine.blocks.RowBlocks._rows_of", lambda *given: 1)
    monkeypatch.setattr("nearfar.store.writing.answer_lines", None)  # which takes answers that are in memory
    parts = run(*options, f"a{ending}").ok().out, run(*options, f"a{ending}", "--json").ok().json
    for text in zip(*(out.splitlines() for out in (whole[0], parts[0])), strict=True):
        assert text[0] == text[1] or text[0].startswith(("time ", "written "))
    for document in (whole[1], parts[1]):
        del document["seconds"], document["output"]
    assert whole[1] == parts[1]
    assert run("verify", roads, f"a{ending}").ok().out.startswith("exact: ")


@given(strategies.cases(), st.sampled_from(sorted(NAMES)), st.sampled_from(["from", "to"]), st.sampled_from(SHEETS))
def test_pairs_within_a_cutoff(tmp_path_factory, case, kind, direction, ending):
    near = nearfar.metrics.within(named(case, kind), 3, direction=direction)
    path = tmp_path_factory.mktemp("t") / f"t{ending}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nearfar.metrics.sparse.LINES", 7)
        near.save(path)
    assert found(path, near.dist.dtype) == expected(near)


def test_pairs_within_a_cutoff_in_groups(tmp_path, monkeypatch):
    near = nearfar.metrics.within(nearfar.generate.road_grid(5, 5, seed=1), 1500)
    monkeypatch.setattr(sheets, "GROUP", 20)
    near.to_parquet(tmp_path / "t.parquet")
    file = pq.ParquetFile(tmp_path / "t.parquet")
    groups = [set(file.read_row_group(i)["source"].to_pylist()) for i in range(file.num_row_groups)]
    assert len(groups) > 1 and sum(map(len, groups)) == 25
    with pytest.raises(OptionError, match=r"should end in one of \.csv, \.csv\.gz, \.parquet"):
        near.save(tmp_path / "t.npz")


JOB = """
import sys
import nearfar
graph = nearfar.generate.road_grid(300, 300, seed=1)
print("begun", flush=True)
nearfar.apsp(graph, out=sys.argv[1])
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_ended_jobs_leave_no_table(tmp_path, how):
    """A job that is ended leaves no file of its name; after Ctrl-C not even a part."""
    command = [sys.executable, "-c", JOB, str(tmp_path / "t.parquet")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=child_environment()) as job:
        job.stdout.readline()
        ended = time.monotonic() + HANG
        while not any(path.stat().st_size for path in tmp_path.iterdir()) and time.monotonic() < ended:
            time.sleep(0.01)
        job.send_signal(how)
        assert job.wait(HANG) != 0
    assert not (tmp_path / "t.parquet").exists()
    if how == signal.SIGINT:
        assert list(tmp_path.iterdir()) == []


MEMORY = """
import json, sys, threading, time
import numpy as np
import nearfar, numba, pyarrow.parquet
graph = nearfar.generate.road_grid(150, 150, seed=1)
if json.loads(sys.argv[2]):
    graph = nearfar.Graph.from_arcs(graph.tails, graph.heads, graph.weights, names=[f"v{v}" for v in range(graph.n)])

def anonymous():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("RssAnon"))

def query(sources, memory):
    options = {"out": sys.argv[1], "memory": memory, "method": "dijkstra"}
    names = [graph.name(v) for v in range(sources)]
    if json.loads(sys.argv[3]):
        return nearfar.table(graph, names, [graph.name(v) for v in range(4000)], **options)
    return nearfar.mssp(graph, names, **options)

query(64, "40MB")  # loads and compiles
before, peak, over = anonymous(), 0, threading.Event()

def watch():
    global peak
    while not over.is_set():
        peak = max(peak, anonymous())
        time.sleep(0.001)

watcher = threading.Thread(target=watch)
watcher.start()
written = query(1500, "40MB")
over.set()
watcher.join()
print(json.dumps([peak - before, written.lines]))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="only Linux tells what memory is ours")
@pytest.mark.parametrize("names", [False, True], ids=["indices", "words"])
@pytest.mark.parametrize(("ending", "of_table"), [(".parquet", False), (".csv", False), (".parquet", True)])
def test_memory_is_a_promise(tmp_path, ending, of_table, names):
    """The rows would take 135 MB, the table 24."""
    command = [sys.executable, "-c", MEMORY, str(tmp_path / f"t{ending}"), json.dumps(names), json.dumps(of_table)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG, env=child_environment(), check=False)
    assert done.returncode == 0, done.stderr
    peak, lines = json.loads(done.stdout)
    assert lines == 1500 * (4000 if of_table else 22_500)
    assert peak <= 40_000_000
