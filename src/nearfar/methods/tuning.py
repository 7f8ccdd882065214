"""Tuned numbers that several methods share, each with the measurement that chose it."""

from __future__ import annotations

NAP = 5e-5  # seconds a thread without work sleeps before it looks again
PATIENT_RELAXATIONS = 3  # an arc, after which `dijkstra` takes a heap and `delta` narrower buckets; 1.05 is usual
# Rounds, threads, calls.
FIRST_ROUNDS = 64  # rounds before the first look for a negative cycle
LEAST_BUDGET = 10**7  # list entries that elimination may merge however few the rows: a twentieth of a second
NARROW_ARCS = 4  # heaviest arcs that a distance is guessed to be worth at most, when 16 bits are tried
