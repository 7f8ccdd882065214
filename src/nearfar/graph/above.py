"""What graphs offer although it belongs to higher rooms, by the table in the package's front page."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def above(name: str) -> Any:
    """Return the function that a method such as "Graph.open" stands for."""
    home, function = import_module("nearfar")._ABOVE[name]
    return getattr(import_module(f"nearfar.{home}"), function)
