"""Settings for all tests."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("nearfar", deadline=None)  # the first example of a test may compile a kernel
settings.load_profile("nearfar")
