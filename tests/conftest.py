"""Settings for all tests, and the fixtures that several folders share."""

from __future__ import annotations

from hypothesis import settings

from helpers.commands import child as child
from helpers.commands import friends as friends
from helpers.commands import roads as roads
from helpers.commands import run as run

settings.register_profile("nearfar", deadline=None)  # the first example of a test may compile a kernel
settings.load_profile("nearfar")
