"""Convert decimal digits and an exponent to the nearest float64, as `float()` does, inside a kernel.

Few digits and a small power of ten need one multiplication or division, which rounds once (Clinger). Otherwise the
digits are multiplied by a 128-bit approximation of the power of ten, and the product decides the rounding unless it
is too close to the middle between two floats (Lemire: Number parsing at a gigabyte per second, 2021). The rare
undecided numbers, and those outside the range of normal floats, are left to the host.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..jit import inlined, kernel

_LEAST, _GREATEST = -306, 308  # powers of ten in the table; lower ones may give subnormal floats
_EXACT = 22  # 10**22 is the last power of ten that is a float64
_LOW = np.uint64(0xFFFFFFFF)
_ONE = np.uint64(1)
_POINT, _PLUS, _MINUS, _ZERO, _NINE, _E, _SMALL_E, _DIGIT = 46, 43, 45, 48, 57, 69, 101, 15
_MOST_DIGITS = 19  # numbers of 19 digits are below 2**64
_ABSURD = 100_000  # far beyond the exponents of float64; further digits of an exponent are ignored


def _power_table() -> np.ndarray:
    """Return the first 128 bits of 10**q, from _LEAST to _GREATEST, as two uint64; reciprocals are rounded up."""
    table = np.empty((_GREATEST - _LEAST + 1, 2), np.uint64)
    for q in range(_LEAST, _GREATEST + 1):
        if q >= 0:
            shift = 128 - (10**q).bit_length()
            bits = 10**q << shift if shift > 0 else 10**q >> -shift
        else:
            bits = (1 << (10**-q).bit_length() + 127) // 10**-q + 1
        table[q - _LEAST] = bits >> 64, bits & (2**64 - 1)
    return table


_TABLE = _power_table()
_SMALL = np.array([10.0**q for q in range(_EXACT + 1)])


@inlined
def multiply(a: int, b: int) -> tuple[int, int]:
    """Return the high and the low half of the 128-bit product."""
    a_low, a_high = a & _LOW, a >> np.uint64(32)
    b_low, b_high = b & _LOW, b >> np.uint64(32)
    low = a_low * b_low
    one = a_high * b_low + (low >> np.uint64(32))
    two = a_low * b_high + (one & _LOW)
    high = a_high * b_high + (one >> np.uint64(32)) + (two >> np.uint64(32))
    return high, (two << np.uint64(32)) | (low & _LOW)


@inlined
def leading_zeros(x: int) -> int:
    """Count the zero bits above the highest bit of a number that is not 0."""
    count = 0
    step = 32
    while step > 0:
        if x >> np.uint64(64 - step) == 0:
            count += step
            x = x << np.uint64(step)
        step >>= 1
    return count


@inlined
def to_float(digits: int, exponent: int) -> tuple[bool, float]:
    """Return (decided, value) of digits * 10**exponent."""
    if digits == 0:
        return True, 0.0
    if digits <= np.uint64(9007199254740992) and -_EXACT <= exponent <= _EXACT:
        value = float(digits)
        return True, value / _SMALL[-exponent] if exponent < 0 else value * _SMALL[exponent]
    if exponent < _LEAST or exponent > _GREATEST:
        return False, 0.0
    zeros = leading_zeros(digits)
    digits = digits << np.uint64(zeros)
    row = exponent - _LEAST
    high, low = multiply(digits, _TABLE[row, 0])
    if (high & np.uint64(0x1FF)) == np.uint64(0x1FF):
        more, _ = multiply(digits, _TABLE[row, 1])
        low = low + more
        if low < more:
            high = high + np.uint64(1)
        if low == np.uint64(0xFFFFFFFFFFFFFFFF) and (high & np.uint64(0x1FF)) == np.uint64(0x1FF):
            return False, 0.0
    upper = high >> np.uint64(63)
    mantissa = high >> (upper + np.uint64(9))
    zeros += int(np.uint64(1) ^ upper)
    # the product is exactly in the middle between two floats: only the host can decide
    if low <= np.uint64(1) and (high & np.uint64(0x1FF)) == 0 and (mantissa & np.uint64(3)) == 1:
        return False, 0.0
    mantissa = (mantissa + (mantissa & np.uint64(1))) >> np.uint64(1)
    if mantissa >= np.uint64(9007199254740992):
        mantissa = np.uint64(4503599627370496)
        zeros -= 1
    biased = ((217706 * exponent) >> 16) + 1087 - zeros
    if biased < 1 or biased > 2046:
        return False, 0.0
    return True, math.ldexp(float(mantissa), int(biased - 1075))


@inlined
def scan_exponent(text: Any, p: Any) -> Any:
    """Return (power, position after) of the digits after an e; the position of the e if there are none."""
    mark = p - _ONE
    negative = text[p] == _MINUS
    if negative or text[p] == _PLUS:
        p += _ONE
    first = p
    power = np.int64(0)
    while True:
        c = np.int64(text[p])
        if c < _ZERO or c > _NINE:
            break
        if power < _ABSURD:
            power = power * 10 + (c - _ZERO)
        p += _ONE
    return -power if negative else power, mark if p == first else p


@inlined
def scan_digits(text: Any, p: Any, digits: Any) -> Any:
    """Return (digits with those at p appended, position after); the value wraps beyond 19 digits."""
    while text[p] >= _ZERO and text[p] <= _NINE:
        digits = digits * np.uint64(10) + np.uint64(text[p] & _DIGIT)
        p += _ONE
    return digits, p


@inlined
def scan_decimal(text: Any, p: Any) -> Any:
    """Return (exact, number, position after) of a decimal number; if not exact, the host must convert it.

    Up to 19 digits are collected; `to_float` turns them and the exponent into the nearest float if it can decide.
    """
    negative = text[p] == _MINUS
    if negative or text[p] == _PLUS:
        p += _ONE
    start = p
    digits, p = scan_digits(text, p, np.uint64(0))
    seen = np.int64(p - start)
    exponent = np.int64(0)
    if text[p] == _POINT:
        first = p + _ONE
        digits, p = scan_digits(text, first, digits)
        exponent = -np.int64(p - first)
        seen -= exponent
    if seen == 0:
        return False, 0.0, p
    while seen > _MOST_DIGITS and (text[start] == _ZERO or text[start] == _POINT):
        if text[start] == _ZERO:
            seen -= 1  # leading zeros do not count
        start += _ONE
    if text[p] in (_E, _SMALL_E):
        power, after = scan_exponent(text, p + _ONE)
        if after == p:
            return False, 0.0, p
        exponent += power
        p = after
    if seen > _MOST_DIGITS:
        return False, 0.0, p
    exact, number = to_float(digits, exponent)
    return exact, -number if negative else number, p


@kernel
def convert(text: Any, hard: Any, numbers: Any) -> int:
    """Store the decimal numbers among the ``hard`` fields; move the others, and undecided ones, to the front.

    Return how many were moved.
    """
    left = 0
    for h in range(len(hard)):
        exact, number, after = scan_decimal(text, np.uint64(hard[h, 2]))
        if exact and np.int64(after) == hard[h, 3]:
            numbers[hard[h, 0], hard[h, 1]] = number
        else:
            for i in range(4):
                hard[left, i] = hard[h, i]
            left += 1
    return left
