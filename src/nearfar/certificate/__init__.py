"""The proof that distances are exact: `verify`, which shares no code with solvers and trees."""

from .verify import Certificate as Certificate
from .verify import verify as verify
