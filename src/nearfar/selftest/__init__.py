"""What `nearfar selftest` runs: a grid of methods, types and queries on a device, each answer proved."""

from .checks import run as run
