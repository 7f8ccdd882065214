"""Stores written by the workers of a cluster, and tables in files whose rows they find.

The caller decides what a store holds, keeps its locks and claims its blocks. Workers settle, compress and write blocks
straight to the store, each whole or not at all: to write one twice does no harm. In a folder they write through another
folder aside, a *fence*, which the caller makes and removes: so a worker that hung, and wakes up when the call has
ended, finds no way to write. A file of a table has one writer, the caller; the blocks that wait for it are few.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.blocks import RowBlocks
from ..engine.query import Query
from ..engine.solve import plan_query
from ..errors import ClusterError, MissingFileError, option
from ..results import Distances, Table
from ..store.hands import HERE, Hands
from ..store.matrix.codec import NO_COLUMNS
from ..store.matrix.form import Form
from ..store.matrix.job import Job, encode_blocks, path_of
from ..store.matrix.locks import Writers
from ..store.matrix.metadata import GROUP
from ..store.matrix.places import Folder, Place
from ..store.matrix.settling import SHARES, ByBlocks, Settler
from ..store.streams import BUFFERS
from .cluster import Cluster
from .driver import Task
from .recipe import Recipe, connected, memory_of, on_cpu, recipe_of, run_recipe
from .rows import settle_rows, solve_rows, stream_rows
from .sizing import COPIES, WAITING, rows_per_task
from .spool import array_at
from .tables import array_for_workers, columns_on, table_on


@dataclass(frozen=True)
class Site:
    """A store, as workers find it: the path of a folder and its fence, or another place and its metadata's digest."""

    where: Any
    fence: str
    digest: str

    def open(self) -> Place:
        """Return the place, on a worker; refuse one that is not the caller's."""
        place: Any = self.where
        if isinstance(place, str):
            place = Folder(Path(place), self.fence)
            seen = (place.path / self.fence).is_dir()
        else:
            seen = digest_of(place) == self.digest
        if not seen:
            raise ClusterError(
                f"the worker on {socket.gethostname()} does not see the store {place.name}. Workers write its blocks "
                "themselves, so it must be where all of them see it under this name: on a file system that they share, "
                "or at an address such as s3://bucket/d.zarr."
            )
        return place


def digest_of(place: Place) -> str:
    """Return what tells the metadata of stores apart; nothing if there are none."""
    try:
        return hashlib.sha256(place.read(GROUP)).hexdigest()
    except MissingFileError:
        return ""


def write_blocks(
    recipe: Recipe, site: Site, form: Form, columns: str | None, blocks: list[int], sources: np.ndarray
) -> list[int]:
    """Settle, compress and write some blocks, on a worker; return their bytes. ``columns``: where these lie."""
    if not blocks:
        return []
    place = site.open()
    held, kept = [settle_rows(recipe, sources)], NO_COLUMNS if columns is None else array_at(columns)
    sizes = []
    for b, data in zip(blocks, encode_blocks(form, blocks, held, kept, 1, recipe.check), strict=True):
        recipe.check()
        place.write(path_of(form, b), data)
        sizes.append(len(data))
    return sizes


class _Tasks(Sequence[Task]):
    """The tasks of a store: blocks are claimed when they are given out, so that other processes may have the rest."""

    def __init__(
        self, job: ClusterJob, writers: Writers, recipe: Recipe, site: Site, columns: str | None,
        groups: list[list[int]],
    ) -> None:  # fmt: skip
        self.job, self.writers, self.recipe, self.site, self.columns = job, writers, recipe, site, columns
        self.groups = groups
        self.claimed: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, i: Any) -> Any:
        if i not in self.claimed:
            self.claimed[i] = [b for b in self.groups[i] if self.job.claim(b, self.writers)]
        blocks, job = self.claimed[i], self.job
        sources = job.settler.sources[job.positions(blocks)] if blocks else NO_COLUMNS
        return Task("nearfar-store", write_blocks, (self.recipe, self.site, job.form, self.columns, blocks, sources))


class ClusterJob(Job):
    """Has the workers of a cluster write the blocks of a store that are missing."""

    settler: ByBlocks

    def __init__(self, cluster: Cluster, *rest: Any) -> None:
        super().__init__(*rest)
        self.cluster = cluster

    def write(self, missing: list[int], total: int, writers: Writers, watch: Any) -> None:
        """Have those of the blocks written that nobody else computes."""
        query, plan = self.settler.blocks.query, self.settler.blocks.plan
        recipe = recipe_of(query, self.cluster, self.settler.prepare(), plan.method)
        row = plan.n * plan.dtype.itemsize
        size = max(1, rows_per_task(query, plan, self.cluster, recipe.memory, held=COPIES * row) // self.form.block)
        groups = [missing[low : low + size] for low in range(0, len(missing), size)]
        columns = self.settler.columns if self.settler.columns.size else None
        with array_for_workers(self.cluster, columns) as path, self._site() as site:
            tasks = _Tasks(self, writers, recipe, site, path, groups)
            for i, sizes in enumerate(run_recipe(self.cluster, recipe, tasks, None, watch)):
                self._note(tasks.claimed.pop(i), sizes, writers)
                self.require_room(total)

    def _note(self, blocks: list[int], sizes: list[int], writers: Writers) -> None:
        """Count blocks that are written, and give them back."""
        for b, size in zip(blocks, sizes, strict=True):
            writers.release(b)
            rows = len(self.form.rows_of(b))
            self.done.wrote(rows, size)
            self.done.add(rows)

    @contextmanager
    def _site(self) -> Iterator[Site]:
        """Give the store as workers find it; at the end, no worker can write to it any more."""
        place = self.place
        if not isinstance(place, Folder):
            _require_sendable(place)
            yield Site(place, "", digest_of(place))
            return
        fence = place.fence()
        try:
            yield Site(os.fspath(place.path), fence, "")
        finally:
            place.remove_fence(fence)


def _require_sendable(place: Any) -> None:
    """Refuse an object store that cannot be sent to workers."""
    try:
        pickle.dumps(place)
    except Exception as error:
        raise ClusterError(
            f"the store {place.name} cannot be sent to workers ({type(error).__name__}: {error!s:.100}). Give its "
            f"address, {option('out', 's3://bucket/d.zarr')}."
        ) from None


class OnCluster:
    """The workers of a cluster, as what finds and writes rows."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def accept(self, query: Query) -> Query:
        """Return the query for processors; refuse GPUs."""
        return on_cpu(query)

    def most_bytes(self, query: Query) -> int:
        """Return the bytes of a block that a worker can hold."""
        return memory_of(query, self.cluster) // SHARES

    def columns(self, query: Query, columns: np.ndarray | None) -> np.ndarray:
        """Return the rows of a query that has one type of distances, or some columns of them."""
        return columns_on(self.cluster, query, plan_query(query), columns)

    def job(self, place: Any, form: Form, settler: Settler, order: np.ndarray, threads: int) -> Job:
        """Return what has the workers write blocks; rows that are here already are written here."""
        if not isinstance(settler, ByBlocks):
            return Job(place, form, settler, order, threads)
        return ClusterJob(self.cluster, place, form, settler, order, threads)

    def rows(self, blocks: RowBlocks) -> Iterator[Distances]:
        """Yield rows in blocks, in order; of one type, unless there is only one block."""
        query = blocks.query.but(method=blocks.plan.method)
        if len(blocks) < 2 and len(query.types) > 1:
            yield solve_rows(query, self.cluster)
            return
        yield from stream_rows(query, max(1, BUFFERS * blocks.size // (WAITING + 1)), self.cluster)

    def table(self, query: Query, targets: np.ndarray) -> Table:
        """Return a table."""
        return table_on(self.cluster, query, targets)


@contextmanager
def hands_of(client: Any) -> Iterator[Hands]:
    """Give the workers of what ``client`` stands for, connected once for a whole job; without one, this process."""
    if client is None:
        yield HERE
        return
    with connected(client) as cluster:
        yield OnCluster(cluster)
