"""SciPy's sparse matrices as scipy.sparse.save_npz writes them: entry [u, v] is the weight of the arc from u to v.

The arrays are read from the file by key, and passed to Graph without SciPy's constructors where those would not check
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import OptionError, option
from ..graph import Graph
from ..graph.arrays import Array, check_weight_type, shorten
from .io.files import Source
from .io.library import parsing

_PARTS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}


def are_sparse(arrays: Mapping[str, Array]) -> bool:
    """Return whether the keys are those of a sparse matrix."""
    return {"format", "shape", "data"} <= arrays.keys()


def from_sparse_by_key(source: Source, arrays: dict[str, Array], weight: Any, undirected: bool | None) -> Graph:
    """Build a graph from the parts of a sparse matrix."""
    if weight not in (None, False):
        raise OptionError(
            f"{source.name}: {option('weight', weight)} is given, but the weights of a sparse matrix are its entries. "
            f"Leave it out, or use {option('weight', False)} to ignore them."
        )
    kind, n = _kind(source, arrays), _size(source, arrays["shape"])
    if kind == "coo" and "coords" in arrays and arrays["coords"].shape[:1] == (2,):
        arrays["row"], arrays["col"] = arrays["coords"]
    lost = [key for key in _PARTS[kind] if key not in arrays]
    if lost:
        raise source.error(f"a {kind} matrix needs the array {lost[0]}, which is missing. Save it again with save_npz.")
    check_weight_type(arrays["data"].dtype)
    parts = [arrays[key] for key in _PARTS[kind]]
    for key, part in zip(_PARTS[kind], parts, strict=True):
        if part.ndim == 0:
            raise source.error(f"{key} is a single value, but a {kind} matrix needs a list. Save it again.")
    if kind in ("csr", "csc") and len(arrays["indptr"]) != n + 1:
        raise source.error(
            f"indptr has {len(arrays['indptr'])} entries, but {n + 1} are needed. Save it again with save_npz."
        )
    graph = _build(source, kind, parts, n, weight is False)
    return _both_directions(graph) if undirected else graph


def _kind(source: Source, arrays: dict[str, Array]) -> str:
    """Return the format: csr, csc, coo, bsr or dia."""
    found = arrays["format"]
    word = found.item() if found.shape == () else None
    kind = word.decode("ascii", "replace") if isinstance(word, bytes) else word
    if kind not in _PARTS:
        raise source.error(
            f"format is {shorten(found.tolist())}, but must be one of {', '.join(_PARTS)}. Convert it with .tocsr()."
        )
    return str(kind)


def _size(source: Source, shape: Array) -> int:
    """Return n of an n x n matrix."""
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or shape[0] != shape[1]:
        raise source.error(
            f"the matrix has shape {shorten(shape.tolist())}, but n x n is needed: entry [u, v] is the arc from u "
            f"to v. Add empty rows or columns."
        )
    return int(shape[0])


def _build(source: Source, kind: str, parts: list[Array], n: int, plain: bool) -> Graph:
    """Build the graph of a matrix; ``plain`` ignores the weights."""
    if kind in ("csr", "csc"):
        data, indices, indptr = parts
        m = int(indptr[-1]) if indptr.ndim == 1 and indptr.dtype.kind in "iu" and indptr.size else len(indices)
        m = m if 0 <= m <= len(indices) else len(indices)  # the arrays may be longer than the used part
        graph = Graph.from_csr(indptr, indices[:m], None if plain else data[:m])
        return graph if kind == "csr" else graph.reverse()
    if kind == "coo":
        data, tails, heads = parts
        return Graph.from_arcs(tails, heads, None if plain else data, n)
    from scipy import sparse

    with parsing(source, f"{kind} matrix", "Convert it with .tocsr() and save it again."):
        make = sparse.bsr_array if kind == "bsr" else sparse.dia_array
        matrix = make((parts[0], parts[1]) if kind == "dia" else tuple(parts), shape=(n, n))
        entries = matrix.tocoo()
    stored = entries.data != 0  # these formats add zeros as padding
    tails, heads, data = entries.row[stored], entries.col[stored], entries.data[stored]
    return Graph.from_arcs(tails, heads, None if plain else data, n)


def _both_directions(graph: Graph) -> Graph:
    """Return the graph with each arc in both directions."""
    tails = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.offsets))
    return Graph.from_arcs(tails, graph.heads, graph.weights, graph.n, undirected=True)
