"""Files for tests of formats: graphs as bytes and back, and what becomes of files that are cut, changed or mixed up."""

from __future__ import annotations

import io
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import strategies as st

import nearfar
from helpers.data import loader, real
from nearfar.errors import FormatError, NearfarError
from nearfar.graph import Graph

PASSES = 40  # over a file that reading may take, kilobytes at a time: it is looked at by one format after the other


class Named(io.BytesIO):
    """Bytes that go by a file's name, and count how many of them are read."""

    def __init__(self, data, name):
        super().__init__(data)
        self.name, self.taken = name, 0

    def read(self, *size):
        """Return the next bytes."""
        data = super().read(*size)
        self.taken += len(data)
        return data

    def readinto(self, room):
        """Put the next bytes into a buffer."""
        count = super().readinto(room)
        self.taken += count
        return count


def read_bytes(data, name, **options):
    """Read a graph from bytes under a file's name."""
    return nearfar.read(Named(data, name), **options)


def write_bytes(graph, format, **options):
    """Return what writing a graph gives."""
    file = io.BytesIO()
    nearfar.write(graph, file, format=format, **options)
    return file.getvalue()


def same(one, two):
    """Tell whether two graphs agree to the bit, in their arrays, names and places."""
    assert one.arcs.dtype == two.arcs.dtype and one.offsets.dtype == two.offsets.dtype
    assert one.offsets.tobytes() == two.offsets.tobytes() and one.arcs.tobytes() == two.arcs.tobytes()
    assert one.undirected == two.undirected
    assert (one.names is None) == (two.names is None)
    assert one.names is None or tuple(one.names) == tuple(two.names)
    assert (one.coordinates is None) == (two.coordinates is None)
    assert one.coordinates is None or one.coordinates.tobytes() == two.coordinates.tobytes()
    return True


def named_arcs(graph):
    """Return the arcs as sorted (tail, head, weight), with names."""
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets)).tolist()
    weights = [1] * graph.m if graph.weights is None else graph.weights.tolist()
    arcs = zip(tails, graph.heads.tolist(), weights, strict=True)
    return sorted(((graph.name(u), graph.name(v), w) for u, v, w in arcs), key=repr)


@contextmanager
def refused(*words, error=FormatError):
    """Expect an error whose message holds each of the words."""
    with pytest.raises(error) as caught:
        yield
    for word in words:
        assert word in str(caught.value), f"{word!r} is not in {str(caught.value)!r}"


def broken(data):
    """Return what may be found under a file's name instead of it."""
    return {
        "empty": b"",
        "one byte": data[:1],
        "beginning only": data[:40],
        "cut in half": data[: len(data) // 2],
        "one byte short": data[:-1],
        "end only": data[len(data) // 2 :],
        "junk": bytes(range(256)) * 8,
        "zeros": bytes(2000),
        "text": b"Dear reader,\nthis is no graph.\n" * 9,
        "html": b"<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n",
    }


BROKEN = list(broken(b""))


@st.composite
def damaged(draw, data):
    """Return a strategy for a file after some accidents: bytes flipped, set, cut out, put in or swapped."""
    out = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(out)))
        accident = draw(st.sampled_from(["flip", "set", "cut", "insert", "end", "repeat"]))
        if accident == "flip" and at < len(out):
            out[at] ^= 1 << draw(st.integers(0, 7))
        elif accident == "set" and at < len(out):
            out[at] = draw(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF, 0x30, 0x39]))
        elif accident == "cut":
            del out[at : at + draw(st.integers(1, 64))]
        elif accident == "insert":
            out[at:at] = draw(st.binary(min_size=1, max_size=8))
        elif accident == "end":
            del out[at:]
        else:
            out[at:at] = out[at : at + draw(st.integers(1, 64))]
    return bytes(out)


def survives(data, name, **options):
    """Read a damaged file: a graph or an error of ours that names the file, in few passes, and nothing else."""
    file = Named(data, name)
    try:
        assert isinstance(nearfar.read(file, **options), Graph)
    except NearfarError as error:
        assert name in str(error)
    assert file.taken <= PASSES * (len(data) + 1024)


def agrees(name):
    """Read a real graph, and compare it to the bit with what its own plain reader gives."""
    graph = nearfar.read(real(name))
    raw = loader().load(name)
    plain = Graph.from_arcs(raw["src"], raw["dst"], raw["w"], raw["n"], undirected=not raw["directed"])
    assert graph.arcs.dtype == plain.arcs.dtype and graph.undirected == plain.undirected
    assert (graph.offsets == plain.offsets).all() and (graph.arcs == plain.arcs).all()
    return graph, raw
