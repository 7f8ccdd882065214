"""Where queries run: the table DEVICES, one module per kind of device.

`text` assembles the source of GPU programs, `facts` is what a plan knows about a device, `device` is what OpenCL and
CUDA share.
"""

from __future__ import annotations

from typing import Any

from . import cpu, cuda, opencl
from .device import Device

DEVICES: dict[str, Any] = {"cpu": cpu, "opencl": opencl, "cuda": cuda}


def open_named(name: str) -> Device:
    """Open the GPU with a full name such as "opencl:1"."""
    kind, _, index = name.partition(":")
    device: Device = DEVICES[kind].open_device(int(index))
    return device
