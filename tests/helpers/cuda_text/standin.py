"""The calls that devices/cuda.py makes of CuPy, carried out on the CPU by the CUDA text itself.

`install` puts a `Standin` where ``import cupy`` finds it. Everything is done at once and in the order of the calls, so
streams and events have nothing to do; `Standin.calls` records each call for tests of the order. A call that
devices/cuda.py needs and that is missing here is one function of `Standin`, `Runtime` or the namespace `cuda`.
"""

from __future__ import annotations

import ctypes
import sys
from collections import Counter
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

from nearfar.devices import cuda

from . import compiler

PATTERN = 0xA5  # what new memory is filled with: nothing may rely on zeros
ENDLESS = -999  # as in shim.hpp
MOST_THREADS = 1024  # per block, on every GPU
POINTER, FLOAT, INTEGER = 100, 200, 300  # kinds of arguments; the size is added; as in shim.hpp
_libc = ctypes.CDLL(None)  # with a sanitizer, its malloc: it knows where memory ends
_libc.malloc.restype, _libc.malloc.argtypes, _libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]


class WrongLaunchError(AssertionError):
    """A launch that would fail or hang on a GPU, or would do something else than what was meant."""


class CUDARuntimeError(RuntimeError):
    """CuPy's."""

    status = 0


class CUDADriverError(RuntimeError):
    """CuPy's."""

    status = 0


class OutOfMemoryError(MemoryError):
    """CuPy's."""


@dataclass
class Options:
    """How the text is compiled and run, and what the GPU says of itself."""

    mode: str = "plain"  # of compiler.MODES
    yields: int = 0  # on average, one in so many atomics (and volatile loads) lets another thread go on; 0: none
    workers: int = 3  # blocks that run at the same time
    group_size: int = 32  # threads of a block that it offers; 1024 would be slow here
    cores: int = 2  # multiprocessors
    memory: int = 1 << 30
    most_launches: int = 10**6  # after which a query counts as endless
    faults: tuple[tuple[str, str], ...] = ()  # what is replaced in the text, and by what


class Memory:
    """Memory of the GPU, from a pool; freed when nothing refers to it."""

    def __init__(self, nbytes):
        self.ptr = _libc.malloc(nbytes)
        ctypes.memset(self.ptr, PATTERN, nbytes)

    def __del__(self):
        _libc.free(self.ptr)


class UnownedMemory:
    """Memory of another library, which goes when its owner does."""

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.owner = ptr, owner


class MemoryPointer:
    """An address in such memory."""

    def __init__(self, memory, offset):
        self.memory, self.ptr = memory, memory.ptr + offset


class PinnedMemory:
    """Memory of the host that the driver may copy from while kernels run: here, any memory."""

    def __init__(self, nbytes):
        self.block = (ctypes.c_char * nbytes)()


def pinned_pointer(memory, offset):
    """Return pinned memory as an object that NumPy reads; always all of it."""
    assert offset == 0
    return memory.block


class Device:
    """A GPU as the current one."""

    def __init__(self, index):
        self.id = index

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


class Stream:
    """A stream, in which everything is done already."""

    null = None

    def __init__(self, non_blocking=False):
        self.ptr = id(self)

    def synchronize(self):
        pass

    def wait_event(self, event):
        assert event.is_recorded


class Event:
    """An event, which has happened once it is recorded."""

    def __init__(self, disable_timing=False, **more):
        self.is_recorded = False

    @property
    def done(self):
        return self.is_recorded

    def record(self, stream=None):
        self.is_recorded = True

    def synchronize(self):
        assert self.is_recorded


class MemoryPool:
    """A pool that keeps nothing."""

    def __init__(self, standin):
        self._standin = standin

    def malloc(self, nbytes):
        if nbytes > self._standin.options.memory:
            raise OutOfMemoryError(f"Out of memory allocating {nbytes:,} bytes")
        return Memory(nbytes)

    def free_bytes(self):
        return 0

    def free_all_blocks(self):
        pass


class Module:
    """A program: CuPy's RawModule."""

    def __init__(self, standin, code):
        for old, new in standin.options.faults:
            standin.planted[old] += code.count(old)
            code = code.replace(old, new)
        self._standin, self._code, self._library = standin, code, None

    def compile(self):
        self._library = ctypes.CDLL(str(compiler.compile_program(self._code, self._standin.options.mode)))
        self._library.nf_set_yield(self._standin.options.yields)

    def get_function(self, name):
        if self._library is None:
            self.compile()
        try:
            return Function(self._standin, name, getattr(self._library, f"nf_call_{name}"))
        except AttributeError:
            raise CUDADriverError("CUDA_ERROR_NOT_FOUND: named symbol not found") from None


class Function:
    """A kernel of a program: CuPy's RawKernel."""

    max_threads_per_block = MOST_THREADS

    def __init__(self, standin, name, call):
        self._standin, self._name, self._call = standin, name, call

    def __call__(self, grid, block, args, *, stream=None, shared_mem=0):
        standin, options = self._standin, self._standin.options
        if len(grid) != 1 or len(block) != 1 or grid[0] < 1 or not 1 <= block[0] <= MOST_THREADS:
            raise WrongLaunchError(f"{self._name}: {grid} blocks of {block} threads")
        values = [as_value(arg) for arg in args]
        places = (ctypes.c_void_p * len(args))(*[value.ctypes.data for value, _ in values])
        kinds = (ctypes.c_int * len(args))(*[kind for _, kind in values])
        standin.note("launch", self._name)
        standin.launches[self._name] += 1
        standin.blocks[self._name] = max(standin.blocks[self._name], grid[0])
        seed = standin.launches.total()
        if seed > options.most_launches:
            raise WrongLaunchError(f"{self._name}: endless, after {options.most_launches:,} launches")
        outcome = self._call(places, kinds, len(args), grid[0], block[0], options.workers, seed)
        if outcome <= -1000:
            raise WrongLaunchError(f"{self._name} takes {-1000 - outcome} arguments, not {len(args)}")
        if outcome == ENDLESS:
            raise WrongLaunchError(f"{self._name}: a block that does not end")
        if outcome < 0:
            raise WrongLaunchError(f"{self._name}: argument {-1 - outcome} has the wrong type, {args[-1 - outcome]!r}")
        if outcome:
            raise WrongLaunchError(f"{self._name}: {outcome} barriers that not all threads reached")


def as_value(arg):
    """Return an argument as an array of one element, and its kind."""
    if isinstance(arg, Memory | MemoryPointer):
        return np.array([arg.ptr], np.uint64), POINTER + 8
    if not isinstance(arg, np.generic):
        raise WrongLaunchError(f"an argument is a {type(arg)}, not a number of NumPy: its size is left to CuPy")
    return np.array([arg]), (FLOAT if arg.dtype.kind == "f" else INTEGER) + arg.dtype.itemsize


class Runtime:
    """CuPy's cuda.runtime."""

    CUDARuntimeError = CUDARuntimeError

    def __init__(self, standin):
        self._standin = standin

    def getDeviceCount(self):  # noqa: N802 - CUDA's names from here on
        return 1

    def getDeviceProperties(self, index):  # noqa: N802
        options = self._standin.options
        names = {"name": b"g++", "major": 9, "minor": 0, "integrated": 0}
        return {**names, "multiProcessorCount": options.cores, "maxThreadsPerBlock": options.group_size}

    def driverGetVersion(self):  # noqa: N802
        return 13000

    def runtimeGetVersion(self):  # noqa: N802
        return 12080

    def memGetInfo(self):  # noqa: N802
        return self._standin.options.memory, self._standin.options.memory

    def deviceSynchronize(self):  # noqa: N802
        self._standin.note("synchronize", None)

    def pointerGetAttributes(self, address):  # noqa: N802
        return SimpleNamespace(device=0)

    def memcpyAsync(self, destination, source, nbytes, kind, stream):  # noqa: N802
        self._standin.note("copy", kind)
        ctypes.memmove(destination, source, nbytes)

    def memsetAsync(self, address, value, nbytes, stream):  # noqa: N802
        self._standin.note("fill", value)
        ctypes.memset(address, value, nbytes)


@dataclass
class Standin:
    """The module ``cupy``."""

    options: Options
    calls: list[tuple[str, object]] = field(default_factory=list)  # what was done, in order
    launches: Counter[str] = field(default_factory=Counter)  # by kernel
    blocks: Counter[str] = field(default_factory=Counter)  # the most blocks of a launch, by kernel
    planted: Counter[str] = field(default_factory=Counter)  # how often each fault was planted

    def __post_init__(self) -> None:
        self.cuda = SimpleNamespace(
            runtime=Runtime(self),
            driver=SimpleNamespace(CUDADriverError=CUDADriverError),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            compiler=SimpleNamespace(CompileException=compiler.BuildError),
            Device=Device,
            Stream=Stream,
            Event=Event,
            MemoryPool=lambda: MemoryPool(self),
            PinnedMemory=PinnedMemory,
            PinnedMemoryPointer=pinned_pointer,
            UnownedMemory=UnownedMemory,
            MemoryPointer=MemoryPointer,
        )

    def note(self, what: str, detail: object) -> None:
        """Record a call."""
        self.calls.append((what, detail))

    def RawModule(self, *, code, options=()):  # noqa: N802 - CuPy's name
        """Return the program of a text."""
        assert options == cuda.OPTIONS
        return Module(self, code)


def install(patch, **options) -> Standin:
    """Let ``import cupy`` find a new stand-in, until ``patch`` (a MonkeyPatch) is undone."""
    standin = Standin(Options(**options))
    patch.setitem(sys.modules, "cupy", standin)
    patch.setattr(cuda, "_opened", {})
    return standin
