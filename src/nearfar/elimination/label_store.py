"""When labels are made, and where they are kept: at once if they were asked for, or as soon as they have paid.

Labels pay once the climbs of all pairs so far have taken as long as labels would: pairs then never take more than twice
what the better choice takes, however many there will be. Steps are counted, not seconds, so that the answer is the same
on any machine.
"""

from __future__ import annotations

import math
import threading
from functools import cached_property
from typing import Any

from ..description import format_bytes
from ..devices import cpu
from ..errors import MemoryLimitError
from .build import Hierarchy
from .labels import Labels, LabelSize, make_labels, measure_labels
from .tuning import FEW_PAIRS_ASKED, LABEL_BYTE, LABEL_SHARE, PAIR_ALONE


class LabelStore:
    """The labels of a hierarchy, or what is needed to decide whether to make them.

    ``wanted``: True if they are made whatever they take, False if never, None if as soon as they have paid.
    """

    def __init__(self, hierarchy: Hierarchy, wanted: bool | None, threads: int) -> None:
        self.hierarchy, self.wanted, self.threads = hierarchy, wanted, threads
        self.made: Labels | None = None
        self._asked = 0  # pairs
        self._making = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Copy everything but the labels, whose alignment a copy would lose, and the lock."""
        return {name: value for name, value in vars(self).items() if name not in ("made", "size", "_making")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was copied, with a new lock; labels are made again when a pair is asked for."""
        vars(self).update(state, made=None, _making=threading.Lock())

    def ask(self, pairs: int) -> Labels | None:
        """Return the labels for this number of pairs, None if they climb.

        Labels round floats in another order than climbs do. So that the same question always gets the same answer, a
        call for floats has labels if it has pairs enough by itself, whatever was asked before.
        """
        if self.wanted is False or (self.made is not None and (self.wanted or not self._rounds)):
            return self.made
        self._asked = pairs if self._rounds else self._asked + pairs
        if not self.wanted and self._asked < FEW_PAIRS_ASKED:
            return None
        return self.make() if self._asked >= self.enough else None

    @property
    def are_kept(self) -> bool:
        """Whether a file or copy should have labels for every pair, as this has."""
        return self.wanted is True or (self.made is not None and not self._rounds)

    @property
    def _rounds(self) -> bool:
        """Whether sums are rounded."""
        return self.hierarchy.layout.dtype.kind == "f"

    def make(self) -> Labels:
        """Return the labels, made by the first who asks."""
        with self._making:
            if self.made is None:
                self.made = make_labels(self.hierarchy, self.threads, self.size)
            return self.made

    def require_memory(self, allowed: int) -> None:
        """Refuse labels that are not expected to fit into memory."""
        if self.size.nbytes > allowed:
            raise MemoryLimitError(
                f"labels of {self.hierarchy.graph.n:,} vertices with {self.size.mean:,.0f} ancestors on average need "
                f"{format_bytes(self.size.nbytes)}; {format_bytes(allowed)} may be used. Allow more memory, or leave "
                "labels out: pairs are then found by climbs.",
                self.size.nbytes,
                allowed,
            )

    @cached_property
    def size(self) -> LabelSize:
        """How large the labels are, or would be."""
        return measure_labels(self.hierarchy)

    @cached_property
    def enough(self) -> float:
        """The number of pairs whose climbs take as long as labels: infinite if these would take too much memory.

        That may be so of labels that are wanted, too: a file may come from a larger machine.
        """
        if self.size.nbytes > (1 if self.wanted else LABEL_SHARE) * cpu.facts().memory:
            return math.inf
        if self.wanted:
            return 0
        return self.size.nbytes * LABEL_BYTE / (self.size.climb + PAIR_ALONE)
