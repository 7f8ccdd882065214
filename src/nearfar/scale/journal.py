"""What a long job has finished, line by line, so that the same call can go on after any end, also a kill.

A line is written when what it tells of is in its file; each has a checksum of its own. A last line that was torn is
dropped, and with it the work that it would have told of. What lines tell of has checksums in them, so that a power cut,
which may lose what was written last, is noticed.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

from ..errors import FileError

Entry = dict[str, Any]


class Journal:
    """The lines of a job in a folder; a context manager that no other process or thread holds meanwhile.

    Attributes
    ----------
    entries : list of dict
        What was finished, in order.
    """

    def __init__(self, path: Path, what: str) -> None:
        self.path, self.what = path, what
        self.entries: list[Entry] = []

    def __enter__(self) -> Journal:
        self._file = open(self.path, "a+b", buffering=0)
        try:
            _hold(self._file, self.what)
            self._file.seek(0)
            whole = 0
            for line in self._file.read().splitlines(keepends=True):
                entry = _parsed(line)
                if entry is None:
                    break
                self.entries.append(entry)
                whole += len(line)
            self._file.truncate(whole)
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(self, *failure: object) -> None:
        self._file.close()

    def note(self, **entry: Any) -> None:
        """Write down what is finished."""
        text = json.dumps(entry)
        self._file.write(f"{zlib.crc32(text.encode()):08x} {text}\n".encode())
        self.entries.append(entry)

    def clear(self) -> None:
        """Forget everything."""
        self._file.truncate(0)
        self.entries.clear()

    def all(self, key: str) -> list[Entry]:
        """Return the entries that have a key."""
        return [entry for entry in self.entries if key in entry]

    def last(self, key: str) -> Any:
        """Return the value of a key in the last entry that has it, or None."""
        return next((entry[key] for entry in reversed(self.entries) if key in entry), None)


def _parsed(line: bytes) -> Entry | None:
    """Return the entry of a line, or None if it is torn."""
    crc, _, text = line.rstrip(b"\n").partition(b" ")
    if not line.endswith(b"\n") or crc != f"{zlib.crc32(text):08x}".encode():
        return None
    found: Entry = json.loads(text)
    return found


def _hold(file: Any, what: str) -> None:
    """Lock a file until it is closed; refuse one that somebody else holds. Windows has no such locks."""
    if os.name != "posix":
        return
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise FileError(
            f"{what} is being written by another process or thread. Wait until it has ended, or give another name."
        ) from error
