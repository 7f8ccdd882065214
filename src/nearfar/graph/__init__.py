"""Graphs: `Graph`, the names of its vertices, its arcs in rows, and conversion from and to other libraries."""

from . import generate as generate
from .graph import Graph as Graph
from .turns import TurnCosts as TurnCosts
from .turns import TurnGraph as TurnGraph
