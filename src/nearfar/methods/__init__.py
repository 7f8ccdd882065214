"""How the CPU computes distances: one module per method, each with a METHOD record, all in the table METHODS."""

from __future__ import annotations

from . import bfs, delta, dijkstra, edge, floyd, frontier, johnson, parts, prepared, streamed
from .method import Method

METHODS: dict[str, Method] = {
    record.name: record
    for record in (
        dijkstra.METHOD,
        delta.METHOD,
        frontier.METHOD,
        edge.METHOD,
        johnson.METHOD,
        bfs.METHOD,
        prepared.METHOD,
        floyd.METHOD,
        parts.METHOD,
        streamed.METHOD,
    )
}

ALIASES = {alias: record.name for record in METHODS.values() for alias in record.aliases}
