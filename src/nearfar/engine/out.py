"""The option ``out``: a NumPy array that a query fills, or an array of another library in a device's memory.

Rows that are settled on the device stay there then. An array says which device that is, so "auto" takes that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..devices.arrays import DeviceArray, device_of, find_array
from ..devices.device import ArrayFacts
from ..errors import InputTypeError, OptionError, option
from .options import Options


def take_out(
    out: Any, shape: tuple[int, int], single: bool, fitting: Sequence[np.dtype]
) -> np.ndarray | DeviceArray | None:
    """Return the array to fill as k x n, or None if one is to be made."""
    if out is None:
        return None
    if isinstance(out, np.ndarray) and not isinstance(out, np.ma.MaskedArray):
        facts = ArrayFacts(out.shape, out.dtype, out.flags.c_contiguous, out.flags.writeable)
        _check(facts, shape, single, fitting, "np.empty")
        return out.reshape(shape)
    if (found := find_array(out)) is None:
        raise InputTypeError(
            f"out is a {type(out).__name__}; give a NumPy array to fill, or one of CuPy or PyOpenCL, which its device "
            "fills."
        )
    kind, facts = found
    _check(facts, shape, single, fitting, "cupy.empty" if kind == "cuda" else "pyopencl.array.empty")
    return DeviceArray(out, device_of(kind, out), shape, facts.dtype)


def _check(facts: ArrayFacts, shape: tuple[int, int], single: bool, fitting: Sequence[np.dtype], maker: str) -> None:
    """Refuse an array that cannot be filled."""
    wanted = shape[1:] if single else shape
    if facts.shape not in (wanted, shape):
        raise OptionError(f"out has shape {facts.shape}; this query fills {wanted}.")
    if facts.dtype not in fitting or not facts.dtype.isnative:
        types = ", ".join(repr(dtype.name) for dtype in fitting)
        raise OptionError(f"out has type {facts.dtype}; these distances need one of {types}.")
    if not facts.contiguous or not facts.writable:
        flaw = "not contiguous" if facts.writable else "read-only"
        queue = "queue, " if maker.startswith("pyopencl") else ""
        raise OptionError(
            f"out is {flaw}; give a writable array in C order, such as {maker}({queue}{wanted}, {facts.dtype.name!r})."
        )


def take_devices(devices: tuple[str, ...], out: Any) -> tuple[str, ...]:
    """Return the devices to run on: where ``out`` is, if it is in a device's memory; an error if another is named."""
    if out is None or isinstance(out, np.ndarray) or (found := find_array(out)) is None:
        return devices
    name = device_of(found[0], out).name
    if devices in (("auto",), (name,)):
        return (name,)
    there = f"out is a {_type_of(out)} in the memory of {name!r}"
    if len(devices) > 1:
        raise OptionError(
            f"{there}, but {len(devices)} devices are to share the rows, and none writes to the memory of another. "
            f"Use {option('device', name)}, or give a NumPy array."
        )
    other = "" if devices[0] == "cpu" else f", or one on {devices[0]!r}"
    raise OptionError(
        f"{there}, but the query runs on {devices[0]!r}; rows stay where they are settled. Use "
        f"{option('device', name)}, or give a NumPy array{other}."
    )


def require_host(options: Options, query: str) -> Options:
    """Return the options; refuse an ``out`` in a device's memory for a query whose answer is made on the host."""
    out = options.get("out")
    if out is not None and not isinstance(out, np.ndarray) and find_array(out) is not None:
        raise OptionError(
            f"out is a {_type_of(out)} in the memory of a device, but {query} makes its answer on the host. Give a "
            "NumPy array, or fill whole rows with sssp, mssp or apsp."
        )
    return options


def _type_of(out: Any) -> str:
    """Return the type of an array with its library."""
    return f"{type(out).__module__}.{type(out).__name__}"
