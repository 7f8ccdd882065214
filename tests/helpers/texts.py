"""Text files of graphs, made by plain Python: what the readers must understand, and the graph that is in them.

`FILES` has a `File` for each text format: how it is written, and which arcs a reader must find. Style varies what no
reader may stumble over: blanks, line ends, comments, a byte-order mark. Nothing here is shared with nearfar.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from helpers import strategies


@dataclass(frozen=True)
class Style:
    """How a file looks: between fields, at the ends of lines, at the beginning, at the end, and comments."""

    gap: str = " "
    newline: str = "\n"
    mark: bool = False
    last: bool = True
    comments: bool = False

    def text(self, lines, comment):
        """Return the bytes of a file, given its lines as lists of fields; a comment may follow the first line."""
        rows = [self.gap.join(map(str, fields)) for fields in lines]
        if self.comments and comment:
            rows.insert(1, comment)
            rows.append(comment)
        text = self.newline.join(rows) + (self.newline if self.last else "")
        return (b"\xef\xbb\xbf" if self.mark else b"") + text.encode()


STYLES = st.builds(
    Style,
    gap=st.sampled_from([" ", "\t", "  ", " \t "]),
    newline=st.sampled_from(["\n", "\r\n"]),
    mark=st.booleans(),
    last=st.booleans(),
    comments=st.booleans(),
)


@dataclass(frozen=True)
class Truth:
    """What is in a file: the names of its vertices, and the arcs between them, sorted."""

    names: list
    arcs: list
    undirected: bool


def truth_of(graph):
    """Return what a graph holds; an unweighted arc weighs 1."""
    called = list(range(graph.n)) if graph.names is None else list(graph.names)
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets)).tolist()
    weights = [1] * graph.m if graph.weights is None else graph.weights.tolist()
    arcs = zip(tails, graph.heads.tolist(), weights, strict=True)
    return Truth(called, sorted((called[u], called[v], w) for u, v, w in arcs), graph.undirected)


def truth(names, arcs, undirected):
    """Return what some arcs are; undirected edges go both ways, loops once."""
    back = [(v, u, w) for u, v, w in arcs if u != v] if undirected else []
    return Truth(list(names), sorted([*arcs, *back]), undirected)


@dataclass(frozen=True)
class File:
    """A text format: its name in FORMATS, a file's ending, the types of weights it has, and how it is written."""

    name: str
    ending: str
    render: object
    dtypes: tuple = ("int32", "int64", "float64")
    min_arcs: int = 0
    loops: bool = True


def shift(case, first):
    """Return the arcs of a case with vertices counted from ``first``."""
    return [(u + first, v + first, w) for u, v, w in case.arcs]


def dimacs(case, style):
    arcs = shift(case, 1)
    lines = [["p", "sp", case.n, len(arcs)], *(["a", *arc] for arc in arcs)]
    return style.text(lines, "c a comment"), truth(range(1, case.n + 1), arcs, False)


def pace(case, style):
    edges = [(u, v, 1) for u, v, _ in shift(case, 1)]
    lines = [["p", "tw", case.n, len(edges)], *(edge[:2] for edge in edges)]
    return style.text(lines, "c a comment"), truth(range(1, case.n + 1), edges, True)


def colouring(case, style):
    edges = [(u, v, 1) for u, v, _ in shift(case, 1)]
    lines = [["p", "edge", case.n, len(edges)], *(["e", *edge[:2]] for edge in edges)]
    return style.text(lines, "c a comment"), truth(range(1, case.n + 1), edges, True)


def matrix_market(case, style, symmetry="general"):
    field = "real" if case.dtype == "float64" else "integer"
    arcs = shift(case, 1)
    lines = [[f"%%MatrixMarket matrix coordinate {field} {symmetry}"], [case.n, case.n, len(arcs)], *arcs]
    return style.text(lines, "% a comment"), truth(range(1, case.n + 1), arcs, symmetry == "symmetric")


def lower(case):
    """Return a case with all arcs below the diagonal, or on it."""
    return replace(case, arcs=tuple((max(u, v), min(u, v), w) for u, v, w in case.arcs))


def symmetric(case, style):
    return matrix_market(lower(case), style, "symmetric")


def skew(case, style):
    straight = replace(case, arcs=tuple((u, v, w) for u, v, w in case.arcs if u != v))
    data, found = matrix_market(lower(straight), style, "skew-symmetric")
    return data, truth(found.names, [*found.arcs, *((v, u, -w) for u, v, w in found.arcs)], False)


def pattern(case, style):
    edges = [(u, v, 1) for u, v, _ in shift(case, 1)]
    lines = [["%%MatrixMarket matrix coordinate pattern general"], [case.n, case.n, len(edges)]]
    return style.text([*lines, *(edge[:2] for edge in edges)], "% a comment"), truth(range(1, case.n + 1), edges, False)


def metis(case, style, weighted=True):
    edges = [(u, v, w if weighted else 1) for u, v, w in shift(case, 1) if u != v]
    both = truth(range(1, case.n + 1), edges, True)
    lines = [[case.n, len(edges), *(["001"] if weighted else [])]]
    for vertex in both.names:
        mine = [(v, w) for u, v, w in both.arcs if u == vertex]
        lines.append([number for pair in mine for number in (pair if weighted else pair[:1])])
    last = style.last or (case.n > 0 and not lines[-1])  # a blank last line is a vertex: it needs its end
    return replace(style, last=last).text(lines, "% a comment"), both


def metis_plain(case, style):
    return metis(case, style, weighted=False)


def sparry(case, style):
    return style.text([[case.n, len(case.arcs)], *case.arcs], ""), truth(range(case.n), list(case.arcs), True)


def princeton(case, style):
    places = [(v, 3 * v % 7, v * v) for v in range(case.n)]
    edges = [(u, v, float(np.hypot(*np.subtract(places[u][1:], places[v][1:])))) for u, v, _ in case.arcs]
    lines = [[case.n, len(edges)], *places, *(edge[:2] for edge in edges)]
    return style.text(lines, ""), truth(range(case.n), edges, True)


def cedge(case, style):
    n = 1 + max(max(u, v) for u, v, _ in case.arcs)
    lines = [[i, *arc] for i, arc in enumerate(case.arcs)]
    return style.text(lines, "# a comment"), truth(range(n), list(case.arcs), True)


def tntp(case, style):
    arcs = shift(case, 1)
    lines = [["<NUMBER OF NODES>", case.n], ["<NUMBER OF LINKS>", len(arcs)], ["<END OF METADATA>"], []]
    lines += [["~", "init_node", "term_node", "capacity", "length", "free_flow_time", ";"]]
    lines += [["", u, v, 1.5, 7, w, 0.15, ";"] for u, v, w in arcs]
    return style.text(lines, ""), truth(range(1, case.n + 1), arcs, False)


def edges(case, style):
    called = sorted({end for arc in case.arcs for end in arc[:2]})
    return style.text(case.arcs, "# a comment"), truth(called, list(case.arcs), False)


def csv(case, style):
    called = sorted({f"v{end}" for arc in case.arcs for end in arc[:2]})
    arcs = [(f"v{u}", f"v{v}", w) for u, v, w in case.arcs]
    data = replace(style, gap=",", comments=False).text([["source", "target", "weight"], *arcs], "")
    return data, truth(called, arcs, False)


WHOLE = ("int32", "int64")
FILES = {
    "dimacs": File("dimacs", ".gr", dimacs),
    "pace": File("pace", ".gr", pace, (None,)),
    "colouring": File("pace", ".col", colouring, (None,)),
    "mtx": File("matrix-market", ".mtx", matrix_market),
    "mtx symmetric": File("matrix-market", ".mtx", symmetric),
    "mtx skew": File("matrix-market", ".mtx", skew),
    "mtx pattern": File("matrix-market", ".mtx", pattern, (None,)),
    "metis": File("metis", ".graph", metis, WHOLE, loops=False),
    "metis plain": File("metis", ".graph", metis_plain, (None,), loops=False),
    "sparry": File("sparry", ".sparry", sparry),
    "princeton": File("princeton", ".txt", princeton, (None,)),
    "cedge": File("cedge", ".cedge", cedge, min_arcs=1),
    "tntp": File("tntp", "_net.tntp", tntp),
    "edges": File("edges", ".txt", edges, min_arcs=1),
    "csv": File("edges", ".csv", csv, min_arcs=1),
}


def cases(file):
    """Return a strategy for graphs that a format can hold."""
    found = strategies.cases(dtypes=file.dtypes, max_n=9, max_m=12)
    return found.filter(lambda case: len(case.arcs) >= file.min_arcs)
