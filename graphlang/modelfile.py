"""A trained model as one file: named arrays and a JSON header in a zip, as `numpy.load` reads it.

Nothing in the file is executed: no pickle, no object arrays. A file may come from anywhere, so everything is bounded
before it is read: the file, the number of arrays and their unpacked size. An array's header must agree with the bytes
that follow. The same arrays and header always give the same bytes, so the hash of a model does not depend on the date.

`numpy.load` trusts the sizes in the headers of arrays, and unpacks one array after the other with zlib. This module
checks the sizes and unpacks on all cores.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import struct
import tokenize
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

import numpy as np
from numpy.lib import format as npy

from graphlang.files import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from io import BufferedReader

    from numpy.typing import NDArray


def load_zlib() -> Any:
    """Return isal's drop-in for zlib, which inflates twice as fast, where it is installed."""
    try:
        return import_module("isal.isal_zlib")
    except ImportError:
        return zlib


FORMAT = 1
MAX_FILE = 64 << 20  # bytes
MAX_ARRAYS = 512 << 20  # bytes, unpacked
MAX_MEMBERS = 64
MAX_HEADER = 4 << 20  # bytes, unpacked
MAX_LABELS = (1 << 15) - 1  # answers number them in 16 bits
_THREADS = 3  # a model has about as many large arrays
_HEADER = "model.json"
_KINDS = "biuf"
_WIDEST = 8  # bytes of a number, the same on every machine
_LOCAL = struct.Struct("<4s2s4H3L2H")  # the local header before each member of a zip
_ENCRYPTED = 1
#: errors of reading a damaged zip, header or array
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, load_zlib().error, KeyError, EOFError, NotImplementedError, RuntimeError,
    ValueError, OSError, TypeError, MemoryError, struct.error,
    tokenize.TokenError,  # numpy's, on a header of an array that is no Python
)  # fmt: skip


class ModelError(ValueError):
    """A model file or a training corpus cannot be used; the message names it and the reason on one line."""


class CachedTables(NamedTuple):
    """Tables that an earlier start has computed from a model file (`modelcache`).

    `arrays` are by name and cannot be written to; the arrays of the model file in `instead_of` are not needed beside
    them. `digest` is the SHA-256 of the model file, in hexadecimal.
    """

    arrays: Mapping[str, NDArray[Any]]
    instead_of: frozenset[str]
    digest: str


@dataclass(frozen=True, slots=True)
class Model:
    """A trained model: the method that reads it, its labels, parameters to show, and arrays.

    `hash` is the SHA-256 of the file's bytes, in hexadecimal.
    """

    method: str
    labels: tuple[str, ...]
    parameters: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]] = field(repr=False)
    #: Tables computed from the arrays earlier (`modelcache`), in place of some of them; None without a cache.
    cached: Mapping[str, NDArray[Any]] | None = field(default=None, repr=False, compare=False)
    #: Device, inode, size and times of the file, by which its tables are cached; empty without a cache.
    identity: str = field(default="", repr=False, compare=False)

    def save(self, path: str | Path) -> str:
        """Write the file and return its hash.

        An existing file is replaced when the new one is complete, so that a full disk or an interrupt does not destroy
        it. Raise an OSError if it cannot be written or the path is a database, a ModelError if it is too large to be
        read again.
        """
        data = self.to_bytes()
        if len(data) > MAX_FILE or sum(array.nbytes for array in self.arrays.values()) > MAX_ARRAYS - MAX_HEADER:
            raise ModelError(
                f"{path}: the model would be too large to read ({len(data):,} bytes): give it fewer features"
            )
        from graphlang.files import OutputError, open_replacement  # noqa: PLC0415 - reading models needs none

        try:
            with open_replacement(Path(path)) as file:
                file.write(data)
        except OutputError:
            raise
        except OSError as error:  # the error of a full disk has no file name
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        return hashlib.sha256(data).hexdigest()

    def to_bytes(self) -> bytes:
        """Return the file as bytes: equal for equal content."""
        header = {
            "format": FORMAT,
            "method": self.method,
            "labels": list(self.labels),
            "parameters": dict(self.parameters),
        }
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            _write_member(archive, _HEADER, json.dumps(header, ensure_ascii=False, sort_keys=True, indent=1).encode())
            for name, array in sorted(self.arrays.items()):
                packed = io.BytesIO()
                npy.write_array(packed, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
                _write_member(archive, f"{name}.npy", packed.getvalue())
        return file.getvalue()


def _write_member(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    # The entry's date is fixed: the bytes must not depend on the time.
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    entry.create_system = 3
    archive.writestr(entry, data)


def read(path: str | Path, find_cached: Callable[[str], CachedTables | None] | None = None) -> tuple[Model, str]:
    """Read a model file; return the model and the SHA-256 of its bytes.

    `find_cached` returns the cached tables of a model by its identity; with them only small arrays of the file are
    read. Raise a ModelError if the file is missing, not a model, damaged, of a newer format, or larger than any valid
    model.
    """
    path, cached, identity = Path(path), None, ""
    try:
        with open_regular(path, max_bytes=MAX_FILE) as file:
            if find_cached is not None:
                status = os.fstat(file.fileno())
                # Archives and images may restore the time of the content, but not that of the last change (ctime).
                times = f"{status.st_mtime_ns} {status.st_ctime_ns}"
                identity = f"{status.st_dev} {status.st_ino} {status.st_size} {times}"
                cached = find_cached(identity)
            if cached is not None:
                digest, without = cached.digest, cached.instead_of
            else:
                digest = hashlib.file_digest(cast("BufferedReader", file), "sha256").hexdigest()
                without = frozenset[str]()
            model = parse_model(file, str(path), without)
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from error
    if find_cached is not None:
        model = replace(model, cached={} if cached is None else cached.arrays, identity=identity)
    return model, digest


def read_method(path: str | Path) -> str:
    """Return the method of a model file; raise the errors of `read_header`."""
    return read_header(path)[0]


def read_header(path: str | Path) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """Return the method, labels and parameters of a model file, without reading its arrays.

    Raise a ModelError for a file that is not a model.
    """
    try:
        with (
            open_regular(path, max_bytes=MAX_FILE) as file,
            zipfile.ZipFile(file) as archive,
            archive.open(_HEADER) as header,
        ):
            content = header.read(MAX_HEADER)
        return _parse_header(content, str(path))
    except ModelError:
        raise
    except _DAMAGE as error:
        raise ModelError(f"{path}: not a model of this program ({error})") from error


def parse_model(file: BinaryIO, name: str = "model", without: frozenset[str] = frozenset()) -> Model:
    """Parse what `Model.to_bytes` wrote, except the arrays in `without`.

    Raise a ModelError that begins with `name` if it is not a valid model.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            _check_sizes(entries, name)
            entries = [entry for entry in entries if entry.filename.removesuffix(".npy") not in without]
            with ThreadPoolExecutor(_THREADS) as pool:  # zlib releases the lock of the interpreter
                largest_first = sorted(entries, key=lambda entry: entry.compress_size, reverse=True)
                packed = [_read_member(file, entry) for entry in largest_first]
                contents = pool.map(_unpack_member, packed, largest_first)
                unpacked = dict(zip((entry.filename for entry in largest_first), contents, strict=True))
        members = {entry.filename: unpacked[entry.filename] for entry in entries}
        method, labels, parameters = _parse_header(members.pop(_HEADER), name)
        arrays = {member.removesuffix(".npy"): _parse_array(content, name) for member, content in members.items()}
    except ModelError:
        raise
    except KeyError as error:
        raise ModelError(f"{name}: not a model of this program (no {_HEADER})") from error
    except _DAMAGE as error:
        raise ModelError(f"{name}: not a model of this program, or damaged ({error})") from error
    return Model(method, labels, parameters, arrays)


def _check_sizes(entries: list[zipfile.ZipInfo], name: str) -> None:
    if len(entries) > MAX_MEMBERS or sum(entry.file_size for entry in entries) > MAX_ARRAYS:
        raise ModelError(f"{name}: unpacks to more than any model of this program")
    for entry in entries:
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ModelError(f"{name}: packed in a way that no model of this program is")
        if entry.filename == _HEADER and entry.file_size > MAX_HEADER:
            raise ModelError(f"{name}: its header is longer than that of any model of this program")


def _read_member(file: BinaryIO, entry: zipfile.ZipInfo) -> bytes:
    file.seek(entry.header_offset)
    local = _LOCAL.unpack(file.read(_LOCAL.size))
    file.seek(local[-2] + local[-1], os.SEEK_CUR)
    packed = file.read(entry.compress_size)
    if local[0] != b"PK\3\4" or local[2] & _ENCRYPTED or len(packed) != entry.compress_size:
        raise zipfile.BadZipFile(f"{entry.filename} is not where the directory says")
    return packed


def _unpack_member(packed: bytes, entry: zipfile.ZipInfo) -> bytes:
    """Unpack a member of a zip, at most to the size in the directory, which may be wrong."""
    library = load_zlib()
    if entry.compress_type == zipfile.ZIP_STORED:
        content = packed[: entry.file_size + 1]
    else:
        content = library.decompressobj(-zlib.MAX_WBITS).decompress(packed, entry.file_size + 1)
    if len(content) != entry.file_size or library.crc32(content) != entry.CRC:
        raise zipfile.BadZipFile(f"{entry.filename} is damaged")
    return content


def _parse_header(content: bytes, name: str) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    try:
        header = json.loads(content)
    except RecursionError as error:
        raise ModelError(f"{name}: its header is nested too deep") from error
    if not isinstance(header, dict) or not isinstance(header.get("format"), int):
        raise ModelError(f"{name}: its header is not one of this program")
    if header["format"] > FORMAT:
        raise ModelError(f"{name}: written by a newer version (format {header['format']}, known up to {FORMAT})")
    match header:
        case {"labels": list(labels)} if len(labels) > MAX_LABELS:
            raise ModelError(f"{name}: more labels than any model of this program has")
        case {"method": str(method), "labels": list(labels), "parameters": dict(parameters)} if all(
            isinstance(label, str) for label in labels
        ) and len(set(labels)) == len(labels):
            return method, tuple(labels), parameters
    raise ModelError(f"{name}: its header lacks a method, labels or parameters")


def _parse_array(content: bytes, name: str) -> NDArray[Any]:
    stream = io.BytesIO(content)
    if npy.read_magic(stream) != (1, 0):
        raise ModelError(f"{name}: an array of an unknown format")
    shape, fortran, dtype = npy.read_array_header_1_0(stream)
    begin = stream.tell()
    if dtype.kind not in _KINDS or dtype.itemsize > _WIDEST or fortran or any(n < 0 for n in shape):
        raise ModelError(f"{name}: an array of a kind that no model has")
    size = dtype.itemsize
    for n in shape:
        size *= n
    if size != len(content) - begin:
        raise ModelError(f"{name}: an array's header and its {len(content) - begin} bytes disagree")
    array = np.frombuffer(content, dtype=dtype, offset=begin).reshape(shape)
    return array if array.flags.aligned else array.copy()  # as a header of another length leaves it


def take_cached(model: Model, name: str, kind: str, size: int | None, source: str) -> NDArray[Any] | None:
    """Return a cached one-dimensional table of `size` numbers (None: any), of a type as in `take_array`.

    None if there is none. Raise a ModelError that names `source` if it does not fit.
    """
    if not model.cached:
        return None
    array = model.cached.get(name)
    if array is None or array.dtype.str[1:] != kind or array.ndim != 1 or size not in (None, len(array)):
        raise damage_error(source)
    return array


def damage_error(source: str) -> ModelError:
    """Return the error for a model whose cached arrays do not fit each other; `source` is for the message."""
    return ModelError(f"{source}: its cached tables are damaged: GRAPHLANG_CACHE=no computes them again")


def take_array(
    model: Model, name: str, kind: str, shape: tuple[int | None, ...], source: str, *, maximum: float = math.inf
) -> NDArray[Any]:
    """Return an array of the model after checking its type, its shape, and that it has no NaN or infinity.

    `kind` is numpy's letter of the type, followed by the bytes of a number if only that size is valid. None in `shape`
    allows any length. `maximum` bounds the absolute value of floats, so that results computed from them stay finite.
    Raise a ModelError that names `source` if the array is missing or does not pass.
    """
    array = model.arrays.get(name)
    if array is None:
        raise ModelError(f"{source}: the array {name!r} is missing")
    fits = len(array.shape) == len(shape) and all(
        expected in (None, length) for expected, length in zip(shape, array.shape, strict=True)
    )
    if not array.dtype.str[1:].startswith(kind) or not fits:
        raise ModelError(f"{source}: the array {name!r} does not have the type and shape that {model.method} needs")
    if kind[0] == "f" and not np.isfinite(array).all():
        raise ModelError(f"{source}: the array {name!r} holds NaN or infinity")
    if kind[0] == "f" and np.abs(array).max(initial=0) > maximum:
        raise ModelError(f"{source}: the array {name!r} holds greater values than any model of this program")
    return array
