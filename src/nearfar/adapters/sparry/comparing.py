"""SParry's comparison of two results. It compared printed arrays, which omit the middle; here every entry counts."""
# ruff: noqa: N802 (SParry's names)

from __future__ import annotations

from typing import Any

import numpy as np


def check(data1: Any, data2: Any, name1: str = "data1", name2: str = "data2") -> str:
    """Print and return whether two arrays, whatever their shapes, have the same entries in the same order.

    Examples
    --------
    >>> from nearfar.adapters.sparry import check
    >>> said = check([[0, 1], [1, 0]], [0, 1, 1, 0], "rows", "flat")
    rows and flat are EQUAL
    """
    text = f"{name1} and {name2} are {'EQUAL' if checkBool(data1, data2) else 'NOT EQUAL'}"
    print(text)
    return text


def checkBool(data1: Any, data2: Any) -> bool:
    """Return whether two arrays, whatever their shapes, have the same entries in the same order.

    Examples
    --------
    >>> from nearfar.adapters.sparry import checkBool
    >>> checkBool([0, 1], [0, 2])
    False
    """
    return bool(np.array_equal(np.asarray(data1).ravel(), np.asarray(data2).ravel()))
