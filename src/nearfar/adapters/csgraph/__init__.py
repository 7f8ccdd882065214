"""SciPy's shortest paths over nearfar's engine: the functions of `nearfar.csgraph`."""
