"""``nearfar generate KIND``: generate a graph and write it; the table KINDS lists the kinds."""

from __future__ import annotations

from typing import Any

import click

from ..choices import FormatName, Memory, writable_formats
from ..command import Command, Option, write_examples
from ..options import QUIET, shared

Parameter = tuple[str, type, Any, str]
"""An option of a kind: its name, its type, its default, and its help text."""

REQUIRED = object()

TO_DISK = ("road_grid", "rmat")  # kinds that go straight to a folder, without being in memory

MAX_WEIGHT: Parameter = ("max_weight", int, 255, "Weights are drawn from 1 to this; 0: no weights.")
DIRECTED: Parameter = ("directed", bool, False, "Make arcs instead of edges in both directions.")

KINDS: dict[str, tuple[str, str, tuple[Parameter, ...]]] = {
    "road_grid": (
        "A planar, road-like network on an uneven grid",
        "--rows 300 --cols 400 -o roads.gr.gz",
        (
            ("rows", int, REQUIRED, "Crossings from north to south."),
            ("cols", int, REQUIRED, "Crossings from west to east."),
            ("keep", float, 0.7, "Share of the grid's streets that are built."),
            ("spacing", float, 1000.0, "Typical distance between neighbouring crossings."),
        ),
    ),
    "city": (
        "A city with names of streets, longitude and latitude, one-ways and travel times",
        "-o city.npz",
        (
            ("rows", int, 40, "Number of streets, from south to north."),
            ("cols", int, 60, "Number of avenues, from west to east."),
        ),
    ),
    "rmat": (
        "R-MAT (Kronecker): few hops, very uneven degrees",
        "--scale 16 --seed 1 -o social.npz",
        (
            ("scale", int, REQUIRED, "The graph has 2**scale vertices."),
            ("edge_factor", int, 16, "Edges drawn per vertex."),
            MAX_WEIGHT,
            DIRECTED,
        ),
    ),
    "geometric": (
        "Points in the unit square, joined if they are near",
        "--n 10000 --degree 6 -o mesh.csv",
        (
            ("n", int, REQUIRED, "Number of points."),
            ("degree", float, 8.0, "Mean number of neighbours, approximately."),
            ("radius", float, None, "Join points nearer than this, instead of --degree."),
        ),
    ),
    "complete": (
        "An arc from each vertex to every other",
        "--n 500 -o dense.npz",
        (("n", int, REQUIRED, "Number of vertices."), MAX_WEIGHT, DIRECTED),
    ),
}


class Kinds(click.Group):
    """One command per kind, made from its line in the table."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the kinds."""
        return list(KINDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a kind; road-grid means road_grid."""
        kind = cmd_name.replace("-", "_")
        return _command(kind) if kind in KINDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """List the kinds if the given one does not exist."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"There is no kind '{args[0]}'; there are {', '.join(KINDS)}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the kinds with their summaries."""
        with formatter.section("Kinds"):
            formatter.write_dl([(kind, summary) for kind, (summary, _, _) in KINDS.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are typed."""
        write_examples([f"nearfar generate {kind} {example}" for kind, (_, example, _) in KINDS.items()], formatter)


def _command(kind: str) -> click.Command:
    """Return the command that generates graphs of a kind."""
    summary, example, parameters = KINDS[kind]

    def make(
        output: str, to_format: str | None, seed: int, quiet: bool, memory: str | None = None, **values: Any
    ) -> None:
        generate_kind(kind, output, to_format, seed, quiet, memory, values)

    command = shared(QUIET)(make)
    for name, parse, default, text in reversed(parameters):
        command = _option(name, parse, default, text)(command)
    command = click.option("--seed", type=int, default=0, cls=Option, metavar="N", help="Seed of the random numbers.")(
        command
    )
    if kind in TO_DISK:
        text = "Memory that a FILE.nearfar may take, such as 2GB: it is written without being in memory."
        command = click.option("--memory", type=Memory(), cls=Option, help=text)(command)
    command = click.option(
        "--to-format",
        type=FormatName(writable_formats, "writable format"),
        cls=Option,
        metavar="NAME",
        help="Format of the file, if its name does not show it: {names}.",
    )(command)
    output = click.option(
        "-o", "--output", required=True, cls=Option, metavar="FILE", help="File to write; '-': standard output."
    )
    return click.command(kind, cls=Command, help=f"{summary}.", examples=(f"nearfar generate {kind} {example}",))(
        output(command)
    )


def _option(name: str, parse: type, default: Any, text: str) -> Any:
    """Return the option for one parameter of a kind."""
    flag = "--" + name.replace("_", "-")
    if parse is bool:
        return click.option(flag, name, is_flag=True, cls=Option, help=text)
    show = {"required": True} if default is REQUIRED else {"default": default, "show_default": True}
    return click.option(flag, name, type=parse, cls=Option, metavar="N" if parse is int else "X", help=text, **show)


def generate_kind(
    kind: str, output: str, to_format: str | None, seed: int, quiet: bool, memory: str | None, values: dict[str, Any]
) -> None:
    """Generate a graph and write it; a folder without having all arcs in memory, if the kind can."""
    import nearfar

    from ...formats.folder import is_folder_name
    from ..folders import report_folder
    from ..work import check_target, store

    straight = kind in TO_DISK and to_format is None and is_folder_name(output)
    if memory is not None and not straight:
        ctx = click.get_current_context(silent=True)
        raise click.UsageError("--memory is for folders; name one with -o NAME.nearfar, or leave it out", ctx)
    if not straight:
        check_target(output, to_format)
    if "directed" in values:
        values["undirected"] = not values.pop("directed")
    if "max_weight" in values:
        values["max_weight"] = values["max_weight"] or None
    if straight:
        getattr(nearfar.generate, kind)(seed=seed, out=output, memory=memory, **values)
        report_folder(output, quiet)
        return
    graph = getattr(nearfar.generate, kind)(seed=seed, **values)
    store(graph, output, to_format, quiet)


@click.group(cls=Kinds, invoke_without_command=True, subcommand_metavar="KIND [ARGS]...")
@click.pass_context
def generate(ctx: click.Context) -> None:
    """Generate a graph and write it to a file; the same options give the same graph on every machine.

    'nearfar generate KIND --help' lists the options of a kind.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
