"""Numba kernels over plain arrays. They trust their arguments: checks happen at the doors, never here."""
