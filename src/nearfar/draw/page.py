"""The page: a title, the drawing, below it the legend; nothing overlaps, because every height is known beforehand.

All units are pixels, counted downwards inside the drawing, so that lines, images and text fit each other exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .looks import USUAL, Style, matplotlib
from .picture import DPI, Picture, quiet_glyphs
from .scales import Bar, Swatch, number

TALLEST = 1000  # pixels of a drawing whose height was not asked for
WIDEST = 0.75  # the widest line, by the height of a text
LEAST = 420  # pixels of width, so that legends have room


class Page:
    """A page with room for a drawing of a given shape.

    Parameters
    ----------
    style : Style
    aspect : float
        Height of the drawing by its width; None: it takes all the room.
    bar, swatches : the legend
    note : str
        What stands at the right end of the legend, such as "north up".
    metres : float or None
        Metres per unit of the drawing, and its width in these units: for the scale bar.
    """

    def __init__(
        self,
        style: Style,
        aspect: float | None,
        bar: Bar | None = None,
        swatches: Sequence[Swatch] = (),
        note: str = "",
        margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    ) -> None:
        self.style = style
        self.bar, self.swatches, self.note = (bar, swatches, note) if style.legend else (None, (), "")
        guess = style.width or (USUAL if aspect is None else _width(aspect, style.height))
        self.size = float(
            np.clip(13 * np.sqrt(min(guess, 1.6 * (style.height or guess)) / 900), 9, 20)
        )  # of text, in pixels
        self.margin = round(1.4 * self.size)
        self.figure = matplotlib("figure").Figure(dpi=DPI, facecolor=style.palette.ground, layout="none")
        self._pen = matplotlib("backends.backend_agg").FigureCanvasAgg(self.figure).get_renderer()
        self._lay_out(aspect, guess, margins)

    def _lay_out(self, aspect: float | None, width: int, margins: tuple[int, int, int, int]) -> None:
        """Settle the heights of title, drawing and legend, and make the axes of the drawing."""
        style, size = self.style, self.size
        inner = width - 2 * self.margin
        self._rows = self._flow(inner)
        head = round(2.6 * size) if style.title else 0
        foot = self._foot_height()
        left, right, top, bottom = margins
        around = head + foot + 2 * self.margin + top + bottom
        high = inner * (0.6 if aspect is None else aspect)
        if style.height is not None:
            high = max(style.height - around, 20)
        elif style.width is None:
            high = min(high, TALLEST)
        wide = float(inner - left - right)
        if aspect is not None:
            wide, high = min(wide, high / aspect), min(high, wide * aspect)
        self.wide, self.high = max(round(wide), 1), max(round(high), 1)
        total = style.height or self.high + around
        self.figure.set_size_inches(width / DPI, total / DPI)
        room = total - around
        self.left = self.margin + left + (inner - left - right - self.wide) // 2
        self.base = foot + self.margin + bottom + max(0, (room - self.high) // 2)
        self.width, self.height = width, total
        box = (self.left / width, self.base / total, self.wide / width, self.high / total)
        self.axes = self.figure.add_axes(box)
        if style.title:
            self.write(self.margin, total - self.margin - 0.2 * size, style.title, 1.35, va="top", weight="bold")

    def map_axes(self) -> Any:
        """Return the axes of a drawing in pixels, without a frame."""
        self.axes.set(xlim=(0, self.wide), ylim=(self.high, 0), aspect="auto")
        self.axes.axis("off")
        return self.axes

    def write(self, x: float, y: float, text: str, size: float = 1.0, **looks: Any) -> Any:
        """Write a text on the page, as it is: no formulas."""
        looks.setdefault("color", self.style.palette.text)
        x, y = x / self.width, y / self.height
        return self.figure.text(
            x, y, text, fontsize=size * self.size * 72 / DPI, usetex=False, parse_math=False, **looks
        )

    def length(self, text: str, size: float = 1.0) -> float:
        """Return the width of a text in pixels."""
        font = matplotlib("font_manager").FontProperties(size=size * self.size * 72 / DPI)
        with quiet_glyphs():
            return float(self._pen.get_text_width_height_descent(text, font, False)[0])

    def finish(self, metres: float | None = None) -> Picture:
        """Draw the legend, with a scale bar if the drawing's width is known in metres, and return the picture."""
        size, low = self.size, self.margin * 0.6
        if self.note:
            self.write(self.width - self.margin, low, self.note, 0.85, ha="right", color=self.style.palette.faint)
        if metres is not None and self.style.legend:
            self._draw_scale(metres, low)
        rows = len(self._rows)
        for i, row in enumerate(self._rows):
            y = low + (0.0 if self._beside else 3.3 * size) + (rows - 1 - i) * 1.8 * size
            for x, swatch in row:
                self._draw_swatch(x, y, swatch)
        if self.bar is not None:
            self._draw_bar(low + (0.0 if self._beside else 3.3 * size) + rows * 1.8 * size)
        return Picture(self.figure)

    def _foot_height(self) -> int:
        """Return the height of the legend."""
        if not self.style.legend:
            return 0
        height = (4.0 if self.bar is not None else 0) + 1.8 * len(self._rows) + (0 if self._beside else 3.3)
        if self.note and self._beside:
            height = max(height, 3.2)
        return round((height + (0.8 if height else 0)) * self.size)

    def _flow(self, inner: float) -> list[list[tuple[float, Swatch]]]:
        """Return the swatches in rows, each with its left end; notes stand beside them if there is room."""
        aside = max(self.length(self.note, 0.85), 11 * self.size) + 2 * self.size if self.note else 0.0
        self._beside = inner - aside >= 24 * self.size or not self.note
        room = inner - (aside if self._beside else 0)
        rows: list[list[tuple[float, Swatch]]] = []
        x = room + 1.0
        for swatch in self.swatches:
            long = self.length(swatch.text) + 2.6 * self.size
            if x + long > room + self.size and x > 0:
                rows.append([])
                x = 0.0
            rows[-1].append((self.margin + x, swatch))
            x += long + 0.8 * self.size
        self._room = room
        return rows

    def _draw_swatch(self, x: float, y: float, swatch: Swatch) -> None:
        """Draw a line of the legend."""
        size, half = self.size, 0.55 * self.size
        middle = y + 0.38 * size
        if swatch.kind == "patch":
            self._patch(x, middle - half, 1.5 * size, 2 * half, swatch.colour)
        else:
            line = matplotlib("lines").Line2D
            ends = [x + 0.75 * size] if swatch.kind == "dot" else [x, x + 1.5 * size]
            dot = {"marker": "o", "markersize": 0.9 * size * 72 / DPI, "markeredgewidth": 0}
            wide = max(0.24 * size if swatch.size is None else swatch.size * WIDEST * size, 0.8) * 72 / DPI
            looks = dot if swatch.kind == "dot" else {"linewidth": wide, "solid_capstyle": "butt"}
            where = [end / self.width for end in ends], [middle / self.height] * len(ends)
            self.figure.add_artist(line(*where, color=swatch.colour, **looks))
        self.write(x + 2 * size, y, swatch.text)

    def _patch(self, x: float, y: float, wide: float, high: float, colour: Any) -> None:
        """Draw a rectangle on the page."""
        corner = x / self.width, y / self.height
        shape = matplotlib("patches").Rectangle(corner, wide / self.width, high / self.height, color=colour, lw=0)
        self.figure.add_artist(shape)

    def _draw_bar(self, y: float) -> None:
        """Draw the colour bar with its numbers."""
        assert self.bar is not None
        size, wide = self.size, min(self._room, 28 * self.size)
        bar, x = self.bar, float(self.margin)
        self.write(x, y + 2.8 * size, bar.label)
        box = (x / self.width, (y + 1.5 * size) / self.height, wide / self.width, 0.85 * size / self.height)
        axes = self.figure.add_axes(box)
        axes.imshow(
            bar.colours[None, :, :], aspect="auto", interpolation="nearest", extent=(0, 1, 0, 1), origin="upper"
        )
        axes.axis("off")
        ends = [x - size]
        for at, text in bar.ticks:
            half = self.length(text, 0.85) / 2
            centre = min(max(x + at * wide, x + half), x + wide - half)
            if centre - half > ends[-1] + 0.4 * size:  # numbers that would touch the one before are left out
                self.write(centre, y + 0.25 * size, text, 0.85, ha="center")
                ends.append(centre + half)

    def _draw_scale(self, metres: float, low: float) -> None:
        """Draw a scale bar of a round length, about a tenth of the page."""
        per_pixel = metres / self.wide
        most = 9 * self.size * per_pixel
        power = 10.0 ** np.floor(np.log10(most))
        length = float(max(step for step in (1, 2, 5) if step * power <= most) * power)
        text = f"{number(length / 1000)} km" if length >= 1000 else f"{number(length)} m"
        right, y = self.width - self.margin, low + 1.7 * self.size
        self._patch(
            right - length / per_pixel, y, length / per_pixel, max(2.0, 0.2 * self.size), self.style.palette.text
        )
        self.write(right - length / per_pixel / 2, y + 0.5 * self.size, text, 0.85, ha="center")


def _width(aspect: float, height: int | None) -> int:
    """Return the width of a page for a drawing of this shape, if only the height of the page is given, or nothing."""
    if height is None:
        return round(min(USUAL, max(LEAST, TALLEST / aspect)))
    return round(min(2 * height, max(LEAST, 0.85 * height / aspect)))  # the legend takes the rest
