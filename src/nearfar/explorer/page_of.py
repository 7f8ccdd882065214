"""`explore`: serve the page of a graph, and open it."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

from ..engine.query import PreparedGraph, take_graph
from ..errors import InputTypeError, OptionError, option
from ..graph import Graph
from .server import Server
from .session import Session


class Explorer:
    """A page that is being served. Made by `nearfar.explore`.

    Attributes
    ----------
    url : str
        The address of the page. Whoever knows it, and is on this machine, can look at the graph.

    Examples
    --------
    >>> import nearfar
    >>> page = nearfar.explore(nearfar.generate.city(), browser=False)
    >>> page.close()
    >>> page
    Explorer(closed)
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self.url = server.url

    def close(self) -> None:
        """End the server. The page stays open, but answers no more."""
        self._server.close()

    def wait(self) -> None:
        """Wait until the page is closed, or Ctrl-C comes in, which is raised."""
        while not self._server.closing:
            self._server.ended.wait(0.2)  # a wait without an end would not hear Ctrl-C on Windows

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return "Explorer(closed)" if self._server.closing else f"Explorer({self.url})"


def explore(
    graph: Graph | PreparedGraph,
    *,
    source: Any = None,
    demand: Any = None,
    name: str = "graph",
    port: int | None = None,
    browser: bool = True,
) -> Explorer:
    """Serve an interactive page of a graph on 127.0.0.1, and open it in a browser.

    Parameters
    ----------
    graph : Graph or Prepared
    source : vertex, optional
        Where distances start at first; by default in the middle of the map.
    demand : table, optional
        As for `nearfar.metrics.flows`: the page can then show the flows.
    name : str
        What the page calls the graph.
    port : int, optional
        By default one that is free.
    browser : bool
        Whether to open the page in a browser, if there is one.

    Returns
    -------
    Explorer
        ``close()``, or the end of a ``with`` block, ends it; so does the end of Python.

    Examples
    --------
    >>> import nearfar
    >>> with nearfar.explore(nearfar.generate.city(), browser=False) as page:
    ...     page.url
    'http://127.0.0.1:.../.../'
    """
    plain = take_graph(graph)
    if not isinstance(name, str):
        raise InputTypeError(f"name is {name!r:.60}, but must be a text.")
    if not isinstance(browser, bool):
        raise InputTypeError(f"browser is {browser!r:.60}, but must be True or False.")
    start = None if source is None else plain.index(source, role="source")
    session = Session(graph, name, start, demand)
    server = Server(session, take_port(port))
    server.start()
    threading.Thread(target=session.warm, name="nearfar explorer, first answers", daemon=True).start()
    if browser and can_open():
        open_page(server.url)
    return Explorer(server)


def take_port(port: Any) -> int | None:
    """Return a port that was asked for, checked."""
    if port is None:
        return None
    if isinstance(port, bool) or not isinstance(port, int):
        raise InputTypeError(f"port is {port!r:.60}, but must be a whole number.")
    if not 1 <= port <= 65_535:
        raise OptionError(f"{option('port', port)} is not possible. Give 1 to 65535, or leave it out.")
    return port


def can_open() -> bool:
    """Tell whether a window can be opened; a browser in the terminal would take it away from the user."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def open_page(url: str) -> None:
    """Open a page in the user's browser, on another thread: some browsers return only when they are closed."""
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(url,), name="nearfar browser", daemon=True).start()
