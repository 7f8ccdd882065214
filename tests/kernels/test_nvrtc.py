"""Every GPU program compiles for every generation of NVIDIA's GPUs, and keeps its variables in registers.

NVRTC needs no driver and no GPU: it is the compiler alone.
"""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from helpers.programs import PROGRAMS, each_program
from nearfar.devices import cuda, text

nvrtc = pytest.importorskip("cuda.bindings.nvrtc", reason="cuda-bindings is not installed")
QUICK = 80
OTHERS = (75, 90, 100, 120)  # `make test-all`
OPTIONS = (*cuda.OPTIONS, "--ptxas-options=-v", "-diag-suppress=177")  # 177: a helper that this program does not use
FLUSHING = ("-ftz=true",)  # which CuPy always appends
FLOATS = [program for program in PROGRAMS if 3 in (program.values[1]["DIST"], program.values[1]["WEIGHT"])]
EXACT = re.compile(r"\b(add\.rn\.f32|min\.f32|cvt\.f64\.f32)\b")
FLUSHED = re.compile(r"\b[\w.]+\.ftz\b[\w.]*")
SPILL = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"entry function '(\w+)'.*?Used (\d+) registers", re.S)
SPILLED = 8  # bytes: a slim kernel may keep two words in memory, once per launch
FEW = 40  # registers: six groups of 256 on a multiprocessor, all that one of 1,536 threads can hold


def compile_for(architecture, source):
    """Return whether a program compiles to machine code, its size, and what the compiler said."""
    program, fine, log = build(source, (*OPTIONS, f"--gpu-architecture=sm_{architecture}"))
    size = nvrtc.nvrtcGetCUBINSize(program)[1] if fine else 0
    nvrtc.nvrtcDestroyProgram(program)
    return fine, size, log


def instructions_of(source):
    """Return the PTX of a program as CuPy has it made."""
    program, fine, log = build(source, (*cuda.OPTIONS, "-diag-suppress=177", "-arch=compute_80", *FLUSHING))
    assert fine, log
    ptx = room(nvrtc.nvrtcGetPTXSize(program)[1])
    nvrtc.nvrtcGetPTX(program, ptx)
    nvrtc.nvrtcDestroyProgram(program)
    return ptx.rstrip(b"\0").decode()


def room(length):
    """Return bytes that NVRTC may write to: at least two, since all Python shares those of one byte."""
    return bytes(max(length, 2))


def build(source, options):
    """Return a program, whether it compiles, and what the compiler said."""
    options = [option.encode() for option in options]
    try:
        _, program = nvrtc.nvrtcCreateProgram(source.encode(), b"program.cu", 0, [], [])
    except RuntimeError as error:
        pytest.skip(f"NVRTC is not installed: {error}")
    (result,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    _, length = nvrtc.nvrtcGetProgramLogSize(program)
    log = room(length)
    nvrtc.nvrtcGetProgramLog(program, log)
    return program, result == nvrtc.nvrtcResult.NVRTC_SUCCESS, log.rstrip(b"\0 ").decode()


@each_program
def test_compiles(stem, defines):
    assert_compiles(text.source("cuda", stem, defines), QUICK)


@pytest.mark.thorough
@each_program
def test_compiles_for_all_others(stem, defines):
    source = text.source("cuda", stem, defines)
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # the compiler runs without the GIL
        list(pool.map(lambda architecture: assert_compiles(source, architecture), OTHERS))


def assert_compiles(source, architecture):
    """A program compiles without a warning, no kernel spills more than two words, and slim ones use few registers."""
    fine, size, log = compile_for(architecture, source)
    assert fine and size, log
    assert "warning" not in log, log
    spills = SPILL.findall(log)
    assert spills and all(int(count) <= SPILLED for spill in spills for count in spill), log
    for name, registers in USED.findall(log):
        assert int(registers) <= FEW or name not in slim(source), log


def slim(source):
    """Return the kernels that are to use few registers."""
    return re.findall(r"^KERNEL_SLIM void (\w+)", source, re.M)


def test_slim_kernels_are_found():
    source = text.source("cuda", "delta", {"DIST": 1, "WEIGHT": 1, "OFFSET": 1, "ALONE": 1})
    assert {"delta_rows", "delta_narrow", "delta_wide"} <= set(slim(source))


def test_what_is_wrong_is_seen():
    fine, size, log = compile_for(80, 'extern "C" __global__ void f(int *a) { *a = nothing; }')
    assert not fine and not size and "nothing" in log


def test_spills_are_seen():
    """A kernel that must keep more than a thread may have registers for: the log says so as we read it."""
    lines = "".join(f"double x{i} = a[{i}];" for i in range(200))
    sums = "".join(f"a[{i}] = x{i} * x{(i * 7 + 3) % 200};" for i in range(200))
    bounded = 'extern "C" __global__ void __launch_bounds__(1024, 1) f(volatile double *a)'
    fine, _, log = compile_for(80, f"{bounded} {{ {lines} {sums} }}")
    assert fine and any(int(count) > SPILLED for spill in SPILL.findall(log) for count in spill), log


@pytest.mark.parametrize(("stem", "defines"), FLOATS)
def test_no_float_is_flushed_to_zero(stem, defines):
    """float32 below 1e-38 stay what they are: no instruction has .ftz, although CuPy asks for it."""
    ptx = instructions_of(text.source("cuda", stem, defines))
    assert not FLUSHED.findall(ptx)
    assert EXACT.search(ptx) or stem in ("split", "finish")  # which only compare


@pytest.mark.parametrize("plain", ["a[0] + a[1]", "a[0] < a[1] ? a[2] : a[3]", "(float)(2 * (double)a[0])"])
def test_flushing_is_seen(plain):
    assert FLUSHED.findall(instructions_of(f'extern "C" __global__ void f(float *a) {{ *a = {plain}; }}'))
