"""
A matrix on the disk
====================

All pairs of a large graph are more than memory holds. But rows of neighbours are similar: stored, those of a road
network take a seventieth of their size. A store is written in blocks, can be stopped at any moment, and goes on.
"""

import os
import tempfile

import nearfar

city = nearfar.generate.city()
folder = tempfile.TemporaryDirectory()
store = os.path.join(folder.name, "city.zarr")

# %%
# How large, how long?
# --------------------
# A plan computes and compresses some blocks, and writes none.

plan = nearfar.plan(city, out=store)
f"{plan.stored_bytes / 1e6:.1f} MB on the disk, {plan.bytes / 1e6:.0f} MB of memory"

# %%
# Write it
# --------
# The same call again goes on where it was stopped: by Ctrl-C, a power cut, or a full disk.

matrix = nearfar.apsp(city, out=store)
status = matrix.status()
f"{status['uncompressed_bytes'] / 1e6:.0f} MB of distances in {status['bytes'] / 1e6:.1f} MB"

# %%
# Read it
# -------
# Later, and without the graph: distances and rows are found by name.

matrix = nearfar.open_matrix(store)
home, work = "Main Street / 3rd Avenue", "Elm Street / 43rd Avenue"
matrix[home, work], matrix[home][:4]

# %%
# With the graph, a path is read off the stored row without a search, and rows are results with all that these can do.

path = matrix.path(city, home, work)
rows = matrix.distances(city, [home])
rows.plot(to=work, title="From a stored row", width=760)

# %%
# Prove it
# --------
# Every part of a block has a checksum. And any rows can be proved, without the code that found them:

print(matrix.verify(city, sample=50))

# %%
# A store is plain Zarr: xarray and dask read it without nearfar. See :doc:`../stores`. With ``client=`` the workers
# of a cluster write it: :doc:`../cluster`.

folder.cleanup()
