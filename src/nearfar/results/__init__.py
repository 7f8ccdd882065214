"""The results of queries: `Distances`, `Nearest`, `KNearest`, `Table`, their trees; limits.py: distance types."""

from .distances import Distances as Distances
from .knearest import KNearest as KNearest
from .nearest import Nearest as Nearest
from .table import Table as Table
