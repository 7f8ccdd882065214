"""What NetworkX's own tests are told when they run against the backend."""

from __future__ import annotations

from typing import Any

# Tests of NetworkX that ask for a wrong answer, or for one of several right ones, by name, with the reason.
OTHERWISE = {
    "test_diamond_multi_path": "NetworkX divides by the number of nodes before, not of paths: 1/15 for 1/10",
    "test_find_negative_cycle_longer_cycle": "a cycle may begin at any of its nodes; ours begins at the source",
}


def on_start_tests(items: list[Any]) -> None:
    """Mark the tests whose answers are not ours; NetworkX calls this."""
    import pytest

    for item in items:
        reason = OTHERWISE.get(item.name)
        if reason is not None and not (item.name == "test_diamond_multi_path" and "Edge" not in item.nodeid):
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
