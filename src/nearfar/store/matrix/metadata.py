"""The metadata of a stored matrix: the documents of Zarr v3, and what only nearfar reads, protected by a digest.

The group holds the array ``distance``, with the dimensions source and target, and one array per coordinate. Attributes
of the group say what was asked, what runs, and in what form. A digest covers all metadata and all coordinates, so that
no damage of them can give a number to the wrong pair. The document of the group is written last: a store without it was
never begun.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from typing import Any

import numpy as np

from ...errors import MissingFileError, StoreError, option
from ...version import __version__
from .codec import codecs_of, require_numcodecs
from .form import Form
from .places import Folder, Place

FORMAT = 1
GROUP = "zarr.json"
AT_ONCE = 1 << 20  # names in a chunk of a coordinate
COORDINATES = ("", "_index", "_row", "_column", "_x", "_y")  # of a role, as labels.py has them
FOLDERS = ("distance", "asked", *(role + of for role in ("source", "target") for of in COORDINATES))


def array_document(form: Form, attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of the distances."""
    whole = form.dtype.kind == "i"
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [form.rows, form.columns],
        "data_type": form.dtype.name,
        "chunk_grid": {
            "name": "regular",
            "configuration": {"chunk_shape": [form.block, form.parts * form.width]},
        },
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        # a block that is missing reads as what no distance is
        "fill_value": int(np.iinfo(form.dtype).min) if whole else "NaN",
        "codecs": codecs_of(form),
        "attributes": attributes,
        "dimension_names": ["source", "target"],
    }


def coordinate_files(name: str, values: Any) -> dict[str, bytes]:
    """Return the files of a coordinate: its metadata, and its numbers or words in chunks."""
    words, dimension = isinstance(values, list), name.partition("_")[0] if name != "asked" else "source"
    chunk = max(1, min(len(values), AT_ONCE))
    first: dict[str, Any] = {"name": "vlen-utf8"} if words else {"name": "bytes", "configuration": {"endian": "little"}}
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [len(values)],
        "data_type": "string" if words else "int64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [chunk]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
        "fill_value": "" if words else int(np.iinfo(np.int64).min),
        "codecs": [first, {"name": "zstd", "configuration": {"level": 1, "checksum": True}}],
        "attributes": {},
        "dimension_names": [dimension],
    }
    files = {f"{name}/zarr.json": dump(document)}
    for i, low in enumerate(range(0, len(values), chunk)):
        some = values[low : low + chunk]
        files[f"{name}/c.{i}"] = _packed(_words(some, chunk) if words else _numbers(some, chunk))
    return files


def _numbers(values: np.ndarray, chunk: int) -> bytes:
    """Return a chunk of whole numbers; what is missing is 0."""
    padded = np.zeros(chunk, "<i8")
    padded[: len(values)] = values
    return padded.tobytes()


def _words(values: list[str], chunk: int) -> bytes:
    """Return a chunk of words: their number, then the length and the bytes of each."""
    encoded = [word.encode() for word in values] + [b""] * (chunk - len(values))
    pieces = [len(encoded).to_bytes(4, "little")]
    for word in encoded:
        pieces += [len(word).to_bytes(4, "little"), word]
    return b"".join(pieces)


def _packed(data: bytes) -> bytes:
    """Compress some bytes, with a checksum."""
    return bytes(require_numcodecs().Zstd(level=1, checksum=True).encode(data))


def read_coordinate(place: Place, name: str, count: int, words: bool) -> tuple[Any, bytes]:
    """Return a coordinate, and all bytes of its files, for the digest."""
    chunk = max(1, min(count, AT_ONCE))
    raw = [place.read(f"{name}/zarr.json")]
    found: list[Any] = []
    for i in range(-(-count // chunk)):
        raw.append(place.read(f"{name}/c.{i}"))
        try:
            data = bytes(require_numcodecs().Zstd().decode(raw[-1]))
            found.append(_read_words(data) if words else np.frombuffer(data, "<i8"))
        except (RuntimeError, ValueError) as error:
            raise _damaged(place, f"{name}/c.{i}: {error}") from None
    if words:
        return [word for some in found for word in some][:count], b"".join(raw)
    return (np.concatenate(found) if found else np.empty(0, np.int64))[:count].astype(np.int64), b"".join(raw)


def _read_words(data: bytes) -> list[str]:
    """Return the words of a chunk."""
    at, found = 4, []
    for _ in range(int.from_bytes(data[:4], "little")):
        size = int.from_bytes(data[at : at + 4], "little")
        found.append(data[at + 4 : at + 4 + size].decode())
        at += 4 + size
    return found


def dump(document: dict[str, Any]) -> bytes:
    """Return a document of metadata as bytes."""
    return json.dumps(document, indent=1, allow_nan=False).encode()


def digest_of(own: dict[str, Any], files: list[bytes]) -> str:
    """Return the digest of what nearfar wrote into the attributes, and of the files of the arrays."""
    digest = hashlib.sha256(json.dumps(own, sort_keys=True, allow_nan=False).encode())
    for data in files:
        digest.update(hashlib.sha256(data).digest())
    return digest.hexdigest()


def write_metadata(
    place: Place, form: Form, own: dict[str, Any], attributes: dict[str, Any], coordinates: dict[str, Any]
) -> None:
    """Write all metadata and coordinates of a new store; the document of the group last."""
    own = own | {"format": FORMAT, "version": __version__, "coordinates": list(coordinates)}
    listed = " ".join(name for name in coordinates if name not in ("source", "target"))
    array = dump(array_document(form, attributes | {"coordinates": listed}))
    place.write("distance/zarr.json", array)
    raw, documents = [array], {"distance": json.loads(array)}
    for name, values in coordinates.items():
        files = coordinate_files(name, values)
        for path, data in files.items():
            place.write(path, data)
        raw.append(b"".join(files.values()))
        documents[name] = json.loads(files[f"{name}/zarr.json"])
    own["digest"] = digest_of(own, raw)
    group = {"zarr_format": 3, "node_type": "group", "attributes": {"nearfar": own}, **_consolidated(documents)}
    place.write(GROUP, dump(group))


def clear(place: Place) -> None:
    """Remove what nearfar wrote to a store, and nothing else.

    The document of the group is the first: a store that is half removed was never begun.
    """
    place.remove(GROUP)
    for folder in FOLDERS:
        for name in place.sizes(folder):
            if name == "zarr.json" or name.startswith("c."):
                place.remove(f"{folder}/{name}")
        if isinstance(place, Folder) and folder != "distance":
            with suppress(OSError):  # there is none, or something of others is in it
                (place.path / folder).rmdir()


def _consolidated(documents: dict[str, Any]) -> dict[str, Any]:
    """Return the documents of all arrays as readers of Zarr want to find them in that of the group: at one glance."""
    return {"consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": documents}}


def read_own(place: Place) -> dict[str, Any]:
    """Return what nearfar wrote into the attributes of the group, unchecked but for its form."""
    try:
        document = json.loads(place.read(GROUP))
        own = document["attributes"]["nearfar"]
        int(own["format"]), str(own["digest"])
    except (ValueError, KeyError, TypeError):
        raise StoreError(
            f"{place.name} is no matrix of nearfar, or its {GROUP} is damaged. Name another folder."
        ) from None
    if own["format"] != FORMAT:
        raise StoreError(
            f"{place.name} has format {own['format']!r}, but this version of nearfar reads {FORMAT}. Use the version "
            f"that wrote it, {own.get('version')}."
        )
    return dict(own)


def read_metadata(place: Place) -> tuple[Form, dict[str, Any], dict[str, Any]]:
    """Return the form of a store, what was asked and planned, and the coordinates; all of it checked by the digest."""
    own = read_own(place)
    stated = own.pop("digest")
    try:
        form = form_of(own)
        raw, coordinates = [place.read("distance/zarr.json")], {}
        for name in own["coordinates"]:
            count = form.columns if name.startswith("target") else form.rows
            words = name in ("source", "target") and own["names"] in ("word", "other")
            coordinates[name], data = read_coordinate(place, name, count, words)
            raw.append(data)
    except MissingFileError as error:
        raise _damaged(place, str(error).rstrip(".")) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(place, f"{type(error).__name__}: {error}") from None
    if digest_of(own, raw) != stated:
        raise _damaged(place, "their digest is not what was written")
    return form, own, coordinates


def form_of(own: dict[str, Any]) -> Form:
    """Return the form of a store from its attributes."""
    form = own["form"]
    return Form(form["rows"], form["columns"], form["block"], form["width"], np.dtype(form["dtype"]))


def form_document(form: Form) -> dict[str, Any]:
    """Return the form of a store for its attributes."""
    return {
        "rows": form.rows,
        "columns": form.columns,
        "block": form.block,
        "width": form.width,
        "dtype": form.dtype.name,
    }


def _damaged(place: Place, why: str) -> StoreError:
    """Return the error for metadata that are not what was written."""
    return StoreError(
        f"the metadata or the names of {place.name} are damaged: {why}. Copy them from a backup, or write the matrix "
        f"anew with {option('existing', 'restart')}."
    )
