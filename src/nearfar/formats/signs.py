"""Speed limits and durations as OpenStreetMap's tags write them."""

from __future__ import annotations

import re

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
_HOURS = re.compile(r"([0-9]{1,3})(?::([0-5][0-9])(?::([0-5][0-9]))?)?")
_PERIOD = re.compile(r"PT(?:([0-9]{1,3})H)?(?:([0-9]{1,4})M)?(?:([0-9]{1,5})S)?")


def read_speed(sign: str) -> float | None:
    """Return the speed of a maxspeed tag in km/h, or None if it has none.

    Examples
    --------
    >>> from nearfar.formats.signs import read_speed
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


def read_duration(value: str) -> float | None:
    """Return the seconds of a duration tag: minutes, hh:mm, hh:mm:ss or PT1H30M; None if it has none.

    Examples
    --------
    >>> from nearfar.formats.signs import read_duration
    >>> read_duration("20"), read_duration("01:30"), read_duration("PT1H30M"), read_duration("soon")
    (1200.0, 5400.0, 5400.0, None)
    """
    word = value.strip()
    if found := _HOURS.fullmatch(word):
        first, second, third = (int(part or 0) for part in found.groups())
        minutes = first if found[2] is None else 60 * first + second
        return float(60 * minutes + third) or None
    if found := _PERIOD.fullmatch(word):
        hours, minutes, seconds = (int(part or 0) for part in found.groups())
        return float(3600 * hours + 60 * minutes + seconds) or None
    return None
