"""Arcs as arrays in a .npz: src and dst, and optionally w, n, directed and coordinates; npz.py reads such files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import OptionError, option
from ..graph import Graph
from ..graph.arrays import Array, shorten
from ..graph.units import DEGREES
from .io.files import Source

_ENDS = (("src", "dst"), ("tails", "heads"), ("source", "target"))
_WEIGHTS = ("w", "weights", "weight")
_AXES = (("lon", "lat", 1), ("lon_e6", "lat_e6", 1e6), ("x", "y", 1))  # keys of both axes, units per degree


def are_arcs(arrays: Mapping[str, Array]) -> bool:
    """Return whether the keys are those of arcs."""
    return any(tail in arrays and head in arrays for tail, head in _ENDS)


def from_arcs_by_key(source: Source, arrays: dict[str, Array], weight: Any, undirected: bool | None) -> Graph:
    """Build a graph from arrays of arcs under well-known keys; if directed is False, each edge is given once."""
    tail, head = next(ends for ends in _ENDS if ends[0] in arrays and ends[1] in arrays)
    n = _scalar(source, arrays, "n", "iu")
    directed = _scalar(source, arrays, "directed", "biu")
    if undirected is None:
        undirected = directed is not None and not directed
    graph = Graph.from_arcs(
        arrays[tail],
        arrays[head],
        _weights(source, arrays, weight),
        n if n is None else int(n),
        bool(undirected),
        coordinates=_coordinates(source, arrays),
    )
    named = next((across for across, up, _ in _AXES if across in arrays and up in arrays), "")
    return graph.with_units(coordinates=DEGREES) if named.startswith("lon") else graph


def _scalar(source: Source, arrays: dict[str, Array], key: str, kinds: str) -> Any:
    """Return a single number, or None if there is none."""
    if key not in arrays:
        return None
    value = arrays[key]
    if value.size != 1 or value.dtype.kind not in kinds:
        raise source.error(f"{key} is {value.dtype} of shape {value.shape}, but must be one number. Save {key} as int.")
    return value.item()


def _weights(source: Source, arrays: dict[str, Array], weight: Any) -> Array | None:
    """Return the weights under the given key, or under one of the usual keys."""
    if weight is False:
        return None
    if weight is None:
        return next((arrays[key] for key in _WEIGHTS if key in arrays), None)
    if weight not in arrays:
        raise OptionError(
            f"{source.name}: {option('weight', weight)} is not a key of the file, which has "
            f"{shorten(sorted(arrays), 200)}. Name one of them, or use {option('weight', False)}."
        )
    return arrays[weight]


def _coordinates(source: Source, arrays: dict[str, Array]) -> Array | None:
    """Return the coordinates: degrees, millionths of degrees, or x and y."""
    for across, up, parts in _AXES:
        if across in arrays and up in arrays:
            x, y = arrays[across], arrays[up]
            if x.shape != y.shape or x.ndim != 1 or {x.dtype.kind, y.dtype.kind} - set("iuf"):
                raise source.error(
                    f"{across} is {x.dtype} of shape {x.shape} and {up} is {y.dtype} of shape {y.shape}, but both must "
                    f"be numbers, one per vertex. Leave them out, or save one number per vertex."
                )
            return np.column_stack((x / parts, y / parts))
    return None
