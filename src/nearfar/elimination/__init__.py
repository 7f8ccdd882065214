"""Prepared graphs: elimination of vertices, weights of shortcuts, and the sweeps that find rows of distances.

It is Gaussian elimination with minimum in place of plus and plus in place of times. Taking a vertex out of a graph
keeps all distances among the others if every two of its neighbours are joined by a *shortcut*, an arc as long as the
path over the vertex. In the graph with all shortcuts, a shortest path climbs to vertices that were eliminated later,
then descends.

The files, in the order in which a graph passes through them:

- prune.py, landmarks.py: remove arcs that no shortest path needs.
- eliminate.py: `Structure`, the elimination order, its tree and the shortcuts that arise; from the topology alone.
- shortcuts.py: `Shortcuts`, their weights and which of them are needed.
- layout.py, lines.py: `SweepLayout`, the needed arcs in the order of a sweep.
- core.py: the part that is not eliminated, searched for LANES sources at once.
- build.py: `Hierarchy`, all of these together.
- sweep.py: rows of distances, LANES at a time; tables.py, part.py, pairs.py: tables, sums of rows, and single pairs.
- reweight.py, refill.py: new weights on the same arcs; levels.py: the same arcs for GPUs; file.py: saving and loading.
- solvers.py: what elimination needs of the methods above it; tuning.py: tuned numbers with their measurements.
"""
