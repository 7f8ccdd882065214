"""Which options of output go together, checked before anything is read."""

from __future__ import annotations

import click


def check_output(output: str | None, predecessors: bool, json: bool) -> None:
    """Refuse options that contradict each other."""
    ctx = click.get_current_context(silent=True)
    if output == "-" and json:
        raise click.UsageError("--json and -o - both write to standard output; leave one out", ctx)
    if predecessors and output is None:
        raise click.UsageError("--predecessors says what -o writes; give -o FILE", ctx)
    if predecessors and output is not None and output.lower().endswith(".npy"):
        raise click.UsageError("A .npy file holds distances alone; write predecessors to .npz, .csv or .parquet", ctx)
