"""A user's function on its way to the workers: written once, beside the graph, and loaded anew for every task.

So tasks share nothing that the function keeps, whatever a worker did before. A function of the caller's own program
travels whole; one from a module is imported there, so the workers need that module, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ClusterError, InputTypeError, option
from .cluster import Cluster
from .spool import mapped_at


def pack(thing: Any, what: str, cluster: Cluster) -> str:
    """Write a function, or what contains it, for the workers; return where it lies."""
    import cloudpickle

    try:
        data = cloudpickle.dumps(thing)
    except Exception as error:
        raise InputTypeError(
            f"the {what} cannot be sent to the workers of a cluster ({type(error).__name__}: {error!s:.200}). It "
            "refers to something that only this process has, such as an open file or a lock: let it make that itself, "
            f"or leave {option('client')} out."
        ) from error
    return cluster.spool.array(np.frombuffer(data, np.uint8), passing=True)


def unpack(path: str, what: str) -> Any:
    """Return what was packed, on a worker."""
    import cloudpickle

    try:
        return cloudpickle.loads(mapped_at(path).tobytes())
    except (ImportError, AttributeError) as error:
        raise ClusterError(
            f"a worker cannot load the {what}: {error}. Install the module that it comes from on all workers, or "
            "define it in the program that calls nearfar."
        ) from error
