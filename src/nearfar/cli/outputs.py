"""Which output options can be combined, checked before anything is read."""

from __future__ import annotations

import click

from ..store.writing import is_store as is_store


def check_output(output: str | None, predecessors: bool, json: bool, silent: bool = False) -> None:
    """Refuse options that contradict each other; ``silent`` says that --quiet leaves nothing to print."""
    ctx = click.get_current_context(silent=True)
    if silent and output is None and not json:
        missing = "--to, -o or --json" if ctx is not None and "to" in ctx.params else "-o or --json"
        raise click.UsageError(f"--quiet without {missing} would print nothing; add one of them", ctx)
    if output == "-" and json:
        raise click.UsageError("--json and -o - both write to standard output; leave one out", ctx)
    if predecessors and output is None:
        raise click.UsageError("--predecessors changes what -o writes, but there is no -o; add -o FILE", ctx)
    if predecessors and output is not None and output.lower().endswith(".npy"):
        raise click.UsageError("A .npy file holds only distances; write predecessors to .npz, .csv or .parquet", ctx)


def check_pairs(output: str | None, predecessors: bool) -> None:
    """Refuse outputs that hold whole rows of distances: ``mssp --to`` computes single pairs."""
    ctx = click.get_current_context(silent=True)
    if predecessors:
        raise click.UsageError("--predecessors needs whole rows, but --to computes single pairs; leave one out", ctx)
    if output is not None and output.lower().endswith((".npy", ".npz")):
        raise click.UsageError(
            f"'{output}' holds whole rows, but --to computes single pairs; write .csv, .csv.gz or .parquet, or leave "
            "--to out",
            ctx,
        )
