"""Click through the explorer in a real browser: `make browser-test`.

The browser is Debian's Chromium, or another one that is installed; nothing is downloaded past the package managers. On
Debian, where it is missing and we may, it is installed. Otherwise a line says SKIPPED.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from helpers.browsing import chromium

ROOT = Path(__file__).parent.parent
PATIENCE = 600  # seconds for the package
INSTALL = "apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium"


def main() -> int:
    """Run the tests; return the exit code, 0 if there is no browser."""
    problem = install()
    if problem:
        print(f"browser-test: SKIPPED, {problem}")
        return 0
    command = [sys.executable, "-m", "pytest", "-q", "tests/browser", *sys.argv[1:]]
    code = subprocess.run(command, cwd=ROOT).returncode
    print(f"browser-test: {'failed' if code else 'passed'} in {chromium()}")
    return code


def install() -> str | None:
    """Install the browser unless it is there; return why that cannot be done, or None."""
    if chromium():
        return None
    if not (hasattr(os, "getuid") and os.getuid() == 0 and shutil.which("apt-get")):
        return "there is no Chromium (on Debian and Ubuntu: apt install chromium)"
    try:
        subprocess.run(["sh", "-c", INSTALL], check=True, capture_output=True, timeout=PATIENCE)
    except (OSError, subprocess.SubprocessError) as error:
        return f"Chromium could not be installed: {error}"
    return None if chromium() else "Chromium was installed, but is not found"


if __name__ == "__main__":
    sys.exit(main())
