"""`Picture`, a drawing that is saved to a file, or shows itself in a notebook."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import InputTypeError, OptionError
from ..formats.io.whole import whole_file

ENDINGS = ("png", "svg", "pdf")
DPI = 100  # one unit of everything here is a pixel: 1/100 inch


class Picture:
    """A drawing. Made by the functions of `nearfar.draw` and by ``result.plot()``.

    A notebook shows it; a script saves it. matplotlib's state and windows are left alone.

    Attributes
    ----------
    figure : matplotlib.figure.Figure
        Yours to change before it is saved. It belongs to no window.
    width, height : int
        In pixels.

    Examples
    --------
    >>> import nearfar
    >>> graph = nearfar.generate.road_grid(20, 20, seed=1)
    >>> picture = nearfar.sssp(graph, 210).plot()
    >>> picture.save("distances.png")  # doctest: +SKIP
    """

    def __init__(self, figure: Any) -> None:
        self.figure = figure

    @property
    def width(self) -> int:
        """The width in pixels."""
        return round(self.figure.get_figwidth() * DPI)

    @property
    def height(self) -> int:
        """The height in pixels."""
        return round(self.figure.get_figheight() * DPI)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, which appears as a whole or not at all; the ending says how.

        Parameters
        ----------
        path : str or path
            Ends in .png, .svg or .pdf. Of networks that are drawn as pixels, the latter two hold an image; all else
            stays lines and text.

        Examples
        --------
        >>> import nearfar, os, tempfile
        >>> picture = nearfar.sssp(nearfar.generate.road_grid(20, 20, seed=1), 210).plot()
        >>> path = os.path.join(tempfile.mkdtemp(), "distances.svg")
        >>> picture.save(path)
        >>> os.path.getsize(path) > 10_000
        True
        """
        kind = kind_of(path)
        data = self.to_bytes(kind)
        with whole_file(os.fspath(path)) as file:
            file.write(data)

    def to_bytes(self, kind: str = "png") -> bytes:
        """Return the content of a file of this kind: "png", "svg" or "pdf".

        Examples
        --------
        >>> import nearfar
        >>> nearfar.sssp(nearfar.generate.road_grid(20, 20, seed=1), 210).plot().to_bytes()[1:4]
        b'PNG'
        """
        if kind not in ENDINGS:
            raise OptionError(f"kind is {kind!r:.60}, but pictures are {', '.join(map(repr, ENDINGS))}.")
        made = io.BytesIO()
        with quiet_glyphs():
            self.figure.savefig(
                made, format=kind, dpi=DPI, facecolor=self.figure.get_facecolor(), transparent=False,
                bbox_inches="",  # the whole page, whatever the user's settings say; None would ask them
                metadata={"Date": None} if kind == "svg" else None,
            )  # fmt: skip
        return made.getvalue()

    def _repr_png_(self) -> bytes:
        """Return what a notebook shows."""
        return self.to_bytes("png")

    def __repr__(self) -> str:
        return f"Picture({self.width} x {self.height} pixels)"


@contextmanager
def quiet_glyphs() -> Iterator[None]:
    """Let names be in a script that the font lacks: they show as boxes, and matplotlib warns of each letter."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")
        yield


def kind_of(path: str | os.PathLike[str]) -> str:
    """Return the kind of picture that the name of a file asks for.

    Examples
    --------
    >>> kind_of("roads.PNG")
    'png'
    """
    if not isinstance(path, str | os.PathLike):
        raise InputTypeError(f"path is {path!r:.60}, but must be the name of a file.")
    ending = os.path.splitext(os.fspath(path))[1].lower().removeprefix(".")
    if ending not in ENDINGS:
        raise OptionError(
            f"the name of '{os.fspath(path):.200}' should end in one of {', '.join('.' + name for name in ENDINGS)}."
        )
    return ending
