"""How a command shows its help: options in sections, examples at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click


class Option(click.Option):
    """An option in a section of the help; ``{names}`` in its text stands for the names that its type accepts."""

    def __init__(self, *args: Any, section: str = "Options", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Fill in the names only now: loading their tables takes a while."""
        record = super().get_help_record(ctx)
        if record is None or "{names}" not in record[1]:
            return record
        return record[0], record[1].replace("{names}", ", ".join(self.type.names()))  # type: ignore[attr-defined]


class Command(click.Command):
    """A command whose help has sections and ends with examples."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of each section under its heading."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(parameter, "section", "Options"), []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records, col_max=26)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are typed."""
        write_examples(self.examples, formatter)


def write_examples(examples: Sequence[str], formatter: click.HelpFormatter) -> None:
    """Write the examples, the last section of a help text."""
    with formatter.section("Example" if len(examples) == 1 else "Examples"):
        for example in examples:
            formatter.write(f"{'':{formatter.current_indent}}{example}\n")
