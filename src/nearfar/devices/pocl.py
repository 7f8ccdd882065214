"""PoCL: how to know its devices, and those that it offers but cannot build a kernel for.

PoCL passes LLVM's name of the processor on to its compiler. An LLVM older than the processor calls it "generic", and on
x86 the compiler then rejects every program it is given (https://github.com/pocl/pocl/issues/1049). A device's version
ends with the name. That is only a hint, since other versions of PoCL may build there: where it is "generic", an empty
program is built, once per process, which takes 4 ms to fail. Devices that are not PoCL's cost a look at a name.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any

from .quiet import build_quietly

PLATFORM = "portable computing language"
HINT = "-generic"  # "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-generic"; elsewhere, say, "-znver3"
COMPLAINT = "unknown target cpu"
ADVICE = (
    "Install a newer PoCL (`conda install -c conda-forge pyopencl pocl`), or Intel's OpenCL runtime (`pip install "
    "intel-opencl-rt intel-cmplr-lib-rt`, and set OCL_ICD_VENDORS to the path of its libintelocl.so)"
)

_asking = threading.Lock()


def is_pocl(device: Any) -> bool:
    """Return whether a device is one of PoCL's."""
    return PLATFORM in device.platform.name.lower()


def defect(cl: Any, device: Any) -> str:
    """Return why no kernel can be built for a device, and the way out; "" if none of this is known."""
    if not is_pocl(device):
        return ""
    with _asking:
        return _ask(cl, device)


@lru_cache(maxsize=64)
def _ask(cl: Any, device: Any) -> str:
    """Look at the device's version, which PoCL takes 0.2 ms to make; build an empty program where it has the hint."""
    if not device.version.strip().endswith(HINT):
        return ""
    try:
        build_quietly(cl, cl.Program(cl.Context([device]), ""), [])
    except cl.Error as error:
        if COMPLAINT in str(error).lower():  # any other error may be one of a single program
            return (
                f"the compiler of PoCL {device.driver_version.strip()} does not know this processor, and rejects every "
                f"kernel. {ADVICE}"
            )
    return ""
