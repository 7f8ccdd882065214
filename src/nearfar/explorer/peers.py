"""Who is at the other end of a connection from this machine: which user, where the system tells.

Linux lists the sockets of all users in /proc/net/tcp, with the number of the user, and in /proc/net/tcp6 those that
reach 127.0.0.1 through an address of IPv6. So a user who has seen the address
of the page, in the list of processes as an argument of the browser, still gets no answer.
"""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

SOCKETS = ((Path("/proc/net/tcp"), ""), (Path("/proc/net/tcp6"), "0000000000000000FFFF0000"))  # before an address
USER = 7  # the column


def is_another_user(peer: tuple[str, int], server: tuple[str, int]) -> bool:
    """Tell whether a connection comes from another user of this machine; False where the system does not tell.

    Root is no other user: it can read everything anyway. So are sockets that nobody holds any more.
    """
    if not hasattr(os, "getuid"):
        return False
    for sockets, before in SOCKETS:
        ends = [before + _as_listed(*peer), before + _as_listed(*server)]
        with suppress(OSError, ValueError, IndexError), sockets.open(encoding="ascii") as lines:
            for line in lines:
                fields = line.split()
                if fields[1:3] == ends:
                    return int(fields[USER]) not in (0, os.getuid())
    return False


def _as_listed(host: str, port: int) -> str:
    """Return an address as the list has it: a number in the byte order of the machine, in hexadecimal."""
    return f"{int.from_bytes(socket.inet_aton(host), sys.byteorder):08X}:{port:04X}"
