"""Errors: what a message marks, who reads which part of it, and that nothing is lost on the way to another process."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearfar import errors
from nearfar.errors import InPython, NearfarError, Option, OptionError, in_python, option

KINDS = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, NearfarError)]
CARRIED = {"cycle": [1, 2], "needed": 9, "available": 5, "log": "line 3: no", "path": "a.gr", "line": 7}
MARKS = "\ud800\ud801\ud802"  # lone surrogates, which no file name or text can hold once it is decoded


def made(kind):
    """Return an error of a kind, with all that it carries and a marked option in its message."""
    return kind(f"no. Use {option('method', 'edge')}.", *(CARRIED[name] for name in kind._carried))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("again", (copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))))
def test_errors_survive_a_copy(kind, again):
    error = made(kind)
    other = again(error)
    assert type(other) is kind and str(other) == str(error) == "no. Use method='edge'."
    assert other.parts == error.parts == ("no. Use ", Option("method", "'edge'"), ".")
    assert [getattr(other, name) for name in kind._carried] == [CARRIED[name] for name in kind._carried]


def test_notes_survive_a_copy():
    error = OptionError("no")
    error.add_note("while reading a.gr")
    assert pickle.loads(pickle.dumps(error)).__notes__ == copy.copy(error).__notes__ == ["while reading a.gr"]


def test_marks_are_not_nested():
    with pytest.raises(AssertionError):
        in_python(f"say {option('method')}")


def test_every_kind_is_tested():
    assert {name for kind in KINDS for name in kind._carried} == set(CARRIED)
    assert len(KINDS) == 20


plain = st.text(st.characters(), max_size=20)


@given(st.lists(plain | st.tuples(st.sampled_from(["method", "strict", "to_format"]), st.none() | plain), max_size=6))
def test_parts_are_what_was_put_in(given_parts):
    """Whatever stands between them: braces, quotes, equal signs."""
    message, wanted, shown = "", [], ""
    for part in given_parts:
        if isinstance(part, str):
            message, shown = message + part, shown + part
            wanted = [*wanted[:-1], wanted[-1] + part] if wanted and isinstance(wanted[-1], str) else [*wanted, part]
        else:
            name, value = part
            message += option(name) if value is None else option(name, value)
            wanted.append(Option(name, "" if value is None else errors.clip(repr(value))))
            shown += str(wanted[-1])
    error = OptionError(message)
    assert error.parts == tuple(part for part in wanted if part != "")
    assert str(error) == shown and not set(MARKS) & set(str(error))


def test_words_for_python():
    error = OptionError(f"which one?{in_python(' graph.names lists them.')}")
    assert str(error) == "which one? graph.names lists them."
    assert error.parts == ("which one?", InPython(" graph.names lists them."))


def test_an_error_inside_another_keeps_its_marks():
    inner = OptionError(f"say {option('weight', False)}")
    assert OptionError(f"file: {inner.marked}.").parts == ("file: say ", Option("weight", "False"), ".")


def test_long_values_are_cut():
    assert str(OptionError(option("weight", "x" * 1000))) == f"weight='{'x' * 56}..."


@given(st.text(f"a{MARKS} =", max_size=30))
def test_any_text_makes_an_error(text):
    """A name may hold whatever it likes; an error is made of it all the same."""
    assert isinstance(str(OptionError(text)), str)
