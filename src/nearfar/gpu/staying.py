"""Rows that stay on the device where they are settled: a kernel finishes them and writes them to the user's array.

It does what the engine does with rows that were copied to the host (results/limits.py), to the bit. Only the greatest
distance of a block is copied, and only where a distance may not fit its type.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..devices.arrays import DeviceArray
from ..devices.device import Device
from ..results.limits import unreached
from .method import Engine
from .row_blocks import Rows
from .work import CODES, Work

STEM, GROUPS, GROUP_SIZE = "finish", 1024, 256


class Stays:
    """Takes settled rows as `Downloads` does, and leaves them on the device."""

    def __init__(self, work: Work, engine: Engine, rows: Rows) -> None:
        assert isinstance(rows.dist, DeviceArray) and rows.ending is not None
        self.work, self.engine, self.array, self.ending = work, engine, rows.dist, rows.ending
        self._lowest = work.empty(1, work.key)
        self._kernel = finishing_kernel(work.device, rows.dist.dtype)

    def begin(self, block: range) -> None:
        """Finish settled rows and write them to the array, before the next kernels of the method."""
        work, n = self.work, self.work.problem.graph.n
        work.meanwhile()
        if work.controls.stop[0]:
            return
        look = self.ending.must_look(work.controls.longest)
        if look:
            work.device.fill(self._lowest, -1)
        count, start = len(block) * n, self.array.buffer.start + block.start * n
        size = min(GROUP_SIZE, work.layout.group_size, self._kernel.most)
        self._kernel(
            max(1, min(GROUPS, -(-count // size))), size, self.engine.dist, np.int64(count), work.ceiling,
            self._key(self.ending.limit), self._key(unreached(self.array.dtype)), self._flip(), np.int32(look),
            self.array.buffer, np.int64(start), self._lowest,
        )  # fmt: skip
        work.controls.finish(block.start, block.stop, not look or self.ending.fits(self._most()))

    def _most(self) -> Any:
        """Return the greatest distance of the rows that were finished last."""
        return (~self.work.device.get(self._lowest)).view(self.array.dtype)[0]

    def _key(self, value: Any) -> Any:
        """Return a distance as a key."""
        key = np.array([value], self.array.dtype).view(self.work.key)[0]
        return key ^ self._flip() if key < 0 else key

    def _flip(self) -> Any:
        """Return what turns keys of negative distances into distances: negative floats have other bits than keys."""
        differ = self.array.dtype.kind == "f" and self.work.problem.graph.min_weight < 0
        return self.work.key.type(np.iinfo(self.work.key).max if differ else 0)


def finishing_kernel(device: Device, dtype: np.dtype) -> Any:
    """Return the kernel that finishes rows of a type; building it takes a while the first time."""
    return device.kernel(STEM, "finish_rows", {"DIST": CODES[dtype.str[1:]], "WEIGHT": 0, "OFFSET": 1})
