"""The server behind the page, without a browser: who is answered, what is refused, and what survives."""

from __future__ import annotations

import http.client
import io
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import numpy as np
import pytest

import nearfar
from nearfar import errors, generate
from nearfar.explorer import peers
from nearfar.explorer.files import FILES, MODULES, read_file
from nearfar.explorer.peers import SOCKETS, is_another_user
from nearfar.explorer.server import THREADS, Server, packed
from nearfar.explorer.session import ANSWERS, Answer, Session

CITY = generate.city(6, 7, seed=1)


@pytest.fixture
def page():
    with nearfar.explore(CITY, browser=False) as page:
        yield page


def ask(page, path="", method="GET", headers=None, body=None, token=None):
    """Return the status, the headers and the content of an answer."""
    address = urlsplit(page.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
    try:
        prefix = address.path if token is None else f"/{token}/"
        connection.request(method, prefix + path, body=body, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def unpacked(content):
    length = int.from_bytes(content[:4], "little")
    return json.loads(content[4 : 4 + length]), content[4 + length :]


def raw(page, text, wait=5.0):
    """Send bytes as they are, and return all that comes back."""
    address = urlsplit(page.url)
    with socket.create_connection((address.hostname, address.port), timeout=wait) as line:
        line.sendall(text)
        found = b""
        while part := line.recv(65_536):
            found += part
        return found


def test_the_page_and_its_files(page):
    for path, file in FILES.items():
        status, headers, content = ask(page, path)
        assert (status, headers["Content-Type"], content) == (200, file.kind, read_file(path))
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "no-referrer"
        assert "nearfar" in headers["Server"] and "Python" not in headers["Server"]


def test_modules_import_only_those_before_them_and_nothing_from_elsewhere():
    for i, name in enumerate(MODULES):
        text = read_file(f"{name}.js").decode()
        imports = re.findall(r'from "(.*?)"', text)
        assert set(imports) <= {f"./{before}.js" for before in MODULES[:i]}
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", "") and "https://" not in text
    assert "//" not in re.sub(r"<!--.*?-->", "", read_file("").decode())  # no address of another server
    assert "url(" not in read_file("style.css").decode()


def test_a_row(page):
    status, headers, content = ask(page, "row?source=3")
    facts, data = unpacked(content)
    assert status == 200 and headers["Content-Type"] == "application/octet-stream"
    assert facts["source"] == 3 and len(np.frombuffer(data, np.uint16)) == CITY.n
    assert (len(content) - len(data)) % 8 == 0  # so that the page can read numbers where they lie


def test_errors_of_questions_reach_the_page(page):
    status, _, content = ask(page, "row?source=99999")
    assert status == 400 and "whole number from 0 to" in json.loads(content)["error"]


@pytest.mark.parametrize("token", ["", "x", "wrong-token-of-some-length-aaaaaaaa", "%2e%2e", "ü"])
def test_other_tokens_are_refused(page, token):
    wanted = token.encode().decode("latin-1") if token.isascii() else "%C3%BC"
    for path in ("", "row?source=3", "app.js"):
        assert ask(page, path, token=wanted)[0] == 403


def test_a_path_without_a_token(page):
    host = urlsplit(page.url).netloc.encode()
    for path in (b"/", b"//", b"/app.js", b"/" + page.url.split("/")[3].encode(), b"*", b"http://elsewhere/"):
        status = raw(page, b"GET " + path + b" HTTP/1.1\r\nHost: " + host + b"\r\n\r\n").split(b" ")[1]
        assert status == b"403"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "[::1]:80", ""])
def test_other_hosts_are_refused(page, host):
    assert ask(page, headers={"Host": host})[0] == 403
    assert ask(page, "row?source=3", headers={"Host": host})[0] == 403


def test_hosts(page):
    port = urlsplit(page.url).port
    assert ask(page, headers={"Host": f"localhost:{port}"})[0] == 200
    path = urlsplit(page.url).path.encode()
    twice = f"Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n".encode()
    assert b" 403 " in raw(page, b"GET " + path + b" HTTP/1.1\r\n" + twice + b"\r\n").split(b"\r\n")[0]
    assert b" 403 " in raw(page, b"GET " + path + b" HTTP/1.0\r\n\r\n").split(b"\r\n")[0]


def test_other_sites_cannot_ask(page):
    assert ask(page, "row?source=3", headers={"Origin": "http://evil.example"})[0] == 403
    assert ask(page, "row?source=3", headers={"Origin": "null"})[0] == 403
    assert ask(page, "row?source=3", headers={"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert ask(page, "row?source=3", headers={"Sec-Fetch-Site": "same-site"})[0] == 403
    assert ask(page, "row?source=3", headers={"Sec-Fetch-Site": "same-origin"})[0] == 200
    assert ask(page, "row?source=3", headers={"Origin": page.url.rsplit("/", 2)[0]})[0] == 200
    assert ask(page, headers={"Sec-Fetch-Site": "cross-site"})[0] == 200  # a link to the page, from a mail


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "GETS"])
def test_only_reading(page, method):
    status, headers, _ = ask(page, "row?source=3", method=method)
    assert status == 405 and headers["Allow"] == "GET, HEAD"


def test_a_mistake_of_ours_is_told(page, monkeypatch, capfd):
    monkeypatch.setitem(ANSWERS, "search", lambda *given: 1 // 0)
    assert ask(page, "search?text=a")[0] == 500
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_head(page):
    status, headers, content = ask(page, "app.js", method="HEAD")
    assert status == 200 and int(headers["Content-Length"]) == len(read_file("app.js")) and content == b""


def test_sizes(page):
    assert ask(page, body=b"x")[0] == 413
    assert ask(page, headers={"Content-Length": "-1"})[0] == 413
    assert ask(page, headers={"Transfer-Encoding": "chunked"})[0] == 413
    assert ask(page, "search?text=" + "x" * 3000)[0] == 414
    assert ask(page, "search?" + "&".join(f"a{i}=1" for i in range(50)))[0] == 200
    assert ask(page, headers={"X": "y" * 70_000})[0] == 431
    assert ask(page)[0] == 200


@pytest.mark.parametrize(
    "path",
    ["../pyproject.toml", "..%2f..%2fetc%2fpasswd", "/etc/passwd", "page/app.js", "app.js/", "app.py", "__init__.py",
     "....//....//etc/passwd", "%00", "app.js%00.html", "index.html", "\\etc\\passwd", "file:///etc/passwd", ";"],
)  # fmt: skip
def test_no_path_leads_to_a_file(page, path):
    assert ask(page, path)[0] == 404


def test_nonsense_is_survived(page):
    for text in (b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
        raw(page, text)
    assert ask(page)[0] == 200


def test_tabs_that_are_closed_while_they_wait(page, capfd):
    address = urlsplit(page.url)
    request = f"GET {address.path}row?source=1 HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode()
    for _ in range(2 * THREADS):
        line = socket.create_connection((address.hostname, address.port))
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, not a farewell
        line.sendall(request)
        line.close()
    assert ask(page, "row?source=1")[0] == 200
    assert capfd.readouterr().err == ""


def test_a_query_ends_with_its_tab():
    """A metric for which nobody waits is given up, and the next question is answered."""
    session, started, ended = Session(CITY), threading.Event(), threading.Event()

    def slow(session, query, alive):
        started.set()
        deadline = time.monotonic() + 30
        while alive() and time.monotonic() < deadline:
            time.sleep(0.01)
        if not alive():
            ended.set()
        return Answer({})

    session.answer = lambda what, query, alive: slow(session, query, alive)
    server = Server(session)
    server.start()
    address = urlsplit(server.url)
    try:
        line = socket.create_connection((address.hostname, address.port))
        line.sendall(f"GET {address.path}measure?name=x HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
        assert started.wait(30)
        line.close()
        assert ended.wait(30)
    finally:
        server.close()


def test_ten_clients_at_once(page):
    found: list[tuple[int, int]] = []

    def tab(number):
        for source in range(number, number + 8):
            status, _, content = ask(page, f"row?source={source}")
            found.append((status, unpacked(content)[0]["source"] - source))

    tabs = [threading.Thread(target=tab, args=(number,)) for number in range(10)]
    for one in tabs:
        one.start()
    for one in tabs:
        one.join()
    assert found == [(200, 0)] * 80


def test_silent_connections_do_not_lock_others_out(monkeypatch):
    from nearfar.explorer.server import Handler

    monkeypatch.setattr(Handler, "patience", 0.3)
    with nearfar.explore(CITY, browser=False) as page:
        address = urlsplit(page.url)
        silent = [socket.create_connection((address.hostname, address.port)) for _ in range(THREADS + 5)]
        assert ask(page)[0] == 200
        threads = [thread for thread in threading.enumerate() if "process_request_thread" in thread.name]
        assert len(threads) <= THREADS
        for line in silent:
            line.close()


def test_a_request_that_trickles_in_is_given_up(monkeypatch):
    """Each byte comes soon after the one before, and yet the request never ends."""
    from nearfar.explorer.server import Handler

    monkeypatch.setattr(Handler, "patience", 0.5)
    with nearfar.explore(CITY, browser=False) as page:
        address = urlsplit(page.url)
        with socket.create_connection((address.hostname, address.port), timeout=60) as line:
            line.sendall(f"GET {address.path} HTTP/1.1\r\nX: ".encode())
            with pytest.raises(OSError):  # a closed connection takes a byte or two, and then no more
                while True:
                    line.sendall(b"x")
                    time.sleep(0.05)
        assert ask(page)[0] == 200


def test_endless_requests_are_cut_off(page):
    address = urlsplit(page.url)
    with socket.create_connection((address.hostname, address.port), timeout=60) as line, pytest.raises(OSError):
        line.sendall(f"GET {address.path} HTTP/1.1\r\n".encode())
        for _ in range(10_000):
            line.sendall(b"X: " + 10_000 * b"y" + b"\r\n")
    assert ask(page)[0] == 200


def test_large_answers_are_whole():
    session = Session(CITY)
    session.answer = lambda what, query, alive: Answer({}, np.arange(3_000_000, dtype=np.uint32))
    server = Server(session)
    server.start()
    try:
        _, content = unpacked(ask(SimpleNamespace(url=server.url), "points")[2])
        assert (np.frombuffer(content, np.uint32) == np.arange(3_000_000)).all()
    finally:
        server.close()


@pytest.mark.skipif(not SOCKETS[0][0].exists(), reason="this system does not list the users of sockets")
@pytest.mark.parametrize("host", ["127.0.0.1", "::ffff:127.0.0.1"])
def test_other_users_get_no_answer(page, monkeypatch, host):
    """The second is the same machine through an address of IPv6, which Linux has in another list."""
    monkeypatch.setattr(os, "getuid", lambda: 4_000_001)  # whose process this is not
    try:
        door = socket.create_server(("127.0.0.1", 0))
        with door, socket.create_connection((host, door.getsockname()[1])), door.accept()[0] as end:
            ends = end.getpeername(), end.getsockname()
            monkeypatch.setattr(peers, "SOCKETS", listed_as(4_000_002))
            assert is_another_user(*ends) and ask(page)[0] == 403 and ask(page, "row?source=3")[0] == 403
            monkeypatch.setattr(peers, "SOCKETS", listed_as(4_000_001))
            assert not is_another_user(*ends) and ask(page)[0] == 200
            monkeypatch.setattr(peers, "SOCKETS", listed_as(0))
            assert not is_another_user(*ends)
            monkeypatch.setattr(peers, "SOCKETS", ((Path("/there is no such list"), ""),))
            assert not is_another_user(*ends) and ask(page)[0] == 200
    finally:
        monkeypatch.undo()


def listed_as(user):
    """Return the lists of sockets, where all belong to one user."""
    return tuple((Listed(path, user), before) for path, before in SOCKETS)


class Listed:
    """Stands for a path of a list of sockets."""

    def __init__(self, path, user):
        self.path, self.user = path, user

    def open(self, encoding):
        lines = [line.split() for line in self.path.read_text().splitlines()]
        return io.StringIO("\n".join(" ".join([*line[:7], str(self.user), *line[8:]]) for line in lines))


def test_two_pages_and_their_ends():
    first = nearfar.explore(CITY, browser=False)
    with nearfar.explore(CITY, browser=False) as second:
        assert first.url != second.url and urlsplit(first.url).port != urlsplit(second.url).port
        port = urlsplit(second.url).port
        with pytest.raises(errors.OptionError, match=rf"port {port} cannot be used"):
            nearfar.explore(CITY, browser=False, port=port)
    first.close()
    first.close()
    first.wait()
    assert repr(first) == "Explorer(closed)"
    with pytest.raises(OSError):
        ask(first)


def test_it_listens_on_loopback_only(page):
    assert page._server.socket.getsockname()[0] == "127.0.0.1"
    assert len(page.url.split("/")[3]) >= 32


def test_wrong_options():
    with pytest.raises(errors.OptionError, match="port=70000"):
        nearfar.explore(CITY, port=70_000)
    with pytest.raises(errors.InputTypeError, match="port is '80'"):
        nearfar.explore(CITY, port="80")
    with pytest.raises(errors.InputTypeError, match="browser is 1"):
        nearfar.explore(CITY, browser=1)
    with pytest.raises(errors.InputTypeError, match="name is None"):
        nearfar.explore(CITY, name=None, browser=False)
    with pytest.raises(errors.VertexError):
        nearfar.explore(CITY, source="nowhere", browser=False)


def test_packed_numbers():
    head, data = packed(
        Answer({"a": np.int32(3), "b": [float("inf"), np.float64("nan")]}, np.arange(3, dtype=np.uint16))
    )
    assert unpacked(head + bytes(data)) == ({"a": 3, "b": [None, None]}, np.arange(3, dtype=np.uint16).tobytes())


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT is sent")
def test_ctrl_c_ends_the_command(tmp_path):
    path = str(tmp_path / "city.npz")
    nearfar.write(CITY, path)
    command = [sys.executable, "-m", "nearfar", "explore", path, "--no-browser"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        url = child.stdout.readline().strip()
        address = urlsplit(url)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
        connection.request("GET", address.path)
        assert connection.getresponse().status == 200
        connection.close()
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 0
    assert "Ctrl-C ends it" in said and said.endswith("nearfar: ended\n") and "Traceback" not in said


def test_many_open_files(page):
    """Numbers of files from 1,024 on, as a program that holds many has them, are no reason to give no answer."""
    resource = pytest.importorskip("resource", reason="this system has no such limits")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 4096:
        pytest.skip("this user may not open so many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, hard))
    try:
        with ExitStack() as files:
            for _ in range(1100):
                files.enter_context(open(os.devnull))
            assert ask(page, "row?source=7&method=dijkstra")[0] == 200
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
