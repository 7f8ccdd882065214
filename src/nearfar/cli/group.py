"""The command ``nearfar`` itself, and the table of commands, each of which is loaded when it is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from .. import __version__
from .command import write_examples

COMMANDS = {
    "info": ("info", "What a file contains: size, degrees, weights, components"),
    "convert": ("convert", "Read a graph in one format and write it in another"),
    "partition": ("partition", "Cut a graph in a folder into parts"),
    "sssp": ("sssp", "Distances from one source, and paths to some targets"),
    "mssp": ("mssp", "Distances from several sources, or a table to some targets"),
    "apsp": ("apsp", "Distances between all pairs of vertices"),
    "path": ("path", "One shortest path, vertex by vertex"),
    "nearest": ("nearest", "The nearest of several sources for every vertex"),
    "metrics": ("metrics", "Closeness, betweenness, eccentricity, reach, diameter"),
    "access": ("access", "How much can be reached from every vertex"),
    "flows": ("flows", "A table of demand, loaded on the arcs"),
    "draw": ("draw", "A picture: distances, paths, regions, flows on a map"),
    "explore": ("explore", "An interactive page: click, and distances follow"),
    "verify": ("verify", "Prove that a saved answer is exact"),
    "status": ("status", "What a stored matrix holds, and how much of it is done"),
    "row": ("row", "The distances of one source, from a stored matrix"),
    "plan": ("plan", "What a query would run, why, and how much memory it needs"),
    "devices": ("devices", "Devices on which queries can run"),
    "selftest": ("selftest", "Check that a device gives the right answers"),
    "bench": ("bench", "Measure a device against the CPU, as tables in Markdown"),
    "demo": ("demo", "Solve and verify a generated road network"),
    "generate": ("generate", "Generate a graph and write it to a file"),
}

MEANT = {"distance": "path", "dist": "path", "route": "path", "read": "info", "write": "convert", "formats": "info"}

EXAMPLES = (
    "nearfar info roads.gr.gz",
    "nearfar sssp roads.gr.gz --source 1 --to 1000",
    "nearfar apsp streets.csv --weight km -o distances.npy",
)


class Interrupted(Exception):  # noqa: N818 - not an error
    """Ctrl-C, as an exception that click does not catch."""


class ClosedPipe(Exception):  # noqa: N818
    """The reader of our output has gone."""


class LazyGroup(click.Group):
    """A group that knows the names and summaries of its commands; a command is loaded only when it is needed."""

    def __init__(self, *args: Any, table: Mapping[str, tuple[str, str]], examples: tuple[str, ...], **kw: Any) -> None:
        super().__init__(*args, **kw)
        self.table, self.examples = table, examples

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the table."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; its module and its function have the same name."""
        if cmd_name not in self.table:
            return None
        module = self.table[cmd_name][0]
        command: click.Command = getattr(import_module(f".commands.{module}", __package__), module)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for one that does not exist suggest what was probably meant."""
        name = args[0]
        if name not in self.table and not name.startswith("-") and not ctx.resilient_parsing:
            close = [MEANT[name]] if name in MEANT else get_close_matches(name, self.table, 1)
            hint = f" Did you mean '{close[0]}'?" if close else f" There are {', '.join(self.table)}."
            ctx.fail(f"There is no command '{name}'.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write names and summaries without loading anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self.table.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are typed."""
        write_examples(self.examples, formatter)

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the command line, and show the help if it contains --help."""
        with _renamed():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _renamed():
            return super().invoke(ctx)


@contextmanager
def _renamed() -> Iterator[None]:
    """Replace Ctrl-C and closed pipes by exceptions that click does not handle itself."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted from None
    except BrokenPipeError:
        raise ClosedPipe from None


@click.group(cls=LazyGroup, table=COMMANDS, examples=EXAMPLES, invoke_without_command=True)
@click.version_option(__version__, prog_name="nearfar", message="%(prog)s %(version)s")
@click.pass_context
def nearfar(ctx: click.Context) -> None:
    """Exact shortest paths in graphs from files.

    Many file formats are read (DIMACS, SNAP, CSV, Matrix Market, ...), compressed or not; '-' is standard input.
    Vertices have the names that the file gives them.

    'nearfar COMMAND --help' shows the options of a command.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
