"""What processes that `nearfar.connect` starts do first: they no longer hear Ctrl-C, which is the caller's to hear.

A terminal sends it to all processes that were started from it. The caller ends the tasks, and then the workers.
"""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Ignore the signal; Dask calls this when a worker starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
