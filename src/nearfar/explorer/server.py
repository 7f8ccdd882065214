"""The server behind the page: on 127.0.0.1 only, read-only, for whoever knows the token.

What is refused, and why:

- *another Host*: a web site may let its own name point to 127.0.0.1 and then count as the same origin (DNS rebinding);
- *another token*: other users of the machine can reach the port, too. The token is the first part of every path, not a
  cookie, which browsers would send to every other port of 127.0.0.1;
- *another user of this machine*, where the system tells: the browser is started with the whole address, and lists of
  processes show it to everybody;
- *requests that other sites caused* (Origin, Sec-Fetch-Site), although they cannot know the token;
- *anything but GET and HEAD, bodies, long addresses*. Files come from a fixed table, so no path leads to a file.

Each connection carries one request and has a thread; there are at most `THREADS`. More connections wait, and one whose
request is not there after `PATIENCE` seconds is closed, however it trickles in. A large answer may take longer, as long
as some of it is taken.
"""

from __future__ import annotations

import hmac
import io
import json
import secrets
import socket
import sys
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np

from ..errors import NearfarError, OptionError, option
from .bands import plain
from .files import FILES, read_file
from .peers import is_another_user
from .session import ANSWERS, Answer, Gone, Session

ADDRESS = "127.0.0.1"
THREADS = 32  # requests at a time
PATIENCE = 10.0  # seconds that a request may take to come in, and a piece of an answer to go out
HEAD = 1 << 17  # bytes of a request
PIECE = 1 << 18  # bytes of an answer
LONGEST = 2048  # characters of an address
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


class Server(ThreadingHTTPServer):
    """Serves one session.

    Parameters
    ----------
    session : Session
    port : int, optional
        By default one that is free.
    """

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = sys.platform != "win32"  # elsewhere it lets a port be used again soon; there, by two at once
    request_queue_size = 128

    def __init__(self, session: Session, port: int | None = None) -> None:
        self.session = session
        self.token = secrets.token_urlsafe(24)
        self._room = threading.BoundedSemaphore(THREADS)
        self.ended = threading.Event()
        try:
            super().__init__((ADDRESS, port or 0), Handler)
        except OSError as error:
            raise OptionError(
                f"port {port} cannot be used: {error.strerror or error}. Leave {option('port')} out, and a free one "
                f"is taken."
            ) from error
        self.hosts = {f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")}
        self.url = f"http://{ADDRESS}:{self.server_port}/{self.token}/"

    def server_bind(self) -> None:
        """Bind the port; unlike the parent, ask no name server what this machine is called."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(self.allow_reuse_address))
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give a connection a thread, as soon as there is one."""
        while not self._room.acquire(timeout=0.5):
            if self.closing:
                self.shutdown_request(request)
                return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._room.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a connection, and make room for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about tabs that were closed; a mistake of ours is shown."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def start(self) -> None:
        """Serve on a thread of its own."""
        threading.Thread(target=self.serve_forever, args=(0.1,), name="nearfar explorer", daemon=True).start()

    def close(self) -> None:
        """End; queries that run are given up."""
        if not self.closing:
            self.ended.set()
            self.shutdown()
            self.server_close()

    @property
    def closing(self) -> bool:
        """Whether the server ends."""
        return self.ended.is_set()


class Incoming(io.RawIOBase):
    """What a client sends, up to a time and a length; then its end."""

    def __init__(self, connection: socket.socket, patience: float) -> None:
        self._connection, self._end, self._left = connection, time.monotonic() + patience, HEAD

    def readable(self) -> bool:
        """Tell that this can be read."""
        return True

    def readinto(self, room: Any) -> int:
        """Read what is there; raise TimeoutError when the time is over."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        count = self._connection.recv_into(memoryview(room)[: self._left])
        self._left -= count
        return count


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "nearfar", ""
    patience = PATIENCE

    def setup(self) -> None:
        """Read the request with little patience."""
        super().setup()
        self.rfile = io.BufferedReader(Incoming(self.connection, self.patience))

    def do_GET(self) -> None:
        """Answer with a file of the page, or with what the session knows."""
        self.close_connection = True
        refusal = self._refusal()
        if refusal is not None:
            self._send(refusal[0], "text/plain; charset=utf-8", refusal[1].encode())
            return
        parts = urlsplit(self.path)
        what = parts.path.split("/", 2)[2]
        if what in FILES:
            self._send(200, FILES[what].kind, read_file(what))
        elif what in ANSWERS:
            self._answer(what, dict(parse_qsl(parts.query)))
        else:
            self._send(404, "text/plain; charset=utf-8", b"There is no such page.")

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no proper request: a method that is not known, lines without end."""
        self.close_connection = True
        code = 405 if code == 501 else code
        self._send(code, "text/plain; charset=utf-8", f"{message or 'This request is not answered.'}\n".encode())

    def _refusal(self) -> tuple[int, str] | None:
        """Return why a request is not answered, if so."""
        if len(self.path) > LONGEST:
            return 414, "This address is too long."
        if is_another_user(self.client_address, (ADDRESS, self.server.server_port)):
            return 403, "This page belongs to another user."
        if self.headers.get_all("Host", []) not in [[host] for host in self.server.hosts]:
            return 403, "This server answers to 127.0.0.1 and localhost only."
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            return 413, "This server takes no content."
        token = self.path.split("/", 2)[1:2] or [""]
        if self.path.count("/") < 2 or not hmac.compare_digest(token[0].encode(), self.server.token.encode()):
            return (
                403,
                "The token is missing in this address, or is another one. Open the whole address that was shown.",
            )
        origin = self.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.server.hosts:
            return 403, "Other sites cannot ask this server."
        is_page = urlsplit(self.path).path.split("/", 2)[2] == ""
        if not is_page and self.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
            return 403, "Other sites cannot ask this server."
        return None

    def _answer(self, what: str, query: dict[str, str]) -> None:
        """Send facts and data, or why there are none."""
        try:
            answer = self.server.session.answer(what, query, self._is_there)
        except Gone:
            return
        except (NearfarError, MemoryError) as error:
            self._send(400, "application/json", json.dumps({"error": str(error)}).encode())
            return
        except Exception:
            self.server.handle_error(self.request, self.client_address)
            self._send(500, "text/plain; charset=utf-8", b"The server made a mistake; its terminal shows which.")
            return
        head, data = packed(answer)
        self._send(200, "application/octet-stream", head, data)

    def _is_there(self) -> bool:
        """Tell whether the client still waits: a closed connection can be read, and has nothing to read."""
        if self.server.closing:
            return False
        try:
            self.connection.settimeout(0)  # select would refuse numbers of files from 1,024 on; _send sets its own
            return bool(self.connection.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return True
        except (OSError, ValueError):
            return False

    def _send(self, status: int, kind: str, *parts: Any) -> None:
        """Send an answer; a tab that was closed meanwhile is no error."""
        self.connection.settimeout(self.patience)
        with suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(sum(memoryview(part).nbytes for part in parts)))
            self.send_header("Connection", "close")
            for name, value in HEADERS.items():
                self.send_header(name, value)
            if status == 405:
                self.send_header("Allow", "GET, HEAD")
            self.end_headers()
            if self.command != "HEAD":
                for part in parts:
                    for at in range(0, len(part), PIECE):
                        self.wfile.write(part[at : at + PIECE])


def packed(answer: Answer) -> tuple[bytes, memoryview]:
    """Return an answer as bytes: the length of the facts, the facts as JSON filled up to eight bytes, and the data."""
    text = json.dumps(plain(answer.facts), allow_nan=False).encode()
    text += b" " * (-(len(text) + 4) % 8)
    head = len(text).to_bytes(4, "little") + text
    if answer.data is None or not answer.data.size:
        return head, memoryview(b"")
    return head, np.ascontiguousarray(answer.data).data.cast("B")
