"""Tuned numbers that several methods share, each with the measurement that chose it."""

from __future__ import annotations

NAP = 5e-5  # seconds a thread without work sleeps before it looks again
PATIENT_RELAXATIONS = 3  # per arc; with more, `dijkstra` takes a heap and `delta` narrower buckets; 1.05 is usual
FIRST_ROUNDS = 64  # rounds before the first look for a negative cycle
LEAST_BUDGET = 10**7  # list entries that elimination may always merge, even for few rows: a twentieth of a second
NARROW_ARCS = 4  # 16 bits are tried if they hold this many times the heaviest weight: a guess at the longest distance
# Elimination for many rows: times the list entries that a look expected which it may merge, and steps of it for a step
# of a heap. 128 rows of a road grid of 99,856 with negative weights: 29 million entries, of which half of the plain
# steps were 11: rows one by one instead, 1.6 s; with six times as many 0.38 s.
OVER_EXPECTED, HEAP_STEPS = 3, 6
