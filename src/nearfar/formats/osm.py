"""OpenStreetMap (.osm.pbf, .osm): roads and travel times, with osmium.

Every node on a road that the profile may use is a vertex, named by its OpenStreetMap id. An arc joins neighbours on a
road; its weight is the travel time in seconds: the great-circle distance at the pace that profiles.py finds. A road
ends before a barrier that the profile cannot pass. Turns are restricted on demand (restrictions.py). Osmium remembers
the coordinates of the nodes, 16 bytes each; we keep only flat arrays of numbers for the roads.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import OptionError, option
from ..graph import Graph, TurnGraph
from ..graph.arrays import Array, shorten
from ..graph.sphere import distance
from ..graph.units import DEGREES
from .format import Format
from .io.files import Source
from .io.library import missing, parsing
from .pbf import check_pbf
from .pieces import Pieces
from .profiles import PROFILES, Paces, Profile, Travel, take_paces, take_profile
from .restrictions import Restriction, forbidden_ways, read_restriction, ways_of

_NOWHERE = 2**31 - 1  # osmium's coordinate of a node that is not in the file
_PARTS = 1e7  # units of osmium's coordinates per degree
_BLOCK = 1 << 16  # pieces of road that are measured at a time: about 10 MB of arrays
_LEAST = 1e-3  # seconds that a piece of road takes whose ends lie at the same place
_ADVICE = f"Fetch it again, or name another format with {option('format')}."


class Roads(NamedTuple):
    """The nodes of all roads, one after the other, with their coordinates; for each road how many, and how fast.

    Paces are seconds per metre along the road and against it, inf where it is closed. Durations are the seconds from
    end to end of those roads, ferries, that say so, by number. Restrictions are those that hold for the profile.
    """

    ids: Array
    nodes: Array
    x: Array
    y: Array
    lengths: Array
    paces: Array
    durations: dict[int, float]
    restrictions: list[Restriction]


def read(
    source: Source, *, profile: str | Travel = "car", turns: bool | Callable[[Array], Any] = False
) -> Graph | TurnGraph:
    """Read the roads open to a profile, with travel times in seconds.

    The profile is ``"car"``, ``"bike"``, ``"foot"``, a `profiles.Profile`, or a function from the tags of a way to the
    seconds per metre along it and against it. With turns, the result is a `TurnGraph`, which obeys turn restrictions
    and the profile's rule for turning back; a `TurnCosts` for turns lets them cost something besides.
    """
    travel, costs = take_profile(profile), _take_turns(turns)
    osmium = _osmium()
    path, kind = source.local_path(), _kind(source)
    if kind == "pbf":
        check_pbf(source, path)
    with parsing(source, "OpenStreetMap file", _ADVICE, osmium.InvalidLocationError):
        roads, barriers = _collect(osmium, path, kind, travel, bool(turns))
        if 2 * np.count_nonzero(roads.x == _NOWHERE) > len(roads.x):
            _locate(osmium, path, kind, roads)
    _keep_to_durations(roads)
    roads.x[np.isin(roads.nodes, barriers)] = _NOWHERE
    pieces, names, points = _arcs(source, roads, getattr(travel, "name", "of yours"))
    graph = pieces.graph(len(names), names=names, coordinates=points).with_units("s", DEGREES)
    if not turns:
        return graph
    ways = forbidden_ways(roads.restrictions, _nodes_of(roads, ways_of(roads.restrictions)), graph)
    return graph.with_turns(ways, costs, uturn=travel.uturn if isinstance(travel, Profile) else math.inf)


def _take_turns(turns: Any) -> Callable[[Array], Any] | None:
    """Return what turns cost; None if nothing, or if there are none."""
    if isinstance(turns, bool):
        return None
    if not callable(turns) or isinstance(turns, type):
        raise OptionError(
            f"turns=True or a TurnCosts is needed, or a function from an array of angles to an array of "
            f"seconds, but turns is {shorten(turns)}."
        )
    return turns


def _nodes_of(roads: Roads, wanted: set[int]) -> dict[int, list[int]]:
    """Return the nodes of some ways, by id."""
    ends = np.cumsum(roads.lengths)
    where = np.flatnonzero(np.isin(roads.ids, np.array(sorted(wanted), np.int64)))
    parts = ((int(roads.ids[i]), roads.nodes[ends[i] - roads.lengths[i] : ends[i]]) for i in where.tolist())
    return {way: nodes.tolist() for way, nodes in parts}


def _osmium() -> Any:
    """Load the package that reads OpenStreetMap files."""
    try:
        import osmium
    except ImportError as error:
        raise missing("osmium", "an OpenStreetMap file") from error
    return osmium


def _kind(source: Source) -> str:
    """Return osmium's name of the format, by content."""
    head = source.head()
    if not matches(head):
        raise source.error(f"it begins with {head[:12]!r}, so it is no OpenStreetMap file (.osm.pbf, .osm). {_ADVICE}")
    return "pbf" if b"OSMHeader" in head[:64] else "osm"


def _collect(osmium: Any, path: Path, kind: str, travel: Travel, turns: bool) -> tuple[Roads, Array]:
    """Read the file once: osmium remembers the coordinates of nodes; collect open roads, and closed barriers."""
    node, way, relation = osmium.osm.NODE, osmium.osm.WAY, osmium.osm.RELATION
    storage = "sparse_mmap_array" if sys.platform == "linux" else "sparse_mem_array"  # the first grows without a copy
    read = node | way | (relation if turns else osmium.osm.NOTHING)
    things = osmium.FileProcessor(osmium.io.File(str(path), kind), read).with_locations(storage)
    things = things.with_filter(osmium.filter.KeyFilter("barrier").enable_for(node))
    things = things.with_filter(osmium.filter.KeyFilter("highway", "route").enable_for(way))
    things = things.with_filter(osmium.filter.TagFilter(("type", "restriction")).enable_for(relation))
    ids, nodes, lengths, barriers = array("q"), array("q"), array("q"), array("q")
    paces, points = array("d"), bytearray()
    durations, restrictions = {}, []
    line = osmium.geom.WKBFactory()
    for thing in things:
        if thing.is_node():
            if isinstance(travel, Profile) and not travel.passes(thing.tags):
                barriers.append(thing.id)
            continue
        if thing.is_relation():
            if (found := read_restriction(thing, travel)) is not None:
                restrictions.append(found)
            continue
        pace = _pace(travel, thing)
        if pace is None:
            continue
        if isinstance(travel, Profile) and (duration := travel.duration(thing.tags)) is not None:
            durations[len(lengths)] = duration
        ids.append(thing.id)
        nodes.extend([ref.ref for ref in thing.nodes])
        points += _coordinates(osmium, thing, line)
        lengths.append(len(thing.nodes))
        paces.extend(pace)
    x, y = np.rint(np.frombuffer(points, np.float64).reshape(-1, 2) * _PARTS).astype(np.int32).T
    counts = np.array(lengths, np.int64)
    paces_of = np.array(paces).reshape(-1, 2)
    roads = Roads(np.array(ids, np.int64), np.array(nodes, np.int64), x, y, counts, paces_of, durations, restrictions)
    return roads, np.array(barriers, np.int64)


def _pace(travel: Travel, way: Any) -> Paces | None:
    """Return the seconds per metre along a way and against it; a function is given the tags as a dict."""
    if isinstance(travel, Profile):
        return travel(way.tags)
    try:
        found = travel({tag.k: tag.v for tag in way.tags})
    except Exception as error:
        raise OptionError(f"the profile failed for way {way.id}: {type(error).__name__}: {error}. Mend it.") from error
    return take_paces(found, way.id)


def _keep_to_durations(roads: Roads) -> None:
    """Give ferries the pace at which they take as long as they say, unless a part of them is outside the file."""
    ends = np.cumsum(roads.lengths)
    for road, seconds in roads.durations.items():
        at = slice(ends[road] - roads.lengths[road], ends[road])
        points = np.column_stack((roads.x[at], roads.y[at])) / _PARTS
        metres = 0.0 if (roads.x[at] == _NOWHERE).any() else float(distance(points[:-1], points[1:]).sum())
        if metres > 0:
            roads.paces[road, np.isfinite(roads.paces[road])] = seconds / metres


def _coordinates(osmium: Any, way: Any, line: Any) -> bytes:
    """Return the coordinates of a road's nodes as floats; in one call, unless some are unknown."""
    try:
        return bytes.fromhex(line.create_linestring(way, osmium.geom.use_nodes.ALL))[9:]  # after a header
    except (RuntimeError, osmium.InvalidLocationError):
        pairs = [(ref.x, ref.y) if ref.location.valid() else (_NOWHERE, _NOWHERE) for ref in way.nodes]
        return (np.array(pairs, np.float64) / _PARTS).tobytes()


def _locate(osmium: Any, path: Path, kind: str, roads: Roads) -> None:
    """Find the coordinates of nodes that osmium does not remember: nodes after the roads, and negative ids."""
    lost = np.flatnonzero(roads.x == _NOWHERE)
    wanted = set(roads.nodes[lost].tolist())
    points = {}
    for node in osmium.FileProcessor(osmium.io.File(str(path), kind), osmium.osm.NODE):
        if node.id in wanted and node.location.valid():
            points[node.id] = (node.location.x, node.location.y)
    for i in lost.tolist():
        roads.x[i], roads.y[i] = points.get(int(roads.nodes[i]), (_NOWHERE, _NOWHERE))


def _arcs(source: Source, roads: Roads, profile: str) -> tuple[Pieces, Array, Array]:
    """Join neighbours on each road in the allowed directions; return arcs, names of vertices and coordinates."""
    starts = _joined(roads)
    if len(starts) == 0:
        raise source.error(
            f"it contains no road that the profile {profile!r} may use. It may be only a part of a map; other profiles "
            f"of {option('profile')}: {', '.join(PROFILES)}."
        )
    names, first, indices = _index(roads, starts)
    points = np.column_stack((roads.x[first], roads.y[first])) / _PARTS
    road = np.repeat(np.arange(len(roads.lengths), dtype=np.int32), roads.lengths)[starts]
    pieces = Pieces()
    for low in range(0, len(starts), _BLOCK):
        begin = starts[low : low + _BLOCK]
        ends = np.column_stack((indices[begin], indices[begin + 1]))
        pace = roads.paces[road[low : low + _BLOCK]]
        open_ = np.isfinite(pace)
        metres = distance(points[ends[:, 0]], points[ends[:, 1]])[:, None]
        seconds = np.multiply(metres, pace, out=np.zeros(pace.shape), where=open_)
        # Some nodes lie exactly where their neighbours do. Pieces of no length would be cycles of weight 0, so that
        # shortest paths could not be counted (betweenness), while a millisecond changes no answer that matters.
        seconds[metres[:, 0] == 0] = _LEAST
        pieces.add(ends[open_], ends[:, ::-1][open_], seconds[open_])
    return pieces, names, points


def _joined(roads: Roads) -> Array:
    """Return the positions of nodes that are followed by a neighbour; nodes outside the file have none."""
    joined = (roads.x[:-1] != _NOWHERE) & (roads.x[1:] != _NOWHERE) & (roads.nodes[:-1] != roads.nodes[1:])
    ends = np.cumsum(roads.lengths)[:-1]
    joined[ends[(ends > 0) & (ends < len(roads.nodes))] - 1] = False  # a road's last node and the first of the next
    return np.flatnonzero(joined)


def _index(roads: Roads, starts: Array) -> tuple[Array, Array, Array]:
    """Return the joined nodes, ascending; where each occurs first; and the vertex index of every node."""
    used = np.zeros(len(roads.nodes), bool)
    used[starts] = used[starts + 1] = True
    where = np.flatnonzero(used)
    names, first, inverse = np.unique(roads.nodes[where], return_index=True, return_inverse=True)
    indices = np.zeros(len(roads.nodes), np.int32)
    indices[where] = inverse
    return names, where[first], indices


def matches(head: bytes) -> bool:
    """Return whether a file begins like one of OpenStreetMap's formats."""
    return b"OSMHeader" in head[:64] or b"<osm" in head[:4096]


FORMAT = Format(
    name="osm",
    summary="OpenStreetMap roads, by car, bike or on foot: travel times in seconds, one-ways, longitude and latitude",
    endings=(".osm.pbf", ".pbf", ".osm"),
    matches=matches,
    read=read,
    extra="osmium",
)
