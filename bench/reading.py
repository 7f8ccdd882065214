"""Time and weigh the reading of files: ``python bench/reading.py [--write]``.

Each file is read by nearfar.read and, in turns within the same run, decompressed and parsed by pandas, Arrow and
polars: those stop at columns, ours is a graph. Peak memory is that of a process of its own, over what it had when
compiled kernels were loaded, as a multiple of the finished graph. --write puts the table into docs/formats.md.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import nearfar

sys.path.insert(0, str(Path(__file__).parent))
import report
from memory import reset_peak, resident_peak

DATA = Path(__file__).parent.parent.parent / "shared" / "data"
PAGE = Path(__file__).parent.parent / "docs" / "formats.md"
ROUNDS = 7


def files(folder: Path) -> dict[str, tuple[Path, str, int]]:
    """Return the files to read, the character between fields, and the lines to skip: real ones and generated ones."""
    found = {}
    if (DATA / "USA-road-d.NY.gr.gz").exists():
        found["New York, .gr.gz"] = (DATA / "USA-road-d.NY.gr.gz", " ", 7)
    rng = np.random.default_rng(1)
    graph = nearfar.generate.rmat(18, 16)
    nearfar.write(graph, folder / "rmat.gr")
    found["R-MAT 18, .gr"] = (folder / "rmat.gr", " ", 1)
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    ids = np.sort(rng.choice(10**10, graph.n, replace=False))
    nearfar.write(nearfar.Graph.from_arcs(tails, graph.heads, n=graph.n, names=ids), folder / "snap.tsv.gz")
    found["ids to 1e10, no weights, .tsv.gz"] = (folder / "snap.tsv.gz", "\t", 1)
    floats = nearfar.Graph.from_arcs(tails, graph.heads, rng.random(graph.m), graph.n)
    nearfar.write(floats, folder / "floats.csv")
    found["17-digit weights, .csv"] = (folder / "floats.csv", ",", 1)
    words = [f"vertex {v:x}" for v in range(graph.n)]
    nearfar.write(nearfar.Graph.from_arcs(tails, graph.heads, n=graph.n, names=words), folder / "words.csv")
    found["words, no weights, .csv"] = (folder / "words.csv", ",", 1)
    return found


def unpack(path: Path) -> bytes:
    """Return what is in a file."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def with_pandas(path: Path, mark: str, skip: int) -> object:
    """Parse with pandas' C engine."""
    import pandas

    return pandas.read_csv(io.BytesIO(unpack(path)), sep=mark, header=None, skiprows=skip)


def with_arrow(path: Path, mark: str, skip: int) -> object:
    """Parse with Arrow on one thread."""
    from pyarrow import csv

    options = csv.ReadOptions(skip_rows=skip, autogenerate_column_names=True, use_threads=False)
    return csv.read_csv(io.BytesIO(unpack(path)), options, csv.ParseOptions(delimiter=mark))


def with_polars(path: Path, mark: str, skip: int) -> object:
    """Parse with polars, which takes all cores."""
    import polars

    return polars.read_csv(io.BytesIO(unpack(path)), separator=mark, has_header=False, skip_rows=skip)


def with_nearfar(path: Path, mark: str, skip: int) -> object:
    """Read the graph."""
    return nearfar.read(path)


READERS: dict[str, Callable[[Path, str, int], object]] = {
    "nearfar": with_nearfar,
    "unpack": lambda path, mark, skip: unpack(path),
    "pandas": with_pandas,
    "Arrow": with_arrow,
    "polars": with_polars,
}


def timed(path: Path, mark: str, skip: int) -> dict[str, float]:
    """Return everybody's best time, taken in turns."""
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, reader in READERS.items():
            start = time.perf_counter()
            reader(path, mark, skip)
            best[name] = min(best.get(name, np.inf), time.perf_counter() - start)
    return best


def weigh(path: str) -> dict[str, float]:
    """Return the peak memory of reading a file here, and the size of the graph; kernels are loaded before."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / ("small" + "".join(Path(path).suffixes[-2:]))
        start = unpack(Path(path))[:20000]
        small.write_bytes(start[: start.rfind(b"\n") + 1] if small.suffix != ".gz" else gzip.compress(start))
        options = {"strict": False} if ".gr" in small.suffixes else {}
        try:
            nearfar.read(small, **options)
        except nearfar.NearfarError:
            nearfar.read(io.BytesIO(start[: start.rfind(b"\n") + 1]), **options)
    nearfar.generate.road_grid(300, 300)  # loads what lays out many arcs
    reset_peak()
    before = resident_peak()
    graph = nearfar.read(path)
    return {"peak": resident_peak() - before, "graph": graph.nbytes + size_of_names(graph)}


def size_of_names(graph: nearfar.Graph) -> int:
    """Return the bytes that names take: of an array its own, of words each one's, and the places in tuple and dict."""
    if isinstance(ids := getattr(graph.names, "ids", None), np.ndarray):
        return ids.nbytes
    if not isinstance(graph.names, tuple):
        return 0
    parts = (graph.names, graph._vertices.index_of)
    return sum(map(sys.getsizeof, (*parts, *graph.names)))


def main() -> None:
    """Measure, print, and write if asked to."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for label, (path, mark, skip) in files(Path(folder)).items():
            best = timed(path, mark, skip)
            run = subprocess.run([sys.executable, __file__, "--weigh", str(path)], capture_output=True, check=True)
            memory = json.loads(run.stdout)
            size = len(unpack(path))
            cells = [f"{1000 * best[name]:.0f}" for name in READERS]
            rows.append([label, f"{size / 1e6:.0f}", *cells, f"{memory['peak'] / memory['graph']:.1f}"])
            print(rows[-1], flush=True)
    head = ["file", "MB of text", "nearfar", "unpack only", "pandas", "Arrow", "polars", "peak / graph"]
    about = report.facts("numpy", "numba", "pandas", "pyarrow", "polars")
    about["Load average at the start"] = f"load average {about['Load average at the start']}"
    table = f"{report.table(head, rows)}\n\nMilliseconds, best of {ROUNDS}; Arrow on one thread, polars on all. "
    table += "; ".join(about.values()) + "."
    print(table)
    if "--write" in sys.argv:
        text = PAGE.read_text(encoding="utf8")
        text = re.sub(r"(?s)(<!-- reading:begin -->\n).*(<!-- reading:end -->)", rf"\g<1>{table}\n\g<2>", text)
        PAGE.write_text(text, encoding="utf8")


if __name__ == "__main__":
    if "--weigh" in sys.argv:
        print(json.dumps(weigh(sys.argv[-1])))
    else:
        main()
