"""Answers that were read from files: the classes that queries return, with saved predecessors and sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import OptionError, option
from ..results import Distances, Nearest

if TYPE_CHECKING:
    from ..graph import Graph


@dataclass(frozen=True)
class Hints:
    """What the command line says about a saved answer: sources, cutoff, type, direction, whether it is rounded."""

    sources: list[Any] | None
    cutoff: float | None
    dtype: str | None
    rounded: bool = False
    direction: str | None = None


def check_direction(path: str, saved: str, hints: Hints) -> None:
    """Refuse a direction of the command line that the file contradicts."""
    if hints.direction not in (None, saved):
        raise OptionError(
            f"{path} holds distances {saved} its sources, not {hints.direction} them. Leave {option('direction')} out: "
            "the file knows its direction."
        )


class SavedDistances(Distances):
    """Distances whose predecessors, if any, come from the file."""

    tree: np.ndarray | None = None

    def known_trees(self) -> dict[int, np.ndarray]:
        """Return the predecessors that were saved."""
        return {} if self.tree is None else dict(enumerate(self.tree.reshape(self.rows.shape)))


class SavedNearest(Nearest):
    """A nearest answer whose nearest sources come from the file."""

    owner: np.ndarray

    @property
    def source(self) -> np.ndarray:
        """The nearest source of each vertex, as it was saved."""
        return self.owner


def nearest_of(
    graph: Graph,
    starts: np.ndarray,
    rows: np.ndarray,
    owner: np.ndarray,
    tree: np.ndarray | None,
    options: dict[str, Any],
) -> Nearest:
    """Return the answer of a nearest query."""
    distances = SavedDistances(graph, starts[:1], rows, **(options | {"seeds": starts, "single": True}))
    distances.tree = tree
    answer = SavedNearest(distances)
    answer.owner = owner
    return answer
