"""What a query gives back: `Distances`, `Nearest`, and the trees behind them; limits.py: where distances end."""

from .distances import Distances as Distances
from .nearest import Nearest as Nearest
