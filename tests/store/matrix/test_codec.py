"""Blocks to bytes and back: of every shape, type and number; and what the bytes look like to other readers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.marks import needs_jit
from nearfar.errors import StoreError
from nearfar.store.matrix.codec import NO_COLUMNS, decode_part, encode_part, join_parts, split
from nearfar.store.matrix.form import Form

numcodecs = pytest.importorskip("numcodecs")
TYPES = ("int32", "int64", "float32", "float64")


def numbers(dtype, shape, seed):
    """Return any numbers of a type, also its greatest and least ones, so that differences wrap."""
    rng = np.random.default_rng(seed)
    near = rng.integers(0, 1000, shape).astype(dtype)
    ends = np.iinfo(dtype) if dtype.startswith("int") else np.finfo(dtype)
    return np.where(rng.random(shape) < 0.2, rng.choice(np.array([ends.max, ends.min, 0], dtype), shape), near)


def decoded(form, data, which, columns):
    out = np.empty((len(which), columns), form.dtype)
    for part, piece in enumerate(split(form, data, "c.0.0")):
        ends = form.columns_of(part)
        decode_part(form, piece, part, which, out[:, ends.start : ends.stop], "c.0.0")
    return out


@needs_jit
@given(
    st.sampled_from(TYPES), st.integers(1, 40), st.integers(0, 9), st.integers(1, 70), st.integers(1, 70),
    st.booleans(), st.integers(0, 99),
)  # fmt: skip
@settings(max_examples=200)
def test_any_block(dtype, count, missing, columns, width, chosen, seed):
    """All rows come back, and some of them, whatever the shape: squares in registers, and what is left beside them."""
    rows = numbers(dtype, (count, columns), seed)
    which = NO_COLUMNS
    if chosen:
        which = np.random.default_rng(seed).integers(0, columns, columns).astype(np.int32)
    form = Form(count, columns, count + missing, width, np.dtype(dtype))
    data = join_parts([encode_part(form, rows, which, part) for part in range(form.parts)])
    wanted = rows[:, which] if chosen else rows
    assert np.array_equal(decoded(form, data, np.arange(count), columns), wanted)
    some = np.unique(np.random.default_rng(seed).integers(0, count, 3))
    assert np.array_equal(decoded(form, data, some, columns), wanted[some])


@needs_jit
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("count", [8, 13, 16])
def test_bytes_are_those_of_the_codecs(dtype, count):
    """Transpose, delta or shuffle, and zstd with a checksum, as numcodecs has them."""
    rows = numbers(dtype, (count, 50), 3)
    form = Form(count, 50, count, 50, np.dtype(dtype))
    values = np.frombuffer(numcodecs.Zstd().decode(encode_part(form, rows, NO_COLUMNS, 0)), dtype)
    if dtype.startswith("int"):
        found = numcodecs.Delta(dtype).decode(values)
    else:
        found = np.frombuffer(numcodecs.Shuffle(np.dtype(dtype).itemsize).decode(values), dtype)
    assert np.array_equal(found.reshape(50, count).T, rows)


@needs_jit
def test_what_is_no_part():
    """A part of another shape, one without a checksum, and bytes that are none."""
    form = Form(8, 50, 8, 50, np.dtype("int32"))
    small = Form(8, 20, 8, 20, np.dtype("int32"))
    rows, out = numbers("int32", (8, 50), 1), np.empty((8, 50), np.int32)
    unchecked = numcodecs.Zstd(checksum=False).encode(rows)
    for piece in (encode_part(small, rows, NO_COLUMNS, 0), unchecked, b"", b"nothing of zstd", rows.tobytes()):
        with pytest.raises(StoreError, match=r"c\.0\.0 is damaged"):
            decode_part(form, piece, 0, np.arange(8), out, "c.0.0")
