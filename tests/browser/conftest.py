"""One browser for all tests, and pages of graphs that the tests share. Without a browser, all are skipped."""

from __future__ import annotations

import numpy as np
import pytest

import nearfar
from helpers.browsing import browsing, chromium
from nearfar import generate

pytest.importorskip("playwright", reason="playwright is not installed: `make browser-test` installs it")
if not chromium():
    pytest.skip("there is no Chromium: `make browser-test` installs it", allow_module_level=True)

CITY = generate.city(12, 15, seed=3)


@pytest.fixture(scope="session")
def browser():
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="session")
def city():
    """A page of a small city, with some demand."""
    rng = np.random.default_rng(1)
    names = [CITY.name(int(v)) for v in rng.permutation(CITY.n)[:40]]
    demand = list(zip(names[:20], names[20:], rng.integers(1, 9, 20).tolist(), strict=True))
    with nearfar.explore(CITY, name="city", demand=demand, browser=False) as page:
        yield page
