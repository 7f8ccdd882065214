"""Format: the record of a file format in the table FORMATS."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

KEEPS = ("directed", "weights", "floats", "negative", "names", "cells", "coordinates", "parallel", "isolated")


@dataclass(frozen=True)
class Format:
    """A file format: its names, how to recognise it, how to read and to write it.

    Attributes
    ----------
    name, summary : str
        The value of ``format=``, and one line for tables.
    endings : tuple of str
        How file names end, without the ending of the compression.
    matches : function
        Returns whether a file may have this format, from its first 64 kB; never raises.
    read, write : function or None
        ``read(source, **options)`` returns a graph; ``write(graph, sink, **options)`` writes one. The keyword
        parameters are the options of the format.
    stream : function or None
        ``stream(source, **options)`` returns the arcs in blocks (streams.py), with the options of ``read``, for files
        whose arcs do not fit into memory.
    keeps : tuple of str
        What writing keeps of a graph, from KEEPS; `nearfar.write` refuses or drops the rest.
    extra : str
        The package it needs beyond the core ones, or "".
    first : int or None
        The name of the first vertex if the format counts vertices instead of naming them.
    """

    name: str
    summary: str
    endings: tuple[str, ...]
    matches: Callable[[bytes], bool]
    read: Callable[..., Any] | None
    write: Callable[..., None] | None = None
    stream: Callable[..., Any] | None = None
    keeps: tuple[str, ...] = ()
    extra: str = ""
    first: int | None = None

    @property
    def read_options(self) -> tuple[str, ...]:
        """The options that reading takes."""
        return _keywords(self.read)

    @property
    def write_options(self) -> tuple[str, ...]:
        """The options that writing takes."""
        return _keywords(self.write)


def _keywords(function: Callable[..., Any] | None) -> tuple[str, ...]:
    """Return the keyword parameters of a function."""
    if function is None:
        return ()
    parameters = inspect.signature(function).parameters.values()
    return tuple(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)
