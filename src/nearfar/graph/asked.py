"""The arguments of the generators, checked: seeds, whole numbers and other numbers in their ranges."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..errors import InputTypeError, OptionError
from .arrays import shorten


def random_of(seed: Any) -> np.random.Generator:
    """Return the random number generator of a seed."""
    return np.random.Generator(np.random.PCG64(whole(seed, "seed", 0)))


def whole(value: Any, what: str, least: int, most: int | None = None) -> int:
    """Return an option as an int in its range."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise InputTypeError(
            f"{what} is {shorten(value)}, a {type(value).__name__}, but a whole number is needed. Give an int."
        ) from None
    if number < least or (most is not None and number > most):
        span = f"at least {least}" if most is None else f"{least} to {most}"
        raise OptionError(f"{what} is {number}, but must be {span}. Choose another value.")
    return number


def number(value: Any, what: str, least: float, most: float) -> float:
    """Return an option as a float in its range."""
    if isinstance(value, bool | np.bool_ | str):
        raise InputTypeError(f"{what} is {value!r}, a {type(value).__name__}, but a number is needed. Give a float.")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputTypeError(
            f"{what} is {shorten(value)}, a {type(value).__name__}, but a number is needed. Give a float."
        ) from None
    if not least <= number <= most:
        raise OptionError(f"{what} is {number:g}, but must be {least:g} to {most:g}. Choose another value.")
    return number
