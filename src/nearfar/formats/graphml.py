"""GraphML, through NetworkX.

NetworkX reads XML with expat, which expands entities: a file of one kilobyte can stand for gigabytes ("billion
laughs"). Entities are declared before the first element, so the prolog is checked first, and a file that declares
entities is refused.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..errors import OptionError, option
from ..graph import Graph
from ..graph.arrays import Array, shorten
from ..graph.names import NumberNames, index_ids
from ..graph.units import DEGREES, is_wgs84
from .format import Format
from .io.files import Sink, Source
from .io.library import missing, parsing
from .labels import name_column, whole_numbers
from .text.writing import edges_of, tails_of

_AXES = (("x", "y"), ("lon", "lat"), ("longitude", "latitude"))
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BLOCK = 1 << 16  # bytes that are searched for graphs at a time
_ADVICE = f"Fetch or write it again, or name another format with {option('format')}."


def read(
    source: Source, *, weight: str | bool | None = None, undirected: bool | None = None, names: bool = False
) -> Graph:
    """Read a graph; ``weight`` is an edge attribute, by default ``weight`` if there is one; False ignores weights.

    Node ids that are whole numbers become numbers, unless ``names`` is set, which keeps words.
    """
    nx = _networkx()
    _check_prolog(source)
    file = source.file()
    _check_single(source, file)
    with parsing(source, "GraphML file", _ADVICE, nx.NetworkXException):
        graph = nx.read_graphml(file)
    indices, labels = _index(list(graph), names)
    edges = list(graph.edges(data=True))
    tails, heads = (np.fromiter((indices[edge[i]] for edge in edges), np.int32, len(edges)) for i in (0, 1))
    made = Graph.from_arcs(
        tails,
        heads,
        _weights(source, edges, graph.graph.get("edge_default", {}), weight),
        len(indices),
        undirected=not graph.is_directed() if undirected is None else bool(undirected),
        names=labels,
        coordinates=_coordinates(graph, indices),
    )
    return made.with_units(coordinates=DEGREES) if is_wgs84(graph.graph.get("crs")) else made


def _networkx() -> Any:
    """Load the package that reads GraphML."""
    try:
        import networkx
    except ImportError as error:
        raise missing("networkx", "a GraphML file") from error
    return networkx


class _PrologError(Exception):
    """Raised to stop reading the prolog: at an entity, or with None at the first element."""


def _check_prolog(source: Source) -> None:
    """Refuse a file that declares entities, or whose first element is not within the first 64 kB."""
    from xml.parsers import expat

    def stop(entity: str | None) -> None:
        raise _PrologError(entity)

    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda *_: stop(None)
    parser.EntityDeclHandler = lambda name, *_: stop(name)
    try:
        parser.Parse(source.head(), False)
    except expat.ExpatError as error:
        raise source.error(f"it is no readable GraphML file ({error}). {_ADVICE}", error.lineno) from error
    except (ValueError, LookupError) as error:  # an encoding that Python lacks
        raise source.error(f"it is no readable GraphML file ({error}). {_ADVICE}") from error
    except _PrologError as found:
        if found.args[0] is None:
            return
        raise source.error(
            f"it declares the entity {shorten(found.args[0])}, which could stand for more than memory holds. "
            f"Replace entities by what they stand for."
        ) from None
    raise source.error(f"it is no readable GraphML file (there is no element at its beginning). {_ADVICE}")


def _check_single(source: Source, file: Any) -> None:
    """Refuse a file with several graphs, or with graphs inside nodes: NetworkX would read only the first one."""
    from xml.parsers import expat

    parser = expat.ParserCreate(namespace_separator=" ")
    lines: list[int] = []

    def begin(name: str, _: Any) -> None:
        if name == "graph" or name.endswith(" graph"):
            lines.append(parser.CurrentLineNumber)

    parser.StartElementHandler = begin
    try:
        while len(lines) < 2 and (block := file.read(_BLOCK)):
            parser.Parse(block, False)
    except (expat.ExpatError, ValueError, LookupError):
        pass  # NetworkX will report it
    if len(lines) > 1:
        raise source.error(
            f"a second graph begins here, after the one in line {lines[0]}, but one is needed. Save each graph in "
            f"a separate file, without graphs inside nodes.",
            lines[1],
        )
    file.seek(0)


def _index(nodes: list[str], words: bool) -> tuple[dict[str, int], Any]:
    """Return the index of each node, and the names: numbers in ascending order, words in the order of the file."""
    ids = None if words else whole_numbers(nodes)
    if ids is None:
        return {node: v for v, node in enumerate(nodes)}, nodes or None
    indices, _, names = index_ids(ids, ids)
    return dict(zip(nodes, indices.tolist(), strict=True)), names


def _weights(source: Source, edges: list[Any], defaults: dict[str, Any], weight: Any) -> Array | None:
    """Return the attribute ``weight`` of every edge, or None."""
    known = sorted(set(defaults).union(*(data for _, _, data in edges)))
    if weight is False or (weight in (None, True) and "weight" not in known):
        return None
    key = "weight" if weight in (None, True) else weight
    if key not in known:
        raise OptionError(
            f"{source.name}: {option('weight', key)} is not an attribute of the edges, which have "
            f"{shorten(known, 200)}. Name one of them, or use {option('weight', False)}."
        )
    values = []
    for tail, head, data in edges:
        value = data.get(key, defaults.get(key))
        number = _to_number(value)
        if number is None:
            found = "no" if value is None else f"{shorten(value)} for"
            raise source.error(
                f"the edge from {shorten(tail)} to {shorten(head)} has {found} {key}, but every edge needs a number. "
                f"Add it, name another attribute with {option('weight')}, or use {option('weight', False)}."
            )
        values.append(number)
    if any(isinstance(value, float) for value in values):
        return np.array(values, np.float64)
    return np.array(values) if values else np.empty(0, np.int64)


def _to_number(value: Any) -> int | float | None:
    """Return a number, also from text; None if it is not a number."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str):
        try:
            value = int(value) if len(value) < 20 else float(value)
        except ValueError:
            try:
                value = float(value)
            except ValueError:
                return None
    return value if isinstance(value, float) or abs(value) < 2**63 else float(value)


def _coordinates(graph: Any, indices: dict[str, int]) -> Array | None:
    """Return the coordinates if all nodes have them."""
    for across, up in _AXES:
        pairs = [(_to_number(data.get(across)), _to_number(data.get(up))) for _, data in graph.nodes(data=True)]
        if pairs and all(x is not None and y is not None for x, y in pairs):
            points = np.empty((len(pairs), 2))
            points[list(indices.values())] = pairs
            return points
    return None


def write(graph: Graph, sink: Sink) -> None:
    """Write nodes with x and y, and edges with weight; an undirected edge is written once."""
    nx = _networkx()
    words = () if isinstance(graph.names, NumberNames) else graph.names or ()
    odd = next((word for word in words if isinstance(word, str) and _NO_XML.search(word)), None)
    if odd is not None:
        raise sink.error(f"vertex {shorten(odd)} has a character in its name that XML cannot hold. Rename it.")
    column = name_column(graph, sink)
    ids = list(map(str, range(graph.n) if column is None else column))
    kept = edges_of(graph)
    tails, heads = tails_of(graph)[kept].tolist(), graph.heads[kept].tolist()
    out = nx.MultiGraph() if graph.undirected else nx.MultiDiGraph()
    points = None if graph.coordinates is None else graph.coordinates.tolist()
    for v, word in enumerate(ids):
        out.add_node(word, **({} if points is None else {"x": points[v][0], "y": points[v][1]}))
    weights = None if graph.weights is None else graph.weights[kept].tolist()
    for e, (u, v) in enumerate(zip(tails, heads, strict=True)):
        out.add_edge(ids[u], ids[v], **({} if weights is None else {"weight": weights[e]}))
    simple = len(set(zip(tails, heads, strict=True))) == len(tails)
    nx.write_graphml_xml((nx.Graph if graph.undirected else nx.DiGraph)(out) if simple else out, sink.file())


def matches(head: bytes) -> bool:
    """Return whether a file begins like GraphML."""
    return b"<graphml" in head[:4096]


FORMAT = Format(
    name="graphml",
    summary="GraphML through NetworkX: node ids, the edge attribute weight, and x, y or lon, lat",
    endings=(".graphml",),
    matches=matches,
    read=read,
    write=write,
    keeps=("directed", "weights", "floats", "negative", "names", "coordinates", "parallel", "isolated"),
    extra="networkx",
)
