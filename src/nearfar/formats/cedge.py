"""California's roads and their kin: .cedge ``edge u v length``, .cnode ``vertex longitude latitude``; vertices from 0.

Undirected. Only the nodes' file tells how many vertices there are; without it they end with the last one that has an
edge.
"""

from __future__ import annotations

from typing import Any

from ..errors import option
from ..graph import Graph
from ..graph.arrays import MAX_VERTICES
from .format import Format
from .io.files import Source
from .pieces import Pieces
from .text.headers import in_order
from .text.reader import Layout, Text

_BOUNDS = (0, MAX_VERTICES - 1)
_FEW, _SPARSE = 1024, 16  # vertices are numbers from 0 if they lie below one of these, the second times the edges


def read(source: Source, *, undirected: bool = True, coordinates: Any = None) -> Graph:
    """Read edges; ``coordinates`` names a .cnode file."""
    from .coordinates import read_places

    pieces, highest = Pieces(), -1
    layout = Layout((-1, 0, 1, 2), "iin", "edge vertex vertex length", comments=b"#", bounds=_BOUNDS, exact=True)
    for rows in Text(source).rows(layout):
        pieces.add(*rows.columns)
        highest = max(highest, int(rows.columns[0].max()), int(rows.columns[1].max()))
    if not pieces.count:
        raise source.error("there are no edges in the file, only blank lines or comments. Nothing can be read.")
    if coordinates is None:
        if highest >= max(_FEW, _SPARSE * pieces.count):  # not numbers from 0, but names
            return pieces.graph_of_ids(undirected)
        return pieces.graph(highest + 1, undirected=undirected)
    with Source(coordinates) as nodes:
        ids, places = read_places(nodes)
        n = max(highest + 1, len(ids))
        places = in_order(nodes, ids, places, n)
    return pieces.graph(n, undirected=undirected, coordinates=places)


FORMAT = Format(
    name="cedge",
    summary="California road files: edge u v length, places in a .cnode file; vertices from 0",
    endings=(".cedge",),
    matches=lambda head: False,  # four numbers a line are anything: only the name tells
    read=read,
)


def _refuse(source: Source) -> Graph:
    """Say what a .cnode file is for."""
    raise source.error(
        f"this file holds coordinates, no edges. Read the .cedge file, and give this one with {option('coordinates')}."
    )


NODES = Format(
    name="cnode",
    summary="California coordinates: vertex longitude latitude; goes with a .cedge file",
    endings=(".cnode",),
    matches=lambda head: False,
    read=_refuse,
)
