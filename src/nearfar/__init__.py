"""nearfar: exact shortest paths from Python, as fast as the hardware allows.

The public names are loaded on first use, so that importing the package is quick.

>>> import nearfar
>>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3])
>>> nearfar.sssp(g, 0).dist
array([0, 4, 7], dtype=int32)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__

_HOMES = {
    "Graph": "graph",
    "TurnGraph": "graph",
    "TurnCosts": "graph",
    "sssp": "api",
    "mssp": "api",
    "apsp": "api",
    "table": "api",
    "nearest": "api",
    "distance": "api",
    "path": "api",
    "paths": "api",
    "count_paths": "api",
    "plan": "api",
    "stream": "api",
    "explore": "explorer",
    "prepare": "prepared",
    "Prepared": "prepared",
    "load_prepared": "prepared",
    "read": "formats",
    "write": "formats",
    "convert": "scale.convert",
    "verify": "certificate",
    "Certificate": "certificate",
    "Distances": "results",
    "Nearest": "results",
    "KNearest": "results",
    "Table": "results",
    "Plan": "engine.planner",
    "open_matrix": "store.matrix.reader",
    "Matrix": "store.matrix.reader",
    "Written": "store.written",
    "partition": "scale.partition",
    "write_parts": "scale.partition",
    "Partition": "scale.partition",
    "PartitionedGraph": "scale.partitioned",
    "PartitionedDistances": "scale.partitioned",
    "PartitionedNearest": "scale.partitioned",
    "connect": "scale.cluster",
    "Cluster": "scale.cluster",
    "NearfarError": "errors",
    "errors": "",
    "generate": "graph",
    "formats": "",
    "metrics": "",
    "draw": "",
    "geo": "",
    "csgraph": "",
}

# What graphs and results offer although it belongs to a higher room: graph/above.py looks here.
_ABOVE = {
    "Graph.open": ("formats.folder", "open_graph"),
    "StoredGraph.parts": ("formats.folder.parts", "find_parts"),
    "generate.rmat": ("scale.generate", "rmat"),
    "plot": ("draw", "draw"),
    "generate.road_grid": ("scale.generate", "road_grid"),
    "to_geojson": ("geo.features", "to_geojson"),
}

__all__ = [*_HOMES, "__version__"]

if TYPE_CHECKING:  # "as": for type checkers these are public names of the package
    from . import csgraph as csgraph
    from . import draw as draw
    from . import errors as errors
    from . import formats as formats
    from . import geo as geo
    from . import metrics as metrics
    from .api import apsp as apsp
    from .api import count_paths as count_paths
    from .api import distance as distance
    from .api import mssp as mssp
    from .api import nearest as nearest
    from .api import path as path
    from .api import paths as paths
    from .api import plan as plan
    from .api import sssp as sssp
    from .api import stream as stream
    from .api import table as table
    from .certificate import Certificate as Certificate
    from .certificate import verify as verify
    from .engine.planner import Plan as Plan
    from .errors import NearfarError as NearfarError
    from .explorer import explore as explore
    from .formats import read as read
    from .formats import write as write
    from .graph import Graph as Graph
    from .graph import TurnCosts as TurnCosts
    from .graph import TurnGraph as TurnGraph
    from .graph import generate as generate
    from .prepared import Prepared as Prepared
    from .prepared import load_prepared as load_prepared
    from .prepared import prepare as prepare
    from .results import Distances as Distances
    from .results import KNearest as KNearest
    from .results import Nearest as Nearest
    from .results import Table as Table
    from .scale.cluster import Cluster as Cluster
    from .scale.cluster import connect as connect
    from .scale.convert import convert as convert
    from .scale.partition import Partition as Partition
    from .scale.partition import partition as partition
    from .scale.partition import write_parts as write_parts
    from .scale.partitioned import PartitionedDistances as PartitionedDistances
    from .scale.partitioned import PartitionedGraph as PartitionedGraph
    from .scale.partitioned import PartitionedNearest as PartitionedNearest
    from .store.matrix.reader import Matrix as Matrix
    from .store.matrix.reader import open_matrix as open_matrix
    from .store.written import Written as Written


def __getattr__(name: str) -> Any:
    """Load a public name the first time it is used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = import_module(f".{_HOMES[name] or name}", __name__)
    value = getattr(home, name) if _HOMES[name] else home
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
