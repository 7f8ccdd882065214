"""Hidden folders beside a folder that is written: the new one until it is whole, the old one until it is replaced.

They are named after the machine and the process. What a process left that was killed is removed by the next one on that
machine that writes the same folder.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
from pathlib import Path

PART, OLD = "part", "old"


def begin_folder(target: Path) -> Path:
    """Make an empty folder beside a target, to be renamed when it is whole."""
    made = name_aside(target, PART)
    shutil.rmtree(made, ignore_errors=True)
    _remove_left(target)
    made.mkdir()
    return made


def name_aside(target: Path, kind: str) -> Path:
    """Return the name of a folder of this process beside a target."""
    return target.parent / f".{target.name}.{_machine()}-{os.getpid()}.{kind}"


def _machine() -> str:
    """Return the name of this machine, as part of the name of a folder."""
    return re.sub(r"[^\w-]", "-", socket.gethostname())[:60]


def _remove_left(target: Path) -> None:
    """Remove what writers left who were killed on this machine; the old folder only where the new one is in place."""
    pattern = re.compile(rf"{re.escape(f'.{target.name}.{_machine()}')}-(\d+)\.({PART}|{OLD})")
    for path in target.parent.iterdir():
        found = pattern.fullmatch(path.name)
        if found and not _is_running(int(found[1])) and (found[2] == PART or target.exists()):
            shutil.rmtree(path, ignore_errors=True)


def _is_running(pid: int) -> bool:
    """Tell whether a process is there; Windows has no harmless way to ask, so yes."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
