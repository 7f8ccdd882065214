"""The page inside a notebook: a widget of anywidget, whose questions come over the messages of the kernel.

No port is opened, and the browser needs to reach nothing but the notebook: it may run on another machine. Each question
has a thread of its own, as on the server, so that one that takes long can be stopped and holds up no other. Only this
file imports anywidget.
"""

from __future__ import annotations

import contextvars
import sys
import threading
import traceback
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..errors import NearfarError
from .bands import plain
from .bundle import bundle
from .files import read_file
from .session import ANSWERS, Gone, Session


def in_notebook() -> bool:
    """Tell whether this is the kernel of a notebook; IPython in a terminal is none."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and getattr(ipython.get_ipython(), "kernel", None) is not None


def has_widgets() -> bool:
    """Tell whether anywidget is installed."""
    return find_spec("anywidget") is not None


def widget_of(session: Session) -> Any:
    """Return a widget that shows the page of a session."""
    return _widget_class()(session)


class Answering:
    """Answers the questions that a page sends as messages.

    Parameters
    ----------
    session : Session
    send : callable
        Takes a message and its buffers, on any thread.
    """

    def __init__(self, session: Session, send: Any) -> None:
        self._session, self._send = session, send
        self._stops: dict[str, threading.Event] = {}  # of questions that wait for their answer

    def hear(self, message: Any) -> threading.Thread | None:
        """Begin to answer a question, or stop one; return the thread that answers."""
        if not isinstance(message, dict):
            return None
        if "stop" in message:
            self.stop(str(message["stop"]))
            return None
        question, what, query = str(message.get("question")), str(message.get("what")), message.get("query")
        given = {str(name): str(value) for name, value in query.items()} if isinstance(query, dict) else {}
        stop = self._stops[question] = threading.Event()
        # in the context of this message: the kernel then knows to which cell the answer belongs
        run = contextvars.copy_context().run
        thread = threading.Thread(target=run, args=(self._answer, question, what, given, stop), daemon=True)
        thread.start()
        return thread

    def stop(self, question: str | None = None) -> None:
        """Give up a question, or all."""
        for name, stop in list(self._stops.items()):
            if question in (None, name):
                stop.set()

    def _answer(self, question: str, what: str, query: dict[str, str], stop: threading.Event) -> None:
        """Send facts and data, or why there are none."""
        message: dict[str, Any] = {"question": question}
        buffers = []
        try:
            if what not in ANSWERS:
                raise NearfarError("There is no such question.")
            answer = self._session.answer(what, query, lambda: not stop.is_set())
            message["facts"] = plain(answer.facts)
            if answer.data is not None:
                buffers = [np.ascontiguousarray(answer.data).data.cast("B") if answer.data.size else b""]
        except Gone:
            return
        except (NearfarError, MemoryError) as error:
            message["error"] = str(error)
        except Exception:
            traceback.print_exc()
            message["error"] = "The kernel made a mistake; its output shows which."
        finally:
            self._stops.pop(question, None)
        if not stop.is_set():
            self._send(message, buffers)


@cache
def _widget_class() -> Any:
    """Return the class of the widget; it is made on first use, since anywidget may be absent."""
    import anywidget

    class Network(anywidget.AnyWidget):
        """The page of a graph."""

        _esm = bundle()
        _css = read_file("style.css").decode()

        def __init__(self, session: Session) -> None:
            super().__init__()
            self._answering = Answering(session, self.send)
            self.on_msg(lambda widget, message, buffers: self._answering.hear(message))

        def close(self) -> None:
            """Give up what is being answered, and take the page away."""
            if hasattr(self, "_answering"):
                self._answering.stop()
            super().close()

    return Network
