"""A trained URL model as one file: a zip of arrays as `numpy.load` reads it, and a JSON header. Never a pickle.

The same content gives the same bytes. What is read is bounded and checked first: the file may come from anywhere.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_HEADER = "header.json"
_LARGEST_FILE = 64 << 20
_LARGEST_CONTENT = 512 << 20
_MOST_ENTRIES = 32


class ModelError(ValueError):
    """A URL model cannot be used; the message says which and why, in one line."""


def write(path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Write the model file. Returns the SHA-256 of its bytes in hexadecimal. Raises OSError."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        parts = {_HEADER: json.dumps(dict(header), ensure_ascii=False, sort_keys=True, indent=1).encode()}
        for name in sorted(arrays):
            packed = io.BytesIO()
            npy.write_array(packed, np.ascontiguousarray(arrays[name]), allow_pickle=False)
            parts[f"{name}.npy"] = packed.getvalue()
        for name, data in parts.items():
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))  # bytes must not tell when
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    data = stream.getvalue()
    Path(path).write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def read(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]], str]:
    """Header, arrays and SHA-256 of a model file.

    Raises:
        ModelError: there is no such file, it is no URL model, it is damaged or larger than any sound model.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from error
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = _bounded(archive.infolist(), len(data))
            header = json.loads(archive.read(_HEADER))
            arrays = {
                entry.filename.removesuffix(".npy"): npy.read_array(
                    io.BytesIO(archive.read(entry)), allow_pickle=False, max_header_size=1000
                )
                for entry in entries
                if entry.filename != _HEADER
            }
    except (
        KeyError,
        ValueError,
        OSError,
        EOFError,
        RuntimeError,
        NotImplementedError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise ModelError(f"{path}: no URL model, or damaged ({error})") from error
    if not isinstance(header, dict) or not isinstance(header.get("method"), str):
        raise ModelError(f"{path}: no URL model (its header names no method)")
    return header, arrays, hashlib.sha256(data).hexdigest()


def _bounded(entries: list[zipfile.ZipInfo], size: int) -> list[zipfile.ZipInfo]:
    unpacked = sum(entry.file_size for entry in entries)
    if size > _LARGEST_FILE or len(entries) > _MOST_ENTRIES or unpacked > _LARGEST_CONTENT:
        raise ValueError("larger than any URL model")
    return entries


def labels_of(header: Mapping[str, Any], source: str) -> tuple[str, ...]:
    """The labels in a header, checked: distinct strings, at least one. Raises ModelError."""
    labels = header.get("labels")
    if (
        not isinstance(labels, list)
        or not labels
        or not all(isinstance(label, str) for label in labels)
        or len(set(labels)) != len(labels)
    ):
        raise ModelError(f"{source}: its header lacks the labels")
    return tuple(labels)


def array(
    arrays: Mapping[str, NDArray[Any]], name: str, kind: str, shape: tuple[int | None, ...], source: str
) -> NDArray[Any]:
    """One array, checked: numpy's letter of its kind, its shape (None for any length), all numbers finite.

    Raises:
        ModelError: it is missing, or not so.
    """
    found = arrays.get(name)
    if found is None or found.dtype.kind != kind or found.ndim != len(shape):
        raise ModelError(f"{source}: the array {name!r} is missing or of the wrong kind")
    if any(want not in (None, have) for want, have in zip(shape, found.shape, strict=True)):
        raise ModelError(f"{source}: the array {name!r} has the wrong shape {found.shape}")
    if kind == "f" and not np.isfinite(found).all():
        raise ModelError(f"{source}: the array {name!r} holds values that are no numbers")
    return found
