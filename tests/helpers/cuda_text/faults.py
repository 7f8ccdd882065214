"""Mistakes that are planted in the CUDA text, each to be caught by the run that is meant to catch it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A mistake: what is replaced in the text, and a check of small_queries.py that reaches it."""

    name: str
    old: str
    new: str
    mode: str  # of compiler.MODES: how it is caught
    method: str = "edge"
    dtype: str = "int32"
    caught: str = ""  # what a report of the sanitizer, or the error of the stand-in, says


LOAD = "#define LOAD(address) (*(volatile key_t *)(address))"
LAST_BARRIER = "            BARRIER();\n            round++;"
ROUND = "GLOBAL i32 *flags, i32 round, i64 begin)"
BATCHES = "apart, i32 batches)"
SANITIZED = (
    Fault("a plain load", LOAD, "#define LOAD(address) (*(address))", "thread", caught="data race"),
    Fault("a dropped barrier", LAST_BARRIER, "            round++;", "thread", caught="data race"),
    Fault(
        "a plain store across groups",
        "ATOMIC_SWAP(&flags[round], CHANGED)",
        "flags[round] = CHANGED",
        "thread",
        caught="data race",
    ),
    Fault(
        "an index out of bounds",
        "tails[at - base] = low",
        "tails[at - base + 1] = low",
        "address",
        caught="heap-buffer-overflow",
    ),
    Fault(
        "a sum that wraps",
        "return arcs[ARC_WORDS * e];",
        "const i32 more = arcs[ARC_WORDS * e] + 0x7fffffff; return more - 0x7fffffff;",
        "address",
        caught="signed integer overflow",
    ),
)
LAUNCHES = (
    Fault("an argument of another size", ROUND, ROUND.replace("i32 round", "i64 round"), "plain", caught="wrong type"),
    Fault("an argument of another kind", BATCHES, BATCHES.replace("i32", "f32"), "plain", caught="wrong type"),
    Fault("one argument more", ROUND, ROUND.replace(")", ", i32 more)"), "plain", caught="takes 11 arguments, not 10"),
    Fault(
        "a barrier that one thread skips",
        LAST_BARRIER,
        "            if (LOCAL_ID) BARRIER();\n            round++;",
        "plain",
        caught="not all threads reached",
    ),
)
ADD, LESSER, LESS = '"add.rn.f32"', '"min.f32"', "#define LESS(a, b) (key_of(a) < key_of(b))"
BELOW, WIDEN = "return key_of(value) < key;", "return F64_OF_F32(weight_at(arcs, e));"
FLUSHED = (
    Fault("a flushed sum", ADD, '"add.rn.ftz.f32"', "flush", "frontier", "float32"),
    Fault("a flushed sum", ADD, '"add.rn.ftz.f32"', "flush", "delta", "float32"),
    Fault("a flushed sum", ADD, '"add.rn.ftz.f32"', "flush", "prepared", "float32"),
    Fault("a flushed minimum", LESSER, '"min.ftz.f32"', "flush", "prepared", "float32"),
    Fault("a flushed minimum", LESSER, '"min.ftz.f32"', "flush", "floyd", "float32"),
    Fault("a plain comparison with a key", BELOW, "return value < value_of(key);", "flush", "edge", "float32"),
    Fault("a plain comparison", LESS, "#define LESS(a, b) ((a) < (b))", "flush", "floyd", "float32"),
    Fault("a flushed conversion", WIDEN, "return (f64)weight_at(arcs, e);", "flush", "frontier", "float64"),
)
