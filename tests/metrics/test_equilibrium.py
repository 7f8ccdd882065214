"""The example of docs/metrics.md finds the published user equilibrium of Sioux Falls."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from helpers.data import real
from helpers.marks import needs_jit

PAGE = Path(__file__).parent.parent.parent / "docs" / "metrics.md"
pytestmark = needs_jit


def test_sioux_falls(monkeypatch):
    published = real("SiouxFalls_flow.tntp")
    monkeypatch.chdir(published.parent)
    code = next(
        block for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf8"), re.S) if "SiouxFalls" in block
    )
    names: dict[str, object] = {}
    exec(code, names)
    wanted = np.array([line.split()[2] for line in published.read_text().splitlines()[1:] if line.strip()], float)
    flow = names["flow"]
    assert names["gap"] < 1e-4
    assert np.abs(flow - wanted).max() < 0.02 * wanted.max()
    assert np.abs(flow - wanted).sum() < 0.005 * wanted.sum()
