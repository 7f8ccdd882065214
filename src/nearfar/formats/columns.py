"""The columns of an edge table in a Parquet or Arrow file, and the graph that they describe.

A row is an arc. graph/roles.py says which columns hold tails, heads and weights. Vertices that are whole numbers are
treated as in an edge list: 0 to n - 1 stay indices, others become names in ascending order. Words become names in order
of appearance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..errors import FormatError, option
from ..graph import Graph
from ..graph.arrays import Array, bad_weight, shorten
from ..graph.ids import appearance, mixed
from ..graph.roles import Header
from ..graph.rows import BLOCK
from .io.files import Sink, Source
from .labels import name_column
from .pieces import Pieces
from .streams import ArcBlock, ArcStream, Mark
from .text.words import SPAN, Words

_COUNT = b"nearfar_vertices"  # in the table's metadata: the number of vertices, if they have no names


class Columns(NamedTuple):
    """The names of the columns to read."""

    tail: str
    head: str
    weight: str | None

    @property
    def needed(self) -> list[str]:
        """The columns, each listed once."""
        return list(dict.fromkeys(name for name in self if name is not None))


def choose_columns(source: Source, schema: Any, tail: Any, head: Any, weight: Any) -> Columns:
    """Find the columns in an Arrow schema."""
    names = list(schema.names)
    header = Header(source.name, names, len(names), lambda field: _is_numeric(schema.field(field).type), source.error)
    roles = header.roles(tail, head, weight)
    chosen = Columns(names[roles.tail], names[roles.head], None if roles.weight is None else names[roles.weight])
    twice = next((name for name in chosen.needed if names.count(name) > 1), None)
    if twice is not None:
        raise source.error(f"two columns are called {shorten(twice)}. Rename one of them.")
    return chosen


def _is_numeric(kind: Any) -> bool:
    """Return whether a column of this type may hold weights."""
    from pyarrow import types

    plain = _plain_type(kind)
    return bool(types.is_integer(plain) or types.is_floating(plain))


def table_graph(source: Source, schema: Any, batches: Iterable[Any], columns: Columns, undirected: bool) -> Graph:
    """Build the graph of a table in Arrow batches, which have only the needed columns."""
    import pyarrow as pa

    kind = _kind(source, schema, columns)
    batches = chain([_no_rows(schema, columns)], batches)  # so that a table without rows has types, too
    if kind == "number":
        count = (schema.metadata or {}).get(_COUNT, b"")
        return _number_graph(source, _pieces(source, batches, columns), count, undirected)
    table = pa.Table.from_batches(_checked(source, batches, columns))
    tails, heads, words = _encode(table[columns.tail], table[columns.head])
    weights = None if columns.weight is None else table[columns.weight].to_numpy()
    return Graph.from_arcs(tails, heads, weights, len(words), undirected, names=words)


def _no_rows(schema: Any, columns: Columns) -> Any:
    """Return a batch without rows."""
    import pyarrow as pa

    return pa.RecordBatch.from_pydict({name: pa.array([], schema.field(name).type) for name in columns.needed})


def _kind(source: Source, schema: Any, columns: Columns) -> str:
    """Return whether vertices are numbers or words; refuse columns that hold neither, and weights that are none."""
    kinds = {_end_kind(source, schema, name) for name in columns[:2]}
    if columns.weight is not None:
        _check_weight(source, schema, columns.weight)
    if len(kinds) > 1:
        first, second = sorted(columns[:2], key=lambda name: _end_kind(source, schema, name))
        raise source.error(mixed(f"column {shorten(first)}", f"column {shorten(second)}"))
    return kinds.pop()


def table_stream(
    source: Source,
    schema: Any,
    batches: Callable[[int], Iterator[Any]],
    columns: Columns,
    undirected: bool,
    count: int | None,
) -> ArcStream:
    """Return the arcs of a table in blocks; ``batches`` returns its batches, without the first rows."""
    none = _no_rows(schema, columns)

    def from_row(skip: int) -> Iterator[Any]:
        return chain([] if skip else [none], batches(skip))

    arcs = _TableArcs(source, from_row, columns, _kind(source, schema, columns) == "word")
    promised = (schema.metadata or {}).get(_COUNT, b"")
    if promised.isdigit() and len(promised) < 10 and arcs.words is None:
        arcs.n = int(promised)
    found = ArcStream(arcs.blocks, arcs.mark, undirected, columns.weight is not None, n=arcs.n, count=count)
    found.are_words = arcs.words is not None
    return found


class _TableArcs:
    """The blocks of a table."""

    def __init__(
        self, source: Source, batches: Callable[[int], Iterator[Any]], columns: Columns, are_words: bool
    ) -> None:
        self.source, self.batches, self.columns = source, batches, columns
        self.words = Words() if are_words else None
        self.n: int | None = None
        self.count = 0

    def mark(self) -> Mark:
        """Return where the next block begins: how many rows were read."""
        return {"count": self.count}

    def blocks(self, start: Mark | None, words: Words | None = None) -> Iterator[ArcBlock]:
        """Yield the arcs from a mark on."""
        self.words = words if words is not None and self.words is not None else self.words
        self.count = 0 if start is None else start["count"]
        for batch in _checked(self.source, self.batches(self.count), self.columns, self.count):
            first, self.count = self.count, self.count + batch.num_rows
            weights = None if self.columns.weight is None else _weights_of(self.source, batch, self.columns, first)
            yield (*self._ends(batch), weights)

    def _ends(self, batch: Any) -> tuple[Array, Array]:
        """Return the ends of the arcs of a batch: ids, or indices of words."""
        columns = [batch.column(name) for name in self.columns[:2]]
        if self.words is not None:
            return _word_ends(self.words, *columns)
        tails, heads = (_signed(self.source, name, c) for name, c in zip(self.columns[:2], columns, strict=True))
        if self.n is not None and any(len(end) and not 0 <= end.min() <= end.max() < self.n for end in (tails, heads)):
            raise _broken_promise(self.source, self.n)
        return tails, heads


def _word_ends(words: Words, tails: Any, heads: Any) -> tuple[Array, Array]:
    """Return the indices of the words in two columns, which are listed row by row, the tail before the head."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = len(tails)
    if rows == 0:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    order = pa.array(np.arange(2 * rows).reshape(2, rows).T.ravel())
    mixed_up = pc.take(pa.concat_arrays([tails, heads]), order)
    _, offsets, data = mixed_up.buffers()
    ends = np.frombuffer(offsets, np.int64)[mixed_up.offset : mixed_up.offset + 2 * rows + 1]
    text = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    indices = words.indices(text, ends[:-1] << SPAN | np.diff(ends))
    return indices[::2], indices[1::2]


def _broken_promise(source: Source, count: int) -> FormatError:
    """Return the error for a table whose vertices are not those that its metadata promises."""
    return source.error(
        f"the table's metadata promises {count} vertices, but its rows contain others. Drop the metadata."
    )


def _plain_type(kind: Any) -> Any:
    """Return the type of the values, also for a column with a dictionary."""
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _end_kind(source: Source, schema: Any, name: str) -> str:
    """Return whether a column holds vertices as numbers or as words."""
    from pyarrow import types

    kind = _plain_type(schema.field(name).type)
    if types.is_integer(kind) or types.is_null(kind):
        return "number"
    if types.is_string(kind) or types.is_large_string(kind):
        return "word"
    raise source.error(
        f"column {shorten(name)} is {kind}, but vertices are whole numbers or words. Convert it, or name another "
        f"with {option('tail')} and {option('head')}. The columns: {shorten(schema.names, 200)}."
    )


def _check_weight(source: Source, schema: Any, name: str) -> None:
    """Refuse weights that are not numbers."""
    from pyarrow import types

    kind = _plain_type(schema.field(name).type)
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_null(kind)):
        raise source.error(
            f"column {shorten(name)} is {kind}, but weights are integers or floats. Convert it, name another column "
            f"with {option('weight')}, or use {option('weight', False)}."
        )


def _checked(source: Source, batches: Iterable[Any], columns: Columns, rows: int = 0) -> Iterator[Any]:
    """Yield the batches with plain columns; refuse missing values and invalid batches. ``rows`` come before them."""
    import pyarrow as pa

    for batch in batches:
        batch.validate(full=True)
        plain = {}
        for name in columns.needed:
            column = batch.column(name)
            if column.null_count:
                row = rows + column.is_null().to_pylist().index(True)
                raise source.error(
                    f"column {shorten(name)} has no value in row {row}, but every arc needs one. Drop such rows."
                )
            column = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
            # so that a column may hold more than 2 GB of words
            plain[name] = column.cast(pa.large_string()) if pa.types.is_string(column.type) else column
        rows += batch.num_rows
        yield pa.RecordBatch.from_pydict(plain)


def _pieces(source: Source, batches: Iterable[Any], columns: Columns) -> Pieces:
    """Collect the arcs in the narrowest types; nothing else of the batches stays in memory."""
    import pyarrow as pa

    pieces, row = Pieces(), 0
    for batch in _checked(source, batches, columns):
        arrays = [_signed(source, name, batch.column(name)) for name in columns[:2]]
        if columns.weight is not None:
            arrays.append(_weights_of(source, batch, columns, row))
        row += batch.num_rows
        pieces.add(*arrays)
    pa.default_memory_pool().release_unused()
    return pieces


def _weights_of(source: Source, batch: Any, columns: Columns, row: int) -> Array:
    """Return the weights of a batch, whose first row is ``row``; refuse NaN and -inf."""
    assert columns.weight is not None
    weights = _signed(source, columns.weight, batch.column(columns.weight))
    if (bad := np.flatnonzero(~(weights > -np.inf))).size:
        raise source.error(bad_weight(f"row {row + bad[0]}", float(weights[bad[0]])))
    return weights


def _signed(source: Source, name: str, column: Any) -> Array:
    """Return a column as an array for Pieces: floats, or whole numbers that fit into int64."""
    values = np.asarray(column.to_numpy(zero_copy_only=False))
    if values.dtype == np.uint64 and len(values) and (high := int(values.max())) >= 2**63:
        raise source.error(f"column {shorten(name)} holds {high}, but whole numbers end at 2**63 - 1. Convert it.")
    return values if values.dtype.kind in "iuf" else np.empty(0, np.int32)


def _number_graph(source: Source, pieces: Pieces, count: bytes, undirected: bool) -> Graph:
    """Build the graph if vertices are whole numbers; ``count`` is their number if nearfar wrote the table."""
    if not (count.isdigit() and len(count) < 10):
        return pieces.graph_of_ids(undirected)
    if not pieces.lie_below(int(count)):
        raise _broken_promise(source, int(count))
    return pieces.graph(int(count), undirected=undirected)


def _encode(tails: Any, heads: Any) -> tuple[Array, Array, list[str]]:
    """Turn words into indices in order of appearance, row by row; return the words, too."""
    import pyarrow as pa

    both = pa.chunked_array([*tails.chunks, *heads.chunks], pa.large_string())
    coded = pa.concat_arrays(both.chunks).dictionary_encode()
    codes = coded.indices.to_numpy()
    first, second, order = appearance(codes[: len(tails)], codes[len(tails) :])
    return first, second, coded.dictionary.take(pa.array(order, pa.int32())).to_pylist()


def write_batches(graph: Graph, sink: Sink, opener: Callable[[Any, Any], Any]) -> None:
    """Write an edge table; ``opener(pyarrow, schema)`` returns a writer of batches."""
    import pyarrow as pa

    names = name_column(graph, sink)
    kind = pa.int32() if names is None else pa.int64() if isinstance(names, np.ndarray) else pa.string()
    fields = [("source", kind), ("target", kind)]
    if graph.weight_dtype is not None:
        fields.append(("weight", pa.from_numpy_dtype(graph.weight_dtype)))
    schema = pa.schema(fields, None if names is not None else {_COUNT: str(graph.n)})
    words = pa.array(names, kind) if isinstance(names, list) else names
    with opener(pa, schema) as writer:
        for columns in _batches(graph):
            ends = [_names(pa, words, vertices) for vertices in columns[:2]]
            writer.write_batch(pa.record_batch([*ends, *map(pa.array, columns[2:])], schema=schema))


def _names(pa: Any, names: Any, vertices: Array) -> Any:
    """Return the names of some vertices as an Arrow array."""
    if names is None:
        return pa.array(vertices)
    return pa.array(names[vertices]) if isinstance(names, np.ndarray) else names.take(pa.array(vertices))


def _batches(graph: Graph) -> Iterator[list[Array]]:
    """Yield tails, heads and weights, a block of arcs at a time."""
    for low in range(0, graph.m, BLOCK):
        high = min(low + BLOCK, graph.m)
        tails = np.searchsorted(graph.offsets, np.arange(low, high), side="right").astype(np.int32) - np.int32(1)
        columns = [tails, graph.heads[low:high]]
        yield [np.ascontiguousarray(c) for c in columns + ([] if graph.weights is None else [graph.weights[low:high]])]
