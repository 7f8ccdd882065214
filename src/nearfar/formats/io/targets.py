"""Check that a file can be written, before anything is read or computed for it."""

from __future__ import annotations

import os
from pathlib import Path

from .whole import cannot_write


def check_writable(path: str, folder: bool = False) -> None:
    """Refuse a file that cannot be written: its folder is missing, it is a folder itself, or no permission.

    ``folder``: it is to be a folder.
    """
    above = Path(os.path.realpath(path)).parent
    if not above.is_dir():
        raise cannot_write(path, FileNotFoundError())
    if Path(path).is_dir() and not folder:
        raise cannot_write(path, IsADirectoryError())
    if not os.access(path if Path(path).exists() else above, os.W_OK):
        raise cannot_write(path, PermissionError())
