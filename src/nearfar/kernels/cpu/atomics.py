"""Instructions that Numba lacks: prefetch, and atomic load, store, add and compare-and-swap on array elements.

Each is one LLVM instruction. With the JIT switched off (NUMBA_DISABLE_JIT=1, used to measure coverage) plain Python
functions replace them; under the GIL they are atomic enough for tests, where nothing else runs.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

I8, I32 = ir.IntType(8), ir.IntType(32)


def _element(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Return a pointer to ``array[index]``, the first two arguments of every intrinsic here."""
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    index = context.cast(builder, args[1], signature.args[1], types.intp)
    return builder.gep(data, [index])


def _bits(context: Any, builder: Any, signature: Any, args: Any) -> tuple[Any, Any]:
    """Return the element's pointer seen as an integer of its width, and that integer type: floats have no cmpxchg."""
    width = ir.IntType(signature.args[0].dtype.bitwidth)
    return builder.bitcast(_element(context, builder, signature, args), width.as_pointer()), width


def _prefetcher(writing: int) -> Any:
    """Return the intrinsic that prefetches a cache line, for reading or for writing."""

    def prefetch(typing_context, array, index):
        def codegen(context, builder, signature, args):
            kind = ir.FunctionType(ir.VoidType(), [I8.as_pointer(), I32, I32, I32])
            name = "llvm.prefetch.p0"
            function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name=name)
            at = builder.bitcast(_element(context, builder, signature, args), I8.as_pointer())
            builder.call(function, [at, I32(writing), I32(3), I32(1)])
            return context.get_dummy_value()

        return types.void(array, index), codegen

    return intrinsic(prefetch)


# Prefetch the cache line of ``array[index]`` (counted in elements, whatever the shape); never faults, not even outside.
prefetch, prefetch_to_write = _prefetcher(0), _prefetcher(1)


@intrinsic
def load(typing_context, array, index):
    """Read ``array[index]`` while other threads may write it; never hoisted out of a loop."""

    def codegen(context, builder, signature, args):
        at, width = _bits(context, builder, signature, args)
        value = builder.load_atomic(at, "acquire", width.width // 8)
        return builder.bitcast(value, context.get_value_type(signature.return_type))

    return array.dtype(array, index), codegen


@intrinsic
def add(typing_context, array, index, value):
    """Add ``value`` to an integer ``array[index]``; return the old value."""

    def codegen(context, builder, signature, args):
        amount = context.cast(builder, args[2], signature.args[2], signature.return_type)
        return builder.atomic_rmw("add", _element(context, builder, signature, args), amount, "seq_cst")

    return array.dtype(array, index, value), codegen


@intrinsic
def store(typing_context, array, index, value):
    """Write an integer ``array[index]``; a thread that reads it also sees everything written before."""

    def codegen(context, builder, signature, args):
        at, width = _bits(context, builder, signature, args)
        amount = context.cast(builder, args[2], signature.args[2], signature.args[0].dtype)
        builder.store_atomic(amount, at, "release", width.width // 8)
        return context.get_dummy_value()

    return types.void(array, index, value), codegen


@intrinsic
def swap_if(typing_context, array, index, expected, value):
    """Write ``value`` to ``array[index]`` if it holds ``expected``, bit for bit; return whether it did."""

    def codegen(context, builder, signature, args):
        at, width = _bits(context, builder, signature, args)
        dtype = signature.args[0].dtype
        old, new = (builder.bitcast(context.cast(builder, args[i], signature.args[i], dtype), width) for i in (2, 3))
        return builder.extract_value(builder.cmpxchg(at, old, new, "acq_rel", "acquire"), 1)

    return types.boolean(array, index, expected, value), codegen


@intrinsic
def publish(typing_context):
    """Make everything written before visible to other threads, also stores that bypass the caches."""

    def codegen(context, builder, signature, args):
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), codegen


if config.DISABLE_JIT:

    def prefetch(array, index):
        """Do nothing: a hint has no meaning here."""

    prefetch_to_write = prefetch

    def publish():
        """Do nothing: no store is delayed here."""

    def load(array, index):
        """Read ``array[index]``."""
        return array[index]

    def store(array, index, value):
        """Write ``array[index]``."""
        array[index] = value

    def add(array, index, value):
        """Add to ``array[index]``; return the old value."""
        before = array[index]
        array[index] = before + value
        return before

    def swap_if(array, index, expected, value):
        """Write ``value`` if the element equals ``expected``; return whether it did."""
        if array[index] != expected:
            return False
        array[index] = value
        return True
