"""The earth as a sphere: distances in metres, and longitude and latitude as points in space.

In space there is no date line and no pole: points that are near on the earth are near, wherever they are.
"""

from __future__ import annotations

import numpy as np

from .arrays import Array

RADIUS = 6_371_000  # metres; a sphere is off by up to half a percent


def distance(here: Array, there: Array) -> Array:
    """Return the great-circle distances between coordinates, in metres."""
    (x1, y1), (x2, y2) = np.radians(here).T, np.radians(there).T
    chord = np.sin((y2 - y1) / 2) ** 2 + np.cos(y1) * np.cos(y2) * np.sin((x2 - x1) / 2) ** 2
    return 2 * RADIUS * np.arcsin(np.sqrt(np.minimum(chord, 1)))


def to_space(points: Array) -> Array:
    """Return longitudes and latitudes, shape (k, 2), as unit vectors, shape (k, 3)."""
    x, y = np.radians(points, dtype=np.float64).T
    return np.column_stack((np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)))


def from_space(vectors: Array) -> Array:
    """Return the longitudes and latitudes of vectors of any length but 0."""
    x, y, z = np.asarray(vectors).T
    return np.degrees(np.column_stack((np.arctan2(y, x), np.arctan2(z, np.hypot(x, y)))))


def along_sphere(chords: Array) -> Array:
    """Return the metres along the sphere between ends of chords of a unit sphere."""
    return 2 * RADIUS * np.arcsin(np.minimum(np.asarray(chords) / 2, 1))


def as_chord(metres: float) -> float:
    """Return the chord of a unit sphere between points that are so many metres apart; 2 if that is beyond the globe."""
    return float(2 * np.sin(min(metres / (2 * RADIUS), np.pi / 2)))
