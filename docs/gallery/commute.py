"""
Commute times
=============

How long is the way to work, where is the nearest hospital, and what can be reached within ten minutes?

The city is generated: its crossings have names, longitude and latitude, and its weights are seconds. With
``nearfar.read("monaco.osm.pbf")`` a real one takes its place, and nothing else changes.
"""

import nearfar

city = nearfar.generate.city()
city

# %%
# From places to places
# ---------------------
# People have coordinates. `nearfar.geo.snap` finds the crossings next to them, longitude first; all queries take what
# it returns. Three homes and two offices make a table of six travel times, in seconds:

homes = nearfar.geo.snap(city, [-20.030, -20.012, -19.985], [44.995, 45.012, 44.998])
offices = nearfar.geo.snap(city, [-20.002, -19.975], [45.000, 45.012])
table = nearfar.table(city, homes, offices)
table.to_frame(wide=True)

# %%
# A path is a list of crossings; its length is in the table already.

path = table.path(homes.vertices[0], offices.vertices[1])
f"{len(path)} crossings, from {path[0]} to {path[-1]}"

# %%
# The nearest hospital
# --------------------
# ``direction="to"`` counts the time *to* the hospital: in one-way streets it is not the time from it. One search
# finds the nearest hospital for all crossings, however many hospitals there are.

lon, lat = [-20.035, -20.015, -19.990, -19.970], [44.994, 45.014, 44.992, 45.012]
hospitals = nearfar.geo.snap(city, lon, lat)
nearest = nearfar.nearest(city, hospitals, direction="to")
nearest.plot(title="The nearest of four hospitals", width=760)

# %%
# Who needs longest, and to which hospital?

crossing, seconds = nearest.farthest()[0]
crossing, seconds, nearest.path(crossing)[-1]

# %%
# Within ten minutes
# ------------------
# An isochrone ends where the limit is reached, in the middle of a street if need be.

reached = nearfar.geo.isochrone(city, offices[0], [120, 240, 360, 480, 600], direction="to")
reached.plot(title="Minutes to the office", width=760)

# %%
# ``reached.polygons().to_geojson("office.geojson")`` writes the areas for a map. :doc:`../places` has more: points
# between two crossings, limits in metres, results as GeoJSON.
