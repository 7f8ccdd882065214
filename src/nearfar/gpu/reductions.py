"""Rows of a prepared graph reduced on GPUs: a few numbers per row are copied to the host, and no rows.

The sweeps are those of gpu/prepared.py; kernels/gpu/reduce.cl then reduces their lanes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..devices import cpu, open_named
from ..devices.device import Buffer, Device
from ..elimination.build import Hierarchy
from ..errors import DeviceError, option
from ..kernels.cpu.constants import SUM_PART
from ..methods.problem import Controls, Problem
from .launch_budget import parts_of
from .levels import KEPT
from .planning import GpuPlan
from .prepared import WIDTH, Climbed, Sweeps
from .row_blocks import Rows
from .work import CODES, Work, make_room, require_types, size_of, with_room

STEM = "reduce"
REDUCTIONS = ("sum", "count", "maximum")  # of the distances of reached vertices; in the order of the kernels


@dataclass(frozen=True)
class Share:
    """What is added up of the vertices nearer than ``limit``: their amounts, by position, or 1 / distance if None."""

    amounts: np.ndarray | None
    limit: Any

    @property
    def dtype(self) -> np.dtype:
        """The type of the totals."""
        return np.dtype(np.float64) if self.amounts is None else self.amounts.dtype

    @property
    def code(self) -> int:
        """What the kernels call it."""
        return 3 if self.amounts is None else 1 if self.amounts.dtype.kind == "i" else 2


def total_type(dtype: np.dtype) -> np.dtype:
    """Return the type of the reductions of rows: 64 bits, of the same kind."""
    return np.dtype(np.float64 if dtype.kind == "f" else np.int64)


@dataclass
class Reduced:
    """The reductions of all rows, and the rows in the order in which devices take them: that of the layout."""

    order: np.ndarray
    found: np.ndarray  # one row per reduction
    shares: list[np.ndarray]
    rows: Rows = field(init=False)

    def __post_init__(self) -> None:
        self.rows = Rows(self.order)

    def take(self, count: int) -> np.ndarray:
        """Return the next rows, at most ``count``."""
        block = self.rows.take(count)
        return self.order[block.start : block.stop]


def reduce_rows(
    plan: GpuPlan, problem: Problem, wanted: tuple[str, ...], controls: Controls, *, limit: Any = None,
    shares: tuple[Share, ...] = (),
) -> tuple[dict[str, np.ndarray], list[np.ndarray]]:  # fmt: skip
    """Return the reductions that are wanted, by name: one number per source of a problem with a hierarchy.

    Only distances below ``limit`` count. Sums are int64 or float64, and the same to the bit as on the CPU; so are
    counts and maxima. The totals of ``shares`` come after these, in their order; of floats, the CPU rounds otherwise.

    Examples
    --------
    >>> from nearfar.gpu.reductions import REDUCTIONS
    >>> REDUCTIONS
    ('sum', 'count', 'maximum')
    """
    hierarchy = problem.hierarchy
    assert isinstance(hierarchy, Hierarchy)
    names = tuple(name for name in REDUCTIONS if name in wanted)
    order = np.argsort(hierarchy.layout.positions[problem.sources], kind="stable")
    found = np.zeros((len(names), len(order)), total_type(hierarchy.layout.dtype))
    totals = [np.zeros(len(order), share.dtype) for share in shares]
    reduced, devices = Reduced(order, found, totals), [open_named(name) for name in plan.devices]
    within = hierarchy.layout.limit if limit is None else limit

    def drive(t: int) -> None:
        device, layout = devices[t], plan.layouts[t]
        _require_totals(device, hierarchy.layout.dtype, shares)
        with device.lock:
            spare = plan.available - layout.bytes
            make_room(problem.graph, device, layout, (KEPT,), spare)
            work = Work(problem, controls, device, layout, spare)
            try:
                Reducer(work, hierarchy, names, within, shares).reduce_all(reduced)
            finally:
                work.close()

    cpu.run(drive, len(devices), controls.stop, controls.watch)
    return dict(zip(names, reduced.found, strict=True)), reduced.shares


def _require_totals(device: Device, dtype: np.dtype, shares: tuple[Share, ...]) -> None:
    """Refuse floats on a device that cannot add them up in 64 bits."""
    require_types(device, dtype)
    if any(kind.kind == "f" for kind in (dtype, *(share.dtype for share in shares))) and not device.facts.doubles:
        raise DeviceError(
            f"{device.facts.title} has no float64, in which it would add up. Use {option('device', 'cpu')}."
        )


class Reducer(Sweeps):
    """Sweeps as for rows, and reduces the lanes instead of writing them."""

    def __init__(
        self, work: Work, hierarchy: Hierarchy, wanted: tuple[str, ...], limit: Any, shares: tuple[Share, ...]
    ) -> None:
        self.wanted, self.limit, self.shares = wanted, limit, shares
        arrays = {id(share.amounts): share.amounts for share in shares if share.amounts is not None}
        self.amounts = {key: work.upload(amounts) for key, amounts in arrays.items()}
        super().__init__(work, hierarchy)
        total = total_type(self.sweep_layout.dtype)
        self.parts = -(-self.sweep_layout.n // SUM_PART)
        lanes = self.blocks * WIDTH
        self.found = work.empty(self._passes() * lanes * self.parts, total)  # all of them have 8 bytes
        self.out = work.empty(len(wanted) * lanes, total)
        self.totals = [work.empty(lanes, share.dtype) for share in shares]

    def levels(self) -> dict[str, Any]:
        """Return the arcs by levels on the device, and where the positions of the CPU's sweep are among them."""
        there, device = super().levels(), self.work.device
        if "order" not in there:
            there["order"] = with_room(lambda: device.upload(there["positions"]), device, self.work.problem.graph)
        return there

    def new_rows(self) -> Buffer:
        """Return an empty buffer: there are no rows."""
        return self.work.empty(0, self.work.key)

    def bytes_beside(self) -> int:
        """Return the bytes of the amounts."""
        return size_of(self.amounts)

    def block_bytes(self) -> int:
        """Return the bytes per block of lanes beside these: the totals of parts and of rows."""
        rows = len(self.wanted) + len(self.shares)
        return WIDTH * 8 * (self._passes() * -(-self.sweep_layout.n // SUM_PART) + rows)

    def _passes(self) -> int:
        """Return how many numbers a pass over the lanes finds; a share has a pass of its own."""
        return max(len(self.wanted), min(len(self.shares), 1))

    def reduce_all(self, reduced: Reduced) -> None:
        """Reduce rows as long as there are any; the next ones climb on the host while the device sweeps."""
        stop = self.work.controls.stop
        following = self._climb_next(reduced)
        while following is not None and not stop[0]:
            rows, climbed = following
            self.launch(climbed, rows)
            self._launch_reductions(len(rows))
            following = self._climb_next(reduced)
            if stop[0]:
                return
            found = self.work.device.get(self.out, count=len(self.wanted) * len(rows))
            reduced.found[:, rows] = found.reshape(len(self.wanted), len(rows))
            for share, total in zip(reduced.shares, self.totals, strict=True):
                share[rows] = self.work.device.get(total, count=len(rows))
            self.work.controls.done.extend(rows.tolist())

    def _climb_next(self, reduced: Reduced) -> tuple[np.ndarray, Climbed] | None:
        """Climb from the sources of the next rows; return both, or None if there are no more rows."""
        rows = reduced.take(self.blocks * WIDTH)
        if not len(rows) or self.work.controls.stop[0]:
            return None
        return rows, self.climb([self.sweep_layout.positions[self.work.problem.sources[r : r + 1]] for r in rows])

    def write(self, rows: np.ndarray, blocks: int) -> None:
        """Write no rows."""

    def _launch_reductions(self, rows: int) -> None:
        """Reduce the lanes of the first ``rows`` rows."""
        if self.wanted:
            self._launch_pass(rows, self.found, self.limit, self.out, 0)
        for share, out in zip(self.shares, self.totals, strict=True):
            self._launch_pass(rows, self.amounts.get(id(share.amounts), self.found), share.limit, out, share.code)

    def _launch_pass(self, rows: int, amounts: Buffer, limit: Any, out: Buffer, share: int) -> None:
        """Reduce the lanes of the first ``rows`` rows in one pass; ``amounts`` are read if ``share`` says so."""
        layout, blocks, teams = self.sweep_layout, np.int32(-(-rows // WIDTH)), self.size // self.team
        reduce_parts, units = self._reduce("parts", share), int(blocks) * self.parts
        for first, last in parts_of(units, SUM_PART * (WIDTH * layout.dtype.itemsize + 4)):
            reduce_parts(
                min(self.groups, -(-(last - first) // teams)), self.size, self.lanes, self.there["order"], amounts,
                self.n, np.int32(SUM_PART), blocks, np.int64(first), np.int64(last), limit, self.found,
            )  # fmt: skip
        shape = (np.int64(self.parts), blocks, np.int32(rows))
        self._reduce("rows", share)(*self.work.items(rows), self.found, *shape, out)

    def _reduce(self, name: str, share: int) -> Any:
        """Return a kernel for the type of the lanes and the reductions that are wanted."""
        bits = sum(1 << i for i, kind in enumerate(REDUCTIONS) if kind in self.wanted)
        weight = CODES[self.sweep_layout.dtype.str[1:]]
        defines = {"SHARE": share} if share else {"WANTED": bits}
        return self.work.kernel(STEM, f"reduce_{name}", WEIGHT=weight, TEAM=self.team, **defines)
