"""A graph pruned, eliminated and laid out for sweeps: what a prepared graph (prepared.py) is made of.

skeleton.py: who is eliminated when and which arcs arise, from the topology alone; slots.py: their weights, and which of
them are needed; sheet.py: those laid out for sweeping; sweeper.py: rows of distances from it, LANES at a time.
"""
