"""Graphs in folders, ``roads.nearfar/``: arrays that NumPy opens, and a small document in JSON about them.

    graph.json        numbers about the graph, its fingerprint, the sizes and checksums of the other files
    offsets.npy       where the arcs of each vertex begin
    arcs.npy          the arcs, row after row, records of head and weight
    sums.npy          the CRC-32 of each 64 kB of arcs
    coordinates.npy, rows.npy, names*.npy, cells*.npy    where the graph has them
    reversed/         the same for the reversed graph, where it was asked for

A folder is written under another name beside its own (aside.py), and renamed when it is whole.
"""

from __future__ import annotations

from .aside import PART, begin_folder, name_aside
from .document import DOCUMENT, REVERSED
from .opening import is_folder, open_graph
from .writing import (
    ENDING,
    FolderWriter,
    check_target,
    finish_folder,
    is_folder_name,
    replace_folder,
    write_graph,
)

__all__ = [
    "DOCUMENT",
    "ENDING",
    "PART",
    "REVERSED",
    "FolderWriter",
    "begin_folder",
    "check_target",
    "finish_folder",
    "is_folder",
    "is_folder_name",
    "name_aside",
    "open_graph",
    "replace_folder",
    "write_graph",
]
