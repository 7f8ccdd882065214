"""The path to a target: its distance and its vertices, or neither."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .documents import as_json

if TYPE_CHECKING:
    import nearfar


@dataclass(frozen=True)
class PathTo:
    """A target, its distance, and the vertices of the path to it; both are None if there is no path."""

    target: Any
    distance: Any
    vertices: list[Any] | None

    @property
    def text(self) -> str:
        """The distance with all its digits."""
        return "unreached" if self.distance is None else str(self.distance)

    @property
    def shown(self) -> str:
        """The distance as the screen shows it."""
        from .screen import number

        return "unreached" if self.distance is None else number(self.distance)

    def document(self) -> dict[str, Any]:
        """Return the target, its distance and its path for JSON."""
        path = None if self.vertices is None else [as_json(vertex) for vertex in self.vertices]
        return {"vertex": as_json(self.target), "distance": self.distance, "path": path}


def paths_to(answer: nearfar.KNearest, target: Any) -> list[PathTo]:
    """Return the paths to a target from each of its nearest sources, or one without vertices if there is none."""
    found = answer[target]
    if not found:
        return [PathTo(target, None, None)]
    return [PathTo(target, distance, answer.path(target, rank=i)) for i, (_, distance) in enumerate(found, 1)]


def path_to(answer: nearfar.Distances | nearfar.Nearest | nearfar.Table, target: Any) -> PathTo:
    """Return the path to a target from the one source of an answer, or from the nearest of its sources."""
    found = answer[target]
    distance = found[1] if isinstance(found, tuple) else found
    return PathTo(target, None, None) if distance == math.inf else PathTo(target, distance, answer.path(target))
