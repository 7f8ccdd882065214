"""Where a file may be written: looked at before anything is read or computed for it."""

from __future__ import annotations

import os
from pathlib import Path

from .whole import cannot_write


def check_place(path: str) -> None:
    """Refuse a file that cannot be written: no folder for it, a folder in its place, no permission."""
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise cannot_write(path, FileNotFoundError())
    if Path(path).is_dir():
        raise cannot_write(path, IsADirectoryError())
    if not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise cannot_write(path, PermissionError())
