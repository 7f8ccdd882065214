"""Edge lists larger than memory become graphs in folders: `convert`.

The input is read once, and its arcs are spooled to segments (segments.py), while the vertices are found (naming.py).
The segments are then sorted into rows through buckets (sorting.py), and the folder is finished and renamed. A folder
beside the target keeps what is done, with a journal, so that the same call goes on after any end.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from ..description import format_bytes
from ..errors import FileError, FormatError, MemoryLimitError, NearfarError, OptionError, option
from ..formats import read
from ..formats.folder import DOCUMENT, ENDING, REVERSED, check_target, finish_folder, is_folder_name, replace_folder
from ..formats.folder import write_graph as write_folder
from ..formats.io.whole import cannot_write
from ..formats.streams import ArcBlock
from ..graph import TurnGraph
from ..graph.arrays import Array
from ..graph.input_rows import InputRows, row_type
from ..graph.rows import forgotten
from ..progress import watching_bytes
from .identity import Identity
from .inputs import Facts, Inputs, Place, is_local_folder
from .journal import Entry, Journal
from .naming import Vertices
from .reversal import reversed_blocks
from .room import Room, take_room
from .segments import Segments, Summary
from .sorting import Shape, Sorter

EXISTING = ("resume", "restart")
ARC_BYTES = 150  # of an arc in all buffers while it is spooled, with the widest types
WHOLE = 6, 30  # bytes of memory per byte of a file, plain or compressed, that is read whole; text has the least arcs


def convert(
    source: Any,
    folder: Any,
    memory: float | str | None = None,
    progress: Any = None,
    *,
    reversed: bool = False,
    keep_rows: bool = True,
    existing: str = "resume",
    format: str | None = None,
    **options: Any,
) -> None:
    r"""Convert an edge list, however large, to a graph in a folder, for `Graph.open`.

    The graph is the one that `read` gives, with the same names, indices and rows, but arcs are never in memory: they
    pass through files beside the folder. Stopped at any moment, the same call goes on.

    Parameters
    ----------
    source : str, Path or open binary file
        What `read` takes, or a folder of files of one kind (a Parquet dataset, say), whose arcs follow each other in
        the order of the files' names. Edge lists, DIMACS, PACE, SParry, Parquet and Arrow files are read in pieces;
        others must fit the memory.
    folder : str or Path
        A name that ends in .nearfar. A graph that is there is replaced when the new one is whole.
    memory : int or str, optional
        The memory that may be used, in bytes or like "2GB"; half of what is free by default. The interpreter, Numba
        and pyarrow come beside it.
    progress : bool or function, optional
        Whether to show a bar; by default at a terminal, for files over 100 MB. A function is called with bytes done and
        all bytes: every byte of the input counts twice, when it is read and when its arcs are sorted.
    reversed : bool
        Whether to write the reversed graph, too, for queries with ``direction="to"``.
    keep_rows : bool
        Whether arcs remember their place among the arcs of the input: see `Graph.rows`.
    existing : {"resume", "restart"}
        Whether to go on with a conversion that was stopped, or to begin anew.
    format : str, optional
        A name from ``nearfar.formats.FORMATS``.
    **options
        Options of the format, as for `read`.

    Raises
    ------
    MemoryLimitError
        The vertices and the smallest buffers do not fit the memory.
    FileError
        There is not enough room on the disk, or the input was changed since the conversion began.

    Examples
    --------
    >>> import nearfar, pathlib, tempfile
    >>> place = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (place / "rails.csv").write_text("from,to,km\nUlm,Bonn,390\nBonn,Kiel,530\n")
    >>> nearfar.convert(place / "rails.csv", place / "rails.nearfar", memory="100MB")
    >>> nearfar.distance(nearfar.Graph.open(place / "rails.nearfar"), "Ulm", "Kiel")
    920
    """
    _check(folder, existing)
    room, target = take_room(memory), Path(os.path.abspath(os.fspath(folder).rstrip("/")))
    check_target(target)
    inputs = None if _is_graph(source) else Inputs(source, format, options)
    if inputs is None or not _can_stream(inputs):
        _convert_whole(source, target, room, progress, reversed, {"keep_rows": keep_rows, "format": format} | options)
        return
    try:
        with watching_bytes(progress, "converting") as watch:
            _Conversion(inputs, target, room, reversed, keep_rows, _telling(inputs, watch)).run(existing)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise cannot_write(target, error) from error


def work_folder(folder: Any) -> Path:
    """Return the folder that keeps what is done of a conversion."""
    target = Path(os.path.abspath(os.fspath(folder).rstrip("/")))
    return target.parent / f".{target.name}.convert"


def _check(folder: Any, existing: Any) -> None:
    """Refuse a name that is none of a folder with a graph, and a wrong choice."""
    if not is_folder_name(folder):
        raise OptionError(f"folder is {folder!r:.60}, but must end in {ENDING}. nearfar.write writes other files.")
    if existing not in EXISTING:
        raise OptionError(
            f"existing is {existing!r}; give one of {', '.join(map(repr, EXISTING))}: go on with a conversion that was "
            f"stopped, or begin anew."
        )


def _is_graph(source: Any) -> bool:
    """Tell whether a source is a graph in a folder."""
    return is_local_folder(source) and (Path(source) / DOCUMENT).exists()


def _can_stream(inputs: Inputs) -> bool:
    """Tell whether the format of the first file can be read in blocks; a pipe is not looked at twice."""
    if not isinstance(inputs.files[0], str | os.PathLike) or os.fspath(inputs.files[0]) == "-":
        return True
    with ExitStack() as stack:
        return inputs.open(0, stack) is not None


def _convert_whole(source: Any, target: Path, room: Room, progress: Any, reversed: bool, options: Any) -> None:
    """Read a graph whole and write it, if it fits the memory."""
    needed = _whole_bytes(source)
    if needed > room.memory:
        raise MemoryLimitError(
            f"{source} can only be read whole, which may need {format_bytes(needed)}, but {format_bytes(room.memory)} "
            f"may be used. Give more with {option('memory')}, or convert it to an edge list, Parquet or DIMACS first: "
            f"these are read in pieces.",
            needed,
            room.memory,
        )
    graph = read(source, progress=progress, **options)
    if isinstance(graph, TurnGraph):
        raise OptionError("a folder holds no turns. Leave turns= out, and add them with Graph.with_turns.")
    write_folder(graph, target, reversed)


def _whole_bytes(source: Any) -> int:
    """Return about how many bytes of memory it takes to read a source whole."""
    if is_local_folder(source):
        return 4 * sum(path.stat().st_size for path in Path(source).glob("*.npy"))
    packed = os.fspath(source).endswith((".gz", ".xz", ".zst", ".bz2", ".zip", ".pbf"))
    return WHOLE[packed] * (os.path.getsize(source) if os.path.exists(source) else 0)


def _telling(inputs: Inputs, watch: Any) -> Callable[[float, float], None]:
    """Return a function of the share of the input that was read, and of the arcs that were sorted."""
    size = inputs.size

    def tell(read: float, sorted: float) -> None:
        if watch is not None:
            watch(int((read + sorted) * size) if size else int(read), 2 * size if size else None)

    return tell


class _Conversion:
    """One conversion.

    Parameters
    ----------
    inputs : Inputs
    target : Path
    room : Room
    reversed, keep_rows : bool
    tell : function
        Is told what share of the input was read, and what share of the arcs was sorted.
    """

    def __init__(
        self,
        inputs: Inputs,
        target: Path,
        room: Room,
        reversed: bool,
        keep_rows: bool,
        tell: Callable[[float, float], None],
    ) -> None:
        self.inputs, self.target, self.room, self.tell = inputs, target, room, tell
        self.reversed, self.keep_rows = reversed, keep_rows
        self.work = work_folder(target)
        self.made = self.work / "graph"

    def run(self, existing: str) -> None:
        """Do all that is not done yet."""
        if existing == "restart":
            shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(exist_ok=True)
        with Journal(self.work / "journal", str(self.target)) as self.journal:
            try:
                self._finish()
            except BaseException as error:
                if self._is_lost(error):
                    shutil.rmtree(self.work, ignore_errors=True)
                raise
        shutil.rmtree(self.work, ignore_errors=True)

    def _is_lost(self, error: BaseException) -> bool:
        """Tell whether nobody can go on with what is done: the input is wrong or gone, or nothing is done."""
        if isinstance(error, FormatError) or not self.inputs.can_go_on:
            return True
        return isinstance(error, NearfarError) and not self.journal.all("segment")

    def _finish(self) -> None:
        """Do all that is not done yet, in order."""
        self._begin()
        self.made.mkdir(exist_ok=True)
        if self.journal.last("vertices") is None:
            self._spool(*self._read())
        self._sort()
        replace_folder(self.made, self.target)

    def _begin(self) -> None:
        """Begin, or make sure that what is there belongs to the same input and options."""
        asked = {"format": self.inputs.format, "reversed": self.reversed, "keep_rows": self.keep_rows}
        options = {name: repr(value) for name, value in sorted(self.inputs.options.items())}
        state = {"version": 1, "inputs": self.inputs.state(), "asked": asked | options}
        before = self.journal.last("job")
        if before is not None and (not state["inputs"] or "version" not in before):
            before = None  # a pipe cannot be read on
        if before is None:
            self.journal.clear()
            self.journal.note(job=state)
        elif before != state:
            what = "the input was changed" if before["inputs"] != state["inputs"] else "the options are others"
            raise FileError(
                f"a conversion to {self.target} was stopped, but {what} since then, so it cannot go on. Begin it anew "
                f"with {option('existing', 'restart')}."
            )

    def _read(self) -> tuple[Segments, Vertices]:
        """Read what was not read yet into segments."""
        segments = Segments(self.work, self.journal, self.room.segment(ARC_BYTES))
        vertices = Vertices(self.inputs, self.room, self.work)
        self._take_up(segments, vertices)
        if self.journal.last("read"):
            return segments, vertices
        before: Future[None] | None = None
        with ThreadPoolExecutor(1) as pool:  # writes a segment while the next one is read
            for block, place in self._blocks(vertices):
                if segments.add(block):
                    if before is not None:
                        before.result()
                    before = pool.submit(self._write, segments, segments.take(), vertices, place, vertices.keep())
            if before is not None:
                before.result()
        if blocks := segments.take():
            self._write(segments, blocks, vertices, place, vertices.keep())
        self._note_facts()
        self.journal.note(read=True)
        return segments, vertices

    def _take_up(self, segments: Segments, vertices: Vertices) -> None:
        """Take up what was read before, or refuse an input for which the disk is too small."""
        if (facts := self.journal.last("facts")) is not None:
            self.inputs.facts = Facts(*facts)
            vertices.restore([entry["words"] for entry in self.journal.all("words")])
            for block in segments.read() if vertices.needs_ids else ():
                vertices.add([block])
        elif self.inputs.can_go_on and (count := self.inputs.count()) is not None:
            facts = self.inputs.facts
            assert facts is not None, "files were opened"
            weight = np.dtype(np.int32) if facts.weighted else None
            shape = Shape(facts.n or 1, count, weight, facts.undirected, self.keep_rows)
            self._require_disk(shape, 3 * 4 * count)

    def _blocks(self, vertices: Vertices) -> Iterator[tuple[ArcBlock, Place]]:
        """Yield what was not read yet."""
        start, size = self.journal.last("place") or (0, None), self.inputs.size or 1
        for block, place in self.inputs.blocks(tuple(start), vertices.words, lambda done: self.tell(done / size, 0)):
            self._note_facts()
            yield block, place

    def _note_facts(self) -> None:
        """Note what all files have in common, once."""
        if self.journal.last("facts") is None:
            if self.inputs.coordinates is not None:
                np.save(self.made / "coordinates.npy", self.inputs.coordinates)
            self.journal.note(facts=self.inputs.facts)

    def _write(
        self, segments: Segments, blocks: list[ArcBlock], vertices: Vertices, place: Place, words: Entry
    ) -> None:
        """Write a segment, and note where reading goes on behind it."""
        vertices.add(blocks)
        segments.write(blocks, place=place, **words)

    def _spool(self, segments: Segments, vertices: Vertices) -> None:
        """Move the arcs of all segments to buckets, now that vertices have indices."""
        found, identity, facts = segments.summary(), vertices.identity(), self.inputs.facts
        assert facts is not None, "files were opened"
        self.room.take(identity.nbytes, f"{identity.n:,} vertices")
        rows = self.keep_rows and (facts.undirected or found.drops or not found.ascending)
        shape = Shape(identity.n, found.total, found.weight, facts.undirected, rows)
        self._require_disk(shape, 0)
        vertices.write_names(identity, self.made)
        sorter = Sorter(shape, self.work, self.journal, "arcs")
        if not sorter.is_spooled:
            sorter.spool(_indexed(segments, found, identity, rows))
        weight = None if found.weight is None else found.weight.name
        self.journal.note(vertices=[shape.n, shape.total, weight, shape.both, rows], complete=not found.drops)
        segments.remove()

    def _sort(self) -> None:
        """Sort the arcs, and those of the reversed graph if it is wanted."""
        n, count, weight, both, rows = self.journal.last("vertices")
        shape = Shape(n, count, None if weight is None else np.dtype(weight), both, rows)
        twice = self.reversed and not both
        sorter = Sorter(shape, self.work, self.journal, "arcs")
        share = 1 / max(1, sorter.m * (1 + twice))
        sorter.sort(self.made, self.room, lambda done: self.tell(1, done * share))
        known = {"paired": both, "complete": self.journal.last("complete")}
        origin = InputRows(count, **known) if self.keep_rows else forgotten(sorter.m)
        if twice:
            self._reverse(shape._replace(rows=self.keep_rows), origin, share)
        finish_folder(self.made, both, origin)

    def _reverse(self, shape: Shape, origin: InputRows, share: float) -> None:
        """Write the reversed graph."""
        made = self.made / REVERSED
        made.mkdir(exist_ok=True)
        sorter = Sorter(shape, self.work, self.journal, "reversed")
        if not sorter.is_spooled:
            sorter.spool(reversed_blocks(self.made, self.room.segment(ARC_BYTES), self.keep_rows))
        sorter.sort(made, self.room, lambda done: self.tell(1, (sorter.m + done) * share))
        for path in [*self.made.glob("names*.npy"), *self.made.glob("coordinates.npy")]:
            shutil.copyfile(path, made / path.name)
        finish_folder(made, False, origin)

    def _require_disk(self, shape: Shape, more: int) -> None:
        """Refuse a conversion for which the disk is too small: all arcs in buckets, and once more."""
        arc, row = shape.words
        stored = shape.most * 4 * (arc + row) + 8 * shape.n
        needed = shape.most * shape.record + max(more, stored) + (stored if self.reversed and not shape.both else 0)
        free = shutil.disk_usage(self.target.parent).free
        if needed > free:
            raise FileError(
                f"{self.target} and the files on the way to it need {format_bytes(needed)} of the disk, but "
                f"{format_bytes(free)} are free. Make room, or name a folder on another disk."
            )


def _indexed(
    segments: Segments, found: Summary, identity: Identity, rows: bool
) -> Iterator[tuple[Array, Array, Array | None, Array | None]]:
    """Yield all arcs with the indices of their ends, without those of weight inf, and with their rows."""
    done = 0
    for tails, heads, weights in segments.read():
        origin = np.arange(done, done + len(tails), dtype=row_type(found.total)) if rows else None
        done += len(tails)
        if found.drops:
            assert weights is not None, "only weights are inf"
            kept = np.flatnonzero(weights != np.inf)
            tails, heads, weights = tails[kept], heads[kept], weights[kept]
            origin = None if origin is None else origin[kept]
        yield identity.find(tails), identity.find(heads), weights, origin
