"""Tiny buffers, so that small graphs pass through many segments, buckets and windows."""

from __future__ import annotations

import nearfar
from nearfar.formats import table
from nearfar.formats.text import reader
from nearfar.graph import Graph
from nearfar.scale import room, sorting

FACTS = ("n", "m", "undirected", "weight_dtype", "min_weight", "max_weight", "typical_weight", "mean_weight")


def shrink(monkeypatch, arcs=7, window=64, bucket=100):
    """Let segments have 7 arcs, windows 64 bytes, buckets 100 bytes, and blocks of text and tables 5 rows."""
    monkeypatch.setattr(room.Room, "segment", lambda self, arc_bytes: arcs)
    monkeypatch.setattr(room.Room, "window", lambda self: window)
    monkeypatch.setattr(sorting, "BUCKET", bucket)
    monkeypatch.setattr(table, "_ROWS", 5)
    monkeypatch.setattr(reader, "LEAST_ROWS", 5)
    monkeypatch.setattr(reader, "MOST_ROWS", 5)


def assert_same(found, wanted):
    """Two graphs have the same arcs, facts, names and rows."""
    assert found.fingerprint == wanted.fingerprint
    assert (found.offsets == wanted.offsets).all() and (found.arcs == wanted.arcs).all()
    assert found.offsets.dtype == wanted.offsets.dtype and found.arcs.dtype == wanted.arcs.dtype
    for fact in FACTS:
        assert getattr(found, fact) == getattr(wanted, fact), fact
    names = [None if graph.names is None else list(graph.names) for graph in (found, wanted)]
    assert names[0] == names[1]
    rows, others = found.input_rows, wanted.input_rows
    assert (rows.known, rows.count, rows.paired) == (others.known, others.count, others.paired)
    if rows.known:
        assert rows.in_order == others.in_order and (found.rows == wanted.rows).all()
    assert (found.coordinates is None) == (wanted.coordinates is None)
    if found.coordinates is not None:
        assert (found.coordinates == wanted.coordinates).all()


def in_folder(graph, folder, reversed=False):
    """Write a graph from memory, and open it."""
    nearfar.write(graph, folder, reversed=reversed)
    return Graph.open(folder)
