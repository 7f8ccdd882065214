"""An interactive page for one graph, served on this machine: click a street, and the colours show how far all else is.

>>> import nearfar
>>> with nearfar.explore(nearfar.generate.city(), browser=False) as page:
...     page.url
'http://127.0.0.1:.../.../'

`session` answers questions about a graph. `server` carries them over HTTP to the page, which lies in the folder page/;
`widget` carries them over the messages of a notebook's kernel.
"""

from __future__ import annotations

from .page_of import Explorer, explore

__all__ = ["Explorer", "explore"]
