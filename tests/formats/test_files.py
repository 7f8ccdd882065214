"""Where bytes come from and go to: compression, pipes, addresses, and files that appear whole or not at all."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import tempfile
import threading
import tracemalloc
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest
import zstandard

import nearfar
from helpers.marks import HANG, child_environment
from nearfar.errors import FileError, FormatError, InputTypeError, MissingDependencyError, MissingFileError, OptionError
from nearfar.formats.io import ahead
from nearfar.formats.io.files import BLOCK, HEAD, Source, open_sink
from nearfar.formats.io.whole import whole_file

TEXT = b"p sp 3 2\na 1 2 7\na 2 3 5\n"
LONG = os.urandom(BLOCK) + b"x" * (3 * HEAD + 17)  # several blocks, hard and easy to compress
PACKERS = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: zstandard.ZstdCompressor().compress(data),
}
PACKED = [ending for ending in PACKERS if ending]


def content(path, data):
    """Write a file and return what a Source gives."""
    path.write_bytes(data)
    with Source(path) as source:
        return source.read_all()


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("data", [b"", b"a", TEXT, LONG], ids=["empty", "one", "text", "long"])
def test_decompressed(tmp_path, ending, data):
    packed = PACKERS[ending](data)
    for name in (f"x.gr{ending}", "x", "x.gr", "x.gz.gr"):  # the content decides, not the name
        assert content(tmp_path / name, packed) == data
    for parts in (2, 3):  # files put one behind the other, as cat does
        assert content(tmp_path / "twice", packed * parts) == data * parts


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("data", [TEXT, LONG], ids=["text", "long"])
def test_cut_off(tmp_path, ending, data):
    packed = PACKERS[ending](data)
    for size in {len(packed) - 1, len(packed) // 2, 12}:
        with pytest.raises(FormatError, match="damaged or cut off") as caught:
            content(tmp_path / "cut.gr", packed[:size])
        assert caught.value.path.endswith("cut.gr")


@pytest.mark.parametrize("ending", PACKED)
def test_damaged(tmp_path, ending):
    packed = bytearray(PACKERS[ending](LONG))
    packed[len(packed) // 3] ^= 255
    packed[-5] ^= 255  # the checksum, where there is one
    path = tmp_path / "damaged"
    try:
        assert content(path, bytes(packed)) != LONG  # only .zst has no checksum by default
        assert ending == ".zst"
    except FormatError as error:
        assert "damaged" in str(error)


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("data", [TEXT, LONG], ids=["text", "long"])
def test_what_follows_counts(tmp_path, ending, data):
    """Nothing is read of a file that goes on with garbage, or with a second part that is broken."""
    packed = PACKERS[ending](data)
    broken = bytearray(packed)
    broken[-9] ^= 255
    tails = [b"garbage", b"x", packed[:-1], packed[:7], b"\0" * 7 + packed] + [bytes(broken)] * (ending != ".zst")
    for tail in tails[ending == ".gz" :]:
        if ending == ".gz" and tail.startswith(b"\0"):
            continue  # gzip allows any number of zeros
        with pytest.raises(FormatError, match="damaged or cut off"):
            content(tmp_path / "more", packed + tail)


def test_padding_of_xz(tmp_path):
    packed = lzma.compress(TEXT)
    for zeros in (4, 8, 1 << 17):
        assert content(tmp_path / "x", packed + bytes(zeros)) == TEXT
        assert content(tmp_path / "x", packed + bytes(zeros) + packed) == TEXT * 2
        for wrong in (bytes(zeros + 2), bytes(zeros - 1) + packed):
            with pytest.raises(FormatError, match="padding"):
                content(tmp_path / "x", packed + wrong)


@pytest.mark.parametrize("ending", PACKED)
def test_little_is_unpacked_at_a_time(tmp_path, ending):
    path = tmp_path / "bomb"
    path.write_bytes(PACKERS[ending](bytes(1 << 26)))
    assert path.stat().st_size < 1 << 18
    tracemalloc.start()
    try:
        with Source(path) as source:
            assert sum(map(len, source.blocks())) == 1 << 26
        assert tracemalloc.get_traced_memory()[1] < 3 << 24
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("ending", PACKERS)
def test_written_compressed(tmp_path, ending):
    path = tmp_path / f"x.gr{ending}"
    graph = nearfar.read(io.BytesIO(TEXT))
    nearfar.write(graph, path)
    assert content(path, path.read_bytes()) == TEXT
    assert path.read_bytes()[:2] == PACKERS[ending](TEXT)[:2]
    first = path.read_bytes()
    nearfar.write(graph, path)
    assert path.read_bytes() == first  # no time of writing inside


def test_zip_of_one_file(tmp_path):
    path = tmp_path / "x.gr.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("folder/x.gr", TEXT)
    assert nearfar.distance(nearfar.read(path), 1, 3) == 12
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("y.gr", TEXT)
    with pytest.raises(FormatError, match="holds 2 files"):
        nearfar.read(path)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(FormatError):
        nearfar.read(path)


def zipped(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def test_zips_are_known_by_their_content(tmp_path):
    path = tmp_path / "x"
    for data in (zipped(a=TEXT), zipped(**{"x.gr": TEXT})):
        path.write_bytes(data)
        assert nearfar.read(io.BytesIO(data)).m == nearfar.read(path).m == 2
    with pytest.raises(FormatError, match="holds 2 files"):
        nearfar.read(io.BytesIO(zipped(a=TEXT, b=TEXT)))
    for name in ("y.npz", "y.zip", "y"):  # a .zip of arrays is a .npz
        file = io.BytesIO()
        nearfar.write(nearfar.read(io.BytesIO(TEXT)), file, format="npz")
        (tmp_path / name).write_bytes(file.getvalue())
        assert nearfar.read(tmp_path / name).m == 2


def test_zips_that_cannot_be_unpacked():
    data = bytearray(zipped(a=TEXT))
    data[6] |= 1  # needs a password
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(FormatError, match=r"cannot be unpacked here.*password.*Unpack it first"):
        nearfar.read(io.BytesIO(bytes(data)))
    with pytest.raises(FormatError, match=r"\.zip data is damaged"):
        nearfar.read(io.BytesIO(zipped(a=TEXT)[:-9]))


class Slow(io.RawIOBase):
    """A file that gives a byte at a time, as a slow pipe may; then raises ``error`` if there is one."""

    def __init__(self, data, error=None):
        self.data, self.at, self.error = data, 0, error

    def read(self, size=-1):
        self.at += 1
        if self.at > len(self.data) and self.error is not None:
            raise self.error
        return self.data[self.at - 1 : self.at]


@pytest.mark.parametrize("ending", [*PACKERS, ".zip"])
def test_a_byte_at_a_time(ending):
    data = zipped(a=TEXT) if ending == ".zip" else PACKERS[ending](TEXT)
    with Source(Slow(data)) as source:
        assert source.read_all() == TEXT


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lambda data: zipped(a=data)], ids=["plain", "gz", "zip"])
@pytest.mark.parametrize("size", [0, 20])
def test_errors_of_open_files(pack, size):
    with pytest.raises(RuntimeError, match="mine"):
        nearfar.read(Slow(pack(TEXT)[:size], RuntimeError("mine")))
    for error in (OSError("cable cut"), OSError(5, "cable cut")):
        with pytest.raises(FileError, match=r"cannot be read: cable cut"):
            nearfar.read(Slow(pack(TEXT)[:size], error))


def test_the_thread_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(ahead, "_PATIENCE", HANG)  # a second may be too short on a busy machine
    lines = b"".join(b"a 1 2 %d\n" % i for i in range(20_000))
    path = tmp_path / "x.gr.gz"
    path.write_bytes(gzip.compress(b"p sp 3 2\n" + lines + b"a 1 2 x\n" + lines * 30, 1))  # wrong after the head
    held = []
    for _ in range(8):
        with pytest.raises(FormatError) as caught:
            nearfar.read(path)
        held.append(caught)  # with the frames that were reading
    assert not [thread for thread in threading.enumerate() if thread.name == "nearfar-read"]


def test_text_files_are_refused(tmp_path):
    class Words:
        def read(self, size=-1):
            return "p sp 1 0\n"

    with pytest.raises(InputTypeError, match=r"gives str, not bytes.*'rb'"):
        nearfar.read(Words())
    graph = nearfar.read(io.BytesIO(TEXT))
    path = tmp_path / "x.gr"
    with open(path, "w") as file:
        for text in (io.StringIO(), file):
            with pytest.raises(InputTypeError, match="binary mode, 'wb'"):
                nearfar.write(graph, text, format="dimacs")
    with open(path, "rb") as file, pytest.raises(FileError, match="cannot be written"):
        nearfar.write(graph, file)


def test_places_to_read_from(tmp_path):
    path = tmp_path / "x.gr"
    path.write_bytes(TEXT)
    with open(path, "rb") as file:
        graphs = [nearfar.read(str(path)), nearfar.read(path), nearfar.read(io.BytesIO(TEXT)), nearfar.read(file)]
    assert [nearfar.distance(graph, 1, 3) for graph in graphs] == [12] * 4
    with open(path) as text, pytest.raises(InputTypeError, match="binary mode"):
        nearfar.read(text)
    for wrong in (7, b"x", None):
        with pytest.raises(InputTypeError):
            nearfar.read(wrong)


def test_addresses(tmp_path):
    path = tmp_path / "x.gr.gz"
    path.write_bytes(gzip.compress(TEXT))
    assert nearfar.distance(nearfar.read(path.as_uri()), 1, 3) == 12
    graph = nearfar.read(path)
    nearfar.write(graph, "memory://somewhere/y.gr.gz")
    assert nearfar.read("memory://somewhere/y.gr.gz").m == 2
    with pytest.raises(MissingFileError, match=r"memory://nowhere\.gr"):
        nearfar.read("memory://nowhere.gr")
    with pytest.raises(FileError, match="nosuch://"):
        nearfar.read("nosuch://x.gr")


@pytest.mark.parametrize("package", ["fsspec", "zstandard"])
def test_missing_packages(monkeypatch, tmp_path, package):
    monkeypatch.setitem(sys.modules, package, None)
    path = tmp_path / "x.zst"
    path.write_bytes(PACKERS[".zst"](TEXT))
    with pytest.raises(MissingDependencyError, match=rf"{package}.*pip install 'nearfar\[formats\]'"):
        nearfar.read(path if package == "zstandard" else path.as_uri())


def test_standard_input_and_output():
    code = "import nearfar; nearfar.write(nearfar.read('-'), '-', format='dimacs')"
    run = subprocess.run(
        [sys.executable, "-c", code],
        input=gzip.compress(TEXT),
        capture_output=True,
        env=child_environment(),
        check=True,
    )
    assert run.stdout == TEXT and run.stderr == b""


def test_files_that_are_none(tmp_path):
    (tmp_path / "USA.gr").write_bytes(TEXT)
    with pytest.raises(MissingFileError, match=r"USB\.gr does not exist. Did you mean .*USA\.gr"):
        nearfar.read(tmp_path / "USB.gr")
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        nearfar.read(tmp_path / "nowhere" / "x.gr")
    with pytest.raises(FileError, match="is not a folder with a graph"):
        nearfar.read(tmp_path)
    with pytest.raises(FileError, match="cannot be read"):
        nearfar.read("a\0b")
    with pytest.raises(FormatError, match="empty"):
        nearfar.read(io.BytesIO(b""))


@contextmanager
def unprivileged():
    """Give up the rights of root, who may read and write everything, for a while."""
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.skipif(os.name != "posix", reason="the system has no such permissions")
def test_no_permission():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = Path(folder) / "x.gr"
        path.write_bytes(TEXT)
        graph = nearfar.read(path)
        nearfar.write(graph, path)
        path.chmod(0)
        os.chmod(folder, 0o555)
        with unprivileged():
            with pytest.raises(FileError, match=r"x\.gr cannot be read: no permission"):
                nearfar.read(path)
            for place in (path, Path(folder) / "new.gr"):
                with pytest.raises(FileError, match="cannot be written: no permission"):
                    nearfar.write(graph, place)
        os.chmod(folder, 0o755)
        path.chmod(0o600)
        assert os.listdir(folder) == ["x.gr"] and path.read_bytes() == TEXT


def test_a_fifo_is_read_once(tmp_path):
    """A pipe cannot go back: whatever recognises the format must not read from it twice."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    thread = threading.Thread(target=lambda: path.write_bytes(PACKERS[".gz"](TEXT)))
    thread.start()
    assert nearfar.read(path).m == 2
    thread.join()


def test_whole_or_not_at_all(tmp_path):
    path = tmp_path / "x.gr"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with pytest.raises(RuntimeError), whole_file(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["x.gr"]
    with pytest.raises(KeyboardInterrupt), open_sink(tmp_path / "y.gr.gz") as sink:
        sink.write(b"half")
        raise KeyboardInterrupt
    assert os.listdir(tmp_path) == ["x.gr"]
    with whole_file(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new" and path.stat().st_mode & 0o777 == 0o640
    umask = os.umask(0o022)
    os.umask(umask)
    with whole_file(tmp_path / "z") as file:
        file.write(b"z")
    assert (tmp_path / "z").stat().st_mode & 0o777 == 0o666 & ~umask


def test_links_stay_links(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with whole_file(tmp_path / "link") as file:
        file.write(b"x")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_bytes() == b"x"


def test_places_that_cannot_be_written(tmp_path):
    graph = nearfar.read(io.BytesIO(TEXT))
    with pytest.raises(MissingFileError, match="there is no folder"):
        nearfar.write(graph, tmp_path / "nowhere" / "x.gr")
    (tmp_path / "folder.gr").mkdir()
    with pytest.raises(FileError, match="is a folder"):
        nearfar.write(graph, tmp_path / "folder.gr")
    with pytest.raises(OptionError, match=r"does not name a format.*\.gr"):
        nearfar.write(graph, tmp_path / "x.xyz")
    nearfar.write(graph, os.devnull, format="dimacs")
    assert os.listdir(tmp_path) == ["folder.gr"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_a_full_disk():
    with pytest.raises(FileError, match="cannot be written"):
        nearfar.write(nearfar.generate.road_grid(60, 60), "/dev/full", format="dimacs")


def test_progress_is_told(tmp_path):
    path = tmp_path / "x.gr.gz"
    nearfar.write(nearfar.generate.road_grid(250, 250), path)
    told = []
    nearfar.read(path, progress=lambda done, total: told.append((done, total)))
    assert told and told == sorted(told) and {total for _, total in told} == {path.stat().st_size}
    assert told[-1][0] == path.stat().st_size


@pytest.mark.parametrize("ending", [".npz", ".parquet", ".arrow", ".graphml"])
def test_progress_is_told_by_libraries_too(tmp_path, ending):
    path = tmp_path / f"x{ending}"
    graph = nearfar.generate.road_grid(30, 30)
    nearfar.write(graph, path)
    told = []
    again = nearfar.read(path, progress=lambda done, total: told.append((done, total)))
    assert again.m == graph.m and told == sorted(told)
    assert told[-1] == (path.stat().st_size, path.stat().st_size)


def test_a_bar_on_demand(tmp_path, capfd):
    path = tmp_path / "x.gr"
    nearfar.write(nearfar.generate.road_grid(250, 250), path)
    nearfar.read(path)
    assert capfd.readouterr().err == ""  # not at a terminal, and not large
    nearfar.read(path, progress=True)
    assert "reading" in capfd.readouterr().err
