"""Mistakes end in one line and an exit code; --debug shows where they came from."""

from __future__ import annotations

import builtins
import re
from pathlib import Path

import pytest

import nearfar
from nearfar.cli import main
from nearfar.cli.failures import as_typed
from nearfar.cli.group import COMMANDS
from nearfar.cli.group import nearfar as nearfar_command
from nearfar.errors import OptionError, in_python, option
from nearfar.graph import Graph


def test_usage(run, roads):
    run("sssp").error("Missing argument 'FILE'", "Try 'nearfar sssp --help'")
    run("sssp", roads).error("Missing option '--source'")
    run("sssp", roads, "-s", 1, "--nosuch").error("--nosuch")
    run("sssp", roads, "-s", 1, "--method", "dijkstr").error("'dijkstr'", "Did you mean 'dijkstra'?")
    run("sssp", roads, "-s", 1, "--device", "opencll:0").error("'opencll'", "Did you mean 'opencl'?")
    run("sssp", roads, "-s", 1, "--device", "opencl:one").error("'opencl:one'", "counted from 0")
    run("sssp", roads, "-s", 1, "--device", "opencl:0,opencl").error("'opencl:0' is given twice")
    run("sssp", roads, "-s", 1, "--device", "cpu,cuda").error("'cpu' cannot be one of several")
    run("sssp", roads, "-s", 1, "--device", "cuda:0,").error("--device")
    run("sssp", roads, "-s", 1, "--device", "abacus").error("'abacus'")
    run("sssp", roads, "-s", 1, "--threads", 0).error("--threads")
    run("sssp", roads, "-s", 1, "--threads", "x").error("--threads")
    run("sssp", roads, "-s", 1, "--cutoff", "x").error("'x' is not a number")
    run("sssp", roads, "-s", 1, "--cutoff=-1").error("cutoff is -1")
    run("sssp", roads, "-s", 1, "--memory", "lots").error("'lots'")
    run("sssp", roads, "-s", 1, "--dtype", "int8").error("int8")
    run("sssp", roads, "-s", 1, "--format", "dimax").error("Did you mean 'dimacs'?")
    run("sssp", roads, "-s", 1, "--separator", ";").error("separator")
    run("mssp", roads).error("--sources")
    run("mssp", roads, "--sources", ",").error("No sources were given")
    run("mssp", roads, "--sources", "@nothing.txt").error("nothing.txt does not exist")
    run("mssp", roads, "--sources-from", ".").error("cannot be read")
    for command in ("sssp", "mssp", "nearest"):
        run(command, roads, "-s", 1, "--to", ",").error("No targets were given")


@pytest.mark.parametrize("word", ["9" * 5000, "-" + "9" * 5000, "--5"])
def test_endless_numbers(run, roads, friends, word):
    """Python refuses to read more than some thousand digits; that is no mistake of ours."""
    for file in (roads, friends):
        run("sssp", file, f"--source={word}").error("source", "is not a vertex")
        run("mssp", file, f"--sources={word}").error("source", "is not a vertex")
    run("sssp", roads, "-s", 1, f"--to={word}").error("target", "is not a vertex")


def test_endless_options(run, roads, friends):
    digits = "9" * 5000
    for switch in ("--tail", "--head", "--weight"):
        run("info", friends, switch, digits).error(switch, "9999...' is not a column")
    run("sssp", roads, "-s", 1, "--threads", digits).error("--threads", "9999...' is not a number of threads")
    assert run("sssp", roads, "-s", 1, "--cutoff", digits, "--json").ok().json["reached"] == 4
    run("sssp", roads, "-s", 1, "--cutoff", "nan").error("'nan' is not a number")
    run("sssp", roads, "-s", 1, "--delta", digits).error("delta")
    run("sssp", roads, "-s", 1, "--memory", digits).error("memory")


def test_input(run, roads, tmp_path):
    run("sssp", "missing.gr", "-s", 1).error("missing.gr does not exist")
    run("sssp", roads, "-s", 9).error("source 9 is not a vertex")
    run("sssp", roads, "-s", "x").error("source 'x' is not a vertex")
    run("sssp", roads, "-s", 1, "-t", "0").error("target 0 is not a vertex")
    (tmp_path / "bad.gr").write_text("p sp 2 1\na 1 x 5\n", encoding="utf8")
    run("info", "bad.gr").error("bad.gr", "line 2")
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe\x80")
    run("mssp", roads, "--sources-from", "binary.txt").error("is not text")


def test_negative_cycles(run, tmp_path):
    (tmp_path / "loop.txt").write_text("a b 1\nb a -2\n", encoding="utf8")
    run("sssp", "loop.txt", "-s", "a").error("negative")


def test_debug(run):
    plain = run("sssp", "missing.gr", "-s", 1).error()
    shown = run("sssp", "missing.gr", "-s", 1, "--debug")
    assert shown.code == 2 and "Traceback" in shown.err and shown.err.endswith(plain.err)


def break_with(monkeypatch, error):
    def broken(*args, **options):
        raise error

    monkeypatch.setattr(nearfar, "read", broken)


def test_internal_errors(run, roads, monkeypatch):
    break_with(monkeypatch, ZeroDivisionError("a mistake of ours"))
    answer = run("info", roads)
    assert (answer.code, answer.out) == (70, "")
    assert answer.err.startswith("nearfar: internal error: ZeroDivisionError: a mistake of ours")
    assert "--debug" in answer.err and answer.err.count("\n") == 1
    shown = run("info", roads, "--debug")
    assert shown.code == 70 and "Traceback" in shown.err


def test_memory_and_disk(run, roads, monkeypatch):
    break_with(monkeypatch, MemoryError())
    run("info", roads).error("memory ran out")
    break_with(monkeypatch, OSError(28, "No space left on device"))
    run("info", roads).error("standard output: No space left on device")


def test_closed_pipe(run, roads, monkeypatch):
    break_with(monkeypatch, BrokenPipeError(32, "Broken pipe"))
    monkeypatch.setattr("nearfar.cli.failures.silence", lambda stream: None)
    answer = run("info", roads)
    assert (answer.code, answer.out, answer.err) == (141, "", "")


def test_interrupt(run, roads, monkeypatch):
    break_with(monkeypatch, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run("info", roads)


def test_advice_is_what_one_types():
    def typed(message):
        return as_typed(OptionError(message))

    assert typed(f"Use {option('method', 'edge')}.") == "Use --method edge."
    assert typed(f"{option('weight', False)} or {option('undirected', True)}") == "--weight none or --undirected"
    assert typed(f"{option('strict', False)} takes it") == "--lenient takes it"
    assert typed(f"{option('undirected', False)}, {option('header', False)}") == "--directed, --no-header"
    assert typed(f"or say {option('to_format')}.") == "or say --to-format."
    assert typed(f"{option('memory', '2 GB')}, {option('threads', 2)};") == "--memory 2 GB, --threads 2;"
    assert typed(f"look{in_python(' at graph.names')}.") == "look."
    assert typed("method='edge' in a name is no advice") == "method='edge' in a name is no advice"


def test_every_option_of_an_error_can_be_typed():
    """What errors advise exists on the command line, under the name it is translated to."""
    modules = [path for path in Path(nearfar.__file__).parent.rglob("*.py") if "adapters" not in path.parts]
    sources = [path.read_text(encoding="utf8") for path in modules]
    advised = {name for text in sources for name in re.findall(r"(?<!def )option\(['\"](\w+)['\"]", text)}
    assert {"method", "format", "weight", "strict"} <= advised
    options = {switch for command in COMMANDS for switch in switches(command)}
    for name in advised:
        value = {"existing": "restart"}.get(name)  # which has a switch for each of its values
        marked = option(name) if value is None else option(name, value)
        assert as_typed(OptionError(marked)).split()[0] in options, name


def switches(command):
    """Return all that a command takes, such as --method and --no-header."""
    found = nearfar_command.get_command(None, command)
    return [text for parameter in found.params for text in (*parameter.opts, *parameter.secondary_opts)]


@pytest.mark.parametrize("name", ["format=a weight=False.bar", "undirected=True/names=True.csv", "lossy=True"])
def test_names_of_files_are_not_advice(run, tmp_path, name):
    """Only the advice is translated, whatever a file, its folder or a list of vertices is called."""
    run("info", name).error(f" error: {name} does not exist")
    run("mssp", "x.gr", "-s", 1, "-o", f"{name}/a.npz").error(f" error: {name}/a.npz cannot be", f"no folder {name}.")
    run("mssp", "x.gr", "-s", 1, f"-o{name}/a.npz").error(f" error: {name}/a.npz cannot be", f"no folder {name}.")
    run("mssp", "x.gr", "-s", 1, f"--output={name}/a.npz").error(f" error: {name}/a.npz cannot be written")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("a;b;1\nc;d;x\n", encoding="utf8")
    run("info", name, "--format", "edges", "--weight", "w").error(f" of {name}, which", "--weight w is not a column")
    run("convert", name, f"{name}.what").error(f"'{name}.what' does not name a format", "or --to-format.")
    run("verify", name, name, "--format", "edges").error(name)


def test_a_file_of_vertices_is_read_with_an_at_sign(run, roads, friends, tmp_path):
    (tmp_path / "o.txt").write_text("1\n3\n", encoding="utf8")
    hint = "There is a file o.txt: write @o.txt for the vertices in it."
    for graph in (roads, friends):
        run("mssp", graph, "--sources", "o.txt").error("source 'o.txt'", hint)
        run("nearest", graph, "--sources", "o.txt").error("source 'o.txt'", hint)
    run("mssp", roads, "--sources", "1", "--to", "2,o.txt").error("target 'o.txt'", hint)
    assert "write @" not in run("mssp", roads, "--sources", "p.txt").error("source 'p.txt'").err
    assert "write @" not in run("mssp", roads, "--sources", "p" * 5000 + "\0").error("source 'ppp").err
    run("mssp", roads, "--sources", "@o.txt").ok()
    bare = Graph.from_arcs([0], [1])
    nearfar.write(bare, tmp_path / "bare.npz")
    run("mssp", "bare.npz", "--sources", "o.txt").error("o.txt", hint)


def test_what_does_not_fit_has_ways_out(run, roads):
    run("apsp", roads, "--memory", "1B").error("fewer sources", "(--to)", "(-o FILE.npy)")


def test_main_ends_the_process(monkeypatch):
    """At once, whatever threads still run; test_children.py sees that nothing written gets lost."""

    class Left(BaseException):
        pass

    def leave(code):
        raise Left(code)

    monkeypatch.setattr("os._exit", leave)
    for command, code in ((["--version"], 0), (["nothing"], 2)):
        monkeypatch.setattr("sys.argv", ["nearfar", *command])
        with pytest.raises(Left) as left:
            main()
        assert left.value.args == (code,)


def test_vertices_of_other_kinds(run, monkeypatch):
    """Names may be mixed, or pairs; a word means the vertex that is printed like it."""
    from nearfar.cli.words import find_vertex, find_vertices

    mixed = Graph.from_arcs([0, 1], [1, 2], names=["a", 7, "8"])
    assert find_vertices(mixed, ["a,7", "8"], "source") == ["a", 7, "8"]
    pairs = Graph.from_arcs([0], [1], names=[(0, 1), (1, 1)])
    assert find_vertex(pairs, "(1, 1)", "source") == (1, 1)
    with pytest.raises(nearfar.NearfarError):
        find_vertex(pairs, "(2, 2)", "source")
    plain = Graph.from_arcs([0], [1])
    assert find_vertex(plain, "1", "source") == 1
    for word in ("2", "-1", "x"):
        with pytest.raises(nearfar.NearfarError, match="source"):
            find_vertex(plain, word, "source")
    assert builtins.list(find_vertices(plain, ["1", "0,1"], "source")) == [1, 0, 1]
