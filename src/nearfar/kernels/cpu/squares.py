"""Squares of numbers, subtracted and turned in registers: rows become columns, for blocks of rows that are stored.

A square has as many rows and columns as numbers fit into half a cache line. A loop over single numbers takes 3 ns for
each, since it reads or writes far apart; turned in registers, it takes 0.3.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from .lanes import BLOCK_BYTES, transposed


@intrinsic
def _in_registers(typing_context, rows, at, stride, before, out, to, step):
    """Write a square of differences: number j of row i of ``rows``, less that of the row before it, to column i.

    Row i begins at ``rows[at + i * stride]``; the numbers before row 0 begin at ``rows[before]``. Column j goes to
    ``out[to + j * step]`` on. Both arrays are flat and of the same integer type.
    """

    def codegen(context, builder, signature, args):
        dtype = signature.args[0].dtype
        count = BLOCK_BYTES * 8 // dtype.bitwidth
        pointer = ir.VectorType(context.get_value_type(dtype), count).as_pointer()
        found, made = (context.make_array(signature.args[i])(context, builder, args[i]).data for i in (0, 4))
        word = [context.cast(builder, args[i], signature.args[i], types.intp) for i in (1, 2, 3, 5, 6)]
        at, stride, before, to, step = word

        def place(data: Any, start: Any, length: Any, i: int) -> Any:
            index = builder.add(start, builder.mul(length, start.type(i)))
            return builder.bitcast(builder.gep(data, [index]), pointer)

        align = dtype.bitwidth // 8
        last, square = builder.load(place(found, before, stride, 0), align=align), []
        for i in range(count):
            row = builder.load(place(found, at, stride, i), align=align)
            square.append(builder.sub(row, last))
            last = row
        for j, column in enumerate(transposed(builder, square)):
            builder.store(column, place(made, to, step, j), align=align)
        return context.get_dummy_value()

    return types.void(rows, at, stride, before, out, to, step), codegen


def _one_by_one(rows, at, stride, before, out, to, step):
    """Write a square of differences, one number at a time."""
    count = BLOCK_BYTES // rows.itemsize
    for i in range(count):
        for j in range(count):
            start = before if i == 0 else at + (i - 1) * stride
            out[to + j * step + i] = rows[at + i * stride + j] - rows[start + j]


turn_differences: Any = _one_by_one if config.DISABLE_JIT else _in_registers
