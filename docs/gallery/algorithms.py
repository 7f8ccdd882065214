"""
Algorithms in pictures
======================

All methods give the same distances. They differ in the order in which they settle vertices, and that decides what they
can take and how fast they are. These pictures show the orders on one city; :doc:`../methods` lists the methods.
"""

import numpy as np

import nearfar

city = nearfar.generate.city(30, 44)
home = nearfar.geo.snap(city, -20.006, 44.998).vertices[0]
result = nearfar.sssp(city, home, method="dijkstra")
result.describe()["vertices"], result.describe()["farthest"]

# %%
# Dijkstra: one vertex after the other
# ------------------------------------
# The nearest vertex that is not settled yet cannot become nearer any more. So it is settled, and its arcs are
# *relaxed*: each may bring its head nearer. The colours grow without a gap, from the source outwards. One thread does
# this, since which vertex is next depends on the last one.

result.plot(width=600)

# %%
# Delta-stepping: one ring after the other
# ----------------------------------------
# All vertices within a ring, a *bucket* of width delta, are relaxed at once, by all threads or by all cores of a GPU;
# again and again, until the ring does not change any more. Narrow rings waste no work, wide ones have work for
# everybody. Each colour here is a ring of one minute.

rings = np.arange(60, int(result.dist.max()) + 60, 60).tolist()
result.plot(limits=rings, width=600, legend=False)

# %%
# Frontier and edge: in rounds
# ----------------------------
# Round k relaxes whatever changed in round k - 1 (``frontier``), or all arcs (``edge``). After k rounds, paths of up
# to k arcs are right. No order of distances is needed, so negative weights are fine; but a vertex may change many
# times. The colours are rounds, five of them each.

alike = nearfar.Graph.from_arcs(city.tails, city.heads, n=city.n, coordinates=city.coordinates)
hops = nearfar.sssp(alike, city.index(home))
hops.plot(limits=list(range(5, 65, 5)), width=600, legend=False, scale="degrees")

# %%
# Breadth-first search is the same where all weights are equal: then each vertex is right when it is reached first.
#
# Prepared: take vertices out, and put them back
# ----------------------------------------------
# The methods above begin anew for each source. A prepared graph has its vertices taken out one by one, and
# *shortcuts* put in their places. What is left at the end, a few lines through the city, separates everything else:
# whoever travels from one side to the other must pass there. A row then takes one sweep up and one sweep down, in an
# order that does not depend on the source; 16 sources are swept at a time.

prepared = nearfar.prepare(city, order="dissection")
nearfar.draw.elimination(prepared, width=600)

# %%
# :doc:`../prepared` tells the rest.
#
# Floyd-Warshall: the whole matrix
# --------------------------------
# Dense graphs have no order that helps. ``floyd`` takes each vertex in turn and lets all pairs go over it, in blocks
# that stay in the cache: :doc:`dense`.
#
# The same answers
# ----------------

methods = ["delta", "frontier", "edge", "johnson", "prepared"]
rows = [nearfar.sssp(city, home, method=method).dist for method in methods]
[bool((row == result.dist).all()) for row in rows]

# %%
# And a proof that does not trust any of them: :doc:`../exact`.

print(nearfar.verify(city, result))
