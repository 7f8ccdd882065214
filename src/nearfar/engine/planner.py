"""Plan: what will run, why, and how many bytes it takes, decided before anything runs.

A plan is a pure function of numbers about the graph, the query and the device. No device is touched, so a test can
plan for a machine with little memory by passing a small number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..description import Description, format_bytes
from ..errors import MemoryLimitError, in_python, option
from ..gpu import GPU_METHODS
from ..gpu.layout import DeviceLayout
from ..gpu.planning import GpuPlan, plan_gpus
from ..methods import METHODS
from ..methods.bfs_cost import are_few
from ..methods.bfs_one import SHARED_STEPS
from ..methods.parts import choose_parts
from ..methods.parts import reason as reason_for_parts
from .candidates import choose_many, outlook_of
from .estimate import preparing_seconds
from .streaming import Streaming, arc_memory, must_stream, reason, streamed_bytes
from .tuning import BREADTH_FIRST, LINE_LIKE, PARALLEL_ARCS, RENUMBER_ROWS, TREE_LIKE

if TYPE_CHECKING:
    from ..devices.facts import Facts
    from ..graph import Graph


_FEWER_ROWS = (
    f"Ask for fewer sources at a time (mssp with a part of them), or only for the targets that you need "
    f"({option('targets')}); store the rows in compressed blocks ({option('out', 'd.zarr')}); let them fill a file "
    f"({option('out')}{in_python('numpy.lib.format.open_memmap(...)')})"
    + in_python("; or have them summed as they come: prepare(graph).row_sums()")
)


@dataclass(frozen=True)
class Plan:
    """What a query will do. Made by `nearfar.plan`, and kept in every result.

    Attributes
    ----------
    method, device : str
        What will run, and where.
    threads : int
        How many threads of the CPU work: on the rows, or, if GPUs settle the rows, on trees made from them.
    rows, n : int
        The shape of the answer.
    dtype : numpy.dtype
        The type of the distances; if one of them turns out not to fit, ``wider`` replaces it.
    wider : numpy.dtype or None
    bytes : int
        Memory for the answer and the work space, in addition to the graph.
    available : int
        Memory that may be used.
    together : bool
        Whether all threads work on one row, instead of one row per thread; on GPUs, whether all groups do, one row
        after the other, instead of one row per group.
    renumber : bool
        Whether the rows are solved on a copy of the graph in which neighbours have close indices.
    why : str
        The reasons, in a sentence.
    gpu : GpuPlan or None
        If GPUs settle the rows: which of them share the rows, and what each holds in its memory.
    table : bool
        Whether the answer has only columns of targets, of which ``n`` is then the number.
    host_bytes, host_available : int
        On GPUs, ``bytes`` and ``available`` count the memory of the GPUs, and these two that of the machine.
    stored_bytes : int or None
        If the answer goes to a store: the bytes that it should take on the disk, by a sample of its blocks. ``bytes``
        are those of the memory in any case.
    streaming : Streaming or None
        If the arcs are read from the disk in batches: in how many, and about how many bytes.
    arc_memory : int
        The part of ``bytes`` that arcs take which lie on the disk and are all used.
    seconds : float or None
        What it should take on the CPU, by a model fitted on another machine: right within a factor of two or three.
        Only `nearfar.plan` and `nearfar.metrics.plan` ask for it.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, -7])
    >>> print(nearfar.plan(g, 0).why)
    weights are negative: only changed vertices relax their arcs
    """

    method: str
    device: str
    threads: int
    rows: int
    n: int
    dtype: np.dtype
    wider: np.dtype | None
    bytes: int
    available: int
    together: bool
    renumber: bool
    why: str
    gpu: GpuPlan | None = None
    host_bytes: int = 0
    host_available: int = 0
    table: bool = False
    seconds: float | None = field(default=None, compare=False)
    stored_bytes: int | None = field(default=None, compare=False)
    streaming: Streaming | None = None
    arc_memory: int = 0

    def __str__(self) -> str:
        return str(self.describe())

    def describe(self) -> Description:
        """Return the plan as a dict that prints as a table."""
        batches: dict[str, Any] = {}
        if self.layouts:
            batches = {"arc_batches": self.arc_batches, "row_batches": self.row_batches, **self._groups()}
        if self.streaming:
            batches = {"arc_batches": self.arc_batches, "expected_bytes_read": self.streaming.expected_bytes}
        threads = {} if self.gpu else {"threads": self.threads}
        return Description(
            method=self.method,
            device=self.device,
            **threads,
            rows=self.rows,
            **{"targets" if self.table else "vertices": self.n},
            distances=self.dtype.name + (f", {self.wider.name} if one does not fit" if self.wider else ""),
            bytes=self.bytes,
            available_bytes=self.available,
            **({} if self.stored_bytes is None else {"stored_bytes": self.stored_bytes}),
            **({} if self.seconds is None else {"expected_seconds": self.seconds}),
            **batches,
            why=self.why,
        )

    def _groups(self) -> dict[str, str]:
        """Return how groups share rows, if there are several rows and the method knows both manners."""
        if self.rows < 2 or not GPU_METHODS[self.method].wide:
            return {}
        return {"groups": "one row after the other, with all groups" if self.together else "one row per group"}

    @property
    def devices(self) -> tuple[str, ...]:
        """The GPUs that share the rows; empty on the CPU."""
        return self.gpu.devices if self.gpu else ()

    @property
    def layouts(self) -> tuple[DeviceLayout, ...]:
        """What each of these GPUs holds at once; empty on the CPU, and if it does not fit."""
        return self.gpu.layouts if self.gpu else ()

    @property
    def arc_batches(self) -> int:
        """In how many batches the arcs are sent to a device, or read from the disk; 1 if all are there at once."""
        if self.streaming:
            return self.streaming.batches
        return max((layout.batches for layout in self.layouts), default=1)

    @property
    def row_batches(self) -> int:
        """The least number of batches in which rows are settled: a launch that takes too long is split further."""
        return -(-self.rows // max(sum(layout.rows for layout in self.layouts), 1)) if self.layouts else 1

    def require_memory(self) -> None:
        """Refuse a plan that does not fit into memory, before anything is allocated."""
        if self.host_bytes > self.host_available:
            raise MemoryLimitError(
                f"{self.rows:,} x {self.n:,} distances as {self.dtype.name} need {format_bytes(self.host_bytes)} of "
                f"the machine's memory; {format_bytes(self.host_available)} are free. {_FEWER_ROWS}.",
                self.host_bytes,
                self.host_available,
            )
        if self.bytes <= self.available:
            return
        if self.device != "cpu":
            what = f"{self.method} with {self.n:,} vertices needs, on {self.device}, at least"
            raise too_large(what, self.bytes, self.available, self._gpu_way_out())
        arcs = ", the arcs" if self.arc_memory else ""
        what = f"{self.rows:,} x {self.n:,} distances as {self.dtype.name}{arcs} with their work space need"
        raise too_large(what, self.bytes, self.available, self._way_out())

    def _gpu_way_out(self) -> str:
        """Return advice on what would need less memory on a GPU."""
        more = f"allow more memory, or use {option('device', 'cpu')}"
        able = [option("method", name) for name, record in GPU_METHODS.items() if record.streams]
        if not GPU_METHODS[self.method].streams:
            return f"Use {' or '.join(able)}, which take arcs in batches, {more}"
        return more.capitalize()

    def _way_out(self) -> str:
        """Return advice on what would need less memory."""
        if self.method == "parts":
            return "Cut the graph into more parts (nearfar.partition), or allow more memory"
        if self.arc_memory:
            return f"Use {option('method', 'streamed')}, which reads the arcs in batches, or allow more memory"
        if self.rows == 1:
            edge = f", or {option('method', 'edge')}, which needs no work space"
            spare = "" if self.method == "edge" or self.streaming else edge
            return f"Allow more memory, or use a machine that has it{spare}"
        if self.threads > 1 and self.rows * self.n * self.dtype.itemsize < self.available:
            return "Use fewer threads, or ask for fewer sources at a time (mssp with a part of them)"
        return _FEWER_ROWS


def too_large(what: str, needed: int, available: int, way_out: str) -> MemoryLimitError:
    """Return the error for an answer that does not fit into memory."""
    return MemoryLimitError(
        f"{what} {format_bytes(needed)} ({needed:,} bytes); {format_bytes(available)} may be used. {way_out}.",
        needed,
        available,
    )


def choose_method(
    graph: Graph,
    rows: int,
    threads: int,
    early: bool,
    bounded: bool = False,
    plain: bool = False,
    itemsize: int = 4,
) -> tuple[str, str]:
    """Return the method for a query with method "auto", and the reason; ``bounded``: there is a cutoff.

    ``plain``: rows start at distance 0, and no bucket width is asked for. ``itemsize``: bytes per distance.
    """
    if plain and (chosen := choose_breadth_first(graph, rows, threads)):
        return chosen
    if rows > 1 and not (early or bounded) and (chosen := choose_many(graph, rows, threads, itemsize)):
        return chosen
    if graph.min_weight < 0:
        if rows == 1:
            return "frontier", "weights are negative: only changed vertices relax their arcs"
        return "johnson", "negative weights and several rows: one potential, then vertices in order of distance"
    if rows > 1:
        return "dijkstra", "several rows: one row per thread, vertices in order of distance"
    if threads == 1:
        return "dijkstra", "one row, one thread: vertices in order of distance"
    if early:
        return "dijkstra", "one row that may stop early: vertices in order of distance"
    if graph.m < PARALLEL_ARCS:
        return "dijkstra", f"one row and {graph.m:,} arcs, too few to share: vertices in order of distance"
    return "delta", f"one row and {graph.m:,} arcs: threads share its buckets"


def choose_breadth_first(graph: Graph, rows: int, threads: int) -> tuple[str, str] | None:
    """Return `bfs`, and the reason, for few rows of a graph of equal weights; None if it is not that.

    On nine graphs a row took from 0.2 to 1.0 times as long as with `dijkstra`, on one thread.
    """
    if not graph.min_weight == graph.max_weight >= 0 or graph.n + graph.m < BREADTH_FIRST:
        return None
    if graph.m < TREE_LIKE * graph.n and graph.irregularity < LINE_LIKE:
        return None
    if not are_few(rows, threads) or rows >= RENUMBER_ROWS:
        return None
    if rows == 1 and threads > 1 and graph.m >= PARALLEL_ARCS and _levels_are_narrow(graph):
        return None
    return "bfs", f"equal weights and {'one row' if rows == 1 else f'{rows} rows'}: vertices level by level"


def _levels_are_narrow(graph: Graph) -> bool:
    """Tell whether hardly a level is wide enough for threads to share it, as they can share buckets."""
    return graph.n + graph.m < SHARED_STEPS * graph.usual_levels


def make_plan(
    graph: Graph,
    rows: int,
    *,
    method: str,
    types: Sequence[np.dtype],
    threads: int,
    available: int,
    early: bool = False,
    filled: bool = False,
    prepared: bool = False,
    bounded: bool = False,
    plain: bool = False,
) -> Plan:
    """Return the plan for ``rows`` sources.

    ``types`` are the distance types to try. ``filled``: ``out`` was given. ``prepared``: the graph is prepared already.
    ``early`` and ``bounded``: there are targets, or there is a cutoff. ``plain`` as in `choose_method`.
    """
    why = "the graph is prepared" if prepared else "the method was asked for"
    itemsize = types[0].itemsize
    answer = 0 if filled else rows * graph.n * itemsize
    room = available - answer
    fits = not must_stream(graph, itemsize, available)
    cut = choose_parts(graph, rows, room, itemsize) if method == "auto" and not fits else None
    streamed = partial(_streamed_plan, graph, rows, method, types, threads, available, answer)
    if method == "streamed" or (method == "auto" and not fits and cut is None):
        return streamed()
    asked = method
    if method == "auto":
        method, why = cut or choose_method(graph, rows, threads, early, bounded, plain, itemsize)
    record = METHODS[method]
    if method == "parts":
        why = f"{why}: {reason_for_parts(graph, room)}"
    shared = min(threads, 1 + graph.m // PARALLEL_ARCS)
    together = rows == 1 and shared > 1 and record.together is not None
    if record.many is None or record.together is not None:
        threads = shared if together else max(1, min(threads, rows))
    worker = record.scratch(graph.n, itemsize)
    shared_bytes = (
        record.memory(graph.n, graph.m, rows, threads, itemsize)
        if record.needs is None
        else record.needs(graph, rows, threads, itemsize)
    )
    # Not with negative weights: a negative cycle must be reported with the original indices.
    renumber = record.many is None and rows >= RENUMBER_ROWS and graph.min_weight >= 0 and fits
    renumber = renumber and graph.scattered
    arcs = 0 if prepared or method == "parts" else arc_memory(graph)
    if renumber:
        why += "; the vertices are renumbered first, since the indices of neighbours are far apart"
        worker += graph.n * itemsize
    needed = answer + shared_bytes + threads * worker + (graph.arc_bytes + 4 * graph.n if renumber else 0) + arcs
    if arcs and asked == "auto" and needed > available and (plan := streamed()).bytes <= available:
        return plan
    return Plan(
        method=method,
        device="cpu",
        threads=threads,
        rows=rows,
        n=graph.n,
        dtype=types[0],
        wider=types[1] if len(types) > 1 else None,
        bytes=needed,
        available=available,
        together=together,
        renumber=renumber,
        why=why,
        arc_memory=arcs,
    )


def _streamed_plan(
    graph: Graph, rows: int, method: str, types: Sequence[np.dtype], threads: int, available: int, answer: int
) -> Plan:
    """Return the plan for rows on arcs that are read from the disk in batches."""
    needed, streaming = streamed_bytes(graph, rows, answer, threads, available)
    return Plan(
        method="streamed",
        device="cpu",
        threads=threads,
        rows=rows,
        n=graph.n,
        dtype=types[0],
        wider=types[1] if len(types) > 1 else None,
        bytes=needed,
        available=available,
        together=False,
        renumber=False,
        why="the method was asked for" if method == "streamed" else reason(graph, streaming, available),
        streaming=streaming if arc_memory(graph) else None,
    )


def make_gpu_plan(
    graph: Graph,
    rows: int,
    *,
    method: str,
    types: Sequence[np.dtype],
    facts: Sequence[Facts],
    threads: int,
    memory: int | None,
    host_free: int,
    targets: int = 0,
    filled: bool = False,
    bounded: bool = False,
    why: str = "",
) -> Plan:
    """Return the plan for ``rows`` sources on some GPUs; ``memory``: the bytes that may be used on each."""
    many = None
    if method == "auto" and rows > 1 and not (targets or bounded):
        many = choose_many(graph, rows, threads, types[0].itemsize)
    gpu = plan_gpus(
        graph,
        rows,
        method=method,
        dtype=types[0],
        facts=facts,
        memory=memory,
        targets=targets,
        many=many,
        preparing=preparing_seconds(graph, outlook_of(graph)) if many else 0.0,
    )
    return Plan(
        method=gpu.method,
        device=", ".join(gpu.devices),
        threads=threads,
        rows=rows,
        n=graph.n,
        dtype=types[0],
        wider=types[1] if len(types) > 1 else None,
        bytes=gpu.bytes,
        available=gpu.available,
        together=rows == 1 or gpu.together,
        renumber=False,
        why="; ".join(filter(None, (why, gpu.why))),
        gpu=gpu,
        host_bytes=0 if filled else rows * graph.n * types[0].itemsize,
        host_available=host_free,
    )
