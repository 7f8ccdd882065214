"""The results of queries: `Distances`, `Nearest`, and their trees; limits.py: distance types and their limits."""

from .distances import Distances as Distances
from .nearest import Nearest as Nearest
