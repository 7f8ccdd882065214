"""The arcs of a prepared graph by levels on a device (elimination/levels.py), which stay there for the next query."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..devices.device import Buffer
from ..elimination.build import Hierarchy
from .work import Work, forget, with_room

if TYPE_CHECKING:
    from ..elimination.layout import SweepLayout
    from ..graph import Graph

KEPT = "levels"  # the name under which they are kept


def on_device(work: Work, sweep_layout: SweepLayout) -> dict[str, Any]:
    """Return the arcs down by levels on the device; those of a `Prepared` graph stay there with it."""
    came = work.problem.hierarchy
    if not isinstance(came, Hierarchy) or came.layout is not sweep_layout:
        return upload_levels(work.upload, sweep_layout)
    kept = work.resident(KEPT, dict)
    # What is kept may belong to another preparation of the same graph, which may be gone.
    if not kept or kept["sweep_layout"]() is not sweep_layout:
        kept.clear()
        kept |= with_room(lambda: upload_levels(work.device.upload, sweep_layout), work.device, work.problem.graph)
        weakref.finalize(sweep_layout, _forget, weakref.ref(work.problem.graph), work.device.name).atexit = False
    return kept


def _forget(graph: weakref.ref[Graph], device: str) -> None:
    """Free the arcs of a prepared graph that is gone; those of another preparation stay."""
    owner = graph()
    if owner is not None:
        forget(owner, device, KEPT, lambda kept: "sweep_layout" not in kept or kept["sweep_layout"]() is None)


def upload_levels(upload: Callable[[np.ndarray], Buffer], sweep_layout: SweepLayout) -> dict[str, Any]:
    """Return the arcs of a sweep layout by levels, uploaded to a device, with what the host needs of them."""
    from ..elimination.levels import make_levels

    levels = make_levels(sweep_layout)
    return {
        "sweep_layout": weakref.ref(sweep_layout),
        "bounds": levels.begins,
        "positions": levels.positions,
        "offsets": levels.starts,
        "longest": np.maximum.reduceat(np.diff(levels.starts), levels.begins[:-1]),
        "arc_count": len(levels.arcs),
        "begins": upload(levels.begins),
        "columns": upload(levels.columns),
        "starts": upload(levels.starts),
        "arcs": upload(levels.arcs.view(np.int32)),
    }
