"""Numba kernels over plain arrays. They trust their arguments: callers check them, kernels never do."""
