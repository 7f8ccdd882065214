"""Write answers to files, by ending: .npy and .npz hold arrays, .csv and .parquet one line per reached pair.

A file appears as a whole or not at all. Arrays are in the order of vertex indices and refer to vertices by index; the
array ``vertices`` of an .npz file holds their names. Tables hold the names themselves.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import IO, TYPE_CHECKING

import numpy as np

from ..errors import DistanceOverflowError, FileError, OptionError
from ..formats.io.targets import check_writable
from ..formats.io.whole import whole_file
from ..results import Distances, KNearest, Nearest, Table
from .labels import vertices_of
from .lines import Answer, Listed, answer_lines, facts_of, link_of
from .sheets import SHEETS, open_sheet, require_arrow

if TYPE_CHECKING:
    from ..engine.planner import Plan

STORE = ".zarr"  # the ending of the name of a stored matrix


def check_path(path: str, stores: bool = True) -> None:
    """Refuse an output file that cannot be written, before anything is computed; ``stores``: it may be a store."""
    if path == "-":
        return
    if is_store(path) and stores:
        if "://" not in path:
            check_writable(path.rstrip("/"), folder=True)
        return
    if ending_of(path) is None:
        raise OptionError(
            f"the name of '{path}' should end in one of {', '.join(SAVERS)}{f' or {STORE}' if stores else ''}; '-' "
            "writes csv to standard output."
        )
    check_writable(path)
    if ending_of(path) == ".parquet":
        require_arrow("writing")


def is_store(path: str | None) -> bool:
    """Tell whether this is the name of a stored matrix."""
    return path is not None and path.rstrip("/").lower().endswith(STORE)


def ending_of(path: str) -> str | None:
    """Return the ending of a path if it is a known one, else None."""
    return next((ending for ending in SAVERS if path.lower().endswith(ending)), None)


def save(answer: Listed, path: str, predecessors: bool) -> None:
    """Write an answer to a file of the kind that its ending names."""
    if _has_starts(answer) and ending_of(path) != ".npz":
        raise OptionError(
            f"'{path}' cannot hold the starting distances of this answer, without which nobody could prove it. Use a "
            "file whose name ends in .npz."
        )
    if path == "-":
        SAVERS[".csv"](answer, sys.stdout.buffer, predecessors)
        sys.stdout.buffer.flush()
        return
    ending = ending_of(path)
    assert ending is not None  # checked when the options were read
    with whole_file(path) as file:
        SAVERS[ending](answer, file, predecessors)


def solve_to_file(query: Callable[..., Distances], plan: Plan, path: str) -> Distances:
    """Solve directly into a .npy file, so that the matrix may be larger than memory.

    ``query`` is a function of ``out``. If a distance does not fit the narrow type, the query runs again with the wider
    one, as it would in memory.
    """
    types = [dtype for dtype in (plan.dtype, plan.wider) if dtype is not None]
    with whole_file(path) as file:
        for dtype in types:
            rows = _mapped(file, dtype, (plan.rows, plan.n), path)
            try:
                result = query(out=rows)
                break
            except DistanceOverflowError:
                if dtype == types[-1]:
                    raise
        rows.flush()
    return result


def _mapped(file: IO[bytes], dtype: np.dtype, shape: tuple[int, int], path: str) -> np.memmap:
    """Return the array inside a new .npy file. Its disk space is reserved first: a full disk would kill us later."""
    file.seek(0)
    file.truncate()
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_2_0(file, header)
    file.flush()
    start, size = file.tell(), shape[0] * shape[1] * dtype.itemsize
    try:
        if hasattr(os, "posix_fallocate") and size:
            os.posix_fallocate(file.fileno(), start, size)
    except OSError as error:
        raise FileError(
            f"{path} cannot be written: {size:,} bytes are needed. {error.strerror}. Write to another disk."
        ) from error
    return np.memmap(file, dtype, "r+", start, shape)


def _host_dist(answer: Answer) -> np.ndarray:
    """Return the distances, copied from a GPU if they stayed there."""
    return answer.host_dist if isinstance(answer, Distances) else answer.dist


def _save_npy(answer: Answer, file: IO[bytes], predecessors: bool) -> None:
    """Write only the distances."""
    np.lib.format.write_array(file, np.ascontiguousarray(_host_dist(answer)), allow_pickle=False)


def _save_npz(answer: Answer, file: IO[bytes], predecessors: bool) -> None:
    """Write the distances and everything that is needed to read and to prove them."""
    distances = answer.distances if isinstance(answer, Nearest) else answer
    seeds = None if isinstance(distances, KNearest) else distances.seeds
    sources = answer.source_indices if seeds is None else seeds
    arrays = {"dist": _host_dist(answer), "sources": sources, "vertices": vertices_of(answer.graph)}
    if not isinstance(answer, Distances):
        arrays["source"] = answer.source
    if not isinstance(distances, KNearest) and _has_starts(answer):
        arrays["starts"] = distances.starts_of(0)
    for name in ("cutoff", "targets"):
        if getattr(distances, name, None) is not None:
            arrays[name] = np.asarray(getattr(distances, name))
    if not isinstance(distances, KNearest) and distances.rounded:
        arrays["rounded"] = np.asarray(True)
    if distances.direction == "to":
        arrays["direction"] = np.asarray("to")
    if predecessors and not isinstance(answer, KNearest):
        arrays[f"{link_of(answer.direction)}s"] = answer.towards_sources
    np.savez(file, **arrays)  # type: ignore[arg-type]


def _distances(answer: Distances | Nearest | Table) -> Distances | Table:
    """Return the rows behind an answer."""
    return answer.distances if isinstance(answer, Nearest) else answer


def _has_starts(answer: Listed) -> bool:
    """Tell whether an answer was given starting distances; only a nearest answer has several sources without them."""
    if isinstance(answer, KNearest):
        return False
    distances = _distances(answer)
    return distances.starts is not None or (distances.seeds is not None and not isinstance(answer, Nearest))


def _save_lines(ending: str) -> Callable[..., None]:
    """Return what writes a table of this kind: one line per reached pair."""

    def save_lines(answer: Listed, file: IO[bytes], predecessors: bool) -> None:
        found = answer.distances if isinstance(answer, Nearest) else answer
        rounded = not isinstance(found, KNearest) and found.rounded
        facts = facts_of(answer.direction, found.cutoff, answer.dist.dtype, rounded)
        with open_sheet(file, ending, facts) as sheet:
            for columns, ends in answer_lines(answer, predecessors):
                sheet.write(columns, ends)

    return save_lines


SAVERS: dict[str, Callable[..., None]] = {
    ".npy": _save_npy,
    ".npz": _save_npz,
    **{ending: _save_lines(ending) for ending in SHEETS},
}
