"""Graphs in files: `read`, `write`, and the table FORMATS.

A format is one module with a record (`Format`) at its end, and one line in the table. The format of a file is
recognised by its content if that is unambiguous, else by its name. What formats share:

    io/           bytes: Source and Sink, locations, compression, complete files, .npz archives
    text/         text: the compiled parser and its line layouts, guesses about edge lists, lines of arcs
    format        the record of a format; losses.py: what a format cannot hold
    streams       arcs in blocks, for conversion beyond memory
    pieces        arcs, collected block by block until they become a graph
    labels        the names of vertices as columns to write
    coordinates   coordinates of vertices from a separate file

Some modules belong to one or two formats: arc_arrays and sparse_arrays (npz), columns (table),
profiles, signs and pbf (osm).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, overload

from ..errors import InputTypeError, OptionError, option
from ..progress import watching_bytes
from . import (
    cedge,
    dimacs,
    edges,
    graphml,
    hgt,
    matrix_market,
    metis,
    movingai,
    npz,
    osm,
    pace,
    princeton,
    scipy_npz,
    sparry,
    table,
    tntp,
)
from .folder import is_folder, is_folder_name, open_graph, write_graph
from .format import Format
from .io.compression import without_ending
from .io.files import Sink, Source, open_sink
from .io.library import blaming
from .losses import changes, check_loss, without_lost_cells
from .streams import ArcStream, without_weights
from .text.reader import BOM

if TYPE_CHECKING:
    from ..graph import Graph, TurnGraph

__all__ = ["FORMATS", "Format", "format_of", "left_out", "read", "write"]

# The order decides between formats that share an ending or could both match; edge lists, which match many files, come
# last.
FORMATS: dict[str, Format] = {
    record.name: record
    for record in (
        npz.FORMAT,
        scipy_npz.FORMAT,
        dimacs.FORMAT,
        dimacs.COORDINATES,
        pace.FORMAT,
        matrix_market.FORMAT,
        metis.FORMAT,
        table.PARQUET,
        table.ARROW,
        graphml.FORMAT,
        tntp.FORMAT,
        tntp.NODES,
        movingai.FORMAT,
        osm.FORMAT,
        hgt.FORMAT,
        princeton.FORMAT,
        cedge.FORMAT,
        cedge.NODES,
        sparry.FORMAT,
        edges.FORMAT,
    )
}


@overload
def read(
    path: Any,
    *,
    turns: Literal[True] | Callable[[Any], Any],
    format: str | None = None,
    progress: Any = None,
    **options: Any,
) -> TurnGraph: ...
@overload
def read(
    path: Any, *, format: str | None = None, progress: Any = None, keep_rows: bool = True, **options: Any
) -> Graph: ...
def read(
    path: Any, *, format: str | None = None, progress: Any = None, keep_rows: bool = True, **options: Any
) -> Graph | TurnGraph:
    r"""Read a graph from a file.

    Parameters
    ----------
    path : str, Path or open binary file
        A file, "-" for standard input, or a URL that fsspec opens. Compressed files (.gz, .xz, .zst, .bz2) are
        recognised by their content. A folder is opened, as `Graph.open` does it.
    format : str, optional
        A name from ``nearfar.formats.FORMATS``; by default it is recognised by content and name.
    progress : bool or function, optional
        Whether to show a bar on standard error; by default only at a terminal, for files over 100 MB. A function is
        called with the bytes read and the size of the file (None if it is unknown).
    keep_rows : bool
        Whether arcs remember their place among the arcs of the file, counted from 0: see `Graph.rows`.
    **options
        Options of the format: see docs/formats.md, or ``FORMATS[name].read_options``. ``weight=False`` ignores the
        weights in any format, and ``names=False`` the names: vertices are then called by their indices, from 0.
        ``turns=True`` reads the turn restrictions of OpenStreetMap files.

    Returns
    -------
    Graph
        Its vertices have the names that the file gives them (they count from 1 if the format does), unless
        ``names=False`` is given. With ``turns`` it is a `TurnGraph`.

    Raises
    ------
    FormatError
        The content is wrong; the message names the line and what to do. Never a half-read graph.
    FileError
        The file cannot be opened or read.

    Examples
    --------
    >>> import io, nearfar
    >>> g = nearfar.read(io.BytesIO(b"p sp 3 2\na 1 2 7\na 2 3 5\n"))
    >>> nearfar.distance(g, 1, 3)
    12
    >>> g
    Graph(n=3, m=2, int32 weights 5..7, names 1..3)
    >>> nearfar.read(io.BytesIO(b"p sp 3 2\na 1 2 7\na 2 3 5\n"), names=False)
    Graph(n=3, m=2, int32 weights 5..7)
    """
    chosen = None if format is None else _by_name(format)
    if chosen is None and is_folder(path):  # no format is that of a folder: a named one is not passed over
        return _from_folder(path, keep_rows, options)
    with watching_bytes(progress) as watch, Source(path, watch) as source:
        chosen = chosen or recognise(source)
        if chosen.read is None:
            raise OptionError(
                f"format {chosen.name!r} can only be written. Use {option('format')} if {source.name} has another."
            )
        taken, bare, nameless = _divided(chosen, options)
        with blaming(source):
            graph = chosen.read(source, **taken)
            _keep_turns(graph, bare, keep_rows)
            graph = _without_weights(graph) if bare else graph
            graph = graph.without_names() if nameless else graph
            return graph if keep_rows else graph.without_rows()


def _keep_turns(graph: Graph | TurnGraph, bare: bool, keep_rows: bool) -> None:
    """Refuse a graph with turns without weights, or without rows."""
    from ..graph import TurnGraph

    if isinstance(graph, TurnGraph) and (bare or not keep_rows):
        raise OptionError(
            f"a graph with turns has weights and rows. Leave turns= out, or "
            f"{option('weight', False) if bare else 'keep_rows=False'}."
        )


def _divided(chosen: Format, options: dict[str, Any]) -> tuple[dict[str, Any], bool, bool]:
    """Return the options that a format takes, and whether weights and names are dropped, which all formats can."""
    bare = options.get("weight") is False and "weight" not in chosen.read_options
    nameless = options.get("names") is False
    ours = {name for name, here in (("weight", bare), ("names", nameless)) if here}
    taken = {name: value for name, value in options.items() if name not in ours}
    _check_options(taken, chosen.read_options, f"reading the format {chosen.name!r}")
    return taken, bare, nameless


def open_stream(source: Source, format: str | None, options: dict[str, Any]) -> ArcStream | None:
    """Return the arcs of a file in blocks; None if its format cannot be read in blocks."""
    chosen = recognise(source) if format is None else _by_name(format)
    if chosen.stream is None:
        return None
    taken, bare, nameless = _divided(chosen, options)
    with blaming(source):
        found: ArcStream = chosen.stream(source, **taken)
    found = without_weights(found) if bare else found
    return replace(found, named=not nameless)


def _from_folder(path: Any, keep_rows: bool, options: dict[str, Any]) -> Graph:
    """Open the graph in a folder; without weights, names or rows it is a graph in memory."""
    _check_options({k: v for k, v in options.items() if k not in ("weight", "names")}, (), "reading a folder")
    for name in ("weight", "names"):
        if options.get(name) not in (None, False):
            raise OptionError(f"a folder has its own {name}s; leave {option(name)} out, or use {option(name, False)}.")
    graph: Graph = open_graph(path)
    graph = _without_weights(graph) if options.get("weight") is False else graph
    graph = graph.without_names() if options.get("names") is False else graph
    return graph if keep_rows else graph.without_rows()


def write(graph: Graph, path: Any, *, format: str | None = None, lossy: bool = False, **options: Any) -> None:
    r"""Write a graph to a file, which appears as a whole or not at all.

    Parameters
    ----------
    graph : Graph
    path : str, Path or open binary file
        Its ending names the format and the compression; "-" is standard output. A name that ends in .nearfar is a
        folder for `Graph.open`; with ``reversed=True`` it also holds the reversed graph.
    format : str, optional
        A name from ``nearfar.formats.FORMATS``, if the ending does not name the format.
    lossy : bool
        Write even if the format cannot hold the names, weights or directions; they are then lost. Coordinates, and
        vertices without arcs, are silently left out if the format cannot hold them.
    **options
        Options of the format.

    Examples
    --------
    >>> import io, nearfar
    >>> file = io.BytesIO()
    >>> nearfar.write(nearfar.Graph.from_arcs([0], [1], [7]), file, format="dimacs")
    >>> file.getvalue()
    b'p sp 2 1\na 1 2 7\n'
    """
    from ..graph import Graph

    if not isinstance(graph, Graph):
        raise InputTypeError(
            f"graph is a {type(graph).__name__}, not a nearfar.Graph. Make one, for example with Graph.from_arcs."
        )
    if format is None and is_folder_name(path):
        _check_options(options, ("reversed",), "writing a folder")
        write_graph(graph, path, **options)
        return
    chosen = _by_ending(path) if format is None else _by_name(format)
    if chosen.write is None:
        able = ", ".join(name for name, record in FORMATS.items() if record.write)
        raise OptionError(f"format {chosen.name!r} can only be read. Write one of {able}.")
    _check_options(options, chosen.write_options, f"writing the format {chosen.name!r}")
    if not lossy:
        check_loss(graph, chosen, [record for record in FORMATS.values() if record.write])
    with open_sink(path) as sink:
        _write(chosen, without_lost_cells(graph, chosen), sink, options)


def _without_weights(graph: Graph) -> Graph:
    """Return the same graph without weights."""
    return graph if graph.weights is None else graph.with_weights(None)


def format_of(path: Any) -> Format:
    r"""Return the format in which `read` would read a file.

    Examples
    --------
    >>> import io
    >>> from nearfar.formats import format_of
    >>> format_of(io.BytesIO(b"p sp 1 0\n")).name
    'dimacs'
    """
    with Source(path) as source:
        return recognise(source)


def left_out(graph: Graph, path: Any, format: str | None = None) -> list[str]:
    """Return in words what changes when a graph is written to ``path``.

    Examples
    --------
    >>> from nearfar import Graph
    >>> from nearfar.formats import left_out
    >>> left_out(Graph.from_arcs([0], [1], n=3), "graph.csv")
    ['1 vertex without arcs']
    >>> left_out(Graph.from_arcs([0], [1]), "graph.gr")
    ['the names of the vertices, which count from 1 there']
    """
    if format is None and is_folder_name(path):
        return []  # it holds everything
    chosen = _by_ending(path) if format is None else _by_name(format)
    return changes(graph, chosen)


def _write(chosen: Format, graph: Graph, sink: Sink, options: dict[str, Any]) -> None:
    """Write a graph in a format."""
    assert chosen.write is not None
    chosen.write(graph, sink, **options)


def recognise(source: Source) -> Format:
    """Return the format of a file: content and name together, else the content, else the name, else an edge list."""
    head = source.head().removeprefix(BOM)
    if not head:
        raise source.error("the file is empty, so there is no graph in it. Check how it was made.")
    named = _ending_with(source.plain_name)
    liked = [record for record in FORMATS.values() if record is not edges.FORMAT and record.matches(head)]
    for choice in ([record for record in named if record in liked], liked, named):
        if choice:
            return choice[0]
    if edges.FORMAT.matches(head):
        return edges.FORMAT
    raise source.error(
        f"the format is not recognised, neither by name nor by content. Use {option('format')} with one of "
        f"{', '.join(FORMATS)}."
    )


def _ending_with(name: str) -> list[Format]:
    """Return the formats with an ending of the name, longest endings first."""
    found = [(len(ending), record) for record in FORMATS.values() for ending in record.endings if name.endswith(ending)]
    return [record for _, record in sorted(found, key=lambda pair: -pair[0])]


def _by_name(name: Any) -> Format:
    """Return the format with a name."""
    if isinstance(name, str) and name in FORMATS:
        return FORMATS[name]
    close = get_close_matches(str(name), FORMATS, 1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise OptionError(f"format {name!r} does not exist; there are {', '.join(FORMATS)}.{hint}")


def _by_ending(path: Any) -> Format:
    """Return the format in which a file with this name is written."""
    name = str(getattr(path, "name", path))
    if name == "-":
        raise OptionError(f"standard output has no ending that names the format; use {option('format')}.")
    for record in _ending_with(without_ending(name)):
        if record.write is not None:
            return record
    endings = sorted({ending for record in FORMATS.values() if record.write for ending in record.endings})
    raise OptionError(
        f"the ending of {name!r} does not name a format. Use one of {' '.join(endings)}, or {option('format')}."
    )


def _check_options(options: dict[str, Any], known: tuple[str, ...], doing: str) -> None:
    """Refuse options that a format does not take."""
    for name in options:
        if name not in known:
            takes = f"it takes {', '.join(map(option, known))}" if known else "it takes no options"
            raise OptionError(f"{doing} does not take {option(name)}; {takes}. Leave it out.")
