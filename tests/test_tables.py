"""What the tables of the package say, spelled out: a wrong flag must fail here, not remove tests unnoticed.

Tests loop over these tables. Whoever adds a method, a format, a device or a command adds it here, too.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from helpers import able, reach, strategies
from nearfar.cli.group import COMMANDS
from nearfar.devices import DEVICES
from nearfar.formats import FORMATS
from nearfar.formats.format import KEEPS
from nearfar.gpu import GPU_METHODS
from nearfar.methods import ALIASES, METHODS
from nearfar.store.writing import SAVERS

TESTS = Path(__file__).parent


def named(table, flag):
    """Return the names of the records with a flag."""
    return {name for name, record in table.items() if getattr(record, flag)}


def test_methods():
    assert list(METHODS) == [
        "dijkstra", "delta", "frontier", "edge", "johnson", "bfs", "prepared", "floyd", "parts", "streamed",
    ]  # fmt: skip
    assert ALIASES == {"dij": "dijkstra", "spfa": "frontier", "fw": "floyd"}
    assert named(METHODS, "negative_weights") == {"frontier", "edge", "johnson", "prepared", "floyd", "streamed"}
    assert named(METHODS, "rounds") == {"prepared", "floyd"}
    assert named(METHODS, "in_order") == {"dijkstra"}
    assert named(METHODS, "many") == {"bfs", "prepared", "floyd", "parts", "streamed"}
    assert named(METHODS, "new_worker") == {"dijkstra", "delta", "frontier", "edge", "johnson"}
    assert named(METHODS, "together") == {"delta", "bfs"}


def test_methods_of_gpus():
    assert list(GPU_METHODS) == ["delta", "frontier", "edge", "prepared", "floyd"]
    assert named(GPU_METHODS, "streams") == {"frontier", "edge"}
    assert {name: method.wide for name, method in GPU_METHODS.items() if method.wide} == {
        "delta": "lists",
        "frontier": "lists",
        "edge": "arcs",
    }
    kept = {name: method.keeps for name, method in GPU_METHODS.items() if method.keeps}
    assert kept == {"delta": ("split",), "edge": ("tails",), "prepared": ("levels",)}


def test_what_tests_loop_over():
    assert able.ALL == (
        "dijkstra", "delta", "frontier", "edge", "johnson", "bfs", "prepared", "floyd", "parts", "streamed",
    )  # fmt: skip
    assert able.NEGATIVE == ("frontier", "edge", "johnson", "prepared", "floyd", "streamed")
    assert able.ROUNDING == ("prepared", "floyd")
    assert able.SINGLY == ("dijkstra", "delta", "frontier", "edge", "johnson")
    assert reach.ALL == ("delta", "frontier", "edge")
    assert reach.STREAMING == reach.NEGATIVE == ("frontier", "edge")
    assert strategies.DTYPES == ("int32", "int64", "float32", "float64", None)


def test_devices():
    assert list(DEVICES) == ["cpu", "opencl", "cuda"]


def test_commands():
    assert set(COMMANDS) == {
        "info", "convert", "partition", "sssp", "mssp", "apsp", "path", "nearest", "metrics", "access", "flows", "draw",
        "explore", "verify", "status", "row", "plan", "devices", "selftest", "bench", "demo", "generate",
    }  # fmt: skip


READ_AND_WRITTEN = {
    "npz", "scipy", "dimacs", "dimacs-co", "pace", "matrix-market", "metis", "parquet", "arrow", "graphml", "sparry",
    "edges",
}  # fmt: skip
ONLY_READ = {"tntp", "tntp-nodes", "movingai", "osm", "hgt", "princeton", "cedge", "cnode"}
LOST = {  # what writing cannot keep of a graph
    "npz": set(),
    "scipy": {"names", "cells", "coordinates", "parallel"},
    "dimacs": {"names", "cells", "coordinates"},
    "dimacs-co": {"names", "cells"},
    "pace": {"directed", "weights", "floats", "negative", "names", "cells", "coordinates"},
    "matrix-market": {"names", "cells", "coordinates"},
    "metis": {"directed", "floats", "negative", "names", "cells", "coordinates", "parallel"},
    "parquet": {"cells", "coordinates"},
    "arrow": {"cells", "coordinates"},
    "graphml": {"cells"},
    "sparry": {"directed", "names", "cells", "coordinates"},
    "edges": {"cells", "coordinates", "isolated"},
}


def test_formats():
    assert named(FORMATS, "read") == READ_AND_WRITTEN | ONLY_READ
    assert named(FORMATS, "write") == READ_AND_WRITTEN
    assert {name: set(KEEPS) - set(FORMATS[name].keeps) for name in READ_AND_WRITTEN} == LOST
    needed = {name: record.extra for name, record in FORMATS.items() if record.extra}
    assert needed == {"parquet": "pyarrow", "arrow": "pyarrow", "graphml": "networkx", "osm": "osmium"}
    counted = {name: record.first for name, record in FORMATS.items() if record.first is not None}
    assert counted == {"scipy": 0, "dimacs": 1, "pace": 1, "matrix-market": 1, "metis": 1, "sparry": 0}


def test_files_of_answers():
    assert list(SAVERS) == [".npy", ".npz", ".csv", ".csv.gz", ".parquet"]


# How many tests are made of a function by its parameters: 10 methods x 5 types, and so on.
MADE = {
    "conformance/test_grid.py::test_grid": 50,
    "conformance/test_grid.py::test_negative_weights": 6,
    "conformance/test_grid.py::test_negative_cycles": 6,
    "conformance/test_grid.py::test_methods_that_need_weights_from_zero": 4,
    "gpu/test_grid_gpu.py::test_grid": 38,
    "gpu/test_grid_gpu.py::test_negative_weights": 4,
    "gpu/test_grid_gpu.py::test_negative_cycles": 4,
    "gpu/test_grid_gpu.py::test_tiny_groups_stages_and_parts": 3,
    "gpu/test_runs.py::test_a_full_device_is_emptied": 5,
    "cuda_text/test_methods.py::test_resident": 20,
    "cuda_text/test_methods.py::test_batched": 16,
    "cuda_text/test_methods.py::test_negative": 8,
    "cuda_text/test_flush.py::test_float32": 28,
    "cuda_text/test_flush.py::test_flushing_is_seen": 8,
    "cuda_text/test_faults.py::test_launches": 5,
    "formats/test_table_of_formats.py::test_records": 20,
    "engine/test_interrupt.py::test_a_raised_flag_ends_a_row_after_few_steps": 10,
    "kernels/test_builds.py::test_builds": 66,
    "kernels/test_nvrtc.py::test_compiles": 66,
    "store/test_saving.py::test_round_trip": 20,
}


def test_numbers_of_tests(request):
    """Every combination is collected; files that this run leaves out are not counted."""
    chosen = request.config.option
    if chosen.keyword or any("::" in str(path) for path in request.config.args):
        pytest.skip("only some tests are chosen")
    found = Counter()
    for item in request.session.items:
        if item.path.is_relative_to(TESTS):
            name = item.path.relative_to(TESTS).as_posix()
            found[name] += 1
            found[f"{name}::{getattr(item, 'originalname', item.name)}"] += 1
    made = {test: found[test] for test in MADE if found[test.partition("::")[0]]}
    assert made == {test: MADE[test] for test in made}


def test_no_test_module_imports_another():
    """What tests share lies in helpers/."""
    rooms = {path.name for path in TESTS.iterdir() if path.is_dir()} - {"helpers", "__pycache__"}
    for path in TESTS.rglob("*.py"):
        for line in path.read_text(encoding="utf8").splitlines():
            words = line.split()
            if words[:1] in (["from"], ["import"]) and len(words) > 1:
                first = words[1].partition(".")[0]
                assert first not in rooms and not first.startswith("test_"), f"{path}: {line}"


def test_tests_mirror_the_package():
    """A folder of tests is a room of the package, or one of those that are about several."""
    package = TESTS.parent / "src" / "nearfar"
    rooms = {path.parent.name for path in package.glob("*/__init__.py")}
    folders = {path.parent.name for path in TESTS.glob("*/test_*.py")}
    assert folders - rooms == {"browser", "conformance", "cuda_text"}
    assert {path.name for path in TESTS.iterdir() if path.is_dir()} - folders <= {"helpers", "racecheck", "__pycache__"}
