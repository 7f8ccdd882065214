"""Prepared graphs in files: a .npz archive of what took long to find. The sweep layout is made again on loading.

A file holds a mark with the version, the fingerprint of the graph it belongs to, the structure, the weights of its
shortcuts, what pruning left of the graph, and the core. A digest of all of these reveals any damage. Kernels do not
check the indices they follow, so these are checked on loading as well: `_check_structure` says why that is enough.

Integers are stored in the smallest type that holds them; the largest value of that type then means "no arc".
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from ..formats.io.archive import read_arrays, write_arrays
from ..formats.io.files import Source, open_sink
from ..graph import Graph
from ..graph.blocks import record_type
from ..graph.rows import reverse_rows
from ..graph.stored import StoredGraph
from ..graph.vertices import Vertices
from .build import Clock, Hierarchy
from .core import ClosedCore, Core
from .eliminate import Structure
from .layout import SweepLayout, lane_type, lay_out
from .shortcuts import IN, OUT, WHOLE_INFINITY, Shortcuts, infinity_of, weights_of

MARK = "nearfar_prepared"  # the key whose value is the version; the first in the file
VERSION = 2  # 2: "places" became "ranks"
_ADVICE = "Prepare the graph and save it again."

Arrays = dict[str, np.ndarray]


def write_hierarchy(graph: Graph, hierarchy: Hierarchy, path: Any, labelled: bool = False) -> None:
    """Write a hierarchy to a file, which appears whole or not at all.

    Parameters
    ----------
    graph : Graph
        The graph that was prepared; the file can be loaded with no other.
    hierarchy : Hierarchy
    path : path or open binary file
    labelled : bool
        Whether it has labels. They are not written: to make them again is faster than to read them.
    """
    structure, shortcuts, core = hierarchy.structure, hierarchy.shortcuts, hierarchy.core
    parts: dict[str, Any] = {
        MARK: np.int64(VERSION), "fingerprint": fingerprint_of(graph), "core": np.int64(structure.core),
        "by_rows": np.bool_(hierarchy.by_rows), "ranks": structure.ranks,
        "degrees": _narrow(np.diff(structure.up)), "heads": structure.heads, "keep": shortcuts.keep,
        "outs": _narrow(shortcuts.outs),
    }  # fmt: skip
    if structure.order != "degree":
        parts["order"] = np.frombuffer(structure.order.encode(), np.uint8)
    if labelled:
        parts["labelled"] = np.bool_(True)
    if not shortcuts.symmetric:
        parts["ins"] = _narrow(shortcuts.ins)
    if hierarchy.pruned:
        left = hierarchy.graph
        parts |= {"left_offsets": left.offsets, "left_heads": left.heads}
        parts |= {} if left.weights is None else {"left_weights": left.weights}
    if isinstance(core, ClosedCore):
        parts |= {"core_arcs": np.int64(len(core.heads)), "core_matrix": core.matrix}
    elif core is not None:
        parts |= {"core_offsets": core.offsets, "core_heads": core.heads, "core_weights": core.weights}
    arrays = {key: np.ascontiguousarray(part).reshape(np.shape(part)) for key, part in parts.items()}
    with open_sink(path) as sink:
        write_arrays(sink, {**arrays, "digest": _digest(arrays)})


def read_hierarchy(graph: Graph, path: Any) -> tuple[Hierarchy, bool]:
    """Read the hierarchy of a graph from a file that `write_hierarchy` wrote; return it, and whether it had labels.

    Parameters
    ----------
    graph : Graph
        The graph that was prepared; its vertices may have other names now.
    path : path or open binary file
    """
    clock = Clock()
    with Source(path) as source:
        arrays = read_arrays(source)
        _check_mark(source, graph, arrays)
        structure = _structure(source, graph, arrays)
        shortcuts = _shortcuts(source, graph, arrays, len(structure.heads))
        left = _left(source, graph, arrays)
        clock.lap("read")
        dtype, bounds = lane_type(structure, shortcuts)
        layout = lay_out(structure, shortcuts, bounds, dtype)
        clock.lap("lay out")
        core = _core(source, arrays, layout) if structure.core else None
        by_rows = bool(_take(source, arrays, "by_rows", 0, np.bool_))
        labelled = "labelled" in arrays and bool(_take(source, arrays, "labelled", 0, np.bool_))
    hierarchy = Hierarchy(
        left or graph, structure, shortcuts, layout, core, bounds[1], pruned=left is not None, by_rows=by_rows,
        seconds=clock.laps,
    )  # fmt: skip
    return hierarchy, labelled


def fingerprint_of(graph: Graph) -> np.ndarray:
    """Return 32 bytes that no other graph has: a digest of vertices, arcs and weights, not of names."""
    if isinstance(graph, StoredGraph):
        return np.frombuffer(graph.fingerprint, np.uint8)  # which is the same: formats/folder/writing.py
    return _digest({"n": np.array(graph.n), "offsets": graph.offsets, "arcs": graph.arcs})


def _digest(arrays: Arrays) -> np.ndarray:
    """Return the SHA-256 of arrays, their names, types and shapes."""
    digest = hashlib.sha256()
    for key, array in arrays.items():
        digest.update(f"{key} {array.dtype.descr} {array.shape} ".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return np.frombuffer(digest.digest(), np.uint8)


def _narrow(values: np.ndarray) -> np.ndarray:
    """Return integers in the smallest type that holds them, whose maximum means "no arc"; floats as they are."""
    if values.dtype.kind == "f":
        return values
    there = values < infinity_of(values.dtype)
    low, high = (int(find(values, where=there, initial=0)) for find in (np.min, np.max))
    for dtype in (np.int8, np.int16, np.int32):
        ends = np.iinfo(dtype)
        if ends.min <= low and high < ends.max:
            return np.where(there, values, ends.max).astype(dtype)
    return values


def _widened(values: np.ndarray) -> np.ndarray:
    """Undo `_narrow`."""
    if values.dtype.kind == "f" or values.dtype == np.int64:
        return values
    return np.where(values < np.iinfo(values.dtype).max, values, np.int64(WHOLE_INFINITY))


def _check_mark(source: Source, graph: Graph, arrays: Arrays) -> None:
    """Refuse a file that is no prepared graph, has another version, is damaged, or belongs to another graph."""
    if MARK not in arrays:
        raise source.error(
            "it is an archive of arrays, but not of a prepared graph. Give a file that Prepared.save wrote; "
            "nearfar.read reads graphs."
        )
    mark = arrays[MARK]
    if mark.shape != () or mark.dtype.kind not in "iu" or mark != VERSION:
        raise source.error(
            f"it is a prepared graph of version {mark.tolist()!r:.40}, but version {VERSION} is read here. {_ADVICE}"
        )
    digest = arrays.pop("digest", None)
    if digest is None or not np.array_equal(digest, _digest(arrays)):
        raise source.error(f"the prepared graph is damaged: its digest is wrong. {_ADVICE}")
    if not np.array_equal(_take(source, arrays, "fingerprint", 1, np.uint8), fingerprint_of(graph)):
        raise source.error(
            f"it was prepared from another graph than the one given, which has {graph.n} vertices and {graph.m} arcs: "
            f"vertices, arcs and weights must be the same. Give that graph, or prepare this one."
        )


def _damaged(source: Source, what: str) -> Exception:
    """Return the error for a file with a right digest, but content that makes no sense."""
    return source.error(f"{what}, which no prepared graph has. {_ADVICE}")


def _take(source: Source, arrays: Arrays, key: str, ndim: int, *dtypes: Any) -> np.ndarray:
    """Return an array of the file, of one of these types."""
    found = arrays.get(key)
    if found is None or found.ndim != ndim or found.dtype not in dtypes:
        what = "is missing" if found is None else f"is {found.dtype} of shape {found.shape}"
        raise _damaged(source, f"array {key} {what}")
    return found


_WHOLE = (np.int8, np.int16, np.int32, np.int64)


def _structure(source: Source, graph: Graph, arrays: Arrays) -> Structure:
    """Return the structure, checked; the parent of a vertex is the head of its last shortcut."""
    core = int(_take(source, arrays, "core", 0, np.int64))
    ranks, heads = (_take(source, arrays, key, 1, np.int32) for key in ("ranks", "heads"))
    degrees = _take(source, arrays, "degrees", 1, *_WHOLE)
    n = graph.n
    if not (len(ranks) == len(degrees) == n and 0 <= core <= n):
        raise _damaged(source, f"{len(ranks)} ranks, {len(degrees)} degrees and a core of {core} for {n} vertices")
    up = np.concatenate(([0], np.cumsum(degrees, dtype=np.int64)))
    if degrees.min(initial=0) < 0 or degrees.max(initial=0) >= max(n, 1) or up[-1] != len(heads):
        raise _damaged(source, f"{len(heads)} heads, but degrees that do not sum to this")
    parents = np.full(n, -1, np.int32)
    some = core + np.flatnonzero(degrees[core:])
    parents[some] = heads[up[some + 1] - 1]
    parents[parents < core] = -1
    structure = Structure(core, ranks, parents, up, heads, _order(source, arrays))
    _check_structure(source, structure)
    return structure


def _order(source: Source, arrays: Arrays) -> str:
    """Return by which rule vertices were eliminated."""
    if "order" not in arrays:
        return "degree"
    order = _take(source, arrays, "order", 1, np.uint8).tobytes()
    if order != b"dissection":
        raise _damaged(source, f"order {order[:40]!r}")
    return "dissection"


def _check_structure(source: Source, structure: Structure) -> None:
    """Refuse a structure that would lead a kernel out of its arrays.

    What is checked: ranks are a permutation; heads ascend and are smaller than the rank of their vertex, so parents are
    smaller too; ranks are a preorder of the tree; heads are ancestors or belong to the core. From this it follows that
    every arc of a layout leads to a top or stays in its unit, which is what the sweep relies on.
    """
    from ..kernels.cpu.schedule import measure_trees

    n, ranks, parents, heads = structure.n, structure.ranks, structure.parents, structure.heads
    if n and (ranks.min() < 0 or ranks.max() >= n or np.bincount(ranks, minlength=n).max() > 1):
        raise _damaged(source, "ranks are not those of a permutation")
    owners = np.repeat(np.arange(n, dtype=np.int32), np.diff(structure.up))
    falls = (heads[1:] <= heads[:-1]) & (owners[1:] == owners[:-1])
    if heads.min(initial=0) < 0 or (heads >= owners).any() or falls.any():
        raise _damaged(source, "heads are out of order")
    size, *room = (np.empty(n, np.int32) for _ in range(3))
    measure_trees(parents, size, *room)
    ends = np.arange(n) + size
    under = parents >= 0
    inside = (heads < structure.core) | (owners < ends[heads])
    if (ends[under] > ends[parents[under]]).any() or not inside.all():
        raise _damaged(source, "the elimination tree is mixed up")


def _shortcuts(source: Source, graph: Graph, arrays: Arrays, count: int) -> Shortcuts:
    """Return the weights of the shortcuts, checked."""
    kind = weights_of(graph).dtype
    dtypes = _WHOLE if kind.kind == "i" else (kind,)
    outs = _widened(_take(source, arrays, "outs", 1, *dtypes))
    ins = _widened(_take(source, arrays, "ins", 1, *dtypes)) if "ins" in arrays else outs
    keep = _take(source, arrays, "keep", 1, np.uint8)
    if not len(outs) == len(ins) == len(keep) == count or (keep > (OUT | IN)).any():
        raise _damaged(source, f"{len(outs)} and {len(ins)} weights and {len(keep)} marks for {count} shortcuts")
    return Shortcuts(outs, ins, keep)


def _left(source: Source, graph: Graph, arrays: Arrays) -> Graph | None:
    """Return what pruning left of the graph, checked; None if nothing was pruned."""
    if "left_offsets" not in arrays:
        return None
    offsets = _take(source, arrays, "left_offsets", 1, graph.offsets.dtype)
    arcs = np.empty(len(_take(source, arrays, "left_heads", 1, np.int32)), graph.arcs.dtype)
    arcs["head"] = arrays["left_heads"]
    if graph.weight_dtype is not None:
        weights = _take(source, arrays, "left_weights", 1, graph.weight_dtype)
        if len(weights) != len(arcs):
            raise _damaged(source, f"{len(weights)} weights for {len(arcs)} arcs")
        arcs["weight"] = weights
    _check_rows(source, graph.n, offsets, arcs["head"])
    return Graph(offsets, arcs, Vertices(graph.n))


def _core(source: Source, arrays: Arrays, layout: SweepLayout) -> Core | ClosedCore:
    """Return the core, checked."""
    if "core_matrix" in arrays:
        matrix = _take(source, arrays, "core_matrix", 2, layout.dtype)
        count = int(_take(source, arrays, "core_arcs", 0, np.int64))
        if matrix.shape != (layout.core, layout.core) or not 0 <= count <= matrix.size:
            raise _damaged(source, f"a matrix of shape {matrix.shape} and {count} arcs for a core of {layout.core}")
        heads = np.broadcast_to(np.int32(0), count)  # only their number is used
        return ClosedCore(np.ascontiguousarray(matrix), heads)
    offsets, heads = (_take(source, arrays, key, 1, np.int32) for key in ("core_offsets", "core_heads"))
    weights = _take(source, arrays, "core_weights", 1, layout.dtype)
    _check_rows(source, layout.core, offsets, heads)
    if len(weights) != len(heads):
        raise _damaged(source, f"{len(weights)} weights for {len(heads)} arcs of the core")
    arcs = np.empty(len(heads), record_type(weights.dtype))
    arcs["head"], arcs["weight"] = heads, weights
    in_offsets, reversed_arcs = reverse_rows(offsets, arcs)
    tails, in_weights = (np.ascontiguousarray(reversed_arcs[field]) for field in ("head", "weight"))
    return Core(offsets, heads, weights, in_offsets, tails, in_weights, layout.infinity)


def _check_rows(source: Source, n: int, offsets: np.ndarray, heads: np.ndarray) -> None:
    """Refuse rows of arcs that do not form a graph of n vertices."""
    whole = len(offsets) == n + 1 and offsets[0] == 0 and offsets[-1] == len(heads) and (np.diff(offsets) >= 0).all()
    if not whole or heads.min(initial=0) < 0 or heads.max(initial=-1) >= n:
        raise _damaged(source, f"{len(heads)} arcs whose rows do not form a graph of {n} vertices")
