"""
Paths over a terrain
====================

The cheapest way over a raster: a pipeline, a cable, a walk through the hills, or the way of an animal through its
habitat. Every cell has a cost; neighbouring cells are joined.
"""

import numpy as np

import nearfar

# %%
# Hills, a river, and two fords
# -----------------------------
# The terrain is generated: costs are per unit of length, and infinite where nobody gets through.

y, x = np.mgrid[0:160, 0:240] / 40
costs = 1.2 + np.sin(2.1 * x + 1) * np.cos(1.7 * y) + 0.5 * np.sin(5 * y + x)
costs = np.maximum(costs, 0.1)
river = np.abs(x - 3 - 0.3 * np.sin(2 * y)) < 0.06
ford = (np.abs(y - 0.5) < 0.08) | (np.abs(y - 3.1) < 0.08)
costs[river] = np.where(ford, 3.0, np.inf)[river]
land = nearfar.Graph.from_raster(costs)
land

# %%
# One source, all cells
# ---------------------
# Cells are called by row and column. A step costs the mean of its two cells, times its length.

camp, summit = (80, 20), (140, 225)
result = nearfar.sssp(land, camp)
result.plot(to=summit, title="From the camp to the summit", width=760)

# %%
result[summit], len(result.path(summit))

# %%
# The answer is a raster again, with ``inf`` where nobody gets.

distances = result.to_raster()
distances.shape, int(np.isinf(distances).sum()), int(np.isinf(costs).sum())

# %%
# A corridor
# ----------
# The cheapest path is one answer; which cells lie on a path that is at most five percent longer? Add the distances
# from one end to the distances to the other.

both = distances + nearfar.sssp(land, summit, direction="to").to_raster()
corridor = both <= 1.05 * result[summit]
f"{corridor.mean():.1%} of the cells"

# %%
# To draw it, make a raster of it: cheap inside of the corridor, closed outside.

inside = nearfar.Graph.from_raster(np.where(corridor, costs, np.inf))
walk = nearfar.sssp(inside, camp)
walk.plot(to=summit, title="The corridor", width=760, colours="viridis")

# %%
# :doc:`Graphs <../graphs>` has the rest on rasters: four, eight or sixteen neighbours, sizes of cells, and
# files of heights.
