"""``nearfar devices``: the devices on which queries can run."""

from __future__ import annotations

from typing import Any

import click

from ..command import Command
from ..options import JSON, shared


@click.command(cls=Command, examples=("nearfar devices", "nearfar devices --json"))
@shared(JSON)
def devices(json: bool) -> None:
    """List the devices on which queries can run, and what other kinds of devices would need."""
    from ...devices import DEVICES
    from .. import documents

    found = [facts for device in DEVICES.values() for facts in device.found()]
    missing = {kind: reason for kind, device in DEVICES.items() if (reason := device.missing())}
    broken = {name: reason for device in DEVICES.values() for name, reason in device.broken().items()}
    if not json:
        _print(found, broken, missing)
        return
    documents.show(
        "devices",
        devices=[
            {
                "device": f.name,
                "label": f.label,
                "cores": f.cores,
                "memory_bytes": f.memory,
                "gpu": f.gpu,
                "kind": f.kind,
                "bandwidth": f.bandwidth or None,
            }
            for f in found
        ],
        broken=[{"device": name, "reason": reason} for name, reason in broken.items()],
        missing=[{"device": kind, "reason": reason} for kind, reason in missing.items()],
    )


def _print(found: list[Any], broken: dict[str, str], missing: dict[str, str]) -> None:
    """Print a table of the devices found, and one line for each that cannot be used and each kind without any."""
    from .. import screen

    rows = [
        (
            facts.name,
            facts.kind,
            screen.count(facts.cores, "compute unit" if facts.gpu else "core"),
            f"{screen.format_bytes(facts.memory)} of memory free"
            + (f", {screen.format_bytes(facts.bandwidth)}/s" if facts.bandwidth else ""),
            facts.label,
        )
        for facts in found
    ]
    out = screen.console()
    screen.print_stripped(out, screen.table_of([("device", "left"), *[("", "left")] * 4], rows))
    lines = [f"{name} cannot be used: {reason}" for name, reason in broken.items()]
    there = {name.partition(":")[0] for name in broken}
    lines += [f"no {kind}: {reason}" for kind, reason in missing.items() if kind not in there]
    for line in lines:
        out.print(line, markup=False, highlight=False, soft_wrap=True)
