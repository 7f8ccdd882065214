"""The page inside a notebook, without a browser: what is sent over the comm, and what is not opened."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import nearfar
from nearfar import errors, generate
from nearfar.explorer import page_of, widget
from nearfar.explorer.bundle import bundle
from nearfar.explorer.files import MODULES
from nearfar.explorer.session import ANSWERS, Answer, Session
from nearfar.explorer.widget import Answering

CITY = generate.city(6, 7, seed=1)


class Line:
    """What a page would be sent."""

    def __init__(self, session=None):
        self.sent = []
        self.answering = Answering(session or Session(CITY), lambda *message: self.sent.append(message))

    def ask(self, what, **query):
        """Return the message and the buffers that answer a question."""
        self.answering.hear({"question": "1-0", "what": what, "query": query}).join(60)
        return self.sent.pop()


def test_a_question_and_its_answer():
    message, (data,) = Line().ask("row", source="3")
    right = Session(CITY).answer("row", {"source": "3"})
    assert message["question"] == "1-0" and message["facts"]["name"] == right.facts["name"]
    assert (np.frombuffer(data, np.uint16) == right.data).all()
    message, buffers = Line().ask("facts")
    assert message["facts"]["vertices"] == CITY.n and buffers == []


@pytest.mark.parametrize(
    ("what", "query", "said"),
    [
        ("row", {"source": 99_999}, "whole number from 0 to"),
        ("__class__", {}, "no such question"),
        (None, None, "no such question"),
        ({}, [], "no such question"),
    ],
)
def test_wrong_questions_are_explained(what, query, said):
    line = Line()
    line.answering.hear({"question": 7, "what": what, "query": query}).join(60)
    assert said in line.sent[0][0]["error"] and line.sent[0][0]["question"] == "7"
    assert line.answering._stops == {}


def test_what_is_no_question_is_ignored():
    assert [Line().answering.hear(nonsense) for nonsense in (None, 3, "row", [], {"stop": "unknown"})] == [None] * 5


def test_a_mistake_of_ours_is_told(monkeypatch, capsys):
    monkeypatch.setitem(ANSWERS, "search", lambda *given: 1 // 0)
    assert "made a mistake" in Line().ask("search", text="a")[0]["error"]
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_question_can_be_stopped():
    session, begun = Session(CITY), threading.Event()

    def slow(what, query, alive):
        begun.set()
        while alive():
            pass
        return Answer({})

    session.answer = slow
    line = Line(session)
    thread = line.answering.hear({"question": "a", "what": "measure", "query": {"name": "closeness"}})
    assert begun.wait(30)
    line.answering.hear({"stop": "another"})
    line.answering.hear({"stop": "a"})
    thread.join(30)
    assert not thread.is_alive() and line.sent == [] and line.answering._stops == {}


def test_every_answer_can_be_sent(monkeypatch):
    """Facts are JSON, and data are bytes: a comm takes nothing else."""
    import json

    line = Line()
    for what in ANSWERS:
        message, buffers = line.ask(what, source="1", target="4", name="closeness", text="a")
        json.dumps(message, allow_nan=False)
        assert "error" not in message and all(len(memoryview(part).cast("B")) >= 0 for part in buffers), what


@pytest.fixture
def notebook(monkeypatch):
    """Behave as in the kernel of a notebook."""
    ipython = pytest.importorskip("IPython")
    monkeypatch.setattr(ipython, "get_ipython", lambda: SimpleNamespace(kernel=object()))


def test_a_notebook_opens_no_port(notebook):
    pytest.importorskip("anywidget")
    page = nearfar.explore(CITY)
    assert repr(page) == "Explorer(shown in the notebook)" and "_server" not in vars(page)
    made, sent = page.widget, Line()
    assert made is page.widget and made._esm == bundle() and "nearfar-explorer" in made._css
    made._answering = sent.answering
    made._handle_custom_msg({"question": "x", "what": "search", "query": {"text": "1"}}, [])
    until_sent = threading.Event()
    while not sent.sent:
        until_sent.wait(0.01)
    assert sent.sent[0][0]["question"] == "x"
    assert page.url.startswith("http://127.0.0.1:")  # now there is one
    page.close()
    assert made.comm is None


def test_a_notebook_without_anywidget(notebook, monkeypatch):
    monkeypatch.setattr(page_of, "has_widgets", lambda: False)
    with nearfar.explore(CITY, browser=False) as page:
        assert page._repr_mimebundle_()["text/plain"].endswith("pip install 'nearfar[notebook]' shows it here")
        with pytest.raises(errors.MissingDependencyError, match="needs anywidget"):
            page.widget  # noqa: B018


def test_scripts_and_terminals_are_served(monkeypatch):
    assert not widget.in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace()))
    assert not widget.in_notebook()
    with nearfar.explore(CITY, browser=False) as page:
        assert page._repr_mimebundle_() == {"text/plain": f"Explorer({page.url})"}


def test_a_closed_page_is_not_begun_again():
    page = nearfar.explore(CITY, browser=False)
    page.close()
    with pytest.raises(errors.OptionError, match="closed"):
        page.widget  # noqa: B018


def test_the_bundle_is_one_module(tmp_path):
    text = bundle()
    assert re.findall(r"^(?:import|export) .*$", text, re.MULTILINE) == ["export default { render: $widget.render };"]
    assert all(f"const ${name} = (() => {{" in text for name in MODULES)
    for names, module in re.findall(r"const \{ ([^{}]*) \} = \$(\w+);", text):
        exported = re.search(rf"const \${module} = .*?return {{ ([^{{}}]*) }};\n\}}\)\(\);", text, re.DOTALL)[1]
        assert set(names.split(", ")) <= set(exported.split(", ")), module
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node to check the syntax of the bundle")
    (tmp_path / "bundle.mjs").write_text(text, encoding="utf8")
    subprocess.run([node, "--check", str(tmp_path / "bundle.mjs")], check=True)
