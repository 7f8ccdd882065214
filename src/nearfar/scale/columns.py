"""Arrays that are written to .npy files from their beginning to their end, also on several occasions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..graph.arrays import Array


class Column:
    """A .npy file of ``count`` entries, of which the first ``done`` are there.

    What follows them in the file is dropped: it was written by a process that ended before it could tell. With
    ``width``, entries are rows of so many numbers.
    """

    def __init__(self, path: Path, dtype: Any, count: int, done: int = 0, width: int | None = None) -> None:
        self.dtype = np.dtype(dtype)
        self._file = open(path, "r+b" if done else "w+b", buffering=0)  # noqa: SIM115 - closed with this object
        if done:
            np.lib.format.read_magic(self._file)
            np.lib.format.read_array_header_1_0(self._file)
            end = self._file.tell() + done * self.dtype.itemsize
            self._file.truncate(end)
            self._file.seek(end)
        else:
            np.lib.format.write_array_header_1_0(self._file, _header(self.dtype, count, width))

    @staticmethod
    def recount(path: Path, dtype: Any, count: int) -> None:
        """Say in the header of a file how many entries it has: NumPy leaves room for longer numbers there."""
        with open(path, "r+b") as file:
            np.lib.format.write_array_header_1_0(file, _header(np.dtype(dtype), count))

    def append(self, values: Array) -> None:
        """Write the next entries."""
        write_all(self._file, np.ascontiguousarray(values, self.dtype))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Column:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


def _header(dtype: np.dtype[Any], count: int, width: int | None = None) -> Any:
    """Return what stands in the header of a file."""
    shape = (count,) if width is None else (count, width)
    return {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}


def write_all(file: Any, values: Array) -> memoryview:
    """Write an array to a file that has no buffer; return its bytes."""
    data = values.reshape(-1).view(np.uint8).data
    done = 0
    while done < len(data):  # one call writes at most 2 GB
        done += file.write(data[done:])
    return data
