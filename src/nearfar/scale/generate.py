"""Generated graphs that go straight to disk: the doors that `nearfar.generate` opens for ``out=``."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import OptionError
from ..formats.folder import (
    ENDING,
    PART,
    begin_folder,
    check_target,
    finish_folder,
    is_folder_name,
    name_aside,
    open_graph,
    replace_folder,
)
from ..formats.io.whole import cannot_write
from ..graph.input_rows import InputRows
from ..graph.stored import StoredGraph
from .rmat import RMat, Writer
from .road_grid import RoadGrid
from .road_grid import Writer as GridWriter
from .room import take_room


def rmat(asked: dict[str, Any], rng: np.random.Generator, out: Any, memory: Any) -> StoredGraph:
    """Generate an R-MAT graph in a folder."""
    room, wanted = take_room(memory), RMat(**asked)

    def make(made: Path) -> tuple[bool, InputRows]:
        writer = Writer(wanted, rng, made, room)
        writer.draw()
        return wanted.undirected, writer.write()

    return _in_folder(out, make)


def road_grid(asked: dict[str, Any], rng: np.random.Generator, out: Any, memory: Any) -> StoredGraph:
    """Generate a road-like grid in a folder."""
    room, wanted = take_room(memory), RoadGrid(**asked)
    return _in_folder(out, lambda made: (True, GridWriter(wanted, rng, made, room).write()))


def _in_folder(out: Any, make: Callable[[Path], tuple[bool, InputRows]]) -> StoredGraph:
    """Let a graph be made in a folder beside the target, and rename it when it is whole."""
    if not is_folder_name(out):
        raise OptionError(f"out is {out!r:.60}, but must end in {ENDING}. nearfar.write writes other files.")
    target = Path(os.path.abspath(os.fspath(out).rstrip("/")))
    check_target(target)
    made = name_aside(target, PART)
    try:
        begin_folder(target)
        finish_folder(made, *make(made))
        replace_folder(made, target)
    except OSError as error:
        raise cannot_write(target, error) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return open_graph(target)
