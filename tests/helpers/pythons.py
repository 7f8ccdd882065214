"""Other Pythons of this machine, and environments made with them inside .venv: for `make newer` and `make lowest`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PATIENCE = 600  # seconds for the packages
ASK = "import sys, venv, ensurepip; print('{}.{}'.format(*sys.version_info))"


def find(version: str) -> str | None:
    """Return a Python of a version, such as "3.13", that works: this one, or one of the PATH or of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    places = (sys.executable, shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python")))
    return next((str(place) for place in places if place and works(str(place), version)), None)


def pip(python: str | Path) -> list[str]:
    """Return the command that runs the pip of a Python."""
    return [str(python), "-m", "pip", "--disable-pip-version-check", "-qq"]


def works(python: str, version: str) -> bool:
    """Tell whether a Python runs, has this version and can make environments; pyenv's names may stand for nothing."""
    try:
        found = subprocess.run([python, "-c", ASK], capture_output=True, text=True, timeout=PATIENCE)
    except (OSError, subprocess.SubprocessError):
        return False
    return found.returncode == 0 and found.stdout.strip() == version


def environment(name: str, version: str, packages: list[str]) -> Path:
    """Return the Python of .venv/NAME, which has this version and these packages; make it unless it is there.

    Raises LookupError, which says why it cannot be made.
    """
    home = Path(sys.prefix, name)
    python = home / "bin" / "python"
    done = home / "installed"
    wanted = "\n".join([version, *packages])
    if (
        done.exists()
        and done.read_text() == wanted
        and done.stat().st_mtime > (ROOT / "pyproject.toml").stat().st_mtime
    ):
        return python
    found = find(version)
    if found is None:
        raise LookupError(f"no Python {version} was found")
    install = [*pip(python), "install", "--no-compile"]
    try:
        subprocess.run([found, "-m", "venv", "--clear", home], check=True, capture_output=True)
        for what in (["pip>=25.1"], packages):  # older ones know no --group
            subprocess.run([*install, *what], cwd=ROOT, check=True, capture_output=True, timeout=PATIENCE, text=True)
    except subprocess.CalledProcessError as error:
        raise LookupError(f"its packages could not be installed: {error}\n{error.stderr}") from None
    except (OSError, subprocess.SubprocessError) as error:
        raise LookupError(f"its packages could not be installed: {error}") from None
    done.write_text(wanted)
    return python
