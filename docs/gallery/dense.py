"""
Dense matrices
==============

Some graphs are matrices: travel times between all depots, exchange rates, similarities. Every pair has an entry, and
what is asked for is the shortest path of every pair.
"""

import numpy as np
import scipy.sparse.csgraph

import nearfar
from nearfar import csgraph

# %%
# A matrix with detours
# ---------------------
# 300 places in a square. Most direct ways are worse than the straight line, some much worse, so that a detour over
# other places is shorter. The diagonal is 0, and there is no symmetry.

rng = np.random.default_rng(4)
places = rng.random((300, 2))
straight = np.hypot(*(places[:, None] - places[None, :]).transpose(2, 0, 1))
matrix = straight * rng.exponential(1.0, straight.shape) + straight
matrix[0].round(2)[:5]

# %%
# All pairs
# ---------
# `nearfar.Graph.from_matrix` takes the matrix. For a dense graph, ``auto`` chooses blocked Floyd-Warshall:

graph = nearfar.Graph.from_matrix(matrix, coordinates=places)
result = nearfar.apsp(graph)
print(result.plan.method)
print(result.plan.why)

# %%
shorter = (result.dist < matrix * 0.999).mean()
f"{shorter:.0%} of the pairs have a detour that is shorter"

# %%
# Floats of this method are added in another order than along the path. The certificate proves how far off they can
# be:

print(nearfar.verify(graph, result))

# %%
# SciPy's functions
# -----------------
# If your code calls SciPy, change one import. Signatures and results are SciPy's.

ours = csgraph.floyd_warshall(matrix)
theirs = scipy.sparse.csgraph.floyd_warshall(matrix)
bool(np.allclose(ours, theirs, rtol=1e-12))

# %%
# A path
# ------
# Which places does the longest of all shortest paths pass?

far = np.unravel_index(result.dist.argmax(), result.dist.shape)
path = result.path(*map(int, far))
path

# %%
# The picture shows the four shortest entries of each row, and this path on top.

near = np.where(matrix <= np.sort(matrix, axis=1)[:, [4]], matrix, np.inf)
near[path[:-1], path[1:]] = matrix[path[:-1], path[1:]]
shown = nearfar.Graph.from_matrix(near, coordinates=places)
result = nearfar.sssp(shown, path[0])
result.plot(paths=[path], scale="plane", width=600)

# %%
# Zeros, missing entries and masks mean what they mean in SciPy: :doc:`../from-scipy`, and `nearfar.csgraph`.
