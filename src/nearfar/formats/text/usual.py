"""Usual names of the columns of edge lists and tables."""

from __future__ import annotations

PAIRS = (
    ("source", "target"), ("src", "dst"), ("tail", "head"), ("from", "to"), ("u", "v"), ("i", "j"), ("start", "end"),
    ("fromnodeid", "tonodeid"), ("from_node_id", "to_node_id"), ("source_id", "target_id"), ("origin", "destination"),
    ("node1", "node2"), ("init_node", "term_node"),
)  # fmt: skip
WEIGHTS = ("weight", "w", "length", "distance", "dist", "cost", "travel_time", "duration")
UNITS = (
    "km", "kilometers", "kilometres", "miles", "m", "meters", "metres", "h", "hours", "min", "minutes", "s", "seconds",
)  # fmt: skip
