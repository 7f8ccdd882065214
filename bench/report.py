"""Turn the figures of bench/run.py into docs/benchmarks.md and its chart."""

from __future__ import annotations

import os
import platform
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import graphs
import nearfar
import peers
from nearfar import machine

Row = dict[str, Any]
COLUMNS = ("nearfar", *(p.name for p in peers.EXECUTABLES), *(p.name for p in peers.PEERS))

METHOD = """\
Before anything was timed, every answer of ours passed `nearfar.verify` and was equal to SciPy's, and the distances of
the other Python libraries were compared too; GAP tells how many vertices it reached, Wasp only its times. The
contestants took turns within one run, a few tries a turn; the best of all tries is given with the median. Graphs were
prepared in each library's own form outside the clock. Our time is the whole call from Python, `sssp(graph, source,
out=...)`, into an array touched before; GAP and Wasp time themselves. All start from the same vertex. The memory of
one source is measured in a process of its own: the highest resident size during the first query, less the resident
size before it, when the graph was already there."""


PEERS = ("numpy", "scipy", "numba", "networkit", "igraph", "rustworkx", "networkx")


def facts(*packages: str) -> dict[str, str]:
    """Describe the machine, the versions and the moment, before anything is measured."""
    return {
        "Date": time.strftime("%Y-%m-%d"),
        "Machine": f"{machine.processor()}, {os.cpu_count()} cores, {machine.memory()}",
        "System": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "Versions": ", ".join((f"nearfar {nearfar.__version__}", *(_version(p) for p in packages or PEERS))),
        "Load average at the start": ", ".join(f"{load:.2f}" for load in os.getloadavg()),
    }


def _version(package: str) -> str:
    """Return a package with its version, or say that it took no part."""
    return f"{package} {machine.package_version(package) or 'absent'}"


def best(rows: Iterable[Row], measurement: str, graph: str, name: str, threads: int = 1) -> Row | None:
    """Return the row with the best time; a program appears with several deltas."""
    found = [
        row
        for row in rows
        if (row["measurement"], row["graph"], row["name"]) == (measurement, graph, name)
        and row.get("threads") == threads
    ]
    return min(found, key=lambda row: row["best"], default=None)


def milliseconds(seconds: float) -> str:
    """Write a time with three digits."""
    value = 1e3 * seconds
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(head: list[str], body: list[list[str]]) -> str:
    """Write a Markdown table, numbers to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def single_table(rows: list[Row], threads: int, names: Iterable[str]) -> str:
    """Write one line a graph and one column a contestant: best (median), in milliseconds."""
    present = [name for name in names if any(best(rows, "single", g, name, threads) for g in _graphs(rows, "single"))]
    body = []
    for graph in _graphs(rows, "single"):
        cells = [best(rows, "single", graph, name, threads) for name in present]
        body.append([graphs.label(graph), *(_cell(cell) for cell in cells)])
    return table(["graph", *present], body)


def _cell(row: Row | None) -> str:
    """Write best and median, and the delta where a program needed one."""
    return f"{milliseconds(row['best'])} ({milliseconds(row['median'])})" if row else "–"


def _graphs(rows: list[Row], measurement: str) -> list[str]:
    """Return the graphs of a measurement in the order they were measured."""
    return list(dict.fromkeys(row["graph"] for row in rows if row["measurement"] == measurement))


def many_table(rows: list[Row]) -> str:
    """Write the times for 64 sources and what two threads gain."""
    body = []
    for graph in _graphs(rows, "many"):
        one, two = (best(rows, "many", graph, "nearfar", t) for t in (1, 2))
        scipy = best(rows, "many", graph, "SciPy")
        if one and two and scipy:
            times = [milliseconds(row["best"]) for row in (one, two, scipy)]
            gains = [f"{one['best'] / two['best']:.2f}x", f"{scipy['best'] / two['best']:.1f}x"]
            body.append([graphs.label(graph), *times, *gains])
    head = ["graph", "nearfar, 1 thread", "nearfar, 2 threads", "SciPy", "2 threads over 1", "over SciPy"]
    return table(head, body)


def memory_table(rows: list[Row]) -> str:
    """Write what one query adds to the resident graph, in megabytes and in arrays of n distances."""
    body = [
        [
            graphs.label(row["graph"]),
            row["note"],
            f"{row['graph_bytes'] / 1e6:.1f}",
            f"{row['added'] / 1e6:.1f}",
            f"{row['added'] / row['array']:.1f}",
            milliseconds(row["first_seconds"]),
        ]
        for row in rows
        if row["measurement"] == "memory"
    ]
    return table(["graph", "method", "graph, MB", "one query adds, MB", "in arrays of n", "first query, ms"], body)


def busy_table(rows: list[Row]) -> str:
    """Write the medians beside two busy loops."""
    body = []
    for graph in _graphs(rows, "busy"):
        one, two = (best(rows, "busy", graph, "nearfar delta", t) for t in (1, 2))
        if one and two:
            times = [milliseconds(row["median"]) for row in (one, two)]
            body.append([graphs.label(graph), *times, f"{two['median'] / one['median']:.2f}"])
    return table(["graph", "1 thread, ms (median)", "2 threads, ms (median)", "2 threads / 1 thread"], body)


def deltas(rows: list[Row]) -> str:
    """Write which bucket width each program was fastest with."""
    programs = [p.name for p in peers.EXECUTABLES if any(row["name"] == p.name for row in rows)]
    kinds = [(name, threads) for name in programs for threads in (1, 2)]
    body = []
    for graph in _graphs(rows, "single"):
        found = [best(rows, "single", graph, *kind) for kind in kinds]
        if any(found):
            body.append([graphs.label(graph), *(row["note"].removeprefix("delta ") if row else "–" for row in found)])
    return table(["delta", *(f"{name}, {threads} thread{'s'[: threads - 1]}" for name, threads in kinds)], body)


def chosen(rows: list[Row]) -> str:
    """Write which method ``auto`` chose where."""
    body = []
    for graph in _graphs(rows, "single"):
        both = [best(rows, "single", graph, "nearfar", t) for t in (1, 2)]
        body.append([graphs.label(graph), *(row["note"].removeprefix("auto: ") if row else "–" for row in both)])
    return table(["auto chose", "1 thread", "2 threads"], body)


def aims(rows: list[Row]) -> str:
    """Set what was aimed at beside what was measured, met or not."""
    body = []
    for graph in [g for g in graphs.HEADLINES if g in _graphs(rows, "single")]:
        for threads, names, least in (
            (1, ["GAP"], 1.25),
            (1, ["SciPy"], 4),
            (1, ["NetworKit"], 4),
            (2, ["GAP", "Wasp"], 1.25),
        ):
            ours = best(rows, "single", graph, "nearfar", threads)
            others = [row for name in names if (row := best(rows, "single", graph, name, threads))]
            if ours and others:
                what = f"{graphs.label(graph)}, {threads} thread{'s'[: threads - 1]}: over {' and '.join(names)}"
                body.append(_aim(what, min(row["best"] for row in others) / ours["best"], least))
    for graph in _graphs(rows, "many"):
        one, two = (best(rows, "many", graph, "nearfar", t) for t in (1, 2))
        scipy = best(rows, "many", graph, "SciPy")
        if one and two and scipy:
            body.append(_aim(f"{graphs.label(graph)}, 64 sources: 2 threads over 1", one["best"] / two["best"], 1.9))
            body.append(_aim(f"{graphs.label(graph)}, 64 sources: over SciPy", scipy["best"] / two["best"], 6))
    for row in rows:
        if row["measurement"] == "memory":
            what = f"{graphs.label(row['graph'])}, {row['note']}: memory beyond the graph, in arrays of n"
            body.append(_aim(what, row["added"] / row["array"], 5, most=True))
        if row["measurement"] == "import":
            body.append(_aim("import, s", row["best"], 0.15, most=True))
    for graph in _graphs(rows, "busy"):
        one, two = (best(rows, "busy", graph, "nearfar delta", t) for t in (1, 2))
        if one and two:
            what = f"{graphs.label(graph)}, busy machine: 2 threads / 1 thread"
            body.append(_aim(what, two["median"] / one["median"], 1.5, most=True))
    return table(["aim", "measured", "aimed at", "met"], body)


def _aim(what: str, measured: float, bound: float, most: bool = False) -> list[str]:
    """Write one line of the aims."""
    met = measured <= bound if most else measured >= bound
    return [what, f"{measured:.2f}", f"at {'most' if most else 'least'} {bound:g}", "yes" if met else "no"]


def text(rows: list[Row], about: dict[str, str], chart: str | None = None) -> str:
    """Write the whole page."""
    parts = ["# Benchmarks", "*Written by `bench/run.py` (`make bench`); every figure on this page is from one run.*"]
    if chart:
        parts.append(f"![One source, one thread]({chart})")
    methods = ("nearfar", "nearfar dijkstra", "nearfar delta")
    programs = tuple(p.name for p in peers.EXECUTABLES)
    if _graphs(rows, "single"):
        parts += [
            "## One source, one thread",
            "Best time in milliseconds (median in brackets).",
            single_table(rows, 1, COLUMNS),
        ]
        parts += ["## One source, two threads", single_table(rows, 2, ("nearfar", *programs))]
        parts += [
            "## Our methods",
            '`nearfar` above is `method="auto"`.',
            chosen(rows),
            "One thread:",
            single_table(rows, 1, methods),
            "Two threads:",
            single_table(rows, 2, methods),
        ]
    if _graphs(rows, "many"):
        parts += ["## 64 sources", "Best time in milliseconds.", many_table(rows)]
    if _graphs(rows, "memory"):
        parts += ["## Memory of one source", memory_table(rows)]
    if _graphs(rows, "busy"):
        parts += ["## On a busy machine", '`method="delta"` with two busy loops running beside it.', busy_table(rows)]
    for row in rows:
        if row["measurement"] == "import":
            parts += [
                "## Import",
                f"`import nearfar` takes {milliseconds(row['best'])} ms "
                f"(median {milliseconds(row['median'])} ms) in a fresh process.",
            ]
    parts += [
        "## Aims",
        "What this package set out to reach, met or not; ratios of best times, of medians when busy.",
        aims(rows),
    ]
    return "\n\n".join([*parts, how(rows, about)]) + "\n"


def how(rows: list[Row], about: dict[str, str]) -> str:
    """Say how the figures were made."""
    lines = ["## How it was made", "\n".join(f"- {key}: {value}" for key, value in about.items())]
    lines.append(METHOD)
    if any(row["name"] in ("GAP", "Wasp") for row in rows):
        lines += ["GAP and Wasp ran with the power of two as delta that was fastest for them:", deltas(rows)]
    lines.append("The graphs:\n\n" + "\n".join(f"- {graphs.describe(name)}" for name in _graphs(rows, "single")))
    return "\n\n".join(lines)


def draw(rows: list[Row], path: Path) -> None:
    """Draw one panel a graph: bars from zero, one a contestant, the time written beside each."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "nearfar"  # the same figures give the same file
    matplotlib.rcParams["svg.fonttype"] = "none"
    import matplotlib.pyplot as plt

    names = [name for name in _graphs(rows, "single") if name in graphs.HEADLINES] or _graphs(rows, "single")
    figure, axes = plt.subplots(1, len(names), figsize=(4.2 * len(names), 3.0), squeeze=False, layout="constrained")
    for axis, graph in zip(axes[0], names, strict=True):
        _panel(axis, [row for name in COLUMNS if (row := best(rows, "single", graph, name))], graphs.label(graph))
    figure.suptitle("One source, one thread: milliseconds, shorter is better", fontsize=11)
    figure.savefig(path, metadata={"Date": None}, facecolor="white")
    plt.close(figure)


def _panel(axis: Any, found: list[Row], title: str) -> None:
    """Draw one graph's bars, the fastest on top."""
    found = sorted(found, key=lambda row: row["best"], reverse=True)
    values = [1e3 * row["best"] for row in found]
    colours = ["#1b6ca8" if row["name"] == "nearfar" else "#b8bec6" for row in found]
    bars = axis.barh([row["name"] for row in found], values, color=colours, height=0.7)
    axis.bar_label(bars, [milliseconds(row["best"]) for row in found], padding=3, fontsize=9)
    axis.set_title(title, fontsize=10)
    axis.set_xlim(0, 1.2 * max(values))
    axis.set_xlabel("ms", fontsize=9)
    axis.tick_params(axis="y", length=0, labelsize=9)
    axis.tick_params(axis="x", labelsize=8)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)


def write(rows: list[Row], about: dict[str, str], folder: Path) -> None:
    """Write the page and the chart."""
    folder.mkdir(parents=True, exist_ok=True)
    chart = "benchmarks.svg" if _graphs(rows, "single") else None
    if chart:
        draw(rows, folder / chart)
    (folder / "benchmarks.md").write_text(text(rows, about, chart), encoding="utf8")


def measured(facts: dict[str, str], lines: Iterable[Any]) -> str:
    """Return the machine and the versions, and a table of measured lines with their bars."""
    rows = ["| what | nearfar | others | measured | bar | reached |", "|---|---|---|---|---|---|"]
    rows += [f"| {' | '.join(line.cells)} |" for line in lines]
    return "; ".join(facts[name] for name in ("Machine", "System", "Versions", "Date")) + ".\n\n" + "\n".join(rows)


def write_between(page: Path, name: str, text: str) -> None:
    """Put a text between the two marks of a page that have this name."""
    marked = re.compile(rf"(?<=<!-- {name}:begin -->\n).*?(?=<!-- {name}:end -->)", re.S)
    page.write_text(marked.sub(lambda _: text + "\n", page.read_text(encoding="utf8")), encoding="utf8")
