"""The way from a query to a store: ``apsp(graph, out="d.zarr")``."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ...engine.query import PreparedGraph, check
from ...errors import OptionError, in_python, option
from ...graph import Graph
from ..hands import HERE, Hands
from ..writing import STORE, is_store
from .places import is_bucket
from .reader import Matrix
from .writer import EXISTING, write_matrix


def is_place(out: Any) -> bool:
    """Tell whether ``out`` names a store: a path, an address, a mapper of fsspec, or a store of obstore."""
    return isinstance(out, str | os.PathLike) or (hasattr(out, "fs") and hasattr(out, "root")) or is_bucket(out)


def no_place(existing: str, join: bool) -> None:
    """Refuse what only stores know."""
    if existing != EXISTING[0] or join:
        what = option("join") if join else option("existing", existing)
        raise OptionError(f"{what} is for stores; name one: {option('out', 'd.zarr')}.")


def solve_to_place(
    graph: Graph | PreparedGraph,
    sources: np.ndarray,
    targets: np.ndarray | None,
    direction: str,
    existing: str,
    join: bool,
    options: Any,
    hands: Hands = HERE,
) -> Matrix:
    """Write the distances from some vertices to all, or to some, and open what was written."""
    options = dict(options)
    out = options.pop("out")
    check_name(out)
    query = check(graph, sources, direction=direction, **options)
    return write_matrix(query, out, targets, existing, join, hands)


def check_name(out: Any) -> None:
    """Refuse the name of something else."""
    if isinstance(out, str | os.PathLike) and not is_store(os.fspath(out)):
        raise OptionError(
            f"out is '{os.fspath(out)}'; the name of a store ends in {STORE}, that of a table in .csv, .csv.gz or "
            + ".parquet"
            + in_python(". For a .npy file, give out=numpy.lib.format.open_memmap(...)")
            + "."
        )
