"""Blocks of a few arcs, in memory and on disk, so that small graphs are streamed in many batches."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from nearfar.formats.folder import writing
from nearfar.graph import passes, stored
from nearfar.graph.stored import StoredGraph
from nearfar.methods import blocks, streamed


@contextmanager
def tiny_blocks(shift=1, share=0.3, rows=3):
    """Graphs in memory have blocks of 2**shift arcs, of which a share may be used at once, by so many rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "SHIFT", shift)
        patch.setattr(blocks, "SHARE", share)
        patch.setattr(blocks, "LEAST_SLOTS", 2)
        patch.setattr(streamed, "LEAST_SLOTS", 2)
        patch.setattr(streamed, "ROWS", rows)
        yield


@contextmanager
def tiny_blocks_on_disk(size=16):
    """Folders are written and read in blocks of ``size`` bytes, of which two are in memory at once; never all arcs."""

    def forbidden(graph):
        raise AssertionError("all arcs of a graph on disk were asked for")

    with tiny_blocks(), pytest.MonkeyPatch.context() as patch:
        for module in (stored, writing, passes):
            patch.setattr(module, "BLOCK", size)
        patch.setattr(StoredGraph, "arcs", property(forbidden))
        patch.setattr(streamed, "room_for_blocks", lambda graph, spare: 0)
        yield
