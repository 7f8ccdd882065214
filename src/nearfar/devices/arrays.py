"""Arrays of other libraries in a device's memory, which queries fill there: CuPy's, PyTorch's, Numba's, PyOpenCL's.

Nothing is loaded here to tell whether something is such an array: who has one has loaded its library.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import DEVICES
from .device import ArrayFacts, Device


class DeviceArray:
    """A user's array in a device's memory: k x n distances to be filled, whatever shape the array has."""

    def __init__(self, array: Any, device: Device, shape: tuple[int, int], dtype: np.dtype) -> None:
        self.array, self.device, self.shape, self.dtype = array, device, shape, dtype
        self.size = math.prod(shape)
        self.buffer = device.adopt(array)

    def __len__(self) -> int:
        return self.shape[0]

    def fill(self, value: Any) -> None:
        """Set all elements to a value."""
        with self.device.lock:
            self.device.fill(self.buffer, value)
            self.device.finish()

    def shaped(self, single: bool) -> Any:
        """Return the user's array, or its only row: where ``single``, the axis of rows is dropped."""
        return self.array[0] if single and len(self.array.shape) == 2 else self.array

    def load(self) -> np.ndarray:
        """Return the rows as they are now, copied to the host."""
        with self.device.lock:
            return self.device.get(self.device.adopt(self.array)).reshape(self.shape)


def find_array(array: Any) -> tuple[str, ArrayFacts] | None:
    """Return the kind of device whose memory an array is in, and what it says of itself; None if it is none of those.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.devices.arrays import find_array
    >>> find_array(np.zeros(3)) is None
    True
    """
    for kind, module in DEVICES.items():
        if kind != "cpu" and (facts := module.array_facts(array)) is not None:
            return kind, facts
    return None


def device_of(kind: str, array: Any) -> Device:
    """Return the device whose memory an array is in."""
    device: Device = DEVICES[kind].device_of(array)
    return device
