"""Dask, behind a few verbs: connect, submit, where tasks are, cancel, tell all workers something, close.

This is the only file that imports Dask, and it does so on first use. Everything else sees an `Engine` (driver.py), so
that another library could take its place. Answers are fetched on Dask's own thread, so that nobody waits for a worker
that hangs; no data are scattered, and there are no actors: what is lost is done again by the driver.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import re
import socket
import tempfile
import time
import traceback
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future as PlainFuture
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, NamedTuple

from ..devices import cpu
from ..errors import ClusterError, InputTypeError, MissingDependencyError, OptionError, in_python
from . import deaf
from .driver import Outcome, Patience, Task, Worker
from .spool import Spool
from .versions import Versions

ANSWER = 30.0  # seconds in which a scheduler answers a short question
FAREWELL = 2.0  # seconds in which workers hear that the caller goes
UNREADABLE = "deserialization of the task graph"  # what Dask says then
WAYS = "Give a dask.distributed.Client, the address of a scheduler such as 'tcp://10.0.0.1:8786', or 'local:4'."


def connect(where: Any, *, spool: str | os.PathLike[str] | None = None) -> Cluster:
    """Connect to a Dask cluster, or start one on this machine; what is returned is given to queries as ``client=``.

    Queries also take what is given here. But then every call connects anew and writes the graph anew; so for several
    calls, connect once.

    Parameters
    ----------
    where : Client, str
        A client of ``dask.distributed``; the address of a scheduler; or "local:4", which starts 4 processes of one
        thread each on this machine, "local" as many as there are cores.
    spool : path, optional
        A folder that all workers see, for graphs that are only in the memory of the caller. By default the temporary
        folder of Dask (``temporary-directory`` in its configuration), or of the system.

    Returns
    -------
    Cluster
        Use it in a ``with`` block, at whose end the files written there are removed and what was started here ends.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.generate.road_grid(30, 30, seed=1)
    >>> with nearfar.connect("local:2") as cluster:  # doctest: +SKIP
    ...     nearfar.metrics.closeness(g, client=cluster).top(1)
    [(462, 5.059...e-05)]
    """
    dask = _library()
    if isinstance(where, dask.Client):
        if where.asynchronous:
            raise InputTypeError("the client is asynchronous; nearfar waits for its answers. Give one that is not.")
        return Cluster(where, [], spool)
    if not isinstance(where, str):
        raise InputTypeError(f"client is a {type(where).__name__}. {WAYS}")
    if re.fullmatch(r"local(:[0-9]{1,4})?", where):
        return _start(dask, int(where.partition(":")[2] or cpu.facts().cores), spool)
    if "://" not in where:
        raise OptionError(f"client is {where!r:.60}. {WAYS}")
    try:
        client = dask.Client(where, timeout=ANSWER, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ClusterError(
            f"there is no scheduler of Dask at {where}: {str(error) or type(error).__name__}. Start it, or name another"
            f"{in_python('; ' + WAYS[0].lower() + WAYS[1:-1])}."
        ) from None
    return Cluster(client, [client], spool)


def _library() -> Any:
    """Return dask.distributed."""
    try:
        import distributed
    except ImportError:
        raise MissingDependencyError(
            "a cluster needs the package distributed, which is not installed. Use: pip install 'nearfar[cluster]'"
        ) from None
    return distributed


def _start(dask: Any, workers: int, spool: Any) -> Cluster:
    """Start processes of one thread each on this machine.

    What befalls them is not logged: the driver does again what they lose, and its errors say why it cannot.
    """
    if not workers:
        raise OptionError(f"client is 'local:0'; at least one process is needed. {WAYS}")
    guard = "A program that does so guards what it does with: if __name__ == '__main__':"
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise ClusterError(f"a process that is about to work imports a program that starts processes again. {guard}")
    try:
        local = dask.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
            preload=[deaf.__name__],
        )
    except RuntimeError as error:
        raise ClusterError(f"processes could not be started: {error} {guard}") from error
    return Cluster(dask.Client(local, set_as_default=False), [local], spool)


class Cluster:
    """A cluster that queries are given as ``client=``. Made by `nearfar.connect`.

    Attributes
    ----------
    client : dask.distributed.Client
    name : str
        The address of the scheduler.
    spool : Spool
        Where graphs are written for the workers.
    patience : Patience
        After how many seconds a task is given to another worker, and so on.

    Examples
    --------
    >>> import nearfar
    >>> with nearfar.connect("local:2") as cluster:  # doctest: +SKIP
    ...     sorted(worker.threads for worker in cluster.workers().values())
    [1, 1]
    """

    def __init__(self, client: Any, owned: list[Any], spool: Any = None) -> None:
        self.client, self._owned, self.patience = client, owned, Patience()
        self.name = f"the cluster at {client.scheduler.address}"
        self.spool = Spool(spool_folder(spool))
        self._versions = Versions(self._evaluate)
        self._told: PlainFuture[Any] | None = None  # what workers are being told

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the files that were written for the workers, and end what was started here."""
        if self._told is not None:
            with suppress(Exception):  # a worker that hangs does not answer
                self._told.result(FAREWELL)
        self.spool.close()
        owned, self._owned = self._owned, []
        for client in [self.client] if owned else []:
            with suppress(Exception):
                client.close(timeout=ANSWER)
        for other in owned:
            if other is not self.client:
                with suppress(Exception):
                    other.close(timeout=ANSWER)

    def workers(self) -> Mapping[str, Worker]:
        """Return the workers that are there, by address; ClusterError if one of them has no nearfar, or another."""
        self._replace_lost()
        known = self._asked(lambda: self.client.scheduler.identity(), {}).get("workers", {})
        self._versions.require_same(known)
        return {
            address: Worker(int(facts["nthreads"]), int(facts.get("memory_limit") or 0), str(facts.get("host", "")))
            for address, facts in known.items()
            if facts.get("status", "running") == "running"
        }

    def _evaluate(self, text: str, workers: list[str]) -> PlainFuture[Any]:
        """Have some workers evaluate an expression; errors are among the answers."""
        options: dict[str, Any] = {"workers": workers, "asynchronous": True, "on_error": "return"}
        return self._begin(lambda: self.client.run(eval, text, **options))

    def _replace_lost(self) -> None:
        """Start processes again that Dask has given up.

        It does so with one that dies while it starts, and with one that needs more than 15 seconds to start again.
        """
        for local in self._owned:
            if len(getattr(local, "workers", ())) < len(getattr(local, "worker_spec", ())):
                local.scale(len(local.worker_spec))

    def submit(self, task: Task, report: Callable[[Outcome], None], avoid: Collection[str] = ()) -> Any:
        """Have a task done, not by the workers to avoid if there are others; return what stands for it."""
        others = [address for address in self.workers() if address not in avoid] if avoid else []
        wished = task.wish if task.wish and task.wish not in avoid else ""
        key = f"{task.name}-{uuid.uuid4().hex}"
        try:
            future = self.client.submit(
                call,
                task.function,
                *task.args,
                key=key,
                pure=False,
                workers=[wished] if wished else others or None,
                allow_other_workers=bool(wished),
                retries=0,
            )
            future.add_done_callback(partial(self._done, report))
        except Exception as error:  # the client was closed, or is connecting again
            report(Outcome(lost=f"it could not be submitted ({error!r:.200})"))
            return None
        return future

    def _done(self, report: Callable[[Outcome], None], future: Any) -> None:
        """Report what became of a task; fetch its answer if there is one."""
        try:
            if future.status == "finished":
                fetched = self._begin(partial(self._fetch, future.key))
                fetched.add_done_callback(partial(_fetched, report, future))
            elif future.status == "error":
                report(_outcome_of(future.exception(timeout=ANSWER)))
            else:
                report(Outcome(lost="the connection to the scheduler was lost, or it was cancelled"))
        except Exception as error:
            report(Outcome(lost=f"it could not be asked for ({error!r:.200})"))

    async def _fetch(self, key: str) -> Any:
        """Return an answer, by way of the scheduler, which need not be able to reach anybody else.

        Dask's own `gather` fetches five answers at a time and joins those that wait: one worker that hangs would hold
        up the answers of all others.
        """
        answer = await self.client.scheduler.gather(keys=[key])
        if answer["status"] != "OK":
            raise ConnectionError("the worker that had its answer is gone")
        return answer["data"][key]

    def places(self, handles: Collection[Any]) -> dict[Any, str]:
        """Return the workers that have been given some of these tasks, or have an answer that was not fetched."""
        keys = [handle.key for handle in handles if handle is not None]
        holding = self._asked(lambda: self.client.scheduler.who_has(keys=keys), {})
        where = {key: addresses[0] for key, addresses in holding.items() if addresses}
        processing = self._asked(lambda: self.client.scheduler.processing(), {})
        where |= {key: address for address, given in processing.items() for key in given}
        return {handle: where[handle.key] for handle in handles if handle is not None and handle.key in where}

    def cancel(self, handles: Collection[Any]) -> None:
        """Forget some tasks; does not wait."""
        futures = [handle for handle in handles if handle is not None]
        with suppress(Exception):
            self._begin(lambda: self.client.cancel(futures, asynchronous=True, force=True))

    def tell(self, function: Callable[..., Any], *args: Any) -> None:
        """Call a function on every worker, beside its tasks; does not wait, and nobody learns of errors."""
        with suppress(Exception):
            self._told = self._begin(lambda: self.client.run(function, *args, asynchronous=True, on_error="ignore"))

    def require_alive(self) -> None:
        """Raise ClusterError if the scheduler is gone, or says nothing for half a minute."""
        until = time.monotonic() + ANSWER
        while self.client.status != "closed" and time.monotonic() < until:
            if self.client.status == "running" and self._asked(lambda: self.client.scheduler.identity(), None):
                return
            time.sleep(0.05)
        raise ClusterError(
            f"{self.name} is lost: its scheduler does not answer. Connect to another one, and repeat the call; a store "
            "goes on where it was."
        )

    def _begin(self, make: Callable[[], Any]) -> PlainFuture[Any]:
        """Begin something that is waited for on Dask's thread, and return what will have its result."""

        async def work() -> Any:
            return await make()

        began = work()
        try:
            return asyncio.run_coroutine_threadsafe(began, self.client.loop.asyncio_loop)
        except BaseException:  # the client was closed: its thread is gone
            began.close()
            raise

    def _asked(self, make: Callable[[], Any], otherwise: Any) -> Any:
        """Return the answer to a short question; something else if there is none."""
        try:
            return self._begin(make).result(ANSWER)
        except Exception:
            return otherwise


def call(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function on a worker; return its answer, or the error that it raised as a `Raised`.

    So an error of the function is never taken for one of the cluster, which raises TimeoutError and others itself.
    """
    try:
        return function(*args)
    except Exception as error:
        return Raised(_as_travels(error))


class Raised(NamedTuple):
    """An error that a task's function raised."""

    error: Exception


def _as_travels(error: Exception) -> Exception:
    """Return an error as it can be sent, with a note of where it was raised."""
    import cloudpickle

    where = "".join(traceback.format_tb(error.__traceback__)[1:])
    error.add_note(f"Raised on the worker {socket.gethostname()}:\n{where}")
    try:
        cloudpickle.loads(cloudpickle.dumps(error))
    except Exception:
        return RuntimeError(f"a worker raised {type(error).__name__}: {error!s:.1000}")
    return error


def _fetched(report: Callable[[Outcome], None], future: Any, fetched: PlainFuture[Any]) -> None:
    """Report an answer that was fetched, or that it is lost."""
    if fetched.cancelled():
        report(Outcome(lost="its answer was not fetched"))
        return
    error = fetched.exception()
    if error is not None:
        report(_outcome_of(error))
        return
    answer = fetched.result()
    report(Outcome(error=answer.error) if isinstance(answer, Raised) else Outcome(value=answer))


def _outcome_of(error: BaseException) -> Outcome:
    """Tell an error that prevents the task, such as another version of nearfar, from one of the cluster."""
    home = type(error).__module__.partition(".")[0]
    if home in ("distributed", "dask") or isinstance(error, asyncio.CancelledError | TimeoutError | ConnectionError):
        return Outcome(lost=f"{type(error).__name__}: {error!s:.300}")
    if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("nearfar"):
        return Outcome(
            error=ClusterError("a worker has no nearfar, or another version. Install the same one on all of them.")
        )
    if isinstance(error, RuntimeError) and UNREADABLE in str(error):
        return Outcome(
            error=ClusterError(
                "the scheduler cannot read tasks: it has no nearfar, or another version of nearfar, Python or Dask. "
                "Install the same ones on all machines, also on that of the scheduler."
            )
        )
    return Outcome(error=error)


def spool_folder(spool: Any) -> str:
    """Return the folder in which graphs are written for the workers."""
    if spool is not None:
        return os.fspath(spool)
    import dask.config

    return str(dask.config.get("temporary-directory", None) or tempfile.gettempdir())


def require_arrays() -> Any:
    """Return dask.array."""
    try:
        import dask.array
    except ImportError:
        raise MissingDependencyError(
            "lazy answers need the package dask, which is not installed. Use: pip install 'nearfar[cluster]'"
        ) from None
    return dask.array


def array_of_blocks(find: Callable[[Any], Any], pieces: Sequence[Any], columns: int, dtype: Any) -> Any:
    """Return a dask.array of rows: ``find`` returns those of some sources, a block each."""
    arrays = require_arrays()
    from dask.highlevelgraph import HighLevelGraph

    if not pieces:
        return arrays.empty((0, columns), dtype=dtype)
    name = f"nearfar-{uuid.uuid4().hex}"
    blocks: Any = {(name, i, 0): (find, some) for i, some in enumerate(pieces)}
    chunks = tuple(len(some) for some in pieces), (columns,)
    return arrays.Array(HighLevelGraph.from_collections(name, blocks), name, chunks, dtype=dtype)
