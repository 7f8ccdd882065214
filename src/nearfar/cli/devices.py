"""``nearfar devices``: where queries can run on this machine."""

from __future__ import annotations

import click

from .command import Command
from .options import JSON, shared


@click.command(cls=Command, examples=("nearfar devices", "nearfar devices --json"))
@shared(JSON)
def devices(json: bool) -> None:
    """Where queries can run on this machine, and what is to come."""
    from ..devices import DEVICES
    from ..options import COMING
    from . import documents, screen

    found = {name: device.facts() for name, device in DEVICES.items()}
    if json:
        here = [{"device": name, "cores": f.cores, "memory_bytes": f.memory} for name, f in found.items()]
        documents.show("devices", devices=here, coming=list(COMING))
        return
    rows = [
        (name, screen.count(facts.cores, "core"), f"{screen.format_bytes(facts.memory)} of memory free")
        for name, facts in found.items()
    ]
    rows += [(name, "to come", what) for name, what in COMING.items()]
    out = screen.console()
    screen.print_stripped(out, screen.table_of([("device", "left"), ("", "left"), ("", "left")], rows))
