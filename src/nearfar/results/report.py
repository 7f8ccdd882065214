"""What results say of themselves: what ran, what it cost, what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..description import Description
from .limits import unreached

if TYPE_CHECKING:
    from .distances import Distances
    from .knearest import KNearest
    from .table import Table


def describe(result: Distances | KNearest | Table, rows: np.ndarray, **sizes: Any) -> Description:
    """Return the facts of a result: its sizes, its plan, what was measured, its limits, and what ``rows`` hold."""
    facts: dict[str, Any] = {**sizes, "vertices": result.graph.n, "arcs": result.graph.m}
    on_gpu = getattr(result.plan, "gpu", None) is not None  # then threads only work on trees
    for fact in ("method", "device", "why") if on_gpu else ("method", "device", "threads", "why"):
        if (value := getattr(result.plan, fact, None)) is not None:
            facts[fact] = value
    facts |= result.stats or {}
    facts |= {"direction": "to"} if result.direction == "to" else {}
    facts |= {"cutoff": result.cutoff} if result.cutoff is not None else {}
    return Description(facts | _findings(rows))


def _findings(rows: np.ndarray) -> dict[str, Any]:
    """Count reached pairs and find the greatest distance, row by row."""
    count, farthest, mark = 0, None, unreached(rows.dtype)
    for row in rows:
        if len(reached := row[row != mark]):
            count += len(reached)
            most = reached.max().item()
            farthest = most if farthest is None else max(farthest, most)
    return {"reached": count, "farthest": farthest, "dtype": str(rows.dtype)}


def by(result: Distances | KNearest | Table) -> str:
    """Return which method ran where, if it is known, and the direction, if it is not the usual one, for a repr."""
    facts = result.stats or {}
    method = facts.get("method") or getattr(result.plan, "method", None)
    device = facts.get("device") or getattr(result.plan, "device", None)
    towards = ", to the sources" if result.direction == "to" else ""
    return (f", {method}" if method else "") + (f" on {device}" if device else "") + towards
