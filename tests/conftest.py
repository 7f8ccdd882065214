"""Settings for all tests, and the fixtures that several folders share."""

from __future__ import annotations

import gc
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from helpers.commands import child as child
from helpers.commands import friends as friends
from helpers.commands import roads as roads
from helpers.commands import run as run
from helpers.runtimes import follow

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start what runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)
FOLLOWED = follow()  # before anything asks OpenCL for its platforms, which it does only once
settings.register_profile("nearfar", deadline=None)  # the first example of a test may compile a kernel
settings.load_profile("nearfar")

TESTS = Path(__file__).parent

# Tests that need the same kernels, by folder or file: of a group, all tests run in one process, which compiles them
# once, and one cluster at a time. Files of other folders are groups of their own. The longest groups come first, so
# that two processes end together.
GROUPS = {
    "gpu/test_grid_gpu.py": "grid on a GPU",
    "kernels/test_builds.py": "builds of GPU kernels",
    "devices/test_cuda_methods.py": "stand-in for CUDA",
    "cuda_text": "CUDA text on the CPU",
    "gpu": "runs on a GPU",
    "devices": "devices",
    "selftest": "devices",
    "scale/test_cluster.py": "clusters",
    "scale/test_faults.py": "clusters",
    "scale/test_hosts.py": "clusters",
}


def pytest_report_header():
    """Say which OpenCL implementation runs the tests, if it is not the usual one."""
    return f"OpenCL: Intel's runtime, since {FOLLOWED.partition('. ')[0]}" if FOLLOWED else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Put every test into its group, for ``--dist loadgroup`` of pytest-xdist; GPU tests begin first."""
    for item in items if config.pluginmanager.hasplugin("xdist") else ():
        item.add_marker(pytest.mark.xdist_group(group_of(item.path)))
    items.sort(key=lambda item: order_of(item.path))  # which keeps the order inside a file


def pytest_collection_finish():
    """Let the collector pass over what lives as long as the run: modules and six thousand tests.

    It took 7.1 s of 61 s of CPU in test_bits.py and test_bfs_one.py with nothing compiled before; now 2.3 s.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(2000, 10, 100)


def group_of(path):
    """Return the group of a test file."""
    if not path.is_relative_to(TESTS):
        return "examples of docstrings"
    name = path.relative_to(TESTS).as_posix()
    return GROUPS.get(name) or GROUPS.get(name.partition("/")[0]) or name


def order_of(path):
    """Return where a group comes in a run."""
    groups = list(dict.fromkeys(GROUPS.values()))
    return groups.index(group_of(path)) if group_of(path) in groups else len(groups)
