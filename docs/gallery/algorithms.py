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
# *relaxed*: each may bring its head nearer. One thread does this, since which vertex is next depends on the last one.
#
# This is a search at half time. What has a colour is settled, what is grey is not.

half = float(np.median(result.dist))
nearfar.sssp(city, home, method="dijkstra", cutoff=half).plot(width=600)

# %%
# Delta-stepping: one ring after the other
# ----------------------------------------
# All vertices within a ring, a *bucket* of width delta, are relaxed at once, by all threads or by all cores of a GPU;
# again and again, until the ring does not change any more. Then comes the next ring. Narrow rings waste no work, wide
# ones have work for everybody. Here they are two minutes wide:

result.plot(limits=[120, 240, 360, 480, 600], width=600)

# %%
# Frontier and edge: in rounds
# ----------------------------
# Round k relaxes whatever changed in round k - 1 (``frontier``), or all arcs (``edge``). After k rounds, no distance is
# longer than the best path of up to k arcs. No order of distances is needed, so negative weights are fine; but a
# vertex may change many times. These are rounds 1 to 10, 11 to 20 and so on:

alike = nearfar.Graph.from_arcs(city.tails, city.heads, n=city.n, coordinates=city.coordinates)
hops = nearfar.sssp(alike, city.index(home))
hops.plot(limits=[10, 20, 30, 40, 50], colours="viridis", width=600, scale="degrees")

# %%
# Breadth-first search is the same where all weights are equal: then the first distance of a vertex is its last.
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
