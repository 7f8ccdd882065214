"""`write_matrix`: begin a stored matrix, or go on with one that was stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...elimination.build import Hierarchy
from ...engine.planner import Plan
from ...engine.query import Query
from ...engine.solve import plan_query
from ...errors import OptionError, StoreError
from ...methods import METHODS
from ..hands import HERE, Hands
from .asked import describe_asked, digest_of_hierarchy, require_same
from .bounds import certain_type
from .codec import require_numcodecs
from .form import Form, choose_form
from .job import is_ours, repair, require_sound
from .labels import coordinates_of, kind_of
from .locks import Writers
from .metadata import GROUP, clear, form_document, read_metadata, read_own, write_metadata
from .order import neighbours_first
from .places import Folder, Place, open_place
from .reader import Matrix, column_of_sources
from .settling import SHARES, AllAtOnce, ByBlocks, Settler, are_flipped, flipped, spare_bytes

EXISTING = ("resume", "restart", "repair")


@dataclass(frozen=True)
class Decided:
    """What a job decides before its first block, and what a job that goes on finds in the store."""

    query: Query  # with one type of distances and the method that runs
    form: Form
    order: np.ndarray
    own: dict[str, Any]
    coordinates: dict[str, Any]


def write_matrix(
    query: Query, where: Any, targets: np.ndarray | None, existing: str, join: bool, hands: Hands = HERE
) -> Matrix:
    """Write the rows of a query, or some columns of them, to a store; go on with one that was stopped.

    Parameters
    ----------
    query : Query
        The sources, in the order asked, and all options.
    where : path, address or mapper of fsspec
    targets : int32 array, optional
        The vertices of the columns.
    existing : str
        What to do with a store that is there: "resume", "restart" or "repair".
    join : bool
        Whether to share the work with other processes.
    hands : Hands
        Who finds the rows.
    """
    query = hands.accept(query)
    take_existing(existing)
    require_numcodecs()
    place = open_place(where)
    if place.size_of(GROUP) is not None:
        read_own(place)
    elif not is_ours(place):
        raise StoreError(f"{place.name} holds other files, or is one. Name a folder that is empty, or not there.")
    with Writers(place, join) as writers:
        if isinstance(place, Folder) and writers.alone:
            place.sweep()
        if existing == "restart" or place.size_of(GROUP) is None:
            writers.require_alone()
            decided, settler = _begin(place, query, targets, hands)
        else:
            decided, settler = _go_on(place, query, targets, hands)
        if existing == "repair":
            columns = column_of_sources(decided.coordinates, decided.form)
            repair(place, decided.form, columns, query.threads, query.progress)
        require_sound(place, decided.form)
        writers.looked()
        hands.job(place, decided.form, settler, decided.order, query.threads).run(writers, query.progress)
    return Matrix(place)


def take_existing(existing: Any) -> str:
    """Check what is to be done with a store that is there."""
    if existing not in EXISTING:
        raise OptionError(
            f"existing is {existing!r}; give one of {', '.join(map(repr, EXISTING))}: go on with what "
            "is there, write it anew, or write its damaged blocks again."
        )
    return str(existing)


def _go_on(place: Place, query: Query, targets: np.ndarray | None, hands: Hands) -> tuple[Decided, Settler]:
    """Return what a store decided when it was begun, if this is the same question."""
    form, own, coordinates = read_metadata(place)
    asked = describe_asked(query, targets, _named(query, targets))
    if form.dtype.kind == "i":
        del asked["method"]  # the same to the bit for every method
    require_same(place.name, own["asked"] | {"version": own["version"]}, asked)
    ran = own["plan"]
    query = query.but(types=(form.dtype,), method=ran["method"])
    order = coordinates["asked"]
    settler, plan = _settler(query, form, targets, hands)
    found = _run_facts(query, plan, settler)
    if form.dtype.kind == "f":
        require_same(place.name, ran | {"version": own["version"]}, {k: found[k] for k in ("device", "hierarchy")})
    return Decided(query, form, order, own, coordinates), settler


def _begin(place: Place, query: Query, targets: np.ndarray | None, hands: Hands) -> tuple[Decided, Settler]:
    """Decide how the rows are found and stored, and write the metadata of a new store.

    What is there is removed when nothing can be refused any more: also blocks without a store, which are those of one
    that was removed in part.
    """
    decided, settler, _ = decide(query, targets, hands)
    clear(place)
    attributes = {"unreached": "inf" if decided.form.dtype.kind == "f" else int(np.iinfo(decided.form.dtype).max)}
    write_metadata(place, decided.form, decided.own, attributes, decided.coordinates)
    return decided, settler


def decide(query: Query, targets: np.ndarray | None, hands: Hands = HERE) -> tuple[Decided, Settler, Plan]:
    """Decide what runs, in which type, and in what form rows are stored."""
    asked = describe_asked(query, targets, _named(query, targets))
    plan = plan_rows(query)
    query = query.but(method=plan.method)
    query = query.but(types=(certain_type(query),))
    order = neighbours_first(query.asked, query.sources)
    columns = query.graph.n if targets is None else len(targets)
    most = min(spare_bytes(plan) // SHARES, hands.most_bytes(query))
    form = choose_form(len(query.sources), columns, query.types[0], most)
    settler, ran = _settler(query, form, targets, hands)
    kind = kind_of(query.asked)
    own = {
        "asked": asked,
        "plan": _run_facts(query, ran, settler) | {"why": plan.why},
        "form": form_document(form),
        "names": kind,
        "direction": query.direction,
        "cutoff": query.cutoff,
        "all_targets": targets is None,
        "rounded": is_rounded(query, settler),
    }
    coordinates = coordinates_of(query.asked, kind, "source", query.sources[order])
    coordinates |= coordinates_of(query.asked, kind, "target", _targets(query, targets))
    coordinates["asked"] = order.astype(np.int64)
    return Decided(query, form, order, own, coordinates), settler, ran


def plan_rows(query: Query) -> Plan:
    """Return the plan for all rows; a method that finds all pairs at once gives way where these do not fit."""
    plan = plan_query(query)
    if plan.method == "floyd" and query.method == "auto" and plan.bytes > plan.available:
        plan = plan_query(query.but(method="johnson" if query.graph.min_weight < 0 else "dijkstra"))
    return plan


def _settler(query: Query, form: Form, targets: np.ndarray | None, hands: Hands) -> tuple[Settler, Plan]:
    """Return where rows come from, and the plan of it."""
    if targets is not None and are_flipped(query, targets):
        return flipped(query, targets, hands.columns), plan_query(query)
    plan = plan_query(query)
    if plan.method == "floyd":
        return AllAtOnce(hands.columns(query, targets), form.block), plan
    settler = ByBlocks(query, plan, form, targets)
    settler.prepare()
    return settler, settler.blocks.plan


def _run_facts(query: Query, plan: Plan, settler: Settler) -> dict[str, Any]:
    """Return what runs, for the metadata."""
    hierarchy = settler.prepare() if isinstance(settler, ByBlocks) else None
    return {
        "method": plan.method,
        "device": plan.device,
        "order": hierarchy.structure.order if isinstance(hierarchy, Hierarchy) else None,
        "hierarchy": digest_of_hierarchy(hierarchy, query.graph),
    }


def is_rounded(query: Query, settler: Settler) -> bool:
    """Tell whether distances are floats that are summed in another order than along the path."""
    searched_back = isinstance(settler, AllAtOnce) and query.method != "floyd"
    return query.types[0].kind == "f" and (METHODS[query.method].rounds or searched_back)


def _named(query: Query, targets: np.ndarray | None) -> dict[str, Any]:
    """Return the names of all columns."""
    return coordinates_of(query.asked, kind_of(query.asked), "target", _targets(query, targets))


def _targets(query: Query, targets: np.ndarray | None) -> np.ndarray:
    """Return the vertices of the columns."""
    return np.arange(query.asked.n, dtype=np.int32) if targets is None else targets
