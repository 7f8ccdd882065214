"""`explore`: show the page of a graph, in a notebook or from a server."""

from __future__ import annotations

import os
import sys
import threading
from functools import cached_property
from typing import Any

from ..engine.query import PreparedGraph, take_graph
from ..errors import InputTypeError, MissingDependencyError, OptionError, option
from ..graph import Graph
from .server import Server
from .session import Session
from .widget import has_widgets, in_notebook, widget_of


class Explorer:
    """A page that is being shown. Made by `nearfar.explore`.

    In a notebook, it is shown where it is the last line of a cell.

    Attributes
    ----------
    url : str
        The address of the page. Whoever knows it, and is on this machine, can look at the graph. In a notebook, the
        server begins when this is read for the first time.

    Examples
    --------
    >>> import nearfar
    >>> page = nearfar.explore(nearfar.generate.city(), browser=False)
    >>> page.close()
    >>> page
    Explorer(closed)
    """

    def __init__(self, session: Session, port: int | None = None, here: bool = False) -> None:
        self._session, self._port, self._here = session, port, here
        self._closed = threading.Event()
        if not here:
            self.url  # noqa: B018 - which begins the server

    @cached_property
    def url(self) -> str:
        """The address of the page."""
        if self._closed.is_set():
            raise OptionError("this page is closed. Call explore again.")
        self._server.start()
        return self._server.url

    @cached_property
    def widget(self) -> Any:
        """The page as a widget, for layouts of ipywidgets and the like; needs anywidget."""
        if self._closed.is_set():
            raise OptionError("this page is closed. Call explore again.")
        if not has_widgets():
            raise MissingDependencyError(
                "a page inside a notebook needs anywidget, which is not installed. Use: pip install 'nearfar[notebook]'"
            )
        return widget_of(self._session)

    @cached_property
    def _server(self) -> Server:
        return Server(self._session, self._port)

    def close(self) -> None:
        """End the page: where it stays open, it answers no more."""
        self._closed.set()
        if "_server" in vars(self):
            self._server.close()
        if "widget" in vars(self):
            self.widget.close()

    def wait(self) -> None:
        """Wait until the page is closed, or Ctrl-C comes in, which is raised."""
        while not self._closed.wait(0.2):  # a wait without an end would not hear Ctrl-C on Windows
            pass

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._closed.is_set():
            return "Explorer(closed)"
        return f"Explorer({self.url})" if "url" in vars(self) else "Explorer(shown in the notebook)"

    def _repr_mimebundle_(self, **choice: Any) -> Any:
        """Show the page in a notebook that can; IPython asks for this."""
        if self._here and not self._closed.is_set():
            return self.widget._repr_mimebundle_(**choice)
        hint = "; pip install 'nearfar[notebook]' shows it here" if in_notebook() and not has_widgets() else ""
        return {"text/plain": f"{self!r}{hint}"}


def explore(
    graph: Graph | PreparedGraph,
    *,
    source: Any = None,
    demand: Any = None,
    name: str = "graph",
    port: int | None = None,
    browser: bool | None = None,
) -> Explorer:
    """Show an interactive page of a graph: in the notebook, or served on 127.0.0.1 and opened in a browser.

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
    browser : bool, optional
        Whether to open the page in a browser, if there is one. By default yes; but in a notebook, the page is shown
        there and nothing is served, if anywidget is installed (``pip install 'nearfar[notebook]'``) and no port given.

    Returns
    -------
    Explorer
        ``close()``, or the end of a ``with`` block, ends it; so does the end of Python. In a notebook, make it the last
        line of a cell.

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
    if browser is not None and not isinstance(browser, bool):
        raise InputTypeError(f"browser is {browser!r:.60}, but must be True or False.")
    start = None if source is None else plain.index(source, role="source")
    session = Session(graph, name, start, demand)
    here = browser is None and port is None and in_notebook() and has_widgets()
    page = Explorer(session, take_port(port), here)
    threading.Thread(target=session.warm, name="nearfar explorer, first answers", daemon=True).start()
    if browser is not False and not here and can_open():
        open_page(page.url)
    return page


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
