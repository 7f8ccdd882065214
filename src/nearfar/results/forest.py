"""The shortest-path trees of a result, made when they are first asked for, and kept; and paths, which need none.

Trees come from the distances (trees.py). If these were added in another order than along the path, they are solved
again first, some rows at a time, so that trees do not depend on the method.

A path is read off the distances, too (paths.py), as long as that is less work than a tree: the walks of one row may
look at as many arcs as the graph has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.cpu.constants import NO_VERTEX
from .limits import unreached
from .passing import is_passed, predecessors_by_passes
from .paths import climb_tree, walk_back
from .trees import origins, predecessors, roots_of

if TYPE_CHECKING:
    from .distances import Distances

ROUNDED_AT_ONCE = 1 << 22  # distances that are solved again in one query


class Forest:
    """The trees of the rows of one result, which its methods are given: it holds the forest, and no cycle arises."""

    def __init__(self, fewest_arcs: bool = False) -> None:
        self.fewest_arcs = fewest_arcs  # whether paths with the fewest arcs are taken
        self.single: dict[int, np.ndarray] = {}  # trees of some rows
        self.whole: np.ndarray | None = None  # trees of all rows
        self._over_the_limit: dict[int, np.ndarray] = {}  # trees of rows with paths over unreached vertices
        self._rounded_roots: dict[int, np.ndarray] = {}  # of rows that were solved again, if not all seeds are roots
        self._looks: dict[int, int] = {}  # arcs that walks have looked at, by row

    def known(self) -> dict[int, np.ndarray]:
        """Return the trees that were made so far, by row, without making any."""
        return self.single if self.whole is None else dict(enumerate(self.whole))

    def all(self, of: Distances) -> np.ndarray:
        """Return the trees of all rows."""
        if self.whole is None:
            is_made = len(of.rows) == len(self.single) == 1
            self.whole = self.single[0][None] if is_made else self._make(of, range(len(of.rows)))
            self.single.clear()
        return self.whole

    def tree(self, of: Distances, r: int) -> np.ndarray:
        """Return the tree of row ``r``, also over unreached vertices that are on paths to reached ones."""
        if self.whole is None and r not in self.single:
            self.single[r] = self._make(of, [r])[0]
        found = self.single[r] if self.whole is None else self.whole[r]
        return self._over_the_limit.get(r, found)

    def path(self, of: Distances, r: int, v: int) -> np.ndarray:
        """Return the path from ``v``, which is reached, back to its root in row ``r``, as vertex indices.

        It is empty if it leaves a limit and returns over negative weights, so that the row does not have it.
        """
        found = None if self.whole is not None or r in self.single else self._walk(of, r, v)
        if found is None:
            found = climb_tree(self.tree(of, r), v)
            return found if found[-1] in self.roots(of, r) else found[:0]
        return found

    def _walk(self, of: Distances, r: int, v: int) -> np.ndarray | None:
        """Return a path that was found without a tree; None if the tree is needed, or less work."""
        most = of.graph.m - self._looks.get(r, 0)
        if self.fewest_arcs or of.is_solved_again or of.graph.min_weight < 0 or most <= 0 or is_passed(of):
            return None
        back = of.searched_back(1)
        if back is None:
            return None
        found, looks = walk_back(back, of.rows[r], self.roots(of, r), v, most)
        self._looks[r] = of.graph.m if found is None else self._looks.get(r, 0) + looks
        return found

    def roots(self, of: Distances, r: int) -> np.ndarray:
        """Return the seeds of row ``r`` where paths start, ascending: those that no other seed reaches sooner."""
        seeds = of.seeds_of(r)
        if of.is_solved_again:
            return self._rounded_roots.get(r, seeds)
        if of.seeds is None:  # a small path would take half as long again by the general way
            s = of.source_indices[r]
            return np.array([s] if of.rows[r, s] == 0 else [], np.int32)
        return roots_of(of.rows[r], seeds, of.starts_of(r))

    def origins(self, of: Distances) -> np.ndarray:
        """Return the seed where the path to each vertex starts in the only row, -1 if there is no path."""
        found = origins(self.tree(of, 0), self.roots(of, 0))
        found[of.rows[0] == unreached(of.rows.dtype)] = NO_VERTEX  # a limit may exclude even sources
        return found

    def _make(self, of: Distances, indices: Sequence[int]) -> np.ndarray:
        """Make the trees of some rows, on as many threads as the query had."""
        threads = getattr(of.plan, "threads", 1)
        if of.is_solved_again:
            return self._make_rounded(of, indices, threads)
        rows = of.rows if len(indices) == len(of.rows) else of.rows[list(indices)]
        seeds, starts = [of.seeds_of(r) for r in indices], [of.starts_of(r) for r in indices]
        if is_passed(of):
            return predecessors_by_passes(of.searched, rows, seeds, starts, self.fewest_arcs, of.plan.available)
        return predecessors(of.searched, rows, seeds, threads, starts, **self._rule(of, len(indices)))

    def _rule(self, of: Distances, rows: int) -> dict[str, Any]:
        """Return how trees are made: with the fewest arcs, or with the reversed graph where that is worth it."""
        if self.fewest_arcs or of.graph.min_weight < 0:
            return {"fewest_arcs": True}
        return {"back": of.searched_back(rows)}

    def _make_rounded(self, of: Distances, indices: Sequence[int], threads: int) -> np.ndarray:
        """Return trees of rows that are solved again, some at a time."""
        pred = np.empty((len(indices), of.graph.n), np.int32)
        step = max(threads, ROUNDED_AT_ONCE // max(of.graph.n, 1))
        for first in range(0, len(indices), step):
            self._make_part(of, list(indices[first : first + step]), threads, pred[first : first + step])
        return pred

    def _make_part(self, of: Distances, part: list[int], threads: int, trees: np.ndarray) -> None:
        """Write the trees of some rows to ``trees``.

        A tree contains only reached vertices. At a limit, rounding may leave out a vertex that is on the path to
        another; then the whole tree is also kept, for paths.
        """
        seeds, starts = [of.seeds_of(r) for r in part], [of.starts_of(r) for r in part]
        rows, mark = of.solved_again(part), unreached(of.rows.dtype)
        reached = of.rows[part] != mark
        within = np.where(reached, rows, rows.dtype.type(mark))
        rule = self._rule(of, len(part))
        trees[:] = predecessors(of.searched, within, seeds, threads, starts, **rule)
        limited = of.graph.min_weight >= 0 and (of.cutoff is not None or of.targets is not None)
        for i, r in enumerate(part):
            if not (are_roots := rows[i, seeds[i]] == starts[i]).all():
                self._rounded_roots[r] = seeds[i][are_roots]
            if not limited:
                continue
            lost = reached[i] & (trees[i] == NO_VERTEX)
            lost[self.roots(of, r)] = False
            if lost.any():
                only = slice(i, i + 1)
                self._over_the_limit[r] = predecessors(of.searched, rows[only], seeds[only], 1, starts[only], **rule)[0]
