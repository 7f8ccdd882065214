"""Blocks of rows to bytes and back, as codecs of Zarr v3 name the steps: transpose, delta, bytes, zstd, in a shard.

All distances to one column lie side by side, integers as differences (kernels/cpu/differences.py). Every part is
compressed with zstd, with a checksum of its content; without one, zstd reads a bit that flipped as another number.
Where the parts lie is written behind them, with a CRC. Floats are not differenced, since that would round them: the
bytes of equal significance lie together instead (shuffle).

zarr-python 3.1 stores wrong numbers for transpose and delta from arrays in C order (it reads them right), so blocks are
not written by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from ...errors import MissingDependencyError, StoreError, option
from .form import Form

LEVEL = 1  # of zstd
NO_COLUMNS = np.empty(0, np.int32)
ENTRY = np.dtype([("offset", "<u8"), ("size", "<u8")])  # of the index of a shard
CRC_BYTES = 4
MAGIC, HAS_CHECKSUM = b"\x28\xb5\x2f\xfd", 4  # of a zstd frame


@cache
def _zstd() -> Any:
    """Return zstd with checksums."""
    return require_numcodecs().Zstd(level=LEVEL, checksum=True)


@cache
def _shuffle(size: int) -> Any:
    """Return what puts bytes of equal significance together."""
    return require_numcodecs().Shuffle(elementsize=size)


def require_numcodecs() -> Any:
    """Load numcodecs, which zarr brings."""
    try:
        import google_crc32c  # noqa: F401 - needed below
        import numcodecs
    except ImportError:
        raise MissingDependencyError(
            "stored matrices need the package zarr, which is not installed. Use: pip install 'nearfar[store]'"
        ) from None
    return numcodecs


def codecs_of(form: Form) -> list[dict[str, Any]]:
    """Return the codecs of a matrix, as its metadata name them."""
    steps: list[dict[str, Any]] = [{"name": "transpose", "configuration": {"order": [1, 0]}}]
    if form.dtype.kind == "i":
        steps.append({"name": "numcodecs.delta", "configuration": {"dtype": form.dtype.newbyteorder("<").str}})
    steps.append({"name": "bytes", "configuration": {"endian": "little"}})
    if form.dtype.kind == "f":
        steps.append({"name": "numcodecs.shuffle", "configuration": {"elementsize": form.dtype.itemsize}})
    steps.append({"name": "zstd", "configuration": {"level": LEVEL, "checksum": True}})
    index = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
    shard = {
        "chunk_shape": [form.block, form.width],
        "codecs": steps,
        "index_codecs": index,
        "index_location": "end",
    }
    return [{"name": "sharding_indexed", "configuration": shard}]


def encode_part(form: Form, rows: np.ndarray, columns: np.ndarray, part: int) -> bytes:
    """Compress a part of a block, whose rows follow each other in memory.

    ``columns``: the entries of the rows that are stored, all of them if it is empty.
    """
    from ...kernels.cpu.differences import difference, side_by_side

    ends, count = form.columns_of(part), rows.shape[0]
    flat: Any = rows.reshape(-1), rows.shape[1], count, columns, ends.start, ends.stop, form.block
    with _room(form) as buffer:
        if form.dtype.kind == "i":
            difference(*flat, buffer)
            return bytes(_zstd().encode(buffer))
        side_by_side(*flat, buffer)
        return bytes(_zstd().encode(_shuffle(form.dtype.itemsize).encode(buffer)))


_spare: list[np.ndarray] = []  # room that no thread uses now: fresh memory is slow


@contextmanager
def _room(form: Form) -> Iterator[np.ndarray]:
    """Give room for a part."""
    try:
        kept = _spare.pop()
    except IndexError:
        kept = np.empty(0, np.uint8)
    if not form.part_bytes <= kept.nbytes <= 8 * form.part_bytes:
        kept = np.empty(form.part_bytes, np.uint8)
    try:
        yield kept[: form.part_bytes].view(form.dtype)
    finally:
        if len(_spare) < MOST_SPARE:
            _spare.append(kept)


MOST_SPARE = 64  # rooms that are kept


def join_parts(parts: Sequence[bytes]) -> bytes:
    """Return the bytes of a block: its parts, and behind them where each one lies, with a CRC of that."""
    sizes = np.array([len(part) for part in parts], np.uint64)
    index = np.empty(len(parts), ENTRY)
    index["size"] = sizes
    index["offset"] = np.cumsum(sizes) - sizes
    listed = index.tobytes()
    return b"".join((*parts, listed, _crc(listed)))


def _crc(data: bytes) -> bytes:
    """Return the CRC of some bytes as Zarr writes it."""
    import google_crc32c

    return int(google_crc32c.value(data)).to_bytes(CRC_BYTES, "little")


def parts_listed(form: Form, tail: bytes, size: int) -> list[tuple[int, int]] | None:
    """Return where the parts of a block lie, as the end of its file says; None if that is not what was written."""
    length = form.parts * ENTRY.itemsize
    listed, crc = tail[-length - CRC_BYTES : -CRC_BYTES], tail[-CRC_BYTES:]
    if len(listed) != length or _crc(listed) != crc:
        return None
    found: list[tuple[int, int]] = np.frombuffer(listed, ENTRY).tolist()
    end = 0
    for offset, part in found:
        if offset != end:
            return None
        end += part
    return found if end + length + CRC_BYTES == size else None


def split(form: Form, data: bytes, name: str) -> list[memoryview]:
    """Return the compressed parts of a block, or raise the error for a block that is damaged."""
    listed, view = parts_listed(form, data, len(data)), memoryview(data)
    if listed is None:
        raise damaged(name, "the list of its parts is not what was written")
    return [view[offset : offset + size] for offset, size in listed]


def decode_part(form: Form, data: Any, part: int, which: np.ndarray, out: np.ndarray, name: str) -> None:
    """Write some rows of a part, ascending, to ``out``, which has one row for each, and a column per column."""
    from ...kernels.cpu.differences import add_up, take_apart

    if _content_size(data) != form.part_bytes:
        raise damaged(name, f"part {part} is not {form.part_bytes:,} bytes with a checksum, compressed by zstd")
    with _room(form) as buffer:
        try:
            _zstd().decode(data, buffer)
        except (RuntimeError, ValueError) as error:
            raise damaged(name, f"part {part}: {error}") from None
        if form.dtype.kind == "i":
            add_up(buffer, form.block, which, out)
        else:
            values = np.frombuffer(_shuffle(form.dtype.itemsize).decode(buffer), form.dtype)
            take_apart(values, form.block, which, out)


def _content_size(frame: Any) -> int | None:
    """Return the size that the header of a zstd frame states; None if it states none, or the frame has no checksum."""
    if len(frame) < 9 or bytes(frame[:4]) != MAGIC or not frame[4] & HAS_CHECKSUM:
        return None
    flags = frame[4]
    single, size = flags >> 5 & 1, (flags >> 5 & 1, 2, 4, 8)[flags >> 6]
    at = 5 + (1 - single) + (0, 1, 2, 4)[flags & 3]
    return int.from_bytes(frame[at : at + size], "little") + (256 if size == 2 else 0) if size else None


def damaged(name: str, why: str) -> StoreError:
    """Return the error for a block that is not what was written."""
    return StoreError(
        f"{name} is damaged: {why}. Repeat the call that wrote it with {option('existing', 'repair')}, which replaces "
        "damaged blocks and keeps the others."
    )
