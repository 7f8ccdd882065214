"""Where queries run. The table DEVICES names them; one module each.

`text` joins the programs of GPUs, `facts` is what a plan knows of a device, `device` what OpenCL and CUDA share.
"""

from __future__ import annotations

from typing import Any

from . import cpu, cuda, opencl

DEVICES: dict[str, Any] = {"cpu": cpu, "opencl": opencl, "cuda": cuda}
