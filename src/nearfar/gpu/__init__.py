"""Queries on GPUs: planning, launching, arc batches, and one engine per method; the table GPU_METHODS.

The names are those of METHODS. A method runs on GPUs if it is listed here.
"""

from __future__ import annotations

from . import delta, edge, floyd, frontier, prepared
from .method import GpuMethod

GPU_METHODS: dict[str, GpuMethod] = {
    "delta": delta.METHOD,
    "frontier": frontier.METHOD,
    "edge": edge.METHOD,
    "prepared": prepared.METHOD,
    "floyd": floyd.METHOD,
}
