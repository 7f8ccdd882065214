"""The NetworkX backend: NetworkX's functions, with its signatures, exceptions and types, over nearfar's engine.

NetworkX finds it by the entry points of this package (pyproject.toml). It reads `info.py` when it is imported, which
imports nothing, and `backend.py` on the first call that is meant for nearfar.
"""
