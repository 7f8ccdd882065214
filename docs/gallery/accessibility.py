"""
Accessibility
=============

How many jobs can be reached from each address within five minutes, and how many within ten? And what changes when a
bridge is closed?

Amounts are added up while distances are found: all origins at once, without a matrix of travel times.
"""

import numpy as np

import nearfar

city = nearfar.generate.city()

# %%
# Jobs
# ----
# Most jobs are in the middle of the city, some are anywhere. An array with one number per crossing will do; so will a
# dict, or a table whose column ``vertex`` has the names.

x, y = city.coordinates.T
middle = np.exp(-(((x + 20.0) / 0.012) ** 2) - ((y - 45.004) / 0.006) ** 2)
jobs = np.random.default_rng(1).poisson(200 * middle + 5)
int(jobs.sum())

# %%
# Within five and ten minutes
# ---------------------------

found = nearfar.metrics.accessibility(city, jobs, cutoffs=[300, 600])
found["Main Street / 1st Avenue"]

# %%
# Distances lead from each crossing to the jobs; ``direction="to"`` would turn that round.

found.plot(column=300, title="Jobs within five minutes", width=760)

# %%
# A decay instead of a limit
# --------------------------
# A job at the other end of the city counts less, but it counts. With a scale of five minutes, these are the best
# places to live:

near = nearfar.metrics.accessibility(city, jobs, decay="exponential", scale=300)
near.top(3)

# %%
# Close a bridge
# --------------
# `nearfar.Graph.find_rows` finds a street by its ends, in one direction. A closed street is gone.

south, north = "Forest Street / 31st Avenue", "Spring Street / 31st Avenue"
bridge = [*city.find_rows(south, north), *city.find_rows(north, south)]
closed = nearfar.metrics.accessibility(city.close(bridge), jobs, cutoffs=[300, 600])
found[south][300], closed[south][300]

# %%
# Where are most jobs lost? A difference is an array like any other, and a result draws what you put into it.

closed.values[:] = found.values - closed.values
closed.plot(column=300, title="Jobs lost without the bridge", width=760)

# %%
# :doc:`../metrics` has more: several kinds of opportunities, decays of your own, and what it takes on a million
# crossings.
