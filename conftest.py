"""Examples in docstrings run in an empty folder: some write files."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _in_an_empty_folder(request, tmp_path_factory, monkeypatch):
    if isinstance(request.node, pytest.DoctestItem):
        monkeypatch.chdir(tmp_path_factory.mktemp("example"))
