"""Ctrl-C pressed from inside a query, for programs that run in a child process of a test.

Nothing here depends on how fast the machine is. A thread of the query presses, and goes on with its work only when the
stop flag is raised: the interrupt always finds the query at work. Where a thread never hears the flag, the program
waits for ever, and the test that started it ends it.
"""

from __future__ import annotations

import _thread
import faulthandler
import signal
import sys
import threading
import time
from types import SimpleNamespace

from helpers.marks import HANG
from nearfar.devices import cpu

MOMENT = 0.001  # seconds between two looks at a flag


class Keyboard:
    """Sees every piece of work that queries give to threads, and presses Ctrl-C in one of them."""

    def __init__(self):
        # A shell that starts tests in the background lets them ignore Ctrl-C; and a test may be ended before its child.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        faulthandler.dump_traceback_later(HANG, exit=True)
        self.alive = 0  # threads of queries that have not left yet
        self.stop = None  # the stop flag of the last run
        self.before_work = None  # called with the stop flag in every thread before its work
        self._lock, self._run, self._start = threading.Lock(), cpu.run, _thread.start_new_thread
        cpu.run = self._run_seen
        cpu._thread = SimpleNamespace(start_new_thread=self._start_seen)

    def _run_seen(self, work, threads, stop, *rest, **options):
        def work_seen(t):
            if self.before_work:
                self.before_work(stop)
            return work(t)

        self.stop = stop
        self._run(work_seen, threads, stop, *rest, **options)

    def _start_seen(self, function, arguments):
        def live():
            try:
                function(*arguments)
            finally:
                with self._lock:
                    self.alive -= 1

        with self._lock:
            self.alive += 1
        self._start(live, ())

    def interrupt(self, query, before_work):
        """Run a query that is to be interrupted; return what is left of it when its threads have gone."""
        self.before_work, is_interrupted = before_work, False
        try:
            query()
        except KeyboardInterrupt:
            is_interrupted = True
        self.before_work = None
        while self.alive:
            time.sleep(MOMENT)
        return {"interrupted": is_interrupted, "stopped": bool(self.stop[0])}


def press():
    """Press Ctrl-C: the main thread hears it, wherever it waits."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def press_and_wait(stop):
    """Press, and return when the stop flag is raised."""
    press()
    while not stop[0]:
        time.sleep(MOMENT)


def once(action, at=1):
    """Return a function that acts the ``at``-th time it is called, whichever thread calls it."""
    lock, count = threading.Lock(), 0

    def call(*arguments):
        nonlocal count
        with lock:
            count += 1
            is_time = count == at
        if is_time:
            action(*arguments)

    return call


def at_work(number=1, together=False):
    """Return what presses before the ``number``-th piece of work and lets it begin with the stop flag raised.

    Later pieces wait until it has pressed, else they might finish the query before. ``together``: so do earlier ones,
    which are pieces of the same run.
    """
    lock, count, pressed = threading.Lock(), 0, threading.Event()

    def before_work(stop):
        nonlocal count
        with lock:
            count += 1
            mine = count
        if mine == number:
            try:
                press()  # in the main thread, the interrupt comes here
            finally:
                pressed.set()
            while not stop[0]:
                time.sleep(MOMENT)
        elif mine > number or together:
            pressed.wait()

    return before_work


def at_call(number, folder):
    """Return what presses when a thread calls its ``number``-th function of a folder, as a step of its work."""

    def before_work(stop):
        step = once(lambda: press_and_wait(stop), number)
        sys.setprofile(lambda frame, event, _: step() if event == "call" and is_in(folder, frame) else None)

    return before_work


def is_in(folder, frame):
    """Tell whether a frame belongs to a file of a folder of the package."""
    return f"/nearfar/{folder}/" in frame.f_code.co_filename


def when_written(row, blank):
    """Return what presses while a kernel is inside a row: when it has written the first distance."""

    def watch():
        while not (row != blank).any():
            time.sleep(MOMENT)
        press()

    return once(lambda stop: threading.Thread(target=watch, daemon=True).start())
