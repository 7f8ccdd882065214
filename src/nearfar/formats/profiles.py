"""Profiles: what OpenStreetMap's tags say about a way. Who may use it, in which direction, how fast.

A profile describes one mode of travel, as data. Speeds are in km/h; without a mapped sign, the class of the road
decides. Tags that depend on the time or the weather are ignored. Any function from the tags of a way to the seconds per
metre along it and against it does as well; a `Profile` is one.

>>> from dataclasses import replace
>>> from nearfar.formats.profiles import CAR
>>> jeep = replace(CAR, name="jeep", speeds={**CAR.speeds, "track": 20})
>>> CAR.speeds_on({"highway": "track"}), jeep.speeds_on({"highway": "track"})
(None, (20, 20))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..errors import InputTypeError, OptionError, option
from .signs import read_duration, read_speed

Tags = Mapping[str, str]
Speeds = tuple[float, float]  # along the road and against it, in km/h; 0 if that direction is closed
Paces = tuple[float, float]  # along the road and against it, in seconds per metre; inf if that direction is closed

CLOSED = frozenset(
    ("no", "private", "agricultural", "forestry", "emergency", "psv", "bus", "delivery", "military", "use_sidepath")
)
_OPPOSITE = frozenset(("opposite", "opposite_lane", "opposite_track", "opposite_share_busway"))
_BOLLARDS = frozenset(
    (
        "bollard", "block", "chain", "cycle_barrier", "debris", "full-height_turnstile", "horse_stile",
        "jersey_barrier", "kissing_gate", "log", "motorcycle_barrier", "planter", "stile", "turnstile",
    )
)  # fmt: skip
_STILES = frozenset(("debris", "full-height_turnstile", "horse_stile", "kissing_gate", "stile", "turnstile"))
_SIGNS = ("ignore", "follow", "cap")


@dataclass(frozen=True)
class Profile:
    """A mode of travel as data; `dataclasses.replace(CAR, ...)` makes one from another.

    Attributes
    ----------
    name : str
        How messages call it.
    speeds : mapping
        The usual speed in km/h of each value of the tag ``highway``. Roads with other values are no roads.
    access : tuple of str
        The tags that say whether a way or a barrier is open, the most specific first: the first that is there decides.
    closed : set of str
        The values of these tags that close. Of several values ("agricultural;destination") one that opens is enough.
    slowed : mapping
        Values of these tags that let pass at a lower speed in km/h, such as ``{"dismount": 4}``.
    invited : mapping
        Ways that are open only if the first tag of ``access`` says so: tags, and their values.
    oneway : tuple of str
        The tags that say which direction is open, the most specific first. Who obeys ``oneway`` obeys roundabouts and
        motorways, too, which have a direction without a tag.
    contraflow : mapping
        What opens the other direction of a one-way: tags, and their values.
    signs : str
        What ``maxspeed``, ``maxspeed:forward`` and ``maxspeed:backward`` are: "follow" travels at the limit, "cap"
        never faster, "ignore" does not look.
    fastest : float
        The greatest speed in km/h.
    areas : bool
        Whether the outline of a square is a road.
    ferry : float
        The speed of ferries (``route=ferry``) without a ``duration``, in km/h; 0 leaves ferries out.
    barriers : set of str
        The values of ``barrier`` that close a node, unless a tag of ``access`` says otherwise.
    restrictions : tuple of str
        The tags of turn restrictions that hold, the most specific first; ``except`` lifts them for a tag of ``access``.
    uturn : float
        What turning back costs in seconds if turns are read, where there is another way on; inf forbids it.

    Examples
    --------
    >>> from nearfar.formats.profiles import BIKE, Profile
    >>> BIKE.speeds_on({"highway": "residential", "oneway": "yes", "cycleway": "opposite"})
    (16, 16)
    >>> tram = Profile("tram", speeds={"tramway": 36}, access=("tram", "access"))
    >>> tram({"highway": "tramway"})  # seconds per metre
    (0.1, 0.1)
    """

    name: str
    speeds: Mapping[str, float]
    access: tuple[str, ...] = ("access",)
    closed: frozenset[str] = CLOSED
    slowed: Mapping[str, float] = field(default_factory=dict)
    invited: Mapping[str, frozenset[str]] = field(default_factory=dict)
    oneway: tuple[str, ...] = ()
    contraflow: Mapping[str, frozenset[str]] = field(default_factory=dict)
    signs: str = "ignore"
    fastest: float = math.inf
    areas: bool = False
    ferry: float = 0.0
    barriers: frozenset[str] = frozenset()
    restrictions: tuple[str, ...] = ()
    uturn: float = 0.0

    def __post_init__(self) -> None:
        for known in fields(self):
            _check_field(self.name, known.name, getattr(self, known.name))

    def __call__(self, tags: Tags) -> Paces | None:
        """Return the seconds per metre along a way and against it, inf where it is closed; None if it is no road."""
        speeds = self.speeds_on(tags)
        if speeds is None:
            return None
        along, against = (3.6 / speed if speed else math.inf for speed in speeds)
        return along, against

    def speeds_on(self, tags: Tags) -> Speeds | None:
        """Return the speeds along a road and against it, or None if it is closed."""
        usual = self._usual(tags)
        if not usual or (tags.get("area") == "yes" and not self.areas):
            return None
        word = self._access(tags)
        if not self._is_open(tags, word):
            return None
        most = min(self.fastest, self.slowed.get(word or "", math.inf))
        along, against = (min(self._limit(tags, side, usual), most) for side in ("forward", "backward"))
        direction = self._oneway(tags)
        speeds = (along if direction >= 0 else 0.0, against if direction <= 0 else 0.0)
        return None if direction == 2 else speeds

    def duration(self, tags: Tags) -> float | None:
        """Return how many seconds a ferry takes from end to end, if its tags say so."""
        if tags.get("route") != "ferry" or tags.get("highway", "") in self.speeds:
            return None
        return read_duration(tags.get("duration", ""))

    def passes(self, tags: Tags) -> bool:
        """Return whether a barrier, or another node with these tags, lets one pass."""
        word = self._access(tags)
        return tags.get("barrier") not in self.barriers if word is None else self._opens(word)

    def _usual(self, tags: Tags) -> float:
        """Return the speed without signs, 0 if this is no road."""
        found = self.speeds.get(tags.get("highway", ""))
        return found if found is not None else self.ferry if tags.get("route") == "ferry" else 0.0

    def _access(self, tags: Tags) -> str | None:
        """Return what the most specific tag about access says, if there is one."""
        return next((tags[key] for key in self.access if key in tags), None)

    def _opens(self, word: str) -> bool:
        """Return whether one of the values of a tag opens."""
        return any(part.strip() not in self.closed for part in word.split(";"))

    def _is_open(self, tags: Tags, word: str | None) -> bool:
        """Return whether a way is open: what a tag about access says, and whether one has to say so."""
        if word is not None and not self._opens(word):
            return False
        return self.access[0] in tags or not any(tags.get(key) in values for key, values in self.invited.items())

    def _oneway(self, tags: Tags) -> int:
        """Return 1 for forward only, -1 for backward only, 0 for both, 2 for neither (it changes with the time)."""
        key = next((key for key in self.oneway if key in tags), None)
        value = None if key is None else tags[key]
        if value == "reversible":
            return 2
        implied = tags.get("junction") in ("roundabout", "circular") or tags.get("highway") == "motorway"
        direction = 0
        if value in ("yes", "true", "1") or (value is None and implied and "oneway" in self.oneway):
            direction = 1
        elif value in ("-1", "reverse"):
            direction = -1
        plain = key in (None, "oneway")  # a tag of one's own decides alone
        opened = plain and any(tags.get(tag) in values for tag, values in self.contraflow.items())
        return 0 if opened else direction

    def _limit(self, tags: Tags, side: str, usual: float) -> float:
        """Return the speed in one direction: the sign's, else the usual one."""
        if self.signs == "ignore":
            return usual
        sign = tags.get(f"maxspeed:{side}") or tags.get("maxspeed")
        limit = (sign and read_speed(sign)) or usual
        return min(limit, usual) if self.signs == "cap" else limit


def _check_field(name: str, key: str, value: Any) -> None:
    """Refuse a value that a profile cannot work with."""

    def refuse(rule: str, error: type[OptionError | InputTypeError] = OptionError) -> None:
        raise error(f"profile {name!r}: {key} is {value!r}, but it should be {rule}.")

    if key in ("access", "oneway", "restrictions") and (
        isinstance(value, str) or not all(isinstance(tag, str) for tag in value)
    ):
        refuse(f"a tuple of tags, such as ({str(value)!r},)", InputTypeError)
    if key == "access" and not value:
        refuse('a tuple of at least one tag, such as ("access",)')
    if key in ("speeds", "slowed", "invited", "contraflow") and not isinstance(value, Mapping):
        refuse("a dict", InputTypeError)
    if key in ("closed", "barriers") and isinstance(value, str):
        refuse("a set of words", InputTypeError)
    if key in ("speeds", "slowed") and not all(0 < speed < math.inf for speed in value.values()):
        refuse("speeds in km/h, greater than 0")
    if key in ("invited", "contraflow") and any(isinstance(words, str) for words in value.values()):
        refuse("a dict of tags and sets of words", InputTypeError)
    if key == "signs" and value not in _SIGNS:
        refuse(f"one of {', '.join(_SIGNS)}")
    if (key == "fastest" and not value > 0) or (key == "ferry" and not 0 <= value < math.inf):
        refuse("a speed in km/h")
    if key == "uturn" and not value >= 0:
        refuse("seconds, at least 0")


CAR = Profile(
    "car",
    speeds={
        "motorway": 110, "motorway_link": 60, "trunk": 90, "trunk_link": 50, "primary": 70, "primary_link": 45,
        "secondary": 60, "secondary_link": 40, "tertiary": 50, "tertiary_link": 35, "unclassified": 45,
        "residential": 30, "living_street": 10, "service": 20, "road": 40,
    },
    access=("motorcar", "motor_vehicle", "vehicle", "access"),
    oneway=("oneway:motorcar", "oneway:motor_vehicle", "oneway:vehicle", "oneway"),
    signs="follow",
    ferry=15,
    barriers=_BOLLARDS,
    restrictions=("restriction:motorcar", "restriction:motor_vehicle", "restriction:vehicle", "restriction"),
    uturn=math.inf,
)  # fmt: skip
BIKE = Profile(
    "bike",
    speeds={
        "cycleway": 18, "primary": 16, "primary_link": 16, "secondary": 16, "secondary_link": 16, "tertiary": 16,
        "tertiary_link": 16, "unclassified": 16, "residential": 16, "road": 16, "living_street": 12, "service": 12,
        "track": 12, "path": 12, "bridleway": 12, "pedestrian": 8, "footway": 8, "trunk": 16, "trunk_link": 16,
    },
    access=("bicycle", "vehicle", "access"),
    slowed={"dismount": 4},
    invited={
        "highway": frozenset(("pedestrian", "footway", "bridleway", "trunk", "trunk_link")),
        "motorroad": frozenset(("yes",)),
    },
    oneway=("oneway:bicycle", "oneway"),
    contraflow=dict.fromkeys(("cycleway", "cycleway:left", "cycleway:right", "cycleway:both"), _OPPOSITE),
    signs="cap",
    ferry=15,
    barriers=_STILES,
    restrictions=("restriction:bicycle",),
)  # fmt: skip
FOOT = Profile(
    "foot",
    speeds={"steps": 2.5} | dict.fromkeys(
        (
            "trunk", "trunk_link", "primary", "primary_link", "secondary", "secondary_link", "tertiary",
            "tertiary_link", "unclassified", "residential", "living_street", "service", "road", "pedestrian", "footway",
            "path", "track", "bridleway", "cycleway", "corridor", "platform",
        ),
        5,
    ),
    access=("foot", "access"),
    invited={"highway": frozenset(("trunk", "trunk_link")), "motorroad": frozenset(("yes",))},
    oneway=("oneway:foot",),
    restrictions=("restriction:foot",),
    areas=True,
    ferry=15,
)  # fmt: skip
PROFILES = {profile.name: profile for profile in (CAR, BIKE, FOOT)}

Travel = Profile | Callable[[Tags], Any]  # what `profile=` takes, besides names


def take_profile(profile: Any) -> Travel:
    """Return the profile of a name; profiles and functions are taken as they are."""
    if isinstance(profile, str):
        if profile not in PROFILES:
            raise OptionError(f"{option('profile', profile)} does not exist. Use one of {', '.join(PROFILES)}.")
        return PROFILES[profile]
    if not callable(profile) or isinstance(profile, type):
        raise OptionError(
            f"the profile is a {type(profile).__name__}. Give a name ({', '.join(PROFILES)}), a Profile, or a function "
            f"from the tags of a way to the seconds per metre along it and against it."
        )
    return profile  # type: ignore[no-any-return]


def take_paces(found: Any, way: int) -> Paces | None:
    """Check what a function says about a way: None, or two times per metre, None or inf where it is closed."""
    if found is None:
        return None
    try:
        along, against = (math.inf if pace is None else float(pace) for pace in found)
    except (TypeError, ValueError):
        along = against = math.nan
    if not (along >= 0 and against >= 0):
        raise OptionError(
            f"for way {way} the profile returned {found!r}. It should return None, or the seconds per metre along the "
            f"way and against it: numbers >= 0, None where it is closed."
        )
    return None if along == against == math.inf else (along, against)
