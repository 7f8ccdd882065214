"""Kernel texts: two headers with the same words, and no word of either dialect anywhere else."""

from __future__ import annotations

import re

import pytest

from nearfar.devices import text
from nearfar.kernels.gpu import constants

KERNELS = sorted(text.FOLDER.glob("*.cl"))
WORDS = r"""__kernel __global __local __private __constant get_\w+_id get_\w+_size get_num_groups barrier mem_fence
atomic_\w+ atom_\w+ as_int as_long as_float as_double convert_\w+ CLK_\w+ uint ulong
__global__ __device__ __shared__ __host__ __forceinline__ __syncthreads __syncwarp __threadfence\w* threadIdx blockIdx
blockDim gridDim warpSize atomic(?:Add|Min|Max|Exch|CAS|Or|And|Sub|Xor) __\w+_as_\w+ __ldg __shfl\w* __ballot\w* __popc
asm PTX_\w+ template typename nullptr auto long float double unsigned size_t"""


def words_of(name):
    """Return the words a header defines."""
    content = (text.FOLDER / name).read_text()
    return {*re.findall(r"^#define (\w+)", content, re.M), *re.findall(r"^typedef [\w ]+ (\w+);", content, re.M)}


def without_comments(path):
    """Return a text as a compiler sees it."""
    return re.sub(r"//.*|/\*.*?\*/", "", path.read_text())


def test_both_headers_define_the_same_words():
    own = {"PTX_OF_TWO", "PTX_WIDEN"}  # of cuda.h, for words that both define
    assert words_of("opencl.h") == words_of("cuda.h") - own
    assert {"KERNEL", "GLOBAL", "LOCAL_ID", "ATOMIC_MIN", "LOAD", "i32", "f64"} <= words_of("cuda.h")


@pytest.mark.parametrize("path", [*KERNELS, text.FOLDER / "types.h"], ids=lambda path: path.name)
def test_no_native_word(path):
    code = without_comments(path)
    found = [word for word in WORDS.split() if re.search(rf"(?<!\w){word}(?!\w)", code)]
    assert not found, f"{path.name} uses {found}; the headers have words for it"


@pytest.mark.parametrize("path", [*KERNELS, *text.FOLDER.glob("*.h")], ids=lambda path: path.name)
def test_plain_text(path):
    """ASCII, for compilers that refuse more; no tabs; what is needed is named before the code."""
    content = path.read_bytes().decode("ascii")
    assert "\t" not in content and "\r" not in content and content.endswith("\n")
    lines = content.splitlines()
    marked = [line.startswith("// needs:") for line in lines]
    assert marked == sorted(marked, reverse=True)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "FOLDER", tmp_path)
    for name in ("opencl.h", "cuda.h", "types.h"):
        (tmp_path / name).write_text(f"[{name}]\n")
    (tmp_path / "a.cl").write_text("// needs: b.cl\n// needs: c.cl\n// A.\n[a]\n")
    (tmp_path / "b.cl").write_text("// needs: d.cl\n[b]\n")
    (tmp_path / "c.cl").write_text("// needs: d.cl\n[c]\n// needs: not_at_the_top.cl\n")
    (tmp_path / "d.cl").write_text("#define OWN 1\n[d] GROUP OWN\n")
    return tmp_path


def test_parts_come_in_order_and_once(folder, monkeypatch):
    monkeypatch.setattr(text, "constants", dict)
    for dialect in ("opencl", "cuda"):
        parts = re.findall(r"\[(.*?)\]", text.source(dialect, "a", {}))
        assert parts == [f"{dialect}.h", "types.h", "d", "b", "c", "a"]


def test_defines_come_first_sorted(folder, monkeypatch):
    """Of the tuned numbers, those that a text reads and does not define itself."""
    for name, value in (("GPU_GROUP", 128), ("GPU_OWN", 2), ("GPU_OTHER", 3)):
        monkeypatch.setattr(constants, name, value, raising=False)
    lines = text.source("cuda", "d", {"WEIGHT": 2, "DIST": 4, "LOW": -5}).splitlines()
    front = lines[: lines.index("")]
    assert front == sorted(front)
    wanted = {"#define DIST 4", "#define KEY_BYTES 8", "#define WEIGHT 2", "#define LOW (-5)", "#define GROUP 128"}
    assert set(front) == wanted


@pytest.mark.parametrize(("dist", "key"), [(1, 4), (2, 8), (3, 4), (4, 8)])
def test_key_bytes(folder, dist, key):
    assert f"#define KEY_BYTES {key}\n" in text.source("opencl", "d", {"DIST": dist})


def test_a_caller_may_change_a_tuned_number(folder, monkeypatch):
    monkeypatch.setattr(constants, "GPU_GROUP", 128, raising=False)
    assert "GROUP" in text.constants() and "#define GROUP 64\n" in text.source("cuda", "d", {"GROUP": 64})


def test_whole_numbers_are_defined(monkeypatch):
    monkeypatch.setattr(constants, "GPU_SHARE", 0.5, raising=False)
    assert "SHARE" not in text.constants() and all(type(value) is int for value in text.constants().values())
