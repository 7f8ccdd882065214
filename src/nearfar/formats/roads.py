"""What OpenStreetMap's tags say about a road: who may use it, in which direction, how fast.

A profile describes one mode of travel. Speeds are in km/h; without a mapped sign, the class of the road decides. Turn
restrictions, gates, and tags that depend on the time or the weather are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

Tags = Mapping[str, str]
Speeds = tuple[float, float]  # along the road and against it, in km/h; 0 if that direction is closed

CAR_SPEEDS = {
    "motorway": 110, "motorway_link": 60, "trunk": 90, "trunk_link": 50, "primary": 70, "primary_link": 45,
    "secondary": 60, "secondary_link": 40, "tertiary": 50, "tertiary_link": 35, "unclassified": 45, "residential": 30,
    "living_street": 10, "service": 20, "road": 40,
}  # fmt: skip
FOOT_SPEEDS = {
    "steps": 2.5, "trunk": 5, "trunk_link": 5, "primary": 5, "primary_link": 5, "secondary": 5, "secondary_link": 5,
    "tertiary": 5, "tertiary_link": 5, "unclassified": 5, "residential": 5, "living_street": 5, "service": 5, "road": 5,
    "pedestrian": 5, "footway": 5, "path": 5, "track": 5, "bridleway": 5, "cycleway": 5, "corridor": 5, "platform": 5,
}  # fmt: skip
CLOSED = frozenset(
    ("no", "private", "agricultural", "forestry", "emergency", "psv", "bus", "delivery", "military", "use_sidepath")
)
# Values that refer to a law: the usual limits, and those of countries with other limits.
ZONES = {
    "urban": 50, "rural": 90, "trunk": 100, "motorway": 120, "living_street": 10, "school": 30, "bicycle_road": 30,
    "nsl_restricted": 48.28032, "nsl_single": 96.56064, "nsl_dual": 112.65408,
    "de:rural": 100, "de:motorway": 130, "at:rural": 100, "at:motorway": 130, "ch:rural": 80, "it:motorway": 130,
    "fr:rural": 80, "fr:motorway": 130, "fr:living_street": 20, "es:living_street": 20, "ch:living_street": 20,
    "at:living_street": 5, "de:living_street": 7, "gb:motorway": 112.65408, "uk:motorway": 112.65408,
    "pl:motorway": 140, "pt:rural": 90, "se:rural": 70, "se:motorway": 110, "nl:rural": 80, "nl:motorway": 100,
    "be:zone30": 30, "cz:motorway": 130, "ru:urban": 60, "ru:motorway": 110, "ru:living_street": 20,
}  # fmt: skip
_UNITS = {"": 1.0, "km/h": 1.0, "kmh": 1.0, "kph": 1.0, "mph": 1.609344, "knots": 1.852}
_SIGN = re.compile(r"([0-9]{1,3}(?:\.[0-9]+)?)\s*([a-z/]*)")
_WALK, _NO_LIMIT, _FASTEST = 6.0, 130.0, 250.0


@dataclass(frozen=True)
class Profile:
    """A mode of travel: its speed on each class of road, and the tags that concern it, most specific first."""

    speeds: Mapping[str, float]
    access: tuple[str, ...]
    oneway: tuple[str, ...] = ()
    signs: bool = False  # whether speed limits count
    areas: bool = False  # whether the outline of a square is a road
    invited: tuple[str, ...] = field(default=())  # classes that are open only if the tags say so

    def speeds_on(self, tags: Tags) -> Speeds | None:
        """Return the speeds along a road and against it, or None if it is closed."""
        usual = self.speeds.get(tags.get("highway", ""))
        if usual is None or (tags.get("area") == "yes" and not self.areas) or not self._is_open(tags):
            return None
        along, against = (self._limit(tags, side, usual) for side in ("forward", "backward"))
        direction = self._oneway(tags)
        speeds = (along if direction >= 0 else 0.0, against if direction <= 0 else 0.0)
        return None if direction == 2 else speeds

    def _is_open(self, tags: Tags) -> bool:
        """Return whether a road is open; the most specific tag decides."""
        value = next((tags[key] for key in self.access if key in tags), None)
        if value is None:
            return tags.get("highway") not in self.invited
        return any(part.strip() not in CLOSED for part in value.split(";"))

    def _oneway(self, tags: Tags) -> int:
        """Return 1 for forward only, -1 for backward only, 0 for both, 2 for neither (it changes with the time)."""
        if not self.oneway:
            return 0
        value = next((tags[key] for key in self.oneway if key in tags), None)
        if value in ("yes", "true", "1"):
            return 1
        if value in ("-1", "reverse"):
            return -1
        if value == "reversible":
            return 2
        implied = tags.get("junction") in ("roundabout", "circular") or tags.get("highway") == "motorway"
        return 1 if implied and value is None else 0

    def _limit(self, tags: Tags, side: str, usual: float) -> float:
        """Return the speed in one direction: the sign's, else the usual one."""
        if not self.signs:
            return usual
        sign = tags.get(f"maxspeed:{side}") or tags.get("maxspeed")
        return (sign and read_speed(sign)) or usual


def read_speed(sign: str) -> float | None:
    """Return the speed of a maxspeed tag in km/h, or None if it has none.

    Examples
    --------
    >>> from nearfar.formats.roads import read_speed
    >>> read_speed("50"), read_speed("30 mph"), read_speed("ES:urban"), read_speed("walk"), read_speed("signals")
    (50.0, 48.28032, 50.0, 6.0, None)
    """
    word = sign.strip().lower()
    if word in ("walk", "none"):
        return _WALK if word == "walk" else _NO_LIMIT
    if found := _SIGN.fullmatch(word):
        speed = float(found[1]) * _UNITS.get(found[2], 0.0)
        return speed if 0 < speed <= _FASTEST else None
    if zone := re.fullmatch(r"[a-z]{2}(?:-[a-z]+)?:(?:zone:?)?([0-9]{2})", word):
        return float(zone[1]) or None
    if word in ZONES:
        return float(ZONES[word])
    country, colon, kind = word.partition(":")
    return float(ZONES[kind]) if colon and len(country) == 2 and kind in ZONES else None


PROFILES = {
    "car": Profile(
        CAR_SPEEDS,
        access=("motorcar", "motor_vehicle", "vehicle", "access"),
        oneway=("oneway:motorcar", "oneway:motor_vehicle", "oneway:vehicle", "oneway"),
        signs=True,
    ),
    "foot": Profile(FOOT_SPEEDS, access=("foot", "access"), areas=True, invited=("trunk", "trunk_link")),
}
