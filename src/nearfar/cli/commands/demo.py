"""``nearfar demo``: solve and verify a generated road network."""

from __future__ import annotations

import click

from ..command import Command, Option
from ..options import shared


@click.command(cls=Command, examples=("nearfar demo", "nearfar demo --vertices 10000"))
@click.option(
    "--vertices",
    type=click.IntRange(min=4),
    default=1_000_000,
    cls=Option,
    metavar="N",
    help="Size of the network; default: 1,000,000.",
)
@shared()
@click.pass_context
def demo(ctx: click.Context, vertices: int) -> None:
    """Generate a road network, solve it, prove the answer, show a path and the timings."""
    from ...demo import main

    ctx.exit(main(vertices))
