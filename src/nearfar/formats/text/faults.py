"""Messages about wrong lines of text: what was found, the rule it breaks, the way out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...graph.arrays import shorten

if TYPE_CHECKING:
    from .reader import LineLayout

PLAIN_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE)


def wrong_number(token: bytes, layout: LineLayout) -> str:
    """Describe what is wrong with a field that is not a number, not finite, or too large."""
    shown = shorten(token.decode("utf8", "replace"), 40)
    if token.strip(b"+-").isdigit():
        return f"{shown} was found, but whole numbers end at 2**63 - 1. Use floats, or a coarser unit."
    if PLAIN_NUMBER.fullmatch(token):
        return (
            f"{shown} was found, but numbers must be finite ({layout.like}); a weight of inf means no arc. Correct it."
        )
    comma = layout.delimiter != b"," and re.fullmatch(rb"[+-]?\d+,\d+", token)
    advice = "Write a decimal point, not a decimal comma." if comma else "Correct the line."
    return f"{shown} was found where a number is needed ({layout.like}). {advice}"


def explain(status: int, layout: LineLayout, token: str, line: str) -> str:
    """Describe what is wrong with a line, from the status of the kernel."""
    from ...kernels.cpu import text as kernels

    low, high = layout.bounds
    span = f"vertices are {low} to {high}" if high >= low else "there are no vertices"
    reasons = {
        kernels.TOO_FEW: f"{line} has too few fields ({layout.like}).",
        kernels.TOO_MANY: f"{line} has too many fields ({layout.like}).",
        kernels.NOT_WHOLE: f"{token} was found where a whole number is needed ({layout.like}).",
        kernels.OUT_OF_RANGE: f"vertex {token.strip(chr(39))} does not exist: {span}.",
        kernels.TOO_LARGE: f"{token} was found, but whole numbers end at 2**63 - 1.",
        kernels.EMPTY: f"{line} has an empty field ({layout.like}).",
        kernels.WRONG_LINE: f"{line} was found, but a line should be: {layout.like}.",
        kernels.UNCLOSED: f"{line} has a quote that is not closed on its line, or a doubled one.",
        kernels.AFTER: f"{line} has something after a field before the next separator ({layout.like}).",
    }
    advice = layout.advice if status == kernels.NOT_WHOLE and layout.advice else "Correct the line."
    return f"{reasons[status]} {advice}"
