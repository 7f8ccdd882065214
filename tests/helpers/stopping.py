"""Queries whose searches may stop when some targets are settled, as those of tables and of single paths do."""

from __future__ import annotations

from dataclasses import replace

import pytest

import nearfar
from nearfar import api
from nearfar.engine.query import take_vertices


def stopping(query, graph, *given, targets=None, **options):
    """Ask a query by name; with targets, the result is exact up to the farthest of them, and empty beyond."""
    solve = api.solve
    with pytest.MonkeyPatch.context() as patch:
        if targets is not None:
            patch.setattr(api, "solve", lambda asked: solve(replace(asked, targets=_indices(asked, targets))))
        return getattr(nearfar, query)(graph, *given, **options)


def planned(graph, sources=None, targets=None, **options):
    """Return the plan of such a query."""
    plan = api.plan_query
    with pytest.MonkeyPatch.context() as patch:
        if targets is not None:
            patch.setattr(api, "plan_query", lambda asked: plan(replace(asked, targets=_indices(asked, targets))))
        return nearfar.plan(graph, sources, **options)


def _indices(asked, targets):
    return take_vertices(asked.asked, targets, "target")
