"""The driver: every task is answered once, in order, whatever is lost; errors of the caller's own end the run."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearfar.errors import ClusterError, OptionError
from nearfar.scale import driver
from nearfar.scale.driver import Outcome, Patience, Task, Worker, run_tasks

HASTY = Patience(first=0, least=0, times=0, empty=0, silent=0, losses=5)


class Scripted:
    """A cluster that does with each copy of a task what a script says, and afterwards answers."""

    name = "a scripted cluster"

    def __init__(self, scripts=None, workers=2):
        self.scripts, self.people = scripts or {}, {f"w{i}": Worker(1, 0) for i in range(workers)}
        self.submitted, self.avoided, self.cancelled, self.open = defaultdict(int), [], [], set()
        self.most = 0

    def workers(self):
        return self.people

    def submit(self, task, report, avoid=()):
        i = task.args[0]
        step = self.submitted[i]
        self.submitted[i] += 1
        self.avoided.append((i, set(avoid)))
        script = self.scripts.get(i, [])
        what = script[step] if step < len(script) else "done"
        handle = (i, step)
        self.open.add(i)
        self.most = max(self.most, len(self.open))
        if what == "done":
            self.answer(task, report)
        elif what == "lost":
            report(Outcome(lost="a worker died"))
        return handle

    def answer(self, task, report):
        try:
            report(Outcome(value=task.function(*task.args)))
        except OptionError as error:
            report(Outcome(error=error))

    def places(self, handles):
        return {handle: f"w{handle[1] % 2}" for handle in handles}

    def cancel(self, handles):
        self.cancelled += handles

    def require_alive(self):
        pass


def square(i):
    return i * i


def tasks(count, function=square):
    return [Task("square", function, (i,)) for i in range(count)]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(driver, "TICK", 0.001)


@settings(max_examples=40)
@given(st.dictionaries(st.integers(0, 9), st.lists(st.sampled_from(["lost", "hangs"]), max_size=4)), st.booleans())
def test_every_task_is_answered_once_and_in_order(scripts, bounded):
    engine = Scripted(scripts)
    found = list(run_tasks(engine, tasks(10), most=3 if bounded else None, patience=HASTY))
    assert found == [i * i for i in range(10)]
    for i, script in scripts.items():
        assert engine.submitted[i] >= len(script) + 1


def test_a_late_answer_counts_for_nothing():
    """The first copy of a task answers after the second: the answer is there once."""

    class Late(Scripted):
        kept = None

        def submit(self, task, report, avoid=()):
            if task.args[0] == 0 and not self.submitted[0]:
                self.kept = task, report
            handle = super().submit(task, report, avoid)
            if handle == (0, 1):
                self.answer(*self.kept)
            return handle

    engine = Late({0: ["hangs"]})
    assert list(run_tasks(engine, tasks(6), patience=HASTY)) == [0, 1, 4, 9, 16, 25]
    assert (0, 0) in engine.cancelled


def test_an_overdue_task_goes_to_another_worker():
    engine = Scripted({2: ["hangs", "hangs"]})
    assert list(run_tasks(engine, tasks(4), patience=HASTY)) == [0, 1, 4, 9]
    assert [avoid for i, avoid in engine.avoided if i == 2][:3] == [set(), {"w0"}, {"w0", "w1"}]


def test_an_error_of_the_function_ends_the_run_and_is_not_repeated():
    def refuse(i):
        if i == 3:
            raise OptionError("3 is too much")
        return i

    engine = Scripted({4: ["hangs"], 5: ["hangs"]}, workers=8)
    with pytest.raises(OptionError, match="3 is too much"):
        list(run_tasks(engine, tasks(10, refuse)))
    assert engine.submitted[3] == 1
    assert {(4, 0), (5, 0)} <= set(engine.cancelled)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_no_more_answers_wait_than_asked(most):
    engine, seen = Scripted(workers=40), []
    for answer in run_tasks(engine, tasks(20), most=most):
        seen.append(answer)
        assert sum(engine.submitted.values()) <= len(seen) + most
    assert seen == [i * i for i in range(20)]


def test_what_is_left_is_cancelled_when_the_caller_stops():
    engine = Scripted({i: ["hangs"] for i in range(1, 20)})
    found = run_tasks(engine, tasks(20))
    assert next(found) == 0
    found.close()
    assert {i for i, _ in engine.cancelled} == set(range(1, max(engine.submitted) + 1))


def test_a_task_that_is_always_lost_ends_the_run():
    with pytest.raises(ClusterError, match=r"lost 6 times, at last because a worker died.*memory="):
        list(run_tasks(Scripted({1: ["lost"] * 99}), tasks(3), patience=HASTY))


def test_no_workers():
    with pytest.raises(ClusterError, match="a scripted cluster has had no worker"):
        list(run_tasks(Scripted({0: ["hangs"] * 99}, workers=0), tasks(1), patience=HASTY))


def test_workers_that_come_later_are_waited_for():
    class Empty(Scripted):
        looks = 0

        def workers(self):
            self.looks += 1
            return super().workers() if self.looks > 3 else {}

    patience = Patience(first=0, least=0, times=0, empty=60)
    assert list(run_tasks(Empty({0: ["hangs"] * 5}), tasks(2), patience=patience)) == [0, 1]


def test_a_dead_cluster_ends_the_run():
    class Dead(Scripted):
        def require_alive(self):
            raise ClusterError("gone")

    with pytest.raises(ClusterError, match="gone"):
        list(run_tasks(Dead({1: ["lost"]}), tasks(3), patience=HASTY))
    with pytest.raises(ClusterError, match="gone"):
        list(run_tasks(Dead({1: ["hangs"] * 99}), tasks(3), patience=HASTY))


def test_nothing_to_do():
    assert list(run_tasks(Scripted(), [])) == []


def test_a_caller_that_was_busy_did_not_see_that_workers_were_away():
    """The time in which nobody looked does not count as time without workers."""

    class Changing(Scripted):
        def workers(self):
            return super().workers() if self.there else {}

    engine = Changing({1: ["hangs", "hangs"]})
    engine.there = True
    clock = iter(range(0, 10**9, 100))
    patience = Patience(first=0, least=0, times=0, empty=250, silent=10**9)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(driver.time, "monotonic", lambda: float(next(clock)))
        run = driver._Run(engine, tasks(3), None, patience, lambda: None)
        run.fill(3, 0)
        engine.there = False
        for _ in range(50):
            next(clock)
        run._look()  # the first look in 5,000 seconds
        engine.there = True
        run._look()
        engine.there = False
        with pytest.raises(ClusterError, match="no worker for 250 seconds"):
            for _ in range(9):
                run._look()
