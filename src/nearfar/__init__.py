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

__version__ = "0.1.0"

_HOMES = {
    "Graph": "graph",
    "sssp": "queries",
    "mssp": "queries",
    "apsp": "queries",
    "nearest": "queries",
    "distance": "queries",
    "path": "queries",
    "plan": "queries",
    "prepare": "prepared",
    "Prepared": "prepared",
    "load_prepared": "prepared",
    "read": "formats",
    "write": "formats",
    "verify": "certificate",
    "Certificate": "certificate",
    "Distances": "result",
    "Nearest": "result",
    "Plan": "planner",
    "NearfarError": "errors",
    "errors": "",
    "generate": "",
    "formats": "",
}

__all__ = [*_HOMES, "__version__"]

if TYPE_CHECKING:  # "as": for type checkers these are public names of the package
    from . import errors as errors
    from . import formats as formats
    from . import generate as generate
    from .certificate import Certificate as Certificate
    from .certificate import verify as verify
    from .errors import NearfarError as NearfarError
    from .formats import read as read
    from .formats import write as write
    from .graph import Graph as Graph
    from .planner import Plan as Plan
    from .prepared import Prepared as Prepared
    from .prepared import load_prepared as load_prepared
    from .prepared import prepare as prepare
    from .queries import apsp as apsp
    from .queries import distance as distance
    from .queries import mssp as mssp
    from .queries import nearest as nearest
    from .queries import path as path
    from .queries import plan as plan
    from .queries import sssp as sssp
    from .result import Distances as Distances
    from .result import Nearest as Nearest


def __getattr__(name: str) -> Any:
    """Load a public name the first time it is used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES[name]
    value = getattr(import_module(f".{home}", __name__), name) if home else import_module(f".{name}", __name__)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
