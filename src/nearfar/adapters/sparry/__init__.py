"""SParry's functions, with their parameters and their flat results, over nearfar's engine.

SParry (first called SPoon) was a toolkit of scripts that ran in its own folder: ``from calc import calc`` and ``from
pretreat import read``. Code written for it runs after a change of these lines. What it computed wrongly is right here;
docs/from-sparry.md lists the differences, and the calls of nearfar that take over from each of SParry's.

>>> from nearfar.adapters.sparry import calc, read
>>> graph = read(edgeSet=[[0, 0, 2, 1], [1, 3, 1, 3], [1, 2, 5, 4]], method="dij")
>>> calc(graph=graph, useCUDA=False, srclist=0).dist
array([         0,          1, 2139045759,          2], dtype=int32)
"""

from __future__ import annotations

from .calculation import calc
from .comparing import check, checkBool
from .constants import INF, getINF
from .device import Device, deviceinfo
from .drawing import draw
from .generating import gen, generate
from .graph import Graph
from .reading import read
from .result import Result

__all__ = [
    "INF",
    "Device",
    "Graph",
    "Result",
    "calc",
    "check",
    "checkBool",
    "deviceinfo",
    "draw",
    "gen",
    "generate",
    "getINF",
    "read",
]
