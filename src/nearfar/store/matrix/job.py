"""The job of writing a matrix: begin or go on, settle blocks of rows, compress them, write them, one file per block.

A block is whole or absent, so a job that is stopped in whatever way loses at most the blocks under way. What runs is
decided once, and stored: a job that goes on does not decide again, so that floats stay the same to the bit.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...description import format_bytes
from ...devices import cpu
from ...engine.blocks import Done
from ...errors import FileError, StoreError, option
from ...progress import watcher
from .check import broken_blocks, damaged_blocks
from .codec import encode_part, join_parts
from .form import Form
from .locks import PAUSE, Writers
from .places import ASIDE, Folder, Place
from .settling import Settler

# Chosen, not tuned.
WRITERS = 2  # threads that wait for the disk, so that nobody else does
SAMPLE = 8  # blocks by which the room that all take is estimated
PENDING = 4  # blocks that wait for it at most


class Written(Done):
    """What is written so far, for the progress bar: rows, and how much smaller they became."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self.form, self.bytes, self.rows = form, 0, 0
        self._counting = threading.Lock()

    @property
    def note(self) -> str:
        """How much smaller the rows became."""
        raw = self.rows * self.form.columns * self.form.dtype.itemsize
        return f"{raw / self.bytes:.0f}x smaller" if self.bytes else ""

    def wrote(self, rows: int, size: int) -> None:
        """Count a block that is on the disk."""
        with self._counting:
            self.rows, self.bytes = self.rows + rows, self.bytes + size


class Job:
    """Writes the blocks of a store that are missing.

    Parameters
    ----------
    place : Place
    form : Form
    settler : Settler
        Where rows come from.
    order : int array
        The position among all sources of each row that is stored.
    threads : int
    """

    def __init__(self, place: Any, form: Form, settler: Settler, order: np.ndarray, threads: int) -> None:
        self.place, self.form, self.settler, self.order, self.threads = place, form, settler, order, threads
        self.done = Written(form)

    def missing(self) -> list[int]:
        """Return the blocks that are not there."""
        there = self.place.sizes("distance")
        return [b for b in range(self.form.blocks) if self.form.name_of(b) not in there]

    def run(self, writers: Writers, progress: Any) -> None:
        """Write all blocks that are missing; of those that others compute, wait until they are there."""
        missing = self.missing()
        total = sum(len(self.form.rows_of(b)) for b in missing)
        with watcher(progress, total, self.done) as watch:
            while missing:
                before = self.done.rows
                self.write(_spread(missing), total, writers, watch)
                missing = self.missing()
                if missing and not writers.shared:
                    raise StoreError(f"block {missing[0]} of {self.place.name} vanished. Repeat the call.")
                if missing and self.done.rows == before:
                    cpu.run(lambda t: _pause(), 1, np.zeros(1, np.int64), watch)

    def write(self, missing: list[int], total: int, writers: Writers, watch: Any) -> None:
        """Write those of the blocks that are missing which nobody else computes; ``total``: all their rows."""
        with _disk() as disk:
            for group in self._groups(missing, writers):
                self._write(group, writers, watch, disk)
                self.require_room(total)
            disk.wait()

    def require_room(self, rows: int) -> None:
        """Refuse to go on if what is written so far says that the disk is too small for all ``rows``."""
        if self.done.rows < min(SAMPLE * self.form.block, rows):
            return
        free, done = self.place.free_bytes(), self.done
        needed = done.bytes / done.rows * (rows - done.rows)
        if free is not None and needed > free:
            raise FileError(
                f"{self.place.name} should take {format_bytes(round(needed))} more on the disk, by a sample of its "
                f"blocks, but {format_bytes(free)} are free. Make room, and repeat the call: what is written stays."
            )

    def _groups(self, missing: list[int], writers: Writers) -> Iterator[list[int]]:
        """Yield the blocks that nobody else computes, some at a time."""
        count, group = max(1, self.settler.rows_at_once // self.form.block), list[int]()
        for b in missing:
            if not self.claim(b, writers):
                continue
            group.append(b)
            if len(group) == count:
                yield group
                group = []
        if group:
            yield group

    def claim(self, block: int, writers: Writers) -> bool:
        """Claim a block; return whether it is not there, and nobody else computes it."""
        if not writers.claim(block):
            return False
        if writers.shared and self.place.size_of(path_of(self.form, block)) is not None:  # written since we looked
            writers.release(block)
            return False
        return True

    def positions(self, blocks: list[int]) -> np.ndarray:
        """Return the positions among all sources of the rows of some blocks."""
        form = self.form
        return np.concatenate([self.order[form.rows_of(b).start : form.rows_of(b).stop] for b in blocks])

    def _write(self, group: list[int], writers: Writers, watch: Any, disk: Disk) -> None:
        """Settle, compress and write some blocks."""
        for b, data in zip(group, self.encode(group, watch), strict=True):
            disk.submit(lambda b=b, data=data: self._put(b, data, writers))
            self.done.add(len(self.form.rows_of(b)))

    def encode(self, group: list[int], watch: Any = None) -> list[bytes]:
        """Settle some blocks and compress them; return their bytes."""
        held = [self.settler.settle(self.positions(group), self.done.show(watch))]
        return encode_blocks(self.form, group, held, self.settler.columns, self.threads, watch)

    def _put(self, block: int, data: bytes, writers: Writers) -> None:
        """Write a block; it is given back even if that fails."""
        try:
            self.place.write(path_of(self.form, block), data)
            self.done.wrote(len(self.form.rows_of(block)), len(data))
        finally:
            writers.release(block)


def path_of(form: Form, block: int) -> str:
    """Return the name of the file of a block in the store."""
    return f"distance/{form.name_of(block)}"


def encode_blocks(
    form: Form, blocks: list[int], held: list[np.ndarray], columns: np.ndarray, threads: int, watch: Any = None
) -> list[bytes]:
    """Compress some blocks; ``held``: their rows in one array, of which threads that end late keep nothing."""
    starts = list(itertools.accumulate((len(form.rows_of(b)) for b in blocks), initial=0))
    parts: list[list[bytes]] = [[b""] * form.parts for _ in blocks]
    stop = np.zeros(1, np.int64)

    def encode(i: int) -> None:
        which, part = divmod(i, form.parts)
        rows = held[0][starts[which] : starts[which + 1]]
        parts[which][part] = encode_part(form, rows, columns, part)

    threads = 0 if held[0].size < FEW else threads
    cpu.share_out(lambda: encode, len(blocks) * form.parts, threads, stop, watch)
    held.clear()
    return [join_parts(some) for some in parts]


def _spread(blocks: list[int]) -> list[int]:
    """Return blocks in an order in which the first are a sample of all."""
    first = blocks[:: max(1, len(blocks) // SAMPLE)]
    return [*first, *sorted(set(blocks) - set(first))]


FEW = 1 << 16  # numbers that one thread compresses before another would have started


def _pause() -> None:
    """Wait a little for other processes."""
    import time

    time.sleep(PAUSE)


class Disk:
    """Writes blocks on threads of its own; a few may wait."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.pool, self.pending = pool, list[Future[None]]()

    def submit(self, action: Any) -> None:
        """Write something soon; raise what an earlier write raised."""
        self.pending.append(self.pool.submit(action))
        while len(self.pending) > PENDING:
            self.pending.pop(0).result()

    def wait(self) -> None:
        """Wait until everything is written."""
        while self.pending:
            self.pending.pop(0).result()


@contextmanager
def _disk() -> Iterator[Disk]:
    """Give threads that write; at the end, what was begun is finished, whatever happened."""
    pool = ThreadPoolExecutor(WRITERS, "nearfar store")
    try:
        yield Disk(pool)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def repair(place: Place, form: Form, source_columns: np.ndarray, threads: int, progress: Any) -> list[int]:
    """Remove the blocks that are damaged, so that they are written again; return which they were."""
    found = damaged_blocks(place, form, source_columns, threads, progress)
    for block in found:
        place.remove(f"distance/{form.name_of(block)}")
    return found


def require_sound(place: Place, form: Form) -> None:
    """Refuse to go on beside blocks that are not whole: nobody but a damaged disk leaves such files."""
    found = broken_blocks(place, form)
    if found:
        raise StoreError(
            f"{place.name} has {len(found)} damaged block{'s' if len(found) > 1 else ''}, "
            f"{', '.join(map(form.name_of, found[:5]))}{', ...' if len(found) > 5 else ''}. Repeat the call with "
            f"{option('existing', 'repair')}, which writes these again and keeps the others."
        )


def is_ours(place: Place) -> bool:
    """Tell whether a store may be begun here: nothing is here, or what a job left that was stopped at its beginning."""
    if not isinstance(place, Folder):
        return True
    if not place.path.exists():
        return True
    if not place.path.is_dir():
        return False
    names, distance = os.listdir(place.path), place.path / "distance"
    return not names or (place.path / ASIDE).is_dir() or (names == [distance.name] and not any(distance.iterdir()))
