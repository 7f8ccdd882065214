"""Decimal numbers to floats: the same bits as Python's float(), for whatever is decided."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from helpers.marks import JIT
from nearfar.kernels.cpu.decimals import convert

COUNT = 20_000 if JIT else 300


def converted(tokens):
    """Return the numbers that the kernel decides, by token; the rest is left to the host."""
    text = np.frombuffer(("\n".join(tokens) + "\n").encode(), np.uint8)
    ends = np.cumsum([len(token) + 1 for token in tokens]) - 1
    hard = np.array([(0, i, end - len(t), end) for i, (t, end) in enumerate(zip(tokens, ends, strict=True))], np.int64)
    numbers = np.full((1, len(tokens)), np.nan)
    with np.errstate(over="ignore"):
        left = convert(text, hard, numbers)
    undecided = set(hard[:left, 1].tolist())
    return {token: numbers[0, i] for i, token in enumerate(tokens) if i not in undecided}


def same(a, b):
    return np.float64(a).tobytes() == np.float64(b).tobytes()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False).map(repr), min_size=1, max_size=20))
@example(["9007199254740993.0", "4.35", "1e23", "-0.0", "1.7976931348623157e308", "2.2250738585072014e-308"])
def test_like_float(tokens):
    for token, number in converted(tokens).items():
        assert same(number, float(token)), token


@given(st.lists(st.from_regex(r"[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,9})([eE][+-]?[0-9]{1,4})?", fullmatch=True)))
def test_any_spelling(tokens):
    if tokens:
        for token, number in converted(tokens).items():
            assert same(number, float(token)), token


def test_halfway():
    """Numbers in the middle between two floats, and right beside it: where rounding goes wrong if anywhere."""
    draw = random.Random(5)
    tokens = []
    for _ in range(COUNT):
        middle, e = draw.randrange(2**52, 2**53) * 2 + 1, draw.randrange(0, 4)
        digits = middle * 5**e + draw.choice([-1, 0, 0, 1])
        tokens.append(f"{digits}e-{e}")
    found = converted(tokens)
    assert len(found) > len(tokens) / 4  # those right in the middle are left to the host
    for token, number in found.items():
        assert same(number, float(token)), token


def test_usual_numbers_are_decided():
    """Seventeen digits, as programs print them: none should need the host."""
    draw = random.Random(7)
    tokens = [repr(draw.uniform(0, 10.0 ** draw.randrange(-5, 7))) for _ in range(COUNT)]
    found = converted(tokens)
    assert len(found) == len(set(tokens)) and all(same(number, float(token)) for token, number in found.items())


def test_not_a_number():
    tokens = ["abc", "1.2.3", "1e", "e5", ".", "-", "1e+", "0x10", "inf", "nan", "1_000", "1e99999", "12 ", "--1"]
    assert converted(tokens) == {}
