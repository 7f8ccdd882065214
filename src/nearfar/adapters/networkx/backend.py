"""The names that NetworkX looks for in its backend: one function per function of NetworkX, and how graphs convert."""

from __future__ import annotations

from importlib import import_module

import networkx as nx

from .converted import convert_from_nx as convert_from_nx
from .converted import convert_to_nx as convert_to_nx
from .decide import can_run as can_run
from .decide import should_run as should_run
from .info import FUNCTIONS, NEWER
from .testing import on_start_tests as on_start_tests

for _module, _names in FUNCTIONS.items():
    _home = import_module(f".{_module}", __package__)
    globals().update({_name: getattr(_home, _name) for _name in _names})
# NetworkX 3.7 calls two of them otherwise; its older function centroid is for trees only.
for _name, _newer in NEWER.items():
    if hasattr(nx, _newer):
        globals()[_newer] = globals()[_name]
