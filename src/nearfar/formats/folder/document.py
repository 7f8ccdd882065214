"""graph.json: what is known about a graph in a folder, with a digest, so that no damage passes for an answer."""

from __future__ import annotations

import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FileError, FormatError, MissingFileError
from ...graph.arrays import Array
from ...graph.stored import BAD_HEADER

DOCUMENT = "graph.json"
VERSION = 1
REVERSED = "reversed"
STEP = 1 << 24  # bytes of an array that are looked at at a time


class Folder:
    """A folder that holds a graph, or that is to hold one.

    Attributes
    ----------
    document, kind, version
        The name of the file in JSON, what it calls what the folder holds, and the version that this nearfar reads.
    anew, absent : str
        What to do where it is damaged, and what to say where there is none.
    """

    document, kind, version = DOCUMENT, "graph", VERSION
    anew = "Write the graph again."
    absent = (
        f"is not a folder with a graph: there is no {DOCUMENT} in it. Write one with "
        "nearfar.write(graph, 'roads.nearfar'), or nearfar convert."
    )

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, str(path)

    def error(self, problem: str) -> FormatError:
        """Return the error for a file of this folder."""
        return FormatError(f"{self.name}: {problem}", self.name)

    def read_document(self) -> dict[str, Any]:
        """Read the document, and check that it is as it was written."""
        try:
            text = (self.path / self.document).read_text(encoding="utf8")
        except (FileNotFoundError, NotADirectoryError):
            raise MissingFileError(f"{self.name} {self.absent}") from None
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"{self.path / self.document} cannot be read: {error}. {self.anew}") from error
        try:
            document = json.loads(text)
            version, digest = document[f"nearfar_{self.kind}"], document.pop("digest")
        except (ValueError, KeyError, TypeError, AttributeError):
            raise self.error(f"{self.document} is damaged. {self.anew}") from None
        if version != self.version:
            raise self.error(
                f"it is of version {version!r:.40}, but this nearfar reads version {self.version}. Use a newer "
                f"nearfar, or: {self.anew}"
            )
        if digest != digest_of(document):
            raise self.error(f"{self.document} was changed since it was written. {self.anew}")
        found: dict[str, Any] = document
        return found

    def write_document(self, document: dict[str, Any]) -> None:
        """Write the document, with a digest of itself."""
        text = json.dumps(document | {"digest": digest_of(document)}, indent=1)
        (self.path / self.document).write_text(text + "\n", encoding="utf8")

    def read_array(self, key: str, files: dict[str, Any], whole: bool = False) -> Array:
        """Map an array, or read it as a ``whole`` into memory, and compare it with its checksum."""
        path = self.path / f"{key}.npy"
        try:
            array = np.load(path, mmap_mode=None if whole else "r", allow_pickle=False)
        except FileNotFoundError:
            raise self.error(f"{path.name} is missing. {self.anew}") from None
        except (OSError, *BAD_HEADER):
            raise self.error(f"{path.name} is damaged. {self.anew}") from None
        if files.get(key) != facts_of(array):
            raise self.error(f"{path.name} is not as it was written. {self.anew}")
        return np.asarray(array)

    def write_array(self, key: str, array: Any) -> dict[str, Any]:
        """Write an array; return what the document says of it."""
        values = np.ascontiguousarray(array).reshape(np.shape(array))
        np.save(self.path / f"{key}.npy", values, allow_pickle=False)
        return facts_of(values)


def facts_of(array: Array) -> dict[str, Any]:
    """Return type, shape and checksum of an array."""
    flat, crc = np.asarray(array).reshape(-1).view(np.uint8).data, 0
    for low in range(0, len(flat), STEP):
        crc = zlib.crc32(flat[low : low + STEP], crc)
    return {"dtype": array.dtype.str, "shape": list(array.shape), "crc32": crc}


def digest_of(document: dict[str, Any]) -> str:
    """Return a digest of a document, which does not depend on the order of its keys."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
