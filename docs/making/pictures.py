"""Pictures of guides: how Sphinx-Gallery collects what `nearfar.draw` made, and the order of the guides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nearfar.draw import Picture

ORDER = ["commute", "accessibility", "betweenness", "raster", "dense", "matrix", "algorithms"]
_shown: list[Picture] = []  # kept alive, so that no other picture gets its identity


class Order:
    """The order of the guides: as in ORDER."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, name: str) -> int:
        """Return where the guide of this file comes."""
        return ORDER.index(Path(name).stem)


def scrape(block: Any, variables: dict[str, Any], settings: Any, **_: Any) -> str:
    """Save the pictures that a block of a script has made, and return the text that shows them."""
    from sphinx_gallery.scrapers import figure_rst

    paths = []
    for value in list(variables["example_globals"].values()):
        if isinstance(value, Picture) and not any(value is other for other in _shown):
            _shown.append(value)
            paths.append(next(variables["image_path_iterator"]))
            value.save(paths[-1])
    return str(figure_rst(paths, settings["src_dir"]))
