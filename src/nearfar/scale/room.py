"""How much memory a conversion may take, and how it is shared out.

The figure is for our arrays: the interpreter and what is loaded with it (Numba, pyarrow) come beside it. Vertices stay
in memory, 8 bytes or less each if their ids are numbers without large gaps. What is left is cut into buffers, which do
not grow with the number of arcs.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..description import format_bytes
from ..devices import cpu
from ..engine.options import take_memory
from ..errors import MemoryLimitError, option

LEAST = 48 << 20  # bytes: a parser with the blocks that it reads ahead, and buffers that are worth a write
PARSER = 24 << 20  # bytes: two blocks of text ahead, columns of one, those of a batch of a table
MOST_ARCS = 1 << 20  # arcs of a segment; more make the calls no rarer than they need be
BUCKET = 1 << 22  # bytes of a bucket that is sorted in the cache that cores share
MOST_BUCKETS = 256  # files that are open at once


@dataclass(frozen=True)
class Room:
    """The bytes that may be used."""

    memory: int

    def take(self, needed: int, what: str) -> Room:
        """Return what is left beside something that stays in memory; refuse what does not fit."""
        left = self.memory - needed
        if left < LEAST // 2:
            raise MemoryLimitError(
                f"{what} need {format_bytes(needed)}, and buffers {format_bytes(LEAST // 2)}, but "
                f"{format_bytes(self.memory)} may be used. Give more with {option('memory')}.",
                needed + LEAST // 2,
                self.memory,
            )
        return Room(left)

    def segment(self, arc_bytes: int) -> int:
        """Return how many arcs are spooled at a time, of which each takes some bytes in all buffers together."""
        return max(1 << 10, min(MOST_ARCS, max(self.memory - PARSER, LEAST // 4) // arc_bytes))

    def window(self) -> int:
        """Return the bytes of records that are sorted at a time, twice because one is written meanwhile."""
        return max(1 << 16, self.memory // 8)


def take_room(memory: object) -> Room:
    """Return the memory that may be used: half of what is free, if nobody says."""
    found = take_memory(memory)
    room = Room(cpu.facts().memory // 2 if found is None else found)
    if room.memory < LEAST:
        raise MemoryLimitError(
            f"memory is {format_bytes(room.memory)}, but a conversion needs {format_bytes(LEAST)} beside its vertices. "
            f"Give more with {option('memory')}.",
            LEAST,
            room.memory,
        )
    return room
