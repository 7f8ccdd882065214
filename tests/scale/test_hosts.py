"""Several hosts: network namespaces of Linux, each with a network of its own, joined by cables that a test can pull.

The scheduler and the caller are on one host, a worker on each of two others. A cable that is pulled says nothing to
either end: packets are lost, as with a switch that fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from helpers.marks import HANG, child_environment, needs_jit

pytest.importorskip("distributed")
pytestmark = needs_jit

SCHEDULER, PORT = "10.77.{}.1", 8786
CALLER = """
import sys
import numpy as np
import nearfar
from nearfar import generate
from nearfar.scale.driver import Patience

def main():
    graph = generate.road_grid(40, 40, seed=1)
    truth = nearfar.apsp(graph).dist
    with nearfar.connect("tcp://10.77.1.1:8786", spool=sys.argv[1]) as cluster:
        cluster.patience = Patience(first=20.0, least=1.0, silent=5.0)
        cluster.client.wait_for_workers(2)
        first = 0
        for block in nearfar.stream(graph, block=20, client=cluster):
            assert np.array_equal(block.dist, truth[first : first + len(block.dist)])
            first += len(block.dist)
            print(first, flush=True)
            sys.stdin.readline()
        print("all", first, flush=True)

if __name__ == "__main__":
    main()
"""


def ip(*words):
    """Call ip of iproute2."""
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=False)


@pytest.fixture
def hosts():
    """The names of three hosts; cables lead from the first one to the others."""
    if sys.platform != "linux":
        pytest.skip("network namespaces are Linux's")
    if shutil.which("ip") is None:
        pytest.skip("the command ip (of iproute2) is not installed")
    names = [f"nearfar-{os.getpid()}-{end}" for end in "sab"]
    steps = [("netns", "add", name) for name in names]
    for i, name in enumerate(names[1:], 1):
        steps += [
            ("-n", names[0], "link", "add", f"to{i}", "type", "veth", "peer", "name", "to0", "netns", name),
            ("-n", names[0], "addr", "add", f"10.77.{i}.1/24", "dev", f"to{i}"),
            ("-n", name, "addr", "add", f"10.77.{i}.2/24", "dev", "to0"),
            ("-n", name, "link", "set", "to0", "up"),
            ("-n", names[0], "link", "set", f"to{i}", "up"),
        ]
    steps += [("-n", name, "link", "set", "lo", "up") for name in names]
    try:
        for step in steps:
            done = ip(*step)
            if done.returncode:
                pytest.skip(f"network namespaces cannot be made here: ip {' '.join(step)}: {done.stderr.strip()}")
        yield names
    finally:
        for name in names:
            ip("netns", "del", name)


@pytest.fixture
def start(tmp_path):
    """A function that starts a Python program on a host; all of them end with the test."""
    made = []

    def run(host, *words, **more):
        log = tmp_path / f"{len(made)}.log"
        with open(log, "w") as errors:
            command = ["ip", "netns", "exec", host, sys.executable, *words]
            more = {"stdout": errors, "stderr": errors, "env": child_environment(), **more}
            made.append(subprocess.Popen(command, text=True, **more))
        return made[-1]

    try:
        yield run
    finally:
        for process in made:
            process.kill()
            process.communicate()


@pytest.fixture
def caller(hosts, start, tmp_path):
    """A caller who waits for a line after each block, on a cluster of two other hosts."""
    start(hosts[0], "-m", "distributed.cli.dask_scheduler", "--port", str(PORT), "--no-dashboard")
    for i, host in enumerate(hosts[1:], 1):
        start(host, "-m", "distributed.cli.dask_worker", f"tcp://{SCHEDULER.format(i)}:{PORT}", "--nthreads", "1",
              "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path / host))  # fmt: skip
    script = tmp_path / "caller.py"
    script.write_text(CALLER)
    return start(hosts[0], str(script), str(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def blocks(caller, tmp_path):
    """Yield how many rows the caller has; let it go on afterwards."""
    while line := caller.stdout.readline():
        if line.startswith("all"):
            assert line == "all 1600\n"
            return
        yield int(line)
        caller.stdin.write("\n")
        caller.stdin.flush()
    raise AssertionError("\n".join(log.read_text()[-3000:] for log in sorted(tmp_path.glob("*.log"))))


def cable(hosts, i, state):
    """Pull a cable, or put it back."""
    done = ip("-n", hosts[0], "link", "set", f"to{i}", state)
    assert not done.returncode, done.stderr


def test_a_cable_that_is_pulled(hosts, caller, tmp_path):
    """What the lost worker had is done by the other one; the answers are the same."""
    for rows in blocks(caller, tmp_path):
        if rows == 200:
            cable(hosts, 1, "down")
    assert caller.wait(HANG) == 0


def test_a_cable_that_is_put_back(hosts, caller, tmp_path):
    """While the other worker goes on, the lost one comes back; what it has done twice counts once."""
    for rows in blocks(caller, tmp_path):
        if rows in (200, 900):
            cable(hosts, 2, "down" if rows == 200 else "up")
    assert caller.wait(HANG) == 0


@pytest.mark.thorough  # a worker that gives up at the wrong moment does not come back: one run in three failed
def test_both_cables_are_pulled_for_a_while(hosts, caller, tmp_path):
    """Nobody works until one of them is back."""
    for rows in blocks(caller, tmp_path):
        if rows == 200:
            for i in (1, 2):
                cable(hosts, i, "down")
        if rows == 220:
            cable(hosts, 1, "up")
    assert caller.wait(HANG) == 0
