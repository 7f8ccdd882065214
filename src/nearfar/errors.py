"""Every error nearfar raises on purpose.

NearfarError
├── GraphError (ValueError)              the arrays or the object given do not describe a graph
├── VertexError (LookupError)            a vertex that the graph does not have
├── InputTypeError (TypeError)           a value of the wrong type: a float for a vertex, a word for a number
├── OptionError (ValueError)             an option, method or device that does not exist, or a value out of its range
├── MethodError (ValueError)             a method that exists but cannot answer this question
├── NegativeCycleError (ValueError)      distances do not exist; ``.cycle`` names the vertices
├── NoPathError (LookupError)            the target cannot be reached
├── DistanceOverflowError (OverflowError)  a distance does not fit the requested type
├── MemoryLimitError (MemoryError)       refused before allocation; ``.needed`` and ``.available`` in bytes
├── DeviceError (RuntimeError)           a device that is missing or failed
│   ├── MissingDeviceError               there is no such device
│   ├── DeviceMemoryError (MemoryError)  a device ran out of memory
│   └── KernelBuildError                 a driver could not build a kernel; ``.log`` is its output
├── FormatError (ValueError)             a file whose content is wrong; ``.path`` and ``.line`` say where
├── FileError (OSError)                  a file that cannot be opened, read or written
│   ├── MissingFileError (FileNotFoundError)  there is no such file
│   └── StoreError                       a stored matrix that is damaged, unfinished, in use, or of another graph
├── ClusterError (RuntimeError)          a cluster that is not there, is lost, or whose workers cannot do the work
└── MissingDependencyError (ImportError) an optional package is not installed

Each class also derives from the builtin that a caller would expect, so ``except ValueError`` keeps working. Messages
state the value found, the rule it breaks, and the way out. Where the way out is an option, the message marks it with
`option`. The mark is invisible in ``str(error)``, but ``error.parts`` lists text and options separately, so that each
reader sees the option as they would write it: ``method='edge'`` in Python, ``--method edge`` at the command line.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

_OPEN, _BETWEEN, _CLOSE = "\ud800", "\ud801", "\ud802"  # around and inside a mark: no decoded text can hold them
_MARK = re.compile(f"{_OPEN}(\\w*){_BETWEEN}([^{_CLOSE}]*){_CLOSE}")
_NO_VALUE = object()
_LONGEST = 60  # characters of a value that a message repeats


def clip(text: str, limit: int = _LONGEST) -> str:
    """Cut a text that a message repeats to ``limit`` characters."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


@dataclass(frozen=True)
class Option:
    """An option that an error mentions; ``value`` is Python source, and empty where no value is recommended."""

    name: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.name}={self.value}"


@dataclass(frozen=True)
class InPython:
    """Text that is useful only to Python callers."""

    text: str

    def __str__(self) -> str:
        return self.text


Part = str | Option | InPython


def option(name: str, value: Any = _NO_VALUE) -> str:
    """Mark an option inside the message of an error.

    Examples
    --------
    >>> error = OptionError(f"nothing fits. Use {option('method', 'edge')}, or {option('memory')}.")
    >>> print(error)
    nothing fits. Use method='edge', or memory=.
    >>> error.parts[1]
    Option(name='method', value="'edge'")
    """
    text = "" if value is _NO_VALUE else clip(repr(value))
    return f"{_OPEN}{name}{_BETWEEN}{text}{_CLOSE}"


def in_python(text: str) -> str:
    """Mark text inside the message of an error that is useful only to Python callers; it has no marks itself."""
    assert _OPEN not in text, "marks cannot be nested"
    return f"{_OPEN}{_BETWEEN}{text}{_CLOSE}"


def parts_of(message: str) -> tuple[Part, ...]:
    """Split a marked message into plain text, options, and text for Python callers."""
    pieces = _MARK.split(message)  # text, name, value, text, ...
    parts: list[Part] = [pieces[0]]
    for name, value, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        parts += [Option(name, value) if name else InPython(value), text]
    return tuple(part for part in parts if part != "")


class NearfarError(Exception):
    """The common ancestor: ``except nearfar.NearfarError`` catches every error of this package.

    ``parts`` is the message split into text and options. ``marked`` is the message with its marks: use it, not
    ``str(error)``, to repeat the message inside another error.
    """

    _carried: tuple[str, ...] = ()  # attributes that an error has beside its message, in the order of its arguments

    def __init__(self, message: object = "") -> None:
        self.marked = str(message)
        super().__init__("".join(map(str, self.parts)))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The message, split into text and options."""
        return parts_of(self.marked)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.marked, *(getattr(self, name) for name in self._carried)), self.__dict__


class GraphError(NearfarError, ValueError):
    """The arrays or the object given do not describe a graph."""


class VertexError(NearfarError, LookupError):
    """A vertex that the graph does not have."""


class InputTypeError(NearfarError, TypeError):
    """A value of the wrong type."""


class OptionError(NearfarError, ValueError):
    """An option that does not exist, or a value out of its range."""


class MethodError(NearfarError, ValueError):
    """A method that exists but cannot answer this question."""


class NegativeCycleError(NearfarError, ValueError):
    """A cycle of negative length can be reached, so distances do not exist."""

    _carried = ("cycle",)

    def __init__(self, message: str, cycle: Sequence[Hashable] = ()) -> None:
        super().__init__(message)
        self.cycle = list(cycle)


class NoPathError(NearfarError, LookupError):
    """The target cannot be reached from the source."""


class DistanceOverflowError(NearfarError, OverflowError):
    """A distance does not fit the requested type."""


class MemoryLimitError(NearfarError, MemoryError):
    """The answer would not fit into memory; refused before anything was allocated."""

    _carried = ("needed", "available")

    def __init__(self, message: str, needed: int, available: int) -> None:
        super().__init__(message)
        self.needed, self.available = needed, available


class DeviceError(NearfarError, RuntimeError):
    """A device that is missing or failed."""


class MissingDeviceError(DeviceError):
    """There is no such device."""


class DeviceMemoryError(DeviceError, MemoryError):
    """A device does not have enough memory for a query."""


class KernelBuildError(DeviceError):
    """A driver could not build a kernel."""

    _carried = ("log",)

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log


class FormatError(NearfarError, ValueError):
    """A file whose content does not follow its format."""

    _carried = ("path", "line")

    def __init__(self, message: str, path: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.path, self.line = path, line


class FileError(NearfarError, OSError):
    """A file that cannot be opened, read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class StoreError(FileError):
    """A stored matrix that is damaged, not finished, in use by another process, or that belongs to another graph."""


class ClusterError(NearfarError, RuntimeError):
    """A cluster that cannot be reached, is lost, or whose workers cannot do what was asked."""


class MissingDependencyError(NearfarError, ImportError):
    """An optional package is not installed."""
