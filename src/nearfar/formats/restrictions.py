"""OpenStreetMap's turn restrictions: relations that forbid a turn, or all turns but one, as forbidden ways of nodes.

A relation has ways with the roles ``from`` and ``to``, and between them, as ``via``, a node or ways. Its tag
``restriction``, or one for a vehicle such as ``restriction:hgv``, begins with ``no_`` or ``only_``; what the rest says,
the members say, too. ``except`` names vehicles that are exempt. Restrictions that depend on the time are ignored, and
so are relations that are incomplete or ambiguous.

https://wiki.openstreetmap.org/wiki/Relation:restriction
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, product
from typing import Any, NamedTuple

from ..graph import Graph
from .profiles import Profile, Tags, Travel

Nodes = list[int]
_TIMES = ("day_on", "day_off", "hour_on", "hour_off")  # how times were tagged before conditional restrictions


class Restriction(NamedTuple):
    """A restriction: what it forbids is the turn itself, or, if ``only``, all others; members are ids.

    The via is one node, or ways one after the other.
    """

    only: bool
    starts: Nodes
    node: int | None
    ways: Nodes
    ends: Nodes


def read_restriction(relation: Any, travel: Travel) -> Restriction | None:
    """Return the restriction that a relation is to a profile; None if it is none."""
    word = _word(relation.tags, travel)
    if not word.startswith(("no_", "only_")):
        return None
    members: dict[tuple[str, str], Nodes] = {}
    for member in relation.members:
        members.setdefault((member.role, member.type), []).append(member.ref)
    starts, ends = members.get(("from", "w"), []), members.get(("to", "w"), [])
    nodes, ways = members.get(("via", "n"), []), members.get(("via", "w"), [])
    only = word.startswith("only_")
    if not starts or not ends or len(nodes) + bool(ways) != 1 or (only and len(ends) > 1):
        return None
    return Restriction(only, starts, nodes[0] if nodes else None, ways, ends)


def _word(tags: Tags, travel: Travel) -> str:
    """Return what the tags of a relation restrict for a profile, "" for nothing."""
    keys = travel.restrictions if isinstance(travel, Profile) else ("restriction",)
    if tags.get("type") != "restriction" or any(tag in tags for tag in _TIMES):
        return ""
    exempt = {part.strip() for part in tags.get("except", "").split(";")}
    if isinstance(travel, Profile) and exempt & {*travel.access, *(key.partition(":")[2] for key in keys)} - {""}:
        return ""
    return next((tags[key] for key in keys if key in tags), "")


def ways_of(restrictions: Iterable[Restriction]) -> set[int]:
    """Return the ids of the ways that restrictions have for members."""
    return {way for found in restrictions for way in (*found.starts, *found.ways, *found.ends)}


def forbidden_ways(
    restrictions: Iterable[Restriction], roads: Mapping[int, Nodes], graph: Graph
) -> list[tuple[int, ...]]:
    """Return the ways, by nodes, that restrictions forbid on a graph; ``roads`` are the nodes of ways by their ids."""
    found: dict[tuple[int, ...], None] = {}
    for restriction in restrictions:
        for start, end in product(restriction.starts, restriction.ends):
            middle = _middle(restriction, start, end, roads)
            path = None if middle is None else _closed(middle, roads.get(start, []), roads.get(end, []), graph)
            if path is not None:
                found |= dict.fromkeys(_other_ways(path, graph) if restriction.only else [path])
    return list(found)


def _middle(restriction: Restriction, start: int, end: int, roads: Mapping[int, Nodes]) -> Nodes | None:
    """Return the nodes between two ways; None if the ways between them do not join them, or in several ways."""
    if restriction.node is not None:
        return [restriction.node]
    found = []
    for first in set(roads.get(start, [])):
        nodes: Nodes | None = [first]
        for way in restriction.ways:
            nodes = _longer(nodes, roads.get(way, []))
        if nodes is not None and nodes[-1] in roads.get(end, []):
            found.append(nodes)
    return found[0] if len(found) == 1 else None


def _longer(nodes: Nodes | None, way: Nodes) -> Nodes | None:
    """Return nodes with those of a way that begins, or ends, where they end."""
    if nodes is None or len(way) < 2 or nodes[-1] not in (way[0], way[-1]):
        return None
    return nodes + (way[1:] if nodes[-1] == way[0] else way[-2::-1])


def _closed(middle: Nodes, start: Nodes, end: Nodes, graph: Graph) -> tuple[int, ...] | None:
    """Return the way from one road over the middle to another, None if there is none, or more than one."""
    before = [u for u in _beside(start, middle[0]) if _leads(graph, u, middle[0])]
    after = [w for w in _beside(end, middle[-1]) if _leads(graph, middle[-1], w)]
    if len(before) != 1 or len(after) != 1 or not all(_leads(graph, *step) for step in pairwise(middle)):
        return None
    return before[0], *middle, after[0]


def _beside(road: Nodes, node: int) -> set[int]:
    """Return the neighbours of a node on a road."""
    found = {other for u, v in pairwise(road) for one, other in ((u, v), (v, u)) if one == node}
    return found - {node}


def _leads(graph: Graph, u: int, v: int) -> bool:
    """Tell whether an arc leads from one node to another."""
    return graph.is_vertex(u) and graph.is_vertex(v) and len(graph.find_arcs(u, v)) > 0


def _other_ways(path: tuple[int, ...], graph: Graph) -> Iterator[tuple[int, ...]]:
    """Yield the ways that begin like a path, of at least two nodes, and then leave it."""
    for i in range(2, len(path)):
        v = graph.index(path[i - 1])
        for other in graph.heads[graph.offsets[v] : graph.offsets[v + 1]].tolist():
            if (name := graph.name(other)) != path[i]:
                yield *path[:i], name
