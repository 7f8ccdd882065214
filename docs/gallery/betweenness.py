"""
Betweenness of a city
=====================

Which streets carry most of the shortest paths? Betweenness counts, for every street, the share of all pairs of
crossings whose shortest paths lead over it. It is exact here: all pairs, with all ties.
"""

import numpy as np

import nearfar

city = nearfar.generate.city()

# %%
# Streets
# -------
# 2,400 crossings are nearly six million pairs. The city is prepared first, which takes milliseconds, and then all
# pairs are counted in less than a second.

streets = nearfar.metrics.edge_betweenness(city)
streets.plot(dark=True, title="Betweenness of streets", width=760)

# %%
# ``by_row()`` has one number for each row of the table that a graph was made of. These are the busiest five:

busiest = np.argsort(-streets.by_row())[:5]
city.to_frame().iloc[busiest]

# %%
# Crossings
# ---------

crossings = nearfar.metrics.betweenness(city)
crossings.top(3)

# %%
# Trips instead of all pairs
# --------------------------
# People do not travel between all pairs alike. A table of trips is loaded on the streets in the same way: here half
# of all trips lead to the middle of the city.

rng = np.random.default_rng(3)
centre = nearfar.geo.snap(city, -20.0, 45.004).vertices[0]
origins, goals = rng.integers(city.n, size=(2, 400))
trips = [(city.name(a), city.name(b), 1) for a, b in zip(origins, goals, strict=True)]
trips += [(city.name(a), centre, 1) for a in origins]
flows = nearfar.metrics.flows(city, trips)
flows.plot(units="trips", title="800 trips", width=760)

# %%
# Whose trips use the busiest street?

link = int(flows.by_row().argmax())
nearfar.metrics.select_link(city, trips, link).head(3)

# %%
# :doc:`../metrics` says how it works and how long it takes: all pairs of New York in 60 seconds.
