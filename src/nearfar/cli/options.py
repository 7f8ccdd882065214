"""Options that several commands take, each written once.

A decorator adds a family of options and passes their values to the command as one dict with the family's name:
``reading``, ``solving`` or ``sources``. An option that was not given is None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial, wraps
from typing import Any, TypeVar

import click

from .choices import (
    Column,
    Count,
    Device,
    FormatName,
    Memory,
    Name,
    Number,
    Scheduler,
    Separator,
    device_names,
    method_names,
    profile_names,
    readable_formats,
)
from .command import Option

Function = TypeVar("Function", bound=Callable[..., Any])

_read = partial(click.option, cls=Option, section="Reading")
_solve = partial(click.option, cls=Option, section="Solving")
_output = partial(click.option, cls=Option, section="Output")


def _set_debug(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Note for failures.py that tracebacks are wanted."""
    if value:
        ctx.ensure_object(dict)["debug"] = True


def _check_output(ctx: click.Context, param: click.Parameter, value: str | None, stores: bool = False) -> str | None:
    """Refuse an output file that cannot be written, before anything is computed; ``stores``: it may be a store."""
    if value is None or ctx.resilient_parsing:
        return value
    from ..errors import OptionError
    from ..store.writing import check_path
    from .failures import as_typed

    try:
        check_path(value, stores)
    except OptionError as error:
        raise click.BadParameter(as_typed(error), ctx, param) from None
    return value


READING = {
    "format": _read(
        "--format",
        type=FormatName(readable_formats, "readable format"),
        metavar="NAME",
        help="Format of the file, if its name and content do not show it: {names}.",
    ),
    "undirected": _read(
        "--undirected/--directed", default=None, help="Take each line as an edge in both directions, or as one arc."
    ),
    "tail": _read("--tail", type=Column(), help="Column of the tails of arcs: a name, or an index from 0."),
    "head": _read("--head", type=Column(), help="Column of the heads of arcs."),
    "weight": _read("--weight", type=Column(True), help="Column of the weights; 'none' ignores them."),
    "separator": _read("--separator", type=Separator(), help="Character between columns: tab, space, comma, ';', ..."),
    "header": _read("--header/--no-header", default=None, help="Whether the first line holds the column names."),
    "names": _read(
        "--names/--no-names",
        default=None,
        help="Take vertices as words even if they look like numbers, or call them by index, from 0.",
    ),
    "lenient": _read(
        "--lenient", is_flag=True, default=None, help="Accept a file whose header promises another count."
    ),
    "coordinates": _read("--coordinates", type=click.Path(), metavar="FILE", help="File of the vertices' coordinates."),
    "degrees": _read(
        "--degrees/--plane",
        default=None,
        help="Coordinates are longitude and latitude, or x and y in a plane, if the file does not say it.",
    ),
    "profile": _read(
        "--profile",
        type=Name(profile_names, "profile"),
        metavar="NAME",
        help="Mode of travel in OpenStreetMap files: {names}.",
    ),
    "zones": _read(
        "--zones",
        type=click.Choice(["open", "closed"]),
        metavar="NAME",
        help="Whether paths may lead through the zones of a TNTP network: open, the default, or closed.",
    ),
    "latitude": _read("--latitude", type=float, metavar="DEGREES", help="South edge of a height map."),
    "longitude": _read("--longitude", type=float, metavar="DEGREES", help="West edge of a height map."),
    "close": _read(
        "--close",
        multiple=True,
        metavar="LIST",
        help="Leave out the arcs of these rows of the file, counted from 0: 17,18 or @FILE; may be repeated.",
    ),
}

SOLVING = {
    "method": _solve("--method", type=Name(method_names, "method"), metavar="NAME", help="Method: {names}."),
    "device": _solve(
        "--device", type=Device(device_names, "device"), metavar="NAME", help="Device: {names}; or opencl:1,opencl:2."
    ),
    "threads": _solve("--threads", type=Count("a number of threads"), help="Number of threads; default: all cores."),
    "cutoff": _solve("--cutoff", type=Number(), help="Leave vertices farther than this unreached."),
    "memory": _solve("--memory", type=Memory(), help="Limit, such as 2GB; a query that needs more is refused."),
    "delta": _solve("--delta", type=Number(), help="Bucket width of the methods delta and dijkstra."),
    "dtype": _solve(
        "--dtype",
        type=click.Choice(["int32", "int64", "float32", "float64"]),
        metavar="TYPE",
        help="Type of the distances: int32, int64, float32, float64.",
    ),
}

FILE_OUT = _output(
    "-o",
    "--output",
    type=click.Path(),
    metavar="FILE",
    callback=_check_output,
    help="Write to .npy, .npz, .csv, .csv.gz or .parquet; '-': csv to standard output.",
)
MATRIX_OUT = _output(
    "-o",
    "--output",
    type=click.Path(),
    metavar="FILE",
    callback=partial(_check_output, stores=True),
    help="Write to .zarr, a store that can be stopped and resumed, .npy, .npz, .csv, .csv.gz or .parquet; '-': csv to "
    "standard output.",
)
STORING = {
    "resume": _output("--resume", is_flag=True, help="Go on with a store; it is an error if there is none."),
    "restart": _output("--restart", is_flag=True, help="Write a store anew, whatever is in it."),
    "repair": _output("--repair", is_flag=True, help="Look at every block of a store, and write damaged ones again."),
    "join": _output("--join", is_flag=True, help="Share the work on a store with other processes that say so, too."),
}
TABLE_OUT = _output(
    "-o",
    "--output",
    type=click.Path(),
    metavar="FILE",
    help="Write to .csv, .csv.gz or .parquet; '-': csv to standard output.",
)
PREDECESSORS = _output("--predecessors", is_flag=True, help="Write the predecessor of each vertex, too.")
CLUSTER = {
    "scheduler": _solve(
        "--scheduler",
        type=Scheduler(),
        help="Let the workers of a Dask cluster do the work, such as tcp://10.0.0.1:8786.",
    ),
    "workers": _solve(
        "--workers", type=Count("a number of workers"), help="Let so many processes on this machine do the work."
    ),
}
JSON = _output("--json", is_flag=True, help="Print one JSON document instead of text.")
QUIET = _output("-q", "--quiet", is_flag=True, help="Print only the bare answer, and no progress bar.")
FACTS_QUIET = _output("-q", "--quiet", is_flag=True, help="No progress bar; the facts are the answer, and are printed.")
DEBUG = _output(
    "--debug",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_set_debug,
    help="Show the traceback of an error.",
)


def bundle(name: str, options: dict[str, Callable[[Any], Any]]) -> Callable[[Function], Function]:
    """Return a decorator that adds options to a command and passes it their values as one dict."""

    def decorate(command: Function) -> Function:
        @wraps(command)
        def bundled(**values: Any) -> Any:
            values[name] = {option: values.pop(option) for option in options}
            return command(**values)

        return _add(bundled, options.values())

    return decorate


def on_cluster(command: Function) -> Function:
    """Add --scheduler and --workers; pass the command what they stand for as ``client``, which work.py connects to."""

    @wraps(command)
    def connecting(**values: Any) -> Any:
        address, workers = (values.pop(name) for name in CLUSTER)
        if address is not None and workers is not None:
            raise click.UsageError("--scheduler names a cluster, --workers starts one here; leave one out")
        return command(**values, client=address if workers is None else f"local:{workers}")

    return _add(connecting, CLUSTER.values())


def _add(command: Any, options: Iterable[Callable[[Any], Any]]) -> Any:
    """Add options so that help lists them in the order given."""
    for option in reversed(list(options)):
        command = option(command)
    return command


def shared(*options: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Return a decorator that adds options one by one, and --debug, which every command has."""
    return lambda command: _add(command, (*options, DEBUG))


reading = bundle("reading", READING)
solving = bundle("solving", SOLVING)
storing = bundle("storing", STORING)
graph_file = click.argument("file", type=click.Path(), metavar="FILE")
sources = bundle(
    "sources",
    {
        "sources": click.option(
            "--sources",
            "-s",
            multiple=True,
            cls=Option,
            metavar="LIST",
            help="Sources: a,b,c or @FILE with one per line; may be repeated.",
        ),
        "sources_from": click.option(
            "--sources-from",
            type=click.Path(),
            cls=Option,
            metavar="FILE",
            help="File of sources, one per line; # starts a comment.",
        ),
        "at": click.option(
            "--at",
            type=click.Path(),
            cls=Option,
            metavar="FILE",
            help="Table of places with columns lon and lat, and perhaps name: sources are the nearest vertices.",
        ),
    },
)
direction = click.option(
    "--direction",
    type=click.Choice(["from", "to"]),
    cls=Option,
    metavar="from|to",
    default="from",
    help="Distances from the sources, the default, or to them; paths read as one travels.",
)
targets = click.option(
    "--to", "-t", multiple=True, cls=Option, metavar="LIST", help="Targets: a,b,c or @FILE; may be repeated."
)
