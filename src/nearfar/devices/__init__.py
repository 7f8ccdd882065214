"""Where queries run. The table DEVICES names them; one module each."""

from __future__ import annotations

from . import cpu

DEVICES = {"cpu": cpu}
