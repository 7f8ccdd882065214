"""Edges of an R-MAT graph from several positions of one stream of random numbers, and sorted rows without repetitions.

The stream is that of NumPy's PCG64 (O'Neill: PCG: a family of simple fast space-efficient statistically good
algorithms. 2014): a state of 128 bits, multiplied and added to, of which 64 bits are shown. It can jump ahead, so
threads draw from any position of it, and the graph is the same for every number of threads. An edge takes one number
per level, and the numbers of a level follow each other in the stream; each level is a state of its own here, and the
multiplications of all levels overlap.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from ..jit import kernel

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645  # of PCG64
# The quadrants of Graph500 are a to .57, b to .76, c to .95, d to 1. Generator.random takes the first 53 bits of a
# number for a fraction, and these bounds have 53 bits too: whole numbers can be compared instead.
B, C, D = (np.uint64(int(bound * 2**53) << 11) for bound in (0.57, 0.76, 0.95))


@intrinsic
def next_number(typing_context, states, level, added_low, added_high):
    """Step the state at ``states[2 * level]`` (low half first) and return the next number of its stream."""

    def codegen(context, builder, signature, args):
        wide, word = ir.IntType(128), ir.IntType(64)

        def join(low, high):
            return builder.or_(builder.zext(low, wide), builder.shl(builder.zext(high, wide), wide(64)))

        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        at = builder.mul(context.cast(builder, args[1], signature.args[1], types.intp), word(2))
        places = [builder.gep(data, [builder.add(at, word(half))]) for half in (0, 1)]
        state = join(*(builder.load(place) for place in places))
        state = builder.add(builder.mul(state, wide(MULTIPLIER)), join(args[2], args[3]))
        low, high = builder.trunc(state, word), builder.trunc(builder.lshr(state, wide(64)), word)
        builder.store(low, places[0])
        builder.store(high, places[1])
        mixed, turn = builder.xor(high, low), builder.lshr(high, word(58))
        back = builder.and_(builder.neg(turn), word(63))
        return builder.or_(builder.lshr(mixed, turn), builder.shl(mixed, back))

    return types.uint64(states, level, types.uint64, types.uint64), codegen


def _next_number(states, level, added_low, added_high):
    """Do the same with Python's integers."""
    state = (int(states[2 * level]) | int(states[2 * level + 1]) << 64) * MULTIPLIER
    state = state + (int(added_low) | int(added_high) << 64) & (1 << 128) - 1
    low, high = state & (1 << 64) - 1, state >> 64
    states[2 * level], states[2 * level + 1] = low, high
    mixed, turn = high ^ low, high >> 58
    return np.uint64((mixed >> turn | mixed << (-turn & 63)) & (1 << 64) - 1)


if config.DISABLE_JIT:
    next_number = _next_number


@kernel
def draw_edges(states: Any, added: Any, label: Any, undirected: bool, tails: Any, heads: Any) -> int:
    """Draw an edge for each entry of ``tails`` and write those that are no loops; return how many these are.

    ``states`` has a state of the stream per level, ``added`` what a step adds to it, both as halves, the low one first.
    """
    one = np.uint64(1)
    low, high = added[0], added[1]
    for i in range(len(tails)):
        u = v = np.uint64(0)
        for level in range(len(states) // 2):  # no branches: the processor could not predict them
            draw = next_number(states, level, low, high)
            u = u << one | np.uint64(draw >= C)
            v = v << one | np.uint64(draw >= B) ^ np.uint64(draw >= C) ^ np.uint64(draw >= D)
        tails[i], heads[i] = u, v
    written = 0
    for i in range(len(tails)):  # apart from the draws, so that the cache misses of many edges overlap
        tail, head = label[tails[i]], label[heads[i]]
        tails[written] = min(tail, head) if undirected else tail
        heads[written] = max(tail, head) if undirected else head
        written += tail != head
    return written


@kernel
def count_distinct(offsets: Any, heads: Any, low: int, high: int) -> int:
    """Count the arcs of rows ``low`` to ``high - 1``, which are sorted, without repetitions."""
    found = 0
    for u in range(low, high):
        for e in range(offsets[u], offsets[u + 1]):
            found += e == offsets[u] or heads[e] != heads[e - 1]
    return found


@kernel
def list_distinct(offsets: Any, heads: Any, low: int, high: int, tails: Any, out: Any) -> None:
    """Write the ends of the arcs of rows ``low`` to ``high - 1``, which are sorted, without repetitions."""
    at = 0
    for u in range(low, high):
        for e in range(offsets[u], offsets[u + 1]):
            if e == offsets[u] or heads[e] != heads[e - 1]:
                tails[at] = u
                out[at] = heads[e]
                at += 1
