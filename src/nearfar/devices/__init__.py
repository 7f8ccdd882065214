"""Where queries run. The table DEVICES names them; one module each.

`text` joins the programs of GPUs, `facts` is what a plan knows of a device, `device` what OpenCL and CUDA share.
"""

from __future__ import annotations

from typing import Any

from . import cpu, cuda, opencl
from .device import Device

DEVICES: dict[str, Any] = {"cpu": cpu, "opencl": opencl, "cuda": cuda}


def open_named(name: str) -> Device:
    """Open the GPU of a full name, such as "opencl:1"."""
    kind, _, index = name.partition(":")
    device: Device = DEVICES[kind].open_device(int(index))
    return device
