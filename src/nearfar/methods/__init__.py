"""How distances are computed: one module a method, each a METHOD record, all in the table METHODS."""

from __future__ import annotations

from . import delta, dijkstra, edge, frontier, johnson
from .method import Method

METHODS: dict[str, Method] = {
    record.name: record for record in (dijkstra.METHOD, delta.METHOD, frontier.METHOD, edge.METHOD, johnson.METHOD)
}

ALIASES = {alias: record.name for record in METHODS.values() for alias in record.aliases}
