"""Tuned numbers of GPUs made small, so that small graphs reach what only large ones do."""

from __future__ import annotations

import sys
from importlib import import_module
from pkgutil import iter_modules

import nearfar.gpu

# With these, a graph of twenty vertices has fat vertices, stages that overflow, several groups and several batches.
SMALL = {
    "GPU_STAGE": 4,
    "GPU_FAT_SHARE": 1,
    "GPU_THIN": 2,
    "GPU_PART": 3,
    "HOST_THIN": 2,
    "HOST_PART": 3,
    "DEVICE_GROUPS": 3,
    "HOST_GROUPS": 3,
    "SMALL_ARCS": 4,
    "LEAST_SMALL": 2,
    "FEW_ARCS": 1,
    "FEW_WORTH": 0,
    "FIRST_ROUNDS": 3,
    "LAUNCHES_AHEAD": 2,
    "LAUNCH_ITEMS": 32,
    "LAUNCH_ARCS": 100,
    "GPU_HUB": 4,
    "GPU_RUN": 2,
    "HOST_RUN": 2,
    "DEVICE_TEAM": 4,
    "HOST_TEAM": 4,
    "DEVICE_NARROW": 2,
    "HOST_NARROW": 2,
}
TILE = 4  # vertices per tile of `floyd`


def shrink(patch, small=SMALL, tile=TILE, **more):
    """Make tuned numbers small, in every module that has imported them, until ``patch`` (a MonkeyPatch) is undone."""
    for module in iter_modules(nearfar.gpu.__path__, "nearfar.gpu."):
        import_module(module.name)
    loaded = [module for name, module in sys.modules.items() if name.startswith("nearfar.")]
    for name, value in {**small, **more}.items():
        readers = [module for module in loaded if hasattr(module, name)]
        assert readers, f"no module has {name} any more: correct the name in {__file__}"
        for module in readers:
            patch.setattr(module, name, value)
    constants, floyd = sys.modules["nearfar.kernels.gpu.constants"], sys.modules["nearfar.gpu.floyd"]
    patch.setattr(constants, "GPU_SMALL_TILE", tile, raising=False)  # read by kernels/gpu/floyd.cl only
    patch.setattr(floyd, "TILES", dict.fromkeys(floyd.TILES, tile))
