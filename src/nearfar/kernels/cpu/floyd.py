"""All pairs of a dense graph: the matrix of arcs closed under minimum and plus, in blocks (Floyd 1962, Warshall 1962).

The matrix is a C-ordered square. A round takes TILE vertices as *pivots*, the inner vertices that paths may now use.
First the corner, where the rows of the pivots meet their columns, is closed by itself. Then the columns and rows of the
pivots are updated with it. Then every other entry is compared with the path over the pivots. The columns and rows of a
round are kept beside the matrix in the order in which they are read: ``left`` holds TILE entries for each vertex,
``right`` holds panels of LANES columns, TILE rows each.

One loop does nearly all of the work: a few rows of LANES sums and minima stay in registers while it goes over the
pivots, so it is limited by additions and minima, not by memory. Rows and columns are updated in place while they are
read. That is harmless, because entries only ever shrink towards the closure.

Threads share only two counters. The steps are in one fixed order. A free thread takes the next step and waits for the
steps that it depends on: a corner for the whole round before, rows and columns for the corner, all others for the rows
and columns.

Invariant: an entry is never less than the shortest path, and after a round it is not greater than the shortest path
whose inner vertices were pivots so far. As soon as a corner shows a negative entry on the diagonal, everything ends:
there is a negative cycle, and from then on entries would double from step to step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic, overload

from ..jit import inlined, kernel
from . import atomics
from .constants import FLOYD_BLOCK as BLOCK
from .constants import LANES, LINE
from .lanes import Lanes, load_at, minimum, store_at

# Panels of columns in one step. 2,000 vertices, tiles of 128, one thread, all rows of a tile together: chunks of 8, 16
# and 32 panels 291, 285 and 284 ms.
CHUNK = 16
PATIENCE = 20_000  # reads of a counter before a thread goes to sleep, some tens of microseconds

ZERO, STEP = np.int64(0), np.int64(LANES)  # as Python integers they would make Numba compile a copy for each

TICKET, FINISHED, FAILED, COUNTERS = 0, LINE, 2 * LINE, 3 * LINE
DONE, WAITING = 0, 1


@intrinsic
def spread(typing_context, array, index):
    """Return ``array[index]`` in every lane."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        value = builder.load(builder.gep(data, [context.cast(builder, args[1], signature.args[1], types.intp)]))
        undefined = ir.Constant(ir.VectorType(value.type, LANES), ir.Undefined)
        one = builder.insert_element(undefined, value, ir.IntType(32)(0))
        return builder.shuffle_vector(one, undefined, ir.Constant(ir.VectorType(ir.IntType(32), LANES), None))

    return Lanes(array.dtype)(array, index), codegen


def _saturating(builder: Any, left: Any, right: Any) -> Any:
    """Return sums of unsigned lanes that saturate at the end of their type."""
    kind = ir.FunctionType(left.type, [left.type, left.type])
    name = f"llvm.uadd.sat.v{LANES}i{left.type.element.width}"
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name=name)
    return builder.call(function, [left, right])


@intrinsic
def plus(typing_context, left, right, sums):
    """Return the sums of lanes, whose bits are numbers of the type of ``sums``; uint16 saturates."""

    def codegen(context, builder, signature, args):
        dtype = signature.args[2].dtype
        if isinstance(dtype, types.Integer):
            return (_saturating if dtype == types.uint16 else type(builder).add)(builder, args[0], args[1])
        vector = ir.VectorType(context.get_value_type(dtype), LANES)
        total = builder.fadd(builder.bitcast(args[0], vector), builder.bitcast(args[1], vector))
        return builder.bitcast(total, args[0].type)

    return left(left, right, sums), codegen


@intrinsic
def never_inline(typing_context):
    """Keep LLVM from inlining the function that calls this, which would double the time to compile."""

    def codegen(context, builder, signature, args):
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), codegen


if config.DISABLE_JIT:

    def never_inline() -> None:
        """Do nothing."""

    def spread(array: Any, index: Any) -> Any:
        """Return one entry in every lane."""
        return np.full(LANES, array[index], array.dtype)

    def plus(left: Any, right: Any, sums: Any) -> Any:
        """Return sums of the type of ``sums``, as bits of the type of the lanes."""
        if sums.dtype == np.uint16:
            return np.minimum(left.astype(np.int64) + right, 65535).astype(np.uint16)
        return (left.view(sums.dtype) + right.view(sums.dtype)).view(left.dtype)


def inner(function: Any) -> Any:
    """Compile a helper for other kernels only: a wrapper for calls from Python would take a third of the time."""
    return kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


@inlined
def one_row(out, at, left, first, right, panel, count, sums):
    """Update LANES entries of a row over ``count`` pivots: the least of ``left`` plus ``right``, and of themselves."""
    a = load_at(out, at)
    for k in range(count):
        a = minimum(plus(load_at(right, panel + k * LANES), spread(left, first + k), sums), a)
    store_at(out, at, a)


@inlined
def two_rows(out, at, step, left, first, tile, right, panel, count, sums):
    """Do the same for two rows, ``step`` entries apart."""
    second = first + tile
    atomics.prefetch(out, at + 4 * step)
    atomics.prefetch(out, at + 5 * step)
    a, b = load_at(out, at), load_at(out, at + step)
    for k in range(count):
        x = load_at(right, panel + k * LANES)
        a = minimum(plus(x, spread(left, first + k), sums), a)
        b = minimum(plus(x, spread(left, second + k), sums), b)
    store_at(out, at, a)
    store_at(out, at + step, b)


@inlined
def four_rows(out, at, step, left, first, tile, right, panel, count, sums):
    """Do the same for four rows."""
    second, third, fourth = first + tile, first + 2 * tile, first + 3 * tile
    for i in range(8, 12):
        atomics.prefetch(out, at + i * step)
    a, b = load_at(out, at), load_at(out, at + step)
    c, d = load_at(out, at + 2 * step), load_at(out, at + 3 * step)
    for k in range(count):
        x = load_at(right, panel + k * LANES)
        a = minimum(plus(x, spread(left, first + k), sums), a)
        b = minimum(plus(x, spread(left, second + k), sums), b)
        c = minimum(plus(x, spread(left, third + k), sums), c)
        d = minimum(plus(x, spread(left, fourth + k), sums), d)
    store_at(out, at, a)
    store_at(out, at + step, b)
    store_at(out, at + 2 * step, c)
    store_at(out, at + 3 * step, d)


@inlined
def eight_rows(out, at, step, left, first, tile, right, panel, count, sums):
    """Do the same for eight rows."""
    low, high = at, at + 4 * step
    for i in range(8, 16):
        atomics.prefetch(out, at + i * step)
    a, b, c, d = load_at(out, low), load_at(out, low + step), load_at(out, low + 2 * step), load_at(out, low + 3 * step)
    e, f, g = load_at(out, high), load_at(out, high + step), load_at(out, high + 2 * step)
    h = load_at(out, high + 3 * step)
    for k in range(count):
        x, upper, lower = load_at(right, panel + k * LANES), first + k, first + 4 * tile + k
        a = minimum(plus(x, spread(left, upper), sums), a)
        b = minimum(plus(x, spread(left, upper + tile), sums), b)
        c = minimum(plus(x, spread(left, upper + 2 * tile), sums), c)
        d = minimum(plus(x, spread(left, upper + 3 * tile), sums), d)
        e = minimum(plus(x, spread(left, lower), sums), e)
        f = minimum(plus(x, spread(left, lower + tile), sums), f)
        g = minimum(plus(x, spread(left, lower + 2 * tile), sums), g)
        h = minimum(plus(x, spread(left, lower + 3 * tile), sums), h)
    store_at(out, low, a)
    store_at(out, low + step, b)
    store_at(out, low + 2 * step, c)
    store_at(out, low + 3 * step, d)
    store_at(out, high, e)
    store_at(out, high + step, f)
    store_at(out, high + 2 * step, g)
    store_at(out, high + 3 * step, h)


def rows_at_once(out: Any) -> int:
    """Return how many rows of LANES entries fill half of the registers of most machines (16 of 32 bytes)."""
    return 16 // out.dtype.itemsize


def some_rows(out: Any, *others: Any) -> None:
    """Update as many rows as `rows_at_once` returns over some pivots."""
    {2: two_rows, 4: four_rows, 8: eight_rows}[rows_at_once(out)](out, *others)


@overload(rows_at_once)
def _rows_at_once(out):
    count = 128 // out.dtype.bitwidth
    return lambda out: count


@overload(some_rows, inline="always")
def _some_rows(out, at, step, left, first, tile, right, panel, count, sums):
    rows = {2: two_rows, 4: four_rows, 8: eight_rows}[128 // out.dtype.bitwidth]

    def update_some(out, at, step, left, first, tile, right, panel, count, sums):
        rows(out, at, step, left, first, tile, right, panel, count, sums)

    return update_some


@inner
def update(out, at, step, rows, left, first, tile, right, panel, count, sums):
    """Update LANES entries of ``rows`` rows over ``count`` pivots, as many rows at a time as registers hold."""
    never_inline()
    i = 0
    some = rows_at_once(out)
    while i + some <= rows:
        some_rows(out, at + i * step, step, left, first + i * tile, tile, right, panel, count, sums)
        i += some
    while i < rows:
        one_row(out, at + i * step, left, first + i * tile, right, panel, count, sums)
        i += 1


@inner
def copy_block(source, at, width, target, to, step, rows, columns):
    """Copy a block between flat matrices whose rows are ``width`` (source) and ``step`` (target) entries apart."""
    never_inline()
    for i in range(rows):
        for j in range(columns):
            target[to + i * step + j] = source[at + i * width + j]


@inner
def close_corner(matrix, width, begin, count, tile, corner, panels, sums):
    """Close the corner of a round by itself, also as panels; return False if it shows a negative cycle."""
    at = begin * width + begin
    copy_block(matrix, at, width, corner, ZERO, tile, count, count)
    used = (count + LANES - 1) // LANES
    for k in range(count):
        if corner[k * tile + k] < 0:
            return False
        for i in range(count):
            through = spread(corner, i * tile + k)
            for q in range(used):
                to = i * tile + q * LANES
                offered = plus(load_at(corner, k * tile + q * LANES), through, sums)
                store_at(corner, to, minimum(offered, load_at(corner, to)))
    for q in range(used):
        copy_block(corner, q * LANES, tile, panels, q * tile * LANES, STEP, count, STEP)
    copy_block(corner, ZERO, tile, matrix, at, width, count, count)
    return True


@inner
def take_step(matrix, width, n, tile, own, step, corner, panels, left, right, sums, edge):
    """Do one step of round ``own``: its corner, a strip of its columns or rows, or a block of the other entries.

    Return False when the corner shows a negative cycle.
    """
    strips, begin = (n + tile - 1) // tile, own * tile
    count = min(tile, n - begin)
    if step == 0:
        return close_corner(matrix, width, begin, count, tile, corner, panels, sums)
    strip = (step - 1) % strips
    first = strip * tile
    rows = min(tile, n - first)
    if strip == own:
        return True
    at, into = first * width, first * tile
    if step <= strips:
        copy_block(matrix, at + begin, width, left, into, tile, rows, count)
        for q in range((count + LANES - 1) // LANES):
            update(left, into + q * LANES, tile, rows, left, into, tile, panels, q * tile * LANES, count, sums)
        copy_block(left, into, tile, matrix, at + begin, width, rows, count)
        return True
    if step <= 2 * strips:
        for column in range(first, first + rows, LANES):
            panel, columns, source = column * tile, min(STEP, n - column), begin * width + column
            copy_block(matrix, source, width, right, panel, STEP, count, columns)
            update(right, panel, STEP, count, corner, ZERO, tile, right, panel, count, sums)
            copy_block(right, panel, STEP, matrix, source, width, count, columns)
        return True
    reach = CHUNK * LANES
    chunk = ((step - 1) // strips - 2) * reach
    for i in range(0, rows, BLOCK):
        some, start, origin = min(BLOCK, rows - i), at + i * width, into + i * tile
        for column in range(chunk, min(chunk + reach, n), LANES):
            columns, panel = min(STEP, n - column), column * tile
            if begin <= column < begin + count:
                continue
            if columns == STEP:
                update(matrix, start + column, width, some, left, origin, tile, right, panel, count, sums)
            else:  # the matrix ends within these columns
                copy_block(matrix, start + column, width, edge, ZERO, STEP, some, columns)
                update(edge, ZERO, STEP, some, left, origin, tile, right, panel, count, sums)
                copy_block(edge, ZERO, STEP, matrix, start + column, width, some, columns)
    return True


@inner
def is_reached(counters, finished, stop):
    """Wait a moment until ``finished`` steps are finished; return whether they are, or the work has ended."""
    for _ in range(PATIENCE):
        if atomics.load(counters, FINISHED) >= finished or atomics.load(counters, FAILED) != 0 or stop[0] != 0:
            return True
    return False


@kernel
def take_part(matrix, width, n, tile, corner, panels, left, right, sums, edge, ahead, counters, mine, stop):
    """Close the matrix together with other threads that call this; return DONE, or WAITING to be called again later.

    It begins when ``ahead`` steps of another kind are finished (`finish_step`). ``mine[0]`` is the step this thread has
    taken and not done yet, -1 if there is none.
    """
    strips = (n + tile - 1) // tile
    steps = 1 + strips * (2 + (n + CHUNK * LANES - 1) // (CHUNK * LANES))  # corner, columns, rows, chunks of the rest
    while True:
        if mine[0] < 0:
            mine[0] = atomics.add(counters, TICKET, 1)
        own, step = mine[0] // steps, mine[0] % steps
        before = ahead + min(own, strips) * steps
        if own < strips and step > 0:
            before += 1 if step <= 2 * strips else 1 + 2 * strips
        if not is_reached(counters, before, stop):
            return WAITING
        if own >= strips or atomics.load(counters, FAILED) != 0 or stop[0] != 0:
            return DONE
        if not take_step(matrix, width, n, tile, own, step, corner, panels, left, right, sums, edge):
            atomics.store(counters, FAILED, 1)
            return DONE
        mine[0] = -1
        atomics.add(counters, FINISHED, 1)


@kernel
def finish_step(counters):
    """Count a step of another kind as finished, one of those that `take_part` waits for."""
    atomics.add(counters, FINISHED, 1)
