"""The number that means "no path" in SParry's distances and "no edge" in its matrices."""
# ruff: noqa: N802 (SParry's names)

from __future__ import annotations

INF = 0x7F7F3F7F  # 2139045759


def getINF() -> int:
    """Return `INF`.

    Examples
    --------
    >>> from nearfar.adapters.sparry import getINF
    >>> getINF()
    2139045759
    """
    return INF
