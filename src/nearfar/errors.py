"""Every error nearfar raises on purpose.

NearfarError
├── GraphError (ValueError)              the arrays or the object given do not describe a graph
├── VertexError (LookupError)            a vertex that the graph does not have
├── InputTypeError (TypeError)           a value of the wrong kind: a float for a vertex, a word for a number
├── OptionError (ValueError)             an option, method or device that does not exist, or a value out of its range
├── MethodError (ValueError)             a method that exists but cannot answer this question
├── NegativeCycleError (ValueError)      distances do not exist; ``.cycle`` names the vertices
├── NoPathError (LookupError)            the target cannot be reached
├── DistanceOverflowError (OverflowError)  a distance does not fit the type asked for
├── MemoryLimitError (MemoryError)       refused before allocation; ``.needed`` and ``.available`` in bytes
├── DeviceError (RuntimeError)           a device that is missing or failed
│   ├── DeviceMemoryError (MemoryError)  a device had no room left
│   └── KernelBuildError                 a driver could not build a kernel; ``.log`` is what it said
├── FormatError (ValueError)             a file whose content is wrong; ``.path`` and ``.line`` say where
├── FileError (OSError)                  a file that cannot be opened, read or written
│   └── MissingFileError (FileNotFoundError)  there is no such file
└── MissingDependencyError (ImportError) an optional package is not installed

Each class also derives from the builtin that a caller would expect, so ``except ValueError`` keeps working. Messages
state the value found, the rule it breaks, and the way out.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence


class NearfarError(Exception):
    """The common ancestor: ``except nearfar.NearfarError`` catches everything below."""


class GraphError(NearfarError, ValueError):
    """The arrays or the object given do not describe a graph."""


class VertexError(NearfarError, LookupError):
    """A vertex that the graph does not have."""


class InputTypeError(NearfarError, TypeError):
    """A value of the wrong kind."""


class OptionError(NearfarError, ValueError):
    """An option that does not exist, or a value out of its range."""


class MethodError(NearfarError, ValueError):
    """A method that exists but cannot answer this question."""


class NegativeCycleError(NearfarError, ValueError):
    """A cycle of negative length can be reached, so distances do not exist."""

    def __init__(self, message: str, cycle: Sequence[Hashable] = ()) -> None:
        super().__init__(message)
        self.cycle = list(cycle)

    def __reduce__(self) -> tuple[type[NegativeCycleError], tuple[str, list[Hashable]]]:
        return type(self), (str(self), self.cycle)


class NoPathError(NearfarError, LookupError):
    """The target cannot be reached from the source."""


class DistanceOverflowError(NearfarError, OverflowError):
    """A distance does not fit the type asked for."""


class MemoryLimitError(NearfarError, MemoryError):
    """The answer would not fit into memory; refused before anything was allocated."""

    def __init__(self, message: str, needed: int, available: int) -> None:
        super().__init__(message)
        self.needed, self.available = needed, available

    def __reduce__(self) -> tuple[type[MemoryLimitError], tuple[str, int, int]]:
        return type(self), (str(self), self.needed, self.available)


class DeviceError(NearfarError, RuntimeError):
    """A device that is missing or failed."""


class DeviceMemoryError(DeviceError, MemoryError):
    """A device had no room left for what a query needs."""


class KernelBuildError(DeviceError):
    """A driver could not build a kernel."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log

    def __reduce__(self) -> tuple[type[KernelBuildError], tuple[str, str]]:
        return type(self), (str(self), self.log)


class FormatError(NearfarError, ValueError):
    """A file whose content is not what its format asks for."""

    def __init__(self, message: str, path: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.path, self.line = path, line

    def __reduce__(self) -> tuple[type[FormatError], tuple[str, str, int | None]]:
        return type(self), (str(self), self.path, self.line)


class FileError(NearfarError, OSError):
    """A file that cannot be opened, read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class MissingDependencyError(NearfarError, ImportError):
    """An optional package is not installed."""
