"""What a stored matrix was asked for: what must be the same for a job to go on where it stopped."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from ...elimination.build import Hierarchy
from ...elimination.file import fingerprint_of
from ...engine.query import Query
from ...errors import StoreError, option
from ...graph import Graph
from ...version import __version__

# What a reader is told when one of these differs from what is stored.
MEANINGS = {
    "version": "nearfar's version",
    "graph": "the graph",
    "names": "the names of the vertices",
    "sources": "the sources",
    "targets": "the targets",
    "direction": "the direction",
    "cutoff": "the cutoff",
    "method": "the method",
    "dtype": "the type of the distances",
    "device": "the device, on which floats may be rounded differently",
    "hierarchy": "the prepared graph, whose sums of floats are rounded differently",
}


def describe_asked(query: Query, targets: np.ndarray | None, named: dict[str, Any]) -> dict[str, Any]:
    """Return what was asked, as short values that JSON has; ``named``: the coordinates."""
    given = query.asked
    return {
        "graph": fingerprint_of(given).tobytes().hex(),
        "names": _digest_of_names(named),
        "sources": _digest(query.sources),
        "targets": None if targets is None else _digest(targets),
        "direction": query.direction,
        "cutoff": query.cutoff,
        "method": query.method,
        "dtype": [dtype.name for dtype in query.types],
    }


def digest_of_hierarchy(hierarchy: Any, graph: Graph) -> str | None:
    """Return what tells hierarchies apart that round floats differently; None where nothing is rounded."""
    if not isinstance(hierarchy, Hierarchy) or hierarchy.layout.dtype.kind != "f":
        return None
    return _digest(hierarchy.structure.ranks, hierarchy.shortcuts.outs)


def require_same(name: str, stored: dict[str, Any], asked: dict[str, Any]) -> None:
    """Refuse to go on with a store that was asked for something else, and say what differs."""
    asked = asked | {"version": __version__}
    differing = [what for what in MEANINGS if what in asked and stored.get(what) != asked[what]]
    if not differing:
        return
    if {"graph", "targets"} & set(differing):
        differing = [what for what in differing if what != "names"]  # which are those of the columns
    said = ", ".join(f"{MEANINGS[what]}{_values(stored.get(what), asked.get(what))}" for what in differing)
    raise StoreError(
        f"{name} was begun by another call, which differs in: {said}. Repeat the call that began it, name another "
        f"folder, or write it anew with {option('existing', 'restart')}."
    )


def _values(stored: Any, asked: Any) -> str:
    """Return two values that a person can compare, in parentheses; nothing for digests."""
    short = all(not isinstance(value, str) or len(value) < 32 for value in (stored, asked))
    return f" ({stored} there, {asked} here)" if short and asked is not None else ""


def _digest(*arrays: np.ndarray) -> str:
    """Return a digest of some arrays."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape} ".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _digest_of_names(named: dict[str, Any]) -> str:
    """Return a digest of names: of numbers, or of words."""
    digest = hashlib.sha256()
    for name, values in named.items():
        data = values.tobytes() if isinstance(values, np.ndarray) else "\0".join(values).encode()
        digest.update(f"{name} {len(values)} ".encode() + data)
    return digest.hexdigest()
