"""Arcs as they were read, spooled to files: the first pass over an input larger than memory.

A segment holds some hundred thousand arcs: all tails, all heads, all weights, each in the narrowest type that formats/
pieces.py would keep them in. What must be known of all arcs before the first can find its row is gathered meanwhile:
types, whether tails ascend, whether weights are inf. It stands in the journal, so segments that are there need not be
read again for it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import FileError, option
from ..formats.pieces import narrow
from ..formats.streams import ArcBlock
from .columns import write_all
from .journal import Entry, Journal


class Summary(NamedTuple):
    """What is known of all arcs.

    Attributes
    ----------
    total : int
    weight : dtype or None
        The type that holds all weights.
    drops : bool
        Whether some weights are inf.
    ascending : bool
        Whether the arcs are in order of their tails.
    """

    total: int
    weight: np.dtype[Any] | None
    drops: bool
    ascending: bool


class Segments:
    """The spooled arcs in a folder, as the journal knows them.

    Parameters
    ----------
    folder : Path
    journal : Journal
    size : int
        How many arcs a segment has at least, except the last one.
    """

    def __init__(self, folder: Path, journal: Journal, size: int) -> None:
        self.folder, self.journal, self.size = folder, journal, size
        self.entries = journal.all("segment")
        self.count = sum(entry["count"] for entry in self.entries)
        self._blocks: list[ArcBlock] = []
        self._waiting = 0

    def add(self, block: ArcBlock) -> bool:
        """Keep a copy of a block; return whether there are enough for a segment."""
        tails, heads, weights = block
        self._blocks.append((narrow(tails), narrow(heads), None if weights is None else narrow(weights)))
        self._waiting += len(tails)
        return self._waiting >= self.size

    def take(self) -> list[ArcBlock]:
        """Return the blocks that wait, and forget them."""
        blocks, self._blocks, self._waiting = self._blocks, [], 0
        return blocks

    def write(self, blocks: list[ArcBlock], **facts: Any) -> None:
        """Write a segment, and note it with other facts."""
        number = len(self.entries)
        entry: Entry = {"segment": number, "count": sum(len(tails) for tails, _, _ in blocks), **_order_of(blocks)}
        entry["ends"] = max((end.dtype for b in blocks for end in b[:2]), key=lambda dtype: dtype.itemsize).name
        found = [weights for _, _, weights in blocks if weights is not None]
        entry["blocks"] = sorted({w.dtype.name for w in found if len(w)})
        entry["first"] = found[0].dtype.name if found else None
        entry["weights"] = _common(entry["blocks"], entry["first"])
        entry["drops"] = any(w.dtype.kind == "f" and bool(np.isinf(w).any()) for w in found)
        entry["crc"] = self._write_columns(self.folder / f"{number:06}.segment", blocks, entry)
        self.journal.note(**entry, **facts)
        self.entries.append(self.journal.entries[-1])
        self.count += entry["count"]

    def _write_columns(self, path: Path, blocks: list[ArcBlock], entry: Entry) -> int:
        """Write tails, heads and weights, one after the other; return their checksum."""
        crc, types = 0, (entry["ends"], entry["ends"], entry["weights"])
        with open(path, "wb", buffering=0) as file:
            for i, dtype in enumerate(types):
                for block in blocks:
                    if dtype is not None:
                        crc = zlib.crc32(write_all(file, block[i].astype(dtype, copy=False)), crc)  # type: ignore[union-attr]
        return crc

    def summary(self) -> Summary:
        """Return what is known of all arcs."""
        kinds = {kind for entry in self.entries for kind in entry["blocks"]}
        first = next((entry["first"] for entry in self.entries if entry["first"]), None)
        name, last, ascending = _common(sorted(kinds), first), -(2**63), True
        for entry in self.entries:
            if entry["count"]:
                ascending &= entry["ascending"] and entry["tails"][0] >= last
                last = entry["tails"][1]
        drops = any(entry["drops"] for entry in self.entries)
        return Summary(self.count, None if name is None else np.dtype(name), drops, ascending)

    def read(self) -> Iterator[ArcBlock]:
        """Yield the arcs of all segments."""
        for entry in self.entries:
            yield self._read(entry)

    def remove(self) -> None:
        """Delete the files of all segments."""
        for path in self.folder.glob("*.segment"):
            path.unlink()

    def _read(self, entry: Entry) -> ArcBlock:
        """Return the arcs of a segment, compared with their checksum."""
        path, count = self.folder / f"{entry['segment']:06}.segment", entry["count"]
        types = [np.dtype(entry["ends"])] * 2 + ([np.dtype(entry["weights"])] if entry["weights"] else [])
        ends = np.cumsum([0] + [count * dtype.itemsize for dtype in types]).tolist()
        try:
            data = np.fromfile(path, np.uint8)
        except OSError as error:
            raise damaged(path) from error
        if len(data) != ends[-1] or zlib.crc32(data.data) != entry["crc"]:
            raise damaged(path)
        columns = [data[ends[i] : ends[i + 1]].view(dtype) for i, dtype in enumerate(types)]
        return columns[0], columns[1], columns[2] if len(columns) > 2 else None


def _order_of(blocks: list[ArcBlock]) -> Entry:
    """Return whether the tails of some blocks ascend, and the first and the last of them."""
    tails = [block[0] for block in blocks if len(block[0])]
    inside = all(bool((part[1:] >= part[:-1]).all()) for part in tails)
    between = all(int(after[0]) >= int(before[-1]) for before, after in pairwise(tails))
    return {"ascending": inside and between, "tails": [int(tails[0][0]), int(tails[-1][-1])] if tails else []}


def _common(kinds: list[str], first: str | None) -> str | None:
    """Return the type that holds weights of several types; ``first`` counts if all blocks are empty."""
    if first is None:
        return None
    return np.result_type(*[np.dtype(kind) for kind in kinds or [first]]).name


def damaged(path: Path) -> FileError:
    """Return the error for a file of an unfinished job that is not as it was written."""
    return FileError(
        f"{path} is not as it was written, so the conversion cannot go on. Begin it anew with "
        f"{option('existing', 'restart')}."
    )
