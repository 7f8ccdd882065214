"""The sources of a query in pieces, each a task for a worker, and the answers in the order of the pieces."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from ..engine.blocks import Done
from ..engine.query import Query
from ..progress import watcher
from .cluster import Cluster
from .driver import Task
from .recipe import Recipe, run_recipe
from .sizing import pieces_of


@dataclass(frozen=True)
class Gathering:
    """A query on a cluster, and its recipe."""

    query: Query
    cluster: Cluster
    recipe: Recipe

    def answers(
        self, name: str, function: Callable[..., Any], args: tuple[Any, ...], size: int, most: int | None = None
    ) -> Generator[Any]:
        """Yield ``function(recipe, sources, *args)`` of every piece of so many sources, in order.

        ``name``: of the tasks, on the dashboard; ``most``: how many answers may be under way or wait for their turn.
        """
        pieces = pieces_of(self.query.sources, size)
        tasks = [Task(f"nearfar-{name}", function, (self.recipe, some, *args)) for some in pieces]
        done = Done()
        with watcher(self.query.progress, len(self.query.sources), done) as watch:
            for i, found in enumerate(run_recipe(self.cluster, self.recipe, tasks, most, watch)):
                yield found
                del found  # the next answer takes its memory
                done.add(len(pieces[i]))


def stats_of(method: str, cluster: Cluster, seconds: float) -> dict[str, Any]:
    """Return the stats of a run on a cluster."""
    return {"method": method, "device": "cpu", "workers": len(cluster.workers()), "seconds": seconds}
