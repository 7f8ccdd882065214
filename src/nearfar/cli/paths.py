"""The way to a target: its distance and its vertices, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..results.limits import unreached
from .documents import as_json

if TYPE_CHECKING:
    import nearfar


@dataclass(frozen=True)
class Way:
    """A target, how far it is and how to get there; distance and vertices are None where there is no way."""

    target: Any
    distance: Any
    vertices: list[Any] | None

    @property
    def text(self) -> str:
        """The distance in full."""
        return "unreached" if self.distance is None else str(self.distance)

    @property
    def shown(self) -> str:
        """The distance for people."""
        from .screen import number

        return "unreached" if self.distance is None else number(self.distance)

    def document(self) -> dict[str, Any]:
        """Return the way for machines."""
        path = None if self.vertices is None else [as_json(vertex) for vertex in self.vertices]
        return {"vertex": as_json(self.target), "distance": self.distance, "path": path}


def way_to(answer: nearfar.Distances | nearfar.Nearest, target: Any) -> Way:
    """Return the way to a target from the one source of an answer, or from the nearest of its sources."""
    distance = answer.dist[answer.graph.index(target, "target")]
    if distance == unreached(distance.dtype):
        return Way(target, None, None)
    return Way(target, distance.item(), answer.path(target))
