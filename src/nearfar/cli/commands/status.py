"""``nearfar status``: what a stored matrix holds, and how much of it is done."""

from __future__ import annotations

import click

from ..command import Command
from ..options import FACTS_QUIET, JSON, shared


@click.command(cls=Command, examples=("nearfar status d.zarr", "nearfar status d.zarr --json"))
@click.argument("store", type=click.Path(), metavar="STORE")
@shared(JSON, FACTS_QUIET)
def status(store: str, json: bool, quiet: bool) -> None:
    """Show what STORE holds, a matrix written with -o NAME.zarr, and how much of it is done."""
    import nearfar

    from .. import documents, screen
    from ..stores import status_document, status_facts

    matrix = nearfar.open_matrix(store)
    if json:
        documents.show("status", store=store, **status_document(matrix))
    else:
        screen.show(f"Distances in {store}", status_facts(matrix))
