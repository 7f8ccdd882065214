"""Graphs: `Graph`, what its vertices are called, its arcs in rows, and conversion from and to other libraries."""

from . import generate as generate
from .graph import Graph as Graph
