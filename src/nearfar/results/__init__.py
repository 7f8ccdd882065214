"""The results of queries: `Distances`, `Nearest`, `Table`, their trees; limits.py: distance types and their limits."""

from .distances import Distances as Distances
from .nearest import Nearest as Nearest
from .table import Table as Table
