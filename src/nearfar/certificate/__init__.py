"""`verify`: the proof that distances are exact. It shares no code with the solvers and the trees."""

from .verify import Certificate as Certificate
from .verify import verify as verify
