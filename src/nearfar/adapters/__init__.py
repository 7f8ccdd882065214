"""Doors from other libraries: their functions, with their signatures and meanings, over nearfar's engine."""
