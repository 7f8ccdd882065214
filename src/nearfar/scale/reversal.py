"""The arcs of a graph whose files are there already, reversed, in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..graph.arrays import Array
from ..graph.blocks import moved


def reversed_blocks(
    made: Path, size: int, keep_rows: bool
) -> Iterator[tuple[Array, Array, Array | None, Array | None]]:
    """Yield the arcs of a folder in the order of its rows: reversed tails and heads, weights, rows of the input."""
    from ..kernels.cpu.partition import reverse_block

    offsets, arcs = (np.load(made / f"{name}.npy", mmap_mode="r") for name in ("offsets", "arcs"))
    rows = np.load(made / "rows.npy", mmap_mode="r") if (made / "rows.npy").exists() else None
    with open(made / "arcs.npy", "rb") as file:
        file.seek(arcs.offset)
        for low in range(0, len(arcs), size):
            records = np.fromfile(file, arcs.dtype, min(size, len(arcs) - low))
            first = int(np.searchsorted(offsets, low, side="right")) - 1
            tails, out = np.empty(len(records), np.int32), np.empty_like(records)
            reverse_block(np.asarray(offsets), first, low, moved(records), tails, moved(out))
            part = np.arange(low, low + len(records)) if rows is None else np.asarray(rows[low : low + len(records)])
            yield (
                tails,
                out["head"],
                out["weight"] if "weight" in out.dtype.names else None,
                part if keep_rows else None,
            )
