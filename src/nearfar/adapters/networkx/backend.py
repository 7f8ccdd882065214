"""The names that NetworkX looks for in its backend: one function per function of NetworkX, and how graphs convert."""

from __future__ import annotations

from importlib import import_module

from .converted import convert_from_nx as convert_from_nx
from .converted import convert_to_nx as convert_to_nx
from .decide import can_run as can_run
from .decide import should_run as should_run
from .info import FUNCTIONS
from .testing import on_start_tests as on_start_tests

for _module, _names in FUNCTIONS.items():
    _home = import_module(f".{_module}", __package__)
    globals().update({_name: getattr(_home, _name) for _name in _names})
