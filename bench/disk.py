"""Weigh graphs whose arcs stay on the disk: ``python bench/disk.py [--write] [--small] [--folder DIR]``.

Generators, conversions and queries each run in a process of their own, with two threads. One more looks at RssAnon in
/proc/self/status: the peak of anonymous memory over what there was before. A query may use its vertex arrays and a
quarter of the arcs. Its distances are compared with those of another process that has all arcs in memory, byte by byte.
Bytes are those that were asked of the file system, which may have them in memory. Wall-clock times hold for the load
that the table names; CPU time depends less on it. --write puts the tables into docs/scale.md, --small takes smaller
graphs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import nearfar

sys.path.insert(0, str(Path(__file__).parent))
import report
from nearfar.methods.blocks import slot_bytes
from nearfar.methods.streamed import PYTHON, work_bytes

DATA = Path(__file__).parent.parent.parent / "shared" / "data"
PAGE = Path(__file__).parent.parent / "docs" / "scale.md"
THREADS = 2
TABLES = ("generators", "conversions", "queries")
MANY = 10**8  # bytes of arcs up to which 16 sources are searched: of R-MAT 22 they take ten minutes
BETWEEN = 0.001  # seconds between two looks at the memory
Facts = dict[str, Any]


def anonymous() -> int:
    """Return the bytes of anonymous memory of this process."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


class Weighed:
    """A context manager that measures what is done in it: wall-clock and CPU seconds, peak of anonymous memory."""

    def __enter__(self) -> Weighed:
        self._base, self._peak, self._over = anonymous(), 0, threading.Event()
        self._watcher = threading.Thread(target=self._watch)
        self._watcher.start()
        self._cpu, self._began = os.times(), time.perf_counter()
        return self

    def _watch(self) -> None:
        while not self._over.wait(BETWEEN):
            self._peak = max(self._peak, anonymous() - self._base)

    def __exit__(self, *failure: object) -> None:
        seconds, now = time.perf_counter() - self._began, os.times()
        self._over.set()
        self._watcher.join()
        cpu = now.user - self._cpu.user, now.system - self._cpu.system
        self.facts = {"seconds": seconds, "user": cpu[0], "system": cpu[1], "peak": self._peak, "base": self._base}


def generate(kind: str, options: Facts, out: str, memory: int) -> Facts:
    """Generate a graph straight to the disk; a small one before, which loads kernels."""
    make = getattr(nearfar.generate, kind)
    small = {"scale": 10} if kind == "rmat" else {"rows": 40, "cols": 40}
    make(**(options | small), out=f"{out}.small.nearfar")
    with Weighed() as weighed:
        graph = make(**options, out=out, memory=memory)
    return weighed.facts | {"n": graph.n, "m": graph.m, "arcs": graph.arc_file.nbytes}


def convert(small: str, source: str, out: str, memory: int) -> Facts:
    """Convert a file; a small one before."""
    nearfar.convert(small, out, memory)
    with Weighed() as weighed:
        nearfar.convert(source, out, memory)
    graph = nearfar.Graph.open(out)
    return weighed.facts | {"n": graph.n, "m": graph.m, "arcs": graph.arc_file.nbytes}


def ask(folder: str, query: str, sources: list[int], method: str, share: float | None) -> Facts:
    """Ask one query; with room for a share of the arcs beside the vertices, or with all memory."""
    graph = nearfar.Graph.open(folder)
    rows = 1 if query in ("sssp", "nearest") else len(sources)
    room = None
    if share is not None:
        work = work_bytes(graph, rows, THREADS) + rows * 4 * graph.n
        room = work + int(share * graph.arc_file.nbytes / (1 - PYTHON)) + slot_bytes(graph)
    warm(query)
    given = sources[0] if query == "sssp" else sources
    with Weighed() as weighed:
        found = getattr(nearfar, query)(graph, given, method=method, memory=room, threads=THREADS)
        dist = found.dist if query != "mssp" else found.rows
    stats = (found.distances if query == "nearest" else found).stats
    digest = hashlib.sha256(np.ascontiguousarray(dist)).hexdigest()
    kept = {key: stats[key] for key in ("bytes_read", "relaxed", "batches") if key in stats}
    rest = {"digest": digest, "arcs": graph.arc_file.nbytes, "n": graph.n, "m": graph.m, "room": room}
    return weighed.facts | kept | rest | {"loaded": "arcs" in vars(graph)}


def warm(query: str) -> None:
    """Load the kernels, and start the threads."""
    with tempfile.TemporaryDirectory() as folder:
        nearfar.generate.rmat(13, out=f"{folder}/g.nearfar")
        graph = nearfar.Graph.open(f"{folder}/g.nearfar")
        for method in ("streamed", "auto"):
            getattr(nearfar, query)(graph, 0 if query == "sssp" else [0, 1], method=method, threads=THREADS)


DO = {"generate": generate, "convert": convert, "ask": ask}


def child(name: str, **given: Any) -> Facts:
    """Do one thing in a process of its own."""
    command = [sys.executable, __file__, "--do", json.dumps([name, given])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: Facts = json.loads(done.stdout.splitlines()[-1])
    print(name, {key: given[key] for key in given if key != "sources"}, found, flush=True)
    return found


def speed(facts: Facts) -> list[str]:
    """Return arcs, seconds, CPU time, millions of arcs per second and per CPU second, and the peak."""
    cpu, millions = cpu_of(facts), facts["m"] / 1e6
    figures = (f"{millions:.1f} M", f"{facts['seconds']:.1f} s", f"{facts['user']:.1f} + {facts['system']:.1f} s")
    return [*figures, f"{millions / facts['seconds']:.1f} M", f"{millions / cpu:.1f} M", size(facts["peak"])]


def size(count: float) -> str:
    """Write bytes in megabytes."""
    return f"{count / 1e6:,.0f} MB"


def measure(folder: Path, small: bool, names: list[str]) -> dict[str, str]:
    """Return the tables that are wanted."""
    scales, sides = ((16, 17), (300,)) if small else ((20, 22), (2000, 4000))
    cases: list[tuple[str, Facts, int]] = [("rmat", {"scale": scale}, 500) for scale in scales]
    if "generators" in names:
        cases += [("road_grid", {"rows": side, "cols": side}, 500) for side in sides]
    table, made = generators(folder, cases)
    tables = {"generators": table} if "generators" in names else {}
    first, last = (made[f"R-MAT {scale}"] for scale in scales)
    if "conversions" in names:
        tables["conversions"] = conversions(folder, first, f"R-MAT {scales[0]}")
    if "queries" in names:
        graphs = {f"R-MAT {scales[1]}": last}
        if (DATA / "USA-road-d.NY.gr.gz").exists():
            nearfar.convert(DATA / "USA-road-d.NY.gr.gz", folder / "ny.nearfar")
            graphs = {"New York": folder / "ny.nearfar"} | graphs
        tables["queries"] = queries(graphs, 2 if small else 4)
    return tables


def generators(folder: Path, cases: list[tuple[str, Facts, int]]) -> tuple[str, dict[str, Path]]:
    """Return the table of the generators, and the folders that were made."""
    body, made = [], {}
    for kind, options, megabytes in cases:
        label = f"R-MAT {options['scale']}" if kind == "rmat" else f"grid, {options['rows']:,} x {options['cols']:,}"
        made[label] = folder / f"{len(made)}.nearfar"
        facts = child(
            "generate", kind=kind, options=options | {"seed": 1}, out=str(made[label]), memory=megabytes * 10**6
        )
        body.append([label, size(facts["arcs"]), f"{megabytes} MB", *speed(facts)])
    head = ["graph", "arcs take", "memory=", "arcs", "time", "CPU time", "arcs per second", "per CPU second", "peak"]
    return report.table(head, body), made


def conversions(folder: Path, graph: Path, label: str) -> str:
    """Return the table of conversions of a graph, as Parquet and as text, with a quarter of its arcs in memory."""
    whole = nearfar.Graph.open(graph)
    piece = nearfar.generate.rmat(10)
    memory = max(whole.arc_file.nbytes // 4, 51 * 10**6)
    body = []
    for ending in (".parquet", ".csv"):
        source, little = folder / f"whole{ending}", folder / f"little{ending}"
        write_pieces(whole, source)
        nearfar.write(piece, little, lossy=True)
        out = str(folder / "converted.nearfar")
        facts = child("convert", small=str(little), source=str(source), out=out, memory=memory)
        body.append([f"{label}, {ending}", size(source.stat().st_size), size(memory), *speed(facts)])
        source.unlink()
    head = ["input", "file", "memory=", "arcs", "time", "CPU time", "arcs per second", "per CPU second", "peak"]
    return report.table(head, body)


def write_pieces(graph: nearfar.Graph, path: Path) -> None:
    """Write the arcs of a graph on disk, piece by piece."""
    import pyarrow
    from pyarrow import csv, parquet

    from nearfar.graph.passes import pieces_of

    schema = pyarrow.schema([("source", pyarrow.int32()), ("target", pyarrow.int32()), ("weight", pyarrow.int32())])
    writer = (parquet.ParquetWriter if path.suffix == ".parquet" else csv.CSVWriter)(path, schema)
    with writer:
        for piece in pieces_of(graph):
            columns = [piece.tails, piece.arcs["head"].copy(), piece.arcs["weight"].copy()]
            writer.write_table(pyarrow.table(columns, schema=schema))


def queries(graphs: dict[str, Path], count: int) -> str:
    """Return the table of queries with a quarter of the arcs in memory; refuse a distance that is not right."""
    body = []
    for label, path in graphs.items():
        graph, rng = nearfar.Graph.open(path), np.random.default_rng(1)
        able = np.flatnonzero(np.diff(graph.offsets))
        sources = rng.choice(able, 16, replace=False).tolist()
        asked = [("sssp", [s]) for s in sources[:count]] + [("nearest", sources)]
        if graph.arc_file.nbytes < MANY:
            asked.append(("mssp", sources))
        found = []
        for query, given in asked:
            facts = child("ask", folder=str(path), query=query, sources=given, method="streamed", share=0.25)
            other = child("ask", folder=str(path), query=query, sources=given, method="auto", share=None)
            assert facts["digest"] == other["digest"], "the distances differ"
            assert not facts["loaded"] and facts["peak"] <= facts["room"], "more memory than allowed"
            found.append((query, facts, other))
        for query in dict.fromkeys(query for query, _, _ in found):
            body.append(line(label, query, [(f, o) for q, f, o in found if q == query]))
    times = ["time, CPU time", "in memory: time, CPU time"]
    head = ["graph", "arcs take", "query", "memory=", "peak", "bytes read / arcs", *times]
    return report.table(head, body)


def line(label: str, query: str, runs: list[tuple[Facts, Facts]]) -> list[str]:
    """Return the line of one query: of several sources the most bytes, and the median of the times."""
    words = {"sssp": f"one source, {len(runs)} times", "mssp": "16 sources", "nearest": "nearest of 16"}
    most = {key: max(facts[key] for facts, _ in runs) for key in ("room", "peak", "bytes_read")}
    times = [
        f"{median(facts['seconds'] for facts in each):.2f} s, {median(cpu_of(facts) for facts in each):.2f} s"
        for each in zip(*runs, strict=True)
    ]
    arcs, sizes = runs[0][0]["arcs"], [f"{most[key] / 1e6:.1f} MB" for key in ("room", "peak")]
    return [label, f"{arcs / 1e6:.1f} MB", words[query], *sizes, f"{most['bytes_read'] / arcs:.2f}", *times]


def cpu_of(facts: Facts) -> float:
    """Return the seconds that all threads took, in Python and in the system."""
    return float(facts["user"] + facts["system"])


def main() -> None:
    """Measure, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", choices=("generators", "conversions", "queries"), help="measure only this")
    parser.add_argument("--do")
    asked = parser.parse_args()
    if asked.do:
        name, given = json.loads(asked.do)
        print(json.dumps(DO[name](**given)))
        return
    about = report.facts("numpy", "numba", "pyarrow")
    about["Load average at the start"] = f"load average {about['Load average at the start']}"
    with tempfile.TemporaryDirectory(dir=asked.folder) as place:
        tables = measure(Path(place), asked.small, [asked.only] if asked.only else list(TABLES))
    end = f"load average at the end {', '.join(f'{load:.2f}' for load in os.getloadavg())}"
    for name, text in tables.items():
        tables[name] = f"{text}\n\nTwo threads. {'; '.join([*about.values(), end])}."
        print(name, tables[name], sep="\n\n")
    if asked.write and not asked.small:
        write(tables)


def write(tables: dict[str, str]) -> None:
    """Put the tables into the page."""
    text = PAGE.read_text(encoding="utf8")
    for name, table in tables.items():
        marks = rf"(?s)(<!-- {name}:begin -->\n).*(<!-- {name}:end -->)"
        text = re.sub(marks, lambda found, table=table: f"{found[1]}{table}\n{found[2]}", text)
    PAGE.write_text(text, encoding="utf8")


if __name__ == "__main__":
    main()
