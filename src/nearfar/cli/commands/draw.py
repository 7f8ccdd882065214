"""``nearfar draw``: a picture of a network, of distances on it, and of paths."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..choices import Count
from ..command import Command, Option
from ..options import SOLVING, bundle, direction, graph_file, reading, shared, targets
from ..pictures import MEASURES, SHOWN, draw_picture, question_of

_look = partial(click.option, cls=Option, section="Picture")
LOOKS = {
    "width": _look("--width", type=Count("a number of pixels"), help="Width in pixels; default: 1200 or less."),
    "height": _look("--height", type=Count("a number of pixels"), help="Height in pixels; default: that of the map."),
    "dark": _look("--dark", is_flag=True, help="Light lines on a dark ground."),
    "title": _look("--title", metavar="TEXT", help="What stands above the picture."),
    "units": _look("--units", metavar="UNIT", help="Unit of the distances, such as s or m, for the legend."),
    "colours": _look("--colours", metavar="NAME", help="Colour map of matplotlib; default: plasma."),
    "legend": _look("--legend/--no-legend", default=None, help="Whether there is a legend."),
    "scale": _look(
        "--scale",
        type=click.Choice(["auto", "degrees", "metres", "plane"]),
        metavar="NAME",
        help="What coordinates are measured in: degrees, metres, or plane (anything else).",
    ),
    "layout": _look(
        "--layout",
        type=click.Choice(["auto", "coordinates", "layers", "spectral"]),
        metavar="NAME",
        help="Where vertices lie: coordinates, layers (by hops), or spectral (by distances).",
    ),
    "detail": _look(
        "--detail",
        type=click.Choice(["auto", "lines", "pixels"]),
        metavar="NAME",
        help="Draw edges as lines or, if there are many, as pixels.",
    ),
}
PICTURE_OUT = click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="FILE",
    cls=Option,
    section="Output",
    help="Write to .png, .svg or .pdf; '-': png to standard output. Default: the name of the graph's file, as .png.",
)
SILENT = click.option("-q", "--quiet", is_flag=True, cls=Option, section="Output", help="No message, no progress bar.")
looks = bundle("looks", LOOKS)
draw_solving = bundle("solving", {name: SOLVING[name] for name in ("method", "device", "threads", "cutoff", "memory")})


@click.command(
    cls=Command,
    examples=(
        "nearfar draw andorra.osm.pbf --source 625022 --to 625031 -o map.png",
        "nearfar draw andorra.osm.pbf --source 625022 --limits 300,600,900 --dark",
        "nearfar draw roads.gr.gz --coordinates roads.co.gz --sources @hospitals.txt",
        "nearfar draw roads.npz --measure betweenness -o betweenness.svg",
    ),
)
@graph_file
@click.option("--source", "-s", cls=Option, metavar="VERTEX", help="Colour the network by the distance from here.")
@click.option(
    "--sources",
    multiple=True,
    cls=Option,
    metavar="LIST",
    help="Draw which of these is nearest to every vertex: a,b,c or @FILE; may be repeated.",
)
@click.option("--demand", type=click.Path(), cls=Option, metavar="TABLE", help="Draw its flows, as of nearfar flows.")
@click.option("--measure", type=click.Choice(MEASURES), cls=Option, metavar="NAME", help=f"Draw {', '.join(MEASURES)}.")
@click.option("--kind", type=click.Choice(SHOWN), cls=Option, metavar="NAME", help=f"Draw a {', '.join(SHOWN)}.")
@targets
@click.option("--limits", cls=Option, metavar="LIST", help="Bands up to these distances: 300,600,900.")
@direction
@looks
@reading
@draw_solving
@shared(PICTURE_OUT, SILENT)
def draw(
    file: str, looks: dict[str, Any], reading: dict[str, Any], output: str | None, quiet: bool, **asked: Any
) -> None:
    """Draw a network: coloured by distance from a source, in bands, with paths on top; or other answers on it.

    Without a question, the network alone. North is up, and both directions have the same scale.
    """
    asked["limits"] = _take_limits(asked["limits"])
    question_of(asked)
    target = _take_output(file, output)
    from ..screen import note
    from ..work import given, load

    loaded = load(file, reading, quiet)
    picture = draw_picture(loaded.graph, asked, given(looks), quiet)
    if target == "-":
        sys.stdout.buffer.write(picture.to_bytes("png"))
        sys.stdout.buffer.flush()
        return
    picture.save(target)
    if not quiet:
        note(f"wrote {target}: {picture.width:,} x {picture.height:,} pixels")


def _take_output(file: str, output: str | None) -> str:
    """Return where the picture goes; refuse what cannot be written, before anything is read."""
    from ...draw.picture import kind_of
    from ...formats.io.targets import check_writable

    if output == "-":
        if sys.stdout.isatty():
            raise click.UsageError(
                "A picture is not written to a terminal; give a name with -o, or send it on with |",
                click.get_current_context(),
            )
        return output
    target = _default_name(file) if output is None else output
    kind_of(target)
    check_writable(target)
    return target


def _default_name(file: str) -> str:
    """Return the name of the graph's file without its folder and endings, as .png in the current folder."""
    name = os.path.basename(file.rstrip("/"))
    stem = name.lstrip(".").partition(".")[0]
    return str(Path(f"{stem or 'picture'}.png")) if file != "-" else "picture.png"


def _take_limits(words: str | None) -> list[float] | None:
    """Return the limits of the bands."""
    if words is None:
        return None
    try:
        return [float(word) for word in words.split(",")]
    except ValueError:
        raise click.UsageError(
            f"'{words[:40]}' are no limits: give numbers, as 300,600,900", click.get_current_context()
        ) from None
