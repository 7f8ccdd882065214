"""SIMD for Numba: LANES numbers as one value that lives in registers, on any instruction set LLVM knows.

Numba does not turn a loop over 16 lanes into vector instructions by itself (7 ns per distance instead of 0.5). Here a
value of type Lanes *is* an LLVM vector: kernels load, add, take minima and store, and read like Python. LLVM lowers
each operation to what the machine has: two instructions with AVX2 and int32, one with AVX-512, four with NEON.

``load`` and ``store`` take a row of a C-ordered array of shape (n, LANES) that begins at a cache line, as new_lanes in
aligned.py makes them, so that no row crosses one; ``load_at`` and ``store_at`` take LANES neighbours anywhere in a flat
array. With the JIT switched off (NUMBA_DISABLE_JIT=1, used to measure coverage) NumPy arrays of
LANES entries are used instead of vectors.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import config, types
from numba.extending import intrinsic, models, register_model

from .constants import LANES, LINE_BYTES

I32 = ir.IntType(32)
BLOCK_BYTES = 32  # of a row, moved at once by `transpose`: half a cache line, the widest register of most machines


class Lanes(types.Type):
    """LANES numbers of one type, as Numba sees them."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"Lanes({dtype})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    """LANES numbers of one type, as LLVM sees them."""

    def __init__(self, manager: Any, lanes: Lanes) -> None:
        super().__init__(manager, lanes, ir.VectorType(manager[lanes.dtype].get_value_type(), LANES))


def _value_of(array: Any) -> Any:
    """Return the type of what `load` reads from an array: lanes, or one number where the array is flat."""
    return Lanes(array.dtype) if array.ndim == 2 else array.dtype


def _element_of(kind: Any) -> Any:
    """Return the type of one number of a value: of lanes, or of the number itself."""
    return kind.dtype if isinstance(kind, Lanes) else kind


def _pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any, step: int, value: Any) -> Any:
    """Return a pointer to the value of a type that starts ``step`` times ``index`` elements into an array."""
    data = context.make_array(kind)(context, builder, array).data
    at = builder.gep(data, [builder.mul(index, index.type(step))])
    return builder.bitcast(at, context.get_value_type(value).as_pointer())


def _align_of(value: Any, aligned: bool) -> int:
    """Return the alignment of a value in memory, in bytes."""
    return LINE_BYTES if aligned and isinstance(value, Lanes) else _element_of(value).bitwidth // 8


def _loader(by_row: bool) -> Any:
    """Return the intrinsic that reads a value: row ``index`` of an array, or LANES numbers from ``index`` on."""

    def load(typing_context, array, index):
        value = _value_of(array) if by_row else Lanes(array.dtype)
        step = LANES if by_row and array.ndim == 2 else 1

        def codegen(context, builder, signature, args):
            position = context.cast(builder, args[1], signature.args[1], types.intp)
            at = _pointer(context, builder, signature.args[0], args[0], position, step, value)
            return builder.load(at, align=_align_of(value, by_row))

        return value(array, index), codegen

    return intrinsic(load)


def _storer(by_row: bool) -> Any:
    """Return the intrinsic that writes a value: to row ``index`` of an array, or to LANES numbers from ``index`` on."""

    def store(typing_context, array, index, value):
        step = LANES if by_row and array.ndim == 2 else 1

        def codegen(context, builder, signature, args):
            position = context.cast(builder, args[1], signature.args[1], types.intp)
            at = _pointer(context, builder, signature.args[0], args[0], position, step, value)
            builder.store(args[2], at, align=_align_of(value, by_row))
            return context.get_dummy_value()

        return types.void(array, index, value), codegen

    return intrinsic(store)


load, store = _loader(True), _storer(True)
load_at, store_at = _loader(False), _storer(False)


def _spread(context: Any, builder: Any, like: Any, value: Any, kind: Any) -> Any:
    """Return a number in every lane of a value like ``like``, or as one number of its type; lanes as they are."""
    if isinstance(kind, Lanes):
        return value
    if not isinstance(like, Lanes):
        return context.cast(builder, value, kind, like)
    return _repeated(context, builder, value, kind, like.dtype, context.get_value_type(like))


def _is_whole(dtype: Any) -> bool:
    """Whether lanes hold integers."""
    return isinstance(dtype, types.Integer)


def _compare(builder: Any, dtype: Any, sign: str, left: Any, right: Any) -> Any:
    """Return a vector of bits: in which lanes ``left`` compares to ``right`` as the sign says."""
    if not _is_whole(dtype):
        return builder.fcmp_ordered(sign, left, right)
    return (builder.icmp_signed if dtype.signed else builder.icmp_unsigned)(sign, left, right)


@intrinsic
def splat(typing_context, array, value):
    """Return ``value`` in every lane, in the type of the array."""

    def codegen(context, builder, signature, args):
        return _spread(context, builder, signature.return_type, args[1], signature.args[1])

    return _value_of(array)(array, value), codegen


@intrinsic
def all_lanes(typing_context, array, value):
    """Return ``value`` in every lane, in the type of a flat array."""

    def codegen(context, builder, signature, args):
        return _spread(context, builder, signature.return_type, args[1], signature.args[1])

    return Lanes(array.dtype)(array, value), codegen


@intrinsic
def add(typing_context, lanes, other):
    """Return ``lanes`` plus other lanes, or plus one number, in the type of the lanes; integers wrap."""

    def codegen(context, builder, signature, args):
        right = _spread(context, builder, signature.args[0], args[1], signature.args[1])
        return (builder.add if _is_whole(_element_of(signature.args[0])) else builder.fadd)(args[0], right)

    return lanes(lanes, other), codegen


def _chooser(sign: str) -> Any:
    """Return the intrinsic that takes the left value in every lane where the comparison holds, the right elsewhere."""

    def choose(typing_context, left, right):
        def codegen(context, builder, signature, args):
            dtype = _element_of(signature.args[0])
            return builder.select(_compare(builder, dtype, sign, args[0], args[1]), args[0], args[1])

        return left(left, right), codegen

    return intrinsic(choose)


minimum = _chooser("<")

WIDE_WHOLE_MINIMUM = get_host_cpu_features().get("avx512f", False)  # there is an instruction for integers of 64 bits


@intrinsic
def least_length(typing_context, left, right):
    """Return the lesser value in every lane, where none is negative or NaN.

    Such floats are ordered as their bits are. A minimum of integers can run beside additions of floats, for which
    machines have few units: a sweep over float64 takes 1.12 ns per arc instead of 1.39 with AVX-512.
    """

    def codegen(context, builder, signature, args):
        dtype = _element_of(signature.args[0])
        single = not isinstance(signature.args[0], Lanes)  # would be moved to another register and back
        if single or _is_whole(dtype) or (dtype.bitwidth == 64 and not WIDE_WHOLE_MINIMUM):
            return builder.select(_compare(builder, dtype, "<", *args), *args)
        kind = ir.VectorType(ir.IntType(dtype.bitwidth), LANES)
        one, other = (builder.bitcast(value, kind) for value in args)
        least = builder.select(builder.icmp_signed("<", one, other), one, other)
        return builder.bitcast(least, args[0].type)

    return left(left, right), codegen


def _selector(sign: str) -> Any:
    """Return the intrinsic that takes ``value`` in every lane where the comparison holds, ``other`` elsewhere."""

    def select(typing_context, left, right, value, other):
        def codegen(context, builder, signature, args):
            kind, chosen = signature.args[0], signature.args[3]
            right, value = (
                _spread(context, builder, like, args[i], signature.args[i]) for like, i in ((kind, 1), (chosen, 2))
            )
            return builder.select(_compare(builder, kind.dtype, sign, args[0], right), value, args[3])

        return other(left, right, value, other), codegen

    return intrinsic(select)


where_equal, where_less = _selector("=="), _selector("<")
"""Return ``value`` in every lane where ``left`` is equal to ``right``, or less; ``other`` elsewhere.

``other`` is lanes, of any type; ``right`` and ``value`` are lanes or one number.
"""


@intrinsic
def replace_from(typing_context, lanes, limit, value):
    """Return the lanes with ``value`` where they are not below ``limit``."""

    def codegen(context, builder, signature, args):
        dtype = signature.args[0].dtype
        ends, values = (_spread(context, builder, signature.args[0], args[i], signature.args[i]) for i in (1, 2))
        return builder.select(_compare(builder, dtype, "<", args[0], ends), args[0], values)

    return lanes(lanes, limit, value), codegen


@intrinsic
def any_less(typing_context, left, right):
    """Return whether ``left`` is less than ``right`` in any lane."""

    def codegen(context, builder, signature, args):
        bits = _compare(builder, signature.args[0].dtype, "<", args[0], args[1])
        return builder.icmp_unsigned("!=", builder.bitcast(bits, ir.IntType(LANES)), ir.IntType(LANES)(0))

    return types.boolean(left, right), codegen


@intrinsic
def least(typing_context, lanes):
    """Return the least of all lanes."""

    def codegen(context, builder, signature, args):
        dtype, value, count = signature.args[0].dtype, args[0], LANES
        while count > 1:  # the upper half against the lower half
            count //= 2
            indices = ir.Constant(ir.VectorType(I32, LANES), [(i + count) % LANES for i in range(LANES)])
            other = builder.shuffle_vector(value, value, indices)
            value = builder.select(_compare(builder, dtype, "<", other, value), other, value)
        return builder.extract_element(value, I32(0))

    return lanes.dtype(lanes), codegen


@intrinsic
def add_below(typing_context, total, lanes, limit):
    """Return ``total``, lanes of int64 or float64, plus those of ``lanes`` that are below ``limit``."""

    def codegen(context, builder, signature, args):
        dtype = signature.args[1].dtype
        ends = _spread(context, builder, signature.args[1], args[2], signature.args[2])
        nothing = ir.Constant(args[1].type, None)
        counted = builder.select(_compare(builder, dtype, "<", args[1], ends), args[1], nothing)
        if dtype.bitwidth < signature.args[0].dtype.bitwidth:
            counted = (builder.sext if _is_whole(dtype) else builder.fpext)(counted, args[0].type)
        return (builder.add if _is_whole(dtype) else builder.fadd)(args[0], counted)

    return total(total, lanes, limit), codegen


@intrinsic
def add_inverse_below(typing_context, total, lanes, limit):
    """Return ``total``, lanes of float64, plus 1 over those of ``lanes`` that are above 0 and below ``limit``."""

    def codegen(context, builder, signature, args):
        dtype = signature.args[1].dtype
        ends = _spread(context, builder, signature.args[1], args[2], signature.args[2])
        zeros, ones = ir.Constant(args[1].type, None), ir.Constant(args[0].type, [1.0] * LANES)
        below, above = _compare(builder, dtype, "<", args[1], ends), _compare(builder, dtype, ">", args[1], zeros)
        values = args[1]
        if _is_whole(dtype):
            values = builder.sitofp(values, args[0].type)
        elif dtype.bitwidth < 64:
            values = builder.fpext(values, args[0].type)
        inverses = builder.fdiv(ones, values)
        counted = builder.select(builder.and_(below, above), inverses, ir.Constant(args[0].type, None))
        return builder.fadd(args[0], counted)

    return total(total, lanes, limit), codegen


def _arithmetic(name: str) -> Any:
    """Return the intrinsic for an operation of floats on lanes and other lanes, or one number."""

    def operate(typing_context, lanes, other):
        def codegen(context, builder, signature, args):
            right = _spread(context, builder, signature.args[0], args[1], signature.args[1])
            return getattr(builder, name)(args[0], right)

        return lanes(lanes, other), codegen

    return intrinsic(operate)


multiply, divide = _arithmetic("fmul"), _arithmetic("fdiv")
"""Return the product, or the quotient, of lanes of floats and other lanes, or one number."""


@intrinsic
def total(typing_context, lanes):
    """Return the sum of all lanes, which are floats."""

    def codegen(context, builder, signature, args):
        value, count = args[0], LANES
        while count > 1:  # the upper half to the lower half
            count //= 2
            halves = [ir.Constant(ir.VectorType(I32, count), [i + k for i in range(count)]) for k in (0, count)]
            lower, upper = (builder.shuffle_vector(value, value, half) for half in halves)
            value = builder.fadd(lower, upper)
        return builder.extract_element(value, I32(0))

    return lanes.dtype(lanes), codegen


@intrinsic
def as_floats(typing_context, lanes):
    """Return lanes as lanes of float64."""

    def codegen(context, builder, signature, args):
        dtype, wide = signature.args[0].dtype, ir.VectorType(ir.DoubleType(), LANES)
        if _is_whole(dtype):
            return builder.sitofp(args[0], wide)
        return args[0] if dtype.bitwidth == 64 else builder.fpext(args[0], wide)

    return Lanes(types.float64)(lanes), codegen


def _constant(vector: Any, number: Any) -> Any:
    """Return a vector with the same known number in every entry."""
    return ir.Constant(vector, [number] * vector.count)


def _polynomial(builder: Any, x: Any, coefficients: list[float]) -> Any:
    """Return the value of a polynomial, the highest power first; products and sums may be fused."""
    value = _constant(x.type, coefficients[0])
    for c in coefficients[1:]:
        product = builder.fmul(value, x, flags=("contract",))
        value = builder.fadd(product, _constant(x.type, c), flags=("contract",))
    return value


LEAST_POWER = -708.0  # below it, exp is less than any normal number, and taken as 0
ROUNDING = 1.5 * 2.0**52  # a float of this size has no fraction: adding it rounds, and its last bits are the integer
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # their sum is ln 2


@intrinsic
def exp(typing_context, lanes):
    """Return e to the power of lanes of float64 that are not above 0, up to a relative error of 1e-15.

    x = n ln 2 + r with |r| <= 0.35, where a Taylor series of 13 terms is exact up to rounding; n goes to the exponent.
    LLVM has no vector instruction for this, and calls of the C library take 20 times as long.
    """

    def codegen(context, builder, signature, args):
        kind, whole = args[0].type, ir.VectorType(ir.IntType(64), LANES)
        is_least = builder.fcmp_ordered("<", args[0], _constant(kind, LEAST_POWER))
        x = builder.select(is_least, _constant(kind, LEAST_POWER), args[0])
        shifted = builder.fadd(builder.fmul(x, _constant(kind, 1 / math.log(2))), _constant(kind, ROUNDING))
        n = builder.fsub(shifted, _constant(kind, ROUNDING))
        for part in (LN2_HIGH, LN2_LOW):
            x = builder.fsub(x, builder.fmul(n, _constant(kind, part), flags=("contract",)), flags=("contract",))
        value = _polynomial(builder, x, [1 / math.factorial(k) for k in range(13, -1, -1)])
        exponent = builder.shl(builder.bitcast(shifted, whole), _constant(whole, 52))
        scaled = builder.bitcast(builder.add(builder.bitcast(value, whole), exponent), kind)
        return builder.select(is_least, _constant(kind, 0.0), scaled)

    return lanes(lanes), codegen


@intrinsic
def log(typing_context, lanes):
    """Return the logarithm of lanes of float64 that are 1 or more and finite, up to a relative error of 1e-15.

    x = 2^e m with m from 0.71 to 1.41, and log m = 2 artanh((m - 1) / (m + 1)) as a series.
    """

    def codegen(context, builder, signature, args):
        kind, whole = args[0].type, ir.VectorType(ir.IntType(64), LANES)
        bits = builder.bitcast(args[0], whole)
        one = _constant(whole, 0x3FF << 52)
        m = builder.bitcast(builder.or_(builder.and_(bits, _constant(whole, (1 << 52) - 1)), one), kind)
        e = builder.bitcast(builder.or_(builder.lshr(bits, _constant(whole, 52)), _constant(whole, 0x433 << 52)), kind)
        e = builder.fsub(e, _constant(kind, 2.0**52 + 1023))
        high = builder.fcmp_ordered(">", m, _constant(kind, math.sqrt(2)))
        m = builder.select(high, builder.fmul(m, _constant(kind, 0.5)), m)
        e = builder.select(high, builder.fadd(e, _constant(kind, 1.0)), e)
        s = builder.fdiv(builder.fsub(m, _constant(kind, 1.0)), builder.fadd(m, _constant(kind, 1.0)))
        series = _polynomial(builder, builder.fmul(s, s), [2 / (2 * k + 1) for k in range(11, -1, -1)])
        return builder.fadd(builder.fmul(e, _constant(kind, math.log(2))), builder.fmul(s, series))

    return lanes(lanes), codegen


def _stretched(context: Any, builder: Any, kind: Any, lengths: Any, slack: Any, slack_kind: Any) -> Any:
    """Return lengths plus ``slack`` times themselves; integers as they are, since they are exact."""
    if _is_whole(kind.dtype):
        return lengths
    return builder.fadd(lengths, builder.fmul(lengths, _spread(context, builder, kind, slack, slack_kind)))


@intrinsic
def join_counts(typing_context, best, count, length, more, slack):
    """Return how many paths are shortest, given ``count`` of length ``best`` and ``more`` of another length.

    Two lengths that differ by less than ``slack`` times themselves are the same, unless they are integers.
    """

    def codegen(context, builder, signature, args):
        kind = signature.args[0]
        best, count, length, more = args[:4]
        above = _stretched(context, builder, kind, best, args[4], signature.args[4])
        over = _stretched(context, builder, kind, length, args[4], signature.args[4])
        joined = builder.select(_compare(builder, kind.dtype, "<=", length, above), builder.fadd(count, more), count)
        return builder.select(_compare(builder, kind.dtype, "<", over, best), more, joined)

    return count(best, count, length, more, slack), codegen


@intrinsic
def keep_ties(typing_context, length, best, slack, value):
    """Return ``value`` in every lane where a length is the best one, 0 elsewhere; ``slack`` as in `join_counts`."""

    def codegen(context, builder, signature, args):
        above = _stretched(context, builder, signature.args[1], args[1], args[2], signature.args[2])
        tied = _compare(builder, signature.args[0].dtype, "<=", args[0], above)
        return builder.select(tied, args[3], ir.Constant(args[3].type, None))

    return value(length, best, slack, value), codegen


def transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Return the columns of a square of vectors: swap single entries of pairs of rows, then pairs, then fours."""
    count, step = len(rows), 1
    while step < count:
        low = [j if j & step == 0 else count + j - step for j in range(count)]
        high = [j + step if j & step == 0 else count + j for j in range(count)]
        swapped = list(rows)
        for i in range(count):
            if i & step == 0:
                for target, mask in ((i, low), (i + step, high)):
                    order = ir.Constant(ir.VectorType(I32, count), mask)
                    swapped[target] = builder.shuffle_vector(rows[i], rows[i + step], order)
        rows, step = swapped, 2 * step
    return rows


def _transposer(past: bool) -> Any:
    """Return the intrinsic that writes rows of lanes as columns, into the caches or past them."""

    def transpose(typing_context, rows, cells, out, bases, column, limit, value):
        def codegen(context, builder, signature, args):
            kinds, dtype = signature.args, signature.args[0].dtype
            count = BLOCK_BYTES * 8 // dtype.bitwidth
            vector = ir.VectorType(context.get_value_type(dtype), count)
            lanes, indices, out, bases = (context.make_array(kinds[i])(context, builder, args[i]) for i in range(4))
            left = context.cast(builder, args[4], kinds[4], types.intp)
            ends, values = (_repeated(context, builder, args[i], kinds[i], dtype, vector) for i in (5, 6))
            word = left.type
            row_starts = []
            for j in range(LINE_BYTES // BLOCK_BYTES * count):
                cell = builder.load(builder.gep(indices.data, [builder.add(left, word(j))]))
                row_starts.append(builder.mul(context.cast(builder, cell, kinds[1].dtype, types.intp), word(LANES)))
            for lane in range(0, LANES, count):
                starts = [builder.load(builder.gep(bases.data, [word(lane + i)])) for i in range(count)]
                squares = []
                for part in range(0, len(row_starts), count):
                    square = []
                    for row_start in row_starts[part : part + count]:
                        at = builder.gep(lanes.data, [builder.add(row_start, word(lane))])
                        found = builder.load(builder.bitcast(at, vector.as_pointer()), align=BLOCK_BYTES)
                        square.append(builder.select(_compare(builder, dtype, "<", found, ends), found, values))
                    squares.append(transposed(builder, square))
                for i in range(
                    count
                ):  # both halves of a line one after the other: a line is sent to memory when it is full
                    for k, square in enumerate(squares):
                        at = builder.gep(out.data, [builder.add(builder.add(starts[i], left), word(k * count))])
                        align = BLOCK_BYTES if past else dtype.bitwidth // 8
                        store = builder.store(square[i], builder.bitcast(at, vector.as_pointer()), align=align)
                        if past:
                            store.set_metadata("nontemporal", builder.module.add_metadata([I32(1)]))
            return context.get_dummy_value()

        return types.void(rows, cells, out, bases, column, limit, value), codegen

    return intrinsic(transpose)


transpose, transpose_past = _transposer(False), _transposer(True)
"""Write rows ``cells[column]`` and following of lanes as columns: lane i goes to ``out[bases[i] + column]`` on.

As many rows as fill one cache line in each of the LANES rows of the flat array ``out``. They are transposed in
registers, one square at a time. Values not below ``limit`` become ``value``. `transpose_past` writes past the caches;
its lines must be aligned.
"""


def _repeated(context: Any, builder: Any, value: Any, kind: Any, dtype: Any, vector: Any) -> Any:
    """Return a vector of any length with the same number in every entry."""
    undefined = ir.Constant(vector, ir.Undefined)
    one = builder.insert_element(undefined, context.cast(builder, value, kind, dtype), I32(0))
    return builder.shuffle_vector(one, undefined, ir.Constant(ir.VectorType(I32, vector.count), None))


if config.DISABLE_JIT:

    def load(array, index):
        """Read row ``index``."""
        return array[index].copy()

    def store(array, index, value):
        """Write row ``index``."""
        array[index] = value

    def load_at(array, index):
        """Read LANES entries from ``index`` on."""
        return array[index : index + LANES].copy()

    def store_at(array, index, value):
        """Write LANES entries from ``index`` on."""
        array[index : index + LANES] = value

    def splat(array, value):
        """Return ``value`` in every lane."""
        return np.full(LANES, value, array.dtype) if array.ndim == 2 else array.dtype.type(value)

    def all_lanes(array, value):
        """Return ``value`` in every lane."""
        return np.full(LANES, value, array.dtype)

    def least(lanes):
        """Return the least of all lanes."""
        return lanes.min()

    def add(lanes, other):
        """Return the sum in the type of the lanes."""
        return lanes + np.asarray(other).astype(lanes.dtype)

    minimum = least_length = np.minimum

    def where_equal(left, right, value, other):
        """Return ``value`` where the lanes are equal."""
        return np.where(left == right, value, other).astype(other.dtype)

    def where_less(left, right, value, other):
        """Return ``value`` where ``left`` is less."""
        return np.where(left < right, value, other).astype(other.dtype)

    def replace_from(lanes, limit, value):
        """Return the lanes with ``value`` where they are not below ``limit``."""
        return np.where(operator.lt(lanes, limit), lanes, value).astype(lanes.dtype)

    def any_less(left, right):
        """Return whether ``left`` is less in any lane."""
        return bool((left < right).any())

    def transpose(rows, cells, out, bases, column, limit, value):
        """Write rows of lanes as columns."""
        count = LINE_BYTES // rows.dtype.itemsize
        found = rows[cells[int(column) : int(column) + count]].T
        for lane in range(LANES):
            at = int(bases[lane]) + int(column)
            out[at : at + count] = np.where(found[lane] < limit, found[lane], value)

    transpose_past = transpose

    def add_below(total, lanes, limit):
        """Add the lanes below ``limit`` to wide lanes."""
        return total + np.where(lanes < limit, lanes, 0).astype(total.dtype)

    def add_inverse_below(total, lanes, limit):
        """Add 1 over the lanes between 0 and ``limit`` to wide lanes."""
        counted = (lanes < limit) & (lanes > 0)
        return total + np.where(counted, 1.0 / np.where(counted, lanes, 1), 0.0)

    def multiply(lanes, other):
        """Return the product."""
        return lanes * other

    def divide(lanes, other):
        """Return the quotient."""
        return lanes / other

    def total(lanes):
        """Return the sum of all lanes."""
        return lanes.sum()

    def as_floats(lanes):
        """Return lanes of float64."""
        return lanes.astype(np.float64)

    exp, log = np.exp, np.log

    def join_counts(best, count, length, more, slack):
        """Return how many paths are shortest."""
        joined = np.where(length <= best + slack * best, count + more, count)
        return np.where(length + slack * length < best, more, joined)

    def keep_ties(length, best, slack, value):
        """Return ``value`` where a length is the best one."""
        return np.where(length <= best + slack * best, value, 0.0)
