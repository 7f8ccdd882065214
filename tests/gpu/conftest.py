"""GPU tests of small graphs: their kernels are built quickly."""

from __future__ import annotations

import pytest

from helpers.builds import built_quickly

LARGE = {"test_data_gpu", "test_runs", "test_sharing"}


@pytest.fixture(scope="module", autouse=True)
def builds(request):
    """Build kernels for small graphs without optimising them."""
    with built_quickly(request, request.path.stem not in LARGE):
        yield
