"""What a worker keeps: each thing is loaded when it is not there, also if it was dropped while somebody waited."""

from __future__ import annotations

import threading

from nearfar.scale import spool
from nearfar.scale.spool import Kept

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
