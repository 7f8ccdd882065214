"""What a page may ask about its graph, and the answers: the table ANSWERS, without a word about how they travel.

An answer is some facts, which become JSON, and one array of numbers. The server sends both over HTTP, a notebook over
the messages of its kernel. Rows of distances are kept, so that paths and tables need not find them again.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from .. import api
from ..engine.candidates import outlook_of
from ..engine.estimate import preparing_seconds
from ..engine.query import PreparedGraph, take_graph
from ..errors import NearfarError, NoPathError, OptionError
from ..graph import Graph
from ..methods import METHODS
from ..prepared import prepare
from ..results import Distances
from .bands import Banded, band
from .measures import MEASURES, measure, measures_of
from .scene import Scene
from .search import find_names, sorted_by_name

KEPT = 64 << 20  # bytes of rows that are kept, but at least two of them and at most as many as below
MOST_ROWS = 32
LISTED = 200  # lines of a table, and names of a path, that one answer holds
LARGE = 200_000  # vertices from which a search takes so long that a graph is prepared while the user looks at it
SOON = 60.0  # seconds that preparing may take, by the model
METHODS_SHOWN = ("auto", "dijkstra", "delta", "frontier", "edge", "bfs", "prepared")

Query = Mapping[str, str]
Alive = Callable[[], bool]


class Answer(NamedTuple):
    """Facts, and an array whose bytes follow them."""

    facts: dict[str, Any]
    data: np.ndarray | None = None


class Gone(Exception):  # noqa: N818 - not an error
    """Whoever asked does not wait for the answer any more."""


class Kept(NamedTuple):
    """A row of distances, and its bands."""

    result: Distances
    banded: Banded


class Session:
    """A graph that pages ask about.

    Parameters
    ----------
    graph : Graph or Prepared
    name : str
        What the page calls it.
    source : int, optional
        The vertex from which distances are shown first, by index.
    demand : table, optional
        As for `nearfar.metrics.flows`: flows can be shown then.
    """

    def __init__(
        self, graph: Graph | PreparedGraph, name: str = "graph", source: int | None = None, demand: Any = None
    ) -> None:
        self.graph = take_graph(graph)
        self.name, self.source, self.demand = name, source, demand
        self.prepared = graph if isinstance(graph, PreparedGraph) else None
        self.scene = Scene(self.graph)
        self._solving = threading.RLock()  # queries use all threads, so they come one after the other
        self._rows: OrderedDict[tuple[Any, ...], Kept] = OrderedDict()
        self._measuring = threading.RLock()  # so that clicks are answered while a metric is found
        self._measures: dict[str, Answer] = {}
        self._shares: dict[str, float] = {}  # of metrics that are being found: how much is done

    def answer(self, what: str, query: Query, alive: Alive | None = None) -> Answer:
        """Return what a page asked for; ``alive`` tells whether it still waits.

        Raises
        ------
        KeyError
            If there is no such question.
        NearfarError
            If the question has no answer; the message is for the user of the page.
        """
        return ANSWERS[what](self, query, alive or _always)

    def warm(self) -> None:
        """Find what the page asks for first, before it asks; then prepare a large graph, where that is soon done."""
        with suppress(NearfarError, MemoryError):  # the page asks again, and shows why
            if self.graph.n:
                start = str(self._start())
                self.row({"source": start}, _always)
                self.path({"source": start, "target": start}, _always)
            if self.scene.placed is not None:
                self.edges({}, _always)
            if self.prepared is None and self.graph.n >= LARGE and _is_soon_prepared(self.graph):
                self.prepared = prepare(self.graph)

    def facts(self, query: Query, alive: Alive) -> Answer:
        """Return what the graph is, and what can be asked about it."""
        graph, placed = self.graph, self.scene.placed
        start = self._start() if graph.n else None
        return Answer(
            {
                "name": self.name, "vertices": graph.n, "arcs": graph.m, "undirected": bool(graph.undirected),
                "weighted": graph.weight_dtype is not None, "unit": graph.units.weights,
                "map": placed is not None, "why_not": "" if placed is not None else self.scene.why_not,
                "note": "" if placed is None else placed.note, "metres": None if placed is None else placed.metres,
                "start": start, "methods": self._methods(),
                "measures": measures_of(graph, self.demand is not None),
            }
        )  # fmt: skip

    def points(self, query: Query, alive: Alive) -> Answer:
        """Return where vertices lie: pairs of float32."""
        placed = self.scene.placed
        return Answer({}, None if placed is None else placed.points.astype(np.float32))

    def edges(self, query: Query, alive: Alive) -> Answer:
        """Return the ends of every edge: pairs of uint32."""
        if self.scene.placed is None:
            return Answer({}, None)
        edges = self.scene.edges
        return Answer({}, np.stack((edges.tails, edges.heads), axis=1).astype(np.uint32))

    def devices(self, query: Query, alive: Alive) -> Answer:
        """Return the devices that are there; looking for GPUs may take a second."""
        from ..devices import DEVICES

        found = [facts for device in DEVICES.values() for facts in device.found()]
        return Answer(
            {"devices": [{"name": "auto", "label": ""}] + [{"name": f.name, "label": f.label} for f in found]}
        )

    def row(self, query: Query, alive: Alive) -> Answer:
        """Return the distances of one source in bands."""
        source = self._vertex(query, "source")
        kept = self._row(source, query, alive)
        plan, banded = kept.result.plan, kept.banded
        return Answer(
            {
                "source": source, "name": self._name(source), "low": banded.low, "high": banded.high,
                "count": banded.known, "chart": banded.chart, "seconds": (kept.result.stats or {}).get("seconds"),
                "method": plan.method,
                "device": plan.device,
            },
            banded.bands,
        )  # fmt: skip

    def path(self, query: Query, alive: Alive) -> Answer:
        """Return the path from the source to a target: its vertices as uint32."""
        source, target = self._vertex(query, "source"), self._vertex(query, "target")
        kept = self._row(source, query, alive)
        facts: dict[str, Any] = {"source": source, "target": target, "name": self._name(target), "distance": None}
        with self._solving:
            try:
                found = kept.result.path(self.graph.name(target))
            except NoPathError:
                return Answer(facts, np.zeros(0, np.uint32))
            distance = kept.result[self.graph.name(target)]
        facts |= {"distance": distance, "arcs": len(found) - 1, "names": [str(name) for name in found[:LISTED]]}
        return Answer(facts, self.graph.indices(found).astype(np.uint32))

    def near(self, query: Query, alive: Alive) -> Answer:
        """Return some lines of the table of distances: the nearest first, the farthest first, or by name."""
        source, order = self._vertex(query, "source"), query.get("order", "near")
        offset, limit = _whole(query, "offset", 0, 1 << 40), _whole(query, "limit", 50, LISTED)
        kept = self._row(source, query, alive)
        row = kept.result.rows[0]
        if order == "name":
            found = sorted_by_name(self.graph)[offset : offset + limit]
        elif order in ("near", "far"):
            found = _extremes(row, kept.banded, offset, limit, order == "far")
        else:
            raise OptionError(f"there is no order {order!r:.20}; there are near, far and name.")
        reached = kept.banded.bands[found] != 65_535
        lines = [
            [int(v), self._name(int(v)), row[v].item() if there else None]
            for v, there in zip(found, reached, strict=True)
        ]
        return Answer({"lines": lines, "count": self.graph.n if order == "name" else kept.banded.known})

    def search(self, query: Query, alive: Alive) -> Answer:
        """Return the vertices whose names hold some text."""
        found = find_names(self.graph, query.get("text", ""))
        return Answer({"found": [[v, self._name(v)] for v in found]})

    def measure(self, query: Query, alive: Alive) -> Answer:
        """Return a metric of all vertices, or of all edges, in bands."""
        name = query.get("name", "")
        if name not in MEASURES:
            raise OptionError(f"there is no metric {name!r:.20}; there are {', '.join(MEASURES)}.")
        with self._measuring:
            if name not in self._measures:
                began = time.perf_counter()
                try:
                    watch = _watch(alive, self._shares, name)
                    values, facts = measure(self.graph, name, self.demand, self.scene, watch)
                finally:
                    self._shares.pop(name, None)
                banded = band(values, None if name == "closeness" else 0.0)
                facts |= {"low": banded.low, "high": banded.high, "count": banded.known, "chart": banded.chart,
                          "name": name, "seconds": time.perf_counter() - began}  # fmt: skip
                self._measures[name] = Answer(facts, banded.bands)
            return self._measures[name]

    def progress(self, query: Query, alive: Alive) -> Answer:
        """Return how much of a metric is done, from 0 to 1; None if it is not being found."""
        return Answer({"share": self._shares.get(query.get("name", ""))})

    def _row(self, source: int, query: Query, alive: Alive) -> Kept:
        """Return a row of distances, kept or found."""
        direction, method, device = (query.get(name, word) for name, word in _WORDS)
        key = source, direction, method, device
        with self._solving:
            if key in self._rows:
                self._rows.move_to_end(key)
                return self._rows[key]
            if not alive():
                raise Gone
            result = api.sssp(
                self._graph_for(method), self.graph.name(source), direction=direction, method=method, device=device,
                progress=_watch(alive),
            )  # fmt: skip
            kept = self._rows[key] = Kept(result, band(result.rows[0]))
            most = min(max(2, KEPT // max(result.rows.nbytes, 1)), MOST_ROWS)
            while len(self._rows) > most:
                self._rows.popitem(last=False)
            return kept

    def _graph_for(self, method: str) -> Graph | PreparedGraph:
        """Return the prepared graph where it is wanted, or there."""
        if method == "prepared" and self.prepared is None:
            self.prepared = prepare(self.graph)
        return self.prepared if self.prepared is not None and method in ("auto", "prepared") else self.graph

    def _methods(self) -> list[str]:
        """Return the methods that suit the graph."""
        negative = self.graph.m > 0 and self.graph.weight_dtype is not None and self.graph.min_weight < 0
        names = [name for name in METHODS_SHOWN if name != "bfs" or self.graph.weight_dtype is None]
        return [name for name in names if not negative or name == "auto" or METHODS[name].negative_weights]

    def _start(self) -> int:
        """Return the vertex from which distances are shown first: one in the middle, if nothing else is asked for."""
        if self.source is None:
            self.source = self.scene.pick(0.0, 0.0) if self.scene.placed is not None else self.graph.busiest
        return self.source

    def _vertex(self, query: Query, role: str) -> int:
        """Return a vertex: by index, or the one nearest to a point of the page."""
        if role in query:
            return _whole(query, role, 0, self.graph.n - 1)
        try:
            x, y = (float(query[name]) for name in "xy")
        except (KeyError, ValueError):
            raise OptionError(f"the {role} is missing; give a vertex, or x and y.") from None
        if self.scene.placed is None or not np.isfinite((x, y)).all():
            raise OptionError("there is no vertex at such a point.")
        return self.scene.pick(x, y)

    def _name(self, v: int) -> str:
        """Return the name of a vertex as text."""
        return str(self.graph.name(v))


def _always() -> bool:
    """Wait for every answer."""
    return True


def _is_soon_prepared(graph: Graph) -> bool:
    """Tell whether preparing a graph takes a short while, as it does for roads."""
    return preparing_seconds(graph, outlook_of(graph)) <= SOON


_WORDS = (("direction", "from"), ("method", "auto"), ("device", "auto"))

ANSWERS: dict[str, Callable[[Session, Query, Alive], Answer]] = {
    "facts": Session.facts,
    "points": Session.points,
    "edges": Session.edges,
    "devices": Session.devices,
    "row": Session.row,
    "path": Session.path,
    "near": Session.near,
    "search": Session.search,
    "measure": Session.measure,
    "progress": Session.progress,
}


def _watch(alive: Alive, shares: dict[str, float] | None = None, name: str = "") -> Callable[[int, int], None]:
    """Return a function of progress that ends a query for which nobody waits, and notes how much is done."""

    def watch(done: int, total: int) -> None:
        if not alive():
            raise Gone
        if shares is not None:
            shares[name] = done / max(total, 1)

    return watch


def _whole(query: Query, name: str, usual: int, most: int) -> int:
    """Return a whole number of a query, from 0 to ``most``."""
    text = query.get(name, str(usual))
    if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) <= most):
        raise OptionError(f"{name} is {text!r:.30}, but must be a whole number from 0 to {most}.")
    return int(text)


def _extremes(row: np.ndarray, banded: Banded, offset: int, limit: int, far: bool) -> np.ndarray:
    """Return some of the vertices in ascending, or descending, order of their distance; equal ones by index."""
    reached = np.flatnonzero(banded.bands != 65_535)
    values = row[reached]
    end = min(offset + limit, len(reached))
    if offset >= end:
        return reached[:0]
    if end < len(reached):  # all that are as near as the last one that is wanted
        at = len(reached) - end if far else end - 1
        bound = np.partition(values, at)[at]
        inside = values >= bound if far else values <= bound
        reached, values = reached[inside], values[inside]
    order = np.argsort(-values if far else values, kind="stable")
    return reached[order][offset:end]
