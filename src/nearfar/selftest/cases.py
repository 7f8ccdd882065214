"""Which queries the self-test runs: a table of methods, types, queries and layouts, known before a graph is built."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..errors import OptionError
from ..gpu import GPU_METHODS
from ..methods import METHODS
from .graphs import SIZES, Sample, samples

LEVELS = tuple(SIZES)
QUERIES, LAYOUTS = ("one", "some", "all", "sums"), ("resident", "batched")
# Types whose arcs also come in batches; `--full`: all. A driver that compiles for a CPU takes half a minute for a type.
BATCHED = ("int32", "float64")
LARGE_LEFT_OUT = {  # too large, or too long
    ("floyd", "one"), ("floyd", "some"), ("edge", "some"), ("prepared", "one"), ("prepared", "sums"),
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One query on one graph."""

    method: str
    dtype: str
    query: str
    layout: str
    graph: str
    big: bool = False

    @property
    def words(self) -> tuple[str, str, str, str, str]:
        """What the case is called by, in ``--only`` and in reports."""
        return (self.method, self.dtype, self.query, self.layout, self.graph)

    def __str__(self) -> str:
        return ", ".join(self.words)


def cases(names: tuple[str, ...], level: str, only: Sequence[str] = ()) -> list[Case]:
    """Return the queries for devices at a level; ``only`` those that all these words name."""
    found = [case for sample in samples(level) for case in _of(names, sample, level)]
    chosen = [case for case in found if all(word in case.words for word in only)]
    if not chosen:
        raise OptionError(_none(found, only))
    return chosen


def _none(found: list[Case], only: Sequence[str]) -> str:
    """Say why no query has all these words: some do not exist, or no two of them go together."""
    words = dict.fromkeys(word for position in range(5) for word in dict.fromkeys(c.words[position] for c in found))
    known = f"The words are {', '.join(map(repr, words))}."
    if unknown := [word for word in only if word not in words]:
        return f"no query of the self-test is called {', '.join(map(repr, unknown))}. {known}"
    return f"no query of the self-test has all the words {', '.join(map(repr, only))}. Leave some out. {known}"


def _of(names: tuple[str, ...], sample: Sample, level: str) -> Iterator[Case]:
    """Yield the queries on a graph."""
    on_cpu = names == ("cpu",)
    for method in METHODS if on_cpu else GPU_METHODS:
        if not _takes(method, sample):
            continue
        streams = not on_cpu and GPU_METHODS[method].streams and (level == "full" or sample.dtype in BATCHED)
        for query in QUERIES:
            if _is_asked(method, query, sample, on_cpu):
                layouts = LAYOUTS if streams else LAYOUTS[:1]
                yield from (Case(method, sample.dtype, query, layout, sample.name, sample.big) for layout in layouts)


def _is_asked(method: str, query: str, sample: Sample, on_cpu: bool) -> bool:
    """Return whether a query suits a method and a graph: sums are those of a prepared graph, on a GPU."""
    if query == "sums" and (method != "prepared" or on_cpu or sample.cyclic):
        return False
    return not (sample.big and (query == "all" or (method, query) in LARGE_LEFT_OUT))


def _takes(method: str, sample: Sample) -> bool:
    """Return whether a method accepts the weights of a graph, and gets done with it."""
    if method == "prepared" and not sample.prepares:
        return False
    return METHODS[method].negative_weights or not sample.negative if method != "bfs" else sample.equal
