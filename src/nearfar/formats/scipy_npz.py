"""SciPy's sparse matrices in .npz files, as scipy.sparse.save_npz writes and load_npz reads them.

npz.py reads them, as it tells the kinds of .npz apart by their keys; this format is named for writing.
"""

from __future__ import annotations

from ..graph import Graph
from .format import Format
from .io.archive import Stream, is_archive
from .io.files import Sink, Source
from .npz import read as read_npz

_KEYS = (b"indices.npy", b"row.npy", b"offsets.npy", b"format.npy")


def read(source: Source, *, weight: bool | None = None, undirected: bool | None = None) -> Graph:
    """Read a sparse matrix; ``undirected`` adds the reverse of each entry, ``weight=False`` ignores the values."""
    return read_npz(source, weight=weight, undirected=undirected)


def write(graph: Graph, sink: Sink) -> None:
    """Write a graph as a csr_array; of parallel arcs only the lightest is kept, and unweighted arcs get weight 1."""
    from scipy.sparse import save_npz

    save_npz(Stream(sink.file()), graph.to_scipy(), compressed=False)


def matches(head: bytes) -> bool:
    """Return whether the first array of an archive is one that SciPy writes first."""
    return is_archive(head) and any(head[30:].startswith(key) for key in _KEYS)


FORMAT = Format(
    name="scipy",
    summary="SciPy sparse matrices (save_npz): entry [u, v] is the weight of the arc from u to v",
    endings=(".npz",),
    matches=matches,
    read=read,
    write=write,
    keeps=("directed", "weights", "floats", "negative", "isolated"),
    first=0,
)
