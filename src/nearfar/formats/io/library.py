"""Other libraries' errors and absence, turned into errors of ours that name the file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import (
    FormatError,
    GraphError,
    InputTypeError,
    MemoryLimitError,
    MissingDependencyError,
    NearfarError,
    VertexError,
)
from .files import Source

# What libraries raise over broken files; a lack of memory, or Ctrl-C, is none of these.
_BROKEN: tuple[type[Exception], ...] = (
    ValueError, TypeError, LookupError, ArithmeticError, OSError, EOFError, AttributeError, RuntimeError, SyntaxError,
)  # fmt: skip


@contextmanager
def parsing(source: Source, kind: str, way: str, *more: type[Exception]) -> Iterator[None]:
    """Turn what a library raises over a broken file into our error; its warnings are not for our users.

    ``kind`` is what the file should have been, ``way`` the advice, ``more`` the library's own exceptions.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except NearfarError:
        raise
    except _BROKEN + more as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        reason = reason if len(reason) <= 200 else reason[:197] + "..."
        raise source.error(f"it is no readable {kind} ({reason}). {way}") from error


def missing(package: str, task: str) -> MissingDependencyError:
    """Say which package a format needs."""
    return MissingDependencyError(
        f"{task} needs the package {package}, which is not installed. Use: pip install 'nearfar[formats]'"
    )


@contextmanager
def blaming(source: Source) -> Iterator[None]:
    """Let errors about arrays name the file that they came from."""
    try:
        yield
    except FormatError:
        raise
    except (GraphError, InputTypeError, VertexError) as error:
        raise source.error(error.marked) from error
    except RecursionError as error:
        raise source.error("the content is nested too deeply to be a graph. Check how the file was made.") from error
    except MemoryError as error:
        if isinstance(error, NearfarError):
            raise
        raise MemoryLimitError(
            f"{source.name}: the graph does not fit into memory ({error}). Take a larger machine, or a part of it.",
            0,
            0,
        ) from error
    except OSError as error:
        if isinstance(error, NearfarError):
            raise
        raise source.error(f"the file cannot be read: {error.strerror or error}.") from error
