"""Turn errors of other libraries, and their absence, into our errors, which name the file."""

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
    clip,
)
from .files import Source

# What libraries raise for damaged files; lack of memory and Ctrl-C are not among these.
_BROKEN: tuple[type[Exception], ...] = (
    ValueError, TypeError, LookupError, ArithmeticError, OSError, EOFError, AttributeError, RuntimeError, SyntaxError,
)  # fmt: skip


@contextmanager
def parsing(source: Source, kind: str, advice: str, *more: type[Exception]) -> Iterator[None]:
    """Turn what a library raises for a damaged file into our error; the library's warnings are suppressed.

    ``kind`` is what the file should be, ``more`` are the library's own exceptions.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except NearfarError:
        raise
    except _BROKEN + more as error:
        reason = clip(" ".join(str(error).split()) or type(error).__name__, 200)
        raise source.error(f"it is no readable {kind} ({reason}). {advice}") from error


def missing(package: str, task: str) -> MissingDependencyError:
    """Return an error about a missing package."""
    return MissingDependencyError(
        f"{task} needs the package {package}, which is not installed. Use: pip install 'nearfar[formats]'"
    )


@contextmanager
def blaming(source: Source) -> Iterator[None]:
    """Let errors about arrays name the file of the arrays."""
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
            f"{source.name}: the graph does not fit into memory ({error}). Use a larger machine, or a smaller graph.",
            0,
            0,
        ) from error
    except OSError as error:
        if isinstance(error, NearfarError):
            raise
        raise source.error(f"the file cannot be read: {error.strerror or error}. Check the disk.") from error
