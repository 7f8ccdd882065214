"""The functions of `scipy.sparse.csgraph`, the shortest paths among them by nearfar's engine.

One line changes: ``from nearfar import csgraph`` for ``from scipy.sparse import csgraph``, or
``from nearfar.csgraph import dijkstra``. Signatures, meanings and results are SciPy's; what is not a shortest path is
SciPy's own function.

>>> from nearfar import csgraph
>>> csgraph.dijkstra([[0, 1, 2], [0, 0, 1], [0, 0, 0]], indices=0)
array([0., 1., 2.])
"""

from __future__ import annotations

import scipy.sparse.csgraph as _scipys

from .adapters.csgraph.functions import bellman_ford as bellman_ford
from .adapters.csgraph.functions import dijkstra as dijkstra
from .adapters.csgraph.functions import floyd_warshall as floyd_warshall
from .adapters.csgraph.functions import johnson as johnson
from .adapters.csgraph.functions import shortest_path as shortest_path
from .adapters.csgraph.functions import yen as yen

__all__ = list(_scipys.__all__)

# The rest: components, trees, flows, matchings, conversions, NegativeCycleError.
for _name in __all__:
    if _name not in globals():
        globals()[_name] = getattr(_scipys, _name)
