"""Graphs that no machine holds: each worker of a cluster has some parts, the caller has what lies between them.

The caller finds what every boundary vertex is at (boundary.py), in three phases or in rounds. Then every part is
settled from its boundary vertices, by the worker that has it, and the distances stay there, as files (results.py). What
workers do are pure functions of the path of a part and of what its boundary vertices are offered (tasks.py): what is
lost with a worker is done again by another one.
"""

from __future__ import annotations

from .graph import PartitionedGraph
from .results import PartitionedDistances, PartitionedNearest

__all__ = ["PartitionedDistances", "PartitionedGraph", "PartitionedNearest"]
