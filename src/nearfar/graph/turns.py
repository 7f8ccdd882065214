"""TurnGraph: a graph whose turns are forbidden or cost something, and the larger graph in which that is searched.

A shortest path in a plain graph forgets how it came to a vertex. So every vertex from which the way on depends on that
becomes several *states*: one for the departure, one per arc (or longer way) that leads to it and is remembered, and one
where paths end, to which arcs of weight 0 lead from all others. An arc from a state weighs what it weighs and the turn
before it costs; forbidden turns have none. Other vertices stay as they are. So the larger graph is a plain `Graph`,
every method searches it, and a query from u to v asks it for the departure of u and the end of v.

States are in the order of their vertices. So sources that ascend still do, and ties are broken as in the plain graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputTypeError, OptionError
from ..kernels.cpu.constants import NO_VERTEX
from .arrays import Array, shorten
from .graph import Graph

if TYPE_CHECKING:
    from ..description import Description

STRAIGHT = 45  # degrees to either side
Costs = Mapping[Sequence[Any], float] | Callable[[Array], Any]  # what with_turns takes for them


@dataclass(frozen=True)
class TurnCosts:
    """What turns cost by their angle, in the unit of the weights.

    Any function does as well that is given an array of angles and returns an array of costs, at least 0, inf where a
    turn is forbidden. Angles are degrees: 0 is straight on, 90 to the right, -90 to the left.

    Attributes
    ----------
    left, right : float
        For turns of more than 45 degrees. Where one drives on the left, turns to the right are the slow ones.
    straight : float
        For going on straight over a junction.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar import TurnCosts
    >>> TurnCosts(left=10, right=4)(np.array([-90, 0, 20, 90]))
    array([10,  0,  0,  4])
    """

    left: float = 0
    right: float = 0
    straight: float = 0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            take_cost(value, f"the cost of a turn, {name}")

    def __call__(self, angles: Array) -> Array:
        """Return the cost of each angle."""
        return np.select([angles > STRAIGHT, angles < -STRAIGHT], [self.right, self.left], self.straight)


class TurnGraph:
    """A graph with forbidden turns and costs of turns. Made by `Graph.with_turns`, and by `nearfar.read` with turns.

    `nearfar.sssp`, `mssp`, `apsp`, `table`, `nearest`, `distance`, `path` and `plan` take it in place of a graph, and
    answer in the vertices of the graph. So does `nearfar.prepare`, which returns it with its larger graph prepared.

    Attributes
    ----------
    graph : Graph
        The graph without turns.
    forbidden : tuple of tuples
        The ways that are forbidden, each by the vertices that it passes.
    searched : Graph or Prepared
        The larger graph that is searched; its vertices are states, and its weights contain the costs of turns.
    departures, ends : int32 arrays of length n
        The state in which paths depart from each vertex, and that in which they end.
    vertices : int32 array
        The vertex of each state.
    arcs : array of ints
        The arc of the graph that each arc of the larger graph is; -1 for arcs to ends.

    Examples
    --------
    >>> import nearfar
    >>> roads = nearfar.Graph.from_arcs(["Ulm", "Bonn", "Bonn", "Kiel"], ["Bonn", "Kiel", "Linz", "Linz"], [4, 9, 3, 2],
    ...                                 names=True)
    >>> turns = roads.with_turns([("Ulm", "Bonn", "Linz")])
    >>> turns
    TurnGraph(n=4, m=4, 1 forbidden, 6 states)
    >>> nearfar.path(roads, "Ulm", "Linz"), nearfar.path(turns, "Ulm", "Linz")
    (['Ulm', 'Bonn', 'Linz'], ['Ulm', 'Bonn', 'Kiel', 'Linz'])
    """

    def __init__(
        self,
        graph: Graph,
        searched: Any,
        forbidden: tuple[tuple[Any, ...], ...],
        departures: Array,
        ends: Array,
        vertices: Array,
        arcs: Array,
    ) -> None:
        self.graph, self.searched, self.forbidden = graph, searched, forbidden
        self.departures, self.ends, self.vertices, self.arcs = departures, ends, vertices, arcs

    @property
    def n(self) -> int:
        """Number of vertices of the graph."""
        return self.graph.n

    @property
    def m(self) -> int:
        """Number of arcs of the graph."""
        return self.graph.m

    @property
    def states(self) -> Graph:
        """The larger graph, also if it is prepared."""
        return self.searched if isinstance(self.searched, Graph) else self.searched.graph

    def searched_by(self, searched: Any) -> TurnGraph:
        """Return the same turns with another form of the larger graph: prepared, or not."""
        facts = (self.departures, self.ends, self.vertices, self.arcs)
        return TurnGraph(self.graph, searched, self.forbidden, *facts)

    def without_names(self) -> TurnGraph:
        """Return the same turns in a graph whose vertices are called by their indices.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> turns = Graph.from_arcs([7, 8], [8, 9], [1, 1], names=True).with_turns([(7, 8, 9)])
        >>> turns.without_names().forbidden
        ((0, 1, 2),)
        """
        paths = tuple(tuple(self.graph.indices(list(path)).tolist()) for path in self.forbidden)
        facts = (self.departures, self.ends, self.vertices, self.arcs)
        return TurnGraph(self.graph.without_names(), self.searched, paths, *facts)

    def passed(self, states: Array) -> Array:
        """Return the vertices of a path of states; it may end in a state in which paths only end."""
        last = states[-1]
        return self.vertices[states if self.departures[self.vertices[last]] == last else states[:-1]]

    def arcs_along(self, states: Array) -> Array:
        """Return the arcs of the graph along a path of states."""
        from .input_rows import lightest_along

        found = self.arcs[lightest_along(self.states, states)]
        return found[found != NO_VERTEX]

    def arcs_between(self, tail: int, head: int) -> list[tuple[int, int, float, float]]:
        """Return the arcs between two vertices, by index, once per state that they leave.

        Each is the state it leaves, the one it leads to, what the turn before it costs, and its own weight.
        """
        states, found = self.states, []
        assert states.weights is not None
        for state in range(*np.searchsorted(self.vertices, [tail, tail + 1]).tolist()):
            low, high = int(states.offsets[state]), int(states.offsets[state + 1])
            onto, arcs = states.heads[low:high], self.arcs[low:high]
            for i in np.flatnonzero((self.vertices[onto] == head) & (arcs != NO_VERTEX)).tolist():
                own = 1 if self.graph.weights is None else self.graph.weights[arcs[i]].item()
                found.append((state, int(onto[i]), states.weights[low + i].item() - own, own))
        return found

    def describe(self) -> Description:
        """Return how many turns are forbidden, and how large the larger graph is: a dict that prints as a table.

        Examples
        --------
        >>> from nearfar.graph import Graph
        >>> Graph.from_arcs([0, 1], [1, 2], [5, 7]).with_turns([(0, 1, 2)]).describe()["forbidden"]
        1
        """
        from ..description import Description

        split = int(np.count_nonzero(self.departures != self.ends))
        sizes = {"vertices": self.n, "arcs": self.m, "states": self.states.n, "state_arcs": self.states.m}
        return Description(**sizes, split_vertices=split, forbidden=len(self.forbidden))

    if not TYPE_CHECKING:  # else mypy would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Say where something is that a graph has, and a graph with turns has not."""
            if name.startswith("_") or not hasattr(Graph, name):
                raise AttributeError(f"'TurnGraph' object has no attribute {name!r}")
            way_out = f"turns.graph.{name} is that of the graph without turns"
            if name == "with_turns":
                way_out = "Make the turns anew: turns.graph.with_turns(turns.forbidden, costs=..., uturn=...)"
            raise AttributeError(f"a TurnGraph has no {name!r}. {way_out}.")

    def __repr__(self) -> str:
        prepared = "" if isinstance(self.searched, Graph) else ", prepared"
        return f"TurnGraph(n={self.n}, m={self.m}, {len(self.forbidden)} forbidden, {self.states.n} states{prepared})"


def take_cost(cost: Any, what: str) -> float:
    """Return a cost: a number, at least 0; inf forbids."""
    if isinstance(cost, bool | np.bool_) or not isinstance(cost, int | float | np.integer | np.floating):
        raise InputTypeError(f"{what}, is {shorten(cost)}, a {type(cost).__name__}; give a number, inf to forbid it.")
    if isinstance(cost, int) and cost >= 2**63:
        raise OptionError(f"{what}, is {shorten(cost)}, which no distance holds. Give math.inf to forbid it.")
    if not cost >= 0:
        raise OptionError(f"{what}, is {cost}, but must be at least 0. Give math.inf to forbid it.")
    return cost.item() if isinstance(cost, np.generic) else cost
