"""Which devices a query runs on: those that were named, or a GPU that "auto" expects to be faster."""

from __future__ import annotations

from dataclasses import replace

from ..devices import DEVICES, open_named
from ..devices.facts import Facts
from ..graph import Graph
from .planning import choose_device, require_gpu_method, wants_gpu
from .work import kept_bytes


def gpu_facts(names: tuple[str, ...], graph: Graph, rows: int, method: str) -> tuple[Facts, ...]:
    """Return the facts of the GPUs that a query runs on, none for the CPU; drivers are loaded only if needed."""
    if names == ("cpu",):
        return ()
    if names == ("auto",):
        if not wants_gpu(rows, graph.m, method):
            return ()
        found = [_with_kept(facts) for kind in ("cuda", "opencl") for facts in DEVICES[kind].found()]
        chosen = choose_device(found, graph, rows, method)
        return () if chosen is None else (chosen,)
    require_gpu_method(method, names[0], graph.min_weight < 0)
    return tuple(_with_kept(open_named(name).facts) for name in names)


def _with_kept(facts: Facts) -> Facts:
    """Count what graphs keep on a device as free: it is freed when a query needs the memory."""
    return replace(facts, memory=facts.memory + kept_bytes(facts.name))
