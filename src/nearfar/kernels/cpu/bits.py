"""SIMD for sets of sources: one bit per source, up to 512 in one value; and for writing levels out as distances.

A *line* holds a set of sources for one vertex: 1, 2, 4 or 8 words of 64 bits; eight are a cache line. Lines come in
arrays of shape (n,), (n, 2), (n, 2, 2) or (n, 2, 2, 2), because the number of dimensions is all that Numba knows of a
shape when it compiles (records would work too, but passing one takes about 10 us). A value of type Bits *is* an LLVM
vector, as lanes.py explains. Bit ``i % 64`` of word ``i // 64`` stands for source i.

Levels are kept as *planes*: plane k holds bit k of a small number, the code, for every vertex and source. `spread`
turns lines into columns of bytes: one byte holds eight sources of one vertex, and the vertices lie side by side.
`add_plane` gathers from them the codes of one source for COLUMNS vertices, and `write_values` turns codes into
distances. That takes 0.55 ns per distance on Twitter, 512 sources, one thread; taking the bits out one by one, level
after level, takes 2.6.

With the JIT switched off (NUMBA_DISABLE_JIT=1, used to measure coverage) NumPy arrays replace the vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic, models, register_model

WORD = 64  # bits
MOST_WORDS = 8  # words of the longest line: 64 bytes, one cache line
GROUP = 8  # vertices that `spread` takes at a time, and bits of a byte
COLUMNS = 32  # vertices whose codes form one value: one byte each, the widest register of most machines
I8, I32, I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)


def new_lines(count: int, words: int) -> np.ndarray:
    """Return ``count`` lines of ``words`` words each, not cleared; none of them straddles a cache line."""
    whole = np.empty(count * words + MOST_WORDS, np.uint64)
    start = -(whole.ctypes.data // 8) % MOST_WORDS
    return whole[start : start + count * words].reshape(count, *[2] * (words.bit_length() - 1))


class Bits(types.Type):
    """A set of sources, as Numba sees it."""

    def __init__(self, words: int) -> None:
        self.words = words
        super().__init__(name=f"Bits({words})")


class Codes(types.Type):
    """COLUMNS numbers of one byte each, as Numba sees them."""

    def __init__(self) -> None:
        super().__init__(name="Codes")


CODES = Codes()
CODES_VECTOR = ir.VectorType(I8, COLUMNS)


@register_model(Bits)
class _BitsModel(models.PrimitiveModel):
    """A set of sources, as LLVM sees it."""

    def __init__(self, manager: Any, bits: Bits) -> None:
        super().__init__(manager, bits, ir.VectorType(I64, bits.words))


@register_model(Codes)
class _CodesModel(models.PrimitiveModel):
    """COLUMNS numbers of one byte each, as LLVM sees them."""

    def __init__(self, manager: Any, codes: Codes) -> None:
        super().__init__(manager, codes, CODES_VECTOR)


def _words(kind: Any) -> int:
    """Return how many words a line of this array type has."""
    return 2 ** (kind.ndim - 1)


def _at(context: Any, builder: Any, signature: Any, args: Any, first: int, vector: Any) -> Any:
    """Return a pointer to the vector that starts at ``array[index]``; these are arguments ``first`` and the next."""
    kind = signature.args[first]
    data = context.make_array(kind)(context, builder, args[first]).data
    index = context.cast(builder, args[first + 1], signature.args[first + 1], types.intp)
    index = builder.mul(index, index.type(_words(kind)))
    return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())


def _everywhere(context: Any, builder: Any, value: Any, kind: Any, dtype: Any, count: int) -> Any:
    """Return a number in every element of a vector."""
    vector = ir.VectorType(context.get_value_type(dtype), count)
    undefined = ir.Constant(vector, ir.Undefined)
    one = builder.insert_element(undefined, context.cast(builder, value, kind, dtype), I32(0))
    return builder.shuffle_vector(one, undefined, ir.Constant(ir.VectorType(I32, count), None))


@intrinsic
def load(typing_context, lines, index):
    """Read line ``index``."""

    def codegen(context, builder, signature, args):
        vector = context.get_value_type(signature.return_type)
        return builder.load(_at(context, builder, signature, args, 0, vector), align=8 * vector.count)

    return Bits(_words(lines))(lines, index), codegen


@intrinsic
def store(typing_context, lines, index, bits):
    """Write line ``index``."""

    def codegen(context, builder, signature, args):
        vector = args[2].type
        builder.store(args[2], _at(context, builder, signature, args, 0, vector), align=8 * vector.count)
        return context.get_dummy_value()

    return types.void(lines, index, bits), codegen


@intrinsic
def prefetch(typing_context, lines, index):
    """Prefetch the cache line that holds line ``index``."""

    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(ir.VoidType(), [I8.as_pointer(), I32, I32, I32])
        name = "llvm.prefetch.p0"
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name=name)
        builder.call(function, [_at(context, builder, signature, args, 0, I8), I32(0), I32(3), I32(1)])
        return context.get_dummy_value()

    return types.void(lines, index), codegen


@intrinsic
def empty(typing_context, lines):
    """Return the empty set, as wide as the lines."""

    def codegen(context, builder, signature, args):
        return ir.Constant(context.get_value_type(signature.return_type), None)

    return Bits(_words(lines))(lines), codegen


def _operator(combine: Callable[[Any, Any, Any], Any]) -> Any:
    """Return the intrinsic that combines two sets into one."""

    def operate(typing_context, left, right):
        def codegen(context, builder, signature, args):
            return combine(builder, *args)

        return left(left, right), codegen

    return intrinsic(operate)


union = _operator(lambda builder, left, right: builder.or_(left, right))
common = _operator(lambda builder, left, right: builder.and_(left, right))
without = _operator(lambda builder, left, right: builder.and_(left, builder.not_(right)))


@intrinsic
def has_any(typing_context, vector):
    """Tell whether a set has members, or whether some code is not 0."""

    def codegen(context, builder, signature, args):
        whole = ir.IntType(args[0].type.count * args[0].type.element.width)
        return builder.icmp_unsigned("!=", builder.bitcast(args[0], whole), whole(0))

    return types.boolean(vector), codegen


def _transposed(builder: Any, lines: list[Any]) -> list[Any]:
    """Transpose 8 x 8 bytes in every word: byte i of a word in vector j is byte j of that word in line i."""
    vector, lines = lines[0].type, list(lines)
    for step, mask in ((4, 0x00000000FFFFFFFF), (2, 0x0000FFFF0000FFFF), (1, 0x00FF00FF00FF00FF)):
        shift, kept = (ir.Constant(vector, [number] * vector.count) for number in (8 * step, mask))
        for i in range(GROUP):
            if i & step == 0:
                low, high = lines[i], lines[i + step]
                change = builder.and_(builder.xor(builder.lshr(low, shift), high), kept)
                lines[i + step] = builder.xor(high, change)
                lines[i] = builder.xor(low, builder.shl(change, shift))
    return lines


@intrinsic
def spread(typing_context, lines, first, columns, start, stride):
    """Write byte b of GROUP lines, starting at ``first``, side by side, starting at ``columns[start + b * stride]``."""

    def codegen(context, builder, signature, args):
        kinds, vector = signature.args, ir.VectorType(I64, _words(signature.args[0]))
        data = _at(context, builder, signature, args, 0, vector)
        group = [builder.load(builder.gep(data, [I64(i)]), align=8 * vector.count) for i in range(GROUP)]
        out = _at(context, builder, signature, args, 2, I8)
        stride = context.cast(builder, args[4], kinds[4], types.intp)
        transposed = _transposed(builder, group)
        for b in range(vector.count * GROUP):
            word = builder.extract_element(transposed[b % GROUP], I32(b // GROUP))
            at = builder.gep(out, [builder.mul(stride, stride.type(b))])
            builder.store(word, builder.bitcast(at, I64.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(lines, first, columns, start, stride), codegen


@intrinsic
def no_codes(typing_context):
    """Return codes that are all 0."""
    return CODES(), lambda context, builder, signature, args: ir.Constant(CODES_VECTOR, None)


@intrinsic
def add_plane(typing_context, codes, columns, start, mask, value):
    """Return the codes, plus ``value`` where the byte in ``columns``, starting at ``start``, has the bit ``mask``."""

    def codegen(context, builder, signature, args):
        bytes_ = builder.load(_at(context, builder, signature, args, 1, CODES_VECTOR), align=1)
        bit, more = (_everywhere(context, builder, args[i], signature.args[i], types.uint8, COLUMNS) for i in (3, 4))
        nothing = ir.Constant(CODES_VECTOR, None)
        is_set = builder.icmp_unsigned("!=", builder.and_(bytes_, bit), nothing)
        return builder.or_(args[0], builder.select(is_set, more, nothing))

    return codes(codes, columns, start, mask, value), codegen


@intrinsic
def store_codes(typing_context, columns, start, codes):
    """Write the codes to ``columns``, starting at ``start``."""

    def codegen(context, builder, signature, args):
        builder.store(args[2], _at(context, builder, signature, args, 0, CODES_VECTOR), align=1)
        return context.get_dummy_value()

    return types.void(columns, start, codes), codegen


@intrinsic
def write_values(typing_context, row, start, codes, first, step, rest):
    """Write ``first + step * code``, or ``rest`` for code 0, to ``row`` in its type, starting at ``start``."""

    def codegen(context, builder, signature, args):
        dtype = signature.args[0].dtype
        vector = ir.VectorType(context.get_value_type(dtype), COLUMNS)
        first, step, rest = (
            _everywhere(context, builder, args[i], signature.args[i], dtype, COLUMNS) for i in (3, 4, 5)
        )
        if isinstance(dtype, types.Integer):
            values = builder.add(first, builder.mul(builder.zext(args[2], vector), step))
        else:
            values = builder.fadd(first, builder.fmul(builder.uitofp(args[2], vector), step))
        is_found = builder.icmp_unsigned("!=", args[2], ir.Constant(CODES_VECTOR, None))
        at = _at(context, builder, signature, args, 0, vector)
        builder.store(builder.select(is_found, values, rest), at, align=dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(row, start, codes, first, step, rest), codegen


@intrinsic
def lowest(typing_context, word):
    """Return the position of the lowest bit that is set; at least one must be."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.uint64(types.uint64), codegen


if config.DISABLE_JIT:

    def load(lines, index):
        """Read line ``index``."""
        return lines[index].copy()

    def store(lines, index, bits):
        """Write line ``index``."""
        lines[index] = bits

    def prefetch(lines, index):
        """Do nothing: a hint has no meaning here."""

    def empty(lines):
        """Return the empty set."""
        return np.zeros_like(lines[0])

    union, common = np.bitwise_or, np.bitwise_and

    def without(left, right):
        """Return what is in ``left`` and not in ``right``."""
        return left & ~right

    def has_any(vector):
        """Tell whether anything is set."""
        return bool(vector.any())

    def spread(lines, first, columns, start, stride):
        """Write the bytes of GROUP lines as columns."""
        rows = lines[first : first + GROUP].reshape(GROUP, -1).view(np.uint8)
        for b in range(rows.shape[1]):
            columns[start + b * stride : start + b * stride + GROUP] = rows[:, b]

    def no_codes():
        """Return codes that are all 0."""
        return np.zeros(COLUMNS, np.uint8)

    def add_plane(codes, columns, start, mask, value):
        """Return the codes, plus ``value`` where the bit is set."""
        is_set = columns[start : start + COLUMNS] & np.uint8(mask) != 0
        return codes | np.where(is_set, np.uint8(value), np.uint8(0))

    def store_codes(columns, start, codes):
        """Write the codes."""
        columns[start : start + COLUMNS] = codes

    def write_values(row, start, codes, first, step, rest):
        """Turn codes into distances."""
        values = first + codes.astype(row.dtype) * step
        row[start : start + COLUMNS] = np.where(codes != 0, values, row.dtype.type(rest))

    def lowest(word):
        """Return the position of the lowest bit that is set."""
        return np.uint64((int(word) & -int(word)).bit_length() - 1)
