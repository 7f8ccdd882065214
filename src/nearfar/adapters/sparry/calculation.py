"""SParry's calc: shortest paths from one source, from several, or from all vertices.

SParry chose one of 27 programs by method, number of sources and device. Here, all go to nearfar's queries; what was
tuned by hand (thread blocks, processes, divided graphs) is planned by them.
"""
# ruff: noqa: N803 (SParry's names)

from __future__ import annotations

import numbers
import os
import time
from typing import Any

import numpy as np

from ...api import apsp, mssp, sssp
from ...engine.options import Options
from ...errors import InputTypeError, OptionError
from ...methods import ALIASES
from ...results import Distances
from .device import first_gpu
from .graph import Graph, take_method
from .reading import read
from .result import Result

KINDS = ("CSR", "matrix", "edgeSet")  # values of graphType


def calc(
    graph: Any = None,
    useCUDA: bool | None = None,
    useMultiPro: bool = False,
    pathRecordBool: bool = False,
    srclist: Any = None,
    block: tuple[int, int, int] | None = None,
    grid: tuple[int, int] | None = None,
    namename: Any = None,
    *,
    graphType: str | None = None,
    method: str | None = None,
    directed: bool = False,
    device: str | None = None,
    threads: int | None = None,
) -> Result:
    """Return the shortest distances from one source, several, or all vertices.

    Parameters
    ----------
    graph : Graph
        Made by `read`. As in early versions of SParry, also the name of a file, or arrays of the kind ``graphType``.
    useCUDA : bool, optional
        True: run on a GPU, the first CUDA device or else the first GPU with OpenCL; it is an error if there is none.
        False: run on the CPU. If it is left out, the faster of them is taken. (SParry's default was True, and an error
        without CUDA.)
    useMultiPro : bool
        Whether to use several processes. All cores are used in either case here, by threads; see ``threads``.
    pathRecordBool : bool
        Whether to compute the predecessors, ``path``, at once.
    srclist : int, list or None
        A source; several, whose rows follow each other in ``dist``; or None for all vertices.
    block, grid : tuple
        The shape of CUDA's thread blocks. They are checked, but launches are planned for the device.
    namename
        Ignored, as in SParry.
    graphType : str
        "CSR", "matrix" or "edgeSet", if the graph is given as arrays; "CSR" by default.
    method : str
        The method to use instead of that of the graph.
    directed : bool
        Whether the lines of a file are arcs, if the graph is given by its name.
    device : str
        A device of nearfar, such as "opencl:1", instead of ``useCUDA``.
    threads : int
        The number of threads on the CPU; all cores by default.

    Examples
    --------
    >>> from nearfar.adapters.sparry import calc, read
    >>> graph = read(matrix=[[0, 1, 2, 3], [1, 0, 2, 3], [2, 2, 0, 4], [3, 3, 4, 0]])
    >>> result = calc(graph=graph, srclist=[0, 2], pathRecordBool=True)
    >>> result.dist
    array([0, 1, 2, 3, 2, 2, 0, 4], dtype=int32)
    >>> result.path
    array([-1,  0,  0,  0,  2,  2, -1,  2])
    """
    multi, record = _flag(useMultiPro, "useMultiPro"), _flag(pathRecordBool, "pathRecordBool")
    del multi, namename  # they change nothing
    _check_shape(block, 3, "block")
    _check_shape(grid, 2, "grid")
    taken = _take_graph(graph, graphType, directed, method)
    options = _options(taken, method, _take_device(useCUDA, device), threads)
    start = time.perf_counter()
    found = _solve(taken, srclist, options)
    result = Result(found, taken, time.perf_counter() - start)
    if record:
        result.calcPath()
    return result


def _take_graph(graph: Any, kind: str | None, directed: Any, method: str | None) -> Graph:
    """Return the graph; read it first if it is a file or arrays, as early versions of SParry did."""
    if kind is not None and kind not in KINDS:
        raise OptionError(f"graphType is {kind!r}; give one of {', '.join(map(repr, KINDS))}.")
    if isinstance(graph, Graph):
        if kind is not None:
            raise OptionError(f"graphType is {kind!r}, but the graph was read before; leave graphType out.")
        return graph
    name = "dij" if method is None else method
    if isinstance(graph, str | os.PathLike):
        return read(filename=graph, method=name, directed=directed)
    if isinstance(graph, list | tuple | np.ndarray):
        given: dict[str, Any] = {kind or "CSR": graph}
        return read(method=name, **given)
    raise InputTypeError(
        f"graph is {graph!r:.60}, a {type(graph).__name__}; give what read(...) returns, such as "
        "read(edgeSet=(src, des, w), method='dij')."
    )


def _take_device(cuda: Any, device: str | None) -> str:
    """Return the device to run on, by nearfar's name."""
    if isinstance(cuda, str):
        raise InputTypeError(
            f"useCUDA is {cuda!r}; give True, False, or leave it out. Early versions of SParry had other parameters "
            "there: give graphType= and method= by name."
        )
    if device is not None:
        if cuda is not None:
            raise OptionError(f"both useCUDA={cuda!r} and device={device!r} are given; give one of them.")
        return device
    if cuda is None:
        return "auto"
    return first_gpu().name if _flag(cuda, "useCUDA") else "cpu"


def _options(graph: Graph, method: str | None, device: str, threads: int | None) -> Options:
    """Return the options of the query."""
    name = take_method(graph.method if method is None else method)
    name = ALIASES.get(name, name)
    if name == "dijkstra" and device not in ("auto", "cpu"):
        name = "frontier"  # what SParry's programs for GPUs called Dijkstra: all vertices that changed relax their arcs
    options: Options = {"method": name, "device": device, "threads": threads}
    if name == "delta":
        options["delta"] = graph.delta
    return options


def _solve(graph: Graph, sources: Any, options: Options) -> Distances:
    """Run the query that the sources ask for."""
    if sources is None:
        return apsp(graph.to_nearfar(), **options)
    if isinstance(sources, np.ndarray) and sources.ndim == 0:
        sources = sources.item()
    if isinstance(sources, numbers.Integral):
        return sssp(graph.to_nearfar(), sources, **options)
    if isinstance(sources, list | tuple | range | np.ndarray):
        return mssp(graph.to_nearfar(), sources, **options)
    raise InputTypeError(
        f"srclist is {sources!r:.60}, a {type(sources).__name__}; give a vertex, a list of vertices, or None for all."
    )


def _flag(value: Any, name: str) -> bool:
    """Return a bool; 0 and 1 are taken for False and True, as SParry does."""
    if isinstance(value, bool | np.bool_) or (isinstance(value, numbers.Integral) and value in (0, 1)):
        return bool(value)
    raise InputTypeError(f"{name} is {value!r:.60}, a {type(value).__name__}; give True or False.")


def _check_shape(shape: Any, length: int, name: str) -> None:
    """Refuse a shape of thread blocks that CUDA would refuse, too."""
    if shape is None:
        return
    whole = isinstance(shape, tuple | list) and all(isinstance(size, int | np.integer) and size > 0 for size in shape)
    if not whole or len(shape) != length:
        raise OptionError(
            f"{name} is {shape!r:.60}; it is a tuple of {length} positive numbers. Leave it out: launches are planned."
        )
