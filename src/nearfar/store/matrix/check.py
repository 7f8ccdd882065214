"""Are the blocks of a store what was written? Whether they are whole, and whether every number in them can be read.

A checksum covers the numbers of every part. Beside that, the distance of a source from itself is 0: a block that lies
in the place of another shows there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...devices import cpu
from ...errors import FileError
from ...progress import watcher
from .codec import CRC_BYTES, ENTRY, damaged, decode_part, parts_listed, split
from .form import Form
from .places import Place


def path_of(place: Place, form: Form, block: int) -> str:
    """Return what messages call a block."""
    return f"{place.name}/distance/{form.name_of(block)}"


def broken_blocks(place: Place, form: Form) -> list[int]:
    """Return the blocks whose files are not whole; only their ends are read."""
    found, length = [], form.parts * ENTRY.itemsize + CRC_BYTES
    for name, size in place.sizes("distance").items():
        block = form.block_of(name)
        if block is not None and parts_listed(form, place.tail(f"distance/{name}", length), size) is None:
            found.append(block)
    return sorted(found)


def read_rows(
    place: Place, form: Form, block: int, which: np.ndarray, threads: int, column: int | None = None
) -> np.ndarray:
    """Return some rows of a block, ascending, given by their positions in it; or one column of them."""
    name = path_of(place, form, block)
    parts = split(form, place.read(f"distance/{form.name_of(block)}"), name)
    if column is not None:
        ends = form.columns_of(column // form.width)
        some = np.empty((len(which), len(ends)), form.dtype)
        decode_part(form, parts[column // form.width], column // form.width, which, some, name)
        return some[:, column - ends.start : column - ends.start + 1]
    rows = np.empty((len(which), form.columns), form.dtype)

    def decode(part: int) -> None:
        ends = form.columns_of(part)
        decode_part(form, parts[part], part, which, rows[:, ends.start : ends.stop], name)

    few = form.block * form.columns < FEW_NUMBERS
    cpu.share_out(lambda: decode, form.parts, 0 if few else threads, np.zeros(1, np.int64))
    return rows


FEW_NUMBERS = 1 << 20  # that one thread reads before another would have started


def require_zeros(name: str, rows: np.ndarray, columns: np.ndarray) -> None:
    """Refuse rows in which a source is not at distance 0 from itself; ``columns``: that of each source, -1 if none."""
    has = np.flatnonzero(columns >= 0)
    if (rows[has, columns[has]] != 0).any():
        raise damaged(name, "a source in it is not at distance 0 from itself, so it is the block of other sources")


def damaged_blocks(place: Place, form: Form, source_columns: np.ndarray, threads: int, progress: Any) -> list[int]:
    """Return the blocks that cannot be read, of those that are there.

    ``source_columns``: the column of each row's source, or -1.
    """
    there = [block for name in place.sizes("distance") if (block := form.block_of(name)) is not None]
    found: list[int] = []
    done: list[int] = []

    def look(i: int) -> None:
        rows = form.rows_of(there[i])
        try:
            values = read_rows(place, form, there[i], np.arange(len(rows)), 0)
            require_zeros(form.name_of(there[i]), values, source_columns[rows.start : rows.stop])
        except FileError:
            found.append(there[i])
        done.extend(rows)

    total = sum(len(form.rows_of(block)) for block in there)
    with watcher(progress, total, done) as watch:
        cpu.share_out(lambda: look, len(there), threads, np.zeros(1, np.int64), watch)
    return sorted(found)
