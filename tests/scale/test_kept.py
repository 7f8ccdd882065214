"""What callers write for workers, and how long; what a worker keeps: it is loaded when it is not there.

Also if it was dropped while somebody waited.
"""

from __future__ import annotations

import gc
import os
import pickle
import threading

import numpy as np

from nearfar import generate
from nearfar.scale import spool
from nearfar.scale.spool import Kept, Spool, array_at, graph_at

here = __file__  # a path that exists: what lies at others is dropped


class Thing:
    nbytes = 0


def test_a_thing_that_is_dropped_while_another_thread_waits_for_it():
    """Two threads want one thing; between them, others push it out. Later ones may push it out again."""
    kept, loading, go_on = Kept(), threading.Event(), threading.Event()

    def slow():
        loading.set()
        assert go_on.wait(60)
        return Thing()

    first = threading.Thread(target=lambda: kept.get((here, "wanted"), slow))
    first.start()
    assert loading.wait(60)
    lock = kept._locks[here, "wanted"]
    second = threading.Thread(target=lambda: kept.get((here, "wanted"), Thing))
    go_on.set()
    first.join()
    with lock:  # as if the second thread had waited while the thing was pushed out
        second.start()
        for i in range(spool.KEPT + 1):
            kept.get((here, i), Thing)
    second.join()
    for i in range(2 * spool.KEPT):
        assert isinstance(kept.get((here, "more", i), Thing), Thing)
    assert len(kept._things) <= spool.KEPT


def test_what_has_gone_from_the_disk_is_dropped(tmp_path):
    kept, path = Kept(), tmp_path / "graph"
    path.touch()
    found = kept.get((str(path),), Thing)
    assert kept.get((str(path),), Thing) is found
    path.unlink()
    kept.get((here,), Thing)
    assert list(kept._things) == [(here,)]


def written(made):
    """Return what a caller has written for workers, by kind."""
    gc.collect()
    return sorted(name.partition("-")[0] for name in os.listdir(made.path) if name != spool.HELD)


def test_what_is_passing_goes_with_its_last_path(tmp_path):
    made = Spool(str(tmp_path))
    stays, path = made.array(np.arange(3)), made.array(np.arange(4), passing=True)
    sent = pickle.loads(pickle.dumps((path, stays)))
    assert [type(some) for some in sent] == [str, str] and len(array_at(sent[0])) == 4
    assert written(made) == ["array", "array"]
    del path
    assert written(made) == ["array"] and os.path.exists(stays)
    made.close()
    assert os.listdir(tmp_path) == []


def test_a_graph_is_written_once_and_goes_with_it(tmp_path):
    made, graph, other = Spool(str(tmp_path)), generate.road_grid(4, 4), generate.road_grid(5, 5)
    place = made.graph(graph, passing=True)
    assert made.graph(graph, passing=True) is place
    assert graph_at(place).m == graph.m
    del place
    assert written(made) == ["graph"]  # the next call takes it
    made.graph(other, passing=True)
    made.graph(other)  # somebody needs it until the end
    del graph
    assert written(made) == ["graph"]
    del other
    assert written(made) == ["graph"]
    made.close()
    assert os.listdir(tmp_path) == []
