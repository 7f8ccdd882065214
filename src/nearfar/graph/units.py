"""In what weights and coordinates are measured, if that is known: shown beside numbers, and needed to measure metres.

Readers set units where the file decides them (OpenStreetMap: seconds and degrees), users set others with
`Graph.with_units`. Nothing is converted, and no distance depends on them. Other weights have no unit until they are
given one, because only the caller knows what they are; coordinates keep theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputTypeError, OptionError
from .arrays import shorten

if TYPE_CHECKING:
    from .graph import Graph

DEGREES = "degrees"  # coordinates are longitude and latitude
LONGEST = 16  # characters of a unit: it stands behind numbers


class Units(NamedTuple):
    """The unit of the weights, such as "s" or "m", and that of the coordinates; None if it is not known.

    Coordinates are "degrees" if they are longitude and latitude on the earth, else they are x and y in a plane, in the
    unit that is named.

    Examples
    --------
    >>> from nearfar.graph.units import Units
    >>> Units("s", "degrees").behind(12)
    '12 s'
    """

    weights: str | None = None
    coordinates: str | None = None

    def behind(self, text: Any) -> str:
        """Return a weight or a distance with its unit behind it, if there is one."""
        return str(text) if self.weights is None else f"{text} {self.weights}"

    @property
    def of_other_weights(self) -> Units:
        """The units of the same vertices with other weights."""
        return Units(None, self.coordinates)


def is_wgs84(crs: Any) -> bool:
    """Tell whether a coordinate reference system, as OSMnx notes it, is longitude and latitude."""
    return str(crs).lower() in ("epsg:4326", "wgs84", "ogc:crs84")


def take_units(weights: Any, coordinates: Any) -> Units:
    """Return units that a user gave."""
    for what, unit in (("weights", weights), ("coordinates", coordinates)):
        if unit is not None and not isinstance(unit, str):
            raise InputTypeError(f"the unit of the {what} is {shorten(unit)}, a {type(unit).__name__}; give a word.")
        if unit is not None and not (0 < len(unit) <= LONGEST and unit.isprintable() and unit == unit.strip()):
            raise OptionError(
                f"the unit of the {what} is {unit!r:.60}, but a unit is a word of at most {LONGEST} letters, such as "
                f"'s', 'm' or 'degrees'. Shorten it, or leave it out."
            )
    return Units(weights, coordinates)


def with_units(graph: Graph, units: Units) -> Graph:
    """Return the same graph, which shares all arrays, with other units."""
    made = object.__new__(type(graph))
    made.__dict__.update(graph.__dict__)
    for kept in ("memo", "_reversed"):  # they may hold graphs of other units
        made.__dict__.pop(kept, None)
    opened = graph.__dict__["_opened"]
    made.__dict__["_opened"] = None if opened is None else with_units(opened, units)
    made.__dict__["units"] = units
    return made
