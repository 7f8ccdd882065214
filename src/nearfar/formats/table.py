"""Edge tables in Parquet files and in Arrow files (IPC files, which are Feather 2, and IPC streams), with pyarrow.

Only the needed columns of a file are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import option
from ..graph import Graph
from ..graph.rows import BLOCK
from .columns import Columns, choose_columns, table_graph, table_stream, write_batches
from .format import Format
from .io.archive import Stream
from .io.files import Sink, Source
from .io.library import missing, parsing
from .streams import ArcStream

_FILE, _STREAM = b"ARROW1", b"\xff\xff\xff\xff"
_ADVICE = f"Fetch or write it again, or name another format with {option('format')}."
_ROWS = 1 << 17  # rows of a batch of a stream
_BUFFER = 1 << 20  # bytes of each column that are read at a time, instead of the column of a whole row group
_KEEPS = ("directed", "weights", "floats", "negative", "names", "parallel", "isolated")


def read_parquet(
    source: Source, *, tail: Any = None, head: Any = None, weight: Any = None, undirected: bool | None = None
) -> Graph:
    """Read an edge table; columns are given by name or index, ``weight=False`` ignores weights."""
    pa, parquet = _pyarrow()
    with parsing(source, "Parquet file", _ADVICE, pa.ArrowMemoryError):  # a wrong length requests absurd amounts
        file = parquet.ParquetFile(source.file(), pre_buffer=False, page_checksum_verification=True)
        columns = choose_columns(source, file.schema_arrow, tail, head, weight)
        batches = file.iter_batches(BLOCK, columns=columns.needed)
        return table_graph(source, file.schema_arrow, batches, columns, bool(undirected))


def stream_parquet(
    source: Source, *, tail: Any = None, head: Any = None, weight: Any = None, undirected: bool | None = None
) -> ArcStream:
    """Hand over arcs in blocks; the options are those of `read_parquet`."""
    pa, parquet = _pyarrow()
    with parsing(source, "Parquet file", _ADVICE, pa.ArrowMemoryError):
        options = {"pre_buffer": False, "page_checksum_verification": True, "buffer_size": _BUFFER}
        file = parquet.ParquetFile(source.file(), **options)
        columns = choose_columns(source, file.schema_arrow, tail, head, weight)

    def batches(skip: int) -> Iterator[Any]:
        with parsing(source, "Parquet file", _ADVICE, pa.ArrowMemoryError):
            for group in range(file.num_row_groups):
                rows = file.metadata.row_group(group).num_rows
                if skip >= rows:
                    skip -= rows
                    continue
                for batch in file.iter_batches(_ROWS, row_groups=[group], columns=columns.needed):
                    taken = min(skip, batch.num_rows)
                    skip -= taken
                    yield batch.slice(taken)

    rows = file.metadata.num_rows
    return table_stream(source, file.schema_arrow, batches, columns, bool(undirected), rows)


def read_arrow(
    source: Source, *, tail: Any = None, head: Any = None, weight: Any = None, undirected: bool | None = None
) -> Graph:
    """Read an edge table; columns are given by name or index, ``weight=False`` ignores weights."""
    pa, _ = _pyarrow()
    with parsing(source, "Arrow file", _ADVICE, pa.ArrowMemoryError):
        schema, columns, batches = _open_arrow(source, pa, tail, head, weight)
        return table_graph(source, schema, batches, columns, bool(undirected))


def stream_arrow(
    source: Source, *, tail: Any = None, head: Any = None, weight: Any = None, undirected: bool | None = None
) -> ArcStream:
    """Hand over arcs in blocks; the options are those of `read_arrow`."""
    pa, _ = _pyarrow()
    with parsing(source, "Arrow file", _ADVICE, pa.ArrowMemoryError):
        schema, columns, found = _open_arrow(source, pa, tail, head, weight)

    def batches(skip: int) -> Iterator[Any]:
        with parsing(source, "Arrow file", _ADVICE, pa.ArrowMemoryError):
            for batch in found:
                for low in range(skip, batch.num_rows, _ROWS):
                    yield batch.slice(low, _ROWS)
                skip = max(0, skip - batch.num_rows)

    return table_stream(source, schema, batches, columns, bool(undirected), None)


def _open_arrow(source: Source, pa: Any, tail: Any, head: Any, weight: Any) -> tuple[Any, Columns, Iterator[Any]]:
    """Return the schema of an Arrow file, the columns to read, and its batches with these columns."""
    if source.head().startswith(b"FEA1"):
        raise source.error(
            "it is a Feather file of version 1, but only version 2 is read. Write it again with pyarrow.feather."
        )
    is_file = source.head().startswith(_FILE)
    file, opener = source.file(), pa.ipc.open_file if is_file else pa.ipc.open_stream
    schema = opener(file).schema
    columns = choose_columns(source, schema, tail, head, weight)
    file.seek(0)
    needed = pa.ipc.IpcReadOptions(included_fields=[schema.names.index(name) for name in columns.needed])
    reader = opener(file, options=needed)
    batches = map(reader.get_batch, range(reader.num_record_batches)) if is_file else iter(reader)
    return schema, columns, batches


def write_parquet(graph: Graph, sink: Sink) -> None:
    """Write the columns source, target and, if there are weights, weight."""
    _, parquet = _pyarrow()
    write_batches(
        graph, sink, lambda _, schema: parquet.ParquetWriter(Stream(sink.file()), schema, write_page_checksum=True)
    )


def write_arrow(graph: Graph, sink: Sink) -> None:
    """Write the columns source, target and, if there are weights, weight, as an IPC file."""
    _pyarrow()
    write_batches(graph, sink, lambda pa, schema: pa.ipc.new_file(Stream(sink.file()), schema))


def _pyarrow() -> tuple[Any, Any]:
    """Load pyarrow, and its module for Parquet."""
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError as error:
        raise missing("pyarrow", "a Parquet or Arrow file") from error
    return pyarrow, pyarrow.parquet


PARQUET = Format(
    name="parquet",
    summary="Parquet edge tables: columns source, target, weight, or those of tail=, head=, weight=",
    endings=(".parquet", ".pq"),
    matches=lambda head: head.startswith(b"PAR1"),
    read=read_parquet,
    stream=stream_parquet,
    write=write_parquet,
    keeps=_KEEPS,
    extra="pyarrow",
)
ARROW = Format(
    name="arrow",
    summary="Arrow and Feather edge tables: columns source, target, weight, or those of tail=, head=, weight=",
    endings=(".arrow", ".feather", ".ipc"),
    matches=lambda head: head.startswith((_FILE, _STREAM)),
    read=read_arrow,
    stream=stream_arrow,
    write=write_arrow,
    keeps=_KEEPS,
    extra="pyarrow",
)
