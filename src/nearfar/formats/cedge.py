"""Road files as of California: .cedge ``edge u v length``, .cnode ``vertex longitude latitude``; vertices from 0.

Undirected. Only the .cnode file shows how many vertices there are; without it, the last vertex is the last one with an
edge.
"""

from __future__ import annotations

from typing import Any

from ..graph import Graph
from ..graph.arrays import MAX_VERTICES
from .coordinates import coordinates_only, read_coordinate_list
from .format import Format
from .io.files import Source
from .pieces import Pieces
from .text.headers import in_order
from .text.reader import LineLayout, Text

_BOUNDS = (0, MAX_VERTICES - 1)
_FEW, _SPARSE = 1024, 16  # vertices count from 0 if all are below _FEW, or below _SPARSE times the edges


def read(source: Source, *, undirected: bool = True, coordinates: Any = None) -> Graph:
    """Read edges; ``coordinates`` names a .cnode file."""
    pieces, highest = Pieces(), -1
    layout = LineLayout((-1, 0, 1, 2), "iin", "edge vertex vertex length", comments=b"#", bounds=_BOUNDS, exact=True)
    for rows in Text(source).rows(layout):
        pieces.add(*rows.columns)
        highest = max(highest, int(rows.columns[0].max()), int(rows.columns[1].max()))
    if not pieces.count:
        raise source.error("there are no edges in the file, only blank lines or comments. Check how it was made.")
    if coordinates is None:
        if highest >= max(_FEW, _SPARSE * pieces.count):  # the numbers are names
            return pieces.graph_of_ids(undirected)
        return pieces.graph(highest + 1, undirected=undirected)
    with Source(coordinates) as nodes:
        ids, points = read_coordinate_list(nodes)
        n = max(highest + 1, len(ids))
        points = in_order(nodes, ids, points, n)
    return pieces.graph(n, undirected=undirected, coordinates=points)


FORMAT = Format(
    name="cedge",
    summary="California road files: edge u v length, coordinates in a .cnode file; vertices from 0",
    endings=(".cedge",),
    matches=lambda head: False,  # four numbers per line can be anything: only the name shows it
    read=read,
)

NODES = Format(
    name="cnode",
    summary="California coordinates: vertex longitude latitude; goes with a .cedge file",
    endings=(".cnode",),
    matches=lambda head: False,
    read=coordinates_only("edges", "the .cedge file"),
)
