"""The form of a stored matrix: how many rows make a block, how many columns a part of it, and where each block lies.

A *block* is one file: a shard in the words of Zarr, with the rows of neighbouring sources. It is cut by columns into
*parts*, which are compressed one by one, so that threads share a block and one distance can be read without the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Rows of a block. New York in blocks of 16, 32 and 64 rows becomes 22, 39 and 68 times smaller; a row is read from one
# of 64 in 12 ms on two threads, most of which is decompression: it would take 24 from one of 128.
ROWS = 64
# Bytes of a part as it is compressed. New York with 1, 2, 4 and 8 MB: 1.21, 1.26, 1.29 and 1.28 GB/s on one thread, and
# 68.4, 68.9, 69.3 and 69.5 times smaller.
PART_BYTES = 1 << 22
LEAST_BYTES = 1 << 22  # of a block: blocks of short rows have more of them; chosen, not tuned
MOST_BYTES = 1 << 30  # of a block: blocks of long rows have fewer; chosen, not tuned


@dataclass(frozen=True)
class Form:
    """The numbers that say where every distance lies.

    Attributes
    ----------
    rows, columns : int
        The shape of the matrix.
    block : int
        Rows of a block.
    width : int
        Columns of a part.
    dtype : numpy.dtype
        The type of the distances.
    """

    rows: int
    columns: int
    block: int
    width: int
    dtype: np.dtype

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return -(-self.rows // self.block)

    @property
    def parts(self) -> int:
        """The number of parts of a block."""
        return -(-self.columns // self.width)

    @property
    def block_bytes(self) -> int:
        """The bytes of a block that is not compressed."""
        return self.block * self.columns * self.dtype.itemsize

    @property
    def part_bytes(self) -> int:
        """The bytes of a part that is not compressed."""
        return self.block * self.width * self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The bytes of the matrix that is not compressed."""
        return self.rows * self.columns * self.dtype.itemsize

    def rows_of(self, block: int) -> range:
        """Return the rows of a block, as they are stored."""
        return range(block * self.block, min((block + 1) * self.block, self.rows))

    def columns_of(self, part: int) -> range:
        """Return the columns of a part."""
        return range(part * self.width, min((part + 1) * self.width, self.columns))

    def name_of(self, block: int) -> str:
        """Return the name of the file of a block."""
        return f"c.{block}.0"

    def block_of(self, name: str) -> int | None:
        """Return the block that a file holds; None if it holds none."""
        digits = name.removeprefix("c.").removesuffix(".0")
        if not digits.isdecimal() or name != self.name_of(int(digits)) or int(digits) >= self.blocks:
            return None
        return int(digits)


def choose_form(rows: int, columns: int, dtype: np.dtype, most: int = MOST_BYTES) -> Form:
    """Return the form for a matrix; ``most``: the bytes that a block may have, if it has more than one row.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.store.matrix.form import choose_form
    >>> form = choose_form(264_346, 264_346, np.dtype(np.int32))
    >>> form.block, form.blocks, form.parts, form.block_bytes
    (64, 4131, 17, 67672576)
    """
    row = max(1, columns * dtype.itemsize)
    block = min(max(ROWS, LEAST_BYTES // row // ROWS * ROWS), max(1, rows))
    while block > 1 and block * row > min(most, MOST_BYTES):
        block //= 2
    parts = max(1, -(-block * row // PART_BYTES))
    return Form(rows, columns, block, -(-max(1, columns) // parts), dtype)
