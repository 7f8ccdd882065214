"""The shortest-path functions of `scipy.sparse.csgraph`, with their signatures and meanings, over nearfar's engine.

>>> from nearfar import csgraph
"""
