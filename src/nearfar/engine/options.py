"""The options of a query: their types, and one function per option that checks it.

Each ``take_`` function takes what the user wrote and returns the form that the rest of the engine works with, or raises
an error that states the value found, the rule it breaks and the way out.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import numpy.typing as npt

from ..devices import DEVICES
from ..errors import InputTypeError, MethodError, OptionError, in_python, option
from ..gpu import GPU_METHODS
from ..methods import ALIASES, METHODS
from ..results import limits

if TYPE_CHECKING:
    from ..graph import Graph


class RunOptions(TypedDict, total=False):
    """The options that say how a query runs; nearfar.api says what each means."""

    method: str
    device: str | list[str] | tuple[str, ...]
    cutoff: float | None
    threads: int | None
    progress: bool | Callable[[int, int], object]
    dtype: npt.DTypeLike | None
    memory: float | str | None
    delta: float | None


class Options(RunOptions, total=False):
    """The keyword options that all queries share."""

    out: Any  # a NumPy array, or one in a device's memory


BUCKETED = ("dijkstra", "delta")  # methods that take a bucket width
UNITS = {"": 1, "B": 1, **{f"{p}{s}": 10 ** (3 * i) for i, p in enumerate("KMGT", 1) for s in ("", "B")}}
UNITS |= {f"{p}IB": 2 ** (10 * i) for i, p in enumerate("KMGT", 1)}


def known_options(options: Any) -> Options:
    """Return the options; refuse one that does not exist, which Python would only find deeper down."""
    for name in options:
        if name not in Options.__annotations__:
            takers = {
                "direction": "sssp, mssp and nearest take a direction",
                "targets": "sssp, mssp and table take targets",
                "client": "mssp, apsp, table, stream and functions of nearfar.metrics take a client",
                "lazy": "mssp, apsp and table take lazy",
                "existing": "mssp, apsp and table take existing",
                "join": "mssp, apsp and table take join",
            }
            where = f" Only {takers[name]}." if name in takers else ""
            raise InputTypeError(f"there is no option {name!r}; there are {', '.join(Options.__annotations__)}.{where}")
    found: Options = options
    return found


def take_method(
    method: Any, negative: bool, graph: Graph, starts: np.ndarray | None = None, devices: tuple[str, ...] = ("auto",)
) -> str:
    """Return the full name of a method that can handle the weights and the starting distances, or "auto".

    Whether it runs on the devices is found later; but errors name only methods that do.
    """
    if not isinstance(method, str):
        known = _listed(able_methods(devices))
        raise InputTypeError(f"method is {method!r}, a {type(method).__name__}; give a name: {known}.")
    name = ALIASES.get(method, method)
    if name == "auto":
        return name
    if name not in METHODS:
        raise _unknown_method(method, devices)
    if negative and not METHODS[name].negative_weights:
        assert graph.weights is not None
        e, able = int(np.argmin(graph.weights)), able_methods(devices, negative)
        raise MethodError(
            f"method {name!r} needs weights >= 0; {graph.arc_name(e)} has {graph.weights[e]}. "
            f"Use {option('method', able[0])}, another of {_listed(able)}, or 'auto'."
        )
    if name == "bfs" and (flaw := _no_bfs(graph, starts)):
        raise MethodError(f"method 'bfs' {flaw}. Use {option('method', able_methods(devices)[0])} or 'auto'.")
    return name


def able_methods(devices: tuple[str, ...], negative: bool = False) -> list[str]:
    """Return the methods that run on the devices asked for and take such weights: those that an error may advise.

    Examples
    --------
    >>> from nearfar.engine.options import able_methods
    >>> able_methods(("opencl:0",), negative=True)
    ['frontier', 'edge', 'prepared', 'floyd']
    """
    on_gpus = is_gpu(devices)
    return [
        name
        for name, record in METHODS.items()
        if (name in GPU_METHODS or not on_gpus) and (record.negative_weights or not negative)
    ]


def is_gpu(devices: tuple[str, ...]) -> bool:
    """Return whether GPUs were named."""
    return devices[0] not in ("auto", "cpu")


def _unknown_method(method: str, devices: tuple[str, ...]) -> OptionError:
    """Return the error for a method that does not exist."""
    able = able_methods(devices)
    close = get_close_matches(method, [*able, *(alias for alias in ALIASES if ALIASES[alias] in able), "auto"], 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    where = f"on {devices[0]!r} " if is_gpu(devices) else ""
    return OptionError(f"method {method!r} does not exist; {where}there are {_listed(able)} and 'auto'.{hint}")


def _no_bfs(graph: Graph, starts: np.ndarray | None) -> str:
    """Return what a breadth-first search lacks, or nothing."""
    if graph.min_weight != graph.max_weight:
        return f"needs equal weights; they range from {graph.min_weight} to {graph.max_weight}"
    return "" if starts is None else f"starts at distance 0; a starting distance is {starts.max()}"


def take_direction(direction: Any) -> str:
    """Return "from" or "to": whether distances lead from the given vertices or to them."""
    if direction in ("from", "to"):
        return str(direction)
    raise OptionError(f"direction is {direction!r:.60}; give 'from', distances from the given vertices, or 'to'.")


def take_starts(given: Mapping[Any, Any], graph: Graph) -> np.ndarray:
    """Return the starting distances of a dict: int64 if weights and distances are whole numbers, else float64."""
    for vertex, start in given.items():
        if isinstance(start, bool | np.bool_) or not isinstance(start, numbers.Real):
            raise InputTypeError(
                f"the starting distance of {vertex!r} is {start!r}, a {type(start).__name__}; give a number from 0 on."
            )
        if not 0 <= _as_float(start) < math.inf:
            raise OptionError(
                f"the starting distance of {vertex!r} is {start}; give a finite number from 0 on, or leave the vertex "
                "out if nothing starts there."
            )
    starts = list(given.values())
    floats = graph.weight_dtype is not None and graph.weight_dtype.kind == "f"
    if not floats and all(start == int(start) < 2**63 for start in starts):
        return np.array([int(start) for start in starts], np.int64)
    return np.array([float(start) for start in starts])


def take_device(device: Any) -> tuple[str, ...]:
    """Return the names of the devices to run on: "auto", "cpu", or GPUs with their device numbers. Loads no driver."""
    if isinstance(device, str):
        return (_device_name(device),)
    if not isinstance(device, list | tuple):
        raise InputTypeError(
            f"device is {device!r}, a {type(device).__name__}; give a name, such as 'auto', 'cpu' or 'opencl:0', or a "
            "list of names."
        )
    for name in device:
        if not isinstance(name, str):
            raise InputTypeError(f"the list of devices has {name!r}, a {type(name).__name__}; give names.")
    names = tuple(_device_name(name) for name in device)
    if not names:
        raise OptionError(f"the list of devices is empty; give at least one, or {option('device', 'auto')}.")
    if len(names) > 1 and (alone := [name for name in names if ":" not in name]):
        raise OptionError(
            f"device {alone[0]!r} cannot be one of several; several are GPUs, like 'cuda:0' and 'cuda:1'."
        )
    if twice := [name for i, name in enumerate(names) if name in names[:i]]:
        raise OptionError(f"device {twice[0]!r} is given twice; name each once.")
    return names


def close_devices(kind: str) -> list[str]:
    """Return the devices that were probably meant; any kind of GPU by "gpu", which is nearer to "cpu" only in letters.

    Examples
    --------
    >>> from nearfar.engine.options import close_devices
    >>> close_devices("gpu"), close_devices("opncl")
    (['auto', 'opencl', 'cuda'], ['opencl'])
    """
    if "gpu" in kind.lower():
        return ["auto", *(name for name in DEVICES if name != "cpu")]
    return get_close_matches(kind, [*DEVICES, "auto"], 1)


def _device_name(device: str) -> str:
    """Return a device's full name; a GPU without a device number is the first of its kind."""
    if device in ("auto", "cpu"):
        return device
    kind, colon, number = device.partition(":")
    if kind in ("auto", "cpu"):
        raise OptionError(f"device {device!r} does not exist: there is one {kind!r}, without a number.")
    if kind not in DEVICES:
        close = close_devices(kind)
        hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
        raise OptionError(f"device {device!r} does not exist; there are {_listed(DEVICES)} and 'auto'.{hint}")
    if colon and not re.fullmatch(r"[0-9]{1,9}", number):
        raise OptionError(
            f"device {device!r} has {number!r} for a device number; devices are counted from 0, like '{kind}:0'."
        )
    return f"{kind}:{int(number or 0)}"


def take_threads(threads: Any, cores: int) -> int:
    """Return the number of threads; all cores by default."""
    if threads is None:
        return cores
    if isinstance(threads, bool) or not isinstance(threads, numbers.Integral):
        raise InputTypeError(
            f"threads is {threads!r}, a {type(threads).__name__}; give a whole number, or None for all cores."
        )
    if threads < 1:
        raise OptionError(f"threads is {threads}; at least 1 is needed. Leave it out to use all {cores} cores.")
    return int(threads)


def take_cutoff(cutoff: Any, negative: bool) -> float | None:
    """Return the greatest distance that counts as reached, or None if there is no limit."""
    if cutoff is None:
        return None
    if isinstance(cutoff, bool) or not isinstance(cutoff, numbers.Real):
        raise InputTypeError(f"cutoff is {cutoff!r}, a {type(cutoff).__name__}; give a number.")
    size = _as_float(cutoff)
    if math.isnan(size):
        raise OptionError("cutoff is NaN, which nothing compares with; give a number, or leave it out.")
    if cutoff < 0 and not negative:
        raise OptionError(f"cutoff is {cutoff}; the source itself has distance 0, so give 0 or more.")
    if size == math.inf:
        return None
    return int(cutoff) if isinstance(cutoff, numbers.Integral) else size


def take_delta(delta: Any) -> float | None:
    """Return a bucket width, or None to choose one."""
    if delta is None:
        return None
    if isinstance(delta, bool) or not isinstance(delta, numbers.Real):
        raise InputTypeError(f"delta is {delta!r}, a {type(delta).__name__}; give a number.")
    if not 0 < _as_float(delta) < math.inf:
        raise OptionError(f"delta is {delta}; a bucket needs a width above 0. Leave it out to have one chosen.")
    return float(delta)


def check_delta(delta: float | None, method: str, negative: bool, why: str = "") -> None:
    """Refuse a bucket width for a method without buckets; ``why`` says why that method was chosen, if it was."""
    if delta is not None and method not in BUCKETED:
        other = "" if negative else f", or use {option('method', 'delta')}"
        raise OptionError(
            f"delta is {delta:g}, but method {method!r} has no buckets; leave it out{other}."
            + (f" That method was chosen because: {why}." if why else "")
        )


def take_progress(progress: Any) -> Any:
    """Return how to show progress: not at all, as a bar, or through a function."""
    if isinstance(progress, bool) or callable(progress):
        return progress
    raise InputTypeError(f"progress is {progress!r}; give True, False, or a function of rows done and all rows.")


def take_memory(memory: Any) -> int | None:
    """Return the bytes a query may use, given as a number or like '500 MB', '2GiB'; None means all that are free."""
    if memory is None:
        return None
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*([0-9.]+)\s*([A-Za-z]*)\s*", memory)
        if not match or match[2].upper() not in UNITS or match[1].count(".") > 1 or match[1] == ".":
            raise OptionError(f"memory is {memory!r}; give bytes as a number, or like '500 MB' or '2GiB'.")
        memory = float(match[1]) * UNITS[match[2].upper()]
    if isinstance(memory, bool) or not isinstance(memory, numbers.Real):
        raise InputTypeError(
            f"memory is {memory!r}, a {type(memory).__name__}; give bytes as a number, or like '500 MB'."
        )
    if not 0 < _as_float(memory) < math.inf:
        raise OptionError(f"memory is {memory}; give a number of bytes above 0.")
    return int(float(memory))


def take_dtype(dtype: Any, graph: Graph, starts: np.ndarray | None = None) -> np.dtype | None:
    """Return a distance type that can hold sums of weights and starting distances; None if the engine is to choose."""
    if dtype is None:
        return None
    try:
        wanted = np.dtype(dtype)
    except TypeError as error:
        raise OptionError(
            f"dtype {dtype!r} is not a type NumPy knows; give 'int32', 'int64', 'float32' or 'float64'."
        ) from error
    fitting = limits.fitting_types(graph, starts)
    if wanted not in fitting and wanted in limits.fitting_types(graph):
        assert starts is not None
        odd = starts[starts != np.floor(starts)].tolist() or [starts.max().item()]
        raise OptionError(
            f"dtype {wanted.name} cannot hold the starting distance {odd[0]}; give whole numbers, or use "
            f"{option('dtype', 'float64')}."
        )
    if wanted not in fitting:
        kind = "unweighted" if graph.weight_dtype is None else f"{graph.weight_dtype} weights"
        raise OptionError(
            f"dtype {wanted.name} cannot hold the distances exactly: the graph has {kind}, which need one of "
            f"{_listed(t.name for t in fitting)}. Choose one of those"
            f"{in_python(', convert the result with .dist.astype, or the weights before the graph is built')}."
        )
    return wanted


def _as_float(number: Any) -> float:
    """Return a number as a float, infinite if it is beyond the range of floats."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _listed(names: Any) -> str:
    """Join names with commas, for a sentence."""
    return ", ".join(repr(name) for name in names)
