"""Which options of output go together, checked before anything is read."""

from __future__ import annotations

import click


def check_output(output: str | None, predecessors: bool, json: bool, silent: bool = False) -> None:
    """Refuse options that contradict each other; ``silent`` says that --quiet leaves nothing to print."""
    ctx = click.get_current_context(silent=True)
    if silent and output is None and not json:
        ways = "--to, -o or --json" if ctx is not None and "to" in ctx.params else "-o or --json"
        raise click.UsageError(f"--quiet without {ways} would print nothing", ctx)
    if output == "-" and json:
        raise click.UsageError("--json and -o - both write to standard output; leave one out", ctx)
    if predecessors and output is None:
        raise click.UsageError("--predecessors says what -o writes; give -o FILE", ctx)
    if predecessors and output is not None and output.lower().endswith(".npy"):
        raise click.UsageError("A .npy file holds distances alone; write predecessors to .npz, .csv or .parquet", ctx)


def check_pairs(output: str | None, predecessors: bool) -> None:
    """Refuse for pairs alone (``mssp --to``) what only whole rows of distances can be written to."""
    ctx = click.get_current_context(silent=True)
    if predecessors:
        raise click.UsageError("--predecessors belong to whole rows, but --to asks for pairs; leave one out", ctx)
    if output is not None and output.lower().endswith((".npy", ".npz")):
        raise click.UsageError(
            f"'{output}' holds whole rows, but --to asks for pairs: write .csv, .csv.gz or .parquet, or leave --to out",
            ctx,
        )
